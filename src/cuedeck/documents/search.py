"""read_context: finds documents, verifies them against the disk, and says why each was found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cuedeck.documents.index import DocumentIndex
from cuedeck.documents.kinds import Kind
from cuedeck.documents.query import Hit, Mode, Query, Results
from cuedeck.documents.ranking import Candidate, rank
from cuedeck.documents.sections import anchors_of, passage_model
from cuedeck.documents.spaces import Spaces
from cuedeck.documents.token_counts import TokenCounts
from cuedeck.documents.wholes import Shares, whole_scores
from cuedeck.model.adding import added
from cuedeck.search.analyser import analyse, query_terms
from cuedeck.search.explain import Part, fused_parts, keyword_parts, total
from cuedeck.search.fusion import KEYWORD, Ranked
from cuedeck.store import documents as rows
from cuedeck.store.document_entries import text_record
from cuedeck.store.protocol import Database, Row, TextRecord
from cuedeck.store.schema.documents import DOCUMENT_TEXT, DOCUMENT_VECTORS

if TYPE_CHECKING:
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Session, Vector

ANCHORS = 3
NOTHING_NEAR = "No word of the query occurs here, and nothing is near its meaning."
_ATTEMPTS = 4
_RECOUNT_SECONDS = 0.5


class PendingCount:
    """How many chunks wait for a vector; counted again when the index changed, twice a second at most."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._known: tuple[int, float, int] | None = None

    def count(self, session: Session) -> int:
        version, now = self._database.version(), time.monotonic()
        if self._known is None or (self._known[0] != version and now - self._known[1] > _RECOUNT_SECONDS):
            count = rows.count_without_vector(session, passage_model(self._embedder.model))
            self._known = (version, now, count)
        return self._known[2]


class DocumentSearch:
    """Searches the index; an answer never quotes a file that has changed since it was indexed."""

    def __init__(
        self,
        index: DocumentIndex,
        database: Database,
        embedder: Embedder,
        counts: TokenCounts,
        spaces: Spaces,
    ) -> None:
        self._index = index
        self._database = database
        self._embedder = embedder
        self._counts = counts
        self._spaces = spaces
        self._pending = PendingCount(database, embedder)

    def search(self, query: Query, *, budget: float) -> Results:
        """The best documents; while one of them is stale it is indexed and the question asked again."""
        mode, vector, why = self._mode(query, budget)
        terms = query_terms(query.text)
        for _ in range(_ATTEMPTS):
            found, pending = self._ask(query, terms, mode, vector)
            stale = self._index.stale(document.path for _, document, _ in found)
            if self._index.unfinished:
                found = [each for each in found if each[1].path not in stale]
                break
            if not stale or not self._index.refresh_paths(stale).anything:
                break
        tokens = self._counts.of({document.path: document.hash for _, document, _ in found})
        hits = tuple(
            _hit(candidate, document, chunks, query.text.strip(), tokens[document.path])
            for candidate, document, chunks in found
            if document.path in tokens
        )
        return Results(hits, mode, pending, NOTHING_NEAR if vector is not None and not found else why)

    def explain(self, query: Query, results: Results) -> list[dict[str, Any]]:
        """Each hit's score as parts that sum to it, the keyword part down to single terms."""
        terms = query_terms(query.text)
        with self._database.read() as session:
            statistics = session.text(DOCUMENT_TEXT).statistics(terms)
            known = rows.existing(session, [hit.path for hit in results.hits])
            rids = [row["rid"] for row in known.values()]
            wholes = whole_scores(session, terms, rids)
        explained = []
        for hit in results.hits:
            record = self._record(hit)
            below = {}
            if record is not None and hit.path in known:
                chunk = keyword_parts(DOCUMENT_TEXT, record, terms, statistics)
                whole = wholes.get(known[hit.path]["rid"], {})
                below[KEYWORD] = total(KEYWORD, _terms_of(chunk, whole, hit.whole))
            part: Part = fused_parts(Ranked(hit.path, hit.score, dict(hit.parts)), below)
            explained.append({"path": hit.path, **part.to_json()})
        return explained

    def _mode(self, query: Query, budget: float) -> tuple[Mode, Vector | None, str | None]:
        if query.mode is Mode.KEYWORD:
            return Mode.KEYWORD, None, None
        if not query.text.strip():
            return Mode.KEYWORD, None, "The query is blank; it means nothing."
        if (reason := self._embedder.unavailable) is not None:
            return Mode.KEYWORD, None, reason
        with self._database.read() as session:
            made = session.vectors(DOCUMENT_VECTORS).count(model=passage_model(self._embedder.model))
            pending = self._pending.count(session)
        if made == 0:
            return Mode.KEYWORD, None, "No document has a vector yet; they are made in the background."
        if query.mode is Mode.SEMANTIC and made < pending:
            return Mode.KEYWORD, None, "Most documents have no vector yet; they are made in the background."
        vectors = self._embedder.try_embed([query.text], budget)
        if vectors is None:
            reason = self._embedder.unavailable or "The embedding model is still loading."
            return Mode.KEYWORD, None, reason
        return query.mode, vectors[0], None

    def _ask(
        self, query: Query, terms: Sequence[str], mode: Mode, vector: Vector | None
    ) -> tuple[list[tuple[Candidate, rows.DocumentRow, list[Row]]], int]:
        with self._database.read() as session:
            model = passage_model(self._embedder.model)
            pending = self._pending.count(session)
            candidates = rank(
                session,
                query.text,
                terms,
                vector,
                mode=mode,
                model=model,
                space=None if vector is None else self._spaces.current(session, model),
                scope=query.filters.scope(),
                limit=query.limit,
                waiting=pending > 0,
            )
            documents = rows.documents_by_id(session, [each.document for each in candidates])
            chunks = _chunks(session, candidates)
        found = [
            (each, documents[each.document], [chunks[chunk] for chunk in each.chunks if chunk in chunks])
            for each in candidates
            if each.document in documents
        ]
        return found, pending

    def _record(self, hit: Hit) -> TextRecord | None:
        reading = self._index.read(hit.path)
        if reading is None or reading.hash != hit.hash or hit.ordinal >= len(reading.entry.chunks):
            return None
        return text_record(reading.entry, reading.entry.chunks[hit.ordinal])


def _hit(
    candidate: Candidate, document: rows.DocumentRow, chunks: Sequence[Row], query: str, tokens: int
) -> Hit:
    return Hit(
        path=document.path,
        hash=document.hash,
        tokens=tokens,
        anchors=choose_anchors(document.anchors, chunks, query, is_source=document.kind == Kind.SOURCE),
        line=chunks[0]["line"] if chunks else 1,
        score=candidate.ranked.score,
        parts=tuple(candidate.ranked.parts.items()),
        ordinal=chunks[0]["ordinal"] if chunks else 0,
        whole=candidate.whole,
    )


def _terms_of(chunk: Part, whole: Shares, share: float) -> list[Part]:
    """What each term adds, through the best chunk and through the whole document."""
    counted = {part.name: (1.0 - share) * part.value / chunk.value for part in chunk.parts if chunk.value}
    score = added(whole.values())
    for term, value in whole.items():
        counted[term] = counted.get(term, 0.0) + share * value / score
    return [Part(term, value) for term, value in counted.items()]


def choose_anchors(
    anchors: Sequence[tuple[str, int, int]], chunks: Sequence[Row], query: str, *, is_source: bool
) -> tuple[str, ...]:
    """The three anchors that serve a query best: itself, of the best chunks, then by the words they share."""
    wanted = set(query_terms(query))
    shared = [len(wanted.intersection(analyse(text))) for text, _, _ in anchors]
    order = [number for number, (text, _, _) in enumerate(anchors) if text == query]
    for chunk in chunks:
        if is_source:
            order += sorted(_within(anchors, chunk), key=lambda each: (-shared[each], each))
        elif chunk["anchor"] >= 0:
            order.append(chunk["anchor"])
    order += sorted((n for n in range(len(anchors)) if shared[n]), key=lambda each: (-shared[each], each))
    order += range(len(anchors))
    texts = [text for text, _, _ in anchors]
    named = texts if is_source else anchors_of(texts)
    names = dict.fromkeys(named[n] for n in order if n < len(anchors) and named[n])
    return tuple(names)[:ANCHORS]


def _within(anchors: Sequence[tuple[str, int, int]], chunk: Row) -> list[int]:
    """The symbols that begin in a source chunk, or the one it is inside of."""
    first = chunk["anchor"]
    if first < 0:
        return []
    return [first, *(n for n in range(first + 1, len(anchors)) if anchors[n][2] <= chunk["last_line"])]


def _chunks(session: Session, candidates: Sequence[Candidate]) -> dict[int, Row]:
    wanted = [chunk for each in candidates for chunk in each.chunks[:6]]
    return {row["rid"]: row for row in rows.chunks(session, wanted)}
