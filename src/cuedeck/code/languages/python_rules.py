"""Python: how its names are linked."""

from __future__ import annotations

from cuedeck.code.rules import Rules


class PythonRules(Rules):
    """x"""
