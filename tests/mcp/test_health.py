from __future__ import annotations

import os
import resource
import uuid
from pathlib import Path
from typing import Any

import pytest
from mcp_client import open_workspace
from workflow_parts import eventually

from cuedeck import __version__
from cuedeck.documents.query import Mode, Query
from cuedeck.mcp.connection import Connection
from cuedeck.mcp.decks import vault_health
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.runtime import Runtime
from cuedeck.workspace import Workspace


def check(workspace: Workspace, runtime: Runtime | None = None) -> Any:
    options = ConnectionOptions(decks=("vault",))
    connection = Connection(lambda _: workspace, options, runtime or Runtime(), Registry(vault_health.TOOLS))
    entry = connection.selection.find("health_check")
    rendered = connection.perform(entry, {}, None, lambda *_: None, lambda: False)
    assert not rendered.is_error
    assert rendered.structured is not None
    return rendered.structured["data"]


def test_a_good_workspace_is_healthy(workspace: Workspace) -> None:
    runtime = Runtime()
    check(workspace, runtime)
    data = check(workspace, runtime)
    assert data["status"] == "healthy", data
    assert data["components"] == {"shadowCache": True, "workflowEngine": True, "fileSystem": True}
    assert data["version"] == __version__
    assert data["requestCount"] == 2
    assert data["uptime"] >= 0


def test_postgresql_is_probed_too(tmp_path: Path, postgres_url: str) -> None:
    with open_workspace(
        tmp_path, CUEDECK_STORE__URL=postgres_url, CUEDECK_STORE__WORKSPACE=str(uuid.uuid4())
    ) as workspace:
        assert check(workspace)["status"] == "healthy"


def test_a_server_that_is_down_is_unhealthy(tmp_path: Path) -> None:
    down = "postgresql://cuedeck:hunter2@127.0.0.1:1/none?connect_timeout=2"
    with open_workspace(tmp_path, CUEDECK_STORE__URL=down, CUEDECK_STORE__WORKSPACE="x") as workspace:
        data = check(workspace)
    assert data["status"] == "unhealthy"
    assert "hunter2" not in str(data)


def test_checking_leaves_nothing_behind(workspace: Workspace) -> None:
    check(workspace)
    before = sorted(path.name for path in workspace.folder.iterdir())
    version = workspace.store.state.version()
    check(workspace)
    assert sorted(path.name for path in workspace.folder.iterdir()) == before
    assert workspace.store.state.version() == version


def test_a_broken_database_is_unhealthy(tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / ".cuedeck" / "state.db").write_bytes(b"not a database, whatever its name says. " * 500)
    with open_workspace(tmp_path) as workspace:
        data = check(workspace)
    assert data["status"] == "unhealthy"
    assert data["components"]["shadowCache"] is False
    assert data["problems"]["shadowCache"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_an_unwritable_folder_is_degraded(workspace: Workspace) -> None:
    check(workspace)
    workspace.folder.chmod(0o500)
    try:
        data = check(workspace)
    finally:
        workspace.folder.chmod(0o700)
    assert data["components"]["fileSystem"] is False


def test_a_missing_root_is_reported(tmp_path: Path) -> None:
    root = tmp_path / "gone"
    root.mkdir()
    with open_workspace(root) as workspace:
        check(workspace)
        root.rename(tmp_path / "moved")
        data = check(workspace)
    assert data["components"]["fileSystem"] is False
    assert str(tmp_path) not in str(data)


def test_a_journal_that_is_gone_is_degraded(workspace: Workspace) -> None:
    assert check(workspace)["status"] == "healthy"
    with workspace.store.state.write(actor="t") as session:
        session.run("DROP TABLE steps")
        session.run("DROP TABLE runs")
    data = check(workspace)
    assert (data["status"], data["components"]["workflowEngine"]) == ("degraded", False)
    assert "another version" in data["problems"]["workflowEngine"]


def test_triggers_that_cannot_read_are_degraded_until_they_can(workspace: Workspace) -> None:
    workspace.workflows.start()
    with workspace.store.state.write(actor="t") as session:
        session.run("ALTER TABLE trigger_cursors RENAME TO away")
    data = eventually(lambda: (d := check(workspace))["status"] == "degraded" and d)
    assert "Triggers cannot read their sources" in data["problems"]["workflowEngine"]
    with workspace.store.state.write(actor="t") as session:
        session.run("ALTER TABLE away RENAME TO trigger_cursors")
    eventually(lambda: check(workspace)["status"] == "healthy")


def test_a_folder_that_cannot_be_watched_is_degraded(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_text("# A\n")
    workspace.documents.refresh()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Nothing more can be opened, so the kernel refuses to watch.
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        workspace.documents.start()
        eventually(workspace.documents.freshness.problems)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    data = check(workspace)
    assert data["status"] == "degraded"
    assert "cannot be watched (Too many open files)" in data["problems"]["workflowEngine"]
    assert [hit.path for hit in workspace.documents.search(Query("A", mode=Mode.KEYWORD)).hits] == ["a.md"]
