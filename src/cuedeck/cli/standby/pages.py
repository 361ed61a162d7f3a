"""Which pages of a loaded program a command writes to, so that a child can copy them before anyone waits."""

from __future__ import annotations

import array
import ctypes
import mmap
import os
import signal
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from cuedeck.cli import main
from cuedeck.discovery import FOLDER

# Together they write to most of what any command writes to.
_TYPICAL = (("search", "word", "--mode", "keyword"), ("workflow", "list"), ("task", "list"))
_SECONDS = 10
_ENTRY = 8
_PRESENT_AND_OWN = 1 << 63 | 1 << 56
_POPULATE_WRITE = 23

Pages = list[tuple[int, int]]


def pages_of_commands() -> Pages:
    """Addresses and lengths, learned by a child that runs some commands in a folder it throws away."""
    received, sent = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(_SECONDS)
            os.close(received)
            with open(sent, "wb") as pipe:  # noqa: PTH123
                pipe.write(array.array("Q", _learned()).tobytes())
        finally:
            os._exit(0)
    os.close(sent)
    with open(received, "rb") as pipe:  # noqa: PTH123
        told = pipe.read()
    os.waitpid(child, 0)
    numbers = array.array("Q")
    numbers.frombytes(told[: len(told) - len(told) % (2 * _ENTRY)])
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def copy_ahead(pages: Pages) -> None:
    """Have the kernel copy them now; what it refuses is copied when it is written to."""
    advise = ctypes.CDLL(None).madvise
    for address, length in pages:
        advise(ctypes.c_void_p(address), ctypes.c_size_t(length), _POPULATE_WRITE)


def _learned() -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FOLDER).mkdir()
        # No settings of the user: they may name a store on a server.
        os.environ["XDG_CONFIG_HOME"] = folder
        for command in _TYPICAL:
            main([*command, "--workspace", folder])  # into nowhere
    for address, length in _own_pages():
        yield address
        yield length


def _own_pages() -> Pages:
    """What this process no longer shares with its parent, of memory that both may write to."""
    found: Pages = []
    with open("/proc/self/pagemap", "rb", buffering=0) as entries:  # noqa: PTH123
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, *_ = line.split()
            if rights.startswith("rw") and rights.endswith("p"):
                begin, end = (int(part, 16) // mmap.PAGESIZE for part in place.split("-"))
                entries.seek(begin * _ENTRY)
                found += _runs(begin, array.array("Q", entries.read((end - begin) * _ENTRY)))
    return found


def _runs(begin: int, entries: array.array[int]) -> Iterator[tuple[int, int]]:
    numbered = enumerate(entries, begin)
    for own, run in groupby(numbered, lambda each: each[1] & _PRESENT_AND_OWN == _PRESENT_AND_OWN):
        if own:
            numbers = [number for number, _ in run]
            yield numbers[0] * mmap.PAGESIZE, len(numbers) * mmap.PAGESIZE
