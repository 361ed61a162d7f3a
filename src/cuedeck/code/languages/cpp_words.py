"""Words of C++ that the grammar does not know where they stand, left out of a source."""

from __future__ import annotations

import re
from typing import Final

# ``module;``, ``export module a.b;``, ``import a.b;``, ``import <vector>;``: whole lines of a module.
_UNIT: Final = (
    rb"(?:export[ \t]+)?(?:import|module)(?:[ \t]+:?\w[\w.:]*|[ \t]*<[^<>\n]+>|[ \t]*\"[^\"\n]+\")?[ \t]*;"
)
# ``export`` before a declaration, and what stands before ``friend``.
_EXPORTED: Final = rb"export(?=[ \t]+[A-Za-z_])"
_WORDS: Final = re.compile(
    rb"(?m)^(?:" + _UNIT + rb"|" + _EXPORTED + rb")|\b(?:inline|constexpr)(?=[ \t]+friend\b)"
)
# ``TEMPLATE_CASE("text", int, char) {``: what a macro makes a body of, for each of some types.
_CASE: Final = re.compile(
    rb"(?m)^[A-Z][A-Z0-9_]{2,}[ \t]*\([ \t\n]*\"(?:[^\"\\\n]|\\.)*\"[^,;{}]*(,[^;{}\"]*)\)(?=[ \t\n]*\{)"
)
_OTHER: Final = re.compile(rb"[^\n]")


def plain(source: bytes) -> bytes:
    """The source without the words of modules; nothing else moves."""
    return _WORDS.sub(lambda found: b" " * len(found[0]), source)


def untyped_cases(source: bytes) -> bytes:
    """The source without the types that a body is made for, where the grammar expects values."""
    text = bytearray(source)
    for found in _CASE.finditer(source):
        start, end = found.span(1)
        text[start:end] = _OTHER.sub(b" ", source[start:end])
    return bytes(text)
