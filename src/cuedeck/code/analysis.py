"""One blob, ready to be stored: packed facts, the names in it, and the words it is searched by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cuedeck.code.extract import extract, unreadable
from cuedeck.code.facts import EXTRACTOR_VERSION, NAMING, OP_MASK, Definition, Facts, Kind
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.code.packing import pack_links, pack_outline
from cuedeck.search.analyser import analyse
from cuedeck.store.code import SYMBOL_BITS, NewBlob

_WORD: Final = re.compile(r"[^\W\d]\w+")
_MAX_BODY_WORDS: Final = 120
_MAX_DOC: Final = 1200
_MAX_SYMBOLS: Final = (1 << SYMBOL_BITS) - 2


@lru_cache(maxsize=65536)
def _tokens(word: str) -> tuple[str, ...]:
    return tuple(analyse(word))


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
    named = {links.b[n] for n, op in enumerate(links.ops) if op & OP_MASK in NAMING}
    named.update(links.bindings[1])
    uses = {links.strings[number] for number in named} - {"", "*"}
    return NewBlob(
        oid=oid,
        language=language,
        version=EXTRACTOR_VERSION,
        size=outline.size,
        symbols=len(outline.definitions),
        problem=outline.problem,
        outline=pack_outline(outline),
        links=pack_links(links),
        uses=[name for name in uses if _storable(name)],
        defines=[name for name in {d.name for d in outline.definitions} if _storable(name)],
        texts=_texts(facts, source if isinstance(source, bytes) else b""),
    )


def _storable(name: str) -> bool:
    return len(name) <= 200 and "\0" not in name and not any("\ud800" <= c <= "\udfff" for c in name)


def _texts(facts: Facts, source: bytes) -> list[tuple[int, dict[str, Sequence[str]], tuple[str, ...]]]:
    """Per symbol its tokens by field; a symbol's body leaves out what its inner symbols hold."""
    outline = facts.outline
    definitions = outline.definitions[:_MAX_SYMBOLS]
    bodies = _own_text(definitions, source)
    scope_language = f"l_{outline.language}"
    texts: list[tuple[int, dict[str, Sequence[str]], tuple[str, ...]]] = [
        (0, {"body": _body(bodies[-1])}, (scope_language, "k_module"))
    ]
    for number, d in enumerate(definitions):
        owner = d.within or (definitions[d.parent].name if d.parent >= 0 else "")
        doc = source[d.doc_start : min(d.doc_end, d.doc_start + _MAX_DOC)].decode("utf-8", "replace")
        fields: dict[str, Sequence[str]] = {"name": _tokens(d.name)}
        if owner:
            fields["owner"] = _tokens(owner)
        if d.kind not in (Kind.FIELD, Kind.MEMBER, Kind.VARIABLE, Kind.CONSTANT):
            fields["signature"] = _words(d.signature, 40)
        if doc:
            fields["doc"] = _words(doc, 80)
        fields["body"] = _body(bodies[number])
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
    while stack:
        top = stack.pop()
        end = definitions[top].end if top >= 0 else len(source)
        pieces[top].append(source[at:end])
        at = max(at, end)
    return pieces


def _body(pieces: list[bytes]) -> list[str]:
    return _words(b" ".join(pieces).decode("utf-8", "replace"), _MAX_BODY_WORDS)


def _words(text: str, limit: int) -> list[str]:
    tokens: dict[str, None] = {}
    for word in dict.fromkeys(_WORD.findall(text)):
        tokens.update(dict.fromkeys(_tokens(word)))
        if len(tokens) > limit:
            break
    return list(tokens)[:limit]
