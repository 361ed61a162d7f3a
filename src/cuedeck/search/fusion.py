"""One ranking out of several, each score still showing what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

RANK_CONSTANT: Final = 60
# Agreement beyond the first dozen of each list is noise.
RANK_WINDOW: Final = 12
KEYWORD: Final = "keyword"
SEMANTIC: Final = "semantic"


@dataclass(frozen=True, slots=True)
class Ranked(Generic[K]):
    """A result, its score from 0 to 1, and each source's part in it; the parts sum to the score."""

    key: K
    score: float
    parts: Mapping[str, float]


def reciprocal_rank(
    sources: Mapping[str, Sequence[K]],
    *,
    order: Callable[[K], Any],
    limit: int | None = None,
) -> list[Ranked[K]]:
    """Reciprocal rank fusion of best-first lists, scaled so that first in every list is 1.

    A rank after the window counts a hundredth: it still orders the tail. ``order`` breaks ties, is asked only
    of equals, and must tell any two keys apart.
    """
    scale = (RANK_CONSTANT + 1) / len(sources) if sources else 0.0
    parts = {
        name: {
            key: scale * (1.0 if rank <= RANK_WINDOW else 0.01) / (RANK_CONSTANT + rank)
            for rank, key in enumerate(dict.fromkeys(keys), start=1)
        }
        for name, keys in sources.items()
    }
    return _ranked(parts, order, limit)


def weighted_blend(
    keyword: Mapping[K, float],
    cosines: Mapping[K, float],
    *,
    order: Callable[[K], Any],
    semantic_weight: float = 0.7,
    limit: int | None = None,
) -> list[Ranked[K]]:
    """A weighted sum of BM25, as a share of the best, and cosine, where opposite meaning counts 0.

    Candidates are the keys of both; one that a side does not know counts 0 there, so give the cosines
    of keyword hits too (``candidate_cosines``). ``order`` breaks ties and must tell any two keys apart.
    """
    return _ranked(_blended(keyword, cosines, semantic_weight), order, limit)


def blend_order(
    keyword: Mapping[K, float],
    cosines: Mapping[K, float],
    *,
    order: Callable[[K], Any],
    semantic_weight: float = 0.7,
) -> list[K]:
    """The keys as ``weighted_blend`` ranks them."""
    return best_first(_totals(_blended(keyword, cosines, semantic_weight)), order)


def share_of_best(scores: Mapping[K, float]) -> dict[K, float]:
    """Each score as a share of the highest, from 0 to 1."""
    best = max(scores.values(), default=0.0)
    return {key: max(score, 0.0) / best if best > 0 else 0.0 for key, score in scores.items()}


def _blended(
    keyword: Mapping[K, float], cosines: Mapping[K, float], semantic_weight: float
) -> dict[str, dict[K, float]]:
    words = share_of_best(keyword)
    return {
        SEMANTIC: {key: semantic_weight * min(max(cosine, 0.0), 1.0) for key, cosine in cosines.items()},
        KEYWORD: {key: (1.0 - semantic_weight) * share for key, share in words.items()},
    }


def _ranked(
    parts: Mapping[str, Mapping[K, float]], order: Callable[[K], Any], limit: int | None
) -> list[Ranked[K]]:
    totals = _totals(parts)
    return [
        Ranked(key, totals[key], {name: each.get(key, 0.0) for name, each in parts.items()})
        for key in best_first(totals, order)[:limit]
    ]


def _totals(parts: Mapping[str, Mapping[K, float]]) -> dict[K, float]:
    """Sums in the order of the sources, so that a score is the sum of its parts to the last digit."""
    totals: dict[K, float] = {}
    for each in parts.values():
        for key, part in each.items():
            totals[key] = totals.get(key, 0.0) + part
    return totals


def best_first(scores: Mapping[K, float], order: Callable[[K], Any]) -> list[K]:
    """The keys by score; ``order`` is asked only of those whose scores are equal."""
    ranked: list[K] = []
    for _, equal in groupby(sorted(scores, key=scores.__getitem__, reverse=True), scores.__getitem__):
        keys = list(equal)
        ranked += sorted(keys, key=order) if len(keys) > 1 else keys
    return ranked
