"""One blob, ready to be stored: packed facts, the names in it, and the words it is searched by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cuedeck.code.extract import extract, unreadable
from cuedeck.code.facts import (
    EXTRACTOR_VERSION,
    NAMING,
    OP_MASK,
    UNHASHED,
    Bind,
    Definition,
    Facts,
    Links,
    Op,
    ScopeKind,
)
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.code.packing import pack
from cuedeck.search.analyser import analyse
from cuedeck.store.code import SYMBOL_BITS, NewBlob

_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]+")
_MAX_BODY_WORDS: Final = 36
_MAX_DOC_WORDS: Final = 36
# Words of the languages themselves, as the analyser stems them.
_NOISE: Final = frozenset(
    """self def return none class import from for while not and else elif true fals assert with pass rais tri
    except lambda yield async await this new var let const function public privat protect static void int str
    string bool float doubl char final null undefin typeof interfac struct enum impl pub mut use mod func
    packag rang map nil err end then local case switch break continu default throw catch super extend
    implement overrid type typ the that are was has have can will may one all any get set""".split()  # noqa: SIM905
)
_MAX_DOC: Final = 1200
_MAX_NAME: Final = 200
_MAX_SYMBOLS: Final = (1 << SYMBOL_BITS) - 2


@lru_cache(maxsize=65536)
def _tokens(word: str) -> tuple[str, ...]:
    return tuple(analyse(word))


@lru_cache(maxsize=131072)
def _parts(word: str | bytes) -> tuple[str, ...]:
    """The parts of an identifier that say something; the whole is found by name."""
    text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    tokens = analyse(text)
    return tuple(t for t in (tokens[1:] or tokens) if len(t) > 2 and t not in _NOISE)


def analyse_blob(oid: str, path: str, language: str, source: bytes | None) -> NewBlob:
    """Everything to store for a blob; bytes that cannot be had are described as such."""
    if source is None:
        return _stored(oid, language, unreadable(language, 0, "not in this clone"), "")
    actual = language_of_source(path, source) or language
    known = language_named(actual)
    if known is None:
        return _stored(oid, language, unreadable(language, len(source), "no grammar"), "")
    return _stored(oid, language, extract(source, known), source)


def _stored(oid: str, language: str, facts: Facts, source: bytes | str) -> NewBlob:
    outline, links = facts.outline, facts.links
    uses = {links.strings[number] for number in _names_seen_outside(links)} - {"", "*"}
    return NewBlob(
        oid=oid,
        language=language,
        version=EXTRACTOR_VERSION,
        size=outline.size,
        symbols=len(outline.definitions),
        problem=outline.problem,
        facts=pack(facts),
        uses=[name for name in uses if _storable(name)],
        defines=[name for name in {d.name for d in outline.definitions} if _storable(name)],
        texts=symbol_texts(facts, source if isinstance(source, bytes) else b""),
    )


def _names_seen_outside(links: Links) -> set[int]:
    """Names that may belong to another file, or be asked for from one: all but a function's own variables."""
    scopes, names = links.scopes, links.names
    inner = [row.kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK) for row in scopes]
    found: set[int] = set()
    local: set[tuple[int, int]] = set()
    for op, a, b in zip(links.ops, links.a, links.b, strict=True):
        op &= OP_MASK
        if op == Op.NAME:
            if b in found or (a, b) in local:
                continue
            scope = a
            while scope >= 0 and inner[scope] and b not in names[scope]:
                scope = scopes[scope].parent
            if scope >= 0 and inner[scope]:
                local.add((a, b))
            else:
                found.add(b)
        elif op in NAMING:
            found.add(b)
    for scope, name, kind, y in zip(*(links.bindings[c] for c in (0, 1, 3, 5)), strict=True):
        if not inner[scope] or kind == Bind.IMPORT:
            found.add(name)
            if kind == Bind.IMPORT:
                found.add(y)
    return found


def _storable(name: str) -> bool:
    if name.isascii():
        return len(name) <= _MAX_NAME and "\0" not in name
    return len(name) <= _MAX_NAME and name.isprintable()


def symbol_texts(facts: Facts, source: bytes) -> list[tuple[int, dict[str, Sequence[str]], tuple[str, ...]]]:
    """Per symbol its tokens by field; a symbol's body leaves out what its inner symbols hold.

    Members have no text of their own: their names are in their owner's body and in the table of names.
    """
    outline = facts.outline
    definitions = outline.definitions[:_MAX_SYMBOLS]
    bodies = _own_text(definitions, source)
    scope_language = f"l_{outline.language}"
    texts: list[tuple[int, dict[str, Sequence[str]], tuple[str, ...]]] = [
        (0, {"body": _body(bodies[-1])}, (scope_language, "k_module"))
    ]
    for number, d in enumerate(definitions):
        if d.kind in UNHASHED:
            continue
        owner = d.within or (definitions[d.parent].name if d.parent >= 0 else "")
        about = list(_parts(owner)) if owner else []
        if d.doc_end:
            about += _words(source[d.doc_start : min(d.doc_end, d.doc_start + _MAX_DOC)], _MAX_DOC_WORDS)
        fields = {"name": _tokens(d.name), "about": about, "body": _body(bodies[number])}
        texts.append((number + 1, fields, (scope_language, f"k_{d.kind}")))
    return texts


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
