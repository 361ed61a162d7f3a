"""What the memory deck's tools return, as JSON schemas."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_STRING: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_BOOLEAN: Schema = {"type": "boolean"}
_OPTIONAL: Schema = {"type": ["string", "null"]}
_OBJECT: Schema = {"type": "object"}
_STRINGS: Schema = {"type": "array", "items": _STRING}
_COUNTS: Schema = {"type": "object", "additionalProperties": _COUNT}
_TYPE: Schema = {"type": "string", "enum": ["knowledge", "episode", "decision", "pattern", "code_chunk"]}


def _object(required: Schema, **optional: Schema) -> Schema:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_MEMORY: Schema = {
    "id": _STRING,
    "type": _TYPE,
    "title": _STRING,
    "content": _STRING,
    "metadata": _OBJECT,
    "tags": _STRINGS,
    "project": _OPTIONAL,
    "confidence": _SHARE,
    "source_task": _OPTIONAL,
    "created_at": _STRING,
    "updated_at": _STRING,
}
_NEIGHBOUR = _object(
    {"id": _STRING, "title": _STRING, "type": _TYPE, "strength": _SHARE, "reason": _STRING, "depth": _COUNT}
)
_SIMILAR = _object(
    {
        "id": _STRING,
        "title": _STRING,
        "match": _STRING,
        "similarity": _SHARE,
        "outcome": _STRING,
        "approach": _OPTIONAL,
    }
)
_TOLD = _object({"id": _STRING, "approach": _STRING, "match": _STRING})

_THING = _object({"kind": _STRING, "name": _STRING}, path=_STRING, title=_STRING)
_STALE = _object(
    {
        "kind": _STRING,
        "name": _STRING,
        "path": _STRING,
        "change": {"type": "string", "enum": ["modified", "moved", "removed"]},
    },
    now=_STRING,
)
AROUND = _object(
    {
        "kind": _STRING,
        "name": _STRING,
        "cites": _list(_THING),
        "cited_by": _list(_THING),
        "code_indexed": _BOOLEAN,
    },
    path=_STRING,
    title=_STRING,
    stale_citations=_list(_STALE),
)

STORED = _object(
    {
        **_MEMORY,
        "links": _list(_object({"id": _STRING, "strength": _SHARE, "reason": _STRING})),
        "duplicate": _BOOLEAN,
    }
)
FOUND = _object(
    {
        "index": _list(
            _object(
                {"id": _STRING, "title": _STRING, "type": _TYPE, "score": _SHARE, "snippet": _STRING},
                explanation=_OBJECT,
            )
        ),
        "details": _list(
            _object(
                {"id": _STRING, "content": _STRING, "metadata": _OBJECT, "related": _list(_NEIGHBOUR)},
                truncated=_BOOLEAN,
            )
        ),
        "total_count": _COUNT,
    },
    stale_citations={"type": "object", "additionalProperties": _list(_STALE)},
)
READ = _object(
    {
        **_MEMORY,
        "access_count": _COUNT,
        "last_accessed": _OPTIONAL,
        "related_memories": _list(_NEIGHBOUR),
    },
    stale_citations=_list(_STALE),
)
DELETED = _object({"id": _STRING, "deleted": _BOOLEAN, "deleted_at": _STRING, "restorable_until": _STRING})
LINK = _object(
    {
        "from_id": _STRING,
        "to_id": _STRING,
        "strength": _SHARE,
        "reason": _STRING,
        "origin": _STRING,
        "created_at": _STRING,
    }
)
STATS = _object(
    {
        "total": _COUNT,
        "by_type": _COUNTS,
        "by_project": _COUNTS,
        "avg_confidence": _SHARE,
        "total_links": _COUNT,
        "by_tag": _COUNTS,
        "without_project": _COUNT,
        "pending_embeddings": _COUNT,
    }
)
REFLECTION = _object(
    {
        "what_went_wrong": _STRING,
        "root_cause": _STRING,
        "what_to_try_next": _STRING,
        "general_lesson": _STRING,
        "episode_id": _STRING,
        "signature": _OPTIONAL,
        "failure": {"type": ["object", "null"]},
        "similar": _list(_SIMILAR),
    }
)
GUIDANCE = _object(
    {
        "guidance": _STRING,
        "what_worked": _list(_TOLD),
        "what_did_not_work": _list(_TOLD),
        "recommended_approach": _STRING,
        "similar_episodes": _list(_SIMILAR),
        "confidence": _SHARE,
    }
)
EFFECTIVENESS = _object(
    {
        "recommended_model": _OPTIONAL,
        "confidence": _SHARE,
        "reasoning": _STRING,
        "evidence": _list(
            _object(
                {
                    "model": _STRING,
                    "successes": _COUNT,
                    "failures": _COUNT,
                    "success_rate": _NUMBER,
                    "episodes": _STRINGS,
                }
            )
        ),
    }
)
INDEXED = _object(
    {
        "file_path": _STRING,
        "chunks_created": _COUNT,
        "chunks_updated": _COUNT,
        "chunks_removed": _COUNT,
        "chunks_unchanged": _COUNT,
        "skipped": _BOOLEAN,
    }
)
