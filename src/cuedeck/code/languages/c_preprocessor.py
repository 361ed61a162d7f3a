"""C and C++: what their preprocessor's lines define, use and include."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.c_branches import torn_branches
from cuedeck.code.languages.c_macros import Used, names_used
from cuedeck.code.languages.c_repair import macros
from cuedeck.code.languages.grouped import range_of
from cuedeck.code.languages.table import TableWalk, doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME: Final = re.compile(rb"\s*(?:(?:struct|union)\s+)?[A-Za-z_]\w*\s*(?:/[/*].*)?", re.S)
_TEST: Final = re.compile(
    rb"(?m)^[ \t]*#[ \t]*(?:ifn?def[ \t]+|(?:el)?if\b[ \t!(]*(?:defined\b[ \t(]*)?)([A-Za-z_]\w*)"
)
# Directives in the middle of a head, and every branch but the first.
_DIRECTIVES: Final = re.compile(
    rb"\n[ \t]*#[ \t]*(?:el(?:se|if\w*)\b.*?(?=\n[ \t]*#[ \t]*endif\b|\Z)|[^\n]*)", re.S
)


class Preprocessed(TableWalk):
    """Visits lines that begin with ``#``."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.tags = -1
        self.classes: dict[int, int] = {}  # the names of structures and classes, by their scopes

    def run(self, root: Node) -> bool:
        """Visit a tree, and what the source has beside it: the tree may be that of a source without it."""
        complete = super().run(root)
        places, tests = list(macros(self.source)), [test.start(1) for test in _TEST.finditer(self.source)]
        known = set(self.rows[3::4]) if places or tests else set()
        for start, end in places:
            if start not in known:
                name = self.source[start:end].partition(b"(")[0]
                self.row(Op.NAME, 0, self.intern(name), start, Role.CALL)
        if not known.issuperset(tests):
            for left_out in torn_branches(self.source):
                for used in names_used(self.source, left_out):
                    if used.start not in known:
                        self.macro_use(used, 0)
        return complete

    def heading(self, start: int, end: int) -> bytes:
        return _DIRECTIVES.sub(b"", super().heading(start, end))

    def tags_of(self, scope: int) -> int:
        """The scope that holds the names of structures: in C they stand apart, and belong to the file."""
        if self.tags < 0:
            self.tags = self.scope(ScopeKind.TAGS, 0)
        return self.tags

    def macro(self, node: Node, scope: int, role: int = 0) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or (value is None and self.is_guard(node, name)):
            return 0
        whole = (node.start_byte, node.end_byte - (self.source[node.end_byte - 1 : node.end_byte] == b"\n"))
        inner = self.scope(ScopeKind.FUNCTION, 0)
        other = self.other_name(node, value, inner)
        if other:
            self.bind(0, self.name(name), name.start_byte, Bind.ALIAS, other)
        else:
            self.bind(0, self.name(name), name.start_byte, Bind.FUNCTION, inner, 1)
        self.define(
            Kind.MACRO,
            name,
            whole,
            0,
            own=inner,
            head=(node.start_byte, value.start_byte if value is not None else node.end_byte),
            doc=doc_above(node),
        )
        taken = node.child_by_field_name("parameters")
        parameters = {self.name(p) for p in taken.named_children} if taken is not None else set()
        for used in names_used(self.source, range_of(value)) if value is not None and not other else ():
            if self.intern(used.name) not in parameters:
                self.macro_use(used, inner)
        return 0

    def other_name(self, node: Node, value: Node | None, scope: int) -> int:
        """What a macro stands for that is another name of something and nothing else."""
        if value is None or node.child_by_field_name("parameters") is not None:
            return 0
        named = _NAME.fullmatch(self.source, *range_of(value))
        if named is None:
            return 0
        used = next(names_used(self.source, range_of(value)), None)
        return self.macro_use(used, scope) if used is not None else 0

    def is_guard(self, node: Node, name: Node) -> bool:
        """Whether a macro only keeps a file from being read twice: the first in an ``#ifndef`` around all."""
        around = node.parent
        tested = around.child_by_field_name("name") if around is not None else None
        if around is None or tested is None or self.name(tested) != self.name(name):
            return False
        first = next((c for c in around.named_children if c != tested and c.type != "comment"), None)
        root = around.parent
        if first != node or root is None or root.parent is not None:
            return False
        return all(child == around or child.type == "comment" for child in root.named_children)

    def macro_use(self, used: Used, scope: int) -> int:
        """A name in a macro's body: what it means where the macro is used, most often the file's."""
        name = self.intern(used.name)
        if used.is_member:
            return self.row(Op.ATTR, 0, name, used.start, used.role)
        return self.row(Op.NAME, self.tags_of(scope) if used.is_tag else scope, name, used.start, used.role)

    def include(self, node: Node, scope: int, role: int = 0) -> int:
        path = node.child_by_field_name("path")
        if path is not None:
            text = self.text(path)
            number = self.imported(text.strip('"<>'), 0 if text.startswith("<") else 1)
            file = self.intern(posixpath.basename(self.imports[number].module).encode())
            self.row(Op.MODULE, number, file, path.start_byte, Role.IMPORT)
            self.bind(0, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        return 0

    def directive(self, node: Node, scope: int, role: int = 0) -> int:
        """``#undef NAME`` is about the macro that was defined above; other lines are not followed."""
        words, told = node.child_by_field_name("directive"), node.child_by_field_name("argument")
        if words is not None and told is not None and self.text(words).replace(" ", "") == "#undef":
            text = self.text(told).split("/")[0]
            name = text.split()[0] if text.split() else ""
            if name.isidentifier() and self.intern(name.encode()) in self.names[0]:
                start = told.start_byte + text.index(name)
                self.row(Op.NAME, 0, self.intern(name.encode()), start, Role.READ)
        return 0
