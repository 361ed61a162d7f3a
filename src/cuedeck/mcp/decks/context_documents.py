"""The context deck's document tools: search the project's documents, read one or a section of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from cuedeck.documents.query import Filters, Mode, Query, Results
from cuedeck.documents.sections import LONGEST_ANCHOR
from cuedeck.mcp.shapes import STRING_OR_NULL, STRINGS, list_of, object_of
from cuedeck.mcp.tool import READS, Answer, Arguments, Call, Tool
from cuedeck.model.deck import Deck


class ContextFilters(Arguments):
    tags: list[str] | None = Field(None, description="ANY match")
    priority: str | None = None
    assignee: str | None = None


class ReadContext(Arguments):
    query: str = Field(min_length=1, max_length=200, description="Keywords or a question")
    limit: int = Field(5, ge=1, le=50)
    # None until said: the deprecated flag counts only where no mode is named.
    mode: Literal["keyword", "semantic", "hybrid"] | None = Field(
        None, json_schema_extra={"default": "hybrid"}
    )
    semantic: bool = Field(False, description="Deprecated: use mode", json_schema_extra={"deprecated": True})
    filters: ContextFilters | None = None


class ReadDoc(Arguments):
    path: str = Field(description="Relative path to a markdown file")
    anchor: str | None = Field(None, max_length=LONGEST_ANCHOR, description="Heading to slice from")


def chosen_mode(mode: str | None, semantic: bool) -> Mode:
    """An explicit mode wins over the deprecated flag; without either it is hybrid."""
    if mode is not None:
        return Mode(mode)
    return Mode.SEMANTIC if semantic else Mode.HYBRID


def _read_context(call: Call[ReadContext]) -> Answer:
    asked = call.arguments
    query = Query(asked.query, chosen_mode(asked.mode, asked.semantic), _filters(asked.filters), asked.limit)
    documents = call.workspace.documents
    documents.start()
    results = documents.search(query)
    value = [
        {"path": hit.path, "hash": hit.hash, "tokens": hit.tokens, "anchors": list(hit.anchors)}
        for hit in results.hits
    ]
    return Answer(value, meta=_meta(results), indexing=results.incomplete)


def _filters(given: ContextFilters | None) -> Filters:
    if given is None:
        return Filters()
    return Filters(tuple(given.tags or ()), given.priority, given.assignee)


def _meta(results: Results) -> dict[str, Any]:
    meta: dict[str, Any] = {"mode_used": results.mode_used.value, "pending": results.pending}
    if results.why is not None:
        meta["why"] = results.why
    if results.incomplete:
        meta["indexing"] = True
    meta["scores"] = [
        {"score": round(hit.score, 6), **{name: round(part, 6) for name, part in hit.parts}}
        for hit in results.hits
    ]
    return meta


def _read_doc(call: Call[ReadDoc]) -> Answer:
    found = call.workspace.documents.read(call.arguments.path, call.arguments.anchor)
    lines = None
    if found.first_line is not None:
        lines = {"start": found.first_line, "end": found.last_line}
    return Answer(
        {
            "path": found.path,
            "content": found.content,
            "anchor": found.anchor,
            "tokens": found.tokens,
            "hash": found.hash,
            "cached": found.cached,
            "line_range": lines,
        }
    )


TOOLS = (
    Tool(
        name="read_context",
        deck=Deck.CONTEXT,
        title="Search documents",
        description=(
            "Search the project's documents, cards and source files by keywords or meaning. Returns the best "
            "files with their anchors; read one with read_doc."
        ),
        arguments=ReadContext,
        output=list_of(
            object_of(
                {
                    "path": {"type": "string", "description": "Relative path from workspace root"},
                    "hash": {"type": "string", "description": "SHA256 hash of content"},
                    "tokens": {"type": "integer", "description": "Token count"},
                },
                anchors={**STRINGS, "description": "Top 3 headers/anchors"},
            )
        ),
        effects=READS,
        handler=_read_context,
        in_default_set=True,
    ),
    Tool(
        name="read_doc",
        deck=Deck.CONTEXT,
        title="Read document",
        description="Read a markdown document, or only the section under one of its headings.",
        arguments=ReadDoc,
        output=object_of(
            {
                "path": {"type": "string", "description": "Normalized file path"},
                "content": {"type": "string", "description": "Markdown content (trimmed)"},
                "tokens": {"type": "integer", "description": "Estimated token count"},
            },
            anchor={**STRING_OR_NULL, "description": "Requested anchor if any"},
            hash={"type": "string", "description": "SHA256 hash of content for cache validation"},
            cached={"type": "boolean", "description": "Whether served from cache"},
            line_range={
                "type": ["object", "null"],
                "properties": {
                    "start": {"type": "integer", "description": "Start line (1-indexed)"},
                    "end": {"type": "integer", "description": "End line (inclusive)"},
                },
                "description": "Line range if anchor was specified",
            },
        ),
        effects=READS,
        handler=_read_doc,
        in_default_set=True,
    ),
)
