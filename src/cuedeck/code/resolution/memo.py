"""What resolution found, each result with the files it rests on: an edit discards only what it can change."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from sys import getsizeof
from typing import Any, Final
from zlib import crc32

from cuedeck.code.facts import Links, Lists

# Stands for the contents of whatever file, where it cannot be told which were read.
ANY_FILE: Final = ""
# Stands for what no file says: results rest on it that hold only if the project's packages are installed.
ASSUMPTION: Final = "\1"
# Names fall into so many groups: which files hold any of a group counts as one more file.
_NAMES: Final = 512
_NAMING: Final = "\0"
_PLACE: Final = 2
# About how many bytes a result with its key takes, and a set of files beside its bits.
_RESULT: Final = 350
_GROUP: Final = 250


class Memo:
    """Results by key, and the files each rests on as bits, numbered in the order they were first read.

    Two tables, because a pair of both for every result would be one more object for the collector to visit.
    """

    def __init__(self) -> None:
        self.results: dict[Any, Any] = {}
        self.files: dict[Any, int] = {}
        self.weight = 0
        self._bits: dict[str, int] = {}
        self._keys: dict[int, tuple[int, list[Hashable]]] = {}

    def __len__(self) -> int:
        return len(self.results)

    @property
    def paths(self) -> Collection[str]:
        """The files that anything may rest on."""
        return self._bits.keys()

    def bits(self, paths: Iterable[str]) -> int:
        """Files as bits."""
        found = 0
        for path in paths:
            bit = self._bits.get(path)
            if bit is None:
                bit = self._bits[path] = 1 << len(self._bits)
            found |= bit
        return found

    @property
    def assumption(self) -> int:
        """What results have among their bits that rest on an assumption."""
        return self._bits.get(ASSUMPTION, 0)

    def keep(self, key: Hashable, result: Any, files: int) -> None:
        """Remember a result and what it rests on."""
        group = self._keys.get(files)
        if group is None:
            group = self._keys[files] = (files, [])
            self.weight += _GROUP + getsizeof(files)
        group[1].append(key)
        self.results[key] = result
        self.files[key] = group[0]
        self.weight += _RESULT

    def forget(self, paths: Iterable[str]) -> None:
        """Discard what rests on any of these files."""
        gone = self.bits(path for path in paths if path in self._bits)
        if not gone:
            return
        for files in [files for files in self._keys if files & gone]:
            keys = self._keys.pop(files)[1]
            self.weight -= _GROUP + getsizeof(files) + _RESULT * len(keys)
            for key in keys:
                del self.results[key], self.files[key]

    def clear(self) -> None:
        """Discard everything."""
        for table in (self.results, self.files, self._bits, self._keys):
            table.clear()
        self.weight = 0


def naming(name: str) -> str:
    """Stands for the list of files in which a name occurs."""
    return f"{_NAMING}{crc32(name.encode('utf-8', 'surrogatepass')) % _NAMES}"


def is_naming(path: str) -> bool:
    """Whether this stands for names, and not for a file."""
    return path.startswith(_NAMING)


def same_but_for_place(one: Links, other: Links) -> bool:
    """Whether two versions of a file resolve alike: only where things stand differs, not their order."""
    return (
        one.strings == other.strings
        and (one.ops, one.a, one.b) == (other.ops, other.a, other.b)
        and _lists(one.lists) == _lists(other.lists)
        and [c for n, c in enumerate(one.bindings) if n != _PLACE]
        == [c for n, c in enumerate(other.bindings) if n != _PLACE]
        and one.scopes.columns == other.scopes.columns
        and tuple(one.imports) == tuple(other.imports)
        and _order(one) == _order(other)
    )


def _lists(lists: Lists | tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(lists)


def _order(links: Links) -> list[int]:
    """For every expression and binding how many places come before it."""
    places = [*links.pos, *links.bindings[_PLACE]]
    rank = {place: number for number, place in enumerate(sorted(set(places)))}
    return [rank[place] for place in places]
