"""What changed between two commits, symbol by symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from operator import attrgetter
from typing import Final

from cuedeck.code.facts import Outline
from cuedeck.code.formatting import likeness
from cuedeck.code.symbols import FileSymbols, SymbolRecord


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One symbol added, modified or deleted."""

    change: str
    before: SymbolRecord | None
    after: SymbolRecord | None
    formatting_only: bool = False
    moved_from: SymbolRecord | None = None
    moved_to: SymbolRecord | None = None

    @property
    def shown(self) -> SymbolRecord:
        """The record that a reader would look at."""
        record = self.after or self.before
        if record is None:
            raise ValueError("a change has a side")
        return record


@dataclass(frozen=True)
class Side:
    """A file before or after."""

    path: str
    outline: Outline
    layer: str = "base"

    @cached_property
    def symbols(self) -> FileSymbols:
        """Its records."""
        return FileSymbols(self.path, self.outline, self.layer)


def compare(before: Side | None, after: Side | None) -> list[SymbolChange]:
    """The symbols of one file that differ, matched by kind, name and order."""
    old = before.outline.hashed if before is not None else {}
    new = after.outline.hashed if after is not None else {}
    changes: list[SymbolChange] = []
    if before is not None:
        for key, was in old.items():
            now = new.get(key)
            if after is None or now is None:
                changes.append(SymbolChange("deleted", before.symbols.record(was), None))
                continue
            mine, theirs = before.outline.definitions[was], after.outline.definitions[now]
            if mine.content != theirs.content:
                records = before.symbols.record(was), after.symbols.record(now)
                changes.append(SymbolChange("modified", *records, mine.shape == theirs.shape))
    if after is not None:
        changes += [
            SymbolChange("added", None, after.symbols.record(now))
            for key, now in new.items()
            if key not in old
        ]
    return changes


def with_moves(
    changes: list[SymbolChange],
    shape: Callable[[SymbolRecord], bytes | None],
    words: Callable[[SymbolRecord], frozenset[bytes]],
) -> list[SymbolChange]:
    """Pair deleted with added symbols that are the same one elsewhere or under another name."""
    added = [n for n, change in enumerate(changes) if change.change == "added"]
    deleted = [n for n, change in enumerate(changes) if change.change == "deleted"]
    if not added or not deleted:
        return changes
    pairs: dict[int, int] = {}
    for key in (_moved, _renamed(shape)):
        _pair(changes, added, deleted, pairs, key)
    _pair_similar(changes, added, deleted, pairs, words)
    result = list(changes)
    for new, old in pairs.items():
        result[new] = replace(result[new], moved_from=changes[old].before)
        result[old] = replace(result[old], moved_to=changes[new].after)
    return result


def _moved(record: SymbolRecord) -> object:
    return (record.language, record.kind, record.name, record.content)


def _renamed(shape: Callable[[SymbolRecord], bytes | None]) -> Callable[[SymbolRecord], object]:
    def key(record: SymbolRecord) -> object:
        body = shape(record)
        return (
            (record.language, record.kind, body) if body is not None else (record.symbol_id, record.content)
        )

    return key


def _pair(
    changes: list[SymbolChange],
    added: Iterable[int],
    deleted: Iterable[int],
    pairs: dict[int, int],
    key: Callable[[SymbolRecord], object],
) -> None:
    taken = set(pairs.values())
    waiting: dict[object, list[int]] = {}
    for old in deleted:
        if old not in taken:
            waiting.setdefault(key(changes[old].shown), []).append(old)
    for new in added:
        same = waiting.get(key(changes[new].shown)) if new not in pairs else None
        if same:
            pairs[new] = same.pop(0)


_MAX_COMPARED: Final = 60
# A new name needs most words in common, the same name about half of them.
_ALIKE: Final = 0.8
_SAME_NAME: Final = 0.3


def _pair_similar(
    changes: list[SymbolChange],
    added: list[int],
    deleted: list[int],
    pairs: dict[int, int],
    words: Callable[[SymbolRecord], frozenset[bytes]],
) -> None:
    """Edited moves: the most alike of the same kind."""
    taken = set(pairs.values())
    news = [n for n in added if n not in pairs]
    olds = [n for n in deleted if n not in taken]
    comparable = _comparable(changes, news, olds)
    said = {number: words(changes[number].shown) for number in sorted({*chain(*comparable)})}
    scored = []
    for new, old in comparable:
        given = _SAME_NAME if changes[new].shown.name == changes[old].shown.name else 0.0
        mine, theirs = said[new], said[old]
        if min(len(mine), len(theirs)) < (_ALIKE - given) * max(len(mine), len(theirs)):
            continue
        score = likeness(theirs, mine) + given
        if score >= _ALIKE:
            scored.append((-score, new, old))
    for _, new, old in sorted(scored):
        if new not in pairs and old not in taken:
            pairs[new] = old
            taken.add(old)


def _comparable(changes: list[SymbolChange], news: list[int], olds: list[int]) -> set[tuple[int, int]]:
    """Which added symbols to hold against which deleted: all, or those of a name or a file where many."""
    few = len(news) <= _MAX_COMPARED and len(olds) <= _MAX_COMPARED
    found: set[tuple[int, int]] = set()
    for attributes in (("kind",),) if few else (("kind", "name"), ("kind", "path")):
        key = attrgetter(*attributes)
        blocks: dict[object, tuple[list[int], list[int]]] = {}
        for side, numbers in enumerate((news, olds)):
            for number in numbers:
                blocks.setdefault(key(changes[number].shown), ([], []))[side].append(number)
        for mine, theirs in blocks.values():
            if len(mine) <= _MAX_COMPARED and len(theirs) <= _MAX_COMPARED:
                found.update(product(mine, theirs))
    return found
