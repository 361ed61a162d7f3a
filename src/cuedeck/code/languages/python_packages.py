"""Python: which packages are installed in an environment inside the project's folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

# Environments that tools find by themselves.
ENVIRONMENTS: Final = (".venv", "venv")
_SETTINGS: Final = "pyvenv.cfg"
_VERSION: Final = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)
_FORMS: Final = ("/__init__.py", "/__init__.pyi", ".py", ".pyi", "/py.typed", "-stubs/__init__.pyi")


class Installed:
    """What stands in the environments of a project; ``text`` reads a file below its root, if there is one."""

    def __init__(self, text: Callable[[str], str | None]) -> None:
        self._text = text
        self._known: dict[str, bool] = {}

    def has(self, package: str) -> bool:
        """Whether a package may be imported from an environment."""
        if package not in self._known:
            places = (f"{folder}/{package}{form}" for folder in self._folders for form in _FORMS)
            self._known[package] = any(self._text(place) is not None for place in places)
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
