"""Rust inside ``cfg_if!``, rewritten to the same length without the macro: its arms hold plain items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cuedeck.code.extraction.draft import Range

_MACRO: Final = re.compile(rb"(?:\bcfg_if::)?\bcfg_if!\s*\{")
_ARM: Final = re.compile(rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*(?:else\b\s*)?(?:if\s*#\s*\[|(?=\{))", re.DOTALL)
_ITEMS: Final = re.compile(
    rb"(?:\s|//[^\n]*\n|/\*.*?\*/|#\[[^\]]*\])*"
    rb"(?:pub|use|mod|fn|struct|enum|union|trait|impl|type|extern|static|const|macro_rules!|\w+(?:::\w+)*!\s*\{)",
    re.DOTALL,
)
# Brackets, and what may hold some that are none: comments, texts, characters.
_BRACKET: Final = re.compile(
    rb"""//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|[\[\](){}]""", re.DOTALL
)
_MOST: Final = 200
_LONGEST: Final = 200_000
_KEPT: Final = re.compile(rb"[^\n]")


def opened(source: bytes) -> bytes:
    """The source with the arms of such macros in their place."""
    if b"cfg_if!" not in source:
        return source
    text = bytearray(source)
    for found in islice(_MACRO.finditer(source), _MOST):
        for start, end in _frame(source, found.start(), found.end()):
            text[start:end] = _KEPT.sub(b" ", source[start:end])
    return bytes(text)


def _frame(source: bytes, start: int, inside: int) -> Iterator[Range]:
    """All of a macro but what its arms hold; arms that hold statements stay blocks."""
    last = _closing(source, inside - 1)
    parts: list[Range] = []
    begun, at = start, inside
    while last and (arm := _ARM.match(source, at, last)) is not None:
        opening = arm.end()
        if source[opening - 1 : opening] == b"[":
            condition = _closing(source, opening - 1)
            opening = source.find(b"{", condition, last) if condition else -1
        closing = _closing(source, opening) if opening >= 0 else 0
        if not closing:
            return
        items = _ITEMS.match(source, opening + 1, closing) is not None
        parts.append((begun, opening + items))
        begun = closing if items else closing + 1
        at = closing + 1
    if parts:
        yield from parts
        yield begun, last + 1


def _closing(source: bytes, opening: int) -> int:
    """Where the bracket at a place is closed, or 0."""
    depth = 0
    for found in _BRACKET.finditer(source, opening, opening + _LONGEST):
        if found[0] in (b"(", b"[", b"{"):
            depth += 1
        elif found[0] in (b")", b"]", b"}"):
            depth -= 1
            if not depth:
                return found.start()
    return 0
