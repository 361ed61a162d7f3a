"""What changed between two commits, symbol by symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import itemgetter
from typing import Final

from cuedeck.code.facts import Key, Kind
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


def compare(before: FileSymbols | None, after: FileSymbols | None) -> list[SymbolChange]:
    """The symbols of one file that differ, matched by kind, name and order."""
    old = before.outline.hashed if before is not None else {}
    new = after.outline.hashed if after is not None else {}
    differing = {key for key, _ in old.items() ^ new.items()}
    changes: list[SymbolChange] = []
    if before is not None:
        for key, was in _placed(before, differing):
            if after is None or key not in new:
                changes.append(SymbolChange("deleted", before.record(was), None))
                continue
            now = after.outline.numbers[key]
            same = before.outline.definitions[was].shape == after.outline.definitions[now].shape
            changes.append(SymbolChange("modified", before.record(was), after.record(now), same))
    if after is not None:
        added = _placed(after, differing - old.keys())
        changes += [SymbolChange("added", None, after.record(now)) for _, now in added]
    return changes


def _placed(side: FileSymbols, keys: Iterable[Key]) -> list[tuple[Key, int]]:
    """Those of the symbols that a side has, in their order."""
    numbers = side.outline.numbers
    return sorted(((key, numbers[key]) for key in keys if key in numbers), key=itemgetter(1))


@dataclass(frozen=True, slots=True)
class Sameness:
    """What two symbols have in common that are one; None for a symbol of which it says nothing."""

    key: Callable[[SymbolRecord], object | None]
    # Says nothing where several symbols of one side have it in common.
    only_one: bool = False


def with_moves(
    changes: list[SymbolChange],
    samenesses: Iterable[Sameness],
    words: Callable[[SymbolRecord], frozenset[bytes]],
) -> list[SymbolChange]:
    """Pair deleted with added symbols that are the same one elsewhere or under another name."""
    added = [n for n, change in enumerate(changes) if change.change == "added"]
    deleted = [n for n, change in enumerate(changes) if change.change == "deleted"]
    if not added or not deleted:
        return changes
    pairs: dict[int, int] = {}
    for sameness in samenesses:
        _pair(changes, added, deleted, pairs, sameness)
    _pair_similar(changes, added, deleted, pairs, words)
    result = list(changes)
    for new, old in pairs.items():
        result[new] = replace(result[new], moved_from=changes[old].before)
        result[old] = replace(result[old], moved_to=changes[new].after)
    return result


def moved(record: SymbolRecord) -> object:
    """What a symbol is that stands elsewhere as it was."""
    return (record.language, _family(record), record.name, record.content)


def _family(record: SymbolRecord) -> str:
    """A kind, where a function that leaves its class, or enters one, is still what it was."""
    return Kind.FUNCTION if record.kind == Kind.METHOD else record.kind


def _pair(
    changes: list[SymbolChange],
    added: Iterable[int],
    deleted: Iterable[int],
    pairs: dict[int, int],
    sameness: Sameness,
) -> None:
    taken = set(pairs.values())
    waiting = _keyed(changes, (old for old in deleted if old not in taken), sameness.key)
    coming = _keyed(changes, (new for new in added if new not in pairs), sameness.key)
    for key, news in coming.items():
        olds = waiting.get(key, [])
        if not sameness.only_one or len(news) == len(olds) == 1:
            pairs.update(zip(news, olds, strict=False))


def _keyed(
    changes: list[SymbolChange], numbers: Iterable[int], key: Callable[[SymbolRecord], object | None]
) -> dict[object, list[int]]:
    found: dict[object, list[int]] = {}
    for number in numbers:
        if (said := key(changes[number].shown)) is not None:
            found.setdefault(said, []).append(number)
    return found


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
    """Edited moves: the most alike of one family."""
    taken = set(pairs.values())
    news = [n for n in added if n not in pairs]
    olds = [n for n in deleted if n not in taken]
    comparable = _comparable(changes, news, olds)
    shown = {number: changes[number].shown for number in sorted({*chain(*comparable)})}
    said = {number: words(record) for number, record in shown.items()}
    scored = []
    for new, old in comparable:
        mine, theirs = said[new], said[old]
        few, many = (len(mine), len(theirs)) if len(mine) < len(theirs) else (len(theirs), len(mine))
        if few < (_ALIKE - _SAME_NAME) * many:
            continue
        given = _SAME_NAME if shown[new].name == shown[old].name else 0.0
        score = likeness(theirs, mine) + given if few >= (_ALIKE - given) * many else 0.0
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
    for attributes in ((),) if few else (("name",), ("path",)):
        blocks: dict[object, tuple[list[int], list[int]]] = {}
        for side, numbers in enumerate((news, olds)):
            for number in numbers:
                record = changes[number].shown
                key = _family(record), *(getattr(record, attribute) for attribute in attributes)
                blocks.setdefault(key, ([], []))[side].append(number)
        for mine, theirs in blocks.values():
            if len(mine) <= _MAX_COMPARED and len(theirs) <= _MAX_COMPARED:
                found.update(product(mine, theirs))
    return found
