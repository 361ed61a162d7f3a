"""A memory that cites a symbol says so when the symbol changes, and citations lead both ways."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck.citations.following import MOST
from cuedeck.citations.model import Stale, Thing
from cuedeck.mcp.connection import Connection
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.tool import no_progress
from cuedeck.memory.model import Draft, Memory, MemoryType
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tasks.agent_task import TaskDraft, TaskStatus, TaskType
from cuedeck.tasks.cards import CardDraft
from cuedeck.workspace import Workspace

BUCKET = """class TokenBucket:
    def take(self, amount):
        return amount


def refill(bucket):
    return bucket
"""


@pytest.fixture(params=["sqlite", "postgres"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path, workspace_id: str) -> Iterator[Workspace]:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "src/bucket.py").write_text(BUCKET)
    (root / "docs/limits.md").write_text("# Limits\n\n`TokenBucket.take` in src/bucket.py never waits.\n")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git[:3], "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    flags = {"search": {"model": "none"}}
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        flags["store"] = {"url": url, "workspace": workspace_id}
    with Workspace.open(root, environ={}, flags=flags) as opened:
        opened.code.view()
        yield opened


def remember(workspace: Workspace, text: str) -> Memory:
    stored = workspace.memory.store(Draft(type=MemoryType.KNOWLEDGE, content=text), actor="test")
    workspace.citations.note(stored.memory, actor="test")
    return stored.memory


def edit(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.root / "src/bucket.py"
    path.write_text(path.read_text().replace(old, new))


def stale(workspace: Workspace, memory: Memory) -> list[tuple[str, str, str]]:
    found = workspace.citations.stale([memory.id]).get(memory.id, [])
    return [(one.name, one.change, one.now) for one in found]


def test_a_changed_symbol_flags_the_memory_and_its_neighbour_does_not(workspace: Workspace) -> None:
    memory = remember(workspace, "`TokenBucket.take` returns at once; see src/bucket.py.")
    assert stale(workspace, memory) == []
    edit(workspace, "return bucket", "return bucket or None")
    assert stale(workspace, memory) == []
    edit(workspace, "return amount", "return amount + 1")
    assert stale(workspace, memory) == [("bucket::TokenBucket::take", "modified", "src/bucket.py:2")]
    edit(workspace, "return amount + 1", "return amount")
    assert stale(workspace, memory) == []


def test_formatting_is_no_change(workspace: Workspace) -> None:
    memory = remember(workspace, "`TokenBucket.take` returns at once")
    edit(workspace, "take(self, amount)", "take(self,   amount)")
    assert stale(workspace, memory) == []


def test_moved_and_removed_symbols_and_files(workspace: Workspace) -> None:
    memory = remember(workspace, "`refill()` is idempotent, `TokenBucket` is not; docs/limits.md says why")
    (workspace.root / "src/filling.py").write_text("def refill(bucket):\n    return bucket\n")
    edit(workspace, "\n\ndef refill(bucket):\n    return bucket\n", "")
    (workspace.root / "docs/limits.md").unlink()
    assert stale(workspace, memory) == [
        ("docs/limits.md", "removed", ""),
        ("bucket::refill", "moved", "src/filling.py:1"),
    ]
    (workspace.root / "src/bucket.py").unlink()
    assert ("bucket::TokenBucket", "removed", "") in stale(workspace, memory)


def test_a_new_text_is_noted_against_the_code_of_its_time(workspace: Workspace) -> None:
    memory = remember(workspace, "`refill` is idempotent")
    edit(workspace, "return bucket", "return None")
    assert stale(workspace, memory)
    updated = workspace.memory.update(memory.id, {"content": "`refill` gives nothing"}, actor="test").memory
    workspace.citations.note(updated, actor="test")
    assert stale(workspace, memory) == []
    workspace.memory.forget(memory.id, actor="test")
    assert workspace.citations.citing([("bucket::refill", "src/bucket.py")]) == []


def test_a_name_with_two_meanings_is_not_guessed(workspace: Workspace) -> None:
    (workspace.root / "src/other.py").write_text("def refill(other):\n    return other\n")
    memory = remember(workspace, "`refill` is idempotent")
    assert workspace.citations.around(memory.id).cites == ()
    named = remember(workspace, "`src/other.py::refill` is idempotent")
    assert workspace.citations.around(named.id).cites == (Thing("symbol", "other::refill", "src/other.py"),)
    with pytest.raises(CueError) as failure:
        workspace.citations.around("refill")
    assert failure.value.code is ErrorCode.MULTIPLE_MATCHES


def test_what_no_text_can_name_is_refused_by_its_argument(workspace: Workspace) -> None:
    with pytest.raises(CueError) as failure:
        workspace.citations.around("refill\0")
    assert (failure.value.code, failure.value.data["field"]) == (ErrorCode.VALIDATION, "of")


def test_citations_lead_from_every_side(workspace: Workspace) -> None:
    memory = remember(workspace, "`TokenBucket.take` returns at once")
    task = workspace.agent_tasks.create(
        TaskDraft(project="web", name="Make TokenBucket.take wait", type=TaskType.TASK)
    )
    card = workspace.cards.create(
        CardDraft(title="Waiting", description=f"As {memory.id} says, in src/bucket.py.")
    )
    workspace.documents.refresh()

    symbol = workspace.citations.around("src/bucket.py::TokenBucket.take")
    assert {(thing.kind, thing.name) for thing in symbol.cited_by} == {
        ("memory", memory.id),
        ("task", task.id),
        ("file", "docs/limits.md"),
    }
    file = workspace.citations.around("src/bucket.py")
    assert {(thing.kind, thing.name) for thing in file.cited_by} == {
        ("memory", memory.id),
        ("file", "docs/limits.md"),
        ("card", card.id),
    }
    assert {thing.name for thing in workspace.citations.around(memory.id).cited_by} == {card.id}
    assert {thing.name for thing in workspace.citations.around(card.id).cites} == {memory.id, "src/bucket.py"}
    waiting = workspace.agent_tasks.create(
        TaskDraft(project="web", name="Wait", files_readonly=("src/bücket_%.py",), depends_on=(task.id,))
    )
    assert {thing.name for thing in workspace.citations.around(task.id).cited_by} == {waiting.id}
    document = workspace.citations.around("docs/limits.md")
    assert {thing.name for thing in document.cites} == {"bucket::TokenBucket::take", "src/bucket.py"}


def test_a_file_that_metadata_names_is_seen_from_both_ends(workspace: Workspace) -> None:
    draft = Draft(MemoryType.DECISION, "It never waits", metadata={"file": "src/bucket.py", "line": 2})
    memory = workspace.memory.store(draft, actor="test").memory
    workspace.citations.note(memory, actor="test")
    assert [thing.name for thing in workspace.citations.around(memory.id).cites] == ["src/bucket.py"]
    cited_by = workspace.citations.around("src/bucket.py").cited_by
    assert memory.id in [thing.name for thing in cited_by]


def test_a_reflection_and_a_workflows_memory_cite_what_they_speak_of(workspace: Workspace) -> None:
    connection = Connection(lambda _: workspace, ConnectionOptions(decks=("memory",)), Runtime())
    failed = {"output": "", "feedback": "TypeError: `TokenBucket.take` takes 2 arguments\n  src/bucket.py:2"}
    entry = connection.selection.find("reflect")
    told = connection.perform(entry, failed, None, no_progress, lambda: False).structured
    (workspace.root / ".cuedeck/workflows").mkdir(parents=True)
    (workspace.root / ".cuedeck/workflows/learn.toml").write_text(
        '[[steps]]\naction = "store_memory"\nwith = { content = "`TokenBucket.take` never waits" }\n'
    )
    run = workspace.workflows.trigger("learn", {}, wait=True).run
    assert told and run
    take = ("bucket::TokenBucket::take", "src/bucket.py")
    assert set(workspace.citations.citing([take])) == {told["episode_id"], run.result["step1"]["id"]}


def test_a_branch_made_just_now_is_followed_without_indexing_it_first(workspace: Workspace) -> None:
    subprocess.run(["git", "-C", str(workspace.root), "checkout", "-q", "-b", "later"], check=True)
    memory = remember(workspace, "`TokenBucket.take` returns at once")
    edit(workspace, "return amount", "return amount + 1")
    assert stale(workspace, memory) == [("bucket::TokenBucket::take", "modified", "src/bucket.py:2")]


def test_of_very_many_that_cite_a_thing_the_newest_are_shown(workspace: Workspace) -> None:
    made = [remember(workspace, f"number {number}: see src/bucket.py") for number in range(MOST + 1)]
    drafts = {str(n): (TaskDraft("web", f"Task {n} of src/bucket.py"), TaskStatus.PENDING) for n in range(3)}
    workspace.agent_tasks.create_all(drafts, known={})
    around = workspace.citations.around("src/bucket.py")
    shown = [thing.name for thing in around.cited_by]
    assert shown[:MOST] == [memory.id for memory in sorted(made, key=lambda one: one.id)[:0:-1]]
    assert shown[MOST : MOST + 3] == ["web-TASK-003", "web-TASK-002", "web-TASK-001"]
    assert around.to_json()["truncated"] is True
    assert "truncated" not in workspace.citations.around(made[0].id).to_json()


def test_a_stale_citation_in_json() -> None:
    from cuedeck.citations.mentions import Kind

    assert Stale(Kind.SYMBOL, "a::b", "a.py", "removed").to_json() == {
        "kind": "symbol",
        "name": "a::b",
        "path": "a.py",
        "change": "removed",
    }


def test_code_that_is_not_indexed_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def helper_one():\n    pass\n")
    (tmp_path / ".cuedeck").mkdir()
    with Workspace.open(tmp_path, environ={}, flags={"search": {"model": "none"}}) as workspace:
        memory = remember(workspace, "helper_one() helps; a.py")
        assert [thing.name for thing in workspace.citations.around(memory.id).cites] == ["a.py"]
        with pytest.raises(CueError) as failure:
            workspace.citations.around("helper_one")
        assert "cue index" in str(failure.value.hint)
