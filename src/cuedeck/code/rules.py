"""What resolution asks of a language."""

from __future__ import annotations


class Rules:
    """Defaults."""
