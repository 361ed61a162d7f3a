"""Ranks documents for a query: BM25 of their chunks and cosines of their passages, blended per document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from cuedeck.documents.kinds import Kind
from cuedeck.documents.query import Mode
from cuedeck.documents.space import Space
from cuedeck.documents.wholes import held_shares, whole_scores
from cuedeck.model.adding import added
from cuedeck.search.candidates import candidate_cosines
from cuedeck.search.fusion import KEYWORD, SEMANTIC, Ranked, share_of_best, weighted_blend
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Scope, Session, Vector
from cuedeck.store.schema.documents import DOCUMENT_TEXT, DOCUMENT_VECTORS

# Chunks and passages looked at: enough that a long document cannot crowd others out.
_DEPTH = 8
_CHUNKS = 100
_PASSAGES = 300
# How much a document's further passages add to its nearest one.
_FURTHER = (0.15, 0.05)
# The contract's hybrid: seven parts meaning, three parts words.
_MEANING = 0.7
# What the query's words around a passage count beside its cosine.
_HELD = 0.3
WORDS = "words"
# Where no word of a query occurs, hybrid finds nothing unless a passage is that near by the bundled model:
# its nearest passage to a query about something else has .15 to .4.
_NEAR = 0.4
# How much of the keyword score is the whole document's, the rest being its best chunk's.
_WHOLE = 0.5
# How much more a document's words count when one of its headings or symbols is the query itself, and how
# much less in tests, generated and vendored source, and in pages that only tests read.
_NAMED = 2.0
_ASIDE = 0.6
_READ_BY_TESTS = frozenset({"tests", "__tests__", "testdata", "fixtures"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document in the ranking: its fused score and its chunks, best first.

    ``whole`` is the share of its keyword score that it has as a whole, not through its best chunk.
    """

    document: int
    ranked: Ranked[int]
    chunks: tuple[int, ...]
    whole: float = 0.0


@dataclass(frozen=True, slots=True)
class _Words:
    """Keyword scores of documents, the part each has as a whole beside it."""

    scores: Mapping[int, float]
    wholes: Mapping[int, float]

    def share_of_whole(self, document: int) -> float:
        score = self.scores.get(document, 0.0)
        return self.wholes.get(document, 0.0) / score if score else 0.0


def rank(
    session: Session,
    text: str,
    terms: Sequence[str],
    vector: Vector | None,
    *,
    mode: Mode,
    model: str,
    scope: Scope,
    limit: int,
    space: Space | None = None,
    waiting: bool = False,
) -> list[Candidate]:
    """The best documents for the terms and the query's vector; ``waiting`` when some have no vector yet."""
    deepest = limit * _DEPTH
    words: dict[int, float] = {}
    cosines: dict[int, float] = {}
    if mode is not Mode.SEMANTIC:
        hits = session.text(DOCUMENT_TEXT).match(terms, scope=scope, limit=max(_CHUNKS, deepest))
        words = {hit.id: hit.score for hit in hits}
    if mode is not Mode.KEYWORD and vector is not None:
        index = session.vectors(DOCUMENT_VECTORS)
        also = rows.passages_of(words)
        cosines = candidate_cosines(
            index, vector, model=model, also=also, scope=scope, limit=max(_PASSAGES, deepest)
        )
        if mode is Mode.HYBRID and not words and max(cosines.values(), default=0.0) < _NEAR:
            return []
        # Beside words it makes no difference, and costs.
        if space is not None and mode is Mode.SEMANTIC:
            cosines = _cosines_in(space, index.get(cosines, model=model), vector)
    meaning = _best_passages(cosines)
    home = rows.homes(session, {*words, *meaning})
    by_words = _by_words(session, text, terms, _grouped(words, home))
    shares = held_shares(session, terms, home) if cosines else {}
    held = {chunk: _HELD * share for chunk, share in shares.items()}
    meaning = {chunk: cosine + held[chunk] for chunk, cosine in meaning.items() if chunk in held}
    near = _by_passages(cosines, held, home)
    paths = rows.paths(session, {*by_words.scores, *(each.key for each in near)})
    found = near if mode is Mode.SEMANTIC else _fuse(by_words.scores, near, mode, paths, waiting=waiting)
    ranked = sorted(found, key=lambda each: (-each.score, paths[each.key]))
    chunks = _best_chunks(words, meaning, home)
    return [
        Candidate(each.key, each, chunks[each.key], by_words.share_of_whole(each.key))
        for each in ranked[:limit]
    ]


def _by_words(
    session: Session, text: str, terms: Sequence[str], matched: Mapping[int, list[float]]
) -> _Words:
    """How well documents fit the terms by their best chunks and as wholes, best where they define them."""
    best = share_of_best({document: max(scores) for document, scores in matched.items()})
    found = whole_scores(session, terms, matched) if matched else {}
    wholes = share_of_best({document: added(shares.values()) for document, shares in found.items()})
    factors = _factors(session, text, terms, matched)
    halves = {each: factors[each] * _WHOLE * wholes.get(each, 0.0) for each in best}
    scores = {each: halves[each] + factors[each] * (1.0 - _WHOLE) * best[each] for each in best}
    return _Words(scores, halves)


def _factors(
    session: Session, text: str, terms: Sequence[str], documents: Collection[int]
) -> Mapping[int, float]:
    """How much the words of each document count, by what it defines and what it is for."""
    tests_asked = "test" in terms
    return {
        document: (_NAMED if named else 1.0) * (_ASIDE if _is_aside(path, kind, tests_asked) else 1.0)
        for document, path, kind, named in rows.with_anchor(session, documents, text.strip())
    }


def _is_aside(path: str, kind: str, tests_asked: bool) -> bool:
    if kind != Kind.SOURCE:
        return not tests_asked and not _READ_BY_TESTS.isdisjoint(path.lower().split("/")[:-1])
    from cuedeck.code.extraction.generated import is_secondary
    from cuedeck.code.locating import is_test

    return is_secondary(path) or (is_test(path) and not tests_asked)


def _cosines_in(space: Space, passages: Mapping[int, Vector], vector: Vector) -> dict[int, float]:
    import numpy as np

    if not passages:
        return {}
    return dict(zip(passages, space.cosines(np.stack(list(passages.values())), vector), strict=True))


def _best_passages(cosines: Mapping[int, float]) -> dict[int, float]:
    """The cosine of a chunk is that of its best passage."""
    best: dict[int, float] = {}
    for passage, cosine in cosines.items():
        chunk = rows.chunk_of_passage(passage)
        best[chunk] = max(cosine, best.get(chunk, -1.0))
    return best


def _grouped(scores: Mapping[int, float], home: Mapping[int, int]) -> dict[int, list[float]]:
    grouped: dict[int, list[float]] = {}
    for chunk, score in scores.items():
        if chunk in home:
            grouped.setdefault(home[chunk], []).append(score)
    return grouped


def _by_passages(
    cosines: Mapping[int, float], held: Mapping[int, float], home: Mapping[int, int]
) -> list[Ranked[int]]:
    """Documents by their nearest passages, each beside what its chunk holds of the query's words."""
    passages: dict[int, list[tuple[float, float]]] = {}
    for passage, cosine in cosines.items():
        chunk = rows.chunk_of_passage(passage)
        if chunk in home:
            passages.setdefault(home[chunk], []).append((cosine + held[chunk], held[chunk]))
    return [_near(document, found) for document, found in passages.items()]


def _near(document: int, passages: list[tuple[float, float]]) -> Ranked[int]:
    shares = (1.0, *_FURTHER)
    best = list(zip(shares, sorted(passages, reverse=True), strict=False))
    words = added(share * held for share, (_, held) in best) / added(shares)
    cosine = added(share * (both - held) for share, (both, held) in best) / added(shares)
    most = 1.0 + _HELD / 2.0
    parts = {SEMANTIC: _closeness(cosine) / most, WORDS: words / 2.0 / most}
    return Ranked(document, added(parts.values()), parts)


def _closeness(cosine: float) -> float:
    """A cosine, from opposite to same, as a share from 0 to 1."""
    return min(max((1.0 + cosine) / 2.0, 0.0), 1.0)


def _fuse(
    words: Mapping[int, float],
    near: Sequence[Ranked[int]],
    mode: Mode,
    paths: Mapping[int, str],
    *,
    waiting: bool,
) -> list[Ranked[int]]:
    if mode is Mode.KEYWORD:
        return _of_words(words)
    meaning = {each.key: each.score for each in near}
    found = weighted_blend(words, meaning, order=lambda document: paths[document], semantic_weight=_MEANING)
    if waiting:
        # What these mean is not known yet: they are taken to be as near as their words say.
        best = _MEANING * max(meaning.values(), default=0.0) + 1.0 - _MEANING
        found = [each for each in found if each.key in meaning]
        found += [each for each in _of_words(words, best) if each.key not in meaning]
    return found


def _of_words(words: Mapping[int, float], best: float = 1.0) -> list[Ranked[int]]:
    shares = {key: best * share for key, share in share_of_best(words).items()}
    return [Ranked(key, share, {KEYWORD: share}) for key, share in shares.items()]


def _best_chunks(
    words: Mapping[int, float], meaning: Mapping[int, float], home: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Each document's chunks, best first by both sides together."""
    shares = share_of_best(words)
    strength = {chunk: shares.get(chunk, 0.0) + max(meaning.get(chunk, 0.0), 0.0) for chunk in home}
    chunks: dict[int, tuple[int, ...]] = {}
    for chunk in sorted(home, key=lambda each: (-strength[each], each)):
        chunks[home[chunk]] = (*chunks.get(home[chunk], ()), chunk)
    return chunks
