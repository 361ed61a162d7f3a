"""The vault deck's file tools: notes, their metadata, tags and links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from cuedeck.mcp.shapes import (
    BOOLEAN,
    NUMBER,
    OBJECT,
    OBJECT_OR_NULL,
    STRING,
    STRING_OR_NULL,
    STRINGS,
    Schema,
    list_of,
    mapping,
    object_of,
)
from cuedeck.mcp.tool import READS, Answer, Arguments, Call, Clamped, Tool
from cuedeck.model.deck import Deck
from cuedeck.store.vault import VaultFile, VaultFilter

if TYPE_CHECKING:
    from cuedeck.documents.vault import Vault

Limit = Annotated[int, Clamped(1, 500)]

# How many of the files that are not searched are named.
_NAMED = 50
_FILE: Schema = {
    "path": STRING,
    "type": STRING_OR_NULL,
    "status": STRING_OR_NULL,
    "frontmatter": OBJECT_OR_NULL,
    "tags": STRINGS,
    "created": {"type": "number", "description": "Unix milliseconds"},
    "modified": {"type": "number", "description": "Unix milliseconds"},
    "size": NUMBER,
}


class QueryFiles(Arguments):
    directory: str | None = Field(None, description="Folder, sub-folders included")
    type: str | None = Field(None, description="Frontmatter type")
    status: str | None = Field(None, description="Frontmatter status")
    tag: str | None = None
    limit: Limit = 50
    offset: Annotated[int, Clamped(0)] = 0


class FilePath(Arguments):
    path: str = Field(description="Relative path")


class SearchTags(Arguments):
    tag: str = Field(description="Finds nested tags too")
    limit: Limit = 100


class SearchLinks(Arguments):
    path: str = Field(description="Relative path")
    direction: Literal["outgoing", "incoming", "both"] = "both"
    limit: Limit = 100


class GetStats(Arguments):
    pass


def _query_files(call: Call[QueryFiles]) -> Answer:
    asked = call.arguments
    vault, complete = _vault(call)
    page = vault.files(
        VaultFilter(asked.directory, asked.type, asked.status, asked.tag),
        limit=asked.limit,
        offset=asked.offset,
    )
    return Answer(
        {
            "files": [_file(file) for file in page.files],
            "total": page.total,
            "limit": asked.limit,
            "offset": asked.offset,
            "hasMore": asked.offset + len(page.files) < page.total,
        },
        cache_hit=True,
        indexing=not complete,
    )


def _get_file(call: Call[FilePath]) -> Answer:
    vault, complete = _vault(call)
    file, links = vault.file(call.arguments.path)
    shown: dict[str, Any] = {"outgoing": list(links.outgoing), "incoming": list(links.incoming)}
    if links.unresolved:
        shown["unresolved"] = list(links.unresolved)
    return Answer({**_file(file), "links": shown}, cache_hit=True, indexing=not complete)


def _get_file_content(call: Call[FilePath]) -> Answer:
    path, content, size = call.workspace.documents.vault.content(call.arguments.path)
    value = {"path": path, "content": content, "size": size, "encoding": "utf-8"}
    return Answer(value, cache_hit=False)


def _search_tags(call: Call[SearchTags]) -> Answer:
    asked = call.arguments
    vault, complete = _vault(call)
    page = vault.files(VaultFilter(tag=asked.tag), limit=asked.limit)
    kept = ("path", "type", "status", "frontmatter", "modified")
    files = [{name: value for name, value in _file(file).items() if name in kept} for file in page.files]
    for file in files:
        file["frontmatter"] = file["frontmatter"] or {}  # the contract has null elsewhere, not here
    value = {"tag": asked.tag, "files": files, "count": len(files), "total": page.total}
    return Answer(value, cache_hit=True, indexing=not complete)


def _search_links(call: Call[SearchLinks]) -> Answer:
    asked = call.arguments
    vault, complete = _vault(call)
    file, links = vault.file(asked.path)
    outgoing = links.outgoing if asked.direction != "incoming" else ()
    incoming = links.incoming if asked.direction != "outgoing" else ()
    value: dict[str, Any] = {
        "path": file.path,
        "outgoing": list(outgoing[: asked.limit]),
        "incoming": list(incoming[: asked.limit]),
        "count": {
            "outgoing": len(outgoing),
            "incoming": len(incoming),
            "total": len(outgoing) + len(incoming),
        },
    }
    if links.unresolved and asked.direction != "incoming":
        value["unresolved"] = list(links.unresolved[: asked.limit])
    return Answer(value, cache_hit=True, indexing=not complete)


def _get_stats(call: Call[GetStats]) -> Answer:
    vault, complete = _vault(call)
    found = vault.statistics()
    left_out = [{"path": path, "reason": reason} for path, reason in found.left_out]
    return Answer(
        {
            "totalFiles": found.files,
            "totalTags": found.tags,
            "totalLinks": found.links,
            "filesByType": found.by_type,
            "filesByStatus": found.by_status,
            "topTags": [{"tag": tag, "count": count} for tag, count in found.top_tags],
            "vaultSize": found.size,
            "lastUpdated": found.updated,
            **({"leftOut": left_out[:_NAMED], "totalLeftOut": len(left_out)} if left_out else {}),
        },
        cache_hit=True,
        indexing=not complete,
    )


def _vault(call: Call[Any]) -> tuple[Vault, bool]:
    documents = call.workspace.documents
    documents.start()
    return documents.current_vault()


def _file(file: VaultFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "type": file.type,
        "status": file.status,
        "frontmatter": file.frontmatter,
        "tags": list(file.tags),
        "created": file.created,
        "modified": file.modified,
        "size": file.size,
    }


TOOLS = (
    Tool(
        name="query_files",
        deck=Deck.VAULT,
        title="Query notes",
        description="List the vault's notes by folder, type, status or tag, a page at a time.",
        arguments=QueryFiles,
        output=object_of(
            {
                "files": list_of(object_of(_FILE)),
                "total": NUMBER,
                "limit": NUMBER,
                "offset": NUMBER,
                "hasMore": BOOLEAN,
            }
        ),
        effects=READS,
        handler=_query_files,
        in_default_set=True,
    ),
    Tool(
        name="get_file",
        deck=Deck.VAULT,
        title="Note metadata",
        description="A note's frontmatter, tags, dates, and the notes it links to and is linked from.",
        arguments=FilePath,
        output=object_of(
            {
                **_FILE,
                "links": object_of({"outgoing": STRINGS, "incoming": STRINGS}, unresolved=STRINGS),
            }
        ),
        effects=READS,
        handler=_get_file,
    ),
    Tool(
        name="get_file_content",
        deck=Deck.VAULT,
        title="Note content",
        description="Read a file of the vault from disk.",
        arguments=FilePath,
        output=object_of(
            {
                "path": STRING,
                "content": STRING,
                "size": NUMBER,
                "encoding": {"type": "string", "const": "utf-8"},
            }
        ),
        effects=READS,
        handler=_get_file_content,
    ),
    Tool(
        name="search_tags",
        deck=Deck.VAULT,
        title="Notes by tag",
        description="Find the notes that carry a tag, nested tags included.",
        arguments=SearchTags,
        output=object_of(
            {
                "tag": STRING,
                "files": list_of(
                    object_of(
                        {
                            "path": STRING,
                            "type": STRING_OR_NULL,
                            "status": STRING_OR_NULL,
                            "frontmatter": OBJECT,
                            "modified": NUMBER,
                        }
                    )
                ),
                "count": NUMBER,
            },
            total=NUMBER,
        ),
        effects=READS,
        handler=_search_tags,
    ),
    Tool(
        name="search_links",
        deck=Deck.VAULT,
        title="Links of a note",
        description="Find the notes a note links to and the notes that link to it.",
        arguments=SearchLinks,
        output=object_of(
            {
                "path": STRING,
                "outgoing": STRINGS,
                "incoming": STRINGS,
                "count": object_of({"outgoing": NUMBER, "incoming": NUMBER, "total": NUMBER}),
            },
            unresolved=STRINGS,
        ),
        effects=READS,
        handler=_search_links,
        in_default_set=True,
    ),
    Tool(
        name="get_stats",
        deck=Deck.VAULT,
        title="Vault statistics",
        description="Count the vault's notes, tags and links.",
        arguments=GetStats,
        output=object_of(
            {
                "totalFiles": NUMBER,
                "totalTags": NUMBER,
                "totalLinks": NUMBER,
                "filesByType": mapping(NUMBER),
                "filesByStatus": mapping(NUMBER),
                "topTags": list_of(object_of({"tag": STRING, "count": NUMBER})),
                "vaultSize": NUMBER,
                "lastUpdated": NUMBER,
            },
            leftOut=list_of(object_of({"path": STRING, "reason": STRING})),
            totalLeftOut=NUMBER,
        ),
        effects=READS,
        handler=_get_stats,
    ),
)
