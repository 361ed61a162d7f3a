"""How alike two versions of a symbol are: in layout only, or in most of their words."""

from __future__ import annotations

import re

from cuedeck.code.extraction.grammars import parser_of
from cuedeck.code.languages import language_named
from cuedeck.code.languages.language import Language

_WORD = re.compile(rb"[^\W\d]\w+")
_FEWEST_WORDS = 8


def same_tokens(language: str, before: bytes, after: bytes) -> bool:
    """Whether the two parse to the same tokens in the same nesting, comments aside."""
    known = language_named(language)
    if known is None:
        return False
    return _tokens(known, before) == _tokens(known, after)


def _tokens(language: Language, source: bytes) -> list[tuple[int, bytes]]:
    cursor = parser_of(language).parse(source).walk()
    found: list[tuple[int, bytes]] = []
    while True:
        node = cursor.node
        if node is not None and "comment" not in node.type:
            if cursor.goto_first_child():
                continue
            text = source[node.start_byte : node.end_byte]
            if text.strip():
                found.append((cursor.depth, text))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found


def words_of(source: bytes) -> frozenset[bytes]:
    """The words that a text is made of."""
    return frozenset(_WORD.findall(source))


def likeness(before: frozenset[bytes], after: frozenset[bytes]) -> float:
    """The share of words two texts have in common, from 0 to 1; texts of few words are like nothing."""
    if min(len(before), len(after)) < _FEWEST_WORDS:
        return 0.0
    common = len(before & after)
    return common / (len(before) + len(after) - common)
