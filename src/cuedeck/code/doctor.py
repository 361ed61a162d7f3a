"""What ``cue doctor`` says about code: which refs are indexed, by which rules, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.model.finding import Finding, Status, passed
from cuedeck.native import installed, native, native_is_off
from cuedeck.store import code as table

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

MOST = 20


def check(workspace: Workspace) -> Iterator[Finding]:
    """The accelerator, the refs of the index, and the files of them that defeated the parser."""
    yield _accelerator()
    yield from _index(workspace)


def _accelerator() -> Finding:
    if native() is not None:
        return passed("accelerator", "Code is read by compiled parts (cuedeck-native).")
    if installed() is None:
        return passed("accelerator", "cuedeck-native is not installed; code is read in Python, more slowly.")
    if native_is_off():
        return passed("accelerator", "Switched off (CUEDECK_NATIVE); code is read in Python, more slowly.")
    return Finding(
        "accelerator",
        Status.WARN,
        "cuedeck-native is not whole or of another version; code is read in Python, more slowly.",
        fix="Install the package cuedeck-native again.",
    )


def _index(workspace: Workspace) -> Iterator[Finding]:
    with workspace.store.index.read() as session:
        every = table.refs(session)
    # The layer of uncommitted changes is no ref that anybody could name.
    refs = [ref for ref in every if not ref.name.startswith("@")]
    if not refs:
        yield passed("code index", "No code is indexed; `cue index` does it, and so does the first question.")
        return
    old = [ref.name for ref in refs if ref.version != EXTRACTOR_VERSION]
    if old:
        yield Finding(
            "code index",
            Status.WARN,
            f"Indexed by an earlier version: {', '.join(old[:5])}{' …' if len(old) > 5 else ''}",
            fix="`cue index` reads them anew; so does the next question about each.",
        )
    else:
        most = max(refs, key=lambda ref: ref.files)
        yield passed(
            "code index", f"{len(refs)} refs; {most.name} has {most.files} files, {most.symbols} symbols"
        )
    problems = sorted({problem for ref in every for problem in ref.problems})
    for path, reason in problems[:MOST]:
        yield Finding("code file", Status.WARN, reason, file=path)
    if len(problems) > MOST:
        yield Finding("code file", Status.WARN, f"{len(problems) - MOST} more like these")
