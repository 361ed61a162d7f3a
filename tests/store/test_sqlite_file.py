"""What another thread or process takes away while a SQLite file is opened or closed."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_sample import Taken, open_sample


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
