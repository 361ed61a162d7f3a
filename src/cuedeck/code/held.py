"""What was read or worked out, until it takes too much memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Held(Generic[K, V]):
    """Values, each with its weight, mostly in bytes; when all weigh more than the limit, the oldest go."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.weight = 0
        self.values: OrderedDict[K, V] = OrderedDict()
        self._weights: dict[K, int] = {}
        self._lock = threading.Lock()

    def put(self, key: K, value: V, weight: int) -> V:
        """Hold a value, in place of an earlier one of that key."""
        with self._lock:
            self._drop(key)
            self.values[key] = value
            self._weights[key] = weight
            self.weight += weight
            while self.weight > self.limit and len(self.values) > 1:
                self._drop(next(iter(self.values)))
        return value

    def __iter__(self) -> Iterator[K]:
        with self._lock:
            return iter(list(self.values))

    def drop(self, keys: Iterable[K]) -> None:
        """Let go of some."""
        with self._lock:
            for key in keys:
                self._drop(key)

    def _drop(self, key: K) -> None:
        self.values.pop(key, None)
        self.weight -= self._weights.pop(key, 0)
