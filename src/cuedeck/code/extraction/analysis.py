"""One blob, ready to be stored: packed facts, the names in it, and the words it is searched by."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from cuedeck.code.extraction.columns import seen_outside, storable
from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.extraction.extract import MAX_BYTES, extract, unreadable
from cuedeck.code.extraction.packing import pack
from cuedeck.code.extraction.wording import blob_words
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
from cuedeck.code.git.objects import NOT_HERE
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.store.code import NewBlob

_MAX_NAME: Final = 200
# So much of a file that is too large to be read is searched.
_BEGINNING: Final = 256 * 1024
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_IS_INNER: Final = bytes(kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK) for kind in range(256))
# For each value of an op column whether its row is a bare name, or names something in another way.
_IS_NAME: Final = bytes(op & OP_MASK == Op.NAME for op in range(256))
_IS_MEMBER: Final = bytes(op & OP_MASK in NAMING - {Op.NAME} for op in range(256))


def analyse_blob(oid: str, path: str, language: str, source: bytes | None) -> NewBlob:
    """Everything to store for a blob; bytes that cannot be had are described as such."""
    if source is None:
        return _stored(oid, language, unreadable(language, 0, NOT_HERE), "")
    source = as_utf8(source)
    actual = language_of_source(path, source) or language
    known = language_named(actual)
    if source.startswith(_POINTER):
        return _stored(oid, language, unreadable(language, len(source), "a Git LFS pointer"), "")
    if known is None:
        return _stored(oid, language, unreadable(language, len(source), "no grammar"), "")
    searched = source if len(source) <= MAX_BYTES else source[:_BEGINNING]
    return _stored(oid, language, extract(source, known), searched)


def _stored(oid: str, language: str, facts: Facts, source: bytes | str) -> NewBlob:
    outline, links = facts.outline, facts.links
    return NewBlob(
        oid=oid,
        language=language,
        version=EXTRACTOR_VERSION,
        size=outline.size,
        symbols=len(outline.definitions),
        problem=outline.problem,
        facts=pack(facts),
        uses=_storable(names_seen_outside(links, language)),
        defines=_storable(dict.fromkeys(outline.names)),
        words=blob_words(outline, source if isinstance(source, bytes) else b""),
    )


def names_seen_outside(links: Links, language: str) -> list[str]:
    """Names that may belong to another file, or be asked for from one: all but a function's own variables."""
    known = language_named(language)
    sought = known.rules.names_sought(links) if known is not None else ()
    names = seen_outside(
        links.strings,
        links.ops.tobytes(),
        links.a,
        links.b,
        links.bindings,
        links.scopes.columns,
        links.scopes.count,
        _IS_NAME,
        _IS_MEMBER,
        _IS_INNER,
        Bind.IMPORT,
    )
    return [*dict.fromkeys((*names, *sought))] if sought else names


def _storable(names: Collection[str]) -> list[str]:
    """Names that can be kept in a table of names."""
    return storable(names, _MAX_NAME, _is_text)


def _is_text(name: str) -> bool:
    return "\0" not in name if name.isascii() else name.isprintable()
