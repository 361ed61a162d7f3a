"""Vectors as both engines keep them: checked, and rounded to half precision."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cuedeck.store.protocol import Vector, VectorSpec

if TYPE_CHECKING:
    import numpy as np

_FINITE = bytes(high for high in range(256) if high & 0x7C != 0x7C)


def halves(vector: Vector, spec: VectorSpec) -> bytes:
    """A vector as it is stored, of the right length and finite."""
    made = vector.astype(_half()).tobytes()
    # Only the high bytes of infinities and of what is no number are left over.
    if vector.shape != (spec.dimensions,) or made[1::2].translate(None, _FINITE):
        raise ValueError(f"{spec.name}: a vector must have {spec.dimensions} finite numbers")
    return made


def halved(vector: Vector) -> Vector:
    """The vector as it will come back from the store."""
    return vector.astype(_half()).astype(vector.dtype)


def cosines(vectors: Vector, query: Vector) -> list[float]:
    """Row by row, so that a score does not depend on how many others were asked about."""
    import numpy as np

    found: list[float] = np.einsum("ij,j->i", vectors, query, optimize=False).tolist()
    return found


@cache
def _half() -> np.dtype[np.float16]:
    import numpy as np

    return np.dtype("<f2")
