"""The memory deck's memory, reflection and indexing tools."""

from __future__ import annotations

import json
import logging
from typing import Any, Literal

from pydantic import Field

from cuedeck.mcp.decks import memory_schemas as schema
from cuedeck.mcp.resource import Resource, ResourceRequest
from cuedeck.mcp.tool import ADDS, CHANGES, DESTROYS, READS, Answer, Arguments, Call, Tool
from cuedeck.memory import answer, checks, feed, files, lessons
from cuedeck.memory.episodes import Outcome
from cuedeck.memory.memories import Memories, Stored
from cuedeck.memory.model import Draft
from cuedeck.memory.moments import moment
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.memory.reflection import Attempt
from cuedeck.model.clock import iso
from cuedeck.model.deck import Deck
from cuedeck.model.errors import invalid
from cuedeck.store.changes import KEPT_MS

Type = Literal["knowledge", "episode", "decision", "pattern", "code_chunk"]
_FEED_PAGE = 200

log = logging.getLogger(__name__)


class Store(Arguments):
    type: Type
    content: str
    title: str | None = None
    metadata: dict[str, Any] | None = None
    tags: list[str] = Field(default_factory=list)
    project: str | None = None
    confidence: float = Field(1.0, ge=0.0, le=1.0)
    source_task: str | None = None


class Search(Arguments):
    query: str
    type: Type | None = None
    project: str | None = None
    tags: list[str] = Field(default_factory=list, description="All of them")
    max_results: int = Field(10, ge=1, le=200)
    max_tokens: int = Field(2000, ge=1, le=200_000, description="Budget of details")
    include_graph: bool = Field(False, description="Direct neighbours too")
    fusion: Literal["rrf", "blend"] = "rrf"
    as_of: str | None = Field(None, description="ISO 8601: as it was then, at most 90 days ago")
    explain: bool = False


class Read(Arguments):
    id: str
    depth: int = Field(1, ge=1, le=3, description="How far the graph is followed")


class Update(Arguments):
    id: str
    content: str | None = None
    title: str | None = Field(None, json_schema_extra={"nullable": True})
    metadata: dict[str, Any] | None = Field(None, description="Merged into what is there")
    tags: list[str] | None = Field(None, description="Replace all tags")
    confidence: float | None = Field(None, ge=0.0, le=1.0)


class Delete(Arguments):
    id: str


class Link(Arguments):
    from_id: str
    to_id: str
    reason: str | None = None
    strength: float = Field(0.8, ge=0.0, le=1.0)


class Stats(Arguments):
    project: str | None = None
    type: Type | None = None


class Reflect(Arguments):
    output: str = Field(description="Code or output that failed")
    feedback: str = Field(description="Error message or tool output")
    feedback_type: str | None = Field(None, description="test_failure, build_error, lint_error, …")
    task: str | None = None
    approach: str | None = Field(None, description="What was tried")
    model_used: str | None = None
    code_context: str | None = None
    file_path: str | None = None
    outcome: Literal["failure", "success"] = "failure"


class ImprovedAttempt(Arguments):
    task: str
    original_output: str
    error_pattern: str | None = Field(None, description="Error message to match")


class ModelEffectiveness(Arguments):
    task_pattern: str = Field(description="Keywords of the task")
    feedback_type: str | None = None


class CitationsOf(Arguments):
    of: str = Field(
        min_length=1,
        max_length=500,
        description="Id of a memory, task, card or run; a path; a symbol, as name or path::name",
    )


class IndexFile(Arguments):
    file_path: str
    project: str | None = None


def _memory(call: Call[Any]) -> Memories:
    memories = call.workspace.memory
    memories.awake()
    return memories


def _actor(call: Call[Any]) -> str:
    return f"mcp:{call.principal.subject or 'local'}"


def _stored(memories: Memories, stored: Stored) -> Answer:
    own = stored.memory.id
    links = [
        {"id": link.other(own), "strength": link.strength, "reason": link.reason} for link in stored.links
    ]
    value = {**stored.memory.to_json(), "links": links, "duplicate": stored.duplicate}
    return Answer(value, meta=_meta(memories, complete=stored.complete, masked=stored.masked))


def _meta(memories: Memories, *, complete: bool, masked: int) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if masked:
        meta["masked"] = masked
    if not complete:
        meta["pending"] = memories.pending()
    return meta


def _stale(call: Call[Any], ids: list[str]) -> dict[str, list[dict[str, Any]]]:
    try:
        found = call.workspace.citations.stale(ids)
    except Exception:
        # What was asked for is the memories; the code they cite may be out of reach.
        log.exception("cited code was not compared")
        return {}
    return {id: [one.to_json() for one in changed] for id, changed in found.items()}


def _store(call: Call[Store]) -> Answer:
    asked, memories = call.arguments, _memory(call)
    draft = Draft(
        type=checks.memory_type(asked.type),
        content=asked.content,
        title=asked.title,
        metadata=asked.metadata or {},
        tags=tuple(asked.tags),
        project=asked.project or "",
        confidence=asked.confidence,
        source_task=asked.source_task,
    )
    stored = memories.store(draft, actor=_actor(call))
    if not stored.duplicate:
        call.workspace.citations.note(stored.memory, actor=_actor(call))
    return _stored(memories, stored)


def _search(call: Call[Search]) -> Answer:
    asked, memories = call.arguments, _memory(call)
    query = Query(
        text=asked.query,
        filters=Filters(
            type=checks.memory_type(asked.type) if asked.type else None,
            project=checks.project(asked.project) or None,
            tags=checks.tags(asked.tags),
        ),
        max_results=asked.max_results,
        max_tokens=asked.max_tokens,
        include_graph=asked.include_graph,
        fusion=Fusion(asked.fusion),
        as_of=moment("as_of", asked.as_of) if asked.as_of is not None else None,
        explain=asked.explain,
    )
    found = memories.search(query)
    meta: dict[str, Any] = {"mode_used": "hybrid" if found.semantic else "keyword"}
    if pending := memories.pending():
        meta["pending"] = pending
    value = answer.to_json(found, asked.max_tokens)
    if asked.as_of is None and (stale := _stale(call, [hit.memory.id for hit in found.hits])):
        value["stale_citations"] = stale
    return Answer(value, meta=meta)


def _read(call: Call[Read]) -> Answer:
    asked = call.arguments
    memory, access, neighbours = _memory(call).read(asked.id, depth=asked.depth, actor=_actor(call))
    value = {
        **memory.to_json(),
        "access_count": access.count,
        "last_accessed": iso(access.last_at) if access.last_at else None,
        "related_memories": [neighbour.to_json() for neighbour in neighbours],
    }
    if stale := _stale(call, [memory.id]):
        value["stale_citations"] = stale[memory.id]
    return Answer(value)


def _update(call: Call[Update]) -> Answer:
    asked, memories = call.arguments, _memory(call)
    named = {name: getattr(asked, name) for name in asked.model_fields_set - {"id"}}
    changes = {name: value for name, value in named.items() if value is not None or name == "title"}
    stored = memories.update(asked.id, changes, actor=_actor(call))
    if not {"content", "title", "metadata"}.isdisjoint(changes):
        call.workspace.citations.note(stored.memory, actor=_actor(call))
    return _stored(memories, stored)


def _delete(call: Call[Delete]) -> Answer:
    id = checks.memory_id("id", call.arguments.id)
    at = _memory(call).delete(id, actor=_actor(call))
    return Answer({"id": id, "deleted": True, "deleted_at": iso(at), "restorable_until": iso(at + KEPT_MS)})


def _link(call: Call[Link]) -> Answer:
    asked = call.arguments
    made = _memory(call).link(
        asked.from_id, asked.to_id, reason=asked.reason or "", strength=asked.strength, actor=_actor(call)
    )
    return Answer(made.to_json())


def _stats(call: Call[Stats]) -> Answer:
    asked = call.arguments
    type = checks.memory_type(asked.type) if asked.type else None
    return Answer(_memory(call).stats(project=checks.project(asked.project) or None, type=type))


def _reflect(call: Call[Reflect]) -> Answer:
    asked, memories = call.arguments, _memory(call)
    attempt = Attempt(**{**asked.model_dump(), "outcome": Outcome(asked.outcome)})
    stored, reflection, more = lessons.reflect(memories, attempt, actor=_actor(call))
    call.workspace.citations.note(stored.memory, actor=_actor(call))
    value = {**reflection.to_json(), "episode_id": stored.memory.id, **more}
    return Answer(value, meta=_meta(memories, complete=stored.complete, masked=stored.masked))


def _improved_attempt(call: Call[ImprovedAttempt]) -> Answer:
    asked = call.arguments
    return Answer(
        lessons.improved_attempt(_memory(call), asked.task, asked.original_output, asked.error_pattern)
    )


def _model_effectiveness(call: Call[ModelEffectiveness]) -> Answer:
    asked = call.arguments
    return Answer(lessons.model_effectiveness(_memory(call), asked.task_pattern, asked.feedback_type))


def _index_file(call: Call[IndexFile]) -> Answer:
    asked, memories = call.arguments, _memory(call)
    project = checks.project(asked.project)
    done = files.index_file(memories, call.workspace.root, asked.file_path, project, actor=_actor(call))
    return Answer(done.to_json(), meta=_meta(memories, complete=done.complete, masked=done.masked))


def _citations(call: Call[CitationsOf]) -> Answer:
    return Answer(call.workspace.citations.around(call.arguments.of).to_json())


def _changes(request: ResourceRequest) -> str:
    after = request.parameters.get("after") or "0"
    if not after.isdecimal() or len(after) > 18:
        raise invalid("after", "a sequence number", after)
    page = feed.read(request.workspace.store.state, after=int(after), limit=_FEED_PAGE)
    return json.dumps(
        {"changes": [feed.to_json(change) for change in page], "next": page[-1].seq if page else int(after)},
        ensure_ascii=False,
    )


TOOLS = (
    Tool(
        name="store",
        deck=Deck.MEMORY,
        title="Store a memory",
        description="Remember something for later: knowledge, an episode, a decision, a pattern or a code "
        "chunk. Links it to similar memories.",
        arguments=Store,
        output=schema.STORED,
        effects=ADDS,
        handler=_store,
        in_default_set=True,
    ),
    Tool(
        name="search",
        deck=Deck.MEMORY,
        title="Search memories",
        description="Search memories by keyword and meaning; returns a short index and details within a "
        "token budget.",
        arguments=Search,
        output=schema.FOUND,
        effects=READS,
        handler=_search,
        in_default_set=True,
    ),
    Tool(
        name="read",
        deck=Deck.MEMORY,
        title="Read a memory",
        description="Read one memory by id, with the memories linked to it.",
        arguments=Read,
        output=schema.READ,
        effects=ADDS,
        handler=_read,
    ),
    Tool(
        name="update",
        deck=Deck.MEMORY,
        title="Update a memory",
        description="Change a memory's content, title, metadata, tags or confidence; the rest stays.",
        arguments=Update,
        output=schema.STORED,
        effects=CHANGES,
        handler=_update,
    ),
    Tool(
        name="delete",
        deck=Deck.MEMORY,
        title="Delete a memory",
        description="Delete a memory; it can be restored for 90 days.",
        arguments=Delete,
        output=schema.DELETED,
        effects=DESTROYS,
        handler=_delete,
    ),
    Tool(
        name="link",
        deck=Deck.MEMORY,
        title="Link two memories",
        description="Connect two memories by hand, with a reason and a strength.",
        arguments=Link,
        output=schema.LINK,
        effects=CHANGES,
        handler=_link,
    ),
    Tool(
        name="stats",
        deck=Deck.MEMORY,
        title="Memory statistics",
        description="Count memories by type, project and tag.",
        arguments=Stats,
        output=schema.STATS,
        effects=READS,
        handler=_stats,
    ),
    Tool(
        name="reflect",
        deck=Deck.MEMORY,
        title="Reflect on a failure",
        description="Analyse a failed attempt from its error output, compare it with earlier ones, and "
        "remember it as an episode.",
        arguments=Reflect,
        output=schema.REFLECTION,
        effects=ADDS,
        handler=_reflect,
        in_default_set=True,
    ),
    Tool(
        name="improved_attempt",
        deck=Deck.MEMORY,
        title="Guidance for a new attempt",
        description="What worked and what did not when the same or a similar failure was met before.",
        arguments=ImprovedAttempt,
        output=schema.GUIDANCE,
        effects=READS,
        handler=_improved_attempt,
    ),
    Tool(
        name="model_effectiveness",
        deck=Deck.MEMORY,
        title="Which model does best",
        description="Recommend a model for a kind of task from how earlier episodes ended.",
        arguments=ModelEffectiveness,
        output=schema.EFFECTIVENESS,
        effects=READS,
        handler=_model_effectiveness,
    ),
    Tool(
        name="index_file",
        deck=Deck.MEMORY,
        title="Index a source file",
        description="Store a source file's functions and classes as code_chunk memories; "
        "unchanged files are skipped.",
        arguments=IndexFile,
        output=schema.INDEXED,
        effects=CHANGES,
        handler=_index_file,
    ),
    Tool(
        name="citations",
        deck=Deck.MEMORY,
        title="What cites what",
        description="What a memory, task, card, run, document or symbol refers to and what refers to it.",
        arguments=CitationsOf,
        output=schema.AROUND,
        effects=READS,
        handler=_citations,
    ),
)

RESOURCES = (
    Resource(
        uri="cuedeck://memory/changes{?after}",
        name="memory-changes",
        title="Changes of memories",
        description="Who changed which memory or link, when, from what to what: "
        "200 changes after a sequence number.",
        mime_type="application/json",
        deck=Deck.MEMORY,
        read=_changes,
    ),
)
