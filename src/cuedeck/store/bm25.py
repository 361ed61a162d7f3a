"""BM25 as both engines compute it, for explanations that add up to the last digit.

    score(D) = sum over terms of idf(t) * f * (k1 + 1) / (f + k1 * (1 - b + b * |D| / mean length))
    idf(t)   = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))

``f`` is the sum of the field weights over the term's occurrences, ``|D|`` counts every token of the
record including its scope tokens, k1 = 1.2, b = 0.75.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from cuedeck.store.protocol import TextRecord, TextSpec, TextStatistics

K1 = 1.2
B = 0.75
# A term is left out when it is in more than this share of the records, and in more than so many:
# in a small index it costs little and still tells something.
COMMON = 0.2
MANY = 20_000
MOST_TERMS = 64


def idf(documents: int, frequency: int) -> float:
    """How much a term tells; never nothing, for in a small index every word is common."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def chosen(terms: Sequence[str], documents: int, frequencies: Mapping[str, int]) -> list[str]:
    """The terms that take part in a ranking, in the query's order.

    Unknown terms match nothing. In a large index a term that most records hold is left out when a
    rarer one is there, for it costs much and tells little. Of very long queries the rarest terms stay.
    """
    known = [term for term in dict.fromkeys(terms) if frequencies.get(term, 0) > 0]
    rare = [term for term in known if frequencies[term] <= max(MANY, COMMON * documents)]
    kept = rare or known
    if len(kept) <= MOST_TERMS:
        return kept
    best = set(sorted(kept, key=lambda term: (frequencies[term], term))[:MOST_TERMS])
    return [term for term in kept if term in best]


def breakdown(
    spec: TextSpec, record: TextRecord, terms: Sequence[str], statistics: TextStatistics
) -> dict[str, float]:
    """Each term's part in the record's score; the parts sum, in order, to what ``match`` returns."""
    length = float(len(set(record.scope)) + sum(len(record.fields.get(name, ())) for name, _ in spec.fields))
    counts = [(weight, Counter(record.fields.get(name, ()))) for name, weight in spec.fields]
    parts = {}
    for term in chosen(terms, statistics.documents, statistics.frequencies):
        weighted = 0.0
        for weight, held in counts:
            weighted += weight * held[term]
        norm = weighted + K1 * (1.0 - B + B * length / statistics.mean_length)
        parts[term] = idf(statistics.documents, statistics.frequencies[term]) * (
            (weighted * (K1 + 1.0)) / norm if weighted else 0.0
        )
    return parts
