"""Searching a ref, with the source around each hit; and explaining one hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cuedeck.code.engine import View
from cuedeck.code.search.ranking import Candidate, Explained, Query, Ranking, Scored, in_order
from cuedeck.model.adding import added
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.code.search.vectors import SymbolVectors
    from cuedeck.store.protocol import Vector

_SNIPPET_LINES: Final = 6
_SNIPPET_BYTES: Final = 600
# So many by meaning and by words: on 15 sets of questions more changes nothing.
_NEAREST: Final = 60
_WORDED: Final = 40
_EMBEDDED: Final = 1200
_MODEL_SECONDS: Final = 2.0
# So few vectors are worth waiting a moment for.
_FEW: Final = 100
_MOMENT: Final = 1.5
# Meaning outweighs keywords for questions in plain language, the less so the more the best symbol by words
# stands out from the tenth. A name means itself.
_MEANING: Final = 0.85
_MEANING_BESIDE_WORDS: Final = 0.7
_MEANING_OF_NAMES: Final = 0.3
_TENTH: Final = 10
_STANDS_OUT: Final = 0.5
# So far a sum of rounded parts may be from the sum.
_ROUNDING: Final = 2e-5
# What has no vector, a constant or a file, is taken to mean nearly as much as its words say.
_MEANING_BY_WORDS: Final = 0.8


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked symbol and the head of its source."""

    scored: Scored
    snippet: str


@dataclass(frozen=True, slots=True)
class Results:
    """What a search found, how it was ranked, and how many symbols still lack a vector."""

    hits: Sequence[Hit]
    candidates: int
    mode: str
    pending: int = 0


def search(
    view: View, query: Query, *, limit: int, mode: str | None = None, vectors: SymbolVectors | None = None
) -> Results:
    """The best symbols for a query: by keyword, or with their meaning counted in where vectors are there."""
    found = _found(view, query, limit=limit, mode=mode, vectors=vectors)
    if len(found.hits) < found.candidates and view.completeness == "complete":
        view.completeness = "truncated"
    return found


def _found(
    view: View, query: Query, *, limit: int, mode: str | None, vectors: SymbolVectors | None
) -> Results:
    ranking = Ranking(view.snapshot, query)
    pending = 0
    if mode in ("semantic", "hybrid"):
        blend = _blend(view, ranking, vectors, limit=limit, semantic_only=mode == "semantic")
        pending = vectors.pending(view.snapshot) if vectors is not None else 0
        if blend is not None:
            scored = blend.best()
            return Results([Hit(s, _snippet(view, s)) for s in scored], blend.count, mode, pending)
    elif vectors is not None:
        vectors.seen(view.snapshot)
    scored, count = ranking.best(limit)
    if not scored:
        view.warnings.append(
            _nothing(ranking, by_meaning=mode is None and vectors is not None and vectors.enabled)
        )
    return Results([Hit(found, _snippet(view, found)) for found in scored], count, "keyword", pending)


def _nothing(ranking: Ranking, *, by_meaning: bool) -> str:
    """What to say when a query finds nothing by its words."""
    if not ranking.terms:
        return "the query holds no word that could be looked for"
    query = ranking.query
    filtered = query.language or query.kind or query.path_filter
    said = f"no symbol {'within these filters ' if filtered else ''}holds a word of the query"
    return f"{said}; mode hybrid looks for its meaning" if by_meaning else said


class Blend:
    """Keyword scores and cosines of one query, in one ranking."""

    def __init__(
        self,
        ranking: Ranking,
        vectors: SymbolVectors,
        vector: Vector,
        *,
        limit: int,
        semantic_only: bool,
    ) -> None:
        self._ranking = ranking
        self._limit = limit
        words = [] if semantic_only else ranking.best(_WORDED)[0]
        nearest = vectors.nearest(ranking.snapshot, vector, max(_NEAREST, limit), ranking.allows)
        self._cosines = {(c.path, c.number): nearest[slot] for slot in nearest for c in ranking.at(slot)}
        slots = {_key(s): ranking.lexicon.slot(*_key(s)) for s in words if _key(s) not in self._cosines}
        known = vectors.cosines(ranking.snapshot, vector, set(slots.values()))
        self._cosines.update({key: known[slot] for key, slot in slots.items() if slot in known})
        waiting = vectors.waiting(ranking.snapshot, set(slots.values()) - set(known))
        self._unknown = {key for key, slot in slots.items() if slot in waiting}
        # What only its meaning found has a keyword score too: its kind, its place.
        self._words = {key: ranking.total(ranking.candidate(key[0], key[1] - 1)) for key in self._cosines}
        self._words.update({_key(scored): scored.total for scored in words})
        self._best = max(self._words.values(), default=1.0) or 1.0
        self._weight = _weight_of_meaning(ranking, [scored.total for scored in words])
        self._nearest = max(0.0, max(self._cosines.values(), default=0.0))
        self.count = len(self._words)

    def best(self) -> list[Scored]:
        """The best symbols, as many as are wanted."""
        quick = {
            key: self._weight * max(0.0, self._cosines.get(key, 0.0))
            + self._share_of_words(key) * words / self._best
            for key, words in self._words.items()
        }
        ordered = sorted(quick.values(), reverse=True)
        least = ordered[: self._limit][-1] - _ROUNDING if ordered else 0.0
        chosen = [key for key, score in quick.items() if score >= least]
        told = (self.explained(self._ranking.candidate(path, number - 1)) for path, number in chosen)
        return sorted((Scored(each.record, each.total) for each in told), key=in_order)[: self._limit]

    def explained(self, candidate: Candidate) -> Explained:
        """A symbol's keyword score, scaled to its share, and what its meaning adds."""
        key = candidate.path, candidate.number
        cosine = self._cosines.get(key)
        words = self._ranking.explained(candidate)
        share = self._share_of_words(key) / self._best
        # Each part stays within its range: where the best score by words is low, the rest stands apart.
        scale = min(1.0, share)
        scoring = {name: round(value * scale, 6) for name, value in words.scoring.items() if name != "total"}
        reasons = {**words.reasons, "semantic_reason": self._reason(key, cosine)}
        if share > 1.0:
            scoring["normalised"] = round(words.total * (share - 1.0), 6)
            reasons["normalised_reason"] = f"words count as a share of the best score by words, {self._best}"
        scoring["semantic"] = round(self._weight * max(0.0, cosine or 0.0), 6)
        scoring["total"] = round(added(scoring.values()), 6)
        return Explained(words.record, scoring, reasons)

    def _share_of_words(self, key: tuple[str, int]) -> float:
        share = 1 - self._weight
        if key in self._cosines:
            return share
        return share + self._weight * self._nearest * (1.0 if key in self._unknown else _MEANING_BY_WORDS)

    def _reason(self, key: tuple[str, int], cosine: float | None) -> str:
        if cosine is not None:
            return f"cosine {cosine:.4f}, weighed {self._weight:.2f}"
        return f"no vector{' yet' if key in self._unknown else ''}; its words count instead"


def _weight_of_meaning(ranking: Ranking, by_words: Sequence[float]) -> float:
    """How much of a score meaning is, by what the words tell: totals in order, best first."""
    # Where no word is found, the kind of a symbol must not outweigh what it means.
    if not any(by_words):
        return 1.0
    if ranking.alone or ranking.dotted:
        return _MEANING_OF_NAMES
    lead = 1 - by_words[:_TENTH][-1] / by_words[0]
    return _MEANING - (_MEANING - _MEANING_BESIDE_WORDS) * min(1.0, lead / _STANDS_OUT)


def _key(scored: Scored) -> tuple[str, int]:
    return scored.record.path, scored.record.number + 1


def _blend(
    view: View, ranking: Ranking, vectors: SymbolVectors | None, *, limit: int, semantic_only: bool
) -> Blend | None:
    """Both rankings together, or a word in the answer's metadata why there is only one."""
    if vectors is None or not vectors.enabled:
        view.warnings.append("symbols have no vectors here (code.vectors); ranked by keywords")
        return None
    vectors.follow(view.snapshot)
    vector = vectors.embedder.try_embed([ranking.query.text[:_EMBEDDED]], _MODEL_SECONDS)
    if vector is None:
        why = vectors.embedder.unavailable or "the embedding model did not answer in time"
        view.warnings.append(f"ranked by keywords: {why}")
        return None
    if 0 < vectors.pending(view.snapshot) <= _FEW:
        vectors.wait(view.snapshot, _MOMENT)
    if pending := vectors.pending(view.snapshot):
        view.warnings.append(f"{pending} symbols have no vector yet and are found by keywords only")
    blend = Blend(ranking, vectors, vector[0], limit=limit, semantic_only=semantic_only)
    if semantic_only and not blend.count:
        return None
    return blend


def _snippet(view: View, scored: Scored) -> str:
    record = scored.record
    source = view.snapshot.source(record.path)
    if source is None:
        return record.signature
    starts = view.snapshot.outline(record.path).lines
    last = min(record.line_start + _SNIPPET_LINES - 1, record.line_end, len(starts))
    end = starts[last] if last < len(starts) else len(source)
    first = starts[record.line_start - 1]
    text = source[first : min(end, first + _SNIPPET_BYTES)]
    return text.decode("utf-8", "replace").rstrip()


def explain(
    view: View,
    query: Query,
    path: str,
    line: int,
    *,
    limit: int = 200,
    mode: str | None = None,
    vectors: SymbolVectors | None = None,
) -> Explained:
    """The breakdown of the score that puts the symbol at a line among the first results of a search."""
    numbers = _starting_at(view, path, line)
    if not numbers:
        raise _no_result(f"No symbol starts at {path}:{line}", path, line)
    ranking = Ranking(view.snapshot, query)
    blend = None
    if mode in ("semantic", "hybrid"):
        blend = _blend(view, ranking, vectors, limit=limit, semantic_only=mode == "semantic")
    ranked = blend.best() if blend is not None else ranking.best(limit)[0]
    for record in (found.record for found in ranked):
        if record.path == path and record.number in numbers:
            return (blend or ranking).explained(ranking.candidate(path, record.number))
    message = f"{path}:{line} is not among the first {limit} results of this query"
    raise _no_result("; ".join([message, *view.warnings]), path, line)


def _starting_at(view: View, path: str, line: int) -> list[int]:
    """The symbols that start at a line, or whose name stands there; -1 is the file itself."""
    if path not in view.snapshot.files:
        return []
    outline = view.snapshot.outline(path)
    numbers = [n for n, d in enumerate(outline.definitions) if d.line_start == line]
    if not numbers:
        numbers = [n for n, d in enumerate(outline.definitions) if outline.line_of(d.name_at) == line]
    return [*numbers, -1] if line == 1 else numbers


def _no_result(message: str, path: str, line: int) -> CueError:
    return CueError(
        ErrorCode.RESULT_NOT_FOUND,
        message,
        data={"result_path": path, "result_line_start": line},
        hint="Use path and line_start of a search_code result.",
    )
