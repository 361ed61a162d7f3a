"""What documents and their chunks hold of a query's terms, whichever parts of them the terms stand in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cuedeck.documents.sections import CHUNK_BYTES
from cuedeck.store import bm25
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Session
from cuedeck.store.schema.documents import DOCUMENT_TEXT

Shares = Mapping[str, float]

# BM25 once more, over what a document's parts hold of a term instead of over its words; a part counts
# up to 2.2, so frequencies saturate later than those of words.
_SATURATION = 2.0


def whole_scores(session: Session, terms: Sequence[str], documents: Collection[int]) -> Mapping[int, Shares]:
    """The score of each of the documents, term by term."""
    index = session.text(DOCUMENT_TEXT)
    statistics = index.statistics(terms)
    chunks = rows.extents(session, documents)
    home = {chunk: document for chunk, document, _ in chunks}
    lengths = _lengths(chunks)
    mean = rows.mean_size(session, CHUNK_BYTES)
    found: dict[int, dict[str, float]] = {document: {} for document in lengths}
    for term, strengths in index.strengths(terms, home).items():
        held: dict[int, float] = {}
        for chunk, strength in strengths.items():
            held[home[chunk]] = held.get(home[chunk], 0.0) + strength
        weight = bm25.idf(statistics.documents, statistics.frequencies[term])
        for document, strength in held.items():
            norm = _SATURATION * (1.0 - bm25.B + bm25.B * lengths[document] / mean)
            found[document][term] = weight * strength * (_SATURATION + 1.0) / (strength + norm)
    return found


def held_shares(session: Session, terms: Sequence[str], chunks: Collection[int]) -> dict[int, float]:
    """How much of what the terms tell each of the chunks holds, from 0 to 1."""
    index = session.text(DOCUMENT_TEXT)
    statistics = index.statistics(terms)
    held = dict.fromkeys(chunks, 0.0)
    told = 0.0
    for term, strengths in index.strengths(terms, chunks).items():
        weight = bm25.idf(statistics.documents, statistics.frequencies[term])
        told += weight
        for chunk in strengths:
            held[chunk] += weight
    return {chunk: weight / told for chunk, weight in held.items()} if told else held


def _lengths(chunks: Sequence[tuple[int, int, int]]) -> dict[int, float]:
    """How long documents are; nothing is shorter than one chunk may be, for among notes that says nothing."""
    sizes: dict[int, int] = {}
    for _, document, size in chunks:
        sizes[document] = sizes.get(document, 0) + size
    return {document: float(max(CHUNK_BYTES, size)) for document, size in sizes.items()}
