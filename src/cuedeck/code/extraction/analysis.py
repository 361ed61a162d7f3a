"""One blob, ready to be stored: packed facts, the names in it, and the words it is searched by."""

from __future__ import annotations

from itertools import compress
from typing import Final

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
from cuedeck.code.git.repository import NOT_HERE
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.store.code import NewBlob

_MAX_NAME: Final = 200
# So much of a file that is too large to be read is searched.
_BEGINNING: Final = 256 * 1024
_INNER: Final = (ScopeKind.FUNCTION, ScopeKind.BLOCK)
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
        uses=_storable(names_seen_outside(links)),
        defines=_storable(set(outline.names)),
        words=blob_words(outline, source if isinstance(source, bytes) else b""),
    )


def names_seen_outside(links: Links) -> set[str]:
    """Names that may belong to another file, or be asked for from one: all but a function's own variables."""
    scopes, names, _, kinds, _, originals = links.bindings
    # The last is for what stands in no scope.
    bound: list[set[int]] = [set() for _ in range(links.scopes.count + 1)]
    used: list[set[int]] = [set() for _ in range(links.scopes.count + 1)]
    for scope, name in zip(scopes, names, strict=True):
        bound[scope].add(name)
    ops = links.ops.tobytes()
    named = ops.translate(_IS_NAME)
    for scope, name in zip(compress(links.a, named), compress(links.b, named), strict=True):
        used[scope].add(name)
    found = set(compress(links.b, ops.translate(_IS_MEMBER)))
    # Scopes come after those around them.
    for (kind, around), own, others in zip(links.scopes.around(), bound, used, strict=False):
        if kind in _INNER:
            own |= bound[around]
            others -= own
        else:
            found |= own
            own.clear()
    found.update(*used)
    imports = [kind == Bind.IMPORT for kind in kinds]
    found.update(compress(names, imports), compress(originals, imports))
    return {links.strings[number] for number in found} - {"", "*"}


def _storable(names: set[str]) -> list[str]:
    """Names that can be kept in a table of names."""
    joined = "".join(names)
    if joined.isascii() and "\0" not in joined and max(map(len, names), default=0) <= _MAX_NAME:
        return list(names)
    return [name for name in names if len(name) <= _MAX_NAME and _is_text(name)]


def _is_text(name: str) -> bool:
    return "\0" not in name if name.isascii() else name.isprintable()
