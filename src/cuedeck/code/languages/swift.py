"""Swift: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import CONDITION, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, one_of, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.swift_patterns import SwiftPatterns
from cuedeck.code.languages.swift_rules import IMPLICIT, SwiftRules
from cuedeck.code.languages.swift_values import places, unprojected
from cuedeck.code.languages.table import Declares, doc_above
from cuedeck.code.languages.torn import closed
from cuedeck.code.resolution.values import METATYPE

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

# What a dot continues, rather than beginning a member of the expected type.
_JOINED: Final = (b")", b"]", b"}", b"?", b"!", b"_", b">", b"`", b'"', b".")
_INDEXED: Final = b"__getitem__"
_META: Final = (b"Type", b"Protocol")
_MOST_PARTS: Final = 16
_WITH_ONE: Final = 2  # the name of an attribute, and what it is told
_KINDS: Final = {"struct": Kind.STRUCT, "enum": Kind.ENUM, "actor": Kind.CLASS}


class SwiftWalk(SwiftPatterns):
    """Visits Swift; an extension adds to a type declared elsewhere."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": Declares(Kind.CLASS, ScopeKind.CLASS),
        "protocol_declaration": Declares(Kind.INTERFACE, ScopeKind.CLASS),
        "function_declaration": Declares(Kind.FUNCTION),
        "protocol_function_declaration": Declares(Kind.FUNCTION),
        "init_declaration": Declares(Kind.METHOD),
    }
    names_of: ClassVar[tuple[str, ...]] = ("simple_identifier",)
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("", "call_suffix")}
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "multiline_comment",
        "integer_literal",
        "import_declaration",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "optional_type",
        "type_annotation",
        "value_argument",
        "directly_assignable_expression",
        "inheritance_specifier",
        "try_expression",
        "await_expression",
        "opaque_type",
        "existential_type",
    )
    special: ClassVar[dict[str, str]] = {
        "self_expression": "this",
        "user_type": "user_type",
        "super_expression": "parent",
        "line_string_literal": "text_literal",
        "navigation_expression": "navigate",
        "property_declaration": "property_",
        "protocol_property_declaration": "property_",
        "enum_entry": "entry",
        "typealias_declaration": "alias",
        "associatedtype_declaration": "alias",
        "value_argument_label": "nothing",
        "array_type": "array_type",
        "control_transfer_statement": "return_",
        "lambda_literal": "closure",
        "if_statement": "if_",
        "guard_statement": "guard",
        "for_statement": "for_",
        "switch_entry": "case",
        "as_expression": "as_",
        "postfix_expression": "postfix",
        "nil_coalescing_expression": "alternatives",
        "ternary_expression": "alternatives",
        "dictionary_type": "dictionary",
        "computed_property": "code",
        "willset_didset_block": "code",
        "macro_invocation": "macro",
        "function_type": "function_type",
        "while_statement": "if_",
        "switch_statement": "switch",
        "catch_block": "catch",
        "tuple_expression": "tuple_",
        "tuple_type": "tuple_type",
        "tuple_type_item": "tuple_part",
        "array_literal": "array",
        "dictionary_literal": "array",
        "constructor_expression": "constructor",
        "key_path_expression": "key_path_root",
        "assignment": "assignment",
        "equality_expression": "comparison",
        "subscript_declaration": "subscript",
        "attribute": "attribute",
        "inheritance_constraint": "constraint",
    }

    implicit = 0  # what stands for whatever type is expected

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        at = node.start_byte
        before, dot = self.source[at - 2 : at - 1], self.source[at - 1 : at]
        if dot != b"." or before.isalnum() or before in _JOINED:
            text = self.source[at : node.end_byte]
            name = unprojected(text)
            return self.row(Op.NAME, scope, self.intern(name), at + len(text) - len(name), role)
        if not self.implicit:
            self.implicit = self.row(Op.MODULE, self.imported(IMPLICIT))
        expected = self.wanted.pop(at, 0)
        owner = self.row(Op.WANTED, self.implicit, expected) if expected else self.implicit
        return self.row(Op.ATTR, owner, self.name(node), at, role)

    def navigate(self, node: Node, scope: int, role: int = 0) -> int:
        target, suffix = node.child_by_field_name("target"), node.child_by_field_name("suffix")
        value = self.visit(target, scope) if target is not None else 0
        name = suffix.child_by_field_name("suffix") if suffix is not None else None
        if name is not None and name.type == "integer_literal":
            return self.row(Op.ITEM, value, min(int(self.text(name)), _MOST_PARTS))
        if name is None or name.type != "simple_identifier":
            return value
        text = self.source[name.start_byte : name.end_byte]
        if text == b"self":
            return value
        bare = unprojected(text)
        at = name.start_byte + len(text) - len(bare)
        return self.row(Op.ATTR, value, self.intern(bare), at, role)

    def name_node(self, node: Node, spec: Declares) -> Node | None:
        name = node.child_by_field_name("name")
        if name is None and node.type == "init_declaration":
            return next((c for c in node.children if c.type == "init"), None)
        return name

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        words = {c.type for c in node.children}
        if "extension" in words:
            return self.extension(node, scope, name)
        kind = next((_KINDS[word] for word in words & _KINDS.keys()), kind)
        body = node.child_by_field_name("body")
        inner = self.open(spec, scope)
        is_class = spec.scope == ScopeKind.CLASS
        self.bind(scope, self.name(name), name.start_byte, Bind.CLASS if is_class else Bind.FUNCTION, inner)
        owner = self.owner if self.scopes[scope].kind == ScopeKind.EXTENSION else ""
        self.define(
            kind,
            name,
            whole,
            scope,
            own=inner,
            doc=doc_above(whole),
            within=owner,
            head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
        )
        bases: list[int] = []
        saved, self.returned = self.returned, []
        self.head_of(node, inner, name, body, bases)
        result = self.scopes[inner].result
        if body is not None and is_class:
            self.children(body, inner)
        elif body is not None:
            self.body_of(body, inner, result)
        if is_class:
            self.scopes[inner].bases = self.items([base for base in bases if base])
        elif node.type == "init_declaration" and self.scopes[scope].owner >= 0:
            self.scopes[inner].returns = self.items([self.row(Op.SELF, self.scopes[scope].owner)])
        else:
            self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned = saved
        return 0

    def head_of(self, node: Node, inner: int, name: Node, body: Node | None, bases: list[int]) -> None:
        """Parents, type parameters, what is taken and given."""
        last = 0
        defaults = places(node, "default_value")
        results = places(node, "name")
        for child in node.named_children:
            if child in (name, body):
                continue
            if child.type == "parameter":
                last = self.parameter(child, inner)
            elif child.start_byte in defaults:
                self.worth(child, inner, last, typed=True)
            elif child.type == "inheritance_specifier":
                bases.append(self.only(child, inner, Role.EXTENDS))
            elif child.type == "type_parameters":
                self.type_parameters(child, inner)
            elif child.start_byte in results:
                self.scopes[inner].result = self.visit(child, inner, Role.TYPE)
            else:
                self.visit(child, inner)

    def type_parameters(self, node: Node, scope: int) -> None:
        """``<A, B: Limit>``"""
        for child in node.named_children:
            name, *limits = [c for c in child.named_children if c.type != "type_parameter_modifiers"]
            rows = [row for limit in limits if (row := self.visit(limit, scope, Role.TYPE))]
            bound = self.row(Op.TYPED, self.row(Op.UNION, 0, self.items(rows))) if rows else 0
            self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE, bound)

    def constraint(self, node: Node, scope: int, role: int = 0) -> int:
        """``where T: Limit``"""
        of, limit = node.child_by_field_name("constrained_type"), node.child_by_field_name("inherits_from")
        limit = limit or node.child_by_field_name("name") or node.named_children[-1]
        row = self.visit(limit, scope, Role.TYPE)
        if of is not None:
            self.visit(of, scope)
            if of.named_child_count == 1 and row:
                self.limited(scope, self.name(of), [row])
        return 0

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.bind(scope, self.intern(_INDEXED), node.start_byte, Bind.FUNCTION, inner)
        results = places(node, "name")
        for child in node.named_children:
            if child.type == "parameter":
                self.parameter(child, inner)
            elif child.type == "type_parameters":
                self.type_parameters(child, inner)
            elif child.start_byte in results:
                self.scopes[inner].result = self.visit(child, inner, Role.TYPE)
            elif child.type == "computed_property":
                self.accessors(child, inner, self.scopes[inner].result)
            else:
                self.visit(child, inner)
        return 0

    owner = ""

    def extension(self, node: Node, scope: int, name: Node) -> int:
        inner = self.scope(ScopeKind.EXTENSION, scope)
        self.scopes[inner].owner = inner
        self.scopes[inner].result = self.visit(name, scope, Role.TYPE)
        saved, self.owner = self.owner, self.text(name).split("<")[0].replace(".", "::")
        bases = []
        for child in node.named_children:
            if child.type == "inheritance_specifier":
                bases.append(self.only(child, inner, Role.IMPLEMENTS))
            elif child.type == "type_constraints":
                self.visit(child, inner)
                self.bind(inner, self.intern(CONDITION.encode()), child.start_byte, Bind.VARIABLE)
        self.scopes[inner].bases = self.items([base for base in bases if base])
        body = node.child_by_field_name("body")
        if body is not None:
            self.children(body, inner)
        self.owner = saved
        return 0

    def parameter(self, node: Node, scope: int) -> int:  # type: ignore[override]
        """Bind a parameter; its type. A label of its own is kept in the place of a default."""
        names = node.children_by_field_name("name")
        label = node.child_by_field_name("external_name")
        of = 0
        for child in names[1:]:
            of = self.visit(child, scope, Role.TYPE)
        if names:
            called = self.row(Op.LITERAL, 0, self.name(label)) if label is not None and of else 0
            self.bind(scope, self.name(names[0]), names[0].start_byte, Bind.PARAMETER, of, called)
        return of

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        patterns, given = node.children_by_field_name("name"), node.children_by_field_name("value")
        types, values = [0] * len(patterns), [0] * len(patterns)
        at, told = -1, 0
        for child in node.named_children:
            if child in patterns:
                at += 1
            elif child.type == "type_annotation" and patterns:
                types[at] = self.visit(child, scope, Role.TYPE)
            elif child in given and patterns:
                begun = len(self.rows)
                values[at] = self.worth(child, scope, types[at], typed=True)
                if self.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
                    self.see_outer(list(self.binding_names(patterns[at])), scope, begun)
            elif child.type == "computed_property":
                self.accessors(child, scope, types[at] if patterns else 0)
            elif child.type == "modifiers":
                told = self.told(child, scope)
            elif child.type != "value_binding_pattern":
                self.visit(child, scope)
        for at in range(len(patterns) - 2, -1, -1):
            # In ``var a, b: Int`` the type is that of both.
            types[at] = types[at] or (0 if values[at] else types[at + 1])
        for pattern, of, value in zip(patterns, types, values, strict=True):
            parts = [child for child in pattern.named_children if child.type == "pattern"]
            for position, part in enumerate(parts or [pattern]):
                held = self.row(Op.ITEM, value, position) if value and parts else value
                for leaf in self.binding_names(part):
                    self.assign(leaf, scope, of or (told if not value else 0), held, Kind.VARIABLE, node)
        return 0

    def told(self, node: Node, scope: int) -> int:
        """Visit what stands before a property; its type, where only that tells it: ``@Wrapped(T.self)``."""
        self.children(node, scope)
        for attribute in node.named_children:
            parts = attribute.named_children if attribute.type == "attribute" else []
            given = parts[1] if len(parts) == _WITH_ONE else None
            if given is not None and given.type == "navigation_expression":
                target = given.child_by_field_name("target")
                if target is not None and self.text(given) == f"{self.text(target)}.self":
                    return self.visit(target, scope, Role.TYPE)
        return 0

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        patterns = whole.children_by_field_name("name")
        commas = [child.start_byte for child in whole.children if child.type == ","]
        own = next((n for n, p in enumerate(patterns) if p.start_byte <= leaf.start_byte < p.end_byte), -1)
        if own < 0 or len(commas) != len(patterns) - 1:
            return ()
        starts, ends = [pattern.start_byte for pattern in patterns], [*commas, whole.end_byte]
        parts = one_of([range_of(whole)], list(zip(starts, ends, strict=True)), own)
        return bound_in(parts, patterns[own], leaf.start_byte)

    def binding_names(self, node: Node) -> Iterator[Node]:
        for leaf in super().binding_names(node):
            if leaf.type == "simple_identifier":
                yield leaf

    def user_type(self, node: Node, scope: int, role: int = 0) -> int:
        """``Outer.Inner<Of>``."""
        names = [child for child in node.named_children if child.type == "type_identifier"]
        meta = len(names) > 1 and self.source[names[-1].start_byte : names[-1].end_byte] in _META
        value = 0
        for name in names[:-1] if meta else names:
            own = (role or Role.TYPE) if name == names[-1] else Role.TYPE
            value = (
                self.row(Op.ATTR, value, self.name(name), name.start_byte, own)
                if value
                else self.type_reference(name, scope, own)
            )
        told = [child for child in node.named_children if child.type == "type_arguments"]
        arguments = [self.visit(of, scope, Role.TYPE) for child in told for of in child.named_children]
        value = self.row(Op.INDEX, value, self.items(arguments)) if arguments else value
        if not meta:
            return value
        kind = self.row(Op.NAME, scope, self.intern(METATYPE.encode()), names[-1].start_byte, Role.TYPE)
        return self.row(Op.INDEX, kind, self.items([value]))

    def entry(self, node: Node, scope: int, role: int = 0) -> int:
        """Cases of an enumeration: values of it, or functions of what they carry that give one."""
        carried: dict[int, Node] = {}
        name: Node | None = None
        names, contents = places(node, "name"), places(node, "data_contents")
        for child in node.named_children:
            if child.start_byte in names:
                name = child
            elif child.start_byte in contents and name is not None:
                carried[name.start_byte] = child
        for raw in node.children_by_field_name("raw_value"):
            self.visit(raw, scope)
        one = self.row(Op.SELF, self.scopes[scope].owner) if self.scopes[scope].owner >= 0 else 0
        for name in node.children_by_field_name("name"):
            if name.start_byte in carried:
                self._carrier(name, carried[name.start_byte], scope, one)
                self.define(Kind.MEMBER, name, node, scope, doc=doc_above(node))
            else:
                self.assign(name, scope, 0, one, Kind.MEMBER, node)
        return 0

    def _carrier(self, name: Node, carried: Node, scope: int, one: int) -> None:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.bind(scope, self.name(name), name.start_byte, Bind.FUNCTION, inner)
        label = 0
        for position, of in enumerate(c for c in carried.named_children):
            if of.type == "simple_identifier":  # what a value is called
                label = self.name(of)
                continue
            hint = self.visit(of, scope, Role.TYPE)
            called = label or self.intern(b"%d" % position)
            self.bind(inner, called, of.start_byte, Bind.PARAMETER, hint)
            label = 0
        self.scopes[inner].returns = self.items([one] if one else [])


def _grammar() -> Any:
    import tree_sitter_swift

    return tree_sitter_swift.language()


SWIFT: Final = Language(
    "swift", _grammar, SwiftWalk, SwiftRules, source_roots=("Sources", "src"), close=closed
)
