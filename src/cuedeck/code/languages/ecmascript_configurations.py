"""JavaScript and TypeScript: what ``tsconfig.json`` and its like say, with all that they extend."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from cuedeck.code.languages.ecmascript_packages import most_specific_first, read_json

_CONFIGURATION: Final = "tsconfig.json"
_MAPPING: Final = (_CONFIGURATION, "tsconfig.base.json", "jsconfig.json")
# How many configurations one may extend, and how many it may name.
_MAX_EXTENDED: Final = 50
_MAX_LISTED: Final = 1000
_HERE: Final = "${configDir}"
_BY_NODE: Final = re.compile(r"node(?:\d\d|next)", re.IGNORECASE)

# What frameworks write into configurations that they make and nobody commits, by the end of their paths.
_NUXT: Final = ".nuxt/tsconfig.json"
_MADE: Final[dict[str, dict[str, list[str]]]] = {
    ".svelte-kit/tsconfig.json": {"$lib": ["src/lib"], "$lib/*": ["src/lib/*"]},
    _NUXT: {
        **{key: ["app/*", "src/*", "*"] for key in ("~/*", "@/*")},
        **{key: ["*"] for key in ("~~/*", "@@/*")},
        "#shared/*": ["shared/*"],
    },
}


class Said(NamedTuple):
    """What an option is, and the folder of the configuration that says so."""

    value: Any
    folder: str


Options = dict[str, Said]

# What packages offer to be extended is strict, almost without exception.
_OFFERED: Final[Options] = {"strict": Said(True, "")}


class Mappings(NamedTuple):
    """Where a configuration leads the names of modules."""

    patterns: list[tuple[str, list[str]]]
    root: str | None = None  # the folder in which other names are looked for
    by_node: bool = False  # a module of JavaScript has to name files whole, as Node asks


class Configurations:
    """What configurations say of the files below them."""

    def __init__(self, text: Callable[[str], str | None], package: Callable[[str], str | None]) -> None:
        self._text = text
        self._package = cache(package)  # the folder of a package of the project
        self._mapped: dict[str, list[Mappings]] = {}
        self._strict: dict[str, tuple[bool, bool]] = {}

    def mappings(self, folder: str, nuxt: Container[str]) -> list[Mappings]:
        """Path mappings of the configurations that govern a folder, nearest first."""
        found = [*self.own_mappings(folder, nuxt)]
        while folder:
            folder = posixpath.dirname(folder)
            found += self.own_mappings(folder, nuxt)
        return found

    def own_mappings(self, folder: str, nuxt: Container[str]) -> list[Mappings]:
        """Those of the configurations in a folder itself."""
        if folder not in self._mapped:
            made = [_made(posixpath.join(folder, _NUXT))] if folder in nuxt else []
            said = [*map(self._options, self._mapping(folder)), *made]
            self._mapped[folder] = [mapped for options in said for mapped in _mappings(folder, options)]
        return self._mapped[folder]

    def _mapping(self, folder: str) -> list[str]:
        """The configurations in a folder, with those beside them that they refer to."""
        paths = [path for name in _MAPPING for path in self._meant(posixpath.join(folder, name))]
        return [path for path in dict.fromkeys(paths) if posixpath.dirname(path) == folder]

    def counts_nothing(self, folder: str) -> tuple[bool, bool]:
        """Whether ``undefined`` is a type of its own; whether it is one of what a member holds then."""
        if folder not in self._strict:
            self._strict[folder] = self._nearest(folder)
        return self._strict[folder]

    def _nearest(self, folder: str) -> tuple[bool, bool]:
        paths = self._meant(posixpath.join(folder, _CONFIGURATION))
        if not paths:
            return self.counts_nothing(posixpath.dirname(folder)) if folder else (False, False)
        for options in map(self._options, paths):
            if _is_on(options, "strictNullChecks" if "strictNullChecks" in options else "strict"):
                return True, not _is_on(options, "exactOptionalPropertyTypes")
        return False, False

    def _meant(self, path: str) -> list[str]:
        """A configuration, and those that it refers to: one that only lists others says nothing itself."""
        settings = read_json(self._text(path))
        if settings is None:
            return []
        listed = settings.get("references")
        named = [each.get("path") for each in _listed(listed) if isinstance(each, dict)]
        parts = [self._file(posixpath.dirname(path), name) for name in named if isinstance(name, str)]
        return [path, *(part for part in parts if part is not None)]

    def _options(self, path: str, known: dict[str, Options] | None = None) -> Options:
        """The options of a configuration over those of what it extends, of which the last counts first."""
        known = {} if known is None else known
        if path not in known:
            known[path] = said = Options()
            settings = read_json(self._text(path)) or {}
            folder, extended = posixpath.dirname(path), settings.get("extends")
            for parent in _listed(extended if isinstance(extended, list) else [extended]):
                if isinstance(parent, str) and len(known) < _MAX_EXTENDED:
                    file = self._extended(folder, parent)
                    said |= _unseen(folder, parent) if file is None else self._options(file, known)
            own = settings.get("compilerOptions")
            if isinstance(own, dict):
                said |= {name: Said(value, folder) for name, value in own.items()}
        return known[path]

    def _extended(self, folder: str, named: str) -> str | None:
        """The file that is extended by a path, or by the name of a package of the project."""
        if named.startswith("."):
            return self._file(folder, named)
        parts = named.split("/")
        count = 2 if named.startswith("@") else 1
        package = self._package("/".join(parts[:count]))
        return self._file(package, "/".join(parts[count:])) if package is not None else None

    def _file(self, folder: str, named: str) -> str | None:
        target = posixpath.normpath(posixpath.join(folder, named))
        choices = (target, f"{target}.json", posixpath.join(target, _CONFIGURATION))
        return next((path for path in choices if self._text(path) is not None), None)


def _listed(value: object) -> list[Any]:
    return value[:_MAX_LISTED] if isinstance(value, list) else []


def _unseen(folder: str, parent: str) -> Options:
    """What a configuration says that is not among the files: a framework makes it, or a package offers it."""
    if not parent.startswith("."):
        return _OFFERED
    target = posixpath.normpath(posixpath.join(folder, parent))
    return _made(target if target.endswith(".json") else f"{target}.json")


def _made(path: str) -> Options:
    """The path mappings of a configuration that a framework makes."""
    for ending, paths in _MADE.items():
        if path == ending or path.endswith("/" + ending):
            return {"paths": Said(paths, path[: -len(ending)].rstrip("/"))}
    return {}


def _mappings(folder: str, options: Options) -> Iterator[Mappings]:
    """Where the options of a configuration in a folder lead the names of modules, if they say anything."""
    none = Said(None, folder)
    said, paths = options.get("baseUrl", none), options.get("paths", none)
    root = _place(folder, said.folder, said.value) if isinstance(said.value, str) else None
    base = paths.folder if root is None else root
    patterns = _patterns(paths.value, lambda target: _place(folder, base, target))
    if patterns or root is not None:
        how = options.get("moduleResolution", options.get("module", none)).value
        by_node = isinstance(how, str) and _BY_NODE.fullmatch(how) is not None
        yield Mappings(patterns, root, by_node)


def _place(configured: str, folder: str, path: str) -> str:
    """What a path of a configuration means, or of one that it extends from another folder."""
    inside = path.removeprefix(_HERE)
    return posixpath.normpath(posixpath.join(folder if inside == path else configured, inside.lstrip("/")))


def _patterns(paths: object, placed: Callable[[str], str]) -> list[tuple[str, list[str]]]:
    """Path mappings, the most specific first."""
    if not isinstance(paths, dict):
        return []
    kept = {
        pattern: [placed(target) for target in targets if isinstance(target, str)]
        for pattern, targets in paths.items()
        if isinstance(targets, list)
    }
    return [(pattern, kept[pattern]) for pattern in most_specific_first(kept)]


def _is_on(options: Options, name: str) -> bool:
    return name in options and options[name].value is True
