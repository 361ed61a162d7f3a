"""Searching a ref, with the source around each hit; and explaining one hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cuedeck.code.engine import View
from cuedeck.code.ranking import Query, Ranking, Scored
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.embedder import Embedder

_SNIPPET_LINES: Final = 6
_SNIPPET_BYTES: Final = 600
_RERANKED: Final = 100
_EMBEDDED: Final = 1200
_MODEL_SECONDS: Final = 6.0
# Measured on CoSQA: meaning outweighs keywords for questions in plain language.
_MEANING: Final = 0.8


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked symbol and the head of its source."""

    scored: Scored
    snippet: str


@dataclass(frozen=True, slots=True)
class Results:
    """What a search found."""

    hits: Sequence[Hit]
    candidates: int
    mode: str


def search(
    view: View, query: Query, *, limit: int, mode: str | None = None, embedder: Embedder | None = None
) -> Results:
    """The best symbols for a query: by keyword, or with their meaning counted in where a model answers."""
    ranking = Ranking(view.snapshot, query)
    if mode in ("semantic", "hybrid"):
        scored, count = ranking.best(_RERANKED)
        blended = _blended(view, query, scored, embedder, semantic_only=mode == "semantic")
        if blended is not None:
            return Results([Hit(found, _snippet(view, found)) for found in blended[:limit]], count, mode)
        view.warnings.append("the embedding model did not answer; ranked by keywords")
        return Results([Hit(found, _snippet(view, found)) for found in scored[:limit]], count, "keyword")
    scored, count = ranking.best(limit)
    return Results([Hit(found, _snippet(view, found)) for found in scored], count, "keyword")


def _blended(
    view: View, query: Query, scored: Sequence[Scored], embedder: Embedder | None, *, semantic_only: bool
) -> list[Scored] | None:
    """Keyword results put in order of meaning; nothing when there is no model or it is too slow."""
    if embedder is None or embedder.unavailable is not None:
        return None
    texts = [query.text[:_EMBEDDED], *(_meaning(view, found) for found in scored)]
    vectors = embedder.try_embed(texts, _MODEL_SECONDS)
    if vectors is None:
        return None
    best = max((found.total for found in scored), default=1.0)
    weight = 1.0 if semantic_only else _MEANING
    ordered = []
    for found, vector in zip(scored, vectors[1:], strict=True):
        cosine = max(0.0, float(vectors[0] @ vector))
        total = round(weight * cosine + (1 - weight) * found.total / best, 6)
        scoring = {**found.scoring, "semantic": round(cosine, 6), "total": total}
        ordered.append(Scored(found.record, scoring, found.reasons))
    return sorted(ordered, key=lambda f: (-f.total, f.record.path, f.record.line_start, f.record.symbol_id))


def _meaning(view: View, scored: Scored) -> str:
    record = scored.record
    head = f"{record.kind} {record.qualified_name.replace('::', ' ')} {record.signature}"
    return f"{head}\n{_snippet(view, scored, lines=24)}"[:_EMBEDDED]


def _snippet(view: View, scored: Scored, lines: int = _SNIPPET_LINES) -> str:
    record = scored.record
    source = view.snapshot.source(record.path)
    if source is None:
        return record.signature
    starts = view.snapshot.outline(record.path).lines
    last = min(record.line_start + lines - 1, record.line_end, len(starts))
    end = starts[last] if last < len(starts) else len(source)
    first = starts[record.line_start - 1]
    text = source[first : min(end, first + _SNIPPET_BYTES * lines // _SNIPPET_LINES)]
    return text.decode("utf-8", "replace").rstrip()


def explain(view: View, query: Query, path: str, line: int, limit: int) -> Scored:
    """The breakdown of the score that a search gives the symbol at a line."""
    snapshot = view.snapshot
    file = snapshot.files.get(path)
    if file is None or query.language not in (None, file.language):
        raise _no_result(path, line)
    ranking = Ranking(snapshot, query)
    outline = snapshot.outline(path)
    numbers = [n for n, d in enumerate(outline.definitions) if d.line_start == line]
    if not numbers:
        numbers = [n for n, d in enumerate(outline.definitions) if outline.line_of(d.name_at) == line]
    if line == 1:
        numbers.append(-1)
    if not numbers:
        raise _no_result(path, line)
    scored = [ranking.score(ranking.candidate(path, n)) for n in numbers]
    return max(scored, key=lambda found: (found.total, -found.record.number))


def _no_result(path: str, line: int) -> CueError:
    return CueError(
        ErrorCode.RESULT_NOT_FOUND,
        f"No symbol starts at {path}:{line}",
        data={"result_path": path, "result_line_start": line},
        hint="Use path and line_start of a search_code result.",
    )
