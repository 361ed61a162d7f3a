"""How alike two versions are: of a symbol in layout only, or in most of its words; of a file in its lines."""

from __future__ import annotations

import re
from collections import Counter

from cuedeck.code.extraction.grammars import parser_of
from cuedeck.code.languages import language_named
from cuedeck.code.languages.language import Language

_WORD = re.compile(rb"[^\W\d]\w+")
_FEWEST_WORDS = 8


def same_tokens(language: str, before: bytes, after: bytes) -> bool:
    """Whether the two parse to the same tokens in the same tree, comments aside."""
    known = language_named(language)
    if known is None:
        return False
    return _tokens(known, known.opening + before) == _tokens(known, known.opening + after)


def _tokens(language: Language, source: bytes) -> list[tuple[int, bytes | str]]:
    cursor = parser_of(language).parse(source).walk()
    found: list[tuple[int, bytes | str]] = []
    while True:
        node = cursor.node
        if node is not None and "comment" not in node.type:
            if cursor.goto_first_child():
                # A line break may end a statement: then the tokens stay and the tree does not.
                found.append((cursor.depth, node.type))
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


def lines_of(source: bytes) -> Counter[bytes]:
    """How often each line stands in a file."""
    return Counter(source.splitlines(keepends=True))


def shared_lines(before: Counter[bytes], after: Counter[bytes]) -> float:
    """The share of the larger of two files that is lines of both, from 0 to 1."""
    common = _bytes(before & after)
    return common / max(_bytes(before), _bytes(after), 1)


def _bytes(lines: Counter[bytes]) -> int:
    return sum(len(line) * count for line, count in lines.items())
