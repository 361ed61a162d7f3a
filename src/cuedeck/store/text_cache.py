"""What a process keeps of its text indexes between questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.store.pieces import Postings, State

RUNS_KEPT_BYTES = 32 << 20
_RUN_BYTES = 300


class TextCache:
    """The state of each index seen last, and runs used lately; neither ever changes, so neither is stale."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._states: dict[str, State] = {}
        self._runs: OrderedDict[tuple[str, int, int], Postings] = OrderedDict()
        self._bytes = 0

    def state(self, name: str) -> State | None:
        """The state seen last."""
        return self._states.get(name)

    def keep(self, name: str, state: State) -> None:
        """Remember the state seen last."""
        self._states[name] = state

    def runs(self, name: str, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Postings]:
        """The runs that are known, by piece and key."""
        found = {}
        with self._guard:
            for piece, number in wanted:
                key = (name, piece, number)
                run = self._runs.get(key)
                if run is not None:
                    self._runs.move_to_end(key)
                    found[piece, number] = run
        return found

    def add(self, name: str, runs: dict[tuple[int, int], Postings]) -> None:
        """Remember runs, forgetting those unused for longest."""
        with self._guard:
            for (piece, number), run in runs.items():
                if (name, piece, number) not in self._runs:
                    self._bytes += _size(run)
                self._runs[name, piece, number] = run
            while self._bytes > RUNS_KEPT_BYTES:
                _, gone = self._runs.popitem(last=False)
                self._bytes -= _size(gone)


def _size(run: Postings) -> int:
    return _RUN_BYTES + run.nbytes
