"""One ranking out of several, each score still showing what it is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

RANK_CONSTANT: Final = 60
RANK_WINDOW: Final = 20
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
    k: int = RANK_CONSTANT,
    window: int = RANK_WINDOW,
) -> list[Ranked[K]]:
    """Reciprocal rank fusion of best-first lists, scaled so that first in every list is 1.

    A rank after the window counts a hundredth: agreement far down the lists is noise, yet it still
    orders the tail. ``order`` breaks ties and must tell any two keys apart.
    """
    scale = (k + 1) / len(sources) if sources else 0.0
    parts: dict[K, dict[str, float]] = defaultdict(lambda: dict.fromkeys(sources, 0.0))
    for name, keys in sources.items():
        for rank, key in enumerate(dict.fromkeys(keys), start=1):
            weight = 1.0 if rank <= window else 0.01
            parts[key][name] = scale * weight / (k + rank)
    return _best_first(parts, order)


def weighted_blend(
    keyword: Mapping[K, float],
    cosines: Mapping[K, float],
    *,
    order: Callable[[K], Any],
    semantic_weight: float = 0.7,
) -> list[Ranked[K]]:
    """A weighted sum of BM25, as a share of the best, and cosine, where opposite meaning counts 0.

    Candidates are the keys of both; one that a side does not know counts 0 there, so give the cosines
    of keyword hits too (``candidate_cosines``). ``order`` breaks ties and must tell any two keys apart.
    """
    words = share_of_best(keyword)
    parts = {
        key: {
            SEMANTIC: semantic_weight * min(max(cosines.get(key, 0.0), 0.0), 1.0),
            KEYWORD: (1.0 - semantic_weight) * words.get(key, 0.0),
        }
        for key in {**keyword, **cosines}
    }
    return _best_first(parts, order)


def share_of_best(scores: Mapping[K, float]) -> dict[K, float]:
    """Each score as a share of the highest, from 0 to 1."""
    best = max(scores.values(), default=0.0)
    return {key: max(score, 0.0) / best if best > 0 else 0.0 for key, score in scores.items()}


def _best_first(parts: Mapping[K, Mapping[str, float]], order: Callable[[K], Any]) -> list[Ranked[K]]:
    ranked: Iterable[Ranked[K]] = (Ranked(key, sum(each.values()), each) for key, each in parts.items())
    return sorted(ranked, key=lambda one: (-one.score, order(one.key)))
