"""Files a task touches: when two claims on them would collide."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from cuedeck.model.errors import invalid
from cuedeck.model.text import checked

MAX_PATH = 4096


def checked_paths(field: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Workspace-relative paths, folders or patterns with ``*``; what leads outside is refused."""
    found = tuple(dict.fromkeys(checked(field, path, longest=MAX_PATH) for path in paths))
    for path in found:
        plain = _plain(path)
        if plain.startswith(("/", "../")) or plain == ".." or re.match(r"[A-Za-z]:", plain):
            raise invalid(field, "paths inside the workspace", path)
    return found


class Held:
    """Paths and who holds them, found by folder: thousands of tasks ask about hundreds of holders."""

    def __init__(self, files: Iterable[Iterable[str]]) -> None:
        self._at: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._below: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for holder, paths in enumerate(files):
            for path in map(_plain, paths):
                fixed, *above = _upwards(_fixed_part(path))
                self._at[fixed].append((holder, path))
                for folder in above:
                    self._below[folder].append((holder, path))

    def collision(self, mine: Sequence[str]) -> tuple[int, str] | None:
        """The first holder of a path equal to, inside or around one of these, and the first such of these."""
        found = [(holder, place) for place, path in enumerate(mine) for holder in self._holders(_plain(path))]
        if not found:
            return None
        holder, place = min(found)
        return holder, mine[place]

    def _holders(self, path: str) -> Iterator[int]:
        """Those that collide, the first of each folder: fixed parts of what collides lie in one another."""
        fixed = _fixed_part(path)
        for near in (self._below.get(fixed, ()), *(self._at.get(folder, ()) for folder in _upwards(fixed))):
            yield from islice((holder for holder, other in near if _overlap(path, other)), 1)


@lru_cache(maxsize=4096)
def _plain(path: str) -> str:
    return posixpath.normpath(path.strip().replace("\\", "/"))


def _overlap(one: str, other: str) -> bool:
    if "*" in one and "*" in other:
        return _nested(_fixed_part(one), _fixed_part(other))
    if "*" in one:
        one, other = other, one
    if "*" in other:
        return _matches(one, other) or _nested_in(_fixed_part(other), one)
    return _nested(one, other)


def _nested(one: str, other: str) -> bool:
    return _nested_in(one, other) or _nested_in(other, one)


def _nested_in(inner: str, outer: str) -> bool:
    return outer == "." or inner == outer or inner.startswith(outer + "/")


def _fixed_part(path: str) -> str:
    """The path itself, or the folder in front of its first wildcard."""
    return posixpath.dirname(path.split("*", 1)[0]) or "." if "*" in path else path


def _upwards(path: str) -> list[str]:
    """A path and the folders it is in."""
    found = [path]
    while (folder := posixpath.dirname(found[-1]) or ".") not in found:
        found.append(folder)
    return found


def _matches(path: str, pattern: str) -> bool:
    """``*`` stays inside a folder, ``**`` crosses folders; a folder that is matched holds its files."""
    return _compiled(pattern).matches(path)


class _Pattern:
    """All places in a pattern where a path can be, a bit each: time is bounded, whatever the stars."""

    def __init__(self, pattern: str) -> None:
        self._next: dict[str, int] = {}  # by character, the places it leads on from
        self._crosses = self._stays = self._may_skip = self._may_skip_two = 0
        self._end = 1
        pattern = re.sub(r"(?:\*{2,}/)+", "**/", re.sub(r"\*{2,}", "**", pattern))
        for part in re.findall(r"\*\*/|\*\*|\*|[^*]", pattern):
            self._add(part)

    def _add(self, part: str) -> None:
        here = self._end
        if part == "**/":
            # No folder at all, or anything and then a slash.
            self._may_skip |= here
            self._may_skip_two |= here
            self._crosses |= here << 1
            self._next["/"] = self._next.get("/", 0) | here << 1
            self._end <<= 2
            return
        if part == "**":
            self._crosses |= here
            self._may_skip |= here
        elif part == "*":
            self._stays |= here
            self._may_skip |= here
        else:
            self._next[part] = self._next.get(part, 0) | here
        self._end <<= 1

    def matches(self, path: str) -> bool:
        at = self._skipped(1)
        for character in path:
            if at & self._end and character == "/":
                return True
            loops = self._crosses if character == "/" else self._crosses | self._stays
            at = self._skipped((at & loops) | (at & self._next.get(character, 0)) << 1)
        return bool(at & self._end)

    def _skipped(self, at: int) -> int:
        while (more := at | (at & self._may_skip) << 1 | (at & self._may_skip_two) << 2) != at:
            at = more
        return at


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Pattern:
    return _Pattern(pattern)
