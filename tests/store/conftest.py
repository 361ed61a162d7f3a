"""A store of either kind with the sample domain, and another connection to the same one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_sample import open_sample

from cuedeck.store.protocol import Store


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    if request.param == "sqlite":
        return None
    made: str = request.getfixturevalue("make_database")("sample")
    return made


@pytest.fixture
def open_again(url: str | None, tmp_path: Path, workspace_id: str) -> Iterator[Callable[..., Store]]:
    """Open the same workspace as another process would."""
    opened: list[Store] = []

    def again(workspace: str = workspace_id, busy_timeout: float = 10.0) -> Store:
        opened.append(open_sample(url, tmp_path, workspace, busy_timeout=busy_timeout))
        return opened[-1]

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def sample(open_again: Callable[..., Store]) -> Store:
    return open_again()
