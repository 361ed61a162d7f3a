"""Lua: how its syntax becomes facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import OP_MASK, Bind, Kind, Links, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.table import TableWalk, doc_above, first_of
from cuedeck.code.resolution.values import Symbol, Targets

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range


_LOCAL: Final = b"local"
# The tables that functions are put into.
_FILLED: Final = re.compile(rb"\bfunction\s+(\w+)\s*[.:]")


class LuaWalk(TableWalk):
    """Visits Lua; a function stored in a table is a symbol within that table."""

    members: ClassVar[dict[str, tuple[str, str]]] = {
        "dot_index_expression": ("table", "field"),
        "method_index_expression": ("table", "method"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"function_call": ("name", "arguments")}
    blocks: ClassVar[tuple[str, ...]] = (
        "do_statement",
        "while_statement",
        "repeat_statement",
        "if_statement",
    )
    silent: ClassVar[tuple[str, ...]] = ("comment", "number", "true", "false", "nil")
    special: ClassVar[dict[str, str]] = {
        "string": "text_literal",
        "return_statement": "return_",
        "expression_list": "only",
        "parenthesized_expression": "only",
        "function_declaration": "function",
        "function_definition": "anonymous",
        "variable_declaration": "local",
        "assignment_statement": "assignment",
        "field": "field",
        "for_statement": "for_",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.filled = frozenset(_FILLED.findall(source))

    def function(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return self.children(node, scope)
        is_local = any(c.type == "local" for c in node.children)
        if is_local:
            self.own(name, scope)
        self.stored(name, node, node, scope if is_local or self.scopes[scope].kind == ScopeKind.MODULE else 0)
        return 0

    def stored(self, name: Node, function: Node, whole: Node, scope: int) -> int:
        """A function under a plain or dotted name."""
        leaf = name.child_by_field_name("field") or name.child_by_field_name("method") or name
        table = name.child_by_field_name("table")
        owner = (
            self.text(table).replace(".", "::").replace(":", "::").replace("::::", "::")
            if table is not None
            else ""
        )
        place = scope
        if table is not None:
            target = self.visit(table, scope)
            place = self.scope(ScopeKind.EXTENSION, scope)
            self.scopes[place].owner, self.scopes[place].result = place, target
        inner = self.scope(ScopeKind.FUNCTION, place, owner=self.scopes[place].owner)
        self.bind(place, self.name(leaf), leaf.start_byte, Bind.FUNCTION, inner)
        body = function.child_by_field_name("body")
        self.define(
            Kind.METHOD if name.type == "method_index_expression" else Kind.FUNCTION,
            leaf,
            whole,
            scope,
            own=inner,
            within=owner,
            doc=doc_above(whole),
            head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
        )
        if name.type == "method_index_expression":
            self.bind(inner, self.intern(b"self"), name.start_byte, Bind.SELF, place)
        self.inside(function, inner)
        return self.row(Op.FUNCTION, inner)

    def inside(self, node: Node, inner: int) -> None:
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        for child in parameters.named_children if parameters is not None else ():
            if child.type == "identifier":
                self.bind(inner, self.name(child), child.start_byte, Bind.PARAMETER)
        saved, self.returned = self.returned, []
        if body is not None:
            self.children(body, inner)
        self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned = saved

    def anonymous(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.inside(node, inner)
        return self.row(Op.FUNCTION, inner)

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        first = first_of(arguments) if arguments is not None else None
        if name is not None and first is not None and first.type == "string" and self.text(name) == "require":
            return self.row(Op.MODULE, self.imported(self.text(first).strip("'\"[]")))
        if name is not None and arguments is not None and self.text(name) == "setmetatable":
            self.visit(name, scope, Role.CALL)
            values = [self.visit(child, scope) for child in arguments.named_children]
            # A table whose metatable a class is has what the class has.
            return self.indexed(arguments.named_children[1], scope, values[1]) if len(values) > 1 else 0
        return super().call(node, scope, role)

    def indexed(self, metatable: Node, scope: int, value: int) -> int:
        """Where a metatable looks up what a table has not: itself, or its ``__index``."""
        if metatable.type != "table_constructor":
            return value
        for field in metatable.named_children:
            name, given = field.child_by_field_name("name"), field.child_by_field_name("value")
            if name is not None and given is not None and self.text(name) == "__index":
                is_name = given.type == "identifier"
                return self.row(Op.NAME, scope, self.name(given)) if is_name else 0
        return 0

    def local(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            if child.type == "assignment_statement":
                self.assignment(child, scope, 1)
            else:
                for name in child.named_children:
                    if name.type == "identifier":
                        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE)
                        self.own(name, scope)
        return 0

    def own(self, name: Node, scope: int) -> None:
        """Note that a name of a file is its own: ``local`` ones are not seen by others."""
        if scope == 0:
            self.bind(0, self.intern(_LOCAL), name.start_byte, Bind.OPAQUE, self.name(name))

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        if len(parts) < 2:
            return self.children(node, scope)
        values = parts[1].named_children
        for position, name in enumerate(parts[0].named_children):
            if role == 1 and name.type == "identifier":
                self.own(name, scope)
            given = values[position] if position < len(values) else None
            whole = node.parent if role == 1 and node.parent is not None else node
            if given is not None and given.type == "function_definition":
                self.stored(name, given, whole, scope)
                continue
            if name.type == "identifier" and given is not None and given.type == "table_constructor":
                self.table_value(name, given, whole, scope, local=role == 1)
                continue
            value = self.visit(given, scope) if given is not None else 0
            if name.type == "identifier":
                place = scope if role == 1 else self.declared(name, scope)
                self.assign(name, place, 0, value, Kind.VARIABLE, whole)
                if given is not None and self.makes_class(name, given, value):
                    self.made_class(name, given, place)
            else:
                self.visit(name, scope, Role.WRITE)
        return 0

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        statement = whole if whole.type == "assignment_statement" else whole.named_children[0]
        names, values = statement.named_children[:2]
        if names.named_child_count < 2:
            return ()
        return bound_in([range_of(whole)], names, leaf.start_byte, values.named_children)

    def declared(self, name: Node, scope: int) -> int:
        """The scope whose variable a name means: the nearest that has it, or everybody's."""
        number = self.name(name)
        while scope > 0 and number not in self.names[scope]:
            scope = self.scopes[scope].parent
        return max(scope, 0)

    def table_value(self, name: Node, table: Node, whole: Node, scope: int, *, local: bool) -> None:
        """A table with a name is a class to the functions that are put into it."""
        place = scope if local else self.declared(name, scope)
        inner = self.scope(ScopeKind.CLASS, place)
        self.scopes[inner].owner = inner
        self.children(table, inner)
        self.assign(name, place, 0, 0, Kind.VARIABLE, whole)
        self.bind(place, self.name(name), name.start_byte, Bind.CLASS, inner)

    def makes_class(self, name: Node, given: Node, value: int) -> bool:
        """Whether a call makes the table that functions are then put into, as ``class("Name")`` does."""
        loaded = self.rows[4 * value] & OP_MASK == Op.MODULE
        return given.type == "function_call" and not loaded and self.bytes_of(name) in self.filled

    def made_class(self, name: Node, given: Node, place: int) -> None:
        """A class that a library makes; what it is made from, if functions are put into that, it inherits."""
        inner = self.scope(ScopeKind.CLASS, place)
        self.scopes[inner].owner = inner
        called, arguments = given.child_by_field_name("name"), given.child_by_field_name("arguments")
        receiver = called.child_by_field_name("table") if called is not None else None
        parents = [receiver, *(arguments.named_children if arguments is not None else ())]
        named = [p for p in parents if p is not None and p.type == "identifier" and p != name]
        bases = [self.row(Op.NAME, place, self.name(p)) for p in named if self.bytes_of(p) in self.filled]
        self.scopes[inner].bases = self.items(bases)
        self.bind(place, self.name(name), name.start_byte, Bind.CLASS, inner)

    def bytes_of(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]

    def field(self, node: Node, scope: int, role: int = 0) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if value is None:
            return 0
        if value.type == "function_definition" and name is not None and name.type == "identifier":
            return self.stored(name, value, node, scope)
        return self.visit(value, scope)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for clause in node.named_children:
            if clause.type in ("for_generic_clause", "for_numeric_clause"):
                for child in clause.named_children:
                    names = child.named_children if child.type == "variable_list" else [child]
                    for name in names:
                        if name.type == "identifier" and child == clause.named_children[0]:
                            self.bind(inner, self.name(name), name.start_byte, Bind.VARIABLE)
                        else:
                            self.visit(name, scope)
            else:
                self.visit(clause, inner)
        return 0


class LuaRules(OpenRules):
    """How files of Lua see each other."""

    language: ClassVar[str] = "lua"
    endings: ClassVar[tuple[str, ...]] = (".lua",)
    body_names: ClassVar[bool] = False

    def inside(self, package: str, name: str) -> Targets:
        """What a module's table holds: the functions that its file puts into tables."""
        ending = package.replace(".", "/")
        files = [p for p in self.project.files_naming(name) if _stem(p) == ending]
        files = files or [p for p in self.project.files_naming(name) if _stem(p).endswith("/" + ending)]
        # A repository that is put into a folder of its own name says that folder too.
        below = ending.partition("/")[2]
        files = files or [p for p in self.project.files_naming(name) if below and _stem(p) == below]
        found: list[Symbol] = []
        for path in files[:1]:
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                if links.scopes[scope].kind == ScopeKind.EXTENSION:
                    found.append(Symbol(path, scope, name))
        return tuple(dict.fromkeys(found)) or super().inside(package, name)

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        marks = links.names[0].get(links.string_numbers.get(_LOCAL.decode(), -1), ())
        return any(links.bindings[4][mark] == links.bindings[1][binding] for mark in marks)

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        # Every file calls its own table ``M``.
        return (place for place in super().extensions(path, scope, name) if place[0] == path)


def _stem(path: str) -> str:
    """A file's path without what a module's name leaves out."""
    return path.removesuffix(".lua").removesuffix("/init")


def _grammar() -> Any:
    import tree_sitter_lua

    return tree_sitter_lua.language()


LUA: Final = Language(
    "lua",
    _grammar,
    LuaWalk,
    LuaRules,
    source_roots=("src", "lua", "lib"),
    folder_stems=("init",),
    comment="--",
)
