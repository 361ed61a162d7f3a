"""The cosines that a blend needs: of the nearest records and of every keyword hit."""

from __future__ import annotations

from collections.abc import Collection

from cuedeck.store.protocol import Scope, Vector, VectorIndex


def candidate_cosines(
    index: VectorIndex,
    query: Vector,
    *,
    model: str,
    also: Collection[int] = (),
    scope: Scope = (),
    limit: int = 100,
) -> dict[int, float]:
    """Cosines of the nearest records, best first, then of the ``also`` records that are not among them.

    A keyword hit whose cosine is left out would count as if it meant nothing like the query.
    """
    found = {hit.id: hit.cosine for hit in index.nearest(query, model=model, scope=scope, limit=limit)}
    missing = sorted(set(also) - found.keys())
    vectors = index.get(missing, model=model) if missing else {}
    return found | {number: float(vector @ query) for number, vector in sorted(vectors.items())}
