"""The seven on a real workspace: real files, a real index, real cards, tasks and memories."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workflow_parts import eventually

from cuedeck import Workspace
from cuedeck.documents import doctor as documents_doctor
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tasks.agent_task import TaskDraft
from cuedeck.tasks.card import CardStatus
from cuedeck.tasks.cards import CardChange, CardDraft
from cuedeck.workflows.builtin.contents import restore
from cuedeck.workflows.builtin.daily_digest import merge
from cuedeck.workflows.builtin.spec_review import review
from cuedeck.workflows.journal import execution_id
from cuedeck.workflows.model import NewRun, Run, RunStatus

CONCEPT = (
    "---\ntype: concept\nstatus: draft\ntags: [graph]\n---\n# Topology\n\n"
    "See [[other]] and [[missing]].\n\n- [x] a\n- [ ] b\n"
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "vault"
    for folder in (".cuedeck", "concepts", "specs/login"):
        (root / folder).mkdir(parents=True)
    (root / "concepts/topology.md").write_text(CONCEPT)
    (root / "other.md").write_text("# Other\n\nBack to [[topology]].\n")
    with Workspace.open(root) as opened:
        yield opened


def run(workspace: Workspace, workflow: str, **given: Any) -> Run:
    ended = workspace.workflows.trigger(workflow, given, wait=True).run
    assert ended is not None
    return ended


def result(workspace: Workspace, workflow: str, **given: Any) -> Any:
    ended = run(workspace, workflow, **given)
    assert ended.status is RunStatus.COMPLETED, ended.error
    return ended.result


def test_all_seven_are_listed_in_the_contracts_words(workspace: Workspace) -> None:
    listed = {item.workflow.id: item.workflow.trigger_names for item in workspace.workflows.workflows()}
    assert list(listed)[:7] == [
        "file-change-logger",
        "markdown-analyzer",
        "concept-tracker",
        "file-deletion-monitor",
        "proof-daily-digest",
        "proof-task-complete",
        "proof-spec-kit-review",
    ]
    assert listed["file-change-logger"] == ["manual", "file-change"]


def test_the_analyzer_reads_a_note_and_keeps_its_analysis(workspace: Workspace) -> None:
    found = result(workspace, "markdown-analyzer", path="concepts/topology.md")
    assert found["headings"] == [{"text": "Topology", "level": 1, "line": 6}]
    assert (found["tags"], found["broken_links"]) == (["graph"], ["missing"])
    assert found["links"] == {"outgoing": ["other.md"], "incoming": ["other.md"]}
    assert found["tasks"] == {"done": 1, "open": 1}
    with workspace.store.index.read() as session:
        kept = session.value("SELECT analysis FROM analyses WHERE path = 'concepts/topology.md'")
    assert json.loads(kept) == found


@pytest.mark.parametrize("path", ["../outside.md", "/etc/passwd.md", "a\0.md", "script.py", "", 5, None])
def test_a_path_outside_or_of_the_wrong_type_is_an_error(workspace: Workspace, path: Any) -> None:
    with pytest.raises(CueError) as caught:
        workspace.workflows.trigger("markdown-analyzer", {"path": path}, wait=True)
    assert caught.value.code in (ErrorCode.VALIDATION, ErrorCode.PATH_REFUSED)


@pytest.mark.parametrize("workflow", ["markdown-analyzer", "concept-tracker", "proof-spec-kit-review"])
def test_a_run_that_an_event_started_has_nothing_to_do_when_the_file_is_gone(
    workspace: Workspace, workflow: str
) -> None:
    engine = workspace.workflows
    new = NewRun(execution_id(), workflow, workflow, {"path": "concepts/gone.md"}, trigger="file-change")
    engine.journal.submit_many([new])
    engine.start()
    ended = eventually(lambda: (found := engine.journal.find(new.id)) and found.ended_at and found)
    assert (ended.status, ended.result["skipped"]) == (RunStatus.COMPLETED, "the file is gone")


def test_a_missing_file_is_a_failed_run(workspace: Workspace) -> None:
    for workflow in ("markdown-analyzer", "concept-tracker", "file-change-logger", "proof-spec-kit-review"):
        ended = run(workspace, workflow, path="gone.md")
        assert ended.status is RunStatus.FAILED
        assert "gone.md" in (ended.error or "")


def test_unknown_and_missing_inputs_are_errors(workspace: Workspace) -> None:
    for workflow, given in (
        ("markdown-analyzer", {}),
        ("markdown-analyzer", {"path": "other.md", "x": 1}),
        ("proof-daily-digest", {"date": "yesterday"}),
        ("proof-daily-digest", {"date": "20260101"}),
        ("proof-daily-digest", {"date": "2026-W01-1"}),
        ("proof-daily-digest", {"date": "0001-01-01"}),
        ("proof-daily-digest", {"date": "9999-12-31"}),
        ("proof-daily-digest", {"date": ""}),
    ):
        with pytest.raises(CueError) as caught:
            workspace.workflows.trigger(workflow, given, wait=True)
        assert caught.value.code is ErrorCode.VALIDATION
        assert given or "--path PATH" in (caught.value.hint or "")


def test_a_concept_gets_a_version_only_when_it_changes(workspace: Workspace) -> None:
    first = result(workspace, "concept-tracker", path="concepts/topology.md")
    assert (first["version"], first["new"], first["linked_from"]) == (1, True, ["other.md"])
    assert result(workspace, "concept-tracker", path="concepts/topology.md")["new"] is False
    note = workspace.root / "concepts/topology.md"
    note.write_text(CONCEPT.replace("draft", "active").replace("[[missing]].", "\n\n## Edges"))
    second = result(workspace, "concept-tracker", path="concepts/topology.md")
    assert second["version"] == second["versions"] == 2
    assert second["changes"]["status"] == {"from": "draft", "to": "active"}
    assert second["changes"]["headings"] == {"added": ["Edges"], "removed": []}


def test_a_change_is_a_row_of_the_change_log(workspace: Workspace) -> None:
    found = result(workspace, "file-change-logger", path="other.md", event="change")
    changes = workspace.store.state.changes(after=0, tables=["file_changes"])
    assert [(change.actor, change.op) for change in changes] == [("workflow:file-change-logger", "insert")]
    assert changes[0].after is not None and changes[0].after["sha256"] == found["sha256"]


def test_a_deleted_note_has_its_referrers_named_and_can_be_restored(workspace: Workspace) -> None:
    before = (workspace.root / "other.md").read_bytes()
    result(workspace, "file-change-logger", path="other.md", event="add")
    (workspace.root / "other.md").unlink()
    found = result(workspace, "file-deletion-monitor", path="other.md")
    assert [item["path"] for item in found["referrers"]] == ["concepts/topology.md"]
    assert (found["restorable"], found["restore_from"]) == (True, "kept")
    assert restore(workspace, "other.md") == ("other.md", "kept")
    assert (workspace.root / "other.md").read_bytes() == before


def test_a_deleted_note_nobody_kept_comes_back_from_the_last_commit(workspace: Workspace) -> None:
    root = workspace.root
    for arguments in (
        ["init", "-q"],
        ["add", "other.md"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    (root / "other.md").unlink()
    assert result(workspace, "file-deletion-monitor", path="other.md")["restore_from"] == "commit"
    (root / "concepts/topology.md").unlink()
    assert result(workspace, "file-deletion-monitor", path="concepts/topology.md")["restorable"] is False


def test_a_deletion_that_was_committed_is_undone_from_the_commit_before(workspace: Workspace) -> None:
    root = workspace.root
    before = (root / "other.md").read_bytes()
    named = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        [*named, "commit", "-qm", "x"],
        ["rm", "-q", "other.md"],
        [*named, "commit", "-qm", "y"],
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    assert result(workspace, "file-deletion-monitor", path="other.md")["restore_from"] == "commit"
    assert restore(workspace, "other.md") == ("other.md", "kept")
    assert (root / "other.md").read_bytes() == before


def test_a_finished_card_is_checked_and_says_what_it_frees(workspace: Workspace) -> None:
    first = workspace.cards.create(CardDraft(title="First", description="- [ ] tests pass"))
    second = workspace.cards.create(CardDraft(title="Second", depends_on=(first.id,)))
    workspace.cards.update(first.id, CardChange(status=CardStatus.DONE))
    found = result(workspace, "proof-task-complete", task_id=first.id)
    assert (found["valid"], found["problems"]) == (False, ["Not ticked: tests pass"])
    path = workspace.root / first.path
    path.write_text(path.read_text().replace("[ ]", "[x]"))
    found = result(workspace, "proof-task-complete", task_id=first.id)
    assert (found["valid"], found["unblocked"]) == (True, [second.id])


def test_a_finished_agent_task_unblocks_what_waited_for_it(workspace: Workspace) -> None:
    tasks = workspace.agent_tasks
    first = tasks.create(TaskDraft(project="CA", name="First"))
    second = tasks.create(TaskDraft(project="CA", name="Second", depends_on=(first.id,)))
    tasks.block(second.id, "waits for the first")
    tasks.complete(first.id)
    found = result(workspace, "proof-task-complete", task_id=first.id)
    assert (found["valid"], found["unblocked"]) == (True, [second.id])
    assert tasks.get(second.id).status == "pending"
    assert run(workspace, "proof-task-complete", task_id="CA-TASK-999").status is RunStatus.FAILED


def test_the_digest_is_a_note_of_the_day_and_keeps_a_persons_words(workspace: Workspace) -> None:
    result(workspace, "file-change-logger", path="other.md", event="change")
    workspace.cards.create(CardDraft(title="Write the docs"))
    found = result(workspace, "proof-daily-digest")
    note = workspace.root / found["path"]
    assert "other.md" in note.read_text() and "Write the docs" in note.read_text()
    note.write_text("My own words.\n\n" + note.read_text() + "\nMore of mine.\n")
    workspace.cards.create(CardDraft(title="A second card"))
    result(workspace, "proof-daily-digest")
    text = note.read_text()
    assert text.startswith("My own words.") and text.endswith("More of mine.\n")
    assert "A second card" in text and text.count("<!-- cuedeck:digest") == 1
    assert result(workspace, "proof-daily-digest")["written"] is False


def test_what_a_digest_names_stays_on_its_line_and_leads_somewhere(workspace: Workspace) -> None:
    (workspace.root / "a [b] (c).md").write_text("# Odd\n")
    (workspace.root / "gone.md").write_text("# Gone\n")
    for path in ("a [b] (c).md", "gone.md"):
        run(workspace, "file-change-logger", path=path)
    (workspace.root / "gone.md").unlink()
    run(workspace, "file-change-logger", path="gone.md", event="unlink")
    workspace.memory.store(Draft(MemoryType.KNOWLEDGE, "First line\n\n# no heading of the digest"), actor="t")
    ended = run(workspace, "proof-daily-digest")
    lines = (workspace.root / ended.result["path"]).read_text().splitlines()
    assert r"- changed [a \[b\] (c).md](/a%20%5Bb%5D%20%28c%29.md)" in lines
    assert "- removed `gone.md` (2 times)" in lines
    assert any(line.startswith("- knowledge: First line # no heading of the digest (") for line in lines)
    assert not [
        finding for finding in documents_doctor.check(workspace) if finding.file == ended.result["path"]
    ]


def test_a_concept_may_have_any_frontmatter(workspace: Workspace) -> None:
    (workspace.root / "concepts").mkdir(exist_ok=True)
    (workspace.root / "concepts/x.md").write_text(
        "---\nnan: .nan\ninf: -.inf\nday: 2026-01-02\nat: 2026-01-02T03:04:05Z\nraw: !!binary aGk=\n"
        "set: !!set {a, b}\n1: one\n? [x, y]\n: pair\nbig: 123456789012345678901234567890\n---\n# X\n"
    )
    ended = run(workspace, "concept-tracker", path="concepts/x.md")
    assert ended.status is RunStatus.COMPLETED, ended.error
    (workspace.root / "concepts/x.md").write_text("---\nnan: .nan\nday: 2026-01-03\n---\n# X\n")
    ended = run(workspace, "concept-tracker", path="concepts/x.md")
    assert ended.status is RunStatus.COMPLETED, ended.error
    assert "day" in ended.result["changes"]["frontmatter"]


def test_a_busy_day_is_counted_whole_and_listed_in_part(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.workflows.builtin.daily_digest.MOST_LISTED", 3)
    drafts = [Draft(MemoryType.KNOWLEDGE, f"Fact {number}") for number in range(40)]
    stored = workspace.memory.store_many(drafts, actor="t")
    workspace.memory.update(stored[0].memory.id, {"title": "Told anew"}, actor="t")
    found = result(workspace, "proof-daily-digest")
    assert found["totals"] == {"files": 0, "tasks": 0, "memories": 40}
    assert [memory["title"] for memory in found["memories"]] == ["Told anew", "Fact 1", "Fact 2"]
    text = (workspace.root / found["path"]).read_text()
    assert "40 memories touched" in text and "… and 37 more" in text


def test_a_digest_somebody_edited_is_left_to_them() -> None:
    edited = merge(None, "# Day\n\n- a\n").replace("- a", "- a, and why")
    merged = merge(edited, "# Day\n\n- b\n")
    assert "- a, and why" in merged and "- b" in merged
    assert merge(merged, "# Day\n\n- b\n") == merged


def test_a_specification_is_reviewed_against_the_tasks(workspace: Workspace) -> None:
    (workspace.root / "specs/login/spec.md").write_text(
        "# Login\n\n## User Scenarios\n\nA person signs in.\n\n## Requirements\n\n- **FR-001**: sign in\n"
        "- **FR-001**: again\n- **FR-003**: [NEEDS CLARIFICATION: which provider]\n"
        "\n## Success Criteria\n\n- SC-001: works\n"
        "\n```\nTODO in code is fine\n```\n"
    )
    card = workspace.cards.create(CardDraft(title="Sign in (FR-001)"))
    found = result(workspace, "proof-spec-kit-review", path="specs/login/spec.md")
    kinds = [finding["kind"] for finding in found["findings"]]
    assert found["ready"] is False
    assert found["traceability"]["FR-001"] == [card.id]
    assert (kinds.count("duplicate-id"), kinds.count("open-question"), kinds.count("gap-in-ids")) == (1, 1, 1)


def test_a_complete_specification_is_ready() -> None:
    text = "# S\n## Scenarios\na\n## Requirements\n- FR-001: a\n## Acceptance\nb\n## Scope\nc\n"
    text += "## Edge cases\nd\n"
    assert review(text, {"FR-001": ["abc123"]})["ready"] is True


@pytest.mark.parametrize("text", ["<!--" * 25_000, "```a\n" * 20_000, "\n" * 100_000, "\t" * 100_000])
def test_a_hostile_specification_costs_its_length_only(text: str) -> None:
    assert review(text, {})["open_questions"] == 0


def test_a_review_counts_lines_as_editors_do() -> None:
    text = "# Spec\n\na page\x0cbreak and a\u2028separator\n\n## Empty\n\n## Scope\n\nTODO\n"
    found = {(one["kind"], one["line"]) for one in review(text, {})["findings"] if one["line"]}
    assert found == {("empty-section", 5), ("open-question", 9)}


def test_a_file_that_changes_starts_its_workflows_by_itself(workspace: Workspace) -> None:
    workspace.documents.start()
    workspace.workflows.start()
    eventually(lambda: workspace.workflows.journal.cursor("files"))
    (workspace.root / "new.md").write_text("# New\n")
    eventually(lambda: ran(workspace) >= {("markdown-analyzer", "add"), ("file-change-logger", "add")})
    (workspace.root / "new.md").unlink()
    eventually(lambda: ("file-deletion-monitor", "unlink") in ran(workspace))


def ran(workspace: Workspace) -> set[tuple[str, str]]:
    runs, _ = workspace.workflows.history(None, limit=100, offset=0)
    return {(item.workflow, item.input["event"]) for item in runs if item.status is RunStatus.COMPLETED}
