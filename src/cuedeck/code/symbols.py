"""Symbols as callers see them: names with their module, and ids that outlive edits."""

from __future__ import annotations

import posixpath
from base64 import b32encode
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from blake3 import blake3

from cuedeck.code.facts import TYPES, Kind, Outline
from cuedeck.code.languages import language_named

_CROCKFORD: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ")
_ID_VERSION: Final = "v1"
# Of a file with very many symbols so many records are kept.
MOST_RECORDS: Final = 256


@dataclass(frozen=True, slots=True)
class SymbolRecord:
    """One definition of one file of a ref."""

    symbol_id: str
    symbol_stable_id: str
    name: str
    qualified_name: str
    kind: str
    language: str
    signature: str
    path: str
    line_start: int
    line_end: int
    source_layer: str
    number: int  # in its file's outline; -1 is the file itself
    content: bytes = b""


@lru_cache(maxsize=65536)
def module_name(path: str, language: str) -> str:
    """A file's module, with ``::`` between its parts; layout folders and endings are dropped."""
    known = language_named(language)
    segments = path.split("/")
    stem = segments[-1]
    dot = stem.find(".", 1) if language in ("typescript", "tsx", "javascript") else stem.rfind(".")
    if dot > 0:
        stem = stem[:dot] if stem.endswith(".d.ts") else stem[: stem.rfind(".")]
    folders = segments[:-1]
    if known is not None:
        for index, folder in enumerate(folders):
            if folder in known.source_roots:
                folders = folders[:index] + folders[index + 1 :] if index else folders[1:]
                break
        if stem in known.folder_stems:
            return "::".join(folders) or stem
    return "::".join([*folders, stem])


def stable_id(language: str, kind: str, qualified: str, ordinal: int) -> str:
    """An id that survives edits, moves of lines and changes of signature."""
    text = f"{_ID_VERSION}|{language}|{kind}|{qualified}|{ordinal}"
    return "b3:" + blake3(text.encode("utf-8", "surrogatepass")).hexdigest(length=16)


def symbol_id(stable: str, path: str) -> str:
    """An id of the same symbol in one file, in the form of a ULID."""
    digest = blake3(f"{stable}|{path}".encode("utf-8", "surrogatepass")).digest(length=16)
    return "sym_" + b32encode(digest)[:26].translate(_CROCKFORD).decode()


def module_record(path: str, outline: Outline, layer: str) -> SymbolRecord:
    """The record every file has at line 1."""
    module = module_name(path, outline.language)
    stable = stable_id(outline.language, Kind.MODULE, module or path, 0)
    return SymbolRecord(
        symbol_id(stable, path),
        stable,
        posixpath.basename(path).rsplit(".", 1)[0],
        module or path,
        Kind.MODULE,
        outline.language,
        "",
        path,
        1,
        max(1, len(outline.lines)),
        layer,
        -1,
    )


class FileSymbols:
    """The records of one file."""

    def __init__(self, path: str, outline: Outline, layer: str) -> None:
        self.path = path
        self.outline = outline
        self.layer = layer
        self.module = module_name(path, outline.language)
        self._records: dict[int, SymbolRecord] = {}

    def local(self, number: int) -> str:
        """A symbol's name inside its file."""
        return self.outline.locals[number]

    @cached_property
    def rooted(self) -> list[bool]:
        """For every symbol whether its name begins with a namespace, which then stands for the module."""
        known = language_named(self.outline.language)
        if known is None or not known.namespaces:
            return [False] * len(self.outline.definitions)
        found: list[bool] = []
        for _, _, parent, within in self.outline.called():
            found.append(found[parent] if 0 <= parent < len(found) else bool(within))
        return found

    def qualified(self, number: int) -> str:
        """A symbol's name with its module or namespace."""
        local = self.outline.locals[number]
        return local if not self.module or self.rooted[number] else f"{self.module}::{local}"

    @cached_property
    def owners(self) -> list[int]:
        """What holds each symbol: the type beside it whose member it is (Rust, Go), or what is around it."""
        types: dict[tuple[str, int], int] = {}
        for number, definition in enumerate(self.outline.definitions):
            if definition.kind in TYPES:
                types.setdefault((self.local(number), definition.parent), number)
        return [
            types.get((self.local(number).rpartition("::")[0], definition.parent), definition.parent)
            for number, definition in enumerate(self.outline.definitions)
        ]

    def record(self, number: int) -> SymbolRecord:
        """A symbol's record; -1 is the file itself."""
        found = self._records.get(number)
        if found is None:
            if len(self._records) >= MOST_RECORDS:
                self._records.clear()
            found = self._records[number] = self._record(number)
        return found

    def _record(self, number: int) -> SymbolRecord:
        if number < 0:
            return module_record(self.path, self.outline, self.layer)
        definition = self.outline.definitions[number]
        qualified = self.qualified(number)
        stable = stable_id(self.outline.language, definition.kind, qualified, self.outline.ordinals[number])
        return SymbolRecord(
            symbol_id(stable, self.path),
            stable,
            definition.name,
            qualified,
            definition.kind,
            self.outline.language,
            definition.signature,
            self.path,
            definition.line_start,
            definition.line_end,
            self.layer,
            number,
            definition.content,
        )
