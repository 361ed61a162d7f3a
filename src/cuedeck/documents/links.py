"""Where a link leads: exact path first, then the shortest path that ends so, then an alias."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from cuedeck.documents.kinds import MARKDOWN_SUFFIXES
from cuedeck.documents.markdown import LinkKind
from cuedeck.store.document_entries import LONGEST_KEY


class Names(Protocol):
    """Looks up which vault files may answer to a name."""

    def named(self, key: str) -> Iterable[str]:
        """Paths whose file name, or name without a markdown suffix, folds to the key."""

    def aliased(self, key: str) -> Iterable[str]:
        """Paths of documents that list the key as an alias."""


@dataclass(slots=True)
class KnownNames:
    """Names held in memory."""

    by_name: dict[str, list[str]] = field(default_factory=dict)
    by_alias: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> KnownNames:
        names = cls()
        for path in paths:
            for key in name_keys(path):
                names.by_name.setdefault(key, []).append(path)
        for path, given in aliases.items():
            for alias in given:
                names.by_alias.setdefault(alias_key(alias), []).append(path)
        return names

    def named(self, key: str) -> Iterable[str]:
        return self.by_name.get(key, ())

    def aliased(self, key: str) -> Iterable[str]:
        return self.by_alias.get(key, ())


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


def target_key(target: str) -> str:
    """The key under which a link's target is looked up."""
    return fold(target.replace("\\", "/").rstrip("/").rpartition("/")[2])[:LONGEST_KEY]


def resolve(kind: LinkKind, target: str, source: str, names: Names) -> str | None:
    """The vault path a link leads to, or nothing."""
    if not target:
        return source
    target = target.replace("\\", "/")
    folder = source.rpartition("/")[0]
    key = target_key(target)
    candidates = list(names.named(key)) if key not in ("", ".", "..") else []
    if kind in (LinkKind.MARKDOWN, LinkKind.IMAGE) or target.startswith(("./", "../")):
        beside = _exact(_joined(folder, target), candidates) if not target.startswith("/") else None
        if beside is not None or target.startswith(("./", "../")):
            return beside
    found = _exact(_joined("", target.lstrip("/")), candidates)
    if found is not None or target.startswith("/"):
        return found
    return _nearest(target, folder, candidates) or _best(names.aliased(alias_key(target)), folder, target)


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


def _exact(path: str | None, candidates: list[str]) -> str | None:
    if path is None:
        return None
    for suffix in ("", *sorted(MARKDOWN_SUFFIXES, key=len)):
        if path + suffix in candidates:
            return path + suffix
    wanted = fold(path)
    return _best((each for each in candidates if wanted in (fold(each), _stem(fold(each)))), "", path)


def _nearest(target: str, folder: str, candidates: list[str]) -> str | None:
    ending = "/" + fold(target)
    folded = ((each, "/" + fold(each)) for each in candidates)
    fitting = (each for each, path in folded if path.endswith(ending) or _stem(path).endswith(ending))
    return _best(fitting, folder, target)


def _stem(path: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    return stem if dot + suffix in MARKDOWN_SUFFIXES else path


def _best(paths: Iterable[str], folder: str, written: str) -> str | None:
    """Below the source's folder first, then in the case as written, then the shortest path."""
    below = f"{folder}/" if folder else ""

    def order(path: str) -> tuple[bool, bool, int, str]:
        same_case = path.endswith(written) or _stem(path).endswith(written)
        return (not path.startswith(below), not same_case, len(path), path)

    return min(paths, key=order, default=None)
