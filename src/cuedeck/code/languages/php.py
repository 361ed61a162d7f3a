"""PHP: how its syntax becomes facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.table import Declares, TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node
_EXTENDS: Final = ("base_clause",)
_IMPLEMENTS: Final = ("class_interface_clause",)


class PhpWalk(TableWalk):
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
        "comment",
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
        "union_type",
    )
    special: ClassVar[dict[str, str]] = {
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
    }

    def variable_name(self, node: Node, scope: int, role: int = 0) -> int:
        if self.text(node) == "$this":
            return self.this(node, scope)
        return self.reference(node, scope, role)

    def relative(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope][2]
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
            value = self.visit(child, scope, Role.CALL if not position else 0)
            made = made or value
        return self.row(Op.NEW, made)

    def qualified(self, node: Node, scope: int, role: int = 0) -> int:
        value = 0
        for child in node.named_children:
            for leaf in child.named_children or [child]:
                if value:
                    value = self.row(Op.ATTR, value, self.name(leaf), leaf.start_byte, role)
                else:
                    value = self.reference(leaf, scope, role)
        return value

    def parameter(self, node: Node, scope: int) -> None:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        given = node.child_by_field_name("default_value")
        value = self.visit(given, scope) if given is not None else 0
        if name is None:
            return
        self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, annotation, value)
        owner = self.scopes[scope][2]
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
        return value

    def namespace(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None:
            self.bind(
                0, self.intern(b"namespace"), node.start_byte, Bind.OPAQUE, self.imported(self.text(name))
            )
        return self.children(body, scope) if body is not None else 0

    def use(self, node: Node, scope: int, role: int = 0) -> int:
        for clause in node.named_children:
            if clause.type != "namespace_use_clause":
                continue
            path, alias = first_of(clause), clause.child_by_field_name("alias")
            if path is None:
                continue
            segments = self.text(path).strip("\\").split("\\")
            name = path.named_children[-1] if path.named_child_count else path
            number = self.imported("\\".join(segments[:-1]))
            self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
            local = alias if alias is not None else name
            self.bind(0, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))
        return 0

    def use_trait(self, node: Node, scope: int, role: int = 0) -> int:
        used = [self.visit(c, scope, Role.EXTENDS) for c in node.named_children]
        known = self.lists[self.scopes[scope][6]]
        self.scopes[scope][6] = self.items([*known, *(value for value in used if value)])
        return 0


class PhpRules(OpenRules):
    """How files of Php see each other."""

    language: ClassVar[str] = "php"
    endings: ClassVar[tuple[str, ...]] = (".php",)
    separator: ClassVar[str] = "\\"
    body_names: ClassVar[bool] = False
    constructors: ClassVar[tuple[str, ...]] = ("__construct",)
    inherited_constructors: ClassVar[bool] = True
    self_types: ClassVar[frozenset[str]] = frozenset({"self", "static"})


def _grammar() -> Any:
    import tree_sitter_php

    return tree_sitter_php.language_php()


PHP: Final = Language(
    "php", (".php",), _grammar, PhpWalk, PhpRules, interpreters=("php",), source_roots=("src", "lib")
)
