from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from store_sample import opened

from cuedeck.store import open_store
from cuedeck.store.news import News
from cuedeck.store.protocol import Store

OTHER_PROCESS = """
import sys
from pathlib import Path
from cuedeck.store import open_store
root = Path(sys.argv[1])
store = open_store(None, root=root, state_root=root, workspace_id="w", busy_timeout=5.0, pool_size=2)
with store.state.write(actor="other") as session:
    session.upsert("trigger_cursors", {"name": "n", "source": "s", "position": 1}, key=["name"])
"""


@pytest.fixture(scope="module")
def postgres_url(make_database: Callable[[str], str]) -> str:
    """A database where nobody else commits: everyone who listens on it would be told."""
    return make_database(f"news_{uuid.uuid4().hex}")


def sqlite_store(root: Path) -> Store:
    return opened(
        open_store(None, root=root, state_root=root, workspace_id="w", busy_timeout=5.0, pool_size=2)
    )


def commit(store: Store) -> None:
    with store.state.write(actor="t") as session:
        row = {"name": "n", "source": "s", "position": time.monotonic_ns()}
        session.upsert("trigger_cursors", row, key=["name"])


def hearing(news: News) -> News:
    """Wait until commits are heard, and what was told of before is gone."""
    deadline = time.monotonic() + 10
    while not news._bell.ensure():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    while seconds_waited(news, 0.2) < 0.2:
        assert time.monotonic() < deadline
    return news


def seconds_waited(news: News, timeout: float) -> float:
    started = time.monotonic()
    news.wait(timeout)
    return time.monotonic() - started


@pytest.fixture
def told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second looks, so that silence can be told from a wait that is ended in vain."""
    monkeypatch.setattr("cuedeck.store.sqlite.bell.LOOK_AGAIN", ())


@pytest.mark.usefixtures("told_once")
def test_a_commit_ends_the_wait_and_quiet_does_not(store: Store) -> None:
    news = hearing(opened(store).news())
    threading.Timer(0.1, commit, [store]).start()
    assert seconds_waited(news, 30) < 10
    hearing(news)
    assert seconds_waited(news, 0.3) >= 0.3


def test_a_commit_before_the_wait_is_not_missed(store: Store) -> None:
    news = hearing(opened(store).news())
    commit(store)
    assert seconds_waited(news, 30) < 10


def test_every_commit_becomes_visible_to_one_who_sleeps_until_told(store: Store) -> None:
    news = hearing(opened(store).news())
    for _ in range(10):
        since, deadline = store.state.version(), time.monotonic() + 20
        threading.Timer(0.02, commit, [store]).start()
        while store.state.version() == since:
            assert time.monotonic() < deadline
            news.wait(60)


@pytest.mark.usefixtures("told_once")
def test_one_who_is_woken_leaves_the_others_asleep(store: Store) -> None:
    one, other = opened(store).news(), store.news()

    def slept_on() -> bool:
        hearing(one), hearing(other)
        one.wake()
        assert seconds_waited(one, 30) < 10
        return seconds_waited(other, 0.3) >= 0.3

    # What the server tells of an earlier commit may come late, but not every time.
    assert any(slept_on() for _ in range(5))


def test_a_commit_of_another_process_is_heard(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path)
    try:
        news = hearing(opened(store).news())
        subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(tmp_path)], check=True)
        assert seconds_waited(news, 30) < 10
    finally:
        store.close()


def test_where_nothing_can_be_heard_the_wait_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.inotify.sys.platform", "plan9")
    store = sqlite_store(tmp_path)
    try:
        assert seconds_waited(store.news(), 30) < 10
    finally:
        store.close()


def test_a_folder_that_goes_and_comes_back_is_heard_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.store.news.RETRY_SECONDS", 0.05)
    store = sqlite_store(tmp_path)
    try:
        news = hearing(opened(store).news())
        shutil.rmtree(tmp_path / ".cuedeck" / ".cache")
        assert seconds_waited(news, 30) < 10
        with store.index.read():
            pass  # Opens a new file in a new folder.
        hearing(news)
        with store.index.write(actor="t") as session:
            row = {"id": "e", "at": 1, "path": "a.md", "event": "add", "hash": "h"}
            session.insert("document_events", row)
        assert seconds_waited(news, 30) < 10
    finally:
        store.close()


def test_closing_the_store_ends_the_wait(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path)
    news = hearing(opened(store).news())
    threading.Timer(0.1, store.close).start()
    assert seconds_waited(news, 30) < 10


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_listener_that_fails_in_an_unforeseen_way_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.store.news.RETRY_SECONDS", 0.05)
    store = sqlite_store(tmp_path)
    try:
        news = hearing(opened(store).news())
        bell, hear = news._bell, news._bell.hear
        broken = threading.Event()

        def fail() -> None:
            broken.set()
            raise RuntimeError("unforeseen")

        bell.hear = fail  # type: ignore[method-assign]
        shutil.rmtree(tmp_path / ".cuedeck" / ".cache")
        with store.index.read():
            pass  # Listening ends with the old folder, begins again in the new one, and fails.
        assert broken.wait(20)
        deadline = time.monotonic() + 10
        while bell._thread is not None and bell._thread.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        bell.hear = hear  # type: ignore[method-assign]
        hearing(news)
        commit(store)
        assert seconds_waited(news, 30) < 10
    finally:
        store.close()
