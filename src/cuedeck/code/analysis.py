"""One blob, ready to be stored: packed facts, the names in it, and the words it is searched by."""

from __future__ import annotations

from typing import Final

from cuedeck.code.encoding import as_utf8
from cuedeck.code.extract import extract, unreadable
from cuedeck.code.facts import (
    EXTRACTOR_VERSION,
    NAMING,
    OP_MASK,
    Bind,
    Facts,
    Links,
    Op,
    ScopeKind,
)
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.code.packing import pack
from cuedeck.code.repository import NOT_HERE
from cuedeck.code.wording import blob_words
from cuedeck.store.code import NewBlob

_MAX_NAME: Final = 200


def analyse_blob(oid: str, path: str, language: str, source: bytes | None) -> NewBlob:
    """Everything to store for a blob; bytes that cannot be had are described as such."""
    if source is None:
        return _stored(oid, language, unreadable(language, 0, NOT_HERE), "")
    source = as_utf8(source)
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
        words=blob_words(outline, source if isinstance(source, bytes) else b""),
    )


def _names_seen_outside(links: Links) -> set[int]:
    """Names that may belong to another file, or be asked for from one: all but a function's own variables."""
    scopes, bound = links.scopes, set(zip(links.bindings[0], links.bindings[1], strict=True))
    inner = [row.kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK) for row in links.scope_rows()]
    found: set[int] = set()
    local: set[tuple[int, int]] = set()
    for op, a, b in zip(links.ops, links.a, links.b, strict=True):
        op &= OP_MASK
        if op == Op.NAME:
            if b in found or (a, b) in local:
                continue
            scope = a
            while scope >= 0 and inner[scope] and (scope, b) not in bound:
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
