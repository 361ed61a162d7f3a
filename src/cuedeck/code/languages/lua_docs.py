"""Types that comments of Lua give: ``---@class``, ``---@field``, ``---@param``, ``---@return``, …"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_TAG: Final = re.compile(rb"---[ \t]*@(class|field|param|return|type|alias)\b[ \t]*(?:\([\w, ]*\)[ \t]*)?")
_FIELD: Final = re.compile(rb"(?:(?:public|private|protected|package)[ \t]+)?(\w+)\??[ \t]+")
_PARAMETER: Final = re.compile(rb"(\w+)\??[ \t]+")
_NAME: Final = re.compile(rb"[A-Za-z_][\w.]*")
_MORE: Final = re.compile(rb"\??[ \t]*\|[ \t]*")
_COMMA: Final = re.compile(rb"[ \t]*[:,][ \t]*")
_TABLE: Final = b"table"
_PLAIN: Final = frozenset(
    b"nil boolean number integer string function thread userdata lightuserdata any unknown true false void"
    b" fun table self".split()
)
# Types have names of their own, whatever variables are called.
_MARK: Final = b"@"
_MAX_DEPTH: Final = 4


class LuaDocs(TableWalk):
    """Reads the types in comments; what they say holds for the statement on the next line."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.next_line = -1
        self.parameter_types: dict[bytes, int] = {}
        self.result_type = 0
        self.value_type = 0
        # The class that was declared last, until a table is found to be it: its name, place, parents, fields.
        self.declared_class: tuple[bytes, int, list[int], list[tuple[bytes, int, int]]] | None = None

    def comment(self, node: Node, scope: int, role: int = 0) -> int:
        tag = _TAG.match(self.source, node.start_byte, node.end_byte)
        row = node.start_point[0]
        if row != self.next_line:
            self.forget()
        self.next_line = row + 1
        if tag is not None:
            self.noted(tag[1], tag.end(), node.end_byte)
        return 0

    def forget(self) -> None:
        """What was said is not about what follows; a class that is no table stands for itself."""
        self.parameter_types, self.result_type, self.value_type = {}, 0, 0
        if self.declared_class is not None:
            name, at, _, _ = self.declared_class
            inner = self.scope(ScopeKind.CLASS, 0)
            self.bind(0, self.intern(_MARK + name), at, Bind.CLASS, inner)
            self.give_members(inner)

    def run(self, root: Node) -> bool:
        complete = super().run(root)
        self.forget()
        return complete

    def give_members(self, scope: int) -> None:
        """The parents and fields that comments give the class of a scope."""
        if self.declared_class is None:
            return
        _, _, parents, fields = self.declared_class
        self.declared_class = None
        self.scopes[scope].bases = self.items([*self.lists[self.scopes[scope].bases], *parents])
        for name, at, of in fields:
            self.bind(scope, self.intern(name), at, Bind.VARIABLE, of)

    def is_class(self, name: Node, scope: int, inner: int) -> None:
        """A table below ``---@class`` is that class."""
        if self.declared_class is not None and self.told(name):
            label, at, _, _ = self.declared_class
            table = self.row(Op.NAME, scope, self.name(name), name.start_byte)
            self.bind(0, self.intern(_MARK + label), at, Bind.ALIAS, table)
            self.give_members(inner)

    def told(self, node: Node) -> bool:
        """Whether the comments read last are about a statement."""
        return node.start_point[0] == self.next_line

    def noted(self, tag: bytes, at: int, end: int) -> None:
        if tag == b"class":
            self.forget()
            self.begun_class(at, end)
        elif tag == b"field" and self.declared_class is not None:
            field = _FIELD.match(self.source, at, end)
            if field is not None:
                value = self.doc_type(field.end(), end)[0]
                self.declared_class[3].append((field[1], field.start(1), value))
        elif tag == b"param":
            parameter = _PARAMETER.match(self.source, at, end)
            if parameter is not None:
                self.parameter_types[parameter[1]] = self.doc_type(parameter.end(), end)[0]
        elif tag == b"return":
            self.result_type = self.result_type or self.doc_type(at, end)[0]
        elif tag == b"type":
            self.value_type = self.doc_type(at, end)[0]
        elif tag == b"alias":
            name = _NAME.match(self.source, at, end)
            of = self.doc_type(name.end() + 1, end)[0] if name is not None else 0
            if name is not None and of:
                self.bind(0, self.intern(_MARK + name[0]), at, Bind.ALIAS, of)

    def begun_class(self, at: int, end: int) -> None:
        name = _NAME.match(self.source, at, end)
        if name is None:
            return
        parents: list[int] = []
        more = _COMMA.match(self.source, name.end(), end)
        while more is not None:
            value, at = self.doc_type(more.end(), end)
            parents += [value] if value else []
            more = _COMMA.match(self.source, at, end)
        self.declared_class = (name[0], name.start(), parents, [])

    def doc_type(self, at: int, end: int, depth: int = 0) -> tuple[int, int]:
        """The type written at a place, and where it ends."""
        found: list[int] = []
        while depth < _MAX_DEPTH:
            name = _NAME.match(self.source, at, end)
            if name is None:
                break
            value, at = self.doc_part(name[0], name.start(), name.end(), end, depth)
            while self.source[at : at + 2] == b"[]":
                value, at = self.row(Op.SEQUENCE, self.row(Op.TYPED, value)) if value else 0, at + 2
            found += [value] if value else []
            more = _MORE.match(self.source, at, end)
            if more is None:
                break
            at = more.end()
        return self.either(found), at

    def doc_part(self, name: bytes, start: int, at: int, end: int, depth: int) -> tuple[int, int]:
        if name == _TABLE and self.source[at : at + 1] == b"<":
            _, at = self.doc_type(at + 1, end, depth + 1)
            more = _COMMA.match(self.source, at, end)
            held, at = self.doc_type(more.end(), end, depth + 1) if more is not None else (0, at)
            at += self.source[at : at + 1] == b">"
            return (self.row(Op.MAPPING, self.row(Op.TYPED, held)) if held else 0), at
        if name in _PLAIN:
            return 0, at
        return self.row(Op.NAME, 0, self.intern(_MARK + name), start, Role.TYPE), at
