"""Whether the embedding model is there."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.model.finding import Finding, Status, passed

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


def check(workspace: Workspace) -> Iterator[Finding]:
    """Look for the model's files; loading it would take longer than everything else."""
    search = workspace.config.search
    if not search.enabled:
        yield passed("embedding model", "Switched off (search.enabled); search is by keyword.")
        return
    if search.model:
        yield from _own(workspace.root, search.model, search.tokenizer)
    elif find_spec("cuedeck_minilm"):
        yield passed("embedding model", "cuedeck-minilm is installed.")
    else:
        yield Finding(
            "embedding model",
            Status.WARN,
            "No embedding model is installed; search is by keyword only.",
            fix="Install the package cuedeck-minilm (make model), or set search.model.",
        )


def _own(root: Path, model: str, tokenizer: str | None) -> Iterator[Finding]:
    for name, value in (("search.model", model), ("search.tokenizer", tokenizer)):
        path = root / Path(value).expanduser() if value else None
        if path is None or not path.is_file():
            yield Finding(
                "embedding model", Status.FAIL, f"{name} names no file: {value}", fix=f"Correct {name}."
            )
        else:
            yield passed("embedding model", f"{name} is {path.name}.")
