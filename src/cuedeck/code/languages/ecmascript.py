"""What JavaScript and TypeScript share: how their syntax becomes facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from cuedeck.code.facts import INSTANCE, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.table import Declarator, Declares, TableWalk, doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS: Final = Declares(Kind.CLASS, ScopeKind.CLASS, extends=("class_heritage",))
_FUNCTION: Final = Declares(Kind.FUNCTION, result="return_type")
_METHOD: Final = Declares(Kind.METHOD, result="return_type")
_FUNCTION_VALUES: Final = ("arrow_function", "function_expression", "generator_function", "function")


class EcmaWalk(TableWalk):
    """Visits JavaScript, TypeScript and their JSX forms."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": _CLASS,
        "abstract_class_declaration": _CLASS,
        "class": _CLASS,
        "interface_declaration": Declares(
            Kind.INTERFACE, ScopeKind.CLASS, extends=("extends_type_clause", "extends_clause")
        ),
        "enum_declaration": Declares(Kind.ENUM, ScopeKind.CLASS),
        "function_declaration": _FUNCTION,
        "generator_function_declaration": _FUNCTION,
        "function_signature": _FUNCTION,
        "method_definition": _METHOD,
        "method_signature": _METHOD,
        "abstract_method_signature": _METHOD,
        "internal_module": Declares(Kind.NAMESPACE, ScopeKind.NAMESPACE),
        "module": Declares(Kind.NAMESPACE, ScopeKind.NAMESPACE),
    }
    variables: ClassVar[dict[str, Declarator]] = {
        "variable_declarator": Declarator(kind=Kind.VARIABLE),
        "public_field_definition": Declarator(kind=Kind.FIELD),
        "field_definition": Declarator(name="property", kind=Kind.FIELD),
        "property_signature": Declarator(kind=Kind.FIELD),
        "enum_assignment": Declarator(kind=Kind.MEMBER),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier", "shorthand_property_identifier")
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "member_expression": ("object", "property"),
        "nested_type_identifier": ("module", "name"),
        "nested_identifier": ("object", "property"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("function", "arguments")}
    news: ClassVar[dict[str, str]] = {"new_expression": "constructor"}
    blocks: ClassVar[tuple[str, ...]] = ("statement_block", "for_statement", "switch_body")
    silent: ClassVar[tuple[str, ...]] = ("comment", "number", "regex", "hash_bang_line", "predefined_type")
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "type_annotation",
        "parenthesized_expression",
        "parenthesized_type",
        "non_null_expression",
        "readonly_type",
    )
    special: ClassVar[dict[str, str]] = {
        "this": "this",
        "super": "parent",
        "string": "text_literal",
        "template_string": "text_literal",
        "return_statement": "return_",
        "await_expression": "awaited",
        "array": "sequence",
        "array_type": "array_type",
        "union_type": "union",
        "ternary_expression": "ternary",
        "binary_expression": "binary",
        "type_alias_declaration": "alias",
        "import_statement": "import_",
        "export_statement": "export",
        "assignment_expression": "assignment",
        "arrow_function": "anonymous",
        "function_expression": "anonymous",
        "generator_function": "anonymous",
        "for_in_statement": "for_in",
        "catch_clause": "catch",
        "as_expression": "cast",
        "satisfies_expression": "only_first",
        "pair": "pair",
        "object_type": "object_type",
        "jsx_attribute": "jsx_attribute",
        "class_heritage": "children",
    }

    # -- expressions

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        callee = node.child_by_field_name("function")
        if callee is not None and self.text(callee) in ("require", "import"):
            source = self.module_source(node.child_by_field_name("arguments"))
            if source is not None:
                loaded = self.row(Op.MODULE, self.imported(self.text(source)))
                return loaded if callee.type == "identifier" else self.row(Op.AWAIT, loaded)
        return super().call(node, scope, role)

    def module_source(self, arguments: Node | None) -> Node | None:
        first = arguments.named_child(0) if arguments is not None else None
        if first is None or first.type != "string":
            return None
        return next((c for c in first.named_children if c.type == "string_fragment"), None)

    def array_type(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.SEQUENCE, self.row(Op.TYPED, self.only(node, scope, Role.TYPE)))

    def ternary(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(c, scope) for c in node.named_children]
        return self.row(Op.UNION, 0, self.items(values[1:]))

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        chain: list[Node] = []
        while node.type == "binary_expression" and node.named_child_count > 1:
            chain.append(node)
            node = node.named_children[0]
        value = self.visit(node, scope)
        for step in reversed(chain):
            right = self.visit(step.named_children[-1], scope)
            operator = step.child_by_field_name("operator")
            if operator is not None and operator.type in ("||", "??", "&&"):
                value = self.row(Op.UNION, 0, self.items([value, right]))
        return value

    def cast(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        values = [self.visit(parts[0], scope), *(self.visit(c, scope, Role.TYPE) for c in parts[1:])]
        return self.row(Op.TYPED, values[-1]) if len(values) > 1 and values[-1] else values[0]

    def only_first(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(child, scope) for child in node.named_children]
        return values[0] if values else 0

    def pair(self, node: Node, scope: int, role: int = 0) -> int:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if (
            value is not None
            and value.type in _FUNCTION_VALUES
            and key is not None
            and not key.named_child_count
        ):
            return self.function_value(value, scope, name=key, whole=node)
        return self.visit(value, scope) if value is not None else 0

    def jsx_attribute(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children[1:]:
            self.visit(child, scope)
        return 0

    def object_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner][2] = inner
        self.children(node, inner)
        return self.row(Op.SELF, inner)

    def anonymous(self, node: Node, scope: int, role: int = 0) -> int:
        return self.function_value(node, scope)

    def function_value(
        self, node: Node, scope: int, *, name: Node | None = None, whole: Node | None = None
    ) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope][2])
        body = node.child_by_field_name("body")
        around = self.scopes[scope][0]
        if name is not None and whole is not None and around != ScopeKind.BLOCK:
            self.define(
                Kind.METHOD if around == ScopeKind.CLASS else Kind.FUNCTION,
                name,
                whole,
                scope,
                own=inner,
                head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
                doc=doc_above(whole),
            )
        single = node.child_by_field_name("parameter")
        if single is not None:
            self.bind(inner, self.name(single), single.start_byte, Bind.PARAMETER)
        self.head(node, inner, _FUNCTION, body)
        saved, self.returned = self.returned, []
        if body is not None:
            if body.type == "statement_block":
                self.children(body, inner)
            else:
                self.returned.append(self.visit(body, inner))
        self.scopes[inner][5] = self.items(self.returned[:8])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

    # -- declarations

    def whole_of(self, node: Node) -> Node:
        parent = node.parent
        if parent is not None and parent.type in ("lexical_declaration", "variable_declaration"):
            if parent.named_child_count > 1:
                return node
            node, parent = parent, parent.parent
        return parent if parent is not None and parent.type == "export_statement" else node

    def variable(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name(self.variables[node.type].name)
        value = node.child_by_field_name("value")
        if (
            name is None
            or value is None
            or value.type not in _FUNCTION_VALUES
            or name.named_child_count
            or self.scopes[scope][0] == ScopeKind.BLOCK
        ):
            return super().variable(node, scope, role)
        hint = node.child_by_field_name("type")
        annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        made = self.function_value(value, scope, name=name, whole=self.whole_of(node))
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation, made)
        return made

    def assign(self, leaf: Node, scope: int, annotation: int, value: int, kind: str, whole: Node) -> None:
        parent = leaf.parent
        if value and parent is not None and parent.type in ("object_pattern", "pair_pattern"):
            key = parent.child_by_field_name("key") if parent.type == "pair_pattern" else leaf
            if key is not None:
                value = self.row(Op.ATTR, value, self.name(key), key.start_byte)
        elif value and parent is not None and parent.type == "array_pattern":
            position = next((n for n, c in enumerate(parent.named_children) if c == leaf), 0)
            value = self.row(Op.ITEM, value, position)
        if kind == Kind.VARIABLE and self.text(leaf).isupper():
            kind = Kind.CONSTANT
        super().assign(leaf, scope, annotation, value, kind, whole)

    def binding_names(self, node: Node) -> Iterator[Node]:
        if node.type == "pair_pattern":
            value = node.child_by_field_name("value")
            if value is not None:
                yield from self.binding_names(value)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            left = node.child_by_field_name("left")
            if left is not None:
                yield from self.binding_names(left)
        elif node.type in (
            "identifier",
            "shorthand_property_identifier_pattern",
            "property_identifier",
            "private_property_identifier",
        ):
            yield node
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            for child in node.named_children:
                yield from self.binding_names(child)

    def parameter(self, node: Node, scope: int) -> None:
        if node.type in ("assignment_pattern", "object_pattern", "array_pattern", "rest_pattern"):
            default = node.child_by_field_name("right")
            value = self.visit(default, scope) if default is not None else 0
            for leaf in self.binding_names(node):
                self.bind(scope, self.name(leaf), leaf.start_byte, Bind.PARAMETER, 0, value)
            return
        super().parameter(node, scope)
        pattern = node.child_by_field_name("pattern")
        owner = self.scopes[scope][2]
        if (
            pattern is not None
            and owner >= 0
            and any(
                c.type in ("accessibility_modifier", "override_modifier") or self.text(c) == "readonly"
                for c in node.children
            )
        ):
            hint = self.bound[-2]
            self.bind(owner, self.name(pattern), pattern.start_byte, Bind.VARIABLE, hint, 0)
            self.define(Kind.FIELD, pattern, node, owner)
        for child in node.named_children:
            if child.type == "decorator":
                self.visit(child, scope)

    def body(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if node.type == "enum_body" and child.type == "property_identifier":
                self.assign(child, scope, 0, 0, Kind.MEMBER, child)
            else:
                self.visit(child, scope)

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type == "implements_clause":
            role = Role.IMPLEMENTS
        if node.type == "type_arguments":
            self.children(node, scope)
            return []
        return super().parents(node, scope, role)

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.children(node, scope)
        exported = self.exported_name(left)
        if exported is not None and right.type in _FUNCTION_VALUES:
            value = self.function_value(right, scope, name=exported, whole=node)
        else:
            value = self.visit(right, scope)
        if left.type != "member_expression":
            self.visit(left, scope, Role.WRITE)
            return value
        name = left.child_by_field_name("property")
        owner = left.child_by_field_name("object")
        self.visit(left, scope, Role.WRITE)
        if name is None or owner is None:
            return value
        holder = self.scopes[scope][2]
        if owner.type == "this" and holder >= 0:
            known = self.name(name) in self.names[holder]
            self.bind(holder, self.name(name), name.start_byte, Bind.VARIABLE | INSTANCE, 0, value)
            if not known:
                self.define(Kind.FIELD, name, node, holder)
        elif exported is not None:
            self.bind(0, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)
            if right.type not in _FUNCTION_VALUES and (0, self.name(name)) not in self.defined:
                self.defined.add((0, self.name(name)))
                self.define(Kind.VARIABLE, name, node, 0)
        elif self.text(left) == "module.exports":
            self.bind(0, self.intern(b"default"), name.start_byte, Bind.LINK, value)
        return value

    def exported_name(self, left: Node) -> Node | None:
        if left.type != "member_expression":
            return None
        owner, name = left.child_by_field_name("object"), left.child_by_field_name("property")
        if owner is not None and self.text(owner) in ("exports", "module.exports"):
            return name
        return None

    # -- statements

    def for_in(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope][2])
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.row(Op.ELEMENT, self.visit(right, scope)) if right is not None else 0
        if left is not None:
            if node.child_by_field_name("kind") is None:
                self.visit(left, inner, Role.WRITE)
            for leaf in self.binding_names(left):
                self.assign(leaf, inner, 0, value, "", node)
        body = node.child_by_field_name("body")
        if body is not None:
            self.visit(body, inner)
        return 0

    def catch(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope][2])
        caught = node.child_by_field_name("parameter")
        if caught is not None:
            for leaf in self.binding_names(caught):
                self.bind(inner, self.name(leaf), leaf.start_byte, Bind.OPAQUE)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        fragment = self.fragment(node)
        if fragment is None:
            return 0
        number = self.imported(self.text(fragment))
        for clause in node.named_children:
            for child in clause.named_children if clause.type == "import_clause" else ():
                if child.type == "identifier":
                    self.bind(
                        scope,
                        self.name(child),
                        child.start_byte,
                        Bind.IMPORT,
                        number,
                        self.intern(b"default"),
                    )
                elif child.type == "namespace_import" and child.named_child_count:
                    name = child.named_children[0]
                    self.bind(scope, self.name(name), name.start_byte, Bind.MODULE, number, 1)
                elif child.type == "named_imports":
                    self.specifiers(child, scope, number)
        return 0

    def fragment(self, node: Node) -> Node | None:
        source = node.child_by_field_name("source")
        parts = source.named_children if source is not None else ()
        return next((c for c in parts if c.type == "string_fragment"), None)

    def specifiers(self, node: Node, scope: int, number: int) -> None:
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if name is None:
                continue
            local = child.child_by_field_name("alias") or name
            self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
            self.bind(scope, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))

    def export(self, node: Node, scope: int, role: int = 0) -> int:
        fragment = self.fragment(node)
        number = self.imported(self.text(fragment)) if fragment is not None else -1
        default = any(c.type == "default" for c in node.children)
        clause = False
        for child in node.named_children:
            if child.type == "export_clause":
                clause = True
                if number >= 0:
                    self.specifiers(child, scope, number)
                else:
                    self.local_exports(child, scope)
            elif child.type == "namespace_export" and number >= 0 and child.named_child_count:
                clause = True
                name = child.named_children[0]
                self.bind(scope, self.name(name), name.start_byte, Bind.MODULE, number, 1)
            elif child.type != "string":
                value = self.visit(child, scope)
                if default:
                    label = child.child_by_field_name("name")
                    if label is not None and label.type in ("identifier", "type_identifier"):
                        value = self.row(Op.NAME, scope, self.name(label), label.start_byte, Role.EXPORT)
                    self.bind(scope, self.intern(b"default"), child.start_byte, Bind.LINK, value)
        if number >= 0 and not clause:
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        return 0

    def local_exports(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is None:
                continue
            value = self.row(Op.NAME, scope, self.name(name), name.start_byte, Role.EXPORT)
            if alias is not None:
                self.bind(scope, self.name(alias), alias.start_byte, Bind.LINK, value)
