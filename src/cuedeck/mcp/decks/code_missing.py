"""What the code deck says of what it does not find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.code.engine import View
    from cuedeck.code.symbols import SymbolRecord
    from cuedeck.workspace import Workspace

_SHOWN = 3


def no_file(path: str, view: View, workspace: Workspace) -> CueError:
    """Why there is no such file, and which was meant."""
    meant, near = _left_out(path, view, workspace), list[str]()
    if not meant:
        # Of a file that is there one that is called alike would be a wrong turn.
        meant, near = _nearby(path, view)
    told = "".join(f"{warning}. " for warning in view.warnings)
    return CueError(
        ErrorCode.NOT_FOUND,
        f"There is no code file {path} on {view.ref}",
        data={"path": path, "nearest": near},
        hint=f"{told}{meant}Paths are relative to the workspace; search_code finds files by name.",
    )


def _nearby(path: str, view: View) -> tuple[str, list[str]]:
    """What a path without a file may mean, in words and as paths."""
    from cuedeck.mcp.registry import nearest

    if inside := [each for each in view.snapshot.files if each.startswith(f"{path}/")]:
        near = sorted(inside, key=lambda each: (each.count("/"), each))[:_SHOWN]
        return f"It is a folder of {len(inside)} code files, such as {' and '.join(near)}. ", near
    near = nearest(path, view.snapshot.files)
    return f"Did you mean {' or '.join(near)}? " if near else "", near


def _left_out(path: str, view: View, workspace: Workspace) -> str:
    """Why a file that exists is not answered for; nothing where there is none."""
    from cuedeck.code.languages import language_of
    from cuedeck.paths import holds_file

    wanted = workspace.code.wanted(view.ref)
    if reason := dict(workspace.code.problems(wanted)).get(path):
        return f"It was left out: {reason}. "
    if not holds_file(workspace.root, path):
        return ""
    if language_of(path) is None:
        return "It is a file in a language that is not read: read_doc reads documents. "
    if not wanted.checked_out:
        return f"It is on disk, where {view.ref} is not checked out. "
    return "It is left out, as ignored files, links and submodules are. "


@contextmanager
def in_all_of(view: View) -> Iterator[None]:
    """A symbol that is not found may be in what the view lacks or on another ref: then the error says so."""
    try:
        yield
    except CueError as error:
        if error.code is ErrorCode.SYMBOL_NOT_FOUND and view.warnings:
            why = "It may be in what is missing: " if view.completeness == "partial" else ""
            error.hint = f"{why}{'; '.join(view.warnings)}. {error.hint}"
        raise


def cited_by(workspace: Workspace, view: View, found: Sequence[SymbolRecord]) -> dict[str, list[str]]:
    """The memories that cite any of some symbols; code is found also where the state cannot be opened."""
    try:
        citing = workspace.citations.citing([(record.qualified_name, record.path) for record in found])
    except CueError as error:
        view.warnings.append(f"which memories cite it is not known: {error.message}")
        return {}
    return {"cited_by": citing} if citing else {}
