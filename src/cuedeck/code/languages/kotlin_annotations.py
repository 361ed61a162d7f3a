"""Kotlin: annotations of what a file declares, which the grammar takes for the beginning of an expression."""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = rb"\"(?:[^\"\\\n]|\\.)*\""
_NESTED: Final = rb"\((?:[^()\"]|" + _TEXT + rb")*\)"
_GIVEN: Final = rb"\((?:[^()\"]|" + _TEXT + rb"|" + _NESTED + rb"){0,2000}\)"
_ANNOTATION: Final = rb"@(?:\w+:)?[\w.]+(?:" + _GIVEN + rb")?(?:\s|//[^\n]*\n){1,400}"
_MODIFIER: Final = (
    rb"(?:public|private|internal|open|sealed|abstract|final|inline|external|suspend|tailrec|operator|infix|const"
    rb"|lateinit|data|enum|annotation|value|expect|actual|fun)"
)
_DECLARED: Final = rb"(?:class|interface|object|fun|val|var|typealias)\b"
# Before a declaration of the file that says more than what it declares.
_ANNOTATED: Final = re.compile(
    rb"(?m)^(?:" + _ANNOTATION + rb"){1,12}(?=(?:" + _MODIFIER + rb"\s+){1,8}" + _DECLARED + rb")"
)
_OTHER: Final = re.compile(rb"[^\n]")
_BARE: Final = b"class A"


def without_annotations(source: bytes) -> bytes:
    """The source without them; nothing else moves."""
    if b"@" not in source:
        return source
    return _ANNOTATED.sub(lambda found: _OTHER.sub(b" ", found[0]), source)


def annotations_alone(source: bytes) -> bytes:
    """The annotations, each before a class that stands in place of what it is of; empty if there are none."""
    text = bytearray(_OTHER.sub(b" ", source)) if b"@" in source else bytearray()
    some = False
    for found in _ANNOTATED.finditer(source) if text else ():
        # ``fun`` and ``val`` with a name behind leave room for it, too.
        text[found.start() : found.end()] = found[0]
        text[found.end() : found.end() + len(_BARE)] = _BARE
        some = True
    return bytes(text) if some else b""
