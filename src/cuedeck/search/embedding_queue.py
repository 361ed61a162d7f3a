"""Vectors for what was just stored or indexed, made in the background."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.search.embedder import Embedder

    Vector = npt.NDArray[np.float32]

log = logging.getLogger(__name__)

BATCH: Final = 32
# So many batches may wait for a busy store before the model rests.
WAITING: Final = 16
ATTEMPTS: Final = 4

# One queue at a time works for the whole process, so that background work never takes all cores.
_BACKGROUND: Final = threading.Lock()

K = TypeVar("K", bound=Hashable)


class EmbeddingQueue(Generic[K]):
    """Holds keys only; texts are loaded, embedded and handed on a batch at a time.

    ``load`` gives the texts of some keys, leaving out those that are gone. ``sink`` stores a batch of
    vectors, on a thread of its own while the next batches are embedded; never two batches at once. What
    fails is tried again, at last alone, and given up after some attempts, which ``gave_up`` is told.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        load: Callable[[Sequence[K]], Mapping[K, str]],
        sink: Callable[[Mapping[K, Vector]], None],
        gave_up: Callable[[K], None] | None = None,
        batch: int = BATCH,
        back_off: float = 0.2,
    ) -> None:
        self._embedder = embedder
        self._load = load
        self._sink = sink
        self._gave_up = gave_up
        self._batch = batch
        self._back_off = back_off
        self._keys: dict[K, None] = {}
        self._working: set[K] = set()
        self._failures: Counter[K] = Counter()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def pending(self) -> int:
        """How many keys still wait for their vector."""
        with self._changed:
            return len(self._keys.keys() | self._working)

    @property
    def waiting(self) -> bool:
        """Whether there are keys that no batch has taken up yet."""
        return bool(self._keys)

    def add(self, keys: Iterable[K]) -> None:
        """Ask for vectors of these keys; one that already waits is not asked for twice."""
        with self._changed:
            if self._closed:
                return
            self._keys.update(dict.fromkeys(keys))
            if self._keys and self._thread is None and self._embedder.unavailable is None:
                self._thread = threading.Thread(target=self._run, name="embedding-queue", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def drain(self, timeout: float) -> bool:
        """Wait until nothing is pending; whether that came true in time."""
        with self._changed:
            return (
                self._changed.wait_for(
                    lambda: (not self._keys and not self._working) or self._thread is None, timeout
                )
                and not self._keys
            )

    def close(self, timeout: float = 5.0) -> None:
        """Finish the batch at hand and stop; what still waits is found again at the next start."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _run(self) -> None:
        with ThreadPoolExecutor(1, thread_name_prefix="embedding-sink") as sinks:
            storing: deque[Future[None]] = deque()
            while batch := self._next_batch():
                try:
                    vectors = self._vectors(batch)
                except CueError as error:
                    if error.code is ErrorCode.EMBEDDING and self._embedder.unavailable is not None:
                        self._stop(batch)
                        return
                    self._failed(batch, error)
                except Exception as error:  # noqa: BLE001 - the next batch must not suffer
                    self._failed(batch, error)
                else:
                    storing.append(sinks.submit(self._store, batch, vectors))
                    if len(storing) > WAITING:
                        storing.popleft().result()

    def _next_batch(self) -> tuple[K, ...]:
        with self._changed:
            self._changed.wait_for(lambda: next(self._idle(), None) is not None or self._closed)
            if self._closed:
                return ()
            # What failed before is tried alone, so that it cannot spoil its neighbours again.
            size = 1 if next(self._idle()) in self._failures else self._batch
            batch = tuple(islice(self._idle(), size))
            for key in batch:
                del self._keys[key]
            self._working.update(batch)
            return batch

    def _idle(self) -> Iterator[K]:
        """What waits; a key asked for again while it is being stored has to wait until it is."""
        return (key for key in self._keys if key not in self._working)

    def _vectors(self, batch: Sequence[K]) -> Mapping[K, Vector]:
        texts = self._load(batch)
        if not texts:
            return {}
        with _BACKGROUND:
            vectors = self._embedder.embed(list(texts.values()))
        return dict(zip(texts, vectors, strict=True))

    def _store(self, batch: Sequence[K], vectors: Mapping[K, Vector]) -> None:
        try:
            if vectors:
                self._sink(vectors)
        except Exception as error:  # noqa: BLE001 - the next batch must not suffer
            self._failed(batch, error)
        else:
            self._done(batch)

    def _done(self, batch: Sequence[K]) -> None:
        with self._changed:
            for key in batch:
                self._failures.pop(key, None)
            self._finish(batch)

    def _finish(self, batch: Sequence[K]) -> None:
        """The batch is nobody's work any more; the caller holds the lock."""
        self._working.difference_update(batch)
        self._changed.notify_all()

    def _failed(self, batch: Sequence[K], error: Exception) -> None:
        with self._changed:
            self._failures.update(batch)
            attempt = max(self._failures[key] for key in batch)
            for key in batch:
                if self._failures[key] < ATTEMPTS:
                    self._keys[key] = None
                else:
                    del self._failures[key]
                    log.warning("No vector for %r after %d attempts: %s", key, ATTEMPTS, error)
                    if self._gave_up is not None:
                        self._gave_up(key)
            self._finish(batch)
            self._changed.wait_for(lambda: self._closed, self._back_off * 2 ** (attempt - 1))

    def _stop(self, batch: Sequence[K]) -> None:
        """There is no model: keep what waits, so that the count stays true, and end the thread."""
        with self._changed:
            self._keys.update(dict.fromkeys(batch))
            self._thread = None
            self._finish(batch)
