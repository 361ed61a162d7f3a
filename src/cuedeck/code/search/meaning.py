"""What a symbol means, as a text for the model and as a key that equal symbols of all refs share."""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import Final

from cuedeck.code.facts import CALLABLE, TYPES, Definition, Outline
from cuedeck.native import native
from cuedeck.search.analyser import analyse

_MAX_DOC: Final = 400
_MAX_TEXT: Final = 800
_KEYED: Final = blake2b(digest_size=8, key=b"1")  # of the text's form: another one needs other vectors
_LARGEST: Final = (1 << 63) - 1
_TOLD: Final = CALLABLE | TYPES


def blob_keys(outline: Outline) -> bytes:
    """For the file and each symbol 64 bits: 0 where it gets no vector, odd where it is private."""
    if native() is None:
        return plain_keys(outline)
    from cuedeck_native.words import blob_keys as compiled_keys

    keys: bytes = compiled_keys(outline.definitions, _KEYED, _TOLD)
    return keys


def plain_keys(outline: Outline) -> bytes:
    """The same, where nothing is compiled."""
    keys = array("q", [0])
    for d, local in zip(outline.definitions, outline.locals, strict=True):
        keys.append(_key(d, local) if d.content and d.kind in _TOLD else 0)
    return keys.tobytes()


def _key(definition: Definition, local: str) -> int:
    told = f"{definition.kind}\0{local}\0".encode("utf-8", "surrogatepass")
    digest = _KEYED.copy()
    digest.update(told + definition.content)
    number = int.from_bytes(digest.digest(), "little") & _LARGEST & ~1
    return (number or 2) | definition.name.startswith("_")


def meaning_text(definition: Definition, local: str, source: bytes) -> str:
    """A symbol in the words a question may use: its name in parts, its documentation, its first lines."""
    parts = analyse(definition.name)
    head = f"{definition.kind} {local.replace('::', ' ')} {' '.join(parts[1:])}".strip()
    doc = source[definition.doc_start : min(definition.doc_end, definition.doc_start + _MAX_DOC)]
    before = source[definition.start : definition.doc_start]
    after = source[max(definition.start, definition.doc_end) : definition.end]
    if not definition.start <= definition.doc_start < definition.end:
        before, after = b"", source[definition.start : definition.end]
    pieces = (piece.decode("utf-8", "replace") for piece in (doc, (before + after)[:_MAX_TEXT]))
    return "\n".join([head, *(" ".join(piece.split()) for piece in pieces)])[:_MAX_TEXT]
