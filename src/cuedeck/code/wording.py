"""The words that the symbols of a blob are searched by."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cuedeck.code.facts import KINDS, UNHASHED, Definition, Kind, Outline
from cuedeck.code.meaning import blob_keys
from cuedeck.search.analyser import analyse
from cuedeck.search.stopwords import STOP_WORDS
from cuedeck.store.code_words import BlobWords

# In which part of a symbol a word stands; the marks of a posting.
NAME: Final = 1
ABOUT: Final = 2
BODY: Final = 4

# A symbol's kind and how many tokens its name has share a byte.
KIND_BITS: Final = 5
MANY: Final = 7
KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}

_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]+")
_MAX_BODY_WORDS: Final = 36
_MAX_DOC_WORDS: Final = 36
_MAX_DOC: Final = 1200
_MAX_LENGTH: Final = 255
# Words of grammar that nobody asks for, as the analyser stems them; types and verbs are asked for.
_NOISE: Final = frozenset(
    """self def return none elif els pass rais except lambda yield async await fals true assert this var let
    const null nil undefin typeof impl pub mut func void""".split()  # noqa: SIM905
).union(*map(analyse, sorted(STOP_WORDS)))


@lru_cache(maxsize=65536)
def name_words(word: str) -> tuple[str, ...]:
    """A name's tokens: the whole and its parts."""
    return tuple(dict.fromkeys(analyse(word)))


@lru_cache(maxsize=65536)
def name_words_of(qualified: str) -> frozenset[str]:
    """The tokens of all parts of a qualified name."""
    return frozenset[str]().union(*map(name_words, qualified.split("::")))


@lru_cache(maxsize=131072)
def _parts(word: str | bytes) -> tuple[str, ...]:
    """The parts of an identifier that say something; the whole is found by name."""
    text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    tokens = analyse(text)
    return tuple(t for t in (tokens[1:] or tokens) if len(t) > 1 and t not in _NOISE)


def blob_words(outline: Outline, source: bytes) -> BlobWords:
    """Per word the symbols that hold it; a symbol's body leaves out what its inner symbols hold.

    Members have no words of their own: their names are in their owner's body and in the table of names.
    """
    definitions = outline.definitions
    bodies = _own_text(definitions, source)
    held: defaultdict[str, list[int]] = defaultdict(list)
    lengths = bytearray(len(definitions) + 1)
    lengths[0] = _hold(held, 0, (), (), _body(bodies[-1]))
    for number, d in enumerate(definitions):
        if d.kind in UNHASHED:
            continue
        owner = d.within or (definitions[d.parent].name if d.parent >= 0 else "")
        about = dict.fromkeys(_parts(owner)) if owner else {}
        if d.doc_end:
            doc = source[d.doc_start : min(d.doc_end, d.doc_start + _MAX_DOC)]
            about.update(dict.fromkeys(_words(doc, _MAX_DOC_WORDS)))
        lengths[number + 1] = _hold(held, number + 1, name_words(d.name), about, _body(bodies[number]))
    places = array("I")
    for found in held.values():
        places.extend(found)
    kinds = bytes(
        [
            KIND_NUMBERS[Kind.MODULE],
            *(KIND_NUMBERS[d.kind] | min(MANY, len(name_words(d.name))) << KIND_BITS for d in definitions),
        ]
    )
    counts = array("I", map(len, held.values()))
    columns = (bytes(lengths), kinds, blob_keys(outline))
    return BlobWords(list(held), counts.tobytes(), places.tobytes(), *columns)


def _hold(
    held: defaultdict[str, list[int]],
    number: int,
    name: Sequence[str],
    about: Sequence[str] | dict[str, None],
    body: Sequence[str],
) -> int:
    """Enter a symbol's words; how many they are."""
    marks = dict.fromkeys(body, number << 3 | BODY)
    for word in about:
        marks[word] = marks.get(word, number << 3) | ABOUT
    for word in name:
        marks[word] = marks.get(word, number << 3) | NAME
    for word, place in marks.items():
        held[word].append(place)
    return min(_MAX_LENGTH, len(name) + len(about) + len(body))


def _own_text(definitions: Sequence[Definition], source: bytes) -> dict[int, list[bytes]]:
    """The pieces of source that belong to each symbol and to none inside it; -1 is the file."""
    pieces: dict[int, list[bytes]] = {number: [] for number in range(-1, len(definitions))}
    stack: list[int] = [-1]
    at = 0
    for number, d in enumerate(definitions):
        while stack[-1] >= 0 and definitions[stack[-1]].end <= d.start:
            end = definitions[stack[-1]].end
            pieces[stack.pop()].append(source[at:end])
            at = max(at, end)
        pieces[stack[-1]].append(source[at : d.start])
        at = max(at, d.start)
        stack.append(number)
        if d.start < d.doc_start and d.doc_end <= d.end and not _owns(definitions, number + 1, d.doc_start):
            pieces[number].append(source[at : d.doc_start])
            at = max(at, d.doc_end)
    while stack:
        top = stack.pop()
        end = definitions[top].end if top >= 0 else len(source)
        pieces[top].append(source[at:end])
        at = max(at, end)
    return pieces


def _owns(definitions: Sequence[Definition], number: int, offset: int) -> bool:
    """Whether the next symbol begins before an offset."""
    return number < len(definitions) and definitions[number].start < offset


def _body(pieces: list[bytes]) -> list[str]:
    return _words(b" ".join(pieces), _MAX_BODY_WORDS)


def _words(text: bytes, limit: int) -> list[str]:
    tokens: set[str] = set().union(*map(_parts, set(_WORD.findall(text))))
    return sorted(tokens) if len(tokens) <= limit else _kept(tokens, limit)


def _kept(tokens: set[str], limit: int) -> list[str]:
    """Of too many words, the longest: short ones are the common ones."""
    return sorted(sorted(tokens, key=lambda token: (-len(token), token))[:limit])
