"""When a SQLite file is opened, and what others take away while it is opened or closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from store_sample import Taken, open_sample, sample_schema

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.sqlite.store import SqliteStore


def test_a_log_that_goes_while_the_file_is_opened_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_sample(None, tmp_path, "w").close()
    log = tmp_path / ".cuedeck" / "state.db-wal"
    log.touch(0o644)
    chmod = Path.chmod

    def too_late(path: Path, mode: int) -> None:
        if path == log:
            log.unlink()
        chmod(path, mode)

    monkeypatch.setattr(Path, "chmod", too_late)
    store = open_sample(None, tmp_path, "w")
    assert store.state.check() == []
    store.close()


def test_a_reader_that_is_taken_while_the_file_is_closed_is_not_missed(tmp_path: Path) -> None:
    store = open_sample(None, tmp_path, "w")
    store.index._file._readers = Taken([None])  # type: ignore[attr-defined]
    (tmp_path / ".cuedeck" / ".cache" / "index.db").unlink()
    assert store.index.check() == []
    store.close()


def test_only_the_database_that_is_used_is_opened(tmp_path: Path) -> None:
    def databases() -> set[str]:
        return {path.name for path in tmp_path.rglob("*.db")}

    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=sample_schema)
    assert not databases()
    with store.state.read() as session:
        assert session.value("SELECT count(*) FROM notes") == 0
    assert databases() == {"state.db"}
    with store.index.read() as session:
        assert session.value("SELECT count(*) FROM files") == 0
    assert databases() == {"state.db", "index.db"}
    store.close()


def test_a_damaged_index_does_not_concern_who_reads_the_state(tmp_path: Path) -> None:
    open_sample(None, tmp_path, "w").close()
    index = tmp_path / ".cuedeck" / ".cache" / "index.db"
    index.write_bytes(b"garbage" * 1000)
    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=sample_schema)
    with store.state.read() as session:
        assert session.value("SELECT count(*) FROM notes") == 0
    store.close()
    assert index.read_bytes() == b"garbage" * 1000


def test_a_file_that_was_closed_or_replaced_is_not_written_to(tmp_path: Path) -> None:
    open_sample(None, tmp_path, "w").close()
    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=sample_schema)
    for leave in (lambda _: (tmp_path / ".cuedeck" / "state.db").unlink(), lambda file: file.close()):
        file = store._state.current()
        leave(file)
        with store._state.read():
            pass  # others go on with a new file
        with pytest.raises(CueError) as caught:
            file.begin("a")
        assert caught.value.code is ErrorCode.UNAVAILABLE
    store.close()


def test_an_index_emptied_while_another_uses_it_is_set_aside(tmp_path: Path) -> None:
    first = open_sample(None, tmp_path, "w", busy_timeout=2.0)
    with first.index.write(actor="me") as session:
        session.insert("files", {"path": "a.py"})
    index = tmp_path / ".cuedeck" / ".cache" / "index.db"
    os.truncate(index, 0)
    second = open_sample(None, tmp_path, "w", busy_timeout=2.0)
    with second.index.read() as session:
        assert session.value("SELECT count(*) FROM files") == 0
    assert list(index.parent.glob("index.db.damaged-*"))
    with first.index.write(actor="me") as session:
        session.insert("files", {"path": "b.py"})
    with second.index.read() as session:
        assert session.value("SELECT path FROM files") == "b.py"
    first.close()
    second.close()


def test_a_file_where_the_folder_belongs_is_named(tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").write_text("mine")
    with pytest.raises(CueError, match=r"^\.cuedeck cannot be created") as caught:
        open_sample(None, tmp_path, "w")
    assert "stands where .cuedeck belongs" in str(caught.value.hint)
    assert (tmp_path / ".cuedeck").read_text() == "mine"
