"""Vectors of texts seen lately, by content."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

CAPACITY: Final = 2_048


class VectorCache:
    """Keeps the most recently used vectors; safe to use from several threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, texts: Iterable[str]) -> dict[str, Vector]:
        """The vectors that are known, by text."""
        found = {}
        for text in texts:
            key = _key(text)
            with self._guard:
                vector = self._vectors.get(key)
                if vector is not None:
                    self._vectors.move_to_end(key)
                    found[text] = vector
        return found

    def put(self, text: str, vector: Vector) -> None:
        """Remember a vector, forgetting the one unused for longest."""
        with self._guard:
            self._vectors[_key(text)] = vector
            if len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
