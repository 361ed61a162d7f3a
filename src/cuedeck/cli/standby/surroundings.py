"""What a command has from where it is run, beside its arguments: two that differ in it never meet."""

# ruff: noqa: PTH115, PTH116, PTH120, PTH123
from __future__ import annotations

import _imp
import os
import sys

from cuedeck import __version__

# What Python and libraries read once, when they are loaded. A standby has no other variables.
_READ_ONCE = frozenset(
    (
        "HOME",
        "LANG",
        "LANGUAGE",
        "TMPDIR",
        "XDG_CONFIG_HOME",
    )
)
_READ_ONCE_BY_PREFIX = (
    "GLIBC_",
    "GOMP_",
    "GOTO_",
    "LC_",
    "LD_",
    "MALLOC_",
    "NPY_",
    "NUMPY_",
    "OMP_",
    "OPENBLAS_",
    "OPENSSL_",
    "PSYCOPG_",
    "PYTHON",
    "SQLITE_",
    "SSL_",
)
_HARMLESS_TO_PYTHON = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONNOUSERSITE",
    "PYTHONPYCACHEPREFIX",
    "PYTHONSAFEPATH",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
)
_STATUS = (
    b"Umask:",
    b"Uid:",
    b"Gid:",
    b"Groups:",
    b"SigBlk:",
    b"Cap",
    b"NoNewPrivs:",
    b"Seccomp",
    b"Cpus_allowed:",
    b"Mems_allowed:",
)
_CONFINED = b"NoNewPrivs:\t1"
# glibc's own signals, 32 and 33: whether they are ignored depends on how it started the process.
_LIBRARY_SIGNALS = 0b11 << 31
_KEY = 0x637565  # any number; only equality counts


def variables_read_once() -> dict[str, str]:
    """The part of the environment that counts before a command begins."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _READ_ONCE or name.startswith(_READ_ONCE_BY_PREFIX)
    }


def foreign_to_python(variables: dict[str, str]) -> bool:
    """Whether the interpreter was told something that another process would not do the same way."""
    return "LD_PRELOAD" in variables or any(
        name.startswith("PYTHON") and name not in _HARMLESS_TO_PYTHON for name in variables
    )


def inherited(process: int | str) -> bytes | None:
    """Everything the kernel lets a process do and see, as Linux tells it; None in a sandbox.

    A process that gave up new privileges may be kept by rules that cannot be read (Landlock, seccomp).
    """
    about = f"/proc/{process}/"
    lines = _read(about + "status").splitlines()
    status = [line for line in lines if line.startswith(_STATUS)]
    ignored = next(int(line[7:], 16) for line in lines if line.startswith(b"SigIgn:")) & ~_LIBRARY_SIGNALS
    if _CONFINED in status:
        return None
    spaces = [os.readlink(f"{about}ns/{name}") for name in sorted(os.listdir(about + "ns"))]  # noqa: PTH208
    root = os.stat(about + "root/")
    nice = os.getpriority(os.PRIO_PROCESS, 0 if process == "self" else int(process))
    told = (
        status,
        ignored,
        _read(about + "limits"),
        spaces,
        root.st_dev,
        root.st_ino,
        _label(about),
        nice,
    )
    return repr(told).encode()


def fingerprint(inherited: bytes, variables: dict[str, str]) -> str:
    """A name that only those share who run the same program in the same surroundings."""
    program = os.stat(sys.executable)
    package = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100
    installation = (__version__, package, sys.executable, program.st_ino, program.st_mtime_ns, sys.version)
    told = inherited + repr((installation, sorted(variables.items()))).encode("utf-8", "surrogateescape")
    return _imp.source_hash(_KEY, told).hex()


def _read(path: str) -> bytes:
    with open(path, "rb", 0) as file:
        return file.read()


def _label(about: str) -> bytes:
    try:
        return _read(about + "attr/current")
    except OSError:
        return b""  # no security module
