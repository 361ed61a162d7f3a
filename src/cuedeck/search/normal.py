"""One spelling for characters that look or mean the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import category, normalize

# Invisible formatting that would split a word, and the typographic apostrophes.
INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
APOSTROPHES: Final = "\u2018\u2019\u02bc\uff07"
_REWRITE: Final = {ord(char): None for char in INVISIBLE} | {ord(char): "'" for char in APOSTROPHES}
_REWRITTEN: Final = re.compile(f"[{INVISIBLE}{APOSTROPHES}]")
# From here on: game pieces, letters in boxes, emoji and what tells their variants apart.
_PICTURES: Final = "\U0001f000"
# The last letters with accents are those of Vietnamese.
_BEYOND_LATIN: Final = 0x1F00
_LATIN_ACCENT: Final = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")


def fold_marks(text: str) -> str:
    """Compatibility-normalised text in which Latin letters have lost their accents."""
    if text.isascii():
        return text
    plain = text.translate(_LETTERS)
    if plain.isascii():
        return plain
    rewritten = text.translate(_REWRITE) if _REWRITTEN.search(text) else text
    return normalize("NFKC", _LATIN_ACCENT.sub("", normalize("NFKD", rewritten)))


class _Letters(dict[int, int]):
    """The plain letter of each accented Latin one; any other character stays as it is."""

    def __missing__(self, code: int) -> int:
        if code >= _BEYOND_LATIN:
            return code
        folded = _LATIN_ACCENT.sub("", normalize("NFKD", chr(code)))
        letter = self[code] = ord(folded) if len(folded) == 1 and folded.isalpha() else code
        return letter


_LETTERS: Final = _Letters()


@lru_cache(maxsize=4096)
def joins(character: str) -> bool:
    """Whether a character that is no letter belongs to a word: a combining mark, or a symbol for letters."""
    if character >= _PICTURES:
        return False
    marks = character in INVISIBLE or category(character) in ("Mn", "Mc")
    return marks or any(part.isalnum() for part in normalize("NFKC", character))
