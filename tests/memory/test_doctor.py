from __future__ import annotations

from pathlib import Path

import pytest

from cuedeck import Workspace
from cuedeck.memory.doctor import check
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.model.finding import Status


def test_memories_that_wait_for_their_vector_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUEDECK_SEARCH__MODEL", str(tmp_path / "missing.onnx"))
    (tmp_path / ".cuedeck").mkdir()
    with Workspace.open(tmp_path) as workspace:
        assert [finding.status for finding in check(workspace)] == [Status.PASS]
        workspace.memory.store(Draft(MemoryType.KNOWLEDGE, "The kettle is on the left"), actor="t")
        found = list(check(workspace))
    assert found[0].message.startswith("1 memories")
    assert found[1].status is Status.WARN and "1 of 1" in found[1].message
