"""Text to unit vectors: loaded in the background, never in a reply's way."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.model_files import ModelFiles, find_model
from cuedeck.search.vector_cache import VectorCache

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.config.sections import SearchSection
    from cuedeck.search.encoder import Encoder

    Vectors = npt.NDArray[np.float32]

CLOSING_SECONDS = 60.0
_HINT = (
    "Keyword search works without it. `make model` installs the default model; `search.model` names another."
)


class Embedder(Protocol):
    """What engines need of an embedding model."""

    @property
    def model(self) -> str:
        """Name and weight hash; vectors of different models are never compared."""

    @property
    def unavailable(self) -> str | None:
        """Why there will be no vectors, in a sentence; None when there are or may still be."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text, waiting as long as it takes; raises when there is no model."""

    def try_embed(self, texts: Sequence[str], timeout: float) -> Vectors | None:
        """The same within so many seconds, or nothing."""


class NoEmbedder:
    """Stands where a model is switched off or missing, and says why."""

    model = "none"

    def __init__(self, reason: str) -> None:
        self.unavailable = reason

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise CueError(ErrorCode.EMBEDDING, self.unavailable, hint=_HINT)

    def try_embed(self, texts: Sequence[str], timeout: float) -> Vectors | None:
        return None


class OnnxEmbedder:
    """An ONNX sentence encoder that loads on first use, on a thread of its own."""

    def __init__(self, files: ModelFiles, *, threads: int = 2) -> None:
        self._files = files
        self._threads = threads
        self._cache = VectorCache()
        self._encoder: Encoder | None = None
        self._failure: str | None = None
        self._loaded = threading.Event()
        self._loading = threading.Lock()
        self._started = self._closed = False
        self._working = 0
        self._idle = threading.Condition()

    @property
    def model(self) -> str:
        return self._files.identity

    @property
    def unavailable(self) -> str | None:
        return self._failure

    def start(self) -> None:
        """Begin to load, without waiting."""
        with self._loading:
            if not self._started:
                self._started = True
                threading.Thread(target=self._load, name="load-model", daemon=True).start()

    def close(self) -> None:
        """Wait until no thread is inside the model: one that is when Python ends takes the process along."""
        with self._idle:
            self._closed = True
        if self._started and self._loaded.wait(CLOSING_SECONDS):
            with self._idle:
                self._idle.wait_for(lambda: not self._working, CLOSING_SECONDS)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._wait(None), None)

    def try_embed(self, texts: Sequence[str], timeout: float) -> Vectors | None:
        deadline = time.monotonic() + timeout
        try:
            return self._embed(texts, self._wait(timeout), deadline)
        except TimeoutError:
            return None
        except CueError as error:
            if error.code is not ErrorCode.EMBEDDING:
                raise
            return None

    def _wait(self, timeout: float | None) -> Encoder:
        self.start()
        if not self._loaded.wait(timeout):
            raise TimeoutError
        if self._encoder is None:
            raise CueError(ErrorCode.EMBEDDING, self._failure or "The model did not load.", hint=_HINT)
        return self._encoder

    def _load(self) -> None:
        try:
            from cuedeck.search.encoder import Encoder

            self._encoder = Encoder(self._files, threads=self._threads)
        except Exception as error:  # noqa: BLE001 - a broken model file may raise anything
            self._failure = f"The embedding model {self._files.model.name} does not load: {error}"
        finally:
            self._loaded.set()

    def _embed(self, texts: Sequence[str], encoder: Encoder, deadline: float | None) -> Vectors:
        import numpy as np

        found = self._cache.get(texts)
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        with self._at_work():
            for text, vector in encoder.encode(missing, deadline):
                found[text] = vector
                self._cache.put(text, vector)
        if not texts:
            return np.zeros((0, encoder.length), np.float32)
        return np.stack([found[text] for text in texts])

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._idle:
            if self._closed:
                raise CueError(ErrorCode.EMBEDDING, "The embedding model is closed.", hint="Open it again.")
            self._working += 1
        try:
            yield
        finally:
            with self._idle:
                self._working -= 1
                self._idle.notify_all()


def open_embedder(section: SearchSection, root: Path) -> OnnxEmbedder | NoEmbedder:
    """The embedder that the settings ask for; model paths are relative to the workspace."""
    if not section.enabled:
        return NoEmbedder("Vectors are switched off by search.enabled.")
    files = find_model(section, root)
    if isinstance(files, str):
        return NoEmbedder(files)
    return OnnxEmbedder(files, threads=section.threads)
