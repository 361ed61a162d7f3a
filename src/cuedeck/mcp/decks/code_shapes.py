"""What the code deck's tools return: schemas, and the contract's JSON for the engine's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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
from cuedeck.model.clock import iso_seconds

if TYPE_CHECKING:
    from cuedeck.code.callgraph import Call
    from cuedeck.code.diff import SymbolChange
    from cuedeck.code.finding import FoundSite
    from cuedeck.code.git.repository import FileChange
    from cuedeck.code.symbols import FileSymbols, SymbolRecord
    from cuedeck.store.code import RefRow

_LAYER = one_of("base", "overlay")
_METADATA = object_of(
    {
        "cruxe_protocol_version": STRING,
        "freshness_status": {"enum": ["fresh", "stale", "syncing"]},
        "indexing_status": {"enum": ["not_indexed", "indexing", "ready", "failed"]},
        "result_completeness": {"enum": ["complete", "partial", "truncated"]},
        "ref": STRING,
    },
    schema_status={"enum": ["compatible", "not_indexed", "reindex_required", "corrupt_manifest"]},
    warnings=STRINGS,
)


def _answer(required: Schema, **optional: Schema) -> Schema:
    return object_of({**required, "metadata": _METADATA}, **optional)


_RECORD: Schema = {
    "symbol_id": STRING,
    "symbol_stable_id": STRING,
    "name": STRING,
    "qualified_name": STRING,
    "kind": STRING,
    "language": STRING,
    "signature": STRING,
    "path": STRING,
    "line_start": COUNT,
    "line_end": COUNT,
    "source_layer": _LAYER,
}
_SYMBOL = object_of(_RECORD)
_ENCLOSING: Schema = dict.fromkeys(
    ("symbol_id", "symbol_stable_id", "name", "qualified_name", "kind"), STRING
)
_PLACE: Schema = {
    "path": STRING,
    "line_start": COUNT,
    "edge_type": STRING,
    "source_layer": _LAYER,
    "context": STRING,
    "from_symbol": object_of(_ENCLOSING),
}
_CALL = object_of(
    {"symbol": _SYMBOL, "call_site": object_of({"path": STRING, "line": COUNT}), "depth": COUNT}, why=STRING
)

INDEXED = _answer(
    {
        "ref": STRING,
        "mode": {"enum": ["full", "incremental", "overlay"]},
        "status": {"enum": ["completed", "running", "failed"]},
        "file_count": COUNT,
        "symbol_count": COUNT,
        "changed_files": COUNT,
        "duration_ms": COUNT,
    }
)
STATUS = _answer(
    {
        "ref": STRING,
        "status": STRING,
        "progress": NUMBER,
        "file_count": COUNT,
        "symbol_count": COUNT,
        "last_indexed_commit": STRING_OR_NULL,
        "skipped": list_of(object_of({"path": STRING, "reason": STRING})),
        "pending_embeddings": COUNT,
    }
)
FOUND = _answer(
    {
        "query": STRING,
        "results": list_of(object_of({**_RECORD, "score": NUMBER, "snippet": STRING})),
        "total_candidates": COUNT,
    }
)
LOCATED = _answer({"results": list_of(_SYMBOL)}, cited_by=list_of(STRING))
BRIEF = ("name", "kind", "signature", "line_start", "line_end")
_OUTLINED = {name: _RECORD[name] for name in BRIEF} | {"children": list_of(OBJECT)}
OUTLINE = _answer(
    {"path": STRING, "language": STRING, "symbols": list_of(object_of(_OUTLINED, **_RECORD))},
)
GRAPH = _answer(
    {"symbol": _SYMBOL, "callers": list_of(_CALL), "callees": list_of(_CALL), "truncated": BOOLEAN},
    candidates=list_of(_SYMBOL),
)
REFERENCES = _answer(
    {
        "symbol": _SYMBOL,
        "references": list_of(object_of(_PLACE, why=STRING)),
        "total_references": COUNT,
        "possible": list_of(object_of(_PLACE, likely=BOOLEAN, why=STRING)),
    },
    total_possible=COUNT,
    candidates=list_of(_SYMBOL),
)
EXPLAINED = _answer(
    {
        "query": STRING,
        "result": OBJECT,
        "scoring": mapping(NUMBER),
        "scoring_details": mapping(STRING),
    }
)
COMPARED = _answer(
    {
        "base_ref": STRING,
        "head_ref": STRING,
        "merge_base_commit": STRING,
        "affected_files": COUNT,
        "file_changes": list_of(object_of({"path": STRING, "change_type": STRING}, old_path=STRING)),
        "changes": list_of(
            object_of(
                {
                    "symbol": STRING,
                    "change_type": {"enum": ["added", "modified", "deleted"]},
                    "before": OBJECT_OR_NULL,
                    "after": OBJECT_OR_NULL,
                    "path": STRING,
                    "lines": object_of({"start": COUNT, "end": COUNT}),
                },
                formatting_only=BOOLEAN,
                moved_from=OBJECT,
                moved_to=OBJECT,
            )
        ),
        "total_changes": COUNT,
    }
)
REFS = _answer(
    {
        "refs": list_of(
            object_of(
                {
                    "ref": STRING,
                    "is_default": BOOLEAN,
                    "last_indexed_commit": STRING_OR_NULL,
                    "merge_base_commit": STRING_OR_NULL,
                    "file_count": COUNT,
                    "symbol_count": COUNT,
                    "status": STRING,
                    "last_accessed_at": STRING,
                }
            )
        ),
        "total_refs": COUNT,
        "vcs_mode": BOOLEAN,
    }
)
SWITCHED = _answer(
    {
        "ref": STRING,
        "previous_ref": STRING_OR_NULL,
        "worktree_path": STRING_OR_NULL,
        "status": STRING,
        "last_indexed_commit": STRING_OR_NULL,
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


def ref(row: RefRow, default: str) -> dict[str, Any]:
    """An indexed ref, which may be the default one."""
    return {
        "ref": row.name,
        "is_default": row.name == default,
        "last_indexed_commit": row.commit_id,
        "merge_base_commit": row.merge_base or None,
        "file_count": row.files,
        "symbol_count": row.symbols,
        "status": row.status,
        "last_accessed_at": iso_seconds(row.accessed_at),
    }


def outlined(
    symbols: FileSymbols, record: Callable[[SymbolRecord], dict[str, Any]], *, brief: bool, whole: bool
) -> list[dict[str, Any]]:
    """What a file defines, in reading order; members inside their type."""
    nodes: list[dict[str, Any]] = []
    for number in range(len(symbols.owners)):
        shown = record(symbols.record(number))
        if brief:
            shown = {name: shown[name] for name in BRIEF}
        nodes.append({**shown, "children": []})
    if whole:
        for node, owner in zip(nodes, symbols.owners, strict=True):
            if owner >= 0:
                nodes[owner]["children"].append(node)
    return [node for node, owner in zip(nodes, symbols.owners, strict=True) if owner < 0]


def reference(site: FoundSite) -> dict[str, Any]:
    """One reference, with the reason if it is no plain use."""
    shown = {
        "path": site.path,
        "line_start": site.line,
        "edge_type": site.edge,
        "source_layer": site.layer,
        "context": site.context,
        "from_symbol": {name: getattr(site.within, name) for name in _ENCLOSING},
    }
    return {**shown, "why": site.likely} if site.likely else shown


def possible(site: FoundSite) -> dict[str, Any]:
    """A place that may refer to a symbol; one for which there is a reason is likely to."""
    shown = reference(site)
    return {**shown, "likely": True} if site.likely else shown


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


def called(call: Call, record: Callable[[SymbolRecord], dict[str, Any]]) -> dict[str, Any]:
    """One step of a call graph, with the reason if the line names something else."""
    shown = {
        "symbol": record(call.symbol),
        "call_site": {"path": call.path, "line": call.line},
        "depth": call.depth,
    }
    return {**shown, "why": call.why} if call.why else shown
