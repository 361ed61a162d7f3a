"""A walk described by tables: which nodes declare, name, call, take members, open blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.extraction.draft import Range, Walk
from cuedeck.code.facts import OP_MASK, UNHASHED, Bind, Kind, Op, Role, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_RETURNS: Final = 8
_MAX_ARGUMENTS: Final = 8


@dataclass(frozen=True)
class Declares:
    """A node that declares a symbol; field names are the grammar's."""

    kind: str
    scope: int | None = ScopeKind.FUNCTION
    name: str = "name"
    body: str = "body"
    parameters: str = "parameters"
    result: str = ""
    generics: str = "type_parameters"
    extends: tuple[str, ...] = ()  # fields or node types whose names are parents
    implements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declarator:
    """A node that binds variables: where its names, type and value are."""

    name: str = "name"
    type: str = "type"
    value: str = "value"
    kind: str = ""  # the symbol kind outside functions; empty for locals only


METHOD: Final = Declares(Kind.METHOD)
FUNCTION: Final = Declares(Kind.FUNCTION)


class TableWalk(Walk):
    """Visits a language by its tables; a subclass overrides methods where tables do not suffice."""

    declarations: ClassVar[Mapping[str, Declares]] = {}
    variables: ClassVar[Mapping[str, Declarator]] = {}
    names_of: ClassVar[tuple[str, ...]] = ("identifier",)
    type_names: ClassVar[tuple[str, ...]] = ("type_identifier",)
    members: ClassVar[Mapping[str, tuple[str, str]]] = {}
    calls: ClassVar[Mapping[str, tuple[str, str]]] = {}
    news: ClassVar[Mapping[str, str]] = {}
    blocks: ClassVar[tuple[str, ...]] = ()
    silent: ClassVar[tuple[str, ...]] = ("comment",)
    special: ClassVar[Mapping[str, str]] = {}
    lambdas: ClassVar[tuple[str, ...]] = ()  # functions without a name, which calls are given
    type_wrappers: ClassVar[tuple[str, ...]] = ()  # pointers, references, annotations: only the inside counts
    generic_types: ClassVar[tuple[str, ...]] = ("generic_type",)
    begins_after: ClassVar[bool] = False  # a variable is not seen in its own declaration
    bounds: ClassVar[tuple[str, ...]] = ("trait_bounds", "type_bound", "type_constraint")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        handlers: dict[str, str] = {}
        for kinds, method in (
            (cls.names_of, "reference"),
            (cls.type_names, "type_reference"),
            (cls.members, "member"),
            (cls.calls, "call"),
            (cls.news, "new"),
            (cls.blocks, "block"),
            (cls.silent, "nothing"),
            (cls.variables, "variable"),
            (cls.declarations, "declaration"),
            (cls.type_wrappers, "only"),
            (cls.generic_types, "generic"),
        ):
            handlers.update(dict.fromkeys(kinds, method))
        handlers.update(cls.special)
        cls.handlers = handlers

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.returned: list[int] = []
        self.defined: set[tuple[int, int]] = set()

    # -- naming

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.NAME, scope, self.name(node), node.start_byte, role)

    def type_reference(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.NAME, scope, self.name(node), node.start_byte, role or Role.TYPE)

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        owner_field, name_field = self.members[node.type]
        owner = node.child_by_field_name(owner_field) if owner_field else first_of(node)
        name = node.child_by_field_name(name_field) if name_field else _last(node)
        value = self.visit(owner, scope) if owner is not None else 0
        if name is None or (owner is not None and name.start_byte == owner.start_byte):
            return value
        if name.named_child_count:
            name = self.simple_name(name, scope)
            if name is None:
                return value
        return self.row(Op.ATTR, value, self.name(name), name.start_byte, role)

    def simple_name(self, node: Node, scope: int) -> Node | None:
        """The identifier inside a decorated name such as ``f<T>``; the rest is visited."""
        found: Node | None = None
        for child in node.named_children:
            if found is None and "identifier" in child.type:
                found = child
            else:
                self.visit(child, scope)
        return found

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        callee_field, arguments_field = self.calls[node.type]
        target = node.child_by_field_name(callee_field) if callee_field else first_of(node)
        if target is None:
            return self.children(node, scope)
        callee = self.visit(target, scope, Role.CALL)
        given: list[int] = []
        for child in node.named_children:
            if child.start_byte == target.start_byte:
                continue
            if child.type == "type_arguments":
                told = [self.visit(c, scope, Role.TYPE) for c in child.named_children]
                callee = self.row(Op.INDEX, callee, self.items(told))
            elif child.type == arguments_field or child.type.endswith(("arguments", "argument_list")):
                given += [self.argument(c, scope, callee, at) for at, c in enumerate(child.named_children)]
            else:
                self.visit(child, scope)
        return self.row(Op.CALL, callee, self.items(given[:_MAX_ARGUMENTS]))

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        field = self.news[node.type]
        target = node.child_by_field_name(field) if field else first_of(node)
        made = self.visit(target, scope, Role.CALL) if target is not None else 0
        for child in node.named_children:
            if target is None or child.start_byte != target.start_byte:
                self.visit(child, scope)
        return self.row(Op.NEW, made)

    def generic(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        if not parts:
            return 0
        value = self.visit(parts[0], scope, role or Role.TYPE)
        told = [d for c in parts[1:] for d in c.named_children if "comment" not in d.type]
        return self.row(Op.INDEX, value, self.items([self.visit(d, scope, Role.TYPE) for d in told]))

    def block(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        return self.children(node, inner)

    def alias(self, node: Node, scope: int, role: int = 0) -> int:
        """A name for a type: its last part is what it stands for."""
        name = node.child_by_field_name("name")
        if name is None:
            return self.children(node, scope)
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            scope_of_parameters = self.scope(ScopeKind.BLOCK, scope)
            self.type_parameters(generics, scope_of_parameters)
        else:
            scope_of_parameters = scope
        value = 0
        for child in node.named_children:
            if child != name and child != generics:
                value = self.visit(child, scope_of_parameters, Role.TYPE) or value
        self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, value)
        whole = self.whole_of(node)
        self.define(Kind.TYPE, name, whole, scope, doc=doc_above(whole))
        return 0

    def this(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope].owner
        return self.row(Op.SELF, owner) if owner >= 0 else 0

    def parent(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope].owner
        return self.row(Op.SUPER, owner) if owner >= 0 else 0

    def text_literal(self, node: Node, scope: int, role: int = 0) -> int:
        self.children(node, scope)
        return self.row(Op.TEXT, 0)

    def return_(self, node: Node, scope: int, role: int = 0) -> int:
        value = self.only(node, scope)
        if value:
            self.returned.append(value)
        return 0

    def sequence(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.TUPLE, 0, self.items([self.visit(c, scope, role) for c in node.named_children]))

    def union(self, node: Node, scope: int, role: int = 0) -> int:
        """One list of all parts: grammars nest ``A | B | C`` to the left, as deep as there are parts."""
        values: list[int] = []
        pending = node.named_children[::-1]
        while pending:
            part = pending.pop()
            if part.type == node.type:
                pending += part.named_children[::-1]
            else:
                values.append(self.visit(part, scope, role))
        return self.row(Op.UNION, 0, self.items(values))

    def either(self, values: Iterable[int]) -> int:
        """One of several values, as far as they are known."""
        known = [value for value in values if value]
        return self.row(Op.UNION, 0, self.items(known)) if len(known) > 1 else known[0] if known else 0

    def awaited(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.AWAIT, self.only(node, scope))

    def array_type(self, node: Node, scope: int, role: int = 0) -> int:
        """A type of many elements, whose type comes first."""
        of = first_of(node)
        element = self.visit(of, scope, Role.TYPE) if of is not None else 0
        return self.row(Op.SEQUENCE, self.row(Op.TYPED, element))

    def index(self, node: Node, scope: int, role: int = 0) -> int:
        """``value[index]``"""
        values = [self.visit(child, scope) for child in node.named_children]
        return self.row(Op.INDEX, values[0], self.items(values[1:])) if values else 0

    def cast(self, node: Node, scope: int, role: int = 0) -> int:
        of, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        to = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if value is not None:
            self.visit(value, scope)
        return self.row(Op.TYPED, to)

    def argument(self, node: Node, scope: int, callee: int, position: int) -> int:
        """Visit what a call is given; a function without a name takes what the parameter there says."""
        inner = _last(node) if node.type in self.type_wrappers else node
        if callee and inner is not None and inner.type in self.lambdas:
            return self.closure(inner, scope, expected=self.row(Op.ARGUMENT, callee, position))
        return self.visit(node, scope)

    def closure(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        parameters = node.child_by_field_name("parameters")
        body = node.child_by_field_name("body") or _last(node)
        if parameters is not None:
            alone = [] if self.source[parameters.start_byte] in b"(|" else [parameters]
            for position, child in enumerate(parameters.named_children or alone):
                name = child.child_by_field_name("name") or child
                if name.named_child_count or child.child_by_field_name("type") is not None or not expected:
                    self.parameter(child, inner)
                else:
                    taken = self.row(Op.ARGUMENT, expected, position)
                    self.bind(inner, self.name(name), name.start_byte, Bind.PARAMETER, 0, taken)
        saved, self.returned = self.returned, []
        value = self.visit(body, inner) if body is not None and body != parameters else 0
        self.scopes[inner].returns = self.items([value, *self.returned[:_MAX_RETURNS]])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

    # -- declaring

    def declaration(self, node: Node, scope: int, role: int = 0) -> int:
        spec = self.declarations[node.type]
        name = self.name_node(node, spec)
        if name is None:
            return self.undeclared(node, scope)
        kind = self.kind_of(node, spec, scope)
        return self.declare(node, scope, spec, name, kind, self.whole_of(node))

    def undeclared(self, node: Node, scope: int) -> int:
        """A declaration without a name."""
        return self.children(node, scope)

    def name_node(self, node: Node, spec: Declares) -> Node | None:
        return node.child_by_field_name(spec.name)

    def kind_of(self, node: Node, spec: Declares, scope: int) -> str:
        """Functions directly inside a class are methods."""
        inside = self.scopes[scope].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION)
        return Kind.METHOD if inside and spec.kind == Kind.FUNCTION else spec.kind

    def whole_of(self, node: Node) -> Node:
        """The node a symbol's range is read from, such as the export statement around it."""
        return node

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        body = node.child_by_field_name(spec.body) if spec.body else None
        inner = self.open(spec, scope)
        place = self.place_of(node, scope)
        bound = _BOUND.get(spec.scope, Bind.ALIAS) if inner >= 0 else Bind.ALIAS
        self.bind(place, self.name(name), name.start_byte, bound, max(inner, 0))
        self.define(
            kind,
            name,
            whole,
            place,
            own=inner,
            head=(whole.start_byte, body.start_byte if body is not None else node.end_byte),
            doc=doc_above(whole),
        )
        inside = inner if inner >= 0 else scope
        self.head(node, inside, spec, body)
        if body is not None:
            saved, self.returned = self.returned, []
            self.body(body, inside)
            if inner >= 0 and spec.scope == ScopeKind.FUNCTION:
                self.scopes[inner].returns = self.items(self.returned[:_MAX_RETURNS])
            self.returned = saved
        return 0

    def open(self, spec: Declares, scope: int) -> int:
        """The scope a declaration opens, or -1."""
        if spec.scope is None:
            return -1
        inner = self.scope(spec.scope, scope, owner=self.scopes[scope].owner)
        if spec.scope in (ScopeKind.CLASS, ScopeKind.EXTENSION):
            self.scopes[inner].owner = inner
        return inner

    def place_of(self, node: Node, scope: int) -> int:
        """The scope a declaration's name belongs to."""
        return scope

    def head(self, node: Node, inner: int, spec: Declares, body: Node | None) -> None:
        """Parents, parameters, result and whatever else stands before the body."""
        seen = {body.start_byte} if body is not None else set()
        name = self.name_node(node, spec)
        if name is not None:
            seen.add(name.start_byte)
        bases: list[int] = []
        for fields, role in ((spec.extends, Role.EXTENDS), (spec.implements, Role.IMPLEMENTS)):
            for part in _parts(node, fields):
                if part.start_byte not in seen:
                    seen.add(part.start_byte)
                    bases += self.parents(part, inner, role)
        if bases and inner >= 0:
            self.scopes[inner].bases = self.items(bases)
        generics = self.generics_of(node, spec)
        if generics is not None:
            seen.add(generics.start_byte)
            self.type_parameters(generics, inner)
        parameters = node.child_by_field_name(spec.parameters) if spec.parameters else None
        if parameters is not None:
            seen.add(parameters.start_byte)
            for child in parameters.named_children:
                self.parameter(child, inner)
        result = node.child_by_field_name(spec.result) if spec.result else None
        if result is not None:
            seen.add(result.start_byte)
            self.scopes[inner].result = self.visit(result, inner, Role.TYPE)
        for child in node.named_children:
            if child.start_byte not in seen:
                self.visit(child, inner)

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        """The parent types named inside a heritage clause."""
        if not node.named_child_count or node.type in self.type_names + self.names_of:
            return [self.visit(node, scope, role)]
        if node.type in self.members or node.type in self.generic_types:
            return [self.visit(node, scope, role)]
        return [found for child in node.named_children for found in self.parents(child, scope, role)]

    def generics_of(self, node: Node, spec: Declares) -> Node | None:
        """The list of a declaration's type parameters."""
        return node.child_by_field_name(spec.generics) if spec.generics else None

    def bound_at(self, scope: int, name: int) -> int:
        """Where the last binding of a name in a scope is written down."""
        rows = range(len(self.bound) - 6, -1, -6)
        return next(at for at in rows if self.bound[at] == scope and self.bound[at + 1] == name)

    def limited(self, scope: int, name: int, limits: list[int]) -> None:
        """Bound a type parameter of a scope that has no bound yet."""
        if limits and name in self.names[scope]:
            limit = self.row(Op.TYPED, self.row(Op.UNION, 0, self.items(limits)))
            at = self.bound_at(scope, name)
            if self.bound[at + 3] == Bind.OPAQUE and not self.bound[at + 4]:
                self.bound[at + 4] = limit

    def type_parameters(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            name = child.child_by_field_name("name") or _leaf(child)
            limits: list[int] = []
            for inner in child.named_children:
                if name is None or inner.start_byte != name.start_byte:
                    limits += self.limit(inner, scope)
            if name is not None:
                limit = self.row(Op.TYPED, self.row(Op.UNION, 0, self.items(limits))) if limits else 0
                self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE, limit)

    def limit(self, node: Node, scope: int) -> list[int]:
        """The types named in the bound of a type parameter."""
        value = self.visit(node, scope, Role.TYPE) if node.type not in self.bounds else 0
        if value or node.type not in self.bounds:
            return [value] if value else []
        return [found for child in node.named_children for found in self.limit(child, scope)]

    def parameter(self, node: Node, scope: int) -> None:
        """Bind a parameter; the default understands the usual field names."""
        name = None
        for field in ("name", "pattern", "declarator"):
            name = name or node.child_by_field_name(field)
        if name is None and node.type in self.names_of:
            name = node
        hint, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        default = self.visit(value, scope) if value is not None else 0
        if name is None:
            if hint is None:
                self.visit(node, scope)
            return
        for leaf in self.binding_names(name):
            self.bind(scope, self.name(leaf), leaf.start_byte, Bind.PARAMETER, annotation, default)

    def body(self, node: Node, scope: int) -> None:
        self.children(node, scope)

    def variable(self, node: Node, scope: int, role: int = 0) -> int:
        spec = self.variables[node.type]
        hint = node.child_by_field_name(spec.type) if spec.type else None
        annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        given = node.child_by_field_name(spec.value) if spec.value else None
        begun = len(self.rows)
        value = self.visit(given, scope) if given is not None else 0
        names = [n for name in node.children_by_field_name(spec.name) for n in self.binding_names(name)]
        if self.begins_after:
            self.see_outer(names, scope, begun)
        for leaf in names:
            self.assign(leaf, scope, annotation, value, spec.kind, node)
        return value

    def see_outer(self, names: list[Node], scope: int, begun: int) -> None:
        """In ``let x = x`` the second is the one outside: a variable begins after its declaration."""
        self.move_out({self.name(name) for name in names} - self.names[scope], scope, begun)

    def move_out(self, fresh: set[int], scope: int, begun: int, end: int | None = None) -> None:
        """Some names that were used in a scope since a place are those outside."""
        rows, outside = self.rows, self.scopes[scope].parent
        for at in range(begun, len(rows) if end is None else end, 4) if fresh and outside >= 0 else ():
            if rows[at] & OP_MASK == Op.NAME and rows[at + 1] == scope and rows[at + 2] in fresh:
                rows[at + 1] = outside

    def assign(self, leaf: Node, scope: int, annotation: int, value: int, kind: str, whole: Node) -> None:
        """Bind a variable; outside functions it is a symbol too."""
        name = self.name(leaf)
        self.bind(scope, name, leaf.start_byte, Bind.VARIABLE, annotation, value)
        around = self.scopes[scope].kind
        if not kind or around in (ScopeKind.FUNCTION, ScopeKind.BLOCK) or (scope, name) in self.defined:
            return
        self.defined.add((scope, name))
        if around in (ScopeKind.CLASS, ScopeKind.EXTENSION) and kind == Kind.VARIABLE:
            kind = Kind.FIELD
        parts = self.own_parts(leaf, whole) if kind not in UNHASHED else ()
        whole = self.whole_of(whole)
        self.define(kind, leaf, whole, scope, doc=doc_above(whole), parts=parts)

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        """What a statement that defines several variables says of one of them; nothing when it is all."""
        return ()

    def binding_names(self, node: Node) -> Iterator[Node]:
        """The names a pattern binds."""
        if not node.named_child_count:
            if node.is_named:
                yield node
            return
        for child in node.named_children:
            if child.type not in ("type_annotation", "type", "comment"):
                yield from self.binding_names(child)


_BOUND: Final[dict[int | None, int]] = {
    ScopeKind.FUNCTION: Bind.FUNCTION,
    ScopeKind.CLASS: Bind.CLASS,
    ScopeKind.NAMESPACE: Bind.NAMESPACE,
    ScopeKind.EXTENSION: Bind.OPAQUE,
}


def first_of(node: Node) -> Node | None:
    return node.named_child(0) if node.named_child_count else None


def _last(node: Node) -> Node | None:
    count = node.named_child_count
    return node.named_child(count - 1) if count else None


def _leaf(node: Node) -> Node | None:
    while node.named_child_count:
        node = node.named_children[0]
    return node


def _parts(node: Node, fields: tuple[str, ...]) -> Iterator[Node]:
    for field in fields:
        found = node.child_by_field_name(field) if field else None
        if found is not None:
            yield found
    for child in node.named_children:
        if child.type in fields:
            yield child


def doc_above(node: Node) -> Node | None:
    """The comment that ends on the line above a definition."""
    above = node.prev_named_sibling
    if above is None or "comment" not in above.type:
        return None
    return above if node.start_point[0] - above.end_point[0] <= 1 else None
