"""Puts the model and its tokenizer into the wheel, making them first when the cache has none."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    """Builds the data files of the wheel from the published weights."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by the build: name the files to include."""
        expected = self._expected_digest()
        folder = _cache() / expected
        model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
        if not (tokenizer.is_file() and model.is_file() and _digest(model.read_bytes()) == expected):
            folder = self._make(folder, expected)
            model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
        build_data["force_include"][str(model)] = "cuedeck_minilm/model.onnx"
        build_data["force_include"][str(tokenizer)] = "cuedeck_minilm/tokenizer.json"

    def _expected_digest(self) -> str:
        text = (Path(self.root) / "src/cuedeck_minilm/__init__.py").read_text(encoding="utf-8")
        found = re.search(r'^WEIGHTS_SHA256 = "([0-9a-f]{64})"$', text, re.MULTILINE)
        if found is None:
            raise SystemExit("WEIGHTS_SHA256 is missing from cuedeck_minilm.")
        return found[1]

    def _make(self, folder: Path, expected: str) -> Path:
        sys.path.insert(0, self.root)
        try:
            from recipe import graph, source
        finally:
            sys.path.remove(self.root)
        files = source.fetch()
        weights = source.tensors(files["model.safetensors"])
        model = graph.encoder(weights).SerializeToString(deterministic=True)
        if _digest(model) != expected:
            raise SystemExit(f"The model came out as sha256 {_digest(model)}, expected {expected}.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            folder = Path(tempfile.mkdtemp(prefix="cuedeck-minilm-"))
        _write(folder / "tokenizer.json", files["tokenizer.json"])
        _write(folder / "model.onnx", model)
        return folder


def _cache() -> Path:
    if chosen := os.environ.get("CUEDECK_MODEL_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cuedeck" / "minilm"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, whatever else is building at the same time."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)
