"""A watch may only say that nothing changed when nothing did."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from cuedeck.tasks.card_folder import CardFolder
from cuedeck.tasks.folder_watch import FolderWatch

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's announcements are Linux's")


@linux
def test_every_kind_of_change_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    watch = FolderWatch(tmp_path)

    def check(change: object) -> None:
        assert watch.quiet()
        change()  # type: ignore[operator]
        assert not watch.quiet()

    check(lambda: (tmp_path / "a.md").write_text("b"))
    check(lambda: (tmp_path / "b.md").write_text("b"))
    check(lambda: (tmp_path / "b.md").replace(tmp_path / "c.md"))
    check(lambda: (tmp_path / "c.md").unlink())
    check(lambda: os.utime(tmp_path / "a.md", (1, 1)))
    with (tmp_path / "a.md").open("a") as file:
        check(lambda: (file.write("x"), file.flush()))


@linux
def test_a_folder_put_in_its_place_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "parent" / "cards"
    folder.mkdir(parents=True)
    watch = FolderWatch(folder)
    assert watch.quiet()
    (tmp_path / "parent").rename(tmp_path / "old")
    assert not watch.quiet()
    folder.mkdir(parents=True)
    assert not watch.quiet()


def test_a_folder_that_is_not_there_is_never_quiet(tmp_path: Path) -> None:
    assert not FolderWatch(tmp_path / "none").quiet()


def test_cards_stay_fresh_while_watched_and_when_their_folder_is_replaced(tmp_path: Path) -> None:
    cards = tmp_path / ".cuedeck" / "cards"
    cards.mkdir(parents=True)
    folder = CardFolder(tmp_path, lock_timeout=1)

    def titles() -> list[str]:
        return [card.title for card in folder.snapshot().cards.values()]

    assert titles() == []
    for number in range(20):
        (cards / "aaaaaa.md").write_text(f"---\ntitle: n{number}\n---\n")
        assert titles() == [f"n{number}"]
        assert titles() == [f"n{number}"]
    cards.rename(tmp_path / "away")
    assert titles() == []
    cards.mkdir()
    (cards / "bbbbbb.md").write_text("---\ntitle: new\n---\n")
    assert titles() == ["new"]
    (cards / "bbbbbb.md").write_text("---\ntitle: newer\n---\n")
    assert titles() == ["newer"]
