"""JavaScript and TypeScript: whether a configuration tells what may be missing from what is there."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from cuedeck.code.languages.ecmascript_packages import read_json

_CONFIGURATION: Final = "tsconfig.json"
_MAX_DEPTH: Final = 10
# The first decides where it is given.
_STRICT: Final = ("strictNullChecks", "strict")
_EXACT: Final = "exactOptionalPropertyTypes"


class Configurations:
    """What configurations say of the files below them, with those that they extend."""

    def __init__(
        self,
        text: Callable[[str], str | None],
        packages: Mapping[str, str],
        known: dict[str, tuple[bool, bool]],
    ) -> None:
        self._text = text
        self._packages = packages
        self._known = known

    def counts_nothing(self, folder: str) -> tuple[bool, bool]:
        """Whether ``undefined`` is a type of its own; whether it is one of what a member holds then."""
        if folder not in self._known:
            self._known[folder] = self._nearest(folder)
        return self._known[folder]

    def _nearest(self, folder: str) -> tuple[bool, bool]:
        settings = read_json(self._text(posixpath.join(folder, _CONFIGURATION)))
        if settings is None:
            return self.counts_nothing(posixpath.dirname(folder)) if folder else (False, False)
        for place, each in self._meant(folder, settings):
            said = [self._said(place, each, setting) for setting in _STRICT]
            strict = next((value for value in said if value is not None), False)
            if strict:
                return True, not self._said(place, each, _EXACT)
        return False, False

    def _meant(self, folder: str, settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """A configuration, and those that it refers to: one that only lists others says nothing itself."""
        yield folder, settings
        listed = settings.get("references")
        for each in listed if isinstance(listed, list) else ():
            for path in self._files(folder, each.get("path") if isinstance(each, dict) else None):
                inner = read_json(self._text(path))
                if inner is not None:
                    yield posixpath.dirname(path), inner

    def _said(self, folder: str, settings: dict[str, Any], setting: str, depth: int = 0) -> bool | None:
        """What a configuration says, or the last of those that it extends which says anything."""
        options = settings.get("compilerOptions")
        said = options.get(setting) if isinstance(options, dict) else None
        if isinstance(said, bool) or depth > _MAX_DEPTH:
            return said if isinstance(said, bool) else None
        extended = settings.get("extends")
        for parent in reversed(extended) if isinstance(extended, list) else [extended]:
            files = [(path, read_json(self._text(path))) for path in self._files(folder, parent)]
            known = next(((path, inner) for path, inner in files if inner is not None), None)
            if known is not None:
                said = self._said(posixpath.dirname(known[0]), known[1], setting, depth + 1)
            elif isinstance(parent, str) and not parent.startswith("."):
                # What packages offer to be extended is strict, almost without exception.
                said = True if setting in _STRICT else None
            if isinstance(said, bool):
                return said
        return None

    def _files(self, folder: str, named: object) -> tuple[str, ...]:
        """The files that a configuration may mean by a path, or by the name of a package of the project."""
        if not isinstance(named, str):
            return ()
        if not named.startswith("."):
            parts = named.split("/")
            count = 2 if named.startswith("@") else 1
            package = self._packages.get("/".join(parts[:count]))
            if package is None:
                return ()
            folder, named = package, "/".join(parts[count:]) or "."
        target = posixpath.normpath(posixpath.join(folder, named))
        return (target,) if target.endswith(".json") else (f"{target}.json", f"{target}/{_CONFIGURATION}")
