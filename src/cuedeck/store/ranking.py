"""BM25 over postings held as arrays, in the same order of operations as ``bm25.breakdown``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from cuedeck.store import bm25
from cuedeck.store.pieces import Mask, Run, State
from cuedeck.store.protocol import TextHit, TextSpec

Scores = npt.NDArray[np.float64]


def inside(state: State, groups: Sequence[Sequence[Run]]) -> Mask | None:
    """Which records share a token with every group; None when all do, for there is no group."""
    found: Mask | None = None
    for group in groups:
        mask = np.zeros(len(state.ids), dtype=bool)
        for run in group:
            mask[run.places] = True
        found = mask if found is None else found & mask
    return found


def holding(state: State, groups: Sequence[Sequence[Run]]) -> list[int]:
    """The ids of those records, ascending."""
    mask = inside(state, groups)
    assert mask is not None, "at least the terms are a group"
    found: list[int] = np.sort(state.ids[mask]).tolist()
    return found


def among(state: State, ids: Collection[int]) -> Mask:
    """Which records these ids are."""
    found: Mask = np.isin(state.ids, np.array(sorted(ids), dtype=np.int64))
    return found


def best(
    state: State,
    spec: TextSpec,
    weighed: Sequence[tuple[float, Run]],
    admitted: Mask | None,
    limit: int,
) -> list[TextHit]:
    """The best by the sum over terms, given with their idf; ties go to the lower id."""
    scores = np.zeros(len(state.ids), dtype=np.float64)
    matched = np.zeros(len(state.ids), dtype=bool)
    for idf, run in weighed:
        held = run if admitted is None else _narrowed(run, admitted)
        scores[held.places] += idf * _strength(state, spec, held)
        matched[held.places] = True
    places = np.flatnonzero(matched)
    if len(places) > limit:
        least = np.partition(scores[places], len(places) - limit)[len(places) - limit]
        places = places[scores[places] >= least]
    order = np.lexsort((state.ids[places], -scores[places]))[:limit]
    chosen = places[order]
    return [TextHit(*each) for each in zip(state.ids[chosen].tolist(), scores[chosen].tolist(), strict=True)]


def strengths(state: State, spec: TextSpec, run: Run, chosen: Mask) -> dict[int, float]:
    """How strongly each of the chosen records holds a term."""
    held = _narrowed(run, chosen)
    found = zip(state.ids[held.places].tolist(), _strength(state, spec, held).tolist(), strict=True)
    return {number: strength for number, strength in found if strength > 0.0}


def _narrowed(run: Run, mask: Mask) -> Run:
    kept = np.flatnonzero(mask[run.places])
    return Run(run.places[kept], run.counts[kept])


def _strength(state: State, spec: TextSpec, run: Run) -> Scores:
    weighted = np.zeros(len(run.places), dtype=np.float64)
    for at, (_, weight) in enumerate(spec.fields):
        weighted += weight * run.counts[:, at]
    mean = sum(state.totals) / max(state.documents, 1)
    norm = bm25.K1 * (1.0 - bm25.B + bm25.B * state.lengths[run.places] / mean)
    strength: Scores = (weighted * (bm25.K1 + 1.0)) / (weighted + norm)
    return strength
