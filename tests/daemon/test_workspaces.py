"""One open workspace for each distinct configuration, also while it is edited."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck.daemon.workspaces import Workspaces


@pytest.fixture
def workspaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspaces]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("cuedeck.daemon.background.DELAY_SECONDS", 0.0)
    (tmp_path / "w/.cuedeck").mkdir(parents=True)
    opened = Workspaces(tmp_path / "w")
    yield opened
    opened.close()


def configure(workspaces: Workspaces, text: str) -> None:
    (workspaces._root / ".cuedeck/config.toml").write_text(text)


def busy() -> bool:
    return any(thread.name == "workflow-triggers" for thread in threading.enumerate())


def test_settings_that_were_changed_and_changed_back_leave_the_work_going_on(workspaces: Workspaces) -> None:
    first = workspaces.get(())
    configure(workspaces, "[core]\ntoken_limit = 777\n")
    second = workspaces.get(())
    assert second.config.core.token_limit == 777
    configure(workspaces, "# as before\n")
    third = workspaces.get(())
    assert third.config == first.config
    (opened,) = workspaces._open
    started = threading.Event()
    for _ in range(500):
        if opened.background._started and busy():
            started.set()
            break
        threading.Event().wait(0.01)
    assert started.is_set()


def test_what_old_settings_opened_is_closed_in_the_end_though_nobody_asks(
    workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.daemon.workspaces.CLOSED_AFTER_SECONDS", 0.01)
    first = workspaces.get(())
    first.store.state.version()
    configure(workspaces, "[core]\ntoken_limit = 777\n")
    workspaces.get(())
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(10)
    assert first._parts == {}
    assert workspaces._retired == []


def test_what_a_client_that_left_was_given_ends_when_others_come_with_other_settings(
    workspaces: Workspaces,
) -> None:
    own = [(("CUEDECK_USER", name),) for name in ("left", "here", "new")]
    opened = []
    for environment in own[:2]:
        opened.append(workspaces.get(environment))
        workspaces.joined(environment)
    workspaces.left(own[0])
    assert workspaces.get(own[0]) is opened[0]
    workspaces.get(own[2])
    assert [each.workspace for _, each in workspaces._retired] == opened[:1]
    assert workspaces.get(own[1]) is opened[1]
