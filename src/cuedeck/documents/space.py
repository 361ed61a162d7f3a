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
# The directions in which passages differ most; all others count alike.
_WIDEST = 128
# How much of the difference between directions is evened out: 0 none, 1 all of it.
_EVENING = 0.7
# Directions in which passages hardly differ hold noise; none counts as narrower than this share of the mean.
_NARROWEST = 0.03
# Products of more rows would be shared out between threads, which cost more than they save.
_ROWS = 4


@dataclass(frozen=True, slots=True)
class Space:
    """Where the passages lie, and directions that count less, as long as the root of how much less."""

    mean: Floats
    less: Floats

    def cosines(self, vectors: Floats, vector: Vector) -> list[float]:
        """How near each of the vectors is to one."""
        import numpy as np

        centred = np.concatenate([vectors, vector[None, :]]) - self.mean
        along = self._along(centred)
        query, query_along = centred[-1], along[-1]
        products = np.vecdot(centred, query) - np.vecdot(along, query_along)
        squares = np.vecdot(centred, centred) - np.vecdot(along, along)
        lengths = np.sqrt(np.maximum(squares * squares[-1], 1e-12))
        found: list[float] = np.clip(products / lengths, -1.0, 1.0)[:-1].tolist()
        return found

    def packed(self) -> bytes:
        """The space as it is stored."""
        return self.mean.astype("<f4").tobytes() + self.less.astype("<f4").tobytes()

    @classmethod
    def unpacked(cls, stored: bytes, dimensions: int) -> Space:
        """The space that was stored."""
        import numpy as np

        numbers = np.frombuffer(stored, dtype="<f4").reshape(-1, dimensions)
        return cls(numbers[0], numbers[1:])

    @classmethod
    def of(cls, vectors: Floats) -> Space:
        """The space of some passages."""
        import numpy as np

        mean = vectors.mean(axis=0, dtype=np.float64)
        centred = vectors.astype(np.float64) - mean
        widths, directions = np.linalg.eigh(centred.T @ centred / len(vectors))
        widths = np.maximum(widths, 0.0) + _NARROWEST * max(float(widths.mean()), 1e-12)
        weights = widths**-_EVENING
        widest = min(_WIDEST, len(widths) // 3)
        others = float(weights[:-widest].mean())
        less = np.sqrt(np.maximum(1.0 - weights[-widest:] / others, 0.0))
        return cls(mean.astype(np.float32), (directions[:, -widest:] * less).T.astype(np.float32))

    def _along(self, centred: Floats) -> Floats:
        import numpy as np

        found = np.empty((len(centred), len(self.less)), dtype=np.float32)
        for start in range(0, len(centred), _ROWS):
            rows = slice(start, start + _ROWS)
            np.matmul(centred[rows], self.less.T, out=found[rows])
        return found
