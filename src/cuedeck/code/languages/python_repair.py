"""Python that somebody is still typing, rewritten to the same length without what is not closed.

The grammar looks for the end of an open bracket through the rest of the file, and nothing behind it is read.
"""

from __future__ import annotations

import re
from typing import Final

# Brackets, what may hold some that are none, and words that begin a line only where every bracket is closed.
_TOKEN: Final = re.compile(
    rb"""\#[^\n]*|"{3}(?:[^\\]|\\.)*?"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    rb"""|(?P<text>["'][^\n]*)|(?P<bracket>[\[\](){}])"""
    rb"""|(?m:^)[ \t]*(?P<word>@[A-Za-z_]|from[ \t]+[\w.]+[ \t]+import\b|(?:(?:async[ \t]+)?def|class"""
    rb"""|import|with|while|try|except|finally|elif|return|raise|assert|del|global|nonlocal|pass|break|continue)\b)""",
    re.DOTALL,
)
_HEADER: Final = re.compile(rb"[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w+[ \t]*\Z")
_OPERAND: Final = re.compile(rb"[\w\])}'\"][ \t]*\Z")
_KEPT: Final = re.compile(rb"[^\r\n]")
_CLOSED: Final = b"():"


def closed(source: bytes) -> bytes:
    """The source without texts and brackets that end nowhere before the next statement."""
    text = bytearray(source)
    opened: list[int] = []
    for token in _TOKEN.finditer(source):
        if token["text"] is not None and not opened:
            _cut(text, token.start(), token.end(), b'""')
        elif (bracket := token["bracket"]) is not None:
            if bracket in b"([{":
                opened.append(token.start())
            elif opened:
                opened.pop()
        elif token["word"] is not None and opened:
            _end(text, opened[0], token.start())
            opened.clear()
    if opened:
        _end(text, opened[0], len(text))
    return bytes(text)


def _end(text: bytearray, start: int, end: int) -> None:
    """Leave out an open bracket and what it holds; a function or class keeps its head."""
    before = bytes(text[text.rfind(b"\n", 0, start) + 1 : start])
    line = text.find(b"\n", start, end)
    length = (line if line >= 0 else end) - start
    if _HEADER.match(before):
        _cut(text, start, end, _CLOSED if length >= len(_CLOSED) else b"")
    else:
        _cut(text, start, end, b"" if _OPERAND.search(before) else b"0")


def _cut(text: bytearray, start: int, end: int, instead: bytes) -> None:
    """Put blanks in the place of some text, behind what stands for it; lines stay where they are."""
    blank = _KEPT.sub(b" ", bytes(text[start:end]))
    text[start:end] = (instead + blank[len(instead) :]) if len(instead) <= end - start else blank
