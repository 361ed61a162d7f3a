"""Vectors as both engines keep them: checked, and rounded to half precision."""

from __future__ import annotations

import numpy as np

from cuedeck.store.protocol import Vector, VectorRecord, VectorSpec


def checked(record: VectorRecord, spec: VectorSpec) -> Vector:
    """The record's vector, of the right length and finite."""
    vector = np.asarray(record.vector, dtype=np.float32)
    if vector.shape != (spec.dimensions,) or not np.isfinite(vector).all():
        raise ValueError(f"{spec.name}: a vector must have {spec.dimensions} finite numbers")
    return vector


def halved(vector: Vector) -> Vector:
    """The vector as it will come back from the store."""
    return np.asarray(vector, dtype=np.float32).astype(np.float16).astype(np.float32)


def cosines(vectors: Vector, query: Vector) -> list[float]:
    """Row by row, so that a score does not depend on how many others were asked about."""
    found: list[float] = np.einsum("ij,j->i", vectors, query, optimize=False).tolist()
    return found
