"""What the memory deck's tools return, as JSON schemas."""

from __future__ import annotations

from cuedeck.mcp.shapes import (
    BOOLEAN,
    COUNT,
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
    one_of,
)

_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_COUNTS = mapping(COUNT)
_TYPE = one_of("knowledge", "episode", "decision", "pattern", "code_chunk")
_MEMORY: Schema = {
    "id": STRING,
    "type": _TYPE,
    "title": STRING,
    "content": STRING,
    "metadata": OBJECT,
    "tags": STRINGS,
    "project": STRING_OR_NULL,
    "confidence": _SHARE,
    "source_task": STRING_OR_NULL,
    "created_at": STRING,
    "updated_at": STRING,
}
_NEIGHBOUR = object_of(
    {"id": STRING, "title": STRING, "type": _TYPE, "strength": _SHARE, "reason": STRING, "depth": COUNT}
)
_SIMILAR = object_of(
    {
        "id": STRING,
        "title": STRING,
        "match": STRING,
        "similarity": _SHARE,
        "outcome": STRING,
        "approach": STRING_OR_NULL,
    }
)
_TOLD = object_of({"id": STRING, "approach": STRING, "match": STRING})

_THING = object_of({"kind": STRING, "name": STRING}, path=STRING, title=STRING)
_STALE = object_of(
    {
        "kind": STRING,
        "name": STRING,
        "path": STRING,
        "change": one_of("modified", "moved", "removed"),
    },
    now=STRING,
)
AROUND = object_of(
    {
        "kind": STRING,
        "name": STRING,
        "cites": list_of(_THING),
        "cited_by": list_of(_THING),
        "code_indexed": BOOLEAN,
    },
    path=STRING,
    title=STRING,
    stale_citations=list_of(_STALE),
    truncated=BOOLEAN,
)

STORED = object_of(
    {
        **_MEMORY,
        "links": list_of(object_of({"id": STRING, "strength": _SHARE, "reason": STRING})),
        "duplicate": BOOLEAN,
    }
)
FOUND = object_of(
    {
        "index": list_of(
            object_of(
                {"id": STRING, "title": STRING, "type": _TYPE, "score": _SHARE, "snippet": STRING},
                explanation=OBJECT,
            )
        ),
        "details": list_of(
            object_of(
                {"id": STRING, "content": STRING, "metadata": OBJECT, "related": list_of(_NEIGHBOUR)},
                truncated=BOOLEAN,
            )
        ),
        "total_count": COUNT,
    },
    stale_citations=mapping(list_of(_STALE)),
)
READ = object_of(
    {
        **_MEMORY,
        "access_count": COUNT,
        "last_accessed": STRING_OR_NULL,
        "related_memories": list_of(_NEIGHBOUR),
    },
    stale_citations=list_of(_STALE),
)
DELETED = object_of({"id": STRING, "deleted": BOOLEAN, "deleted_at": STRING, "restorable_until": STRING})
LINK = object_of(
    {
        "from_id": STRING,
        "to_id": STRING,
        "strength": _SHARE,
        "reason": STRING,
        "origin": STRING,
        "created_at": STRING,
    }
)
STATS = object_of(
    {
        "total": COUNT,
        "by_type": _COUNTS,
        "by_project": _COUNTS,
        "avg_confidence": _SHARE,
        "total_links": COUNT,
        "by_tag": _COUNTS,
        "without_project": COUNT,
        "pending_embeddings": COUNT,
    }
)
REFLECTION = object_of(
    {
        "what_went_wrong": STRING,
        "root_cause": STRING,
        "what_to_try_next": STRING,
        "general_lesson": STRING,
        "episode_id": STRING,
        "signature": STRING_OR_NULL,
        "failure": OBJECT_OR_NULL,
        "similar": list_of(_SIMILAR),
    }
)
GUIDANCE = object_of(
    {
        "guidance": STRING,
        "what_worked": list_of(_TOLD),
        "what_did_not_work": list_of(_TOLD),
        "recommended_approach": STRING,
        "similar_episodes": list_of(_SIMILAR),
        "confidence": _SHARE,
    }
)
EFFECTIVENESS = object_of(
    {
        "recommended_model": STRING_OR_NULL,
        "confidence": _SHARE,
        "reasoning": STRING,
        "evidence": list_of(
            object_of(
                {
                    "model": STRING,
                    "successes": COUNT,
                    "failures": COUNT,
                    "success_rate": NUMBER,
                    "episodes": STRINGS,
                }
            )
        ),
    }
)
INDEXED = object_of(
    {
        "file_path": STRING,
        "chunks_created": COUNT,
        "chunks_updated": COUNT,
        "chunks_removed": COUNT,
        "chunks_unchanged": COUNT,
        "skipped": BOOLEAN,
    }
)
