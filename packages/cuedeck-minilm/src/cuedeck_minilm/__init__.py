"""Where the sentence encoder all-MiniLM-L6-v2 lies on this machine."""

from __future__ import annotations

from pathlib import Path

MODEL_ID = "all-MiniLM-L6-v2-int"
DIMENSIONS = 384
WEIGHTS_SHA256 = "2387c273845f65dc3eab09a4ba566036a8346d08ff709faa80f95bcc8b677e78"

_FOLDER = Path(__file__).parent


def model_path() -> Path:
    """The ONNX graph: ``input_ids`` and ``attention_mask`` in, unit vectors out."""
    return _FOLDER / "model.onnx"


def tokenizer_path() -> Path:
    """The tokenizer, in the format of the ``tokenizers`` package."""
    return _FOLDER / "tokenizer.json"
