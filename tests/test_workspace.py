from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cuedeck import Workspace
from cuedeck.model.errors import CueError


def test_a_part_is_made_once(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as workspace:
        assert workspace.todos is workspace.todos


def test_a_closed_workspace_opens_nothing_again(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as workspace:
        state = workspace.store.state
    with pytest.raises(CueError, match="closed"), state.read():
        pass
    with pytest.raises(CueError, match="closed"):
        _ = workspace.store


def test_a_part_that_fails_to_close_keeps_no_other_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no")

    workspace = Workspace.open(tmp_path)
    state, housekeeping = workspace.store.state, workspace.housekeeping
    monkeypatch.setattr(type(housekeeping), "close", fail)
    with pytest.raises(OSError, match="no"):
        workspace.close()
    with pytest.raises(CueError, match="closed"), state.read():
        pass
