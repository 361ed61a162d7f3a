"""What the code deck's tools return: schemas, and the contract's JSON for the engine's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cuedeck.model.clock import iso_seconds

if TYPE_CHECKING:
    from cuedeck.code.diff import SymbolChange
    from cuedeck.code.finding import FoundSite
    from cuedeck.code.git.repository import FileChange
    from cuedeck.code.symbols import SymbolRecord
    from cuedeck.store.code import RefRow

Schema = dict[str, Any]

_STRING: Schema = {"type": "string"}
_OPTIONAL: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_BOOLEAN: Schema = {"type": "boolean"}
_LAYER: Schema = {"type": "string", "enum": ["base", "overlay"]}
_METADATA: Schema = {
    "type": "object",
    "properties": {
        "cruxe_protocol_version": _STRING,
        "freshness_status": {"enum": ["fresh", "stale", "syncing"]},
        "indexing_status": {"enum": ["not_indexed", "indexing", "ready", "failed"]},
        "result_completeness": {"enum": ["complete", "partial", "truncated"]},
        "ref": _STRING,
        "schema_status": {"enum": ["compatible", "not_indexed", "reindex_required", "corrupt_manifest"]},
        "warnings": {"type": "array", "items": _STRING},
    },
    "required": [
        "cruxe_protocol_version",
        "freshness_status",
        "indexing_status",
        "result_completeness",
        "ref",
    ],
}


def _object(required: Schema, **optional: Schema) -> Schema:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def _answer(required: Schema, **optional: Schema) -> Schema:
    return _object({**required, "metadata": _METADATA}, **optional)


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_RECORD: Schema = {
    "symbol_id": _STRING,
    "symbol_stable_id": _STRING,
    "name": _STRING,
    "qualified_name": _STRING,
    "kind": _STRING,
    "language": _STRING,
    "signature": _STRING,
    "path": _STRING,
    "line_start": _COUNT,
    "line_end": _COUNT,
    "source_layer": _LAYER,
}
_SYMBOL = _object(_RECORD)
_ENCLOSING: Schema = dict.fromkeys(
    ("symbol_id", "symbol_stable_id", "name", "qualified_name", "kind"), _STRING
)
_SITE = _object(
    {
        "path": _STRING,
        "line_start": _COUNT,
        "edge_type": _STRING,
        "source_layer": _LAYER,
        "context": _STRING,
        "from_symbol": _object(_ENCLOSING),
    }
)
_SIDE: Schema = {"type": ["object", "null"]}
_CALL = _object({"symbol": _SYMBOL, "call_site": _object({"path": _STRING, "line": _COUNT}), "depth": _COUNT})

INDEXED = _answer(
    {
        "ref": _STRING,
        "mode": {"enum": ["full", "incremental", "overlay"]},
        "status": {"enum": ["completed", "running", "failed"]},
        "file_count": _COUNT,
        "symbol_count": _COUNT,
        "changed_files": _COUNT,
        "duration_ms": _COUNT,
    }
)
STATUS = _answer(
    {
        "ref": _STRING,
        "status": _STRING,
        "progress": _NUMBER,
        "file_count": _COUNT,
        "symbol_count": _COUNT,
        "last_indexed_commit": _OPTIONAL,
        "skipped": _list(_object({"path": _STRING, "reason": _STRING})),
        "pending_embeddings": _COUNT,
    }
)
FOUND = _answer(
    {
        "query": _STRING,
        "results": _list(_object({**_RECORD, "score": _NUMBER, "snippet": _STRING})),
        "total_candidates": _COUNT,
    }
)
LOCATED = _answer({"results": _list(_SYMBOL)}, cited_by=_list(_STRING))
BRIEF = ("name", "kind", "signature", "line_start", "line_end")
_OUTLINED = {name: _RECORD[name] for name in BRIEF} | {"children": _list({"type": "object"})}
OUTLINE = _answer(
    {"path": _STRING, "language": _STRING, "symbols": _list(_object(_OUTLINED, **_RECORD))},
)
GRAPH = _answer(
    {"symbol": _SYMBOL, "callers": _list(_CALL), "callees": _list(_CALL), "truncated": _BOOLEAN},
    candidates=_list(_SYMBOL),
)
REFERENCES = _answer(
    {"symbol": _SYMBOL, "references": _list(_SITE), "total_references": _COUNT, "possible": _list(_SITE)},
    candidates=_list(_SYMBOL),
)
EXPLAINED = _answer(
    {
        "query": _STRING,
        "result": {"type": "object"},
        "scoring": {"type": "object", "additionalProperties": _NUMBER},
        "scoring_details": {"type": "object", "additionalProperties": _STRING},
    }
)
COMPARED = _answer(
    {
        "base_ref": _STRING,
        "head_ref": _STRING,
        "merge_base_commit": _STRING,
        "affected_files": _COUNT,
        "file_changes": _list(_object({"path": _STRING, "change_type": _STRING}, old_path=_STRING)),
        "changes": _list(
            _object(
                {
                    "symbol": _STRING,
                    "change_type": {"enum": ["added", "modified", "deleted"]},
                    "before": _SIDE,
                    "after": _SIDE,
                    "path": _STRING,
                    "lines": _object({"start": _COUNT, "end": _COUNT}),
                },
                formatting_only=_BOOLEAN,
                moved_from={"type": "object"},
                moved_to={"type": "object"},
            )
        ),
        "total_changes": _COUNT,
    }
)
REFS = _answer(
    {
        "refs": _list(
            _object(
                {
                    "ref": _STRING,
                    "is_default": _BOOLEAN,
                    "last_indexed_commit": _OPTIONAL,
                    "merge_base_commit": _OPTIONAL,
                    "file_count": _COUNT,
                    "symbol_count": _COUNT,
                    "status": _STRING,
                    "last_accessed_at": _STRING,
                }
            )
        ),
        "total_refs": _COUNT,
        "vcs_mode": _BOOLEAN,
    }
)
SWITCHED = _answer(
    {
        "ref": _STRING,
        "previous_ref": _OPTIONAL,
        "worktree_path": _OPTIONAL,
        "status": _STRING,
        "last_indexed_commit": _OPTIONAL,
    }
)


def metadata(
    ref: str,
    *,
    freshness: str = "fresh",
    indexing: str = "ready",
    completeness: str = "complete",
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """The protocol's metadata; warnings only when there are any."""
    indexing = {"completed": "ready", "active": "ready", "running": "indexing"}.get(indexing, indexing)
    found = {
        "cruxe_protocol_version": "1.0",
        "freshness_status": freshness,
        "indexing_status": indexing,
        "result_completeness": completeness,
        "ref": ref,
        "schema_status": "not_indexed" if indexing == "not_indexed" else "compatible",
    }
    return {**found, "warnings": list(warnings)} if warnings else found


def ref(row: RefRow) -> dict[str, Any]:
    """An indexed ref."""
    return {
        "ref": row.name,
        "is_default": row.base is None,
        "last_indexed_commit": row.commit_id,
        "merge_base_commit": row.merge_base or None,
        "file_count": row.files,
        "symbol_count": row.symbols,
        "status": row.status,
        "last_accessed_at": iso_seconds(row.accessed_at),
    }


def reference(site: FoundSite) -> dict[str, Any]:
    """One reference."""
    return {
        "path": site.path,
        "line_start": site.line,
        "edge_type": site.edge,
        "source_layer": site.layer,
        "context": site.context,
        "from_symbol": {name: getattr(site.within, name) for name in _ENCLOSING},
    }


def file_change(file: FileChange) -> dict[str, Any]:
    """One file's change."""
    shown = {"path": file.path, "change_type": file.change}
    return {**shown, "old_path": file.old_path} if file.change == "renamed" else shown


def symbol_change(change: SymbolChange, record: Callable[[SymbolRecord], dict[str, Any]]) -> dict[str, Any]:
    """One symbol's change."""
    shown = change.shown
    found: dict[str, Any] = {
        "symbol": shown.name,
        "change_type": change.change,
        "before": record(change.before) if change.before else None,
        "after": record(change.after) if change.after else None,
        "path": shown.path,
        "lines": {"start": shown.line_start, "end": shown.line_end},
    }
    if change.formatting_only:
        found["formatting_only"] = True
    for name, other in (("moved_from", change.moved_from), ("moved_to", change.moved_to)):
        if other is not None:
            found[name] = {"path": other.path, "qualified_name": other.qualified_name}
    return found
