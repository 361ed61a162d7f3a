"""Searching a ref, with the source around each hit; and explaining one hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cuedeck.code.engine import Code, View
from cuedeck.code.ranking import Query, Ranking, Scored
from cuedeck.model.errors import CueError, ErrorCode

_SNIPPET_LINES: Final = 6
_SNIPPET_BYTES: Final = 600


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


def search(code: Code, view: View, query: Query, *, limit: int, mode: str | None = None) -> Results:
    """The best symbols for a query."""
    scored, count = Ranking(view.snapshot, query).best(limit)
    if mode in ("semantic", "hybrid"):
        view.warnings.append("no vectors are indexed for code yet; ranked by keywords")
    return Results([Hit(found, _snippet(view, found)) for found in scored], count, "keyword")


def _snippet(view: View, scored: Scored) -> str:
    record = scored.record
    source = view.snapshot.source(record.path)
    if source is None:
        return record.signature
    lines = view.snapshot.outline(record.path).lines
    last = min(record.line_start + _SNIPPET_LINES - 1, record.line_end, len(lines))
    end = lines[last] if last < len(lines) else len(source)
    text = source[lines[record.line_start - 1] : min(end, lines[record.line_start - 1] + _SNIPPET_BYTES)]
    return text.decode("utf-8", "replace").rstrip()


def explain(view: View, query: Query, path: str, line: int, limit: int) -> Scored:
    """The breakdown of the score that a search gives the symbol at a line."""
    snapshot = view.snapshot
    if path not in snapshot.files:
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
    scores = {(found_path, number): score for found_path, number, score in ranking.by_text(max(limit, 200))}
    symbols = snapshot.symbols(path)
    scored = [ranking.score(symbols.record(n), scores.get((path, n), 0.0)) for n in numbers]
    return max(scored, key=lambda found: (found.total, -found.record.number))


def _no_result(path: str, line: int) -> CueError:
    return CueError(
        ErrorCode.RESULT_NOT_FOUND,
        f"No symbol starts at {path}:{line}",
        data={"result_path": path, "result_line_start": line},
        hint="Use path and line_start of a search_code result.",
    )
