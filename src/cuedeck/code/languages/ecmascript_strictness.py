"""JavaScript and TypeScript: whether a configuration tells what may be missing from what is there."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import Any, Final

from cuedeck.code.languages.ecmascript_packages import read_json

_CONFIGURATION: Final = "tsconfig.json"
_MAX_DEPTH: Final = 10
# The first decides where it is given.
_SETTINGS: Final = ("strictNullChecks", "strict")


def nearest_strictness(text: Callable[[str], str | None], folder: str) -> bool:
    """Whether, by the nearest configuration, ``undefined`` and ``null`` are types of their own."""
    while True:
        settings = read_json(text(posixpath.join(folder, _CONFIGURATION)))
        if settings is not None:
            return _strictness(text, folder, settings)
        if not folder:
            return False
        folder = posixpath.dirname(folder)


def _strictness(text: Callable[[str], str | None], folder: str, settings: dict[str, Any]) -> bool:
    for setting in _SETTINGS:
        said = _said(text, folder, settings, setting, 0)
        if said is not None:
            return said
    # A configuration that only lists others is what these are.
    listed = settings.get("references")
    for each in listed if isinstance(listed, list) else ():
        named = each.get("path") if isinstance(each, dict) else None
        for path in _files(folder, named):
            inner = read_json(text(path))
            if inner is not None and any(
                _said(text, posixpath.dirname(path), inner, setting, 1) for setting in _SETTINGS
            ):
                return True
    return False


def _said(
    text: Callable[[str], str | None], folder: str, settings: dict[str, Any], setting: str, depth: int
) -> bool | None:
    """What a configuration says, or the last of those that it extends which says anything."""
    options = settings.get("compilerOptions")
    said = options.get(setting) if isinstance(options, dict) else None
    if isinstance(said, bool):
        return said
    extended = settings.get("extends")
    for parent in reversed(extended) if isinstance(extended, list) else [extended]:
        for path in _files(folder, parent) if depth < _MAX_DEPTH else ():
            inner = read_json(text(path))
            if inner is not None:
                said = _said(text, posixpath.dirname(path), inner, setting, depth + 1)
                if said is not None:
                    return said
                break
    return None


def _files(folder: str, named: object) -> Iterable[str]:
    """The files that a configuration may mean by a path."""
    if not isinstance(named, str) or not named.startswith("."):
        return ()
    target = posixpath.normpath(posixpath.join(folder, named))
    return (target,) if target.endswith(".json") else (f"{target}.json", f"{target}/{_CONFIGURATION}")
