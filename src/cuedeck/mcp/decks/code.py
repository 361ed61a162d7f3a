"""The code deck: symbols, references, search and differences on any ref."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from cuedeck.mcp.decks import code_shapes as shape
from cuedeck.mcp.decks.code_filters import limited, named_kind, named_language, path_prefix
from cuedeck.mcp.decks.code_missing import cited_by, in_all_of, no_file
from cuedeck.mcp.tool import CHANGES, READS, Answer, Arguments, Call, Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.code.engine import Code, View
    from cuedeck.code.refs import Status
    from cuedeck.code.symbols import SymbolRecord

WAIT_SECONDS = 30.0
MAX_REFERENCES = 10_000
MAX_CHANGES = 5_000
MAX_RESULTS = 100
MAX_EXPLAINED = 1_000
_ATTEMPTS = 4

Ref = Field(None, max_length=512, description="Branch, tag or commit; default: the checked-out one")
Workspace = Field(None, max_length=4096, description="Repository root; default: this one")


class InWorkspace(Arguments):
    workspace: str | None = Workspace


class IndexRepo(InWorkspace):
    ref: str | None = Ref
    force: bool = Field(False, description="Read everything anew")


class IndexStatus(InWorkspace):
    ref: str | None = Ref


class SearchCode(Arguments):
    query: str = Field(min_length=1, max_length=32_000, description="Words, an identifier, or a whole issue")
    ref: str | None = Ref
    language: str | None = Field(None, max_length=40)
    kind: str | None = Field(None, max_length=40, description="fn, method, class, struct, module, …")
    path_filter: str | None = Field(None, max_length=1024, description="Path prefix")
    mode: Literal["keyword", "semantic", "hybrid"] | None = Field(
        None, description="Default keyword; hybrid for a question in plain words"
    )
    limit: int = Field(10, ge=1)


class LocateSymbol(Arguments):
    name: str = Field(min_length=1, max_length=1024, description="Name or (partial) qualified name")
    kind: str | None = Field(None, max_length=40)
    language: str | None = Field(None, max_length=40)
    ref: str | None = Ref
    limit: int = Field(10, ge=1)


class GetFileOutline(Arguments):
    path: str = Field(min_length=1, max_length=4096)
    ref: str | None = Ref
    depth: Literal["top", "all"] = "all"
    brief: bool = Field(False, description="Only kind, name, signature and lines")


class GetCallGraph(Arguments):
    symbol_name: str = Field(min_length=1, max_length=1024)
    path: str | None = Field(None, max_length=4096, description="File of the definition")
    ref: str | None = Ref
    direction: Literal["callers", "callees", "both"] = "both"
    depth: int = Field(1, ge=1)
    limit: int = Field(20, ge=1)


class DiffContext(InWorkspace):
    base_ref: str | None = Field(None, max_length=512, description="Default: the default branch")
    head_ref: str | None = Field(None, max_length=512, description="Default: HEAD")
    path_filter: str | None = Field(None, max_length=1024, description="Path prefix")
    limit: int = Field(50, ge=1)
    working_tree: bool = Field(False, description="Compare with the files on disk")


class FindReferences(Arguments):
    symbol_name: str = Field(min_length=1, max_length=1024, description="Name or qualified name")
    ref: str | None = Ref
    kind: Literal["imports", "calls", "implements", "extends", "references"] | None = None
    limit: int = Field(20, ge=1)
    path: str | None = Field(None, max_length=4096, description="File of the definition or of a use")
    line: int | None = Field(None, ge=1, description="Line there")


class ExplainRanking(Arguments):
    query: str = Field(min_length=1, max_length=32_000)
    result_path: str = Field(min_length=1, max_length=4096)
    result_line_start: int = Field(ge=1)
    ref: str | None = Ref
    language: str | None = Field(None, max_length=40)
    kind: str | None = Field(None, max_length=40)
    path_filter: str | None = Field(None, max_length=1024)
    limit: int = Field(200, ge=1)
    mode: Literal["keyword", "semantic", "hybrid"] | None = Field(None, description="As in search_code")


class ListRefs(InWorkspace):
    pass


class SwitchRef(InWorkspace):
    ref: str = Field(min_length=1, max_length=512)


def _code(call: Call[Any]) -> Code:
    """The engine of the workspace that is asked for, which must be the one that is served."""
    asked = getattr(call.arguments, "workspace", None)
    if asked is not None:
        from cuedeck.code.served import require_served

        require_served(call.workspace.root, asked)
    return call.workspace.code


def _view(call: Call[Any]) -> View:
    return _code(call).view(call.arguments.ref, call.principal.key)


def _metadata(view: View) -> dict[str, Any]:
    return shape.metadata(
        view.ref,
        freshness=view.freshness,
        indexing=view.indexing,
        completeness=view.completeness,
        warnings=view.warnings,
    )


def _record(record: SymbolRecord) -> dict[str, Any]:
    return {name: value for name, value in asdict(record).items() if name not in ("number", "content")}


def _path(path: str, field: str = "path") -> str:
    from cuedeck.code.served import clean_path

    return clean_path(path, field)


# -- indexing


def _index_repo(call: Call[IndexRepo]) -> Answer:
    code = _code(call)
    wanted = code.wanted(call.arguments.ref, call.principal.key)
    job = code.start(wanted, force=call.arguments.force)
    waited = 0.0
    while job.thread.is_alive() and waited < WAIT_SECONDS and not call.cancelled():
        job.thread.join(0.25)
        waited += 0.25
        call.progress(job.progress, f"Indexing {wanted.name}")
    if job.error is not None:
        raise job.error
    said: dict[str, Any] = {"freshness": "syncing", "indexing": "indexing", "completeness": "partial"}
    if job.done:
        said = _without(code.lacking(wanted), *wanted.warnings)
        call.workspace.symbol_vectors.seen(code.indexed(wanted))
    return Answer(
        {
            "ref": wanted.shown,
            "mode": job.done.mode if job.done else "full",
            "status": "completed" if job.done else "running",
            "file_count": job.done.files if job.done else 0,
            "symbol_count": job.done.symbols if job.done else 0,
            "changed_files": job.done.changed if job.done else 0,
            "duration_ms": job.done.milliseconds if job.done else int(waited * 1000),
            "metadata": shape.metadata(wanted.shown, **said),
        }
    )


def _index_status(call: Call[IndexStatus]) -> Answer:
    from cuedeck.code.git.objects import lacking
    from cuedeck.code.refs import status

    found = status(_code(call), call.arguments.ref, call.principal.key, call.workspace.symbol_vectors)
    return Answer(
        {
            "ref": found.ref,
            "status": found.status,
            "progress": found.progress,
            "file_count": found.files,
            "symbol_count": found.symbols,
            "last_indexed_commit": found.commit,
            "skipped": [{"path": path, "reason": reason} for path, reason in found.skipped],
            "pending_embeddings": found.pending_embeddings,
            "metadata": _told(found, lacking(found.skipped) or found.failure),
        }
    )


def _told(found: Status, missing: str = "") -> dict[str, Any]:
    said = _without(missing, *found.warnings)
    return shape.metadata(found.ref, freshness=found.freshness, indexing=found.status, **said)


def _without(missing: str, *more: str) -> dict[str, Any]:
    """What the metadata says where files are missing, and what else there is to say."""
    warnings = [*more, *filter(None, [missing])]
    return {"completeness": "partial" if missing else "complete", "warnings": warnings}


# -- reading


def _search_code(call: Call[SearchCode]) -> Answer:
    from cuedeck.code.search.ranking import Query
    from cuedeck.code.search.searching import search

    asked, view = call.arguments, _view(call)
    language, kind = named_language(view.warnings, asked.language), named_kind(view.warnings, asked.kind)
    prefix = path_prefix(asked.path_filter)
    if prefix and not any(path.startswith(prefix) for path in view.snapshot.files):
        view.warnings.append(f"no code file's path begins with {prefix}")
    query = Query(asked.query, language, kind, prefix)
    limit = limited(view.warnings, asked.limit, MAX_RESULTS)
    found = search(view, query, limit=limit, mode=asked.mode, vectors=call.workspace.symbol_vectors)
    return Answer(
        {
            "query": asked.query,
            "results": [
                {**_record(hit.scored.record), "score": hit.scored.total, "snippet": hit.snippet}
                for hit in found.hits
            ],
            "total_candidates": found.candidates,
            "metadata": _metadata(view),
        },
        meta={"mode_used": found.mode, "pending": found.pending},
    )


def _locate_symbol(call: Call[LocateSymbol]) -> Answer:
    from cuedeck.code.finding import similar_names
    from cuedeck.code.locating import locate

    asked, view = call.arguments, _view(call)
    limit = limited(view.warnings, asked.limit, MAX_RESULTS)
    language, kind = named_language(view.warnings, asked.language), named_kind(view.warnings, asked.kind)
    found = locate(view.snapshot, asked.name, kind=kind, language=language)
    if not found and (near := similar_names(view.snapshot, asked.name)):
        view.warnings.append(f"no such symbol is called {asked.name[:200]}; there is {' and '.join(near)}")
    if len(found) > limit:
        view.completeness = "truncated"
    cited = cited_by(call.workspace, view, found[:limit])
    return Answer(
        {"results": [_record(record) for record in found[:limit]], **cited, "metadata": _metadata(view)}
    )


def _get_file_outline(call: Call[GetFileOutline]) -> Answer:
    asked, view = call.arguments, _view(call)
    path = view.snapshot.spelled(_path(asked.path))
    if path not in view.snapshot.files:
        raise no_file(path, view, call.workspace)
    symbols = view.snapshot.symbols(path)
    if symbols.outline.problem:
        view.warnings.append(f"{path} could not be read in full: {symbols.outline.problem}")
    return Answer(
        {
            "path": path,
            "language": symbols.outline.language,
            "symbols": shape.outlined(symbols, _record, brief=asked.brief, whole=asked.depth == "all"),
            "metadata": _metadata(view),
        }
    )


def _get_call_graph(call: Call[GetCallGraph]) -> Answer:
    from cuedeck.code.callgraph import callees, callers
    from cuedeck.code.finding import MAX_CANDIDATES, chosen

    asked, view = call.arguments, _view(call)
    limit = limited(view.warnings, asked.limit, 1000)
    depth = min(asked.depth, 5)
    if asked.depth > 5:
        view.warnings.append(f"depth {asked.depth} is above the maximum; 5 was used")
    with in_all_of(view):
        record, others = chosen(view.snapshot, asked.symbol_name, path=asked.path or None)
    with view.snapshot.lock:
        up, more_up = (
            callers(view.snapshot, record, depth, limit) if asked.direction != "callees" else ([], False)
        )
        down, more_down = (
            callees(view.snapshot, record, depth, limit) if asked.direction != "callers" else ([], False)
        )
    if more_up or more_down:
        view.completeness = "truncated"

    value = {
        "symbol": _record(record),
        "callers": [shape.called(each, _record) for each in up],
        "callees": [shape.called(each, _record) for each in down],
        "truncated": more_up or more_down,
        "metadata": _metadata(view),
    }
    if others:
        value["candidates"] = [_record(other) for other in others[:MAX_CANDIDATES]]
    return Answer(value)


def _find_references(call: Call[FindReferences]) -> Answer:
    from cuedeck.code.finding import find

    asked, view = call.arguments, _view(call)
    limit = limited(view.warnings, asked.limit, MAX_REFERENCES)
    path = asked.path or None
    with in_all_of(view):
        found = find(view.snapshot, asked.symbol_name, path=path, line=asked.line, kind=asked.kind)
    if len(found.references) > limit:
        view.completeness = "truncated"
    if found.left:
        view.completeness = "partial"
        view.warnings += found.left
    value = {
        "symbol": _record(found.symbol),
        "references": [shape.reference(site) for site in found.sites(found.references[:limit])],
        "total_references": len(found.references),
        "possible": [shape.possible(site) for site in found.sites(found.possible[:limit])],
        "metadata": _metadata(view),
    }
    if len(found.possible) > limit:
        value["total_possible"] = len(found.possible)
    if found.candidates:
        value["candidates"] = [_record(record) for record in found.candidates]
    return Answer(value)


def _explain_ranking(call: Call[ExplainRanking]) -> Answer:
    from cuedeck.code.search.ranking import Query
    from cuedeck.code.search.searching import explain

    asked, view = call.arguments, _view(call)
    language, kind = named_language(view.warnings, asked.language), named_kind(view.warnings, asked.kind)
    scored = explain(
        view,
        Query(asked.query, language, kind, path_prefix(asked.path_filter)),
        view.snapshot.spelled(_path(asked.result_path, "result_path")),
        asked.result_line_start,
        limit=limited(view.warnings, asked.limit, MAX_EXPLAINED),
        mode=asked.mode,
        vectors=call.workspace.symbol_vectors,
    )
    record = scored.record
    return Answer(
        {
            "query": asked.query,
            "result": {
                name: getattr(record, name)
                for name in ("path", "line_start", "line_end", "kind", "name", "source_layer")
            },
            "scoring": dict(scored.scoring),
            "scoring_details": dict(scored.reasons),
            "metadata": _metadata(view),
        }
    )


def _diff_context(call: Call[DiffContext]) -> Answer:
    from cuedeck.code.comparing import compare_refs

    asked, code = call.arguments, _code(call)
    prefix = path_prefix(asked.path_filter)
    found = compare_refs(
        code,
        asked.base_ref,
        asked.head_ref,
        path_filter=prefix,
        working_tree=asked.working_tree,
        principal=call.principal.key,
    )
    unread = (f"{path} could not be read in full: {reason}" for path, reason in found.unread[:20])
    warnings = [*found.doubts, *unread]
    limit = limited(warnings, asked.limit, MAX_CHANGES)
    if prefix and not found.files:
        warnings.append(f"no changed path begins with {prefix}")
    elif not found.files and asked.head_ref is None and not asked.working_tree:
        warnings.append("commits are compared; working_tree: true compares the files on disk")
    return Answer(
        {
            "base_ref": found.base,
            "head_ref": found.head,
            "merge_base_commit": found.merge_base,
            "affected_files": len(found.files),
            "file_changes": [shape.file_change(file) for file in found.files],
            "changes": [shape.symbol_change(change, _record) for change in found.changes[:limit]],
            "total_changes": len(found.changes),
            "metadata": shape.metadata(
                found.head,
                completeness="truncated"
                if len(found.changes) > limit
                else "partial"
                if found.incomplete
                else "complete",
                warnings=warnings,
            ),
        }
    )


def _list_refs(call: Call[ListRefs]) -> Answer:
    from cuedeck.code.refs import listed, status
    from cuedeck.code.wanted import LIVE

    code, who = _code(call), call.principal.key
    if not (rows := listed(code)):
        _begin(code, who)
        rows = listed(code)
    current, default = status(code, None, who), code.base_name() or LIVE
    return Answer(
        {
            "refs": [shape.ref(row, default) for row in rows],
            "total_refs": len(rows),
            "vcs_mode": code.is_git,
            "metadata": _told(current),
        }
    )


def _begin(code: Code, principal: str) -> None:
    """Index what is checked out, as any first question does; a large project goes on in the background."""
    try:
        code.view(None, principal)
    except CueError as error:
        if error.code is not ErrorCode.REF_NOT_INDEXED:
            raise


def _switch_ref(call: Call[SwitchRef]) -> Answer:
    from cuedeck.code.refs import switch

    switched = switch(_code(call), call.arguments.ref, call.principal.key)
    return Answer(
        {
            "ref": switched.ref,
            "previous_ref": switched.previous,
            "worktree_path": switched.worktree,
            "status": switched.status,
            "last_indexed_commit": switched.commit,
            "metadata": shape.metadata(switched.ref, freshness=switched.freshness),
        }
    )


def _current(handler: Callable[[Call[Any]], Answer]) -> Callable[[Call[Any]], Answer]:
    """Answer from a new snapshot, or a new index, when what was being read was taken away or damaged."""

    def answer(call: Call[Any]) -> Answer:
        from cuedeck.code.snapshot import Outdated

        for _ in range(_ATTEMPTS):
            try:
                return handler(call)
            except Outdated:
                continue
            except CueError as error:
                # The store has set it aside, and what is asked next builds another.
                if not error.data.get("corrupt") or error.data.get("file") != "index.db":
                    raise
        raise CueError(
            ErrorCode.OVERLAY_NOT_READY,
            "The files change faster than they can be read",
            hint="Ask again in a moment.",
        )

    return answer


def _tool(
    name: str,
    title: str,
    description: str,
    arguments: type[Arguments],
    output: dict[str, Any],
    handler: Any,
    *,
    default: bool = False,
    writes: bool = False,
) -> Tool:
    return Tool(
        name,
        Deck.CODE,
        title,
        description,
        arguments,
        output,
        CHANGES if writes else READS,
        _current(handler),
        in_default_set=default,
    )


TOOLS = (
    _tool(
        "index_repo",
        "Index code",
        "Index a branch, tag or commit; waits up to 30 s.",
        IndexRepo,
        shape.INDEXED,
        _index_repo,
        writes=True,
    ),
    _tool(
        "index_status",
        "Index status",
        "How far indexing a ref is, and what was skipped.",
        IndexStatus,
        shape.STATUS,
        _index_status,
    ),
    _tool(
        "search_code",
        "Search code",
        "Find symbols and files by words, identifier or issue text, on any ref.",
        SearchCode,
        shape.FOUND,
        _search_code,
        default=True,
    ),
    _tool(
        "locate_symbol",
        "Locate a symbol",
        "Where a symbol is defined, by its name or qualified name; by words use search_code.",
        LocateSymbol,
        shape.LOCATED,
        _locate_symbol,
    ),
    _tool(
        "get_file_outline",
        "File outline",
        "The symbols of a file, their signatures and lines; brief saves half, depth top leaves out members.",
        GetFileOutline,
        shape.OUTLINE,
        _get_file_outline,
        default=True,
    ),
    _tool(
        "get_call_graph",
        "Call graph",
        "Who calls a symbol and whom it calls.",
        GetCallGraph,
        shape.GRAPH,
        _get_call_graph,
    ),
    _tool(
        "diff_context",
        "Symbol diff",
        "What a branch changes: symbols added, modified and deleted between two refs.",
        DiffContext,
        shape.COMPARED,
        _diff_context,
        default=True,
    ),
    _tool(
        "find_references",
        "Find references",
        "Every use of a symbol, resolved by scope, import and type, on any ref; ask before a change.",
        FindReferences,
        shape.REFERENCES,
        _find_references,
        default=True,
    ),
    _tool(
        "explain_ranking",
        "Explain a ranking",
        "Why search_code ranks a result where it does.",
        ExplainRanking,
        shape.EXPLAINED,
        _explain_ranking,
    ),
    _tool("list_refs", "List refs", "Indexed branches, tags and commits.", ListRefs, shape.REFS, _list_refs),
    _tool(
        "switch_ref",
        "Switch ref",
        "Use another ref for calls that name none.",
        SwitchRef,
        shape.SWITCHED,
        _switch_ref,
        writes=True,
    ),
)
