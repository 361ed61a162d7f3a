"""One filled workspace and one server for all tests of the dashboard."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

sys.path.append(str(Path(__file__).parent / "support"))

from web_demo import Gate, browser_like, fill, make_project, serving, slow_workflow

from cuedeck.workspace import Workspace


@dataclass(frozen=True)
class Demo:
    workspace: Workspace
    address: str
    ids: dict[str, str]
    gate: Gate


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    root = tmp_path_factory.mktemp("web") / "project"
    make_project(root)
    gate = Gate()
    with Workspace.open(root, environ={"HOME": str(root)}) as workspace:
        registry = workspace.workflows.registry
        registry._sources = (*registry._sources, lambda: [slow_workflow(gate)])
        ids = fill(workspace)
        workspace.workflows.start()
        with serving(workspace) as address:
            yield Demo(workspace, address, ids, gate)


@pytest.fixture
def client(demo: Demo) -> Iterator[httpx.Client]:
    entered = browser_like(demo.address)
    yield entered
    entered.close()
