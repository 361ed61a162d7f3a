"""Vectors as both engines keep them: checked, and rounded to half precision."""

from __future__ import annotations

import numpy as np

from cuedeck.store.protocol import Vector, VectorRecord, VectorSpec

_HALF = np.dtype("<f2")
_FINITE = bytes(high for high in range(256) if high & 0x7C != 0x7C)


def halves(record: VectorRecord, spec: VectorSpec) -> bytes:
    """The record's vector as it is stored, of the right length and finite."""
    vector = np.asarray(record.vector, dtype=np.float32)
    made = vector.astype(_HALF).tobytes()
    # Only the high bytes of infinities and of what is no number are left over.
    if vector.shape != (spec.dimensions,) or made[1::2].translate(None, _FINITE):
        raise ValueError(f"{spec.name}: a vector must have {spec.dimensions} finite numbers")
    return made


def halved(vector: Vector) -> Vector:
    """The vector as it will come back from the store."""
    return np.asarray(vector, dtype=np.float32).astype(np.float16).astype(np.float32)


def cosines(vectors: Vector, query: Vector) -> list[float]:
    """Row by row, so that a score does not depend on how many others were asked about."""
    found: list[float] = np.einsum("ij,j->i", vectors, query, optimize=False).tolist()
    return found
