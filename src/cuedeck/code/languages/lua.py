"""Lua: how its syntax becomes facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import INSTANCE, OP_MASK, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.lua_docs import LuaDocs
from cuedeck.code.languages.lua_rules import LOCAL, LuaRules
from cuedeck.code.languages.table import doc_above, first_of
from cuedeck.code.languages.torn import closed_words

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range


# The tables that functions are put into.
_FILLED: Final = re.compile(rb"\bfunction\s+(\w+)\s*[.:]")
# Functions of libraries that make a class of the one they are given, and methods that add a mixin to one.
_MAKING: Final = frozenset({"class", "Class", "extend", "subclass", "inherit", "derive"})
_MIXING: Final = frozenset({"include", "implement", "with"})
_WALKING: Final = frozenset({"pairs", "ipairs"})
_NEW: Final = "new"
_MADE: Final = ("function_call", "dot_index_expression")
_UNTOLD: Final[Mapping[bytes, int]] = {}
_DOTTED: Final = ("dot_index_expression", "method_index_expression")


class LuaWalk(LuaDocs):
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
    silent: ClassVar[tuple[str, ...]] = ("number", "true", "false", "nil")
    special: ClassVar[dict[str, str]] = {
        "comment": "comment",
        "table_constructor": "table_",
        "bracket_index_expression": "index",
        "binary_expression": "binary",
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
        # The scopes of tables by the scope and the number of their name, and those of what is put into them.
        self.tables: dict[tuple[int, int], int] = {}
        self.added: dict[tuple[int, int], int] = {}

    def run(self, root: Node) -> bool:
        complete = super().run(root)
        # What a file gives to those that require it.
        self.scopes[0].returns = self.items(self.returned[:8])
        return complete

    def function(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return self.children(node, scope)
        is_local = any(c.type == "local" for c in node.children)
        if is_local:
            self.own(name, scope)
        own = is_local or name.type != "identifier"
        self.stored(name, node, node, scope if own else self.declared(name, scope))
        return 0

    def stored(self, name: Node, function: Node, whole: Node, scope: int) -> int:
        """A function under a plain or dotted name."""
        leaf = label_of(name) or name
        table = name.child_by_field_name("table")
        owner = (
            self.text(table).replace(".", "::").replace(":", "::").replace("::::", "::")
            if table is not None
            else ""
        )
        place, told = scope, self.told(whole)
        types, result = (self.parameter_types, self.result_type) if told else ({}, 0)
        if table is not None:
            target = self.visit(table, scope)
            place = self.scope(ScopeKind.EXTENSION, scope)
            self.scopes[place].owner, self.scopes[place].result = place, target
        inner = self.scope(ScopeKind.FUNCTION, place, owner=self.scopes[place].owner)
        self.scopes[inner].result = result
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
            receiver = self.intern(b"self")
            self.bind(inner, receiver, name.start_byte, Bind.SELF, place)
            self.scopes[inner].receiver = receiver
        self.inside(function, inner, types)
        return self.row(Op.FUNCTION, inner)

    def inside(self, node: Node, inner: int, types: Mapping[bytes, int] = _UNTOLD) -> None:
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        for child in parameters.named_children if parameters is not None else ():
            if child.type == "identifier":
                of = types.get(self.bytes_of(child), 0)
                self.bind(inner, self.name(child), child.start_byte, Bind.PARAMETER, of)
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
            return self.given_metatable(name, arguments.named_children, scope)
        called = super().call(node, scope, role)
        if name is None or name.type not in _DOTTED:
            return called
        table, label = name.child_by_field_name("table"), name.named_children[-1]
        if table is not None and arguments is not None and self.text(label) in _MIXING:
            self.mixed(table, arguments, scope)
        # By convention a class makes instances of itself and of its heirs.
        owner = self.rows[4 * (self.rows[4 * called + 1]) + 1] if self.text(label) == _NEW else 0
        return self.either([called, self.row(Op.NEW, owner)]) if owner else called

    def given_metatable(self, name: Node, given: Sequence[Node], scope: int) -> int:
        """A table whose metatable a class is has what the class has."""
        self.visit(name, scope, Role.CALL)
        values = [self.visit(child, scope) for child in given]
        held = self.indexed(given[1], scope, values[1]) if len(values) > 1 else 0
        if held and given[0].type == "identifier":
            place = self.declared(given[0], scope)
            self.bind(place, self.name(given[0]), given[0].start_byte, Bind.VARIABLE, 0, held)
        return held

    def mixed(self, table: Node, arguments: Node, scope: int) -> None:
        """``Class:include(Mixin)`` gives a class what the mixin has."""
        inner = self.table_of(table, scope)
        if inner >= 0:
            mixins = [self.visit(c, scope) for c in arguments.named_children if c.type == "identifier"]
            self.scopes[inner].bases = self.items([*self.lists[self.scopes[inner].bases], *mixins])

    def table_of(self, name: Node, scope: int) -> int:
        """The scope of the table that a name means in this file, or -1."""
        if name.type != "identifier":
            return -1
        return self.tables.get((self.declared(name, scope), self.name(name)), -1)

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        """``a or b`` is one of both, ``a and b`` is b."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        values = [self.visit(part, scope) for part in (left, right) if part is not None]
        sign = next((part.type for part in node.children if not part.is_named), "")
        if len(values) < 2 or sign not in ("or", "and"):
            return 0
        return self.either(values) if sign == "or" else values[1]

    def indexed(self, metatable: Node, scope: int, value: int) -> int:
        """Where a metatable looks up what a table has not: itself, or its ``__index``."""
        if metatable.type != "table_constructor":
            return value
        for field in metatable.named_children:
            name, given = field.child_by_field_name("name"), field.child_by_field_name("value")
            if name is not None and given is not None and self.text(name) == "__index":
                is_name = given.type == "identifier"
                return self.row(Op.NAME, scope, self.name(given), given.start_byte) if is_name else 0
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
            self.bind(0, self.intern(LOCAL), name.start_byte, Bind.OPAQUE, self.name(name))

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
            if given is not None and given.type == "function_definition" and label_of(name) is not None:
                self.stored(name, given, whole, scope)
                continue
            if name.type == "identifier" and given is not None and given.type == "table_constructor":
                self.table_value(name, given, whole, scope, local=role == 1)
                continue
            of = self.value_type if self.told(whole) else 0
            if given is not None and not of and self.put_table(name, given, scope):
                continue
            value = self.visit(given, scope) if given is not None else 0
            if name.type == "identifier":
                place = scope if role == 1 else self.declared(name, scope)
                made = given is not None and self.makes_class(name, given, value)
                self.assign(name, place, of, 0 if made else value, Kind.VARIABLE, whole)
                if given is not None and made:
                    self.made_class(name, given, place, value)
            else:
                self.visit(name, scope, Role.WRITE)
                self.put(name, given, scope, of, value)
        return 0

    def put_table(self, name: Node, given: Node, scope: int) -> bool:
        """``M.part = { … }`` is a table within a table, unless it is a list."""
        table, field = name.child_by_field_name("table"), label_of(name)
        if given.type != "table_constructor" or table is None or field is None:
            return False
        if self.table_of(table, scope) < 0 or is_list(given):
            return False
        self.visit(name, scope, Role.WRITE)
        self.hold_table(self.added_to(table, scope), field, given, scope)
        return True

    def hold_table(self, place: int, field: Node, given: Node, scope: int) -> None:
        inner = self.scope(ScopeKind.CLASS, place if place == scope else self.scope(ScopeKind.BLOCK, scope))
        self.scopes[inner].owner = inner
        self.children(given, inner)
        self.bind(place, self.name(field), field.start_byte, Bind.CLASS, inner)

    def put(self, name: Node, given: Node | None, scope: int, of: int, value: int) -> None:
        """``self.x = value`` and ``M.x = value`` tell what an object or a table holds."""
        table, field = name.child_by_field_name("table"), label_of(name)
        if not (of or value) or table is None or field is None:
            return
        if self.text(table) == "self":
            owner = self.scopes[scope].owner
            if owner >= 0:
                self.bind(owner, self.name(field), field.start_byte, Bind.VARIABLE | INSTANCE, of, value)
        elif self.table_of(table, scope) >= 0:
            self.hold(self.added_to(table, scope), field, given, of, value)

    def hold(self, scope: int, field: Node, given: Node | None, of: int, value: int) -> None:
        """Bind what a table holds; under another name it is what that names."""
        if given is not None and given.type == "identifier" and not of:
            self.bind(scope, self.name(field), field.start_byte, Bind.LINK, value)
        else:
            self.bind(scope, self.name(field), field.start_byte, Bind.VARIABLE, of, value)

    def added_to(self, table: Node, scope: int) -> int:
        """The scope of what a file puts into a table."""
        key = (self.declared(table, scope), self.name(table))
        if key not in self.added:
            inner = self.added[key] = self.scope(ScopeKind.EXTENSION, key[0])
            self.scopes[inner].owner = inner
            self.scopes[inner].result = self.row(Op.NAME, key[0], key[1], table.start_byte)
        return self.added[key]

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
        self.tables[place, self.name(name)] = inner
        self.is_class(name, place, inner)
        self.children(table, inner)
        self.assign(name, place, 0, 0, Kind.VARIABLE, whole)
        self.bind(place, self.name(name), name.start_byte, Bind.CLASS, inner)

    def table_(self, node: Node, scope: int, role: int = 0) -> int:
        """A table without a name: what holds functions or is given out has members, others have elements."""
        if is_list(node):
            values = [self.visit(child, scope) for child in node.named_children]
            return self.row(Op.TUPLE, 0, self.items(values), role=Role.WRITE) if any(values) else 0
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.children(node, inner)
        if not self.names[inner]:
            return 0
        place = scope
        while self.scopes[place].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
            place = self.scopes[place].parent
        number = self.intern(b"table@%d" % node.start_byte)
        self.bind(place, number, node.start_byte, Bind.CLASS, inner)
        return self.row(Op.NAME, place, number, node.start_byte)

    def makes_class(self, name: Node, given: Node, value: int) -> bool:
        """Whether a call makes the table that functions are then put into, as ``class("Name")`` does."""
        loaded = self.rows[4 * value] & OP_MASK == Op.MODULE
        return given.type in _MADE and not loaded and self.bytes_of(name) in self.filled

    def made_class(self, name: Node, given: Node, place: int, value: int) -> None:
        """A class that a library makes; what it is made from it inherits."""
        inner = self.scope(ScopeKind.CLASS, place)
        self.scopes[inner].owner = inner
        self.tables[place, self.name(name)] = inner
        called, arguments = given.child_by_field_name("name"), given.child_by_field_name("arguments")
        if called is None or self.text(called) == "setmetatable":
            bases = [value]
        else:
            bases = self.made_from(name, called, arguments, place)
        self.scopes[inner].bases = self.items([base for base in bases if base])
        self.is_class(name, place, inner)
        self.bind(place, self.name(name), name.start_byte, Bind.CLASS, inner)

    def made_from(self, name: Node, called: Node | None, arguments: Node | None, place: int) -> list[int]:
        """The parents of a class: what the function that makes it is a method of, or is given."""
        receiver = called.child_by_field_name("table") if called is not None else None
        label = self.text(called.named_children[-1] if receiver is not None else called) if called else ""
        listed = [receiver] if receiver is not None else []
        for argument in arguments.named_children if arguments is not None else ():
            if argument.type == "identifier" and (label in _MAKING or self.bytes_of(argument) in self.filled):
                listed.append(argument)
        return [self.visit(part, place, Role.EXTENDS) for part in listed if part != name]

    def bytes_of(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]

    def field(self, node: Node, scope: int, role: int = 0) -> int:
        key, given = node.child_by_field_name("name"), node.child_by_field_name("value")
        if given is None:
            return 0
        name = key
        if key is not None and node.children[0].type == "[":
            name = text_in(key)
            if name is None:
                self.visit(key, scope)
        if name is not None and given.type == "function_definition":
            return self.stored(name, given, node, scope)
        held = name if self.scopes[scope].kind == ScopeKind.CLASS else None
        if held is not None and given.type == "table_constructor" and not is_list(given):
            self.hold_table(scope, held, given, scope)
            return 0
        value = self.visit(given, scope)
        if held is not None and value:
            self.hold(scope, held, given, 0, value)
        return value

    def index(self, node: Node, scope: int, role: int = 0) -> int:
        """``table["name"]`` is ``table.name``."""
        table, name = node.child_by_field_name("table"), label_of(node)
        if table is None or name is None:
            return super().index(node, scope, role)
        target = self.visit(table, scope)
        return self.row(Op.ATTR, target, self.name(name), name.start_byte, role)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for clause in node.named_children:
            if clause.type in ("for_generic_clause", "for_numeric_clause"):
                names, *walked = clause.named_children
                values = [self.visit(part, scope) for part in walked]
                self.walked(names, walked, values, inner)
            else:
                self.visit(clause, inner)
        return 0

    def walked(self, names: Node, walked: Sequence[Node], values: list[int], scope: int) -> None:
        """Bind what a loop gives: ``ipairs`` and ``pairs`` give what a table holds as the second."""
        call = first_of(walked[0]) if walked else None
        by = call.child_by_field_name("name") if call is not None else None
        held = 0
        if by is not None and self.text(by) in _WALKING and self.rows[4 * values[0]] & OP_MASK == Op.CALL:
            held = next(iter(self.lists[self.rows[4 * values[0] + 2]]), 0)
        listed = names.named_children if names.type == "variable_list" else [names]
        for position, name in enumerate(listed):
            if name.type == "identifier":
                value = self.row(Op.INDEX, held) if held and position == 1 else 0
                self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)


def label_of(name: Node) -> Node | None:
    """What something is called within its table, also where that is written as a text."""
    field = name.child_by_field_name("field")
    if name.type == "bracket_index_expression":
        return text_in(field) if field is not None else None
    return field or name.child_by_field_name("method") or name


def text_in(key: Node) -> Node | None:
    """What stands between the quotes of a text."""
    content = key.child_by_field_name("content") if key.type == "string" else None
    return content if content is not None and not content.named_child_count else None


def is_list(table: Node) -> bool:
    """Whether a table has elements without names."""
    fields = [child for child in table.named_children if child.type == "field"]
    return bool(fields) and all(field.child_by_field_name("name") is None for field in fields)


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
    close=closed_words,
)
