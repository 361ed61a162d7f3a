"""Where a link leads: exact path first, then the shortest path that ends so, then an alias."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Protocol
from urllib.parse import unquote

from cuedeck.documents.kinds import MARKDOWN_SUFFIXES
from cuedeck.documents.markdown import LinkKind
from cuedeck.store.document_values import LONGEST_KEY

_SUFFIXES = ("", *sorted(MARKDOWN_SUFFIXES, key=len))
# Among more, the choice is remembered.
_FEW = 8


class Namesakes:
    """The vault files that answer to one name, asked by place: there may be thousands of them."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._exact = frozenset(paths)
        self._paths = sorted(self._exact)
        self.only = self._paths[0] if len(self._paths) == 1 else None
        self._chosen: dict[tuple[str, str], str] = {}

    def at(self, path: str | None) -> str | None:
        """The file with that path, with or without its suffix, else the one that differs only in case."""
        if path is None:
            return None
        for suffix in _SUFFIXES:
            if path + suffix in self._exact:
                return path + suffix
        return _best(self._wholes.get(fold(path), ()), path)

    def ending(self, target: str, folder: str) -> str | None:
        """Of the files whose path ends so, the one meant by a source in that folder."""
        wanted = fold(target)
        if len(self._paths) > _FEW:
            return self._choose(self._endings.get(wanted, []), target, folder)
        ends = {path for whole, paths in self._wholes.items() if _ends(whole, wanted) for path in paths}
        return self._choose(sorted(ends), target, folder)

    def any(self, target: str, folder: str) -> str | None:
        """Of all the files, the one meant by a source in that folder."""
        return self._choose(self._paths, target, folder)

    def _choose(self, paths: Sequence[str], target: str, folder: str) -> str | None:
        """What lies below the source's folder comes first."""
        # "0" is the character after "/".
        below = paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")] if folder else ()
        if len(below or paths) <= _FEW:
            return _best(below or paths, target)
        asked = (folder if below else "", target)
        if asked not in self._chosen:
            self._chosen[asked] = min(below or paths, key=partial(_order, target))
        return self._chosen[asked]

    @cached_property
    def _wholes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._paths:
            for name in {fold(path), _stem(fold(path))}:
                found.setdefault(name, []).append(path)
        return found

    @cached_property
    def _endings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for whole, paths in self._wholes.items():
            parts = whole.split("/")
            for start in range(len(parts)):
                found.setdefault("/".join(parts[start:]), []).extend(paths)
        return {ending: sorted(set(paths)) for ending, paths in found.items()}


NOBODY = Namesakes()


class Names(Protocol):
    """Looks up which vault files may answer to a name."""

    def named(self, key: str) -> Namesakes:
        """Files whose name, or name without a markdown suffix, folds to the key."""

    def aliased(self, key: str) -> Namesakes:
        """Documents that list the key as an alias."""


class KnownNames:
    """Names held in memory, as keys with the paths that answer to them."""

    def __init__(self, names: Iterable[tuple[str, str]], aliases: Iterable[tuple[str, str]] = ()) -> None:
        self._names = _grouped(names)
        self._aliases = _grouped(aliases)
        self._made: dict[tuple[str, bool], Namesakes] = {}

    @classmethod
    def of(cls, paths: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> KnownNames:
        """The names and aliases of some files."""
        return cls(
            ((key, path) for path in paths for key in name_keys(path)),
            ((alias_key(alias), path) for path, given in aliases.items() for alias in given),
        )

    def named(self, key: str) -> Namesakes:
        return self._namesakes(key, self._names, alias=False)

    def aliased(self, key: str) -> Namesakes:
        return self._namesakes(key, self._aliases, alias=True)

    def _namesakes(self, key: str, among: Mapping[str, list[str]], *, alias: bool) -> Namesakes:
        if key not in among:
            return NOBODY
        if (key, alias) not in self._made:
            self._made[key, alias] = Namesakes(among[key])
        return self._made[key, alias]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, path in pairs:
        found.setdefault(key, []).append(path)
    return found


def alias_key(alias: str) -> str:
    """The key under which an alias is kept and looked up."""
    return fold(alias)[:LONGEST_KEY]


def fold(text: str) -> str:
    """A name for comparing: composed Unicode, no case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def name_keys(path: str) -> tuple[str, ...]:
    """The keys a file answers to: its name and, for markdown, its name without the suffix."""
    name = fold(path.rpartition("/")[2])
    stem, dot, suffix = name.rpartition(".")
    return (name, stem) if stem and dot + suffix in MARKDOWN_SUFFIXES else (name,)


def page_names(path: str) -> list[str]:
    """The name of a page that no file could have, as Logseq spells it: ``Book___Talk``, ``Why%3F``."""
    if "%" not in path and "___" not in path:
        return []
    written = _stem(path.rpartition("/")[2])
    name = unquote(written.replace("___", "/"), errors="replace")
    return [name] if name != written else []


def target_key(target: str) -> str:
    """The key under which a link's target is looked up."""
    return fold(target.replace("\\", "/").rstrip("/").rpartition("/")[2])[:LONGEST_KEY]


def resolve(kind: LinkKind, target: str, source: str, names: Names) -> str | None:
    """The vault path a link leads to, or nothing."""
    if not target:
        return source
    return _only(target, names) or _resolve(kind, target, source.rpartition("/")[0], names)


def resolver(names: Names) -> Callable[[str, str, str], str | None]:
    """``resolve`` for many links by kind, target and source; in one folder a target is looked for once."""
    known = cache(lambda kind, target, folder: _resolve(kind, target, folder, names))
    anywhere = cache(lambda target: _only(target, names))

    def leads(kind: str, target: str, source: str) -> str | None:
        if not target:
            return source
        return anywhere(target) or known(kind, target, source.rpartition("/")[0])

    return leads


def _only(target: str, names: Names) -> str | None:
    """The one file of that name, where a bare name leads from wherever it is written."""
    return names.named(target_key(target)).only if "/" not in target.replace("\\", "/") else None


def _resolve(kind: str, target: str, folder: str, names: Names) -> str | None:
    target = target.replace("\\", "/")
    key = target_key(target)
    namesakes = names.named(key) if key not in ("", ".", "..") else NOBODY
    if kind in (LinkKind.MARKDOWN, LinkKind.IMAGE) or target.startswith(("./", "../")):
        beside = namesakes.at(_joined(folder, target)) if not target.startswith("/") else None
        if beside is not None or target.startswith(("./", "../")):
            return beside
    found = namesakes.at(_joined("", target.lstrip("/")))
    if found is not None or target.startswith("/"):
        return found
    return namesakes.ending(target, folder) or names.aliased(alias_key(target)).any(target, folder)


def _ends(path: str, ending: str) -> bool:
    return path == ending or path.endswith(f"/{ending}")


def _joined(folder: str, target: str) -> str | None:
    parts: list[str] = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _stem(path: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    return stem if dot + suffix in MARKDOWN_SUFFIXES else path


def _best(paths: Sequence[str], written: str) -> str | None:
    return min(paths, key=partial(_order, written), default=None)


def _order(written: str, path: str) -> tuple[bool, int, str]:
    """In the case as written first, then the shortest path."""
    same_case = path.endswith(written) or _stem(path).endswith(written)
    return not same_case, len(path), path
