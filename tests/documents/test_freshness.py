"""An edit is in the next answer, with or without the system's hints."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cuedeck.documents.freshness import Freshness
from cuedeck.documents.hints import Hints, open_hints
from cuedeck.documents.index import DocumentIndex, Refreshed
from cuedeck.documents.inotify import InotifyHints
from cuedeck.documents.watchfiles_hints import WatchfilesHints
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store
from cuedeck.store.archive import export_state, import_state


@pytest.fixture
def index(tmp_path: Path) -> Iterator[DocumentIndex]:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("first")
    store = open_store(None, root=root, workspace_id="x")
    yield DocumentIndex(root, store.index)
    store.close()


@pytest.fixture
def freshness(index: DocumentIndex) -> Iterator[Freshness]:
    made = Freshness(index)
    yield made
    made.close()


def until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return condition()


def started(freshness: Freshness) -> Freshness:
    freshness.start()
    assert until(lambda: freshness.watching), freshness.problems()
    return freshness


def paths(index: DocumentIndex) -> set[str]:
    return set(index.markdown_paths())


def test_without_a_watcher_every_answer_looks(index: DocumentIndex, freshness: Freshness) -> None:
    for n in range(5):
        (index.root / f"{n}.md").write_text("x")
        freshness.ensure()
        assert f"{n}.md" in paths(index)


def test_who_asks_during_a_long_first_look_is_told_so(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, refresh = threading.Event(), index.refresh

    def slowly() -> Refreshed:
        assert go_on.wait(30)
        return refresh()

    monkeypatch.setattr(index, "refresh", slowly)
    freshness.start()
    assert not freshness.ensure(patience=0.2)
    go_on.set()
    assert freshness.ensure(patience=None)
    assert paths(index) == {"a.md"}


def test_a_first_look_that_fails_is_told_to_who_asks(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> Refreshed:
        raise CueError(ErrorCode.LOCKED, "The index is locked")

    monkeypatch.setattr(index, "refresh", fails)
    freshness.start()
    with pytest.raises(CueError, match="locked"):
        freshness.ensure(patience=30)


def test_with_a_watcher_the_very_next_answer_knows(index: DocumentIndex, freshness: Freshness) -> None:
    started(freshness)
    for n in range(30):
        (index.root / "a.md").write_text(f"version {n}")
        (index.root / f"n{n}.md").write_text("x")
        freshness.ensure()
        assert index.is_fresh("a.md") or index.stamp("a.md") is not None
        assert f"n{n}.md" in paths(index)
        (index.root / f"n{n}.md").unlink()
        freshness.ensure()
        assert f"n{n}.md" not in paths(index)


def test_files_are_looked_at_again_when_an_archived_index_takes_the_place_of_theirs(
    index: DocumentIndex, freshness: Freshness, tmp_path: Path
) -> None:
    started(freshness).ensure()
    archive = tmp_path / "state.tar.zst"
    export_state(index.root, index.root, archive)
    (index.root / "b.md").write_text("second")
    assert freshness.ensure()
    assert paths(index) == {"a.md", "b.md"}
    import_state(index.root, index.root, archive, lock_timeout=5)
    assert freshness.ensure()
    assert paths(index) == {"a.md", "b.md"}


def test_changes_are_taken_in_without_anyone_asking(index: DocumentIndex, freshness: Freshness) -> None:
    heard: list[Refreshed] = []
    freshness.listen(heard.append)
    started(freshness)
    (index.root / "b.md").write_text("new")
    assert until(lambda: "b.md" in paths(index))
    assert until(lambda: any("b.md" in each.added for each in heard))


def test_new_nested_folders_filled_at_once_are_complete(index: DocumentIndex, freshness: Freshness) -> None:
    started(freshness)
    for n in range(60):
        folder = index.root / f"d{n}" / "e" / "f"
        folder.mkdir(parents=True)
        (folder / "x.md").write_text("x")
    freshness.ensure()
    assert {f"d{n}/e/f/x.md" for n in range(60)} <= paths(index)
    (index.root / "d3" / "e" / "f" / "later.md").write_text("x")
    freshness.ensure()
    assert "d3/e/f/later.md" in paths(index)


def test_folders_moved_in_and_out(index: DocumentIndex, freshness: Freshness, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    for n in range(10):
        (outside / "deep" / f"{n}.md").write_text("x")
    started(freshness)
    outside.rename(index.root / "inside")
    freshness.ensure()
    assert len(paths(index)) == 11
    (index.root / "inside").rename(index.root / "renamed")
    freshness.ensure()
    assert "renamed/deep/3.md" in paths(index)
    assert "inside/deep/3.md" not in paths(index)
    shutil.rmtree(index.root / "renamed")
    freshness.ensure()
    assert paths(index) == {"a.md"}


def test_a_new_ignore_file_and_new_cards_count(index: DocumentIndex, freshness: Freshness) -> None:
    started(freshness)
    (index.root / ".gitignore").write_text("a.md\n")
    (index.root / ".cuedeck" / "cards").mkdir(parents=True)
    (index.root / ".cuedeck" / "cards" / "abc123.md").write_text("x")
    freshness.ensure()
    assert paths(index) == {".cuedeck/cards/abc123.md"}


def test_our_own_writes_do_not_wake_us(index: DocumentIndex, freshness: Freshness) -> None:
    heard: list[Refreshed] = []
    freshness.listen(heard.append)
    started(freshness)
    # The first look ends with a word to everybody.
    assert until(lambda: any(not each.anything for each in heard))
    heard.clear()
    (index.root / ".cuedeck" / "SCENE.md").write_text("scene")
    (index.root / "b.md").write_text("x")
    assert until(lambda: bool(heard))
    time.sleep(0.3)
    assert [(each.added, each.changed) for each in heard] == [(["b.md"], [])]


def test_an_atomic_save_is_a_change(index: DocumentIndex, freshness: Freshness) -> None:
    started(freshness)
    (index.root / "a.md.tmp").write_text("second")
    (index.root / "a.md.tmp").rename(index.root / "a.md")
    freshness.ensure()
    assert paths(index) == {"a.md"}
    assert index.read("a.md") is not None


def test_when_watching_is_impossible_it_says_so_and_looks(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Path) -> Hints:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cuedeck.documents.freshness.open_hints", refuse)
    freshness.start()
    assert until(lambda: freshness.problems() != [])
    assert "cannot be watched" in freshness.problems()[0]
    (index.root / "b.md").write_text("x")
    assert until(lambda: freshness.ensure() and "b.md" in paths(index))


def test_watching_begins_when_it_becomes_possible(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Path] = []

    def refuse_once(root: Path) -> Hints:
        tries.append(root)
        if len(tries) == 1:
            raise OSError(24, "Too many open files")
        return open_hints(root)

    monkeypatch.setattr("cuedeck.documents.freshness.open_hints", refuse_once)
    monkeypatch.setattr("cuedeck.documents.freshness.RECONCILE_SECONDS", 0.1)
    freshness.start()
    assert until(lambda: freshness.watching and freshness.problems() == [])


def test_closing_while_watching_begins_leaves_nothing_open(
    index: DocumentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[InotifyHints] = []
    freshness = Freshness(index)

    def remembered(root: Path) -> Hints:
        opened.append(InotifyHints(root))
        return opened[-1]

    class SetJustAfter(threading.Event):
        """Says that it is not set, and is when it has said so."""

        def is_set(self) -> bool:
            if opened and not super().is_set():
                closing.start()
                until(super().is_set)
                return False
            return super().is_set()

    closing = threading.Thread(target=freshness.close)
    monkeypatch.setattr("cuedeck.documents.freshness.open_hints", remembered)
    monkeypatch.setattr(freshness, "_closing", SetJustAfter())
    freshness.start()
    assert until(lambda: bool(opened) and closing.ident is not None)
    closing.join(10)
    assert opened[0]._inotify.descriptor < 0


def test_whatever_fails_is_told_and_tried_again(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = index.refresh

    def fail(*_args: object) -> Refreshed:
        monkeypatch.setattr(index, "refresh", refresh)
        raise RuntimeError("not foreseen")

    monkeypatch.setattr(index, "refresh", fail)
    freshness.start()
    assert until(lambda: "not foreseen" in " ".join(freshness.problems()))
    assert until(lambda: freshness.watching and freshness.problems() == [])


def test_an_overflowing_queue_is_noticed(index: DocumentIndex) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 50_000:
        pytest.skip("the queue is too long to fill quickly")
    hints = InotifyHints(index.root)
    hints.watch(frozenset([""]))
    (index.root / "b.md").write_text("x")
    for n in range(limit + 100):
        os.utime(index.root / ("a.md" if n % 2 else "b.md"), ns=(n, n))
    assert hints.drain().everything
    hints.close()


@pytest.mark.parametrize("kind", [open_hints, WatchfilesHints])
def test_every_kind_of_hint_names_the_file(index: DocumentIndex, kind: Callable[[Path], Hints]) -> None:
    (index.root / "sub").mkdir()
    hints = kind(index.root)
    hints.watch(frozenset(["", "sub/"]))
    time.sleep(0.3)
    (index.root / "sub" / "b.md").write_text("x")
    seen: set[str] = set()
    assert until(lambda: bool(hints.wait(0.1) and seen.update(hints.drain().files)) or "sub/b.md" in seen)
    hints.close()


@pytest.mark.parametrize("edited", [True, False])
def test_an_index_deleted_under_us_is_filled_again(
    index: DocumentIndex, freshness: Freshness, edited: bool
) -> None:
    started(freshness)
    freshness.ensure()
    shutil.rmtree(index.root / ".cuedeck" / ".cache")
    if edited:
        (index.root / "b.md").write_text("second")
    # Nothing of the workspace may have changed, and the next answer is complete all the same.
    freshness.ensure()
    assert paths(index) == {"a.md", *(["b.md"] if edited else [])}


def test_a_hint_that_could_not_be_taken_in_is_not_forgotten(
    index: DocumentIndex, freshness: Freshness, monkeypatch: pytest.MonkeyPatch
) -> None:
    freshness.start()
    assert until(lambda: freshness.watching)
    assert freshness.ensure()  # the index has made its folder, which is a hint as well

    def locked(*_args: object) -> Refreshed:
        raise CueError(ErrorCode.LOCKED, "Lock Error")

    with monkeypatch.context() as patched:
        patched.setattr(index, "refresh_paths", locked)
        (index.root / "new.md").write_text("x")
        assert until(lambda: freshness.problems() != [])
    assert freshness.ensure()
    assert "new.md" in paths(index)


def test_a_folder_whose_rights_changed_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    hints = InotifyHints(tmp_path)
    hints.watch(frozenset(["", "docs/"]))
    (tmp_path / "docs").chmod(0o700)
    assert hints.drain().folders == {"docs/"}
    hints.close()
