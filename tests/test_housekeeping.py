from __future__ import annotations

import time
from pathlib import Path

from cuedeck import Workspace
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.store.changes import KEPT_MS


def test_the_change_log_is_kept_for_ninety_days_and_the_round_made_once_a_day(tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").mkdir()
    with Workspace.open(tmp_path, flags={"search": {"enabled": False}}) as workspace:
        for content in ("old", "new"):
            workspace.memory.store(Draft(MemoryType.KNOWLEDGE, content), actor="t")
        long_ago = time.time_ns() // 1_000_000 - KEPT_MS - 1000
        with workspace.store.state.write(actor="t") as session:
            session.run("UPDATE change_log SET at = :at WHERE seq = 1", at=long_ago)
        assert workspace.housekeeping.run_if_due() == 1
        assert 1 not in [change.seq for change in workspace.store.state.changes(after=0)]
        assert workspace.housekeeping.run_if_due() is None
        assert workspace.memory.stats()["total"] == 2
