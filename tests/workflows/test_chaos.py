"""Workers killed at random lose nothing, repeat no database effect and strand no run."""

from __future__ import annotations

from pathlib import Path

import pytest
from chaos import chaos

from cuedeck.store.protocol import Dialect, Store


@pytest.mark.timeout(300)
def test_killed_workers_lose_and_repeat_nothing(
    store: Store, tmp_path: Path, workspace_id: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if store.state.dialect is Dialect.POSTGRES else None
    outcome = chaos(store, url=url, root=tmp_path, workspace_id=workspace_id, processes=3, runs=60, kills=8)
    assert outcome.finished >= 60
    assert outcome.kills >= 8
    assert (outcome.repeated_effects, outcome.missing_effects) == (0, 0)
    assert store.state.check() == []
