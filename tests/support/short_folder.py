"""A private folder whose path is short enough for a unix socket, however deep pytest's own are."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def short_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="cue-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
