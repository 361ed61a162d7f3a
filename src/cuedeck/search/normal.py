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
_LATIN_ACCENT: Final = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")


def fold_marks(text: str) -> str:
    """Compatibility-normalised text in which Latin letters have lost their accents."""
    if text.isascii():
        return text
    rewritten = text.translate(_REWRITE) if _REWRITTEN.search(text) else text
    return normalize("NFKC", _LATIN_ACCENT.sub("", normalize("NFKD", rewritten)))


@lru_cache(maxsize=4096)
def joins(character: str) -> bool:
    """Whether a character that is no letter belongs to a word: a combining mark, or a symbol for letters."""
    if character >= _PICTURES:
        return False
    marks = character in INVISIBLE or category(character) in ("Mn", "Mc")
    return marks or any(part.isalnum() for part in normalize("NFKC", character))
