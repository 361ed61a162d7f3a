"""Reads git's index file: which tracked files are as git last saw them, and what tree it is made of."""

from __future__ import annotations

import os
import re
import struct
from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

_HEADER: Final = struct.Struct(">4sII")
# Seconds and nanoseconds of the last change of status, and of content; mode, size, blob and flags.
_ENTRY: Final = struct.Struct(">2I2I8xI8xI20sH")
_EXTENDED: Final = 0x4000
_STAGE: Final = 0x3000
_SKIPPED: Final = 0x4000  # in the second flags: skip-worktree
# The trees that git made of the index, the root first, with how many files; -1 where some changed since.
_TREES: Final = re.compile(rb"TREE(?s:.{4})\0(-?\d+) \d+\n")
_OID: Final = 20
_NS: Final = 1_000_000_000


class Tracked(NamedTuple):
    """A tracked file as git last saw it."""

    oid: str
    mtime_ns: int
    size: int
    absent: bool  # sparse checkouts leave tracked files out on purpose
    mode: int  # a folder's, where the index itself is sparse
    ctime_ns: int = 0
    conflict: bool = False  # a merge left it to be decided on, so no state of it is the one git knows


def read_index(git_dir: Path) -> tuple[dict[str, Tracked], int]:
    """Tracked files by path, and when the index was written; nothing when it cannot be read."""
    try:
        # Git replaces the file: the time must be that of the one that was read.
        with (git_dir / "index").open("rb") as file:
            data, written = file.read(), os.fstat(file.fileno()).st_mtime_ns
        return dict(_read(git_dir, data)), written
    except (OSError, struct.error, IndexError, ValueError):
        return {}, 0


def staged_tree(git_dir: Path) -> str | None:
    """The tree that the index was made of or into; nothing once a file was staged since."""
    try:
        data = (git_dir / "index").read_bytes()
    except OSError:
        return None
    # The last that looks like it: names of files come before.
    found = deque(_TREES.finditer(data), maxlen=1)
    if not found or found[0][1].startswith(b"-"):
        return None
    return data[found[0].end() : found[0].end() + _OID].hex()


def _read(git_dir: Path, data: bytes) -> list[tuple[str, Tracked]]:
    mark, version, count = _HEADER.unpack_from(data)
    if mark != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(mark)
    found, end = _entries(data, version, count)
    shared = _extension(data, end, b"link")
    if not shared[:_OID].strip(b"\0"):
        return found
    # A split index names the file that holds most of it, and what is gone or other since.
    below = _read(git_dir, (git_dir / f"sharedindex.{shared[:_OID].hex()}").read_bytes())
    gone, at = _bits(shared, _OID)
    other, _ = _bits(shared, at)
    own = iter(found)
    kept = [
        (path, next(own)[1]) if number in other else (path, entry)
        for number, (path, entry) in enumerate(below)
        if number not in gone
    ]
    return [*kept, *own]


def _extension(data: bytes, at: int, name: bytes) -> bytes:
    """What an extension holds; all stand between the files and a checksum."""
    while at < len(data) - _OID:
        found, size = struct.unpack_from(">4sI", data, at)
        at += 8
        if found == name:
            return data[at : at + size]
        at += size
    return b""


def _bits(data: bytes, at: int) -> tuple[set[int], int]:
    """The numbers of the bits that are set in what git packs as EWAH, and where it ends."""
    if at >= len(data):
        return set(), at
    _, words = struct.unpack_from(">2I", data, at)
    packed = struct.unpack_from(f">{words}Q", data, at + 8)
    found: set[int] = set()
    first = place = 0
    while place < words:
        run, literals = packed[place] >> 1 & 0xFFFFFFFF, packed[place] >> 33
        if packed[place] & 1:
            found.update(range(first, first + run * 64))
        first += run * 64
        for word in packed[place + 1 : place + 1 + literals]:
            found.update(first + bit for bit in range(64) if word >> bit & 1)
            first += 64
        place += 1 + literals
    return found, at + 8 + words * 8 + 4


def _entries(data: bytes, version: int, count: int) -> tuple[list[tuple[str, Tracked]], int]:
    found = []
    at, previous = _HEADER.size, b""
    for _ in range(count):
        start = at
        since, since_ns, seconds, nanoseconds, mode, size, oid, flags = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size
        absent = False
        if flags & _EXTENDED:
            absent = bool(struct.unpack_from(">H", data, at)[0] & _SKIPPED)
            at += 2
        if version == 4:
            strip, at = _offset(data, at)
            end = data.index(b"\0", at)
            name = previous[: len(previous) - strip] + data[at:end]
            at, previous = end + 1, name
        else:
            end = data.index(b"\0", at)
            name = data[at:end]
            at = start + ((end - start) // 8 + 1) * 8
        conflict = bool(flags & _STAGE)
        status = since * _NS + since_ns
        touched = -1 if conflict else seconds * _NS + nanoseconds
        path = name.decode("utf-8", "surrogateescape")
        found.append((path, Tracked(oid.hex(), touched, size, absent, mode, status, conflict)))
    return found, at


def _offset(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    return value, at + 1
