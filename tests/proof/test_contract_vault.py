"""The vault deck from outside: notes, tags, links, and workflows that really run."""

from __future__ import annotations

import re
import subprocess
import time
from typing import Any

import pytest
from ground import Ground
from outside import CUE, Deck

RUN = re.compile(r"wf_exec_\d{8}_\d{6}_\w+")
BUILT_IN = {
    "file-change-logger",
    "markdown-analyzer",
    "concept-tracker",
    "file-deletion-monitor",
    "proof-daily-digest",
    "proof-task-complete",
    "proof-spec-kit-review",
}
FILE = {"path", "type", "status", "frontmatter", "tags", "created", "modified", "size"}


class VaultDeck(Deck):
    """Every answer and error stands in the contract's envelope."""

    def good(self, name: str, /, **arguments: Any) -> Any:
        value = super().good(name, **arguments)
        assert value["success"] is True
        assert value["metadata"]["executionTime"] >= 0
        self.cache_hit = value["metadata"].get("cacheHit")
        return value["data"]

    def bad(self, name: str, /, **arguments: Any) -> Any:
        value = super().bad(name, **arguments)
        assert value["success"] is False
        assert value["metadata"]["executionTime"] >= 0
        assert isinstance(value["error"], str)
        return value["error"]


@pytest.fixture(scope="module")
def deck(ground: Ground) -> VaultDeck:
    return VaultDeck(ground.door("process", "--decks", "vault"))


def now() -> float:
    return time.time() * 1000


def test_files_with_their_metadata_and_true_totals(deck: VaultDeck) -> None:
    page = deck.good("query_files")
    assert deck.cache_hit is True
    assert page["total"] == len(page["files"]) >= 4
    assert (page["limit"], page["offset"], page["hasMore"]) == (50, 0, False)
    by_path = {file["path"]: file for file in page["files"]}
    note = by_path["docs/tokens.md"]
    assert note.keys() == FILE
    assert (note["type"], note["status"]) == ("concept", "draft")
    assert note["tags"] == ["auth", "inline/tag", "token/refresh"]
    assert now() - 3_600_000 < note["modified"] <= now() + 1000
    assert by_path["README.md"]["frontmatter"] is None
    assert not [path for path in by_path if path.startswith(".")]


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"directory": "docs"}, ["docs/auth.md", "docs/tokens.md"]),
        ({"directory": "docs/"}, ["docs/auth.md", "docs/tokens.md"]),
        ({"directory": "doc"}, []),
        ({"type": "concept"}, ["concepts/graph.md", "docs/tokens.md"]),
        ({"type": "concept", "status": "active"}, ["concepts/graph.md"]),
        ({"tag": "token"}, ["docs/tokens.md"]),
        ({"tag": "auth", "status": "draft"}, ["docs/tokens.md"]),
        ({"tag": "' OR 1=1 --"}, []),
    ],
)
def test_filters_narrow_together(deck: VaultDeck, filters: dict[str, Any], paths: list[str]) -> None:
    page = deck.good("query_files", **filters)
    assert [file["path"] for file in page["files"]] == paths
    assert page["total"] == len(paths)


@pytest.mark.parametrize(
    ("given", "applied"),
    [
        ({"limit": 0}, 1),
        ({"limit": -7}, 1),
        ({"limit": 501}, 500),
        ({"limit": 1e30}, 500),
        ({"limit": 2.9}, 2),
    ],
)
def test_limits_are_clamped(deck: VaultDeck, given: dict[str, Any], applied: int) -> None:
    page = deck.good("query_files", **given, offset=-3)
    assert (page["limit"], page["offset"]) == (applied, 0)
    assert len(page["files"]) == min(applied, page["total"])
    assert deck.good("get_workflow_history", **given)["limit"] == min(applied, 100)
    assert deck.good("search_tags", tag="auth", **given)["count"] == min(applied, 2)


def test_pages_follow_each_other(deck: VaultDeck) -> None:
    everything = [file["path"] for file in deck.good("query_files")["files"]]
    seen: list[str] = []
    more = True
    while more:
        page = deck.good("query_files", limit=2, offset=len(seen))
        seen += [file["path"] for file in page["files"]]
        more = page["hasMore"]
    assert seen == everything
    assert deck.good("query_files", offset=10**9)["files"] == []


def test_one_file_with_its_links(deck: VaultDeck) -> None:
    note = deck.good("get_file", path="./docs/tokens.md")
    assert note.keys() == FILE | {"links"}
    assert note["path"] == "docs/tokens.md"
    assert note["links"] == {
        "outgoing": ["docs/auth.md"],
        "incoming": ["concepts/graph.md", "docs/auth.md"],
        "unresolved": ["nowhere"],
    }
    assert deck.good("get_file", path="concepts/graph.md")["links"]["outgoing"] == ["docs/tokens.md"]


def test_links_by_direction(deck: VaultDeck) -> None:
    links = deck.good("search_links", path="./docs/tokens.md")
    assert links["path"] == "docs/tokens.md"
    assert links["count"] == {"outgoing": 1, "incoming": 2, "total": 3}
    incoming = deck.good("search_links", path="docs/tokens.md", direction="incoming")
    assert (incoming["outgoing"], len(incoming["incoming"])) == ([], 2)
    assert deck.good("search_links", path="docs/tokens.md", limit=1)["incoming"] == ["concepts/graph.md"]


def test_content_is_the_file(deck: VaultDeck, ground: Ground) -> None:
    raw = (ground.root / "docs/auth.md").read_bytes()
    assert deck.good("get_file_content", path="docs/auth.md") == {
        "path": "docs/auth.md",
        "content": raw.decode(),
        "size": len(raw),
        "encoding": "utf-8",
    }
    assert deck.cache_hit is False


def test_tags_and_statistics(deck: VaultDeck) -> None:
    found = deck.good("search_tags", tag="auth")
    assert (found["tag"], found["count"]) == ("auth", 2)
    assert found["files"][0].keys() == {"path", "type", "status", "frontmatter", "modified"}
    assert deck.good("search_tags", tag="unheard-of")["files"] == []
    stats = deck.good("get_stats")
    assert stats["totalFiles"] == deck.good("query_files")["total"]
    assert stats["filesByType"]["concept"] == 2
    assert {"tag": "auth", "count": 2} in stats["topTags"]
    assert stats["totalTags"] >= 4
    assert stats["totalLinks"] >= 4
    assert stats["vaultSize"] > 0
    assert stats["lastUpdated"] <= now() + 1000


def test_a_tag_in_the_text_alone_comes_with_an_empty_frontmatter(deck: VaultDeck, ground: Ground) -> None:
    (ground.root / "plain.md").write_text("# Plain\n\n#lonely\n")
    (file,) = deck.good("search_tags", tag="lonely")["files"]
    assert file["frontmatter"] == {}


def test_an_edit_is_seen_at_the_next_question(deck: VaultDeck, ground: Ground) -> None:
    (ground.root / "new.md").write_text("---\ntype: [odd]\nstatus: 3\n---\n[[tokens]]\n")
    note = deck.good("get_file", path="new.md")
    assert isinstance(note["type"], str)
    assert note["status"] == "3"
    assert "new.md" in deck.good("search_links", path="docs/tokens.md")["incoming"]
    (ground.root / "new.md").unlink()
    assert deck.bad("get_file", path="new.md") == "File not found: new.md"
    assert "new.md" not in deck.good("search_links", path="docs/tokens.md")["incoming"]


def test_broken_frontmatter_is_null_and_the_file_stays(deck: VaultDeck, ground: Ground) -> None:
    (ground.root / "broken.md").write_text("---\n: : {{\n---\n# x\n")
    assert deck.good("get_file", path="broken.md")["frontmatter"] is None


@pytest.mark.parametrize("tool", ["get_file", "get_file_content", "search_links"])
def test_paths_that_lead_nowhere_or_out(deck: VaultDeck, ground: Ground, tool: str) -> None:
    (ground.root.parent / "secret.md").write_text("secret")
    link = ground.root / "leads-out.md"
    if not link.is_symlink():
        link.symlink_to(ground.root.parent / "secret.md")
    assert deck.bad(tool, path="none.md").startswith("File not found")
    for path in ("../secret.md", "docs/../../secret.md", "/etc/passwd", "a\0b", "", "leads-out.md"):
        assert deck.bad(tool, path=path).startswith("Invalid path"), path


def test_what_is_not_utf8_is_an_error(deck: VaultDeck, ground: Ground) -> None:
    (ground.root / "latin.md").write_bytes(b"caf\xe9")
    assert "UTF-8" in deck.bad("get_file_content", path="latin.md")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_file", {}),
        ("get_file", {"path": 3}),
        ("query_files", {"limit": "ten"}),
        ("query_files", {"limit": True}),
        ("query_files", {"folder": "docs"}),
        ("search_tags", {"tag": ""}),
        ("search_links", {"path": "docs/auth.md", "direction": "sideways"}),
        ("trigger_workflow", {"workflowId": "markdown-analyzer", "input": []}),
        ("trigger_workflow", {"workflowId": "markdown-analyzer", "async": "yes"}),
        ("list_workflows", {"enabled": 1}),
        ("get_workflow_status", {}),
        ("health_check", {"deep": True}),
    ],
)
def test_mistakes_are_named(deck: VaultDeck, tool: str, arguments: dict[str, Any]) -> None:
    assert deck.bad(tool, **arguments)


def test_the_seven_workflows_are_listed(deck: VaultDeck) -> None:
    listed = deck.good("list_workflows")
    assert listed["count"] == len(listed["workflows"])
    by_id = {workflow["id"]: workflow for workflow in listed["workflows"]}
    assert by_id.keys() >= BUILT_IN
    names = {"id", "name", "description", "enabled", "triggers", "lastExecuted", "executionCount"}
    assert all(names <= workflow.keys() for workflow in listed["workflows"])
    assert "manual" in by_id["markdown-analyzer"]["triggers"]


def test_a_run_is_answered_followed_and_remembered(deck: VaultDeck) -> None:
    started = deck.good("trigger_workflow", workflowId="markdown-analyzer", input={"path": "docs/tokens.md"})
    assert RUN.fullmatch(started["executionId"])
    assert (started["mode"], started["status"]) == ("sync", "completed")
    assert {"workflowId", "workflowName", "duration", "message"} <= started.keys()
    status = deck.good("get_workflow_status", executionId=started["executionId"])
    assert status.keys() >= {
        "executionId",
        "workflowId",
        "status",
        "progress",
        "startTime",
        "endTime",
        "duration",
        "result",
        "error",
    }
    assert (status["status"], status["progress"], status["error"]) == ("completed", 100, None)
    assert status["endTime"] - status["startTime"] == status["duration"]
    assert "nowhere" in str(status["result"])
    history = deck.good("get_workflow_history", workflowId="markdown-analyzer", limit=1)
    assert history["executions"][0]["executionId"] == started["executionId"]
    assert history["total"] >= 1
    (listed,) = [w for w in deck.good("list_workflows")["workflows"] if w["id"] == "markdown-analyzer"]
    assert listed["executionCount"] == history["total"]
    assert listed["lastExecuted"] is not None


def test_asynchronous_runs_end_by_themselves(deck: VaultDeck) -> None:
    started = deck.good("trigger_workflow", workflowId="proof-daily-digest", **{"async": True})
    assert (started["mode"], started["message"]) == ("async", "Workflow execution started")
    deadline = time.monotonic() + 60
    status = deck.good("get_workflow_status", executionId=started["executionId"])
    while status["status"] in ("pending", "running"):
        assert time.monotonic() < deadline
        assert (status["endTime"], status["result"]) == (None, None)
        time.sleep(0.1)
        status = deck.good("get_workflow_status", executionId=started["executionId"])
    assert status["status"] == "completed"


def test_a_missing_file_is_a_failed_run_not_an_error(deck: VaultDeck) -> None:
    failed = deck.good("trigger_workflow", workflowId="markdown-analyzer", input={"path": "none.md"})
    assert failed["status"] == "failed"
    status = deck.good("get_workflow_status", executionId=failed["executionId"])
    assert (status["status"], status["result"]) == ("failed", None)
    assert status["error"]


def test_what_cannot_run_says_why(deck: VaultDeck, ground: Ground) -> None:
    assert deck.bad("trigger_workflow", workflowId="no-such") == "Workflow not found: no-such"
    assert deck.bad("trigger_workflow", workflowId="markdown-analyzer")
    outside = {"path": "../x.md"}
    assert deck.bad("trigger_workflow", workflowId="markdown-analyzer", input=outside).startswith(
        "Invalid path"
    )
    assert deck.bad("get_workflow_status", executionId="wf_exec_0") == "Execution not found: wf_exec_0"
    assert deck.good("get_workflow_history", workflowId="no-such")["executions"] == []


def test_a_disabled_workflow(own_ground: Ground) -> None:
    (own_ground.root / ".cuedeck").mkdir()
    settings = '[workflows."markdown-analyzer"]\nenabled = false\n'
    (own_ground.root / ".cuedeck/config.toml").write_text(settings)
    deck = VaultDeck(own_ground.door("process", "--decks", "vault"))
    asked = {"workflowId": "markdown-analyzer", "input": {"path": "docs/auth.md"}}
    assert deck.bad("trigger_workflow", **asked).startswith("Workflow disabled")
    assert [w["id"] for w in deck.good("list_workflows", enabled=False)["workflows"]] == ["markdown-analyzer"]
    assert len(deck.good("list_workflows", enabled=True)["workflows"]) == 6


def test_a_workflow_that_writes_to_stdout_does_not_disturb_the_conversation(own_ground: Ground) -> None:
    folder = own_ground.root / ".cuedeck/workflows"
    folder.mkdir(parents=True)
    (folder / "loud.py").write_text(
        "import os\nfrom cuedeck.workflows.model import Workflow\n"
        "def loud(context, given):\n    print('LOUD')\n    os.write(1, b'RAW\\n')\n    return 1\n"
        "WORKFLOWS = [Workflow('loud', 'Loud', '', loud)]\n"
    )
    trust = [CUE, "workflow", "trust", ".cuedeck/workflows/loud.py"]
    subprocess.run(trust, cwd=own_ground.root, env=own_ground.environ, check=True, capture_output=True)
    deck = VaultDeck(own_ground.door("process", "--decks", "vault"))
    assert deck.good("trigger_workflow", workflowId="loud")["result"] == 1
    assert deck.good("health_check")["status"] == "healthy"


def test_a_file_change_starts_its_workflows_by_itself(deck: VaultDeck, ground: Ground) -> None:
    before = deck.good("get_workflow_history")["total"]
    (ground.root / "docs/watched.md").write_text("# Watched\n")
    deadline = time.monotonic() + 60
    while deck.good("get_workflow_history")["total"] == before:
        assert time.monotonic() < deadline, "no workflow was started"
        time.sleep(0.2)


def test_health_is_probed(deck: VaultDeck) -> None:
    health = deck.good("health_check")
    assert health["status"] == "healthy"
    assert health["components"] == {"shadowCache": True, "workflowEngine": True, "fileSystem": True}
    assert health["uptime"] > 0
    assert deck.good("health_check")["requestCount"] == health["requestCount"] + 1
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", health["version"])
