"""Go: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import HELD, KEYS, OP_MASK, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.go_rules import PACKAGE_CLAUSE, GoRules
from cuedeck.code.languages.grouped import commas_before, one_of, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.table import Declarator, Declares, TableWalk, doc_above, first_of
from cuedeck.code.languages.torn import closed

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_NAMELESS: Final = b"_"
_FUNCTION: Final = Declares(Kind.FUNCTION, result="result")
_METHOD: Final = Declares(Kind.METHOD, result="result")
_TELLING: Final = ("index_expression", "type_assertion_expression", "unary_expression")


class GoWalk(TableWalk):
    """Visits Go; a method with a receiver lives in an extension of the receiver's type."""

    declarations: ClassVar[dict[str, Declares]] = {
        "function_declaration": _FUNCTION,
        "method_elem": _METHOD,
        "method_spec": _METHOD,
    }
    variables: ClassVar[dict[str, Declarator]] = {
        "var_spec": Declarator(kind=Kind.VARIABLE),
        "const_spec": Declarator(kind=Kind.CONSTANT),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier",)
    type_names: ClassVar[tuple[str, ...]] = ("type_identifier",)
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "selector_expression": ("operand", "field"),
        "qualified_type": ("package", "name"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("function", "argument_list")}
    blocks: ClassVar[tuple[str, ...]] = (
        "block",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "expression_case",
        "default_case",
        "type_case",
        "communication_case",
        "select_statement",
    )
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "int_literal",
        "float_literal",
        "rune_literal",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "pointer_type",
        "parenthesized_expression",
        "parenthesized_type",
        "literal_element",
        "negated_type",
        "type_elem",
    )
    special: ClassVar[dict[str, str]] = {
        "package_identifier": "reference",
        "field_identifier": "reference",
        "interpreted_string_literal": "text_literal",
        "raw_string_literal": "text_literal",
        "package_clause": "package",
        "unary_expression": "unary",
        "literal_value": "literal",
        "struct_type": "anonymous_type",
        "interface_type": "anonymous_type",
        "function_type": "function_type",
        "implicit_length_array_type": "collection",
        "type_spec": "type_spec",
        "type_alias": "alias",
        "method_declaration": "method",
        "func_literal": "anonymous",
        "short_var_declaration": "short_variable",
        "receive_statement": "receive",
        "range_clause": "range",
        "composite_literal": "composite",
        "keyed_element": "keyed",
        "return_statement": "return_",
        "expression_list": "sequence",
        "import_spec": "import_",
        "type_conversion_expression": "conversion",
        "type_assertion_expression": "conversion",
        "slice_type": "collection",
        "array_type": "collection",
        "channel_type": "channel",
        "map_type": "map_type",
        "index_expression": "index",
        "slice_expression": "sliced",
        "field_declaration": "field",
        "type_switch_statement": "type_switch",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.extended: dict[int, int] = {}
        # Where the rows of each function begin, and what the last constant was said to be.
        self.begun: dict[int, int] = {}
        self.repeated: tuple[int, list[int]] = (0, [])

    making = 0  # a value of the type whose literal is being visited
    indexed = False  # whether that literal's keys are values, not fields

    def type_spec(self, node: Node, scope: int, role: int = 0) -> int:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or of is None:
            return self.children(node, scope)
        kind = {"struct_type": Kind.STRUCT, "interface_type": Kind.INTERFACE}.get(of.type, Kind.TYPE)
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.bind(scope, self.name(name), name.start_byte, Bind.CLASS, inner)
        parent = node.parent
        whole = parent if parent is not None and parent.named_child_count == 1 else node
        self.define(
            kind,
            name,
            whole,
            scope,
            own=inner,
            doc=doc_above(whole),
            parts=[range_of(node)],
            head=(whole.start_byte, of.start_byte + 9 if kind != Kind.TYPE else node.end_byte),
        )
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        if kind == Kind.TYPE:
            underlying = self.visit(of, inner, Role.TYPE)
            self.scopes[inner].bases = self.items([underlying])
            self.container(of, inner, underlying)
            return 0
        self.members_of(of, inner)
        return 0

    def container(self, of: Node, scope: int, underlying: int) -> None:
        """A named slice, map or channel gives its elements as the unnamed one does; a function its result."""
        if of.type in ("slice_type", "array_type", "map_type", "channel_type"):
            getter = self.scope(ScopeKind.FUNCTION, scope)
            self.scopes[getter].returns = self.items([self.row(Op.INDEX, underlying)])
            self.bind(scope, self.intern(b"__getitem__"), of.start_byte, Bind.FUNCTION, getter)
        elif of.type == "function_type" and self.rows[4 * underlying] == Op.FUNCTION:
            called = self.rows[4 * underlying + 1]
            self.bind(scope, self.intern(b"__call__"), of.start_byte, Bind.FUNCTION, called)

    def members_of(self, of: Node, inner: int) -> None:
        """Fields and methods of a struct or interface; what it embeds are its parents."""
        bases = []
        for child in of.named_children:
            if child.type == "field_declaration_list":
                for field in child.named_children:
                    if field.type == "field_declaration" and field.child_by_field_name("name") is None:
                        bases += [self.embedded(field, inner)]
                    else:
                        self.visit(field, inner)
            elif child.type == "type_elem":
                bases += [self.visit(c, inner, Role.EXTENDS) for c in child.named_children]
            else:
                self.visit(child, inner)
        self.scopes[inner].bases = self.items([base for base in bases if base])

    def anonymous_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.members_of(node, inner)
        return self.row(Op.SELF, inner)

    def function_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.finish_function(node, inner, None)
        return self.row(Op.FUNCTION, inner)

    def package(self, node: Node, scope: int, role: int = 0) -> int:
        for name in node.named_children:
            self.imported(self.text(name), PACKAGE_CLAUSE)
        return 0

    def unary(self, node: Node, scope: int, role: int = 0) -> int:
        operator = node.child_by_field_name("operator")
        value = self.only(node, scope, role)
        received = operator is not None and operator.type == "<-"
        return self.row(Op.INDEX, value) if received and value else value

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = self.text(callee) if callee is not None and callee.type == "identifier" else ""
        if name not in ("new", "make", "append") or given is None:
            return super().call(node, scope, role)
        values = [self.visit(c, scope, Role.TYPE if name != "append" else 0) for c in given.named_children]
        first = values[0] if values else 0
        return self.row(Op.TYPED, first) if name != "append" and first else first

    def embedded(self, node: Node, scope: int) -> int:
        of = node.child_by_field_name("type")
        if of is None:
            return 0
        value = self.visit(of, scope, Role.EXTENDS)
        leaf = of
        while leaf.named_child_count:
            leaf = leaf.named_children[0 if leaf.type == "generic_type" else -1]
        if leaf.type == "type_identifier":
            self.bind(scope, self.name(leaf), leaf.start_byte, Bind.VARIABLE, value)
        return value

    def field(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        for name in node.children_by_field_name("name"):
            self.assign(name, scope, annotation, 0, Kind.FIELD, node)
        return 0

    def method(self, node: Node, scope: int, role: int = 0) -> int:
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        if name is None:
            return self.children(node, scope)
        outer = self.extension(receiver, scope)
        inner = self.scope(ScopeKind.FUNCTION, outer, owner=outer)
        owner = ""
        for parameter in receiver.named_children if receiver is not None else ():
            of, label = parameter.child_by_field_name("type"), parameter.child_by_field_name("name")
            target = self.visit(of, scope, Role.TYPE) if of is not None else 0
            self.scopes[outer].result = target
            self.receiver_parameters(of, inner)
            owner = self.text(of).lstrip("*").split("[")[0].strip() if of is not None else ""
            if label is not None:
                # What the type's parameters are called here says nothing of them.
                plain = self.rows[4 * target + 1] if self.rows[4 * target] & OP_MASK == Op.INDEX else target
                self.bind(inner, self.name(label), label.start_byte, Bind.VARIABLE, plain)
        self.bind(outer, self.name(name), name.start_byte, Bind.FUNCTION, inner)
        body = node.child_by_field_name("body")
        self.define(
            Kind.METHOD,
            name,
            node,
            scope,
            own=inner,
            doc=doc_above(node),
            within=owner,
            head=(node.start_byte, body.start_byte if body is not None else node.end_byte),
        )
        self.finish_function(node, inner, body)
        return 0

    def extension(self, receiver: Node | None, scope: int) -> int:
        """The scope of a type's methods: one for all of them in a file, as types have many."""
        of = _receiver_type(receiver)
        name = self.name(of) if of is not None else 0
        outer = self.extended.get(name)
        if outer is None:
            outer = self.extended[name] = self.scope(ScopeKind.EXTENSION, scope)
            self.scopes[outer].owner = outer
        return outer

    def receiver_parameters(self, of: Node | None, scope: int) -> None:
        while of is not None and of.type in ("pointer_type", "parenthesized_type"):
            of = first_of(of)
        generics = of.child_by_field_name("type_arguments") if of is not None else None
        for name in generics.named_children if generics is not None else ():
            self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE)

    def finish_function(self, node: Node, inner: int, body: Node | None) -> None:
        self.takes_and_gives(node, inner)
        saved, self.returned = self.returned, []
        if body is not None:
            self.children(body, inner)
        self.scopes[inner].returns = self.items(self.returned[:4])
        self.returned = saved

    def head(self, node: Node, inner: int, spec: Declares, body: Node | None) -> None:
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        self.takes_and_gives(node, inner)

    def takes_and_gives(self, node: Node, inner: int) -> None:
        """What a function takes and gives: in ``func(fs fs.FS)`` the second is the package outside."""
        parts = [node.child_by_field_name(field) for field in ("receiver", "parameters", "result")]
        _, parameters, result = parts
        begun = self.begun[inner] = len(self.rows)
        for child in parameters.named_children if parameters is not None else ():
            self.parameter(child, inner)
        if result is not None:
            self.scopes[inner].result = self.result(result, inner)
        lists = [part.named_children for part in parts if part is not None and part.type == "parameter_list"]
        named = [name for part in lists for child in part for name in child.children_by_field_name("name")]
        self.move_out({self.name(name) for name in named}, inner, begun)

    def result(self, node: Node, scope: int) -> int:
        if node.type != "parameter_list":
            return self.visit(node, scope, Role.TYPE)
        parts = []
        for child in node.named_children:
            of, names = child.child_by_field_name("type"), child.children_by_field_name("name")
            value = self.visit(of, scope, Role.TYPE) if of is not None else 0
            for name in names:
                self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, value)
            parts += [value] * max(1, len(names))
        return parts[0] if len(parts) == 1 else self.row(Op.TUPLE, 0, self.items(parts))

    def parameter(self, node: Node, scope: int) -> None:
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if node.type == "variadic_parameter_declaration":
            annotation = self.row(Op.SEQUENCE, self.row(Op.TYPED, annotation))
        names = node.children_by_field_name("name")
        for name in names:
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, annotation)
        if not names:
            self.bind(scope, self.intern(_NAMELESS), node.start_byte, Bind.PARAMETER, annotation)

    def type_parameters(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            of = child.child_by_field_name("type")
            limits = [self.visit(c, scope, Role.TYPE) for c in of.named_children] if of is not None else []
            limit = limits[0] if len(limits) == 1 else 0
            for name in child.children_by_field_name("name"):
                self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE, limit)

    def anonymous(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.finish_function(node, inner, node.child_by_field_name("body"))
        return self.row(Op.FUNCTION, inner)

    def variable(self, node: Node, scope: int, role: int = 0) -> int:
        spec = self.variables[node.type]
        of, given = node.child_by_field_name("type"), node.child_by_field_name("value")
        begun = len(self.rows)
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        names = node.children_by_field_name("name")
        values = self.parts(given.named_children if given is not None else [], scope, len(names))
        if spec.kind == Kind.CONSTANT:
            # In ``const (A T = iota; B)`` the second is said to be what the first is.
            if of is None and given is None and len(self.repeated[1]) == len(names):
                annotation, values = self.repeated
            self.repeated = annotation, values
        self.see_outer(names, scope, begun)
        parent = node.parent
        whole = parent if parent is not None and parent.named_child_count == 1 else node
        for name, value in zip(names, values, strict=True):
            self.assign(name, scope, annotation, value, spec.kind, whole)
        return 0

    def see_outer(self, names: list[Node], scope: int, begun: int) -> None:
        super().see_outer(names, scope, begun)
        # Before ``store := store.New()`` the package is meant, also by what the function takes and gives.
        shadowed = ({self.name(name) for name in names} & self.names[0]) - self.names[scope]
        self.move_out(shadowed, scope, self.begun.get(scope, begun), begun)

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        """Without the keyword, which stands once before a group."""
        spec = whole if whole.type in self.variables else whole.named_children[0]
        names, given = spec.children_by_field_name("name"), spec.child_by_field_name("value")
        parts = [range_of(spec)]
        if len(names) > 1:
            own = names.index(leaf)
            values = given.named_children if given is not None else []
            parts = one_of(parts, [range_of(name) for name in names], own)
            if len(values) == len(names):
                return one_of(parts, [range_of(value) for value in values], own)
            parts += commas_before(spec, leaf.start_byte) if values else []
        return parts

    def parts(self, given: list[Node], scope: int, count: int) -> list[int]:
        """What each of several variables holds; some expressions also tell whether there was a value."""
        values = [self.visit(node, scope) for node in given]
        if len(values) == count:
            return values
        if len(values) != 1 or not values[0]:
            return [0] * count
        if given[0].type in _TELLING:
            return [values[0], *[0] * (count - 1)]
        return [self.row(Op.ITEM, values[0], position) for position in range(count)]

    def short_variable(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        begun = len(self.rows)
        names = left.named_children if left is not None else []
        given = [] if right is None else right.named_children if right.type == "expression_list" else [right]
        values = self.parts(given, scope, len(names))
        self.see_outer([n for n in names if n.type == "identifier"], scope, begun)
        for name, value in zip(names, values, strict=True):
            if name.type == "identifier":
                self.assign(name, scope, 0, value, "", node)
        return 0

    def receive(self, node: Node, scope: int, role: int = 0) -> int:
        """``case x := <-c`` declares, ``case x = <-c`` and ``case <-c`` do not."""
        declares = any(child.type == ":=" for child in node.children)
        return self.short_variable(node, scope) if declares else self.children(node, scope)

    def range(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        begun = len(self.rows)
        source = self.visit(right, scope) if right is not None else 0
        names = left.named_children if left is not None else []
        self.see_outer([n for n in names if n.type == "identifier"], scope, begun)
        for position, name in enumerate(names):
            if name.type == "identifier":
                value = self.row(Op.ELEMENT, source, HELD if position else KEYS)
                self.assign(name, scope, 0, value if source else 0, "", node)
        return 0

    def type_switch(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        alias, value = node.child_by_field_name("alias"), node.child_by_field_name("value")
        switched = self.visit(value, inner) if value is not None else 0
        names = alias.named_children if alias is not None else []
        for child in node.named_children:
            if child.type in ("type_case", "default_case"):
                arm = self.scope(ScopeKind.BLOCK, inner, owner=self.scopes[inner].owner)
                listed = child.children_by_field_name("type")
                kinds = [self.visit(each, arm, Role.TYPE) for each in listed]
                told = kinds[0] if len(kinds) == 1 and self.text(listed[0]) != "nil" else 0
                for name in names:
                    # One of several types, or of none of them, is still what it was before.
                    self.bind(
                        arm, self.name(name), name.start_byte, Bind.VARIABLE, told, 0 if told else switched
                    )
                types = {each.start_byte for each in listed}
                for part in child.named_children:
                    if part.start_byte not in types:
                        self.visit(part, arm)
            elif child != alias and child != value:
                self.visit(child, inner)
        return 0

    def composite(self, node: Node, scope: int, role: int = 0) -> int:
        of, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        made = self.visit(of, scope, Role.CALL) if of is not None else 0
        saved = self.making, self.indexed
        self.making = self.row(Op.TYPED, made)
        self.indexed = of is not None and of.type.endswith(("array_type", "slice_type", "map_type"))
        if body is not None:
            self.children(body, scope)
        self.making, self.indexed = saved
        return self.row(Op.TYPED, made)

    def literal(self, node: Node, scope: int, role: int = 0) -> int:
        """A literal whose type is left out: an element of the one around it."""
        return self.part(node, scope, self.row(Op.INDEX, self.making) if self.making else 0)

    def part(self, node: Node, scope: int, made: int) -> int:
        """A literal without a type inside another."""
        saved = self.making, self.indexed
        self.making, self.indexed = made, False
        self.children(node, scope)
        self.making, self.indexed = saved
        return made

    def keyed(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        key = parts[0].named_children[0] if parts and parts[0].named_child_count else None
        if key is not None and key.type == "identifier" and self.making and not self.indexed:
            self.row(Op.KEYWORD, self.making, self.name(key), key.start_byte)
        elif key is not None and key.type == "literal_value" and self.making:
            self.part(key, scope, self.row(Op.ELEMENT, self.making, KEYS))
        elif parts:
            self.visit(parts[0], scope)
        for value in parts[1:]:
            self.visit(value, scope)
        return 0

    def conversion(self, node: Node, scope: int, role: int = 0) -> int:
        value = [
            self.visit(c, scope, self.conversion_role(c) if c == node.child_by_field_name("type") else 0)
            for c in node.named_children
        ]
        of = node.child_by_field_name("type")
        converts = node.type != "type_assertion_expression"
        if converts and of is not None and of.type == "generic_type" and len(value) == 2:
            # ``f[T](x)`` looks like a conversion and may be a call, which converts as well.
            return self.row(Op.CALL, value[0], self.items(value[1:]))
        position = next((n for n, c in enumerate(node.named_children) if c == of), 0)
        return self.row(Op.TYPED, value[position]) if value else 0

    def conversion_role(self, of: Node) -> int:
        return Role.CALL if of.type == "generic_type" else Role.TYPE

    def collection(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("element") or node.child_by_field_name("value")
        for child in node.named_children:
            if child != of:
                self.visit(child, scope)
        element = self.visit(of, scope, Role.TYPE) if of is not None else 0
        return self.row(Op.SEQUENCE, self.row(Op.TYPED, element))

    def map_type(self, node: Node, scope: int, role: int = 0) -> int:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        of = self.visit(key, scope, Role.TYPE) if key is not None else 0
        element = self.visit(value, scope, Role.TYPE) if value is not None else 0
        keys = self.row(Op.TYPED, of) if of else 0
        return self.row(Op.MAPPING, self.row(Op.TYPED, element), keys)

    def sliced(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(child, scope) for child in node.named_children]
        return values[0] if values else 0

    def channel(self, node: Node, scope: int, role: int = 0) -> int:
        """Ranging over a channel gives what it holds first, as the keys of a map are."""
        held = self.row(Op.TYPED, self.only(node, scope, Role.TYPE))
        return self.row(Op.MAPPING, held, held)

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path is None:
            return 0
        module = self.text(path).strip('"`')
        number = self.imported(module)
        if name is not None and self.text(name) == ".":
            self.bind(0, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        elif name is not None:
            self.bind(0, self.name(name), name.start_byte, Bind.MODULE, number, 1)
        else:
            label = _package_name(module).encode()
            self.bind(0, self.intern(label), path.start_byte, Bind.MODULE, number, 1)
        return 0


def _receiver_type(receiver: Node | None) -> Node | None:
    """The name of the type that a method belongs to."""
    for parameter in receiver.named_children if receiver is not None else ():
        of = parameter.child_by_field_name("type")
        while of is not None and of.named_child_count:
            of = of.named_children[0]
        return of
    return None


def _package_name(module: str) -> str:
    """The name an import gets by default: its last segment that is not a version."""
    segments = [part for part in module.split("/") if part]
    if len(segments) > 1 and segments[-1][:1] == "v" and segments[-1][1:].isdigit():
        segments.pop()
    return segments[-1].split(".")[0] if segments else module


def _grammar() -> Any:
    import tree_sitter_go

    return tree_sitter_go.language()


GO: Final = Language("go", _grammar, GoWalk, GoRules, source_roots=(), close=closed)
