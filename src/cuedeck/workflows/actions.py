"""What a composed workflow may do: built-in actions over the engines, each safe to repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.workflows.model import JSON

if TYPE_CHECKING:
    from cuedeck.workflows.context import RunContext
    from cuedeck.workspace import Workspace

Perform = Callable[["RunContext", str, dict[str, JSON]], JSON]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a value must be, in words and as a test."""

    expected: str
    fits: Callable[[JSON], bool]


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its parameters, which of them it needs, and what it does in one recorded step."""

    name: str
    summary: str
    parameters: Mapping[str, Parameter]
    required: frozenset[str]
    perform: Perform


def choice(*words: str) -> Parameter:
    """One of these words."""
    return Parameter("one of " + ", ".join(words), lambda value: isinstance(value, str) and value in words)


def choices(*words: str) -> Parameter:
    """A list of some of these words."""
    return Parameter(
        "a list of one or more of " + ", ".join(words),
        lambda value: isinstance(value, list) and bool(value) and all(item in words for item in value),
    )


TEXT = Parameter("a string", lambda value: isinstance(value, str) and bool(value.strip()))
TEXTS = Parameter(
    "a list of strings",
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
)
NAMES = Parameter("a list of one or more strings", lambda value: TEXTS.fits(value) and bool(value))
COUNT = Parameter("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
CONTENT = Parameter("a string", lambda value: isinstance(value, (str, int, float)))


def _reads(work: Callable[[Workspace, dict[str, JSON]], JSON]) -> Perform:
    return lambda context, step, given: context.step(step, lambda: work(context.workspace, given))


def _query_files(workspace: Workspace, given: dict[str, JSON]) -> JSON:
    from cuedeck.store.vault import VaultFilter

    chosen = VaultFilter(given.get("directory"), given.get("type"), given.get("status"), given.get("tag"))
    vault, _ = workspace.documents.current_vault(patience=None)
    page = vault.files(chosen, limit=_limit(given, 500))
    return {
        "files": [
            {"path": file.path, "type": file.type, "status": file.status, "tags": list(file.tags)}
            for file in page.files
        ],
        "total": page.total,
    }


def _search(workspace: Workspace, given: dict[str, JSON]) -> JSON:
    from cuedeck.documents.query import Mode, Query

    results = workspace.documents.search(
        Query(text=given["query"], limit=_limit(given, 50), mode=Mode(given.get("mode", "keyword")))
    )
    return {"results": [{"path": hit.path, "anchors": list(hit.anchors)} for hit in results.hits]}


def _list_cards(workspace: Workspace, given: dict[str, JSON]) -> JSON:
    cards = [
        card.to_json()
        for card in workspace.cards.list()
        if (not given.get("status") or card.status == given["status"])
        and (not given.get("tag") or given["tag"] in card.tags)
        and (not given.get("assignee") or card.assignee == given["assignee"])
    ]
    return {"cards": cards[: _limit(given, 1000)], "total": len(cards)}


def _create_card(context: RunContext, step: str, given: dict[str, JSON]) -> JSON:
    def create() -> JSON:
        from cuedeck.tasks.card import CardPriority
        from cuedeck.tasks.cards import CardDraft

        # The mark in the body tells a repeated attempt that its card is already there.
        mark = f"<!-- made by {context.run.id} {step} -->"
        for card in context.workspace.cards.list() if context.run.fence > 1 else ():
            if mark in context.workspace.cards.content(card.id).body:
                return card.to_json()
        description = str(given.get("description", ""))
        draft = CardDraft(
            title=given["title"],
            tags=tuple(given.get("tags", ())),
            priority=CardPriority(given.get("priority", "medium")),
            assignee=given.get("assignee"),
            description=f"{description}\n\n{mark}".strip(),
        )
        return context.workspace.cards.create(draft).to_json()

    return context.step(step, create)


def _update_card(workspace: Workspace, given: dict[str, JSON]) -> JSON:
    from cuedeck.tasks.card import CardPriority, CardStatus
    from cuedeck.tasks.cards import CardChange

    change = CardChange(
        status=CardStatus(given["status"]) if "status" in given else None,
        priority=CardPriority(given["priority"]) if "priority" in given else None,
        assignee=given.get("assignee"),
    )
    return workspace.cards.update(given["id"], change).to_json()


def _store_memory(context: RunContext, step: str, given: dict[str, JSON]) -> JSON:
    def store() -> JSON:
        from cuedeck.memory.model import Draft, MemoryType

        draft = Draft(
            type=MemoryType(given.get("type", "knowledge")),
            content=given["content"],
            title=given.get("title"),
            tags=tuple(given.get("tags", ())),
            project=str(given.get("project", "")),
        )
        actor = f"workflow:{context.run.workflow}"
        stored = context.workspace.memory.store(draft, actor=actor)
        if not stored.duplicate:
            context.workspace.citations.note(stored.memory, actor=actor)
        return {"id": stored.memory.id, "duplicate": stored.duplicate}

    return context.step(step, store)


def _write_note(context: RunContext, step: str, given: dict[str, JSON]) -> JSON:
    def write() -> JSON:
        from cuedeck.paths import confine, make_folders, read_if_there, replace_file

        path = confine(context.workspace.root, given["path"])
        if not path.relative.endswith(".md"):
            raise invalid("path", "the path of a markdown file", path.relative)
        before = read_if_there(path)
        data = str(given.get("content", "")).encode()
        digest = hashlib.sha256(data).hexdigest()
        ours = before is None or context.workspace.workflows.journal.wrote(
            context.run.workflow, path.relative, hashlib.sha256(before).hexdigest()
        )
        if not ours and before != data:
            raise CueError(
                ErrorCode.VALIDATION,
                f"{path.relative} holds somebody else's text",
                data={"path": path.relative},
                hint="Write to another path, or remove the file first.",
            )
        make_folders(path.root, path.absolute.parent)
        if before != data:
            replace_file(path, data, expected=before)
        return {"path": path.relative, "sha256": digest, "written": before != data}

    written = context.step(step, write)

    def note(session: Any) -> None:
        from cuedeck.store import runs

        runs.note_write(session, context.run.workflow, written["path"], written["sha256"])

    context.transact(f"{step}: note", note)
    return written


def _check(workspace: Workspace, given: dict[str, JSON]) -> JSON:
    from cuedeck.workflows.builtin.markdown_analyzer import analyse
    from cuedeck.workflows.builtin.notes import read_note
    from cuedeck.workflows.builtin.spec_review import review_note

    note = read_note(workspace, given["path"])
    if given.get("check", "markdown") == "spec":
        found = review_note(workspace, note)
        return {"ok": found["ready"], "problems": found["findings"]}
    problems = analyse(note).problems
    return {"ok": not problems, "problems": problems}


def _limit(given: Mapping[str, JSON], most: int) -> int:
    return max(1, min(most, int(given.get("limit", most))))


def _action(
    name: str,
    summary: str,
    perform: Perform,
    required: Mapping[str, Parameter],
    optional: Mapping[str, Parameter],
) -> Action:
    return Action(name, summary, {**required, **optional}, frozenset(required), perform)


_STATUS = choice("todo", "active", "done", "archived")
_PRIORITY = choice("critical", "high", "medium", "low")
ACTIONS: Mapping[str, Action] = {
    action.name: action
    for action in (
        _action(
            "query_files",
            "Notes by folder, type, status, tag.",
            _reads(_query_files),
            {},
            {"directory": TEXT, "type": TEXT, "status": TEXT, "tag": TEXT, "limit": COUNT},
        ),
        _action(
            "search",
            "Search documents.",
            _reads(_search),
            {"query": TEXT},
            {"mode": choice("keyword", "semantic", "hybrid"), "limit": COUNT},
        ),
        _action(
            "list_cards",
            "Cards by status, tag, assignee.",
            _reads(_list_cards),
            {},
            {"status": _STATUS, "tag": TEXT, "assignee": TEXT, "limit": COUNT},
        ),
        _action(
            "create_card",
            "Create a card once.",
            _create_card,
            {"title": TEXT},
            {"description": CONTENT, "tags": TEXTS, "priority": _PRIORITY, "assignee": TEXT},
        ),
        _action(
            "update_card",
            "Set a card's fields.",
            _reads(_update_card),
            {"id": TEXT},
            {"status": _STATUS, "priority": _PRIORITY, "assignee": TEXT},
        ),
        _action(
            "store_memory",
            "Remember something once.",
            _store_memory,
            {"content": TEXT},
            {
                "type": choice("knowledge", "episode", "decision", "pattern", "code_chunk"),
                "title": TEXT,
                "tags": TEXTS,
                "project": TEXT,
            },
        ),
        _action(
            "write_note", "Write a note of its own.", _write_note, {"path": TEXT, "content": CONTENT}, {}
        ),
        _action(
            "check",
            "Check a note: markdown or spec.",
            _reads(_check),
            {"path": TEXT},
            {"check": choice("markdown", "spec")},
        ),
    )
}
