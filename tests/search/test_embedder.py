"""The real model, and what happens without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import cuedeck_minilm
import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from cuedeck.config.sections import SearchSection
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.embedder import NoEmbedder, OnnxEmbedder, open_embedder
from cuedeck.search.encoder import MAX_WINDOWS, sampled
from cuedeck.store.schema.memories import MEMORY_VECTORS


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    opened = open_embedder(SearchSection(), Path())
    assert isinstance(opened, OnnxEmbedder)
    return opened


def test_vectors_are_unit_length_and_mean_something(embedder: OnnxEmbedder) -> None:
    texts = [
        "How do I undo the last commit?",
        "git reset HEAD~1 drops the newest commit",
        "Bake it for an hour.",
    ]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


def test_the_model_is_named_with_its_weights(embedder: OnnxEmbedder) -> None:
    assert embedder.model == f"{cuedeck_minilm.MODEL_ID}:{cuedeck_minilm.WEIGHTS_SHA256[:16]}"


def test_a_vector_depends_on_its_text_alone() -> None:
    alone = open_embedder(SearchSection(), Path()).embed(["the cache is stale"])[0]
    company = open_embedder(SearchSection(), Path()).embed(["x" * 50, "the cache is stale", "word " * 200])[1]
    assert np.array_equal(alone, company)


def test_odd_texts_have_vectors(embedder: OnnxEmbedder) -> None:
    texts = ["", " ", "\x00", "\ud800", "🚀", "中文", "a" * 100_000, "same", "same"]
    vectors = embedder.embed(texts)
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors[-1], vectors[-2])
    assert embedder.embed([]).shape == (0, 384)


def test_the_end_of_a_long_text_counts(embedder: OnnxEmbedder) -> None:
    start = "The weather was fine on that day. " * 60
    query, plain, ending = embedder.embed(
        ["database migration rollback", start, start + "A database migration was rolled back. " * 20]
    )
    assert query @ ending > query @ plain + 0.1


def test_a_megabyte_is_sampled_not_read() -> None:
    text = sampled("".join(f"{number:08d}" for number in range(125_000)))
    assert len(text) <= MAX_WINDOWS * 1_025
    assert "00000000" in text
    assert "00124999" in text


def test_nothing_waits_longer_than_its_budget() -> None:
    fresh = open_embedder(SearchSection(), Path())
    started = time.monotonic()
    assert fresh.try_embed(["not loaded yet"], 0.001) is None
    assert time.monotonic() - started < 0.5
    fresh.embed(["loaded"])
    long = ["".join(f"word{number}x{line} " for line in range(900)) for number in range(100)]
    started = time.monotonic()
    assert fresh.try_embed(long, 0.3) is None
    assert time.monotonic() - started < 1.5
    assert fresh.try_embed(["loaded"], 0.1) is not None


def test_closing_waits_until_nobody_is_inside_the_model() -> None:
    fresh = open_embedder(SearchSection(), Path())
    assert isinstance(fresh, OnnxEmbedder)
    long = ["".join(f"word{number}x{line} " for line in range(200)) for number in range(8)]
    asking = threading.Thread(target=fresh.try_embed, args=(long, 30.0))
    asking.start()
    while not fresh._started:
        time.sleep(0.001)
    fresh.close()
    assert fresh._loaded.is_set() and fresh._working == 0
    asking.join()
    assert fresh.try_embed(["later"], 1.0) is None
    with pytest.raises(CueError, match="closed"):
        fresh.embed(["later"])


def test_many_threads_may_ask_at_once(embedder: OnnxEmbedder) -> None:
    expected = {f"text {number}": None for number in range(12)}
    found: dict[str, np.ndarray] = {}

    def ask(text: str) -> None:
        found[text] = embedder.embed([text])[0]

    threads = [threading.Thread(target=ask, args=(text,)) for text in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for text in expected:
        assert np.array_equal(found[text], embedder.embed([text])[0])


def test_switched_off_it_says_so() -> None:
    off = open_embedder(SearchSection(enabled=False), Path())
    assert isinstance(off, NoEmbedder)
    assert off.unavailable == "Vectors are switched off by search.enabled."
    assert off.try_embed(["x"], 1) is None
    with pytest.raises(CueError) as caught:
        off.embed(["x"])
    assert caught.value.code is ErrorCode.EMBEDDING


def test_without_the_package_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuedeck_minilm", None)
    assert "not installed" in str(open_embedder(SearchSection(), Path()).unavailable)


def test_another_model_is_a_setting(tmp_path: Path) -> None:
    shutil.copy(cuedeck_minilm.model_path(), tmp_path / "other.onnx")
    shutil.copy(cuedeck_minilm.tokenizer_path(), tmp_path / "tokenizer.json")
    other = open_embedder(SearchSection(model="other.onnx"), tmp_path)
    assert other.model == f"other:{cuedeck_minilm.WEIGHTS_SHA256[:16]}"
    assert other.embed(["hello"]).shape == (1, 384)


def test_a_model_of_shorter_vectors_serves_too(tmp_path: Path) -> None:
    small_model(tmp_path, length=8)
    small = open_embedder(SearchSection(model="small.onnx"), tmp_path)
    vectors = small.embed(["cat", "dog", "cat dog"])
    assert vectors.shape == (3, MEMORY_VECTORS.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]


def test_a_model_of_longer_vectors_is_refused_with_the_reason(tmp_path: Path) -> None:
    small_model(tmp_path, length=768)
    large = open_embedder(SearchSection(model="small.onnx"), tmp_path)
    assert large.try_embed(["cat"], 30.0) is None
    assert "its vectors have 768 numbers, and 384 are stored" in str(large.unavailable)


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "search.model" in str(open_embedder(SearchSection(model="gone.onnx"), tmp_path).unavailable)
    (tmp_path / "here.onnx").write_bytes(b"x")
    assert "search.tokenizer" in str(open_embedder(SearchSection(model="here.onnx"), tmp_path).unavailable)


def test_a_broken_model_fails_with_a_reason_and_only_once(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    shutil.copy(cuedeck_minilm.tokenizer_path(), tmp_path / "tokenizer.json")
    broken = open_embedder(SearchSection(model="broken.onnx"), tmp_path)
    assert broken.try_embed(["x"], 30) is None
    assert "broken.onnx does not load" in str(broken.unavailable)
    with pytest.raises(CueError, match="does not load"):
        broken.embed(["x"])


def test_importing_the_embedder_loads_no_model_library() -> None:
    code = (
        "import sys; import cuedeck.search.embedder, cuedeck.search.embedding_queue; "
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_runtime_keeps_nothing_about_whoever_runs_it(tmp_path: Path) -> None:
    code = "from cuedeck.search.embedder import open_embedder as o; from cuedeck.config.sections import *\n"
    code += "from pathlib import Path; print(o(SearchSection(), Path()).embed(['a']).shape)"
    environ = {"HOME": str(tmp_path), "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout == "(1, 384)\n"
    assert not list(tmp_path.iterdir())


def small_model(folder: Path, *, length: int) -> None:
    """An ONNX model that looks words up in a table, and its tokenizer."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "cat": 1, "dog": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(1).normal(size=(3, length)).astype("<f4").tobytes()
    shape = b"".join(field(1, field(2, name)) for name in (b"texts", b"tokens"))
    graph = (
        field(1, field(1, b"table") + field(1, b"input_ids") + field(2, b"found") + field(4, b"Gather"))
        + field(2, b"lookup")
        + field(5, number(1, 3) + number(1, length) + number(2, 1) + field(8, b"table") + field(9, table))
        + field(11, field(1, b"input_ids") + field(2, field(1, number(1, 7) + field(2, shape))))
        + field(12, field(1, b"found") + field(2, field(1, number(1, 1))))
    )
    model = number(1, 8) + field(7, graph) + field(8, number(2, 13))
    (folder / "small.onnx").write_bytes(model)


def field(tag: int, value: bytes) -> bytes:
    """A length-delimited field of a protocol buffer."""
    return varint(tag << 3 | 2) + varint(len(value)) + value


def number(tag: int, value: int) -> bytes:
    """An integer field of a protocol buffer."""
    return varint(tag << 3) + varint(value)


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])
