"""The words that the symbols of a blob are searched by."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from cuedeck.code.facts import KINDS, UNHASHED, Definition, Kind, Outline
from cuedeck.code.search.meaning import blob_keys
from cuedeck.native import native
from cuedeck.search.analyser import MAX_WORD, NAME_PART, analyse, stem
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

_BREAKS: Final = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == "_"))
_SPACED: Final = bytes.maketrans(_BREAKS, b" " * len(_BREAKS))
_MAX_BODY_WORDS: Final = 36
_MAX_DOC_WORDS: Final = 36
_MAX_DOC: Final = 1200
_MAX_LENGTH: Final = 255
_KEPT_STEMS: Final = 32768
_KEPT_WORDS: Final = 131072
# Words of grammar that nobody asks for, as the analyser stems them; types and verbs are asked for.
_NOISE: Final = frozenset(
    """self def return none elif els pass rais except lambda yield async await fals true assert this var let
    const null nil undefin typeof impl pub mut func void""".split()  # noqa: SIM905
).union(*map(analyse, sorted(STOP_WORDS)))

# Words, which of them is held, where, and each symbol's length and kind.
_Columns = tuple[list[str], bytes, bytes, bytes, bytes]


class _Said(dict[str, str]):
    """The stem of each part of a name, nothing where it says nothing: names are many, made of few parts."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _KEPT_STEMS:
            self.clear()
        found = stem(part.lower())
        said = self[part] = sys.intern(found) if len(found) > 1 and found not in _NOISE else ""
        return said


class _Stems(dict[str, str]):
    """The stem of each part of a name."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _KEPT_STEMS:
            self.clear()
        found = self[part] = stem(part.lower())
        return found


class _Parts(dict[bytes, tuple[str, ...]]):
    """The parts of an identifier that say something; the whole is found by name."""

    def __missing__(self, word: bytes) -> tuple[str, ...]:
        if len(self) >= _KEPT_WORDS:
            self.clear()
        found = self[word] = _said(word)
        return found


class _Numbers(dict[str, int]):
    """Words by the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


_SAID: Final = _Said()
_PARTS: Final = _Parts()


def _said(word: bytes) -> tuple[str, ...]:
    word = word.lstrip(b"0123456789")
    name = word.decode("utf-8", "replace")
    if not _is_plain(name):
        tokens = analyse(name) if len(word) > 1 else []
        return tuple(token for token in tokens[1:] or tokens if len(token) > 1 and token not in _NOISE)
    parts = NAME_PART.findall(name)
    joined = "".join(parts)
    # Single letters are no parts.
    alone = len(joined) == len(parts) and joined.isalpha()
    return tuple(filter(None, map(_SAID.__getitem__, [joined] if alone else parts)))


def _is_plain(name: str) -> bool:
    """Whether a name can be cut without the analyser's detours."""
    return name.isascii() and len(name) <= MAX_WORD and name.isidentifier()


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """A name's tokens: the whole and its parts."""
    if not _is_plain(name):
        return tuple(dict.fromkeys(analyse(name)))
    parts = [part.lower() for part in NAME_PART.findall(name)]
    several = [part for part in parts if len(part) > 1 or part.isdigit()] if len(parts) > 1 else []
    return tuple(dict.fromkeys(map(stem, filter(None, ["".join(parts), *several]))))


def blob_words(outline: Outline, source: bytes) -> BlobWords:
    """Per word the symbols that hold it; a symbol's body leaves out what its inner symbols hold.

    Members have no words of their own: their names are in their owner's body and in the table of names.
    """
    return BlobWords(*_read(outline.definitions, source), blob_keys(outline))


def _plainly_read(definitions: Sequence[Definition], source: bytes) -> _Columns:
    source = source.translate(_SPACED)
    bodies = _own_text(definitions, source)
    words = _Numbers()
    held: list[int] = []
    places: list[int] = []
    lengths = bytearray(len(definitions) + 1)
    kinds = bytearray(len(definitions) + 1)
    body = _body(bodies[-1])
    held += map(words.__getitem__, body)
    places += [BODY] * len(body)
    lengths[0] = min(_MAX_LENGTH, len(body))
    kinds[0] = KIND_NUMBERS[Kind.MODULE]
    for number, d in enumerate(definitions, 1):
        kind = d.kind
        name = name_words(d.name)
        kinds[number] = KIND_NUMBERS[kind] | min(MANY, len(name)) << KIND_BITS
        if kind in UNHASHED:
            continue
        owner = d.within or (definitions[d.parent].name if d.parent >= 0 else "")
        about = dict.fromkeys(_PARTS[owner.encode("utf-8", "surrogatepass")] if owner else ())
        if d.doc_end:
            doc = source[d.doc_start : min(d.doc_end, d.doc_start + _MAX_DOC)]
            about |= dict.fromkeys(_words(doc, _MAX_DOC_WORDS))
        body = _body(bodies[number - 1])
        first = number << 3
        marks = dict.fromkeys(body, first | BODY)
        for word in about:
            marks[word] = marks.get(word, first) | ABOUT
        for word in name:
            marks[word] = marks.get(word, first) | NAME
        held += map(words.__getitem__, marks)
        places += marks.values()
        lengths[number] = min(_MAX_LENGTH, len(name) + len(about) + len(body))
    return list(words), array("I", held).tobytes(), array("I", places).tobytes(), bytes(lengths), bytes(kinds)


def _own_text(definitions: Sequence[Definition], source: bytes) -> list[list[bytes]]:
    """The pieces of source that belong to each symbol and to none inside it; the last are the file's."""
    pieces: list[list[bytes]] = [[] for _ in range(len(definitions) + 1)]
    stack: list[tuple[int, int]] = [(-1, len(source) + 1)]
    at = 0
    for number, d in enumerate(definitions):
        start, doc_start = d.start, d.doc_start
        while stack[-1][1] <= start:
            top, end = stack.pop()
            pieces[top].append(source[at:end])
            at = max(at, end)
        pieces[stack[-1][0]].append(source[at:start])
        at = max(at, start)
        stack.append((number, d.end))
        if start < doc_start and d.doc_end <= d.end and not _owns(definitions, number + 1, doc_start):
            pieces[number].append(source[at:doc_start])
            at = max(at, d.doc_end)
    while stack:
        top, end = stack.pop()
        pieces[top].append(source[at:end])
        at = max(at, end)
    return pieces


def _owns(definitions: Sequence[Definition], number: int, offset: int) -> bool:
    """Whether the next symbol begins before an offset."""
    return number < len(definitions) and definitions[number].start < offset


def _body(pieces: list[bytes]) -> Collection[str]:
    return _words(b" ".join(pieces), _MAX_BODY_WORDS)


def _words(text: bytes, limit: int) -> Collection[str]:
    tokens = dict.fromkeys(chain.from_iterable(map(_PARTS.__getitem__, text.split())))
    return tokens if len(tokens) <= limit else _kept(tokens, limit)


def _kept(tokens: Iterable[str], limit: int) -> list[str]:
    """Of too many words, the longest: short ones are the common ones."""
    return sorted(sorted(tokens), key=len, reverse=True)[:limit]


def _reader() -> Callable[[Sequence[Definition], bytes], _Columns]:
    """What reads the words of a blob: compiled where that is installed."""
    if native() is None:
        return _plainly_read
    from cuedeck_native.names import Naming, Saying
    from cuedeck_native.words import Wording

    reader: Callable[[Sequence[Definition], bytes], _Columns] = Wording(
        Saying(_SAID, _said, MAX_WORD).of,
        Naming(_Stems(), stem, name_words, MAX_WORD).of,
        KIND_NUMBERS,
        UNHASHED,
        max_body=_MAX_BODY_WORDS,
        max_doc_words=_MAX_DOC_WORDS,
        max_doc=_MAX_DOC,
        max_words=_KEPT_WORDS,
    ).read
    return reader


_read: Final = _reader()
