"""PHP's names and the types that its doc comments give: ``@var``, ``@param``, ``@property``, …"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

_TAG: Final = re.compile(
    rb"@(?:phpstan-|psalm-)?"
    rb"(var|param|return|throws|mixin|extends|implements|property(?:-read|-write)?)[ \t]+"
)
_VARIABLE: Final = re.compile(rb"[ \t]+(?:&|\.\.\.)*(\$\w+)")
_NAME: Final = re.compile(rb"\\?[A-Za-z_\x80-\xff][\w\x80-\xff-]*(?:\\[\w\x80-\xff]+)*|\$this")
_MORE: Final = re.compile(rb"[ \t]*[|&][ \t]*\??")
_LISTS: Final = frozenset({b"array", b"list", b"iterable", b"non-empty-array", b"non-empty-list"})
_PLAIN: Final = _LISTS | frozenset(
    b"int integer float double string bool boolean mixed void null callable object resource true false never"
    b" scalar numeric no-return array-key".split()
)
_SELF: Final = frozenset({b"self", b"static", b"$this"})
_MAX_DEPTH: Final = 4


class PhpNames(TableWalk):
    """Names as a file's namespace and imports complete them, in code and in comments."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.inside = ""
        self.uses: dict[str, str] = {}
        # What the last comment said, by its end; what it said of the function that is being read.
        self.told: tuple[int, dict[bytes, int]] = (-1, {})
        self.parameter_types: dict[bytes, int] = {}
        # The properties that it gave to the class below: where they are named, and their types.
        self.properties: list[tuple[bytes, int, int]] = []

    def full_name(self, name: str) -> str:
        """A qualified name from the root, without the first backslash."""
        if name.startswith("\\"):
            return name[1:]
        first, _, rest = name.partition("\\")
        if first == "namespace":
            first = self.inside
        elif first in self.uses:
            first = self.uses[first]
        else:
            first = f"{self.inside}\\{first}" if self.inside else first
        return f"{first}\\{rest}"

    def named(self, text: bytes, at: int, scope: int, role: int) -> int:
        """A class's name at a place; one with a namespace is looked for there and nowhere else."""
        name = text.decode("utf-8", "replace")
        last = text.rpartition(b"\\")[2]
        place = at + len(text) - len(last)
        if "\\" not in name:
            return self.row(Op.NAME, scope, self.intern(last), place, role)
        package = self.full_name(name).rpartition("\\")[0]
        return self.row(Op.IMPORTED, self.imported(package), self.intern(last), place, role)

    # -- comments

    def comment(self, node: Node, scope: int, role: int = 0) -> int:
        start, end = node.start_byte, node.end_byte
        if self.source[start : start + 3] != b"/**":
            return 0
        found: dict[bytes, int] = {}
        self.properties = []
        for tag in _TAG.finditer(self.source, start, end):
            value, at = self.doc_type(tag.end(), end, scope, 0)
            variable = _VARIABLE.match(self.source, at, end)
            key = variable[1] if variable and tag[1] in (b"var", b"param") else tag[1]
            found.setdefault(key, value)
            if variable and tag[1].startswith(b"property"):
                self.properties.append((variable[1][1:], variable.start(1) + 1, value))
            if (
                variable
                and tag[1] == b"var"
                and self.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK)
            ):
                self.bind(scope, self.intern(key), variable.start(1), Bind.VARIABLE, value)
        self.told = (end, found)
        return 0

    def documented(self, node: Node, key: bytes) -> int:
        """The type that the comment above a declaration gives to a part of it."""
        above = doc_above(node)
        return self.told[1].get(key, 0) if above is not None and above.end_byte == self.told[0] else 0

    def documented_properties(self, node: Node, scope: int) -> None:
        """``@property Book $book`` above a class, which its program makes up while it runs."""
        above = doc_above(node)
        if above is not None and above.end_byte == self.told[0]:
            for name, at, value in self.properties:
                self.bind(scope, self.intern(name), at, Bind.VARIABLE, value)

    def doc_type(self, at: int, end: int, scope: int, depth: int) -> tuple[int, int]:
        """The type written at a place, and where it ends."""
        found: list[int] = []
        source = self.source
        at += source[at : at + 1] == b"?"
        while depth < _MAX_DEPTH:
            match = _NAME.match(source, at, end)
            if match is None:
                break
            value, at = self._doc_part(match[0], match.start(), match.end(), end, scope, depth)
            while source[at : at + 2] == b"[]":
                value, at = self.row(Op.SEQUENCE, self.row(Op.TYPED, value)) if value else 0, at + 2
            if value:
                found.append(value)
            more = _MORE.match(source, at, end)
            if more is None:
                break
            at = more.end()
        if len(found) > 1:
            return self.row(Op.UNION, 0, self.items(found)), at
        return found[0] if found else 0, at

    def _doc_part(
        self, name: bytes, start: int, at: int, end: int, scope: int, depth: int
    ) -> tuple[int, int]:
        plain = name.lower() in _PLAIN or b"-" in name
        if name in _SELF:
            value = self.row(Op.NAME, scope, self.intern(b"static"), start, Role.TYPE)
        else:
            value = 0 if plain else self.named(name, start, scope, Role.TYPE)
        inside = 0
        if self.source[at : at + 1] == b"<":
            at += 1
            while at < end:
                inside, at = self.doc_type(at, end, scope, depth + 1)
                if self.source[at : at + 1] != b",":
                    break
                at += 1 + (self.source[at + 1 : at + 2] == b" ")
            at += self.source[at : at + 1] == b">"
        if not inside:
            return value, at
        many = self.row(Op.SEQUENCE, self.row(Op.TYPED, inside))
        return (self.row(Op.UNION, 0, self.items([value, many])) if value else many), at
