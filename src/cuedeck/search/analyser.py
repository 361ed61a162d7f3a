"""Turns text into the tokens that every index stores and every query asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain
from operator import add
from typing import Final
from unicodedata import is_normalized, normalize

import Stemmer

from cuedeck.search.normal import APOSTROPHES, fold_marks, joins
from cuedeck.search.stopwords import STOP_WORDS

MAX_TOKEN: Final = 64
MAX_WORD: Final = 128
MAX_CHAIN: Final = 4_096
MAX_QUERY_TERMS: Final = 256
_CACHED_PIECES: Final = 65_536
_LONGEST_CACHED: Final = 48

# Scripts written without spaces: Thai to Myanmar, Khmer, kana, Han, Hangul. They are cut into bigrams.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)

_WORD: Final = re.compile(r"[^\s-]+(?:-[^\s-]+){0,7}")
_NO_LETTER: Final = re.compile(r"[^\w\s-]")
NAME_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BREAK: Final = re.compile(r"[_-]+")
_CONTRACTION: Final = re.compile(rf"['{APOSTROPHES}](?<=\w.)(?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
_RUN: Final = re.compile(f"[{_UNSPACED}]+")
# Letters that may lose an accent.
_LATIN: Final = re.compile("[A-Za-z\u00aa-\u02bc\u1e00-\u1eff]")
# An apostrophe to us, and a letter to Unicode.
_LETTER_APOSTROPHE: Final = "\u02bc"
_PLAIN_SCOPE: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,47}")
# No token spans these: a text is cut at them first, because a piece that was seen before costs one look-up.
_SEPARATORS: Final = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-'"))
_SPACED: Final = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))


def analyse(text: str) -> list[str]:
    """The tokens to index a text by, in reading order, repeated as often as they occur."""
    return _joined_tokens(text.encode("utf-8", "replace")).split()


def analyse_bytes(text: bytes) -> bytes:
    """The same of a text in UTF-8, the tokens joined by spaces."""
    return _joined_tokens(text).encode()


def spaced(text: bytes) -> bytes:
    """A text in UTF-8 with spaces for what no token spans; its words are to be given to ``word_tokens``."""
    return text.translate(_SPACED)


def word_tokens(word: str) -> Iterable[str]:
    """The tokens of a word of ``spaced`` text; who asks remembers them."""
    return _INDEX_TOKENS.found(word)


def stem(word: str) -> str:
    """The token of a word in lower case."""
    found: str = _STEM(word)[:MAX_TOKEN]
    return found


def query_terms(text: str) -> list[str]:
    """The distinct tokens to ask for, in order; words without meaning go unless nothing else is left."""
    pieces = spaced(text.encode("utf-8", "replace")).decode().split()
    counted = Counter(chain.from_iterable(_QUERY_TOKENS[piece].split() for piece in pieces))
    terms = [term for term in counted if term not in _stop_stems()] or list(counted)
    if len(terms) <= MAX_QUERY_TERMS:
        return terms
    # A whole issue text: what it repeats is what it is about.
    kept = set(sorted(terms, key=lambda term: -counted[term])[:MAX_QUERY_TERMS])
    return [term for term in terms if term in kept]


def scope_token(prefix: str, value: str, *, fold: bool = False) -> str:
    """A filter token such as ``p_myproject``; hashed when the value holds anything but ``[a-z0-9_]``."""
    if fold:
        value = normalize("NFKC", value.casefold())
    if _PLAIN_SCOPE.fullmatch(value):
        return f"{prefix}_{value}"
    # The double underscore keeps hashes apart from plain values, which never start with one.
    return f"{prefix}__{blake2b(value.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


def _joined_tokens(text: bytes) -> str:
    return " ".join(filter(None, map(_INDEX_TOKENS.__getitem__, spaced(text).decode().split())))


def _words(text: str) -> list[str]:
    """Words as they are written; what they have in common with other spellings is found word by word."""
    # Marks of a script that has them are many, and few are distinct.
    if not all(map(joins, set(_NO_LETTER.findall(text)))):
        text = _NO_LETTER.sub(_spaced, text)
    return _WORD.findall(text)


def _spaced(found: re.Match[str]) -> str:
    return found[0] if joins(found[0]) else " "


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(_STEM(word) for word in STOP_WORDS)


class _TokenCache(dict[str, str]):
    """Remembers the tokens of each piece seen; text repeats itself, and stemming is the costly part."""

    def __init__(self, cut: Callable[[str], list[str]]) -> None:
        self._cut = cut

    def __missing__(self, piece: str) -> str:
        tokens = " ".join(self.found(piece))
        if len(piece) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = tokens
        return tokens

    def found(self, piece: str) -> Iterable[str]:
        """The tokens of a piece, found anew."""
        if piece.isascii():
            if piece.isalpha():
                return _letter_tokens(piece)
            if "'" not in piece:
                return chain.from_iterable(map(_word_tokens, _WORD.findall(piece)))
        elif piece.isalpha() and _LETTER_APOSTROPHE not in piece:
            return self._tokens(piece)
        return chain.from_iterable(map(self._tokens, _words(_CONTRACTION.sub("", piece))))

    def _tokens(self, word: str) -> Iterable[str]:
        if word.isascii():
            return _word_tokens(word)
        if is_normalized("NFKC", word):
            if _RUN.fullmatch(word):
                return self._cut(word.casefold())
            if word.isalpha() and not _LATIN.search(word) and not _RUN.search(word):
                return _unaccented_tokens(word)
        return self._folded_tokens(fold_marks(word))

    def _folded_tokens(self, folded: str) -> Sequence[str]:
        if folded.isascii() and folded.isalpha():
            return _letter_tokens(folded)
        tokens: list[str] = []
        for word in _words(folded):
            end = 0
            for run in _RUN.finditer(word):
                tokens += _word_tokens(word[end : run.start()])
                tokens += self._cut(run.group().casefold())
                end = run.end()
            tokens += _word_tokens(word[end:])
        return tokens


def _characters_and_pairs(run: str) -> list[str]:
    characters = list(run)
    return characters + list(map(add, characters, characters[1:]))


def _pairs(run: str) -> list[str]:
    return list(map(add, run, run[1:])) or [run]


def _letter_tokens(word: str) -> Sequence[str]:
    """The tokens of a word of plain Latin letters."""
    one_part = word.islower() or word[1:].islower() or word.isupper()
    return (_STEM(word.lower()),) if one_part and len(word) <= MAX_TOKEN else _word_tokens(word)


def _unaccented_tokens(word: str) -> Sequence[str]:
    """The tokens of a word of letters that are not Latin, of which the stemmer knows none."""
    one_part = word[1:].islower() or word.lower() == word
    return (word.casefold()[:MAX_TOKEN],) if one_part and len(word) <= MAX_WORD else _word_tokens(word)


def _word_tokens(word: str) -> list[str]:
    if len(word) > MAX_WORD:
        return list(chain.from_iterable(map(_short_word_tokens, _BREAK.split(word[:MAX_CHAIN]))))
    return _short_word_tokens(word)


def _short_word_tokens(word: str) -> list[str]:
    if len(word) > MAX_WORD:
        # A blob, not a word: one token says enough, and any number of them stays cheap.
        return [word[:MAX_TOKEN].casefold()[:MAX_TOKEN]]
    parts = [part.casefold() for part in _parts(word)]
    if len(parts) > 1:
        parts = ["".join(parts), *[part for part in parts if len(part) > 1 or part.isdigit()]]
    return [token[:MAX_TOKEN] for token in _STEMS(parts)]


def _parts(word: str) -> list[str]:
    if word.isascii():
        return NAME_PART.findall(word)
    plain = word.isalpha() and (word[1:].islower() or word.lower() == word)
    return [word] if plain else list(_unicode_parts(word))


def _unicode_parts(word: str) -> Iterator[str]:
    for chunk in filter(None, _BREAK.split(word)):
        start = 0
        for end in range(1, len(chunk)):
            if _breaks(chunk, end):
                yield chunk[start:end]
                start = end
        yield chunk[start:]


def _breaks(chunk: str, at: int) -> bool:
    """Whether a new part of an identifier begins there: after a number, at a hump, before a number."""
    before, here = chunk[at - 1], chunk[at]
    if before.isdigit() != here.isdigit():
        return True
    if before.islower() and here.isupper():
        return True
    return before.isupper() and here.isupper() and chunk[at + 1 : at + 2].islower()


_STEM: Final = Stemmer.Stemmer("english", 0).stemWord
_STEMS: Final = Stemmer.Stemmer("english", 0).stemWords
_INDEX_TOKENS: Final = _TokenCache(_characters_and_pairs)
_QUERY_TOKENS: Final = _TokenCache(_pairs)
