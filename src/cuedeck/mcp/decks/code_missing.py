"""What the code deck says of what it does not find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from pathlib import Path

    from cuedeck.code.engine import View
    from cuedeck.code.symbols import SymbolRecord
    from cuedeck.workspace import Workspace

_SHOWN = 3


def no_file(path: str, view: View, root: Path) -> CueError:
    """Why there is no such file, and which was meant."""
    from cuedeck.code.languages import language_of
    from cuedeck.mcp.registry import nearest
    from cuedeck.paths import holds_file

    if holds_file(root, path):
        # It is there and not indexed: a file that is called alike would be a wrong turn.
        near, meant = [], "It is a file in a language that is not read: read_doc reads documents. "
        if language_of(path) is not None:
            meant = "It is left out, as ignored files, links and submodules are. "
    elif inside := [each for each in view.snapshot.files if each.startswith(f"{path}/")]:
        near = sorted(inside, key=lambda each: (each.count("/"), each))[:_SHOWN]
        meant = f"It is a folder of {len(inside)} code files, such as {' and '.join(near)}. "
    else:
        near = nearest(path, view.snapshot.files)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return CueError(
        ErrorCode.NOT_FOUND,
        f"There is no code file {path} on {view.ref}",
        data={"path": path, "nearest": near},
        hint=f"{meant}Paths are relative to the workspace; search_code finds files by name.",
    )


@contextmanager
def in_all_of(view: View) -> Iterator[None]:
    """A symbol that is not found may be in files that the view lacks: then the error says so."""
    try:
        yield
    except CueError as error:
        if error.code is ErrorCode.SYMBOL_NOT_FOUND and view.completeness == "partial":
            error.hint = f"It may be in what is missing: {'; '.join(view.warnings)}. {error.hint}"
        raise


def cited_by(workspace: Workspace, view: View, found: Sequence[SymbolRecord]) -> dict[str, list[str]]:
    """The memories that cite any of some symbols; code is found also where the state cannot be opened."""
    try:
        citing = workspace.citations.citing([(record.qualified_name, record.path) for record in found])
    except CueError as error:
        view.warnings.append(f"which memories cite it is not known: {error.message}")
        return {}
    return {"cited_by": citing} if citing else {}
