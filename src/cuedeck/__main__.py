"""``python -m cuedeck`` is ``cue``."""

from __future__ import annotations

import sys

from cuedeck.cli import main

if __name__ == "__main__":
    sys.exit(main())
