"""The gate before SQLite's write lock."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from cuedeck.store.sqlite.turnstile import Turnstile


def test_the_writer_s_note_stands_where_it_is_read_although_another_thread_reads_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lock").write_bytes(b"1".ljust(20))
    gate = Turnstile(tmp_path / "lock")
    reader = threading.Thread(target=gate.holder)
    seek = os.lseek

    def seek_and_be_overtaken(descriptor: int, position: int, origin: int) -> int:
        found = seek(descriptor, position, origin)
        if threading.current_thread() is threading.main_thread() and len(seeks) == 1:
            reader.start()
            reader.join(0.05)
        seeks.append(found)
        return found

    seeks: list[int] = []
    monkeypatch.setattr(os, "lseek", seek_and_be_overtaken)
    gate.leave(writing=True)
    reader.join()
    assert gate.holder() == os.getpid()
    gate.close()
