"""Follows citations from any thing: what its text cites, and whose text cites it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from cuedeck.citations.mentions import Kind, Mention, mentions
from cuedeck.citations.model import Around, Stale, Thing
from cuedeck.citations.symbols import in_file
from cuedeck.documents import kinds
from cuedeck.model.errors import CueError, ErrorCode, not_found
from cuedeck.model.text import checked
from cuedeck.paths import LONGEST_PATH, confine_file, read_file
from cuedeck.store import citations as table
from cuedeck.tasks.card import FOLDER

if TYPE_CHECKING:
    from cuedeck.citations.lookup import Lookup
    from cuedeck.memory.model import Memory
    from cuedeck.tasks.agent_task import AgentTask
    from cuedeck.workspace import Workspace

# So many of each kind that cite a thing are shown; so many of those that hold its name are looked through.
MOST = 100
_TASKS = 1000
_DOCUMENTS = 50
_LARGEST = 1 << 20


def thing_named(workspace: Workspace, lookup: Lookup, what: str) -> Thing:
    """The thing a person means by an id, a path or a name."""
    asked = checked("of", what.strip(), longest=LONGEST_PATH)
    for mention in (*mentions(asked), Mention(Kind.CARD, asked), Mention(Kind.FILE, asked)):
        found = lookup.thing(mention) if mention.name == asked or mention.path else None
        if found is not None:
            return found
    return _symbol_named(lookup, asked)


def _symbol_named(lookup: Lookup, asked: str) -> Thing:
    from cuedeck.code.locating import locate

    found = locate(lookup.snapshot, asked) if lookup.snapshot is not None else []
    if len({(record.path, record.qualified_name) for record in found}) > 1:
        choices = [f"{record.path}::{record.name}" for record in found[:10]]
        raise CueError(
            ErrorCode.MULTIPLE_MATCHES,
            f"{asked[:100]} is defined in several places: {', '.join(choices)}",
            data={"matches": choices},
            hint="Name the file too, as in path::name.",
        )
    if not found:
        hint = "Give a memory, task, card or run id, a path, or the name of a symbol."
        if lookup.snapshot is None:
            hint += " The code is not indexed yet: `cue index`."
        raise not_found(f"There is nothing called {asked[:100]} here", hint=hint)
    return Thing(Kind.SYMBOL, found[0].qualified_name, found[0].path)


def around(workspace: Workspace, lookup: Lookup, thing: Thing, stale: tuple[Stale, ...]) -> Around:
    """What a thing cites and what cites it."""
    cites = [each for each in lookup.cited(_text(workspace, thing)) if each.name != thing.name]
    citing: dict[Thing, None] = {}
    truncated = False
    for kind in (_memories(workspace, lookup, thing), _tasks(workspace, thing), _documents(workspace, thing)):
        some = list(islice((each for each in dict.fromkeys(kind) if each.name != thing.name), MOST + 1))
        truncated |= len(some) > MOST
        citing |= dict.fromkeys(some[:MOST])
    return Around(
        thing,
        tuple(dict.fromkeys((*cites, *_linked(workspace, thing)))),
        tuple(citing),
        stale,
        code_indexed=lookup.snapshot is not None,
        truncated=truncated,
    )


def _text(workspace: Workspace, thing: Thing) -> str:
    """What a thing says; a symbol and a source file speak code, which the code tools follow."""
    match thing.kind:
        case Kind.MEMORY:
            memory, _, _ = workspace.memory.peek(thing.name)
            return memory_text(memory)
        case Kind.TASK:
            return _task_text(workspace.agent_tasks.get(thing.name))
        case Kind.CARD:
            content = workspace.cards.content(thing.name)
            needs = (f"card {id}" for id in content.card.depends_on)
            return "\n".join((content.card.title, content.body, *content.card.refs, *needs))
        case Kind.RUN:
            run = workspace.workflows.journal.find(thing.name)
            return json.dumps([run.input, run.result], ensure_ascii=False) if run is not None else ""
        case Kind.FILE if kinds.kind_of(thing.name) is kinds.Kind.MARKDOWN:
            return _read(workspace, thing.name)
        case _:
            return ""


def memory_text(memory: Memory) -> str:
    """What a memory says, and the files its metadata names."""
    named = [value for value in memory.metadata.values() if isinstance(value, str)]
    return "\n".join([memory.title or "", memory.content, *named])


def _task_text(task: AgentTask) -> str:
    files = (*task.files_exclusive, *task.files_readonly, *task.depends_on, task.resolved_by or "")
    return "\n".join((task.name, task.description, task.summary or "", *files))


def _linked(workspace: Workspace, thing: Thing) -> Iterator[Thing]:
    if thing.kind == Kind.FILE:
        for path in workspace.documents.outgoing(thing.name):
            yield Thing(Kind.FILE, path)


def _memories(workspace: Workspace, lookup: Lookup, thing: Thing) -> Iterator[Thing]:
    with workspace.store.state.read() as session:
        if thing.kind == Kind.FILE:
            rows = table.citing_file(session, thing.name)
        else:
            path = thing.path if thing.kind == Kind.SYMBOL else None
            rows = table.citing(session, thing.kind, thing.name, path)
    # Ids begin with their time: the newest first.
    for memory_id in sorted({row.memory_id for row in rows}, reverse=True)[: MOST + 1]:
        found = lookup.thing(Mention(Kind.MEMORY, memory_id))
        if found is not None:
            yield found


def _tasks(workspace: Workspace, thing: Thing) -> Iterator[Thing]:
    for task in workspace.agent_tasks.naming(_last_part(thing), most=_TASKS):
        if any(_means(mention, thing) for mention in mentions(_task_text(task))):
            yield Thing(Kind.TASK, task.id, title=task.name)


def _documents(workspace: Workspace, thing: Thing) -> Iterator[Thing]:
    from cuedeck.documents.query import Mode, Query

    if thing.kind == Kind.FILE:
        for path in workspace.documents.incoming(thing.name):
            yield _document(path)
    results = workspace.documents.search(Query(_last_part(thing), Mode.KEYWORD, limit=_DOCUMENTS))
    for hit in results.hits:
        if kinds.kind_of(hit.path) is not kinds.Kind.MARKDOWN:
            continue
        if any(_means(mention, thing) for mention in mentions(_read(workspace, hit.path))):
            yield _document(hit.path)


def _last_part(thing: Thing) -> str:
    """What every mention of a thing ends with."""
    return thing.name.rsplit("::", 1)[-1].rsplit("/", 1)[-1]


def _read(workspace: Workspace, path: str) -> str:
    """A document's text; empty when it went away just now."""
    try:
        data = read_file(confine_file(workspace.root, path), at_most=_LARGEST).data
    except CueError as error:
        if error.code not in (ErrorCode.NOT_FOUND, ErrorCode.PATH_REFUSED):
            raise
        return ""
    return data.decode("utf-8", "replace")


def _document(path: str) -> Thing:
    if path.startswith(f"{FOLDER}/"):
        return Thing(Kind.CARD, path.removeprefix(f"{FOLDER}/")[:6], title=path)
    return Thing(Kind.FILE, path)


def _means(mention: Mention, thing: Thing) -> bool:
    """Whether a mention in some text may be meant for a thing."""
    from cuedeck.code.locating import name_parts

    if thing.kind == Kind.SYMBOL:
        parts, whole = name_parts(mention.name), name_parts(thing.name)
        return (
            mention.kind is Kind.SYMBOL
            and bool(parts)
            and whole[-len(parts) :] == parts
            and in_file(thing.path, mention.path)
        )
    if thing.kind == Kind.FILE:
        named = mention.path or (mention.name if mention.kind is Kind.FILE else "")
        return bool(named) and in_file(thing.name, named)
    return mention.kind == thing.kind and mention.name == thing.name
