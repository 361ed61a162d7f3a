"""The loaded model: tokenizer and ONNX session."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

# The runtime reports to its maker and keeps an id in the home folder, unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from cuedeck.search.model_files import ModelFiles

Vector = npt.NDArray[np.float32]

WINDOW_TOKENS: Final = 256
MAX_WINDOWS: Final = 8
_SLICE_CHARACTERS: Final = 1_024
# Of every vector that is stored.
LENGTH: Final = 384


class Encoder:
    """One text at a time, so that a vector depends on its text alone.

    Integer models scale activations over the whole batch: in a batch the same text would get another
    vector with other neighbours. Threads over single texts are as fast, and deterministic.
    """

    def __init__(self, files: ModelFiles, *, threads: int) -> None:
        self._session = _session(files)
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW_TOKENS)
        self._pooling = files.pooling
        self._threads = threads
        self._token_seconds = 0.0
        made = len(self._window_vector(*_ids(self._tokenizer.encode("dimension"))))
        if made > LENGTH:
            raise ValueError(f"its vectors have {made} numbers, and {LENGTH} are stored")
        # Zeros behind shorter vectors change no angle between them.
        self._missing = LENGTH - made
        self.length = LENGTH

    def encode(self, texts: Sequence[str], deadline: float | None = None) -> Iterator[tuple[str, Vector]]:
        """Each text with its unit vector, in order; raises TimeoutError when the time is up."""
        if len(texts) == 1 or self._threads == 1:
            for text in texts:
                yield text, self._vector(text, deadline)
            return
        with ThreadPoolExecutor(self._threads, thread_name_prefix="embed") as pool:
            futures = [pool.submit(self._vector, text, deadline) for text in texts]
            try:
                for text, future in zip(texts, futures, strict=True):
                    yield text, future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _vector(self, text: str, deadline: float | None) -> Vector:
        encoding = self._tokenizer.encode(sampled(text))
        windows = [_ids(window) for window in (encoding, *encoding.overflowing)]
        total = np.zeros(1, np.float32)
        for ids, mask in windows[:MAX_WINDOWS]:
            started = time.monotonic()
            if deadline is not None and started + ids.size * self._token_seconds > deadline:
                raise TimeoutError
            total = total + self._window_vector(ids, mask) * np.float32(ids.size)
            self._token_seconds = (time.monotonic() - started) / ids.size
        return np.pad(_unit(total), (0, self._missing)) if self._missing else _unit(total)

    def _window_vector(self, ids: npt.NDArray[np.int64], mask: npt.NDArray[np.int64]) -> Vector:
        offered = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {name: offered[name] for name in self._inputs})[0]
        if output.ndim == 3:
            output = output[:, 0] if self._pooling == "cls" else output.mean(axis=1)
        return _unit(output[0].astype(np.float32))


def sampled(text: str) -> str:
    """The text, or evenly spaced slices of one that is too long to read whole."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= MAX_WINDOWS * _SLICE_CHARACTERS:
        return text
    last = len(text) - _SLICE_CHARACTERS
    starts = (last * number // (MAX_WINDOWS - 1) for number in range(MAX_WINDOWS))
    return " ".join(text[start : start + _SLICE_CHARACTERS] for start in starts)


def _session(files: ModelFiles) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])


def _ids(encoding: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    return np.array([encoding.ids], np.int64), np.array([encoding.attention_mask], np.int64)


def _unit(vector: Vector) -> Vector:
    norm = float(np.linalg.norm(vector))
    return vector / np.float32(norm) if norm > 0 else vector
