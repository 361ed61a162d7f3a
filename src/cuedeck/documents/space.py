"""Cosines in the space of a workspace's own passages: what they all have in common tells them apart least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.store.protocol import Vector

    Floats = npt.NDArray[np.float32]

# Fewer passages say too little about what they have in common.
FEWEST = 256
SAMPLE = 2048
# How much of the difference between directions is evened out: 0 none, 1 all of it.
_EVENING = 0.7
# Directions in which passages hardly differ hold noise; none counts as narrower than this share of the mean.
_NARROWEST = 0.03


@dataclass(frozen=True, slots=True)
class Space:
    """Where the passages lie, and how much a step in any direction counts."""

    mean: Floats
    metric: Floats

    def cosines(self, vectors: Floats, vector: Vector) -> list[float]:
        """How near each of the vectors is to one."""
        import numpy as np

        query = vector - self.mean
        turned = self.metric @ query
        centred = vectors - self.mean
        squares = np.einsum("ij,ij->i", centred @ self.metric, centred)
        lengths = np.sqrt(np.maximum(squares * (query @ turned), 1e-12))
        found: list[float] = np.clip((centred @ turned) / lengths, -1.0, 1.0).tolist()
        return found

    def packed(self) -> bytes:
        """The space as it is stored."""
        return self.mean.astype("<f4").tobytes() + self.metric.astype("<f4").tobytes()

    @classmethod
    def unpacked(cls, stored: bytes, dimensions: int) -> Space:
        """The space that was stored."""
        import numpy as np

        numbers = np.frombuffer(stored, dtype="<f4").reshape(dimensions + 1, dimensions)
        return cls(numbers[0], numbers[1:])

    @classmethod
    def of(cls, vectors: Floats) -> Space:
        """The space of some passages."""
        import numpy as np

        mean = vectors.mean(axis=0, dtype=np.float64)
        centred = vectors.astype(np.float64) - mean
        widths, directions = np.linalg.eigh(centred.T @ centred / len(vectors))
        widths = np.maximum(widths, 0.0) + _NARROWEST * max(float(widths.mean()), 1e-12)
        metric = (directions * (widths / widths.mean()) ** -_EVENING) @ directions.T
        return cls(mean.astype(np.float32), metric.astype(np.float32))
