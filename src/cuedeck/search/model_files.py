"""Which model is used: the installed one, or the files that the settings name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.config.sections import SearchSection


@dataclass(frozen=True)
class ModelFiles:
    """An ONNX encoder, its tokenizer, and how its token vectors become one."""

    model: Path
    tokenizer: Path
    name: str
    pooling: str = "mean"
    known_sha256: str | None = None

    @cached_property
    def identity(self) -> str:
        """Changes whenever the same text would get another vector."""
        digest = self.known_sha256
        if digest is None:
            with self.model.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{self.name}:{digest[:16]}"


def find_model(section: SearchSection, root: Path) -> ModelFiles | str:
    """The files to load, or a sentence that says why there are none."""
    return _configured(section, root) if section.model else _installed()


def _configured(section: SearchSection, root: Path) -> ModelFiles | str:
    model = root / Path(section.model or "").expanduser()
    tokenizer = (
        root / Path(section.tokenizer).expanduser() if section.tokenizer else model.parent / "tokenizer.json"
    )
    for path, key in ((model, "search.model"), (tokenizer, "search.tokenizer")):
        if not path.is_file():
            return f"There is no file {path.name} where {key} points."
    return ModelFiles(model, tokenizer, model.stem, pooling=section.pooling)


def _installed() -> ModelFiles | str:
    try:
        import cuedeck_minilm as minilm
    except ImportError:
        return "The embedding model package cuedeck-minilm is not installed."
    model, tokenizer = minilm.model_path(), minilm.tokenizer_path()
    if not (model.is_file() and tokenizer.is_file()):
        return "The embedding model package cuedeck-minilm is incomplete; reinstall it."
    return ModelFiles(model, tokenizer, minilm.MODEL_ID, known_sha256=minilm.WEIGHTS_SHA256)
