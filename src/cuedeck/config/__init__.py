"""Settings: declared in ``sections``, merged and validated by ``load``."""

from __future__ import annotations

from cuedeck.config.load import load_config
from cuedeck.config.sections import Config

__all__ = ["Config", "load_config"]
