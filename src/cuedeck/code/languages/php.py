"""PHP: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import INSTANCE, Bind, Import, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import one_of, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.php_docs import PhpNames
from cuedeck.code.languages.table import Declares, doc_above, first_of
from cuedeck.code.languages.torn import closed_quotes
from cuedeck.code.resolution.values import PACKAGE, Targets, Value

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range
_EXTENDS: Final = ("base_clause",)
_IMPLEMENTS: Final = ("class_interface_clause",)


class PhpWalk(PhpNames):
    """Visits PHP; a variable's name is kept without its dollar sign's wrapper node."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": Declares(
            Kind.CLASS, ScopeKind.CLASS, extends=("base_clause",), implements=("class_interface_clause",)
        ),
        "interface_declaration": Declares(
            Kind.INTERFACE, ScopeKind.CLASS, extends=("base_clause",), implements=("class_interface_clause",)
        ),
        "trait_declaration": Declares(Kind.TRAIT, ScopeKind.CLASS),
        "enum_declaration": Declares(
            Kind.ENUM, ScopeKind.CLASS, extends=("base_clause",), implements=("class_interface_clause",)
        ),
        "function_definition": Declares(Kind.FUNCTION, result="return_type"),
        "method_declaration": Declares(Kind.METHOD, result="return_type"),
    }
    names_of: ClassVar[tuple[str, ...]] = ("name",)
    type_names: ClassVar[tuple[str, ...]] = ()
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "class_constant_access_expression": ("", ""),
        "scoped_property_access_expression": ("scope", "name"),
    }
    silent: ClassVar[tuple[str, ...]] = (
        "php_tag",
        "primitive_type",
        "integer",
        "text",
        "boolean",
        "null",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "optional_type",
        "parenthesized_expression",
        "argument",
        "named_type",
        "clone_expression",
    )
    special: ClassVar[dict[str, str]] = {
        "comment": "comment",
        "union_type": "union",
        "type_list": "union",
        "variable_name": "variable_name",
        "relative_scope": "relative",
        "string": "text_literal",
        "encapsed_string": "text_literal",
        "return_statement": "return_",
        "member_access_expression": "access",
        "nullsafe_member_access_expression": "access",
        "member_call_expression": "invoke",
        "nullsafe_member_call_expression": "invoke",
        "scoped_call_expression": "invoke",
        "scoped_property_access_expression": "static_property",
        "function_call_expression": "call_function",
        "object_creation_expression": "create",
        "qualified_name": "qualified",
        "relative_name": "qualified",
        "foreach_statement": "each",
        "catch_clause": "caught",
        "binary_expression": "binary",
        "property_element": "property_",
        "const_element": "constant",
        "enum_case": "case",
        "assignment_expression": "assignment",
        "namespace_definition": "namespace",
        "namespace_use_declaration": "use",
        "use_declaration": "use_trait",
        "anonymous_function": "block",
        "arrow_function": "block",
        "simple_parameter": "stray_parameter",
        "array_creation_expression": "array",
    }

    def variable_name(self, node: Node, scope: int, role: int = 0) -> int:
        if self.text(node) == "$this":
            return self.this(node, scope)
        return self.reference(node, scope, role)

    def relative(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope].owner
        if owner < 0:
            return 0
        return self.row(Op.SUPER if self.text(node) == "parent" else Op.SELF, owner)

    def access(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
        value = self.visit(owner, scope) if owner is not None else 0
        if name is None or name.type != "name":
            return value
        return self.row(Op.ATTR, value, self.name(name), name.start_byte, role)

    def static_property(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        value = self.visit(owner, scope) if owner is not None else 0
        plain = first_of(name) if name is not None and name.type == "variable_name" else None
        if plain is None:
            return value
        return self.row(Op.ATTR, value, self.name(plain), plain.start_byte, role)

    def array(self, node: Node, scope: int, role: int = 0) -> int:
        """``[Controller::class, 'show']`` and ``[$this, 'show']`` name a method."""
        parts = [first_of(child) for child in node.named_children if child.named_child_count == 1]
        owner, text = parts if len(parts) == node.named_child_count == 2 else (None, None)
        name = first_of(text) if text is not None and text.type in ("string", "encapsed_string") else None
        named = _callable_on(owner, self.text(owner)) if owner is not None else None
        if named is None or name is None or not self.text(name).isidentifier():
            return self.children(node, scope)
        self.row(Op.ATTR, self.visit(named, scope), self.name(name), name.start_byte)
        return 0

    def invoke(self, node: Node, scope: int, role: int = 0) -> int:
        owner = node.child_by_field_name("object") or node.child_by_field_name("scope")
        name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        value = self.visit(owner, scope) if owner is not None else 0
        callee = 0
        if name is not None and name.type == "name":
            callee = self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.CALL)
        if arguments is not None:
            self.children(arguments, scope)
        return self.row(Op.CALL, callee)

    def call_function(self, node: Node, scope: int, role: int = 0) -> int:
        name, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        callee = self.visit(name, scope, Role.CALL) if name is not None else 0
        if arguments is not None:
            self.children(arguments, scope)
        return self.row(Op.CALL, callee)

    def create(self, node: Node, scope: int, role: int = 0) -> int:
        made = 0
        for position, child in enumerate(node.named_children):
            if child.type == "anonymous_class":
                value = self.unnamed(child, scope)
            else:
                value = self.visit(child, scope, Role.CALL if not position else 0)
            made = made or value
            if not position and self.text(child) in ("self", "static", "parent"):
                made = self.relative(child, scope)
                self.row(Op.ATTR, made, self.intern(b"__construct"), child.start_byte, Role.CALL)
        return self.row(Op.NEW, made)

    def unnamed(self, node: Node, scope: int) -> int:
        """``new class extends A { … }``; it gets a name nobody can write."""
        spec = self.declarations["class_declaration"]
        inner, body = self.open(spec, scope), node.child_by_field_name("body")
        number = self.intern(b"class@%d" % node.start_byte)
        self.bind(scope, number, node.start_byte, Bind.CLASS, inner)
        self.head(node, inner, spec, body)
        if body is not None:
            self.body(body, inner)
        return self.row(Op.NAME, scope, number, node.start_byte)

    def qualified(self, node: Node, scope: int, role: int = 0) -> int:
        text = self.source[node.start_byte : node.end_byte]
        return self.named(text, node.start_byte, scope, role)

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type in ("qualified_name", "relative_name"):
            return [self.visit(node, scope, role)]
        return super().parents(node, scope, role)

    def each(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        source = self.visit(parts[0], scope) if parts else 0
        for target in parts[1:2]:
            value = target.named_children[-1] if target.type == "pair" else target
            if value.type == "variable_name":
                self.bind(
                    scope, self.name(value), value.start_byte, Bind.VARIABLE, 0, self.row(Op.ELEMENT, source)
                )
            else:
                self.visit(target, scope)
        for child in parts[2:]:
            self.visit(child, scope)
        return 0

    def caught(self, node: Node, scope: int, role: int = 0) -> int:
        of, name = node.child_by_field_name("type"), node.child_by_field_name("name")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation)
        for child in node.named_children:
            if child not in (of, name):
                self.visit(child, scope)
        return 0

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        values = [self.visit(c, scope) for c in (left, right) if c is not None]
        if sign == "instanceof" and left is not None and left.type == "variable_name" and len(values) == 2:
            self.bind(scope, self.name(left), left.start_byte, Bind.VARIABLE, values[1])
        return self.row(Op.UNION, 0, self.items(values)) if sign == "??" else 0

    def parameter(self, node: Node, scope: int) -> None:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        given = node.child_by_field_name("default_value")
        value = self.visit(given, scope) if given is not None else 0
        if name is None:
            return
        annotation = annotation or self.parameter_types.get(self.source[name.start_byte : name.end_byte], 0)
        if node.type == "variadic_parameter" and annotation:
            annotation = self.row(Op.SEQUENCE, self.row(Op.TYPED, annotation))
        self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, annotation, value)
        owner = self.scopes[scope].owner
        if node.type == "property_promotion_parameter" and owner >= 0:
            self.field(name, owner, annotation, 0, node)

    def stray_parameter(self, node: Node, scope: int, role: int = 0) -> int:
        self.parameter(node, scope)
        return 0

    def field(self, name: Node, scope: int, annotation: int, value: int, whole: Node) -> None:
        leaf = name.named_children[0] if name.named_child_count else name
        self.assign(leaf, scope, annotation, value, Kind.FIELD, whole)

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        name, given = node.child_by_field_name("name"), node.child_by_field_name("default_value")
        parent = node.parent
        of = parent.child_by_field_name("type") if parent is not None else None
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        value = self.visit(given, scope) if given is not None else 0
        if name is not None:
            annotation = annotation or self.documented(parent or node, b"var")
            self.field(name, scope, annotation, value, parent or node)
        return 0

    def constant(self, node: Node, scope: int, role: int = 0) -> int:
        name = first_of(node)
        value = 0
        for child in node.named_children[1:]:
            value = self.visit(child, scope)
        if name is not None:
            self.assign(name, scope, 0, value, Kind.CONSTANT, node.parent or node)
        return 0

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        listed = [child for child in whole.named_children if child.type == "const_element"]
        if len(listed) < 2:
            return ()
        own = [first_of(child) for child in listed].index(leaf)
        return one_of([range_of(whole)], [range_of(child) for child in listed], own)

    def case(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.assign(name, scope, 0, 0, Kind.MEMBER, node)
        return 0

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.visit(right, scope) if right is not None else 0
        if left is not None and left.type == "variable_name":
            self.bind(scope, self.name(left), left.start_byte, Bind.VARIABLE, 0, value)
        elif left is not None:
            self.visit(left, scope, Role.WRITE)
            self.keep(left, scope, value)
        return value

    def keep(self, left: Node, scope: int, value: int) -> None:
        """``$this->x = value`` tells what a property without a type holds."""
        owner, of = self.scopes[scope].owner, left.child_by_field_name("object")
        name = left.child_by_field_name("name")
        plain = left.type == "member_access_expression" and name is not None and name.type == "name"
        if owner >= 0 and plain and name is not None and of is not None and self.text(of) == "$this":
            self.bind(owner, self.name(name), name.start_byte, Bind.VARIABLE | INSTANCE, 0, value)

    def head(self, node: Node, inner: int, spec: Declares, body: Node | None) -> None:
        above = doc_above(node)
        told = self.told[1] if above is not None and above.end_byte == self.told[0] else {}
        saved, self.parameter_types = self.parameter_types, told
        super().head(node, inner, spec, body)
        self.parameter_types = saved
        if spec.scope == ScopeKind.CLASS and told:
            self.documented_properties(node, inner)
        if spec.scope == ScopeKind.FUNCTION and not self.scopes[inner].result:
            self.scopes[inner].result = told.get(b"return", 0)

    def namespace(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        self.inside = self.text(name) if name is not None else ""
        self.space = self.inside.replace("\\", "::")
        self.uses = {}
        if name is not None:
            self.bind(0, self.intern(b"namespace"), node.start_byte, Bind.OPAQUE, self.imported(self.inside))
        return self.children(body, scope) if body is not None else 0

    def use(self, node: Node, scope: int, role: int = 0) -> int:
        group = next((c for c in node.named_children if c.type == "namespace_use_group"), None)
        prefix = self.text(node.named_children[0]) + "\\" if group is not None else ""
        for clause in (group or node).named_children:
            if clause.type == "namespace_use_clause":
                self.use_clause(clause, prefix)
        return 0

    def use_clause(self, clause: Node, prefix: str) -> None:
        path, alias = first_of(clause), clause.child_by_field_name("alias")
        if path is None:
            return
        whole = (prefix + self.text(path)).strip("\\")
        name = path.named_children[-1] if path.named_child_count else path
        number = self.imported(whole.rpartition("\\")[0])
        self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
        local = alias if alias is not None else name
        self.uses[self.text(local)] = whole
        self.bind(0, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))

    def use_trait(self, node: Node, scope: int, role: int = 0) -> int:
        used = [self.visit(c, scope, Role.EXTENDS) for c in node.named_children]
        known = self.lists[self.scopes[scope].bases]
        self.scopes[scope].bases = self.items([*known, *(value for value in used if value)])
        return 0


class PhpRules(OpenRules):
    """Names belong to namespaces; a function that its namespace lacks is the global one."""

    language: ClassVar[str] = "php"
    endings: ClassVar[tuple[str, ...]] = (".php",)
    separator: ClassVar[str] = "\\"
    body_names: ClassVar[bool] = False
    constructors: ClassVar[tuple[str, ...]] = ("__construct",)
    inherited_constructors: ClassVar[bool] = True
    self_types: ClassVar[frozenset[str]] = frozenset({"self", "static"})
    inherits_parameters: ClassVar[bool] = True
    reads_in_order: ClassVar[bool] = True
    declared_members: ClassVar[bool] = True
    fields_beside_methods: ClassVar[bool] = True

    def module(self, path: str, imported: Import) -> Value | None:
        return Value(PACKAGE, f"php:{imported.module}")

    def seen(self, path: str, name: str) -> Targets:
        spaces = self.namespaces(path)
        found = self.open_names(name)
        here = [symbol for symbol in found if spaces & self.namespaces(symbol.path)]
        return tuple(here or [s for s in found if self.namespaces(s.path) == {""} and not self.is_class(s)])[
            :4
        ]

    def inside(self, package: str, name: str) -> Targets:
        return tuple(s for s in self.open_names(name) if package in self.namespaces(s.path))[:4]

    def namespaces(self, path: str) -> set[str]:
        """The namespaces that a file declares; the global one where it declares none."""
        links = self.project.links(path)
        bindings = links.names[0].get(links.string_numbers.get("namespace", -1), ())
        named = [b for b in bindings if links.bindings[3][b] == Bind.OPAQUE]
        return {links.imports[links.bindings[4][b]].module for b in named} or {""}


def _callable_on(owner: Node, text: str) -> Node | None:
    """What the first part of an array says that its second part is a method of."""
    if owner.type == "class_constant_access_expression" and text.endswith("::class"):
        return first_of(owner)
    return owner if text == "$this" else None


def _grammar() -> Any:
    import tree_sitter_php

    return tree_sitter_php.language_php()


PHP: Final = Language(
    "php", _grammar, PhpWalk, PhpRules, namespaces=True, opening=b"<?php ", close=closed_quotes
)
