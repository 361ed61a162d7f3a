"""From the bytes of a file to its facts; a file that defeats the parser is described, never fatal."""

from __future__ import annotations

import logging
import sys
import threading
from array import array
from typing import TYPE_CHECKING, Final

from cuedeck.code.extraction.draft import Draft, Walk, line_starts
from cuedeck.code.extraction.generated import is_generated
from cuedeck.code.extraction.grammars import table_of
from cuedeck.code.extraction.parsing import parse, seconds_for
from cuedeck.code.facts import Facts, Links, Outline, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.languages.language import Language

log = logging.getLogger(__name__)

# A mistake of ours, not of the file: the log has the rest.
UNREAD: Final = "could not be read"
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_LINE: Final = 100_000
_RECURSION: Final = 12_000
# Trees of more levels are visited by a thread with a stack that the deepest need.
_LEVELS: Final = 400
_DEEP_STACK: Final = 128 * 1024 * 1024
_resized = threading.Lock()

# Handlers call each other in pure Python, which uses no C stack; chains of `else if` need the room.
if sys.getrecursionlimit() < _RECURSION:
    sys.setrecursionlimit(_RECURSION)


def extract(source: bytes, language: Language) -> Facts:
    """The facts of a source; ``outline.problem`` says what kept it from being read in full."""
    problem = _refusal(source)
    if problem is not None:
        return _empty(source, language, problem)
    try:
        return _facts(source, language)
    except Exception as error:
        log.exception("A %s source of %d bytes could not be read", language.name, len(source))
        return _empty(source, language, f"{UNREAD}: {type(error).__name__}")


def _refusal(source: bytes) -> str | None:
    if len(source) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1024 // 1024} MB"
    if b"\0" in source[:8192]:
        return "binary"
    if len(source) > MAX_LINE and max(map(len, source.splitlines())) > MAX_LINE:
        return f"a line longer than {MAX_LINE} bytes"
    return None


def _facts(source: bytes, language: Language) -> Facts:
    read = source if language.rewrite is None else language.rewrite(source)
    root, complete = parse(read, language)
    if complete and root.has_error and language.repair is not None:
        repaired = language.repair(source)
        mended, whole = parse(repaired, language) if repaired != read else (root, complete)
        if _errors(mended) < _errors(root):
            root, complete, read = mended, whole, repaired
    if complete and root.has_error and language.close is not None:
        closed = language.close(read)
        mended, whole = parse(closed, language) if closed != read else (root, complete)
        # What is closed is read better where as many places stay open to doubt.
        if _errors(mended) <= _errors(root):
            root, complete = mended, whole
    walk = language.walk(source, table_of(language))
    deep = not _walked(walk, root)
    facts = walk.finish(language.name, broken=root.has_error)
    if is_generated(source):
        object.__setattr__(facts.outline, "generated", True)
    if deep:
        object.__setattr__(facts.outline, "problem", "read in part: nested too deeply")
    if not complete:
        object.__setattr__(
            facts.outline, "problem", f"read in part: {seconds_for(source):.0f} s were not enough"
        )
    return facts


def _walked(walk: Walk, root: Node) -> bool:
    """Whether all of a tree could be visited; compiled handlers need stack for every level of it."""
    if getattr(root, "depth", 0) <= _LEVELS:
        return walk.run(root)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        with _resized:
            usual = threading.stack_size(_DEEP_STACK)
            try:
                visiting = pool.submit(walk.run, root)
            finally:
                threading.stack_size(usual)
        return visiting.result()


def _errors(root: Node) -> int:
    """How many places the grammar does not understand."""
    count, nodes = 0, [root]
    while nodes:
        node = nodes.pop()
        count += node.is_error or node.is_missing
        nodes += [child for child in node.children if child.has_error]
    return count


def _empty(source: bytes, language: Language, problem: str) -> Facts:
    draft: Draft = Walk(source, [])
    facts = draft.finish(language.name, broken=True)
    object.__setattr__(facts.outline, "problem", problem)
    return facts


def unreadable(language: str, size: int, problem: str) -> Facts:
    """Facts of a blob whose bytes cannot be had."""
    draft = Draft(b"")
    draft.scope(ScopeKind.MODULE, -1)
    links: Links = draft.finish(language, broken=True).links
    return Facts(Outline(language, size, array("I", [0]), (), True, False, problem), links)


__all__ = ["MAX_BYTES", "extract", "line_starts", "unreadable"]
