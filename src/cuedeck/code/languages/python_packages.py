"""Python: which packages are installed, in the project's folder or where the shell's Python has them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Final

# Environments that tools find by themselves.
ENVIRONMENTS: Final = (".venv", "venv")
_SETTINGS: Final = "pyvenv.cfg"
_VERSION: Final = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)
_LIBRARIES: Final = (
    "lib/python3*/site-packages",
    "Lib/site-packages",
    "lib/python3*/dist-packages",
    "local/lib/python3*/dist-packages",
)
_FORMS: Final = ("/__init__.py", "/__init__.pyi", ".py", ".pyi", "/py.typed", "-stubs/__init__.pyi")


class Installed:
    """What is in the environments of a project, whose files ``text`` reads, or in folders outside of it."""

    def __init__(self, text: Callable[[str], str | None], outside: tuple[Path, ...]) -> None:
        self._text = text
        self._outside = outside
        self._known: dict[str, bool] = {}

    def has(self, package: str) -> bool:
        """Whether a package may be imported from an environment."""
        if package not in self._known:
            places = (f"{folder}/{package}{form}" for folder in self._folders for form in _FORMS)
            self._known[package] = any(self._text(place) is not None for place in places) or any(
                (folder / f"{package}{form}").is_file() for folder in self._outside for form in _FORMS
            )
        return self._known[package]

    @cached_property
    def _folders(self) -> list[str]:
        found: list[str] = []
        for environment in ENVIRONMENTS:
            told = _VERSION.search(self._text(f"{environment}/{_SETTINGS}") or "")
            if told:
                libraries = (f"lib/python{told[1]}", "Lib")
                found += [f"{environment}/{library}/site-packages" for library in libraries]
        return found


@cache
def packages_of_shell() -> tuple[Path, ...]:
    """The folders of packages of the Python that a shell would start; nothing is run to find out."""
    started = shutil.which("python3") or shutil.which("python")
    if started is None:
        return ()
    interpreter = _behind_shim(Path(started))
    prefix = interpreter.parent.parent
    if not (prefix / _SETTINGS).is_file():
        prefix = interpreter.resolve().parent.parent
    return tuple(folder for pattern in _LIBRARIES for folder in sorted(prefix.glob(pattern)))


def _behind_shim(interpreter: Path) -> Path:
    """What pyenv starts for a command of its own, of the version that is chosen everywhere."""
    root = interpreter.parent.parent
    if interpreter.parent.name != "shims":
        return interpreter
    try:
        chosen = (root / "version").read_text(encoding="utf-8", errors="replace")
    except OSError:  # another tool's shims, or nothing that may be read
        return interpreter
    told = os.environ.get("PYENV_VERSION", chosen).replace(":", " ").split()
    return root / "versions" / told[0] / "bin" / "python3" if told else interpreter
