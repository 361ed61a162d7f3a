"""The task tools of three decks as a client sees them: the contract's JSON, the contract's errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.decks import context_cards, memory_tasks, todo
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.rendering import RpcError
from cuedeck.mcp.runtime import Runtime
from cuedeck.workspace import Workspace

ME = "123e4567-e89b-12d3-a456-426614174000"
OTHER = "123e4567-e89b-12d3-a456-426614174001"
REGISTRY = Registry((*context_cards.TOOLS, *todo.TOOLS, *memory_tasks.TOOLS), ())


class Client:
    """Calls tools by their listed names and checks every answer against the published schema."""

    def __init__(self, workspace: Workspace, **options: Any) -> None:
        chosen = ConnectionOptions(decks=("context", "todo", "memory"), **options)
        self.connection = Connection(lambda _: workspace, chosen, Runtime(), REGISTRY)
        self.workspace = workspace
        self.meta: dict[str, Any] = {}

    def call(self, name: str, /, **arguments: Any) -> Any:
        entry = self.connection.selection.find(name)
        result = self.connection.perform(entry, arguments, None, lambda *_: None, lambda: False).to_json()
        self.meta = result.get("_meta", {})
        value = json.loads(result["content"][0]["text"])
        if not result["isError"]:
            jsonschema.validate(result["structuredContent"], entry.output_schema)
            structured = result["structuredContent"]
            assert value == (structured["result"] if isinstance(value, list) else structured)
        return value

    def fail(self, name: str, /, **arguments: Any) -> RpcError:
        with pytest.raises(RpcError) as failure:
            self.call(name, **arguments)
        return failure.value


@pytest.fixture
def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Client]]:
    (tmp_path / ".cuedeck").mkdir()
    monkeypatch.setenv("CUEDECK_LIMITS__ENABLED", "false")
    monkeypatch.setenv("CUEDECK_SEARCH__ENABLED", "false")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with Workspace.open(tmp_path) as workspace:
        yield lambda **options: Client(workspace, **options)


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    return connect(user=ME)


def test_a_card_through_the_contracts_life(client: Client) -> None:
    base = client.call("context_create_task", title="Base")
    assert base["path"] == f".cuedeck/cards/{base['id']}.md"
    made = client.call(
        "context_create_task",
        title="Implement login API",
        tags=["auth", "backend"],
        priority="high",
        assignee="@developer",
        depends_on=[base["id"]],
    )
    assert made["metadata"] | {"created": ""} == {
        "title": "Implement login API",
        "status": "todo",
        "priority": "high",
        "assignee": "@developer",
        "tags": ["auth", "backend"],
        "depends_on": [base["id"]],
        "created": "",
    }
    listed = client.call("context_list_tasks", tags=["AUTH"])
    assert [(task["id"], task["priority"], task["assignee"]) for task in listed] == [
        (made["id"], "high", "@developer")
    ]
    deps = client.call("context_get_task_dependencies", id=made["id"])
    assert deps == {
        "task_id": made["id"],
        "type": "dependencies",
        "count": 1,
        "tasks": [{"id": base["id"], "title": "Base", "status": "todo"}],
    }
    assert client.call("context_get_task_dependencies", id=base["id"], reverse=True)["type"] == "dependents"
    updated = client.call(
        "context_update_task", id=made["id"], updates={"status": "active", "priority": "low"}
    )
    assert (updated["status"], updated["updated_fields"]) == ("active", ["status", "priority"])
    assert client.call("context_validate_task_graph") == {
        "valid": True,
        "message": "All task dependencies are valid (no circular dependencies)",
    }
    one = client.call("context_validate_task_graph", id=made["id"])
    assert one == {"valid": True, "task_id": made["id"], "message": "Task dependencies are valid"}


def test_a_cycle_and_a_missing_target_are_told_apart(client: Client, tmp_path: Path) -> None:
    cards = tmp_path / ".cuedeck" / "cards"
    cards.mkdir()
    (cards / "aaaaaa.md").write_text("---\ntitle: a\ndepends_on: [nosuch]\n---\n")
    missing = client.call("context_validate_task_graph")
    assert missing["valid"] is True
    assert missing["missing"] == [{"id": "aaaaaa", "depends_on": ["nosuch"]}]
    (cards / "bbbbbb.md").write_text("---\ntitle: b\ndepends_on: [cccccc]\n---\n")
    (cards / "cccccc.md").write_text("---\ntitle: c\ndepends_on: [bbbbbb]\n---\n")
    (cards / "dddddd.md").write_text("---\ntitle: d\ndepends_on: [cccccc]\n---\n")
    found = client.call("context_validate_task_graph")
    assert found["error"] == "Circular dependency detected: bbbbbb → cccccc → bbbbbb"
    assert client.call("context_validate_task_graph", id="dddddd")["valid"] is False
    assert client.call("context_validate_task_graph", id="aaaaaa")["valid"] is True
    refused = client.fail("context_create_task", title="x", depends_on=["dddddd"])
    assert (refused.code, refused.data["cycle_path"]) == (1002, ["bbbbbb", "cccccc", "bbbbbb"])
    assert "CircularDependency" in refused.message


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("context_create_task", {"title": ""}, 1010),
        ("context_create_task", {"title": "   "}, 1010),
        ("context_create_task", {"title": "x" * 201}, 1010),
        ("context_create_task", {"title": 7}, 1010),
        ("context_create_task", {"title": "x", "priority": "urgent"}, 1010),
        ("context_create_task", {"title": "x", "depends_on": ["NOSUCH"]}, 1010),
        ("context_create_task", {"title": "x", "depends_on": ["nosuch"]}, 1001),
        ("context_create_task", {"title": "x", "colour": "red"}, 1010),
        ("context_create_task", {"title": "x", "tags": [" "]}, 1010),
        ("context_list_tasks", {"status": "open"}, 1010),
        ("context_list_tasks", {"created": "soon"}, 1010),
        ("context_get_task_dependencies", {"id": "nosuch"}, 1001),
        ("context_get_task_dependencies", {"id": "../../x"}, 1010),
        ("context_validate_task_graph", {"id": "nosuch"}, 1001),
        ("context_update_task", {"id": "nosuch", "updates": {"status": "done"}}, 1001),
        ("context_update_task", {"id": "nosuch", "updates": {}}, 1010),
        ("context_update_task", {"id": "nosuch", "updates": {"title": "x"}}, 1010),
        ("context_update_task", {"id": "nosuch", "updates": {"assignee": "x" * 51}}, 1010),
        ("context_update_task", {"id": "nosuch", "updates": {"notes": "x" * 501}}, 1010),
        ("context_update_task", {"id": "abc123\n", "updates": {"status": "done"}}, 1010),
    ],
)
def test_bad_card_input_gets_the_contracts_number(
    client: Client, name: str, arguments: dict[str, Any], code: int
) -> None:
    failure = client.fail(name, **arguments)
    assert failure.code == code
    if code == 1010:
        assert {"field", "expected", "actual"} <= failure.data.keys()


def test_what_is_refused_of_a_change_is_named_as_it_was_given(client: Client) -> None:
    for field, given in {"notes": " ", "assignee": "x" * 51, "status": "open"}.items():
        failure = client.fail("context_update_task", id="nosuch", updates={field: given})
        assert failure.data["field"] == f"updates.{field}"


def test_an_active_card_without_assignee_is_a_warning_beside_the_answer(client: Client) -> None:
    made = client.call("context_create_task", title="x")["id"]
    client.call("context_update_task", id=made, updates={"status": "active"})
    assert client.meta["warnings"][0]["code"] == 1008


def test_unreadable_cards_are_named_beside_the_list(client: Client, tmp_path: Path) -> None:
    cards = tmp_path / ".cuedeck" / "cards"
    cards.mkdir()
    (cards / "aaaaaa.md").write_text("---\ntitle: [\n---\n")
    assert client.call("context_list_tasks") == []
    assert client.meta["unreadable_cards"][0]["path"] == ".cuedeck/cards/aaaaaa.md"


def test_agent_tasks_through_the_contracts_life(client: Client) -> None:
    epic = client.call("memory_create_task", project="CA", name="Epic", type="epic")
    assert (epic["task_id"], epic["status"]) == ("CA-EPIC-001", "pending")
    first = client.call(
        "memory_create_task",
        project="CA",
        name="First",
        priority=1,
        parent="CA-EPIC-001",
        files_exclusive=["src/a.py"],
        suggested_model="opus",
    )
    client.call("memory_create_task", project="CA", name="Second", depends_on=[first["task_id"]])
    assert client.call("memory_get_next_task")["task"]["task_id"] == "CA-TASK-001"
    claimed = client.call("memory_get_next_task", project="CA", claim=True, agent="ann", lease_seconds=60)
    assert (claimed["task"]["status"], claimed["task"]["agent"]) == ("in_progress", "ann")
    nothing = client.call("memory_get_next_task", claim=True, agent="bob")
    assert nothing["task"] is None
    assert "CA-TASK-002 needs CA-TASK-001" in nothing["reason"]
    done = client.call("memory_complete_task", task_id="CA-TASK-001", summary="did it", agent="ann")
    assert (done["status"], done["summary"], done["unblocked"]) == ("done", "did it", ["CA-TASK-002"])
    blocked = client.call("memory_complete_task", task_id="CA-TASK-002", block="no key")
    assert (blocked["status"], blocked["block_reason"]) == ("blocked", "no key")
    assert client.call("memory_complete_task", task_id="CA-TASK-002", release=True)["status"] == "pending"
    tasks = client.call("memory_list_tasks", project="CA", type="task")
    assert [task["name"] for task in tasks] == ["First", "Second"]
    assert client.meta["progress"]["epics"][0] | {"name": ""} == {
        "task_id": "CA-EPIC-001",
        "name": "",
        "pending": 0,
        "in_progress": 0,
        "blocked": 0,
        "done": 1,
        "total": 1,
        "done_share": 1.0,
    }


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("memory_create_task", {"project": "CA"}, "VALIDATION_ERROR"),
        ("memory_create_task", {"project": "C A", "name": "x"}, "VALIDATION_ERROR"),
        ("memory_create_task", {"project": "CA", "name": "x", "priority": 6}, "VALIDATION_ERROR"),
        ("memory_create_task", {"project": "CA", "name": "x", "suggested_model": "x"}, "VALIDATION_ERROR"),
        (
            "memory_create_task",
            {"project": "CA", "name": "x", "depends_on": ["CA-TASK-9"]},
            "VALIDATION_ERROR",
        ),
        ("memory_create_task", {"project": "CA", "name": "x", "parent": "CA-EPIC-9"}, "NOT_FOUND"),
        ("memory_create_task", {"project": "CA", "name": "x", "files_exclusive": ["/x"]}, "VALIDATION_ERROR"),
        ("memory_get_next_task", {"claim": True}, "VALIDATION_ERROR"),
        ("memory_complete_task", {"task_id": "CA-TASK-9"}, "NOT_FOUND"),
        ("memory_complete_task", {"task_id": "x", "block": "a", "release": True}, "VALIDATION_ERROR"),
        ("memory_list_tasks", {"status": "open"}, "VALIDATION_ERROR"),
        ("memory_list_tasks", {"limit": 0}, "VALIDATION_ERROR"),
        ("memory_list_tasks", {"offset": -1}, "VALIDATION_ERROR"),
    ],
)
def test_bad_agent_task_input_gets_the_contracts_code(
    client: Client, name: str, arguments: dict[str, Any], code: str
) -> None:
    failure = client.call(name, **arguments)
    assert failure["code"] == code
    assert isinstance(failure["error"], str)


def test_agent_tasks_are_listed_in_pages_with_their_true_total(client: Client) -> None:
    for number in range(5):
        client.call("memory_create_task", project="AB"[number % 2], name=f"{number}")
    pages = [client.call("memory_list_tasks", project="A", limit=2, offset=skipped) for skipped in (0, 2, 4)]
    assert [[task["name"] for task in page] for page in pages] == [["0", "2"], ["4"], []]
    assert client.meta["total"] == 3
    assert len(client.call("memory_list_tasks")) == client.meta["total"] == 5


def test_an_empty_project_is_none(client: Client) -> None:
    task = client.call("memory_create_task", project="CA", name="x")
    assert client.call("memory_list_tasks", project="") == [task]
    assert client.meta["total"] == 1
    assert client.call("memory_get_next_task", project="")["task"] == task


def test_completing_with_an_episode_marks_it_a_success(client: Client) -> None:
    from cuedeck.memory.memories import Draft
    from cuedeck.memory.model import MemoryType

    draft = Draft(type=MemoryType.EPISODE, content="The test failed", metadata={"outcome": "failure"})
    episode = client.workspace.memory.store(draft, actor="test").memory.id
    task = client.call("memory_create_task", project="CA", name="x")["task_id"]
    unknown = client.call("memory_complete_task", task_id=task, resolved_by="memory:nope")
    assert unknown["code"] == "NOT_FOUND"
    empty = client.call("memory_complete_task", task_id=task, resolved_by="")
    assert (empty["code"], empty["data"]["field"]) == ("VALIDATION_ERROR", "resolved_by")
    assert client.call("memory_list_tasks")[0]["status"] == "pending"
    bare = episode.removeprefix("memory:")
    done = client.call("memory_complete_task", task_id=task, resolved_by=bare)
    assert (done["status"], done["resolved_by"]) == ("done", episode)
    assert client.workspace.memory.peek(episode)[0].metadata["outcome"] == "success"


def test_a_todo_through_the_contracts_life(client: Client) -> None:
    added = client.call("todo_add_task", user_id=ME, title=" buy groceries ", due_date="2026-02-12")
    assert added["success"] is True
    task = added["task"]
    assert task.keys() == {"id", "title", "description", "due_date", "status", "created_at"}
    assert (task["title"], task["description"], task["status"]) == ("buy groceries", None, "incomplete")
    listed = client.call("todo_list_tasks", user_id=ME, status="incomplete")
    assert (listed["count"], listed["total"]) == (1, 1)
    assert listed["tasks"][0] == {**task, "completed_at": None}
    done = client.call("todo_complete_task", user_id=ME, task_title="GROCERIES")
    assert done["task"].keys() == {"id", "title", "status", "completed_at"}
    assert done["task"]["status"] == "complete"
    changed = client.call(
        "todo_update_task", user_id=ME, task_id=task["id"], new_due_date=None, new_description="milk"
    )
    assert (changed["task"]["due_date"], changed["task"]["description"]) == (None, "milk")
    assert client.call("todo_delete_task", user_id=ME, delete_all_completed=True) == {
        "success": True,
        "deleted_count": 1,
        "message": "1 completed task deleted successfully",
    }


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("todo_add_task", {"user_id": ME, "title": " "}, "validation_error"),
        ("todo_add_task", {"user_id": ME, "title": "x", "due_date": "soon"}, "validation_error"),
        ("todo_add_task", {"user_id": ME, "title": "x", "description": "x" * 2001}, "validation_error"),
        ("todo_add_task", {"title": "x"}, "validation_error"),
        ("todo_add_task", {"user_id": OTHER, "title": "x"}, "unauthorized"),
        ("todo_add_task", {"user_id": "me", "title": "x"}, "validation_error"),
        ("todo_list_tasks", {"user_id": ME, "limit": 0}, "validation_error"),
        ("todo_list_tasks", {"user_id": ME, "limit": 101}, "validation_error"),
        ("todo_complete_task", {"user_id": ME}, "validation_error"),
        ("todo_complete_task", {"user_id": ME, "task_id": "x", "task_title": "y"}, "validation_error"),
        ("todo_complete_task", {"user_id": ME, "task_id": OTHER}, "not_found"),
        ("todo_update_task", {"user_id": ME, "task_title": "x"}, "validation_error"),
        ("todo_delete_task", {"user_id": ME, "task_title": "nothing such"}, "not_found"),
        ("todo_delete_task", {"user_id": OTHER, "delete_all_completed": True}, "unauthorized"),
    ],
)
def test_bad_todo_input_gets_the_contracts_word(
    client: Client, name: str, arguments: dict[str, Any], error: str
) -> None:
    failure = client.call(name, **arguments)
    assert (failure["success"], failure["error"]) == (False, error)
    assert isinstance(failure["message"], str)


def test_an_ambiguous_title_lists_the_candidates(client: Client) -> None:
    for title in ("team meeting", "board meeting"):
        client.call("todo_add_task", user_id=ME, title=title)
    failure = client.call("todo_complete_task", user_id=ME, task_title="meeting")
    assert failure["error"] == "multiple_matches"
    assert [match["title"] for match in failure["matches"]] == ["board meeting", "team meeting"]


def test_a_denied_call_is_audited_without_its_content(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.call("todo_add_task", user_id=OTHER, title="secret plan")
    (record,) = [entry for entry in caplog.records if entry.name == "cuedeck.audit"]
    line = json.loads(record.message)
    assert (line["subject"], line["claimed"], line["call"]) == (ME, OTHER, "AddTask")
    assert "secret plan" not in record.message


def test_without_a_local_user_every_todo_call_is_unauthorized(connect: Callable[..., Client]) -> None:
    nobody = connect()
    for name, more in (
        ("add_task", {"title": "x"}),
        ("list_tasks", {}),
        ("delete_task", {"task_title": "x"}),
        ("add_task", {"title": ""}),
        ("update_task", {"unknown": 1}),
    ):
        failure = nobody.call(f"todo_{name}", user_id=ME, **more)
        assert failure["error"] == "unauthorized"
        assert "CUEDECK_USER" in failure["message"]


def test_only_reading_tools_survive_read_only(connect: Callable[..., Client]) -> None:
    reader = connect(user=ME, read_only=True)
    listed = {entry["name"] for entry in reader.connection.selection.listing}
    assert listed == {
        "context_list_tasks",
        "context_get_task_dependencies",
        "context_validate_task_graph",
        "todo_list_tasks",
        "memory_list_tasks",
    }


HOSTILE = [
    "'; DROP TABLE todos; --",
    '" OR ""="',
    "%_\\",
    "${HOME} $(reboot) `id` {{7*7}} <script>alert(1)</script>",
    "../../etc/passwd",
    "---\ntitle: forged\n---",
    "line\r\nbreak\x0b\x0c\x85\u2028",
    "\u202eright to left \u200b\ufeff",
    "😀 漢字 e\u0301 \U0001f468\u200d\U0001f469",
    "\x01\x1b[31m\x7f",
    "nul\0nul",
    "lone \ud800",
    "null",
    "1e999",
    "@everyone !!python/object/apply:os.system ['id']",
    " ",
]


def settled(client: Client, name: str, /, **arguments: Any) -> Any:
    """The answer, or None for a refusal the contract knows; anything else fails the test."""
    try:
        value = client.call(name, **arguments)
    except RpcError as error:
        assert error.code == 1010, error.message
        return None
    if isinstance(value, dict) and ("code" in value or value.get("success") is False):
        word = value.get("code") or value["error"]
        assert word.lower() in ("validation_error", "not_found")
        return None
    return value


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_cards_is_kept_or_refused(client: Client, text: str) -> None:
    for field, value in (("title", text), ("tags", [text]), ("assignee", text)):
        made = settled(client, "context_create_task", **{"title": "plain", field: value})
        if made:
            assert made["metadata"][field] == value
            listed = {task["id"]: task["title"] for task in client.call("context_list_tasks")}
            assert listed[made["id"]] == made["metadata"]["title"]
    card = client.call("context_create_task", title="card")["id"]
    done = settled(client, "context_update_task", id=card, updates={"assignee": text})
    assert done is None or done["assignee"] == text
    settled(client, "context_update_task", id=card, updates={"notes": text})
    assert client.call("context_list_tasks", tags=["plain"]) == []
    assert client.call("context_validate_task_graph")["valid"] is True
    assert "unreadable_cards" not in client.meta


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_agent_tasks_is_kept_or_refused(client: Client, text: str) -> None:
    fields = dict.fromkeys(("name", "description", "project", "parent"), text)
    lists = {name: [text] for name in ("files_exclusive", "files_readonly", "depends_on")}
    for field, value in {**fields, **lists}.items():
        made = settled(client, "memory_create_task", **{"project": "CA", "name": "plain", field: value})
        assert made is None or made[field] == value
    task = client.call("memory_create_task", project="CA", name="x")["task_id"]
    blocked = settled(client, "memory_complete_task", task_id=task, block=text)
    assert blocked is None or blocked["block_reason"] == text
    done = settled(client, "memory_complete_task", task_id=task, summary=text)
    assert done is None or done["summary"] == text
    claimed = settled(client, "memory_get_next_task", claim=True, agent=text)
    assert claimed is None or claimed["task"] is None or claimed["task"]["agent"] == text
    assert {entry["project"] for entry in settled(client, "memory_list_tasks", project=text) or []} <= {text}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_todos_is_kept_or_refused(client: Client, text: str) -> None:
    added = settled(client, "todo_add_task", user_id=ME, title=text, description=text)
    other = client.call("todo_add_task", user_id=ME, title="something else")["task"]["id"]
    if added:
        task = added["task"]
        assert (task["title"], task["description"]) == (text.strip(), text)
        found = client.call("todo_complete_task", user_id=ME, task_title=text)
        assert found["task"]["id"] == task["id"]
        assert client.call("todo_delete_task", user_id=ME, task_title=text)["deleted_count"] == 1
    assert settled(client, "todo_delete_task", user_id=ME, task_title=text) is None
    assert settled(client, "todo_delete_task", user_id=ME, task_id=text) is None
    assert [task["id"] for task in client.call("todo_list_tasks", user_id=ME)["tasks"]] == [other]
