"""The log is private, small, and holds no secrets."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck.daemon.logs import start_log


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    top = logging.getLogger()
    before, level = list(top.handlers), top.level
    yield
    for handler in [each for each in top.handlers if each not in before]:
        top.removeHandler(handler)
        handler.close()
    top.setLevel(level)


def test_private_and_without_secrets(tmp_path: Path) -> None:
    path = start_log(tmp_path, tmp_path / "fallback.log")
    assert path == tmp_path / ".cuedeck/.cache/logs/daemon.log"
    token = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7c"
    try:
        raise ValueError(f"connecting to postgresql://me:hunter2secret@db/x with {token}")
    except ValueError:
        logging.getLogger("x").exception("failed")
    text = path.read_text()
    assert "ValueError" in text and token not in text and "hunter2secret" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_its_folders_are_private_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        start_log(tmp_path, tmp_path / "fallback.log")
    finally:
        os.umask(before)
    for name in (".cuedeck", ".cuedeck/.cache", ".cuedeck/.cache/logs"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700


def test_a_workspace_that_is_gone_does_not_come_back(tmp_path: Path) -> None:
    assert start_log(tmp_path / "gone", tmp_path / "fallback.log") == tmp_path / "fallback.log"
    assert not (tmp_path / "gone").exists()


def test_a_link_that_a_clone_brought_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / ".cuedeck" / ".cache").symlink_to(tmp_path / "outside")
    assert start_log(tmp_path, tmp_path / "fallback.log") == tmp_path / "fallback.log"
    assert list((tmp_path / "outside").iterdir()) == []


def test_it_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuedeck.daemon.logs.MEGABYTE", 10_000)
    path = start_log(tmp_path, tmp_path / "fallback.log")
    for _ in range(60):
        logging.getLogger("x").info("y" * 1000)
    kept = sorted(path.parent.iterdir())
    assert [each.name for each in kept] == ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]
    assert all(each.stat().st_size <= 10_000 for each in kept)
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in kept)


def test_a_planted_symlink_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / ".cuedeck/.cache/logs"
    folder.mkdir(parents=True)
    (folder / "daemon.log").symlink_to(tmp_path / "target")
    path = start_log(tmp_path, tmp_path / "fallback.log")
    logging.getLogger("x").info("hello")
    assert path == tmp_path / "fallback.log" and not (tmp_path / "target").exists()
