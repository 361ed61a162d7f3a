"""How a process ends without taking Python apart: at once, after everything that is promised at exit."""

from __future__ import annotations

import atexit
import os
import sys
import threading


def last_steps(code: int) -> int:
    """Join threads, run exit functions, flush; the exit code as Python would choose it."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code or 120
    return code & 0xFF


def leave_threads_behind(code: int) -> int:
    """End here when a thread may be inside a library that aborts when Python stops it; else the code."""
    if any(thread.daemon for thread in threading.enumerate()):
        os._exit(last_steps(code))
    return code
