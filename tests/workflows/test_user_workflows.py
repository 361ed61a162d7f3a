"""Workflows people write: composed in TOML, or Python that they trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from workflow_parts import eventually

from cuedeck import Workspace
from cuedeck.config import load_config
from cuedeck.documents.query import Mode
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.finding import Status
from cuedeck.tasks.card import CardPriority, CardStatus
from cuedeck.workflows.actions import ACTIONS
from cuedeck.workflows.compose import ComposedWorkflows
from cuedeck.workflows.doctor import check
from cuedeck.workflows.model import Run, RunStatus
from cuedeck.workflows.switch import set_enabled
from cuedeck.workflows.trust import TrustLedger

DRAFTS = """
name = "Draft report"
description = "A note and a card on what is still a draft"

[[triggers]]
kind = "cron"
expression = "0 9 * * 1"

[[steps]]
id = "drafts"
action = "query_files"
with = { status = "draft" }

[[steps]]
id = "note"
action = "write_note"
when = { value = "{{ steps.drafts.total }}", above = 0 }
with = { path = "reports/drafts.md", content = "# {{ steps.drafts.total }} drafts on {{ date }}\\n" }

[[steps]]
id = "cards"
action = "create_card"
for_each = "{{ steps.drafts.files }}"
with = { title = "Finish {{ item.path }}", tags = ["draft"] }

[output]
total = "{{ steps.drafts.total }}"
card = "{{ steps.cards.0.id }}"
"""

PYTHON = """
from cuedeck.workflows.model import Workflow

def hello(context, given):
    return {"hello": given.get("name", "you")}

WORKFLOWS = [Workflow("hello", "Hello", "Says hello", hello)]
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "vault"
    (root / ".cuedeck/workflows").mkdir(parents=True)
    (root / "a.md").write_text("---\nstatus: draft\n---\n# A\n")
    with Workspace.open(root) as opened:
        yield opened


def write(workspace: Workspace, name: str, text: str) -> None:
    (workspace.root / ".cuedeck/workflows" / name).write_text(text)


def run(workspace: Workspace, workflow: str, **given: Any) -> Run:
    ended = workspace.workflows.trigger(workflow, given, wait=True).run
    assert ended is not None
    return ended


def test_steps_pass_their_outputs_on(workspace: Workspace) -> None:
    write(workspace, "drafts.toml", DRAFTS)
    ended = run(workspace, "drafts")
    assert ended.status is RunStatus.COMPLETED, ended.error
    (card,) = workspace.cards.list()
    assert ended.result == {"total": 1, "card": card.id}
    assert card.title == "Finish a.md"
    assert (workspace.root / "reports/drafts.md").read_text().startswith("# 1 drafts on 2")


def test_an_edited_file_is_picked_up_at_once(workspace: Workspace) -> None:
    write(workspace, "w.toml", '[[steps]]\naction = "list_cards"\n')
    assert run(workspace, "w").result == {"step1": {"cards": [], "total": 0}}
    write(workspace, "w.toml", 'output = "changed"\n[[steps]]\naction = "list_cards"\n')
    assert run(workspace, "w").result == "changed"


def test_an_edit_of_the_same_size_that_keeps_the_time_is_picked_up(workspace: Workspace) -> None:
    composed = ComposedWorkflows(workspace.root)
    for name in ("First", "Other"):
        write(workspace, "report.toml", DRAFTS.replace("Draft report", name))
        os.utime(workspace.root / ".cuedeck/workflows/report.toml", ns=(10**18, 10**18))
        assert [found.name for found in composed()] == [name]


def test_a_file_that_goes_while_it_is_looked_at_hides_no_other(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace, "report.toml", DRAFTS)
    there = list((workspace.root / ".cuedeck/workflows").glob("*.toml"))
    monkeypatch.setattr(Path, "glob", lambda folder, _pattern: [*there, folder / "gone.toml"])
    monkeypatch.setattr(Path, "is_file", lambda _path: True)
    assert [found.id for found in ComposedWorkflows(workspace.root)()] == ["report"]


def test_a_note_that_is_somebody_elses_is_not_overwritten(workspace: Workspace) -> None:
    write(
        workspace, "w.toml", '[[steps]]\naction = "write_note"\nwith = { path = "a.md", content = "mine" }\n'
    )
    ended = run(workspace, "w")
    assert ended.status is RunStatus.FAILED and "somebody else" in (ended.error or "")
    assert "# A" in (workspace.root / "a.md").read_text()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("steps = 3\n", 1, "at least one"),
        ('[[steps]]\nid = "a"\naction = "shell"\n', 3, "one of check"),
        ('[[steps]]\naction = "search"\n', 1, "'query'"),
        ('[[steps]]\naction = "list_cards"\nwith = { colour = "red" }\n', 3, "'colour'"),
        (
            '[[steps]]\naction = "list_cards"\n[[steps]]\naction = "search"\n'
            'with = { query = "{{ steps.x.y }}" }\n',
            5,
            "steps.x.y",
        ),
        ('colour = "red"\n[[steps]]\naction = "list_cards"\n', 1, "'colour'"),
        ('[[triggers]]\nkind = "cron"\nexpression = "never"\n[[steps]]\naction = "list_cards"\n', 3, "cron"),
        ("[[steps]\n", 1, "TOML"),
        ('retry = 3\n[[steps]]\naction = "list_cards"\n', 1, "a table"),
        ('[retry]\nattempts = "many"\n[[steps]]\naction = "list_cards"\n', 2, "'attempts'"),
        ('triggers = "daily"\n[[steps]]\naction = "list_cards"\n', 1, "[[triggers]]"),
        ('[[triggers]]\nkind = ["cron"]\n[[steps]]\naction = "list_cards"\n', 2, "file, cron, event"),
        ('[[triggers]]\nkind = "file"\nglobs = "*.md"\n[[steps]]\naction = "list_cards"\n', 3, "a list"),
        ('[[triggers]]\nkind = "file"\nglobs = ["!"]\n[[steps]]\naction = "list_cards"\n', 3, "globs"),
        ('[[triggers]]\nkind = "file"\nglobs = ["[z-a]"]\n[[steps]]\naction = "list_cards"\n', 3, "globs"),
        (
            '[[triggers]]\nkind = "file"\nevents = [["add"]]\n[[steps]]\naction = "list_cards"\n',
            3,
            "add, change, unlink",
        ),
        (
            '[[triggers]]\nkind = "cron"\nexpression = "0 9 * * *"\ntimezone = 5\n'
            '[[steps]]\naction = "list_cards"\n',
            4,
            "a string",
        ),
        (
            '[[triggers]]\nkind = "cron"\nexpression = "0 9 * * *"\ntimezone = "Europe"\n'
            '[[steps]]\naction = "list_cards"\n',
            4,
            "a zone such as",
        ),
        ('[[triggers]]\nkind = "event"\n[[steps]]\naction = "list_cards"\n', 1, "task, memory"),
        (
            '[[triggers]]\nkind = "event"\nof = "weather"\n[[steps]]\naction = "list_cards"\n',
            3,
            "task, memory",
        ),
        ('[[steps]]\naction = "create_card"\nwith = { title = "T", tags = "a" }\n', 3, "a list of strings"),
        ('[[steps]]\naction = "search"\nwith = { query = "x", mode = "psychic" }\n', 3, "keyword"),
        ('[[steps]]\naction = "list_cards"\nwhen = { value = 1 }\n', 3, "one of equals"),
        ('[[triggers]]\nkind = "file"\nglobs = []\n[[steps]]\naction = "list_cards"\n', 3, "one or more"),
        ('[[triggers]]\nkind = "file"\nevents = []\n[[steps]]\naction = "list_cards"\n', 3, "one or more"),
        ('[[steps]]\naction = "search"\nwith = { query = "{{ item.path }}" }\n', 3, "item.path"),
        ('[[steps]]\naction = "list_cards"\nfor_each = 5\n', 3, "a list"),
        ('[[steps]]\naction = "list_cards"\n[output]\nx = "{{ steps.no }}"\n', 3, "steps.no"),
        ('[[steps]]\naction = "list_cards"\nwith = { status = "bogus" }\n', 3, "todo"),
        ("name = 5\n[[steps]]\naction = 'list_cards'\n", 1, "a string"),
    ],
)
def test_a_mistake_is_named_with_its_line(workspace: Workspace, text: str, line: int, words: str) -> None:
    write(workspace, "w.toml", text)
    composed = ComposedWorkflows(workspace.root)
    assert composed() == []
    mistake = composed.mistakes()[0]
    assert mistake.line == line
    assert words in mistake.message


def test_a_value_that_only_the_run_knows_is_checked_when_it_is_there(workspace: Workspace) -> None:
    step = 'action = "create_card"\nwith = { title = "T", tags = "{{ input.tags }}" }\n'
    write(workspace, "w.toml", f"[[steps]]\n{step}")
    assert run(workspace, "w", tags=["a"]).status is RunStatus.COMPLETED
    ended = run(workspace, "w", tags="a")
    assert ended.status is RunStatus.FAILED and "a list of strings" in (ended.error or "")


def test_the_words_an_action_takes_are_those_of_its_engine() -> None:
    for action, name, words in (
        ("search", "mode", Mode),
        ("create_card", "priority", CardPriority),
        ("update_card", "status", CardStatus),
        ("store_memory", "type", MemoryType),
    ):
        parameter = ACTIONS[action].parameters[name]
        assert parameter.expected == "one of " + ", ".join(words)


def test_a_memory_starts_a_workflow_that_waits_for_one(workspace: Workspace) -> None:
    write(
        workspace,
        "w.toml",
        '[[triggers]]\nkind = "event"\nof = "memory"\noperations = ["insert"]\n'
        '[[steps]]\naction = "list_cards"\n[output]\nof = "{{ input.table }}"\n',
    )
    engine = workspace.workflows
    engine.fire_due()
    workspace.memory.store(Draft(MemoryType.KNOWLEDGE, "The kettle is on the left"), actor="t")
    assert engine.fire_due() == 1
    engine.start()
    eventually(lambda: engine.history("w", limit=1, offset=0)[0][0].status.final)
    assert engine.history("w", limit=1, offset=0, results=True)[0][0].result == {"of": "memories"}


def test_a_file_that_leads_outside_or_cannot_be_read_hides_no_other(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_text(PYTHON)
    (tmp_path / "outside.toml").write_text('[[steps]]\naction = "list_cards"\n')
    folder = workspace.root / ".cuedeck/workflows"
    (folder / "evil.py").symlink_to(tmp_path / "outside.py")
    (folder / "loop.py").symlink_to(folder / "loop.py")
    (folder / "folder.py").mkdir()
    (folder / "away.toml").symlink_to(tmp_path / "outside.toml")
    write(workspace, "fine.toml", '[[steps]]\naction = "list_cards"\n')
    listed = {item.workflow.id for item in workspace.workflows.workflows()}
    assert "fine" in listed
    assert not listed & {"hello", "away"}


@pytest.mark.parametrize(
    "text",
    ["x = " + "9" * 5000, "x = " + "[" * 50_000, f"[output.{'.'.join('a' * 13_000)}]"],
    ids=["digits", "nesting", "tables"],
)
def test_a_file_of_enormous_values_is_a_mistake_and_hides_no_other(workspace: Workspace, text: str) -> None:
    steps = '\n[[steps]]\naction = "list_cards"\n'
    write(workspace, "hostile.toml", text + steps)
    write(workspace, "fine.toml", steps)
    composed = ComposedWorkflows(workspace.root)
    assert [workflow.id for workflow in composed()] == ["fine"]
    assert [mistake.file for mistake in composed.mistakes()] == [".cuedeck/workflows/hostile.toml"]


def test_python_runs_only_after_its_exact_content_was_trusted(workspace: Workspace) -> None:
    write(workspace, "hello.py", PYTHON)
    with pytest.raises(CueError) as caught:
        run(workspace, "hello")
    assert caught.value.code is ErrorCode.WORKFLOW_NOT_FOUND
    TrustLedger().trust(workspace.root, ".cuedeck/workflows/hello.py")
    assert run(workspace, "hello", name="A").result == {"hello": "A"}
    write(workspace, "hello.py", PYTHON + "# edited\n")
    with pytest.raises(CueError):
        run(workspace, "hello")


def test_an_installed_package_offers_workflows_by_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "acme_flows.py").write_text(PYTHON.replace('"hello", "Hello"', '"acme-hello", "Hello"'))
    (site / "acme_broken.py").write_text("raise SystemExit(3)\n")
    for name, entry in (("acme", "flows = acme_flows:WORKFLOWS"), ("broken", "flows = acme_broken")):
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[cuedeck.workflows]\n{entry}\n")
    monkeypatch.syspath_prepend(site)
    root = tmp_path / "vault"
    (root / ".cuedeck").mkdir(parents=True)
    with Workspace.open(root) as workspace:
        assert run(workspace, "acme-hello", name="A").result == {"hello": "A"}
        (listed,) = [item for item in workspace.workflows.workflows() if item.workflow.id == "acme-hello"]
        assert listed.workflow.source == "package acme_flows:WORKFLOWS"
        (mistake,) = workspace.workflows.registry.mistakes()
        assert mistake.file == "package acme_broken" and "SystemExit" in mistake.message


def test_files_that_are_not_used_are_named_with_the_reason(workspace: Workspace) -> None:
    write(workspace, "mine.toml", 'id = "markdown-analyzer"\n[[steps]]\naction = "list_cards"\n')
    write(workspace, "new.py", PYTHON)
    write(workspace, "exits.py", "import sys\n\nsys.exit(3)\n")
    write(workspace, "broken.py", "def\n")
    cron = "hello, triggers=(CronTrigger('every day'),))]"
    write(
        workspace,
        "cron.py",
        PYTHON.replace("import Work", "import CronTrigger, Work").replace("hello)]", cron),
    )
    globs = "hello, triggers=(FileTrigger('*.md'),))]"
    write(
        workspace,
        "globs.py",
        PYTHON.replace("import Work", "import FileTrigger, Work").replace("hello)]", globs),
    )
    for name in ("exits.py", "broken.py", "cron.py", "globs.py"):
        TrustLedger().trust(workspace.root, f".cuedeck/workflows/{name}")
    found = {(m.file.rpartition("/")[2], m.line): m.message for m in workspace.workflows.registry.mistakes()}
    assert found.keys() == {
        *(
            ("mine.toml", 1),
            ("new.py", 1),
            ("exits.py", 3),
            ("broken.py", 1),
            ("cron.py", 1),
            ("globs.py", 1),
        ),
    }
    assert "taken (built-in)" in found["mine.toml", 1]
    assert "Not trusted" in found["new.py", 1]
    assert "SystemExit" in found["exits.py", 3]
    assert "SyntaxError" in found["broken.py", 1]
    assert "five fields" in found["cron.py", 1]
    assert "a tuple of patterns" in found["globs.py", 1]
    assert {finding.file for finding in check(workspace) if finding.status is Status.WARN} == {
        f".cuedeck/workflows/{name}" for name, _ in found
    }


def test_a_switch_is_noticed_by_a_process_that_runs_already(workspace: Workspace) -> None:
    set_enabled(workspace.root, "concept-tracker", on=False)
    with pytest.raises(CueError) as caught:
        workspace.workflows.trigger("concept-tracker", {"path": "a.md"}, wait=True)
    assert caught.value.code is ErrorCode.WORKFLOW_DISABLED
    config = workspace.root / ".cuedeck/config.toml"
    config.write_text("[core\n")
    assert not workspace.workflows.registry.enabled("concept-tracker")
    config.write_text("")
    assert workspace.workflows.registry.enabled("concept-tracker")


@pytest.mark.parametrize(
    "written",
    [
        "",
        '[workflows]\n"a-b" = { enabled = true } # ours\n[core]\ntoken_limit = 500\n',
        '[workflows]\n"a-b".enabled = true\nworkers = 1\n',
        '[workflows.x]\nenabled = true\n\n[workflows."a-b"]\n',
        'workflows = { "a-b" = { enabled = true } }\r\n',
    ],
)
def test_a_switch_leaves_every_way_to_write_it_valid(tmp_path: Path, written: str) -> None:
    path = tmp_path / ".cuedeck/config.toml"
    path.parent.mkdir()
    path.write_bytes(written.encode())
    for on in (False, True):
        set_enabled(tmp_path, "a-b", on=on)
        settings = load_config(tmp_path, environ={"HOME": str(tmp_path)}).workflows
        assert settings.by_id["a-b"].enabled is on
    assert path.read_bytes().decode().startswith(written)


def test_workflows_switched_at_once_are_all_switched(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as people:
        list(people.map(lambda number: set_enabled(tmp_path, f"w{number}", on=False), range(8)))
    switched = load_config(tmp_path, environ={"HOME": str(tmp_path)}).workflows.by_id
    assert switched.keys() == {f"w{number}" for number in range(8)}


def test_a_file_that_cannot_be_switched_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / ".cuedeck/config.toml"
    path.parent.mkdir()
    path.write_text("[workflows]\nworkers = 1\na-b = {}\n")
    with pytest.raises(CueError, match="cannot be changed"):
        set_enabled(tmp_path, "a-b", on=False)
    assert path.read_text() == "[workflows]\nworkers = 1\na-b = {}\n"


def test_a_workflow_is_switched_off_and_on_without_touching_the_rest(workspace: Workspace) -> None:
    config = workspace.root / ".cuedeck/config.toml"
    config.write_text("# mine\n[core]\ntoken_limit = 500\n")
    set_enabled(workspace.root, "concept-tracker", on=False)
    with Workspace.open(workspace.root) as again:
        with pytest.raises(CueError) as caught:
            again.workflows.trigger("concept-tracker", {"path": "a.md"}, wait=True)
        assert caught.value.code is ErrorCode.WORKFLOW_DISABLED
        assert again.config.core.token_limit == 500
    set_enabled(workspace.root, "concept-tracker", on=True)
    set_enabled(workspace.root, "markdown-analyzer", on=False)
    assert config.read_text().startswith("# mine\n[core]\ntoken_limit = 500\n")
    with Workspace.open(workspace.root) as again:
        assert again.workflows.registry.enabled("concept-tracker")
        assert not again.workflows.registry.enabled("markdown-analyzer")
