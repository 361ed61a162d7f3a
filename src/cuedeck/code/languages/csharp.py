"""C#: how its syntax becomes facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import OP_MASK, REST, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.csharp_rules import GLOBAL_USING, CSharpRules
from cuedeck.code.languages.csharp_values import VALUES, CSharpValues
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.table import Declares, doc_above
from cuedeck.code.languages.torn import closed

if TYPE_CHECKING:
    from tree_sitter import Node

_BASES: Final = ("base_list",)

_RECORDS: Final = ("record_declaration", "record_struct_declaration")

_FILE_NAMESPACE: Final = "file_scoped_namespace_declaration"

_ATTRIBUTE: Final = "Attribute"

_TYPES_OF_MANY: Final = ("array_type", "nullable_type", "generic_name")


class CSharpWalk(CSharpValues):
    """Visits C#."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": Declares(Kind.CLASS, ScopeKind.CLASS, extends=_BASES),
        "struct_declaration": Declares(Kind.STRUCT, ScopeKind.CLASS, extends=_BASES),
        "record_declaration": Declares(Kind.CLASS, ScopeKind.CLASS, extends=_BASES),
        "interface_declaration": Declares(Kind.INTERFACE, ScopeKind.CLASS, extends=_BASES),
        "enum_declaration": Declares(Kind.ENUM, ScopeKind.CLASS),
        "delegate_declaration": Declares(Kind.TYPE, ScopeKind.FUNCTION, result="type"),
        "method_declaration": Declares(Kind.METHOD, result="returns"),
        "constructor_declaration": Declares(Kind.METHOD),
        "destructor_declaration": Declares(Kind.METHOD),
        "local_function_statement": Declares(Kind.FUNCTION, result="type"),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier",)
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "qualified_name": ("qualifier", "name"),
        "alias_qualified_name": ("alias", "name"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"invocation_expression": ("function", "argument_list")}
    news: ClassVar[dict[str, str]] = {"object_creation_expression": "type"}
    blocks: ClassVar[tuple[str, ...]] = (
        "block",
        "for_statement",
        "using_statement",
        "switch_section",
        "catch_clause",
    )
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "predefined_type",
        "modifier",
        "integer_literal",
        "implicit_type",
        "character_literal",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "nullable_type",
        "parenthesized_expression",
        "argument",
        "ref_type",
        "pointer_type",
    )
    generic_types: ClassVar[tuple[str, ...]] = ("generic_name",)
    lambdas: ClassVar[tuple[str, ...]] = ("lambda_expression", "anonymous_method_expression")
    special: ClassVar[dict[str, str]] = {
        "string_literal": "text_literal",
        "interpolated_string_expression": "text_literal",
        "return_statement": "given_back",
        "arrow_expression_clause": "given_back",
        "element_access_expression": "index",
        "await_expression": "awaited",
        "member_access_expression": "access",
        "conditional_access_expression": "conditional_access",
        "member_binding_expression": "bound_member",
        "namespace_declaration": "namespace",
        _FILE_NAMESPACE: "namespace",
        "variable_declaration": "variables_",
        "field_declaration": "field",
        "event_field_declaration": "field",
        "property_declaration": "property_",
        "enum_member_declaration": "constant",
        "using_directive": "using",
        "lambda_expression": "closure",
        "anonymous_method_expression": "closure",
        "query_expression": "block",
        "from_clause": "from_",
        "join_clause": "from_",
        "let_clause": "let",
        "foreach_statement": "for_each",
        "array_type": "array_type",
        "implicit_object_creation_expression": "implicit_new",
        "initializer_expression": "initializer",
        "type_parameter_constraints_clause": "where",
        "parameter_list": "primary",
        "attribute": "attribute",
        "operator_declaration": "operator",
        "conversion_operator_declaration": "operator",
        "indexer_declaration": "operator",
        **VALUES,
    }

    receiver = 0  # what a conditional access is made on
    made = 0  # the new object whose members an initializer sets
    every = 0  # the type of a parameter that takes all further arguments
    declared = 0  # the type of the variable that is being given a value

    def run(self, root: Node) -> bool:
        named = [child for child in root.named_children if child.type == _FILE_NAMESPACE]
        if not named:
            return super().run(root)
        # What follows a namespace without braces is in it.
        whole, complete, inner = self.source, True, 0
        for child in root.named_children:
            try:
                if child == named[0]:
                    inner = self.namespace(child, 0)
                else:
                    self.visit(child, inner)
            except RecursionError:
                self.source, self.base, complete = whole, 0, False
        return complete

    def generics_of(self, node: Node, spec: Declares) -> Node | None:
        listed = (child for child in node.named_children if child.type == "type_parameter_list")
        return super().generics_of(node, spec) or next(listed, None)

    def place_of(self, node: Node, scope: int) -> int:
        """What only an interface's values have, ``void IRun.Run()``, is no member of the class."""
        if not is_explicit(node):
            return scope
        return self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)

    def primary(self, node: Node, scope: int, role: int = 0) -> int:
        """The parameters of a type: properties of a record, else seen in its whole body."""
        around = node.parent
        kept = around is not None and around.type in _RECORDS
        for child in node.named_children:
            name, of = child.child_by_field_name("name"), child.child_by_field_name("type")
            if not kept or name is None:
                self.parameter(child, scope)
                continue
            annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
            self.assign(name, scope, annotation, 0, Kind.PROPERTY, child)
            for part in child.named_children:
                if part not in (name, of):
                    self.visit(part, scope)
        return 0

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type == "argument_list":
            # What the parent's constructor is given: ``class Heir(int x) : Parent(x)``
            self.children(node, scope)
            return []
        return super().parents(node, scope, role)

    def attribute(self, node: Node, scope: int, role: int = 0) -> int:
        """``[Known(Name = "x")]`` makes a ``KnownAttribute`` and sets its property."""
        name = node.child_by_field_name("name")
        leaf = name
        while leaf is not None and leaf.named_child_count:
            leaf = leaf.child_by_field_name("name") or leaf.named_children[0]
        if leaf is None:
            return self.children(node, scope)
        whole = self.text(leaf).removesuffix(_ATTRIBUTE) + _ATTRIBUTE
        made = self.row(Op.NAME, scope, self.intern(whole.encode()), leaf.start_byte, Role.CALL)
        for child in node.named_children:
            if child.type == "attribute_argument_list":
                for given in child.named_children:
                    self.attribute_argument(given, scope, self.row(Op.NEW, made))
        return made

    def attribute_argument(self, node: Node, scope: int, made: int) -> None:
        name = node.child_by_field_name("name")
        if name is not None and any(child.type == "=" for child in node.children):
            self.row(Op.ATTR, made, self.name(name), name.start_byte, Role.WRITE)
        for child in node.named_children:
            if child != name:
                self.visit(child, scope)

    def operator(self, node: Node, scope: int, role: int = 0) -> int:
        """A member without a name of its own, whose parameters its body sees."""
        of = node.child_by_field_name("type")
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            if child.type in ("parameter_list", "bracketed_parameter_list"):
                for parameter in child.named_children:
                    self.parameter(parameter, inner)
            elif child == of:
                self.scopes[inner].result = self.visit(child, inner, Role.TYPE)
            else:
                self.visit(child, inner)
        return 0

    def where(self, node: Node, scope: int, role: int = 0) -> int:
        """``where T : Bound``"""
        name, *constraints = node.named_children
        self.reference(name, scope, Role.TYPE)
        limits = [self.visit(of, scope, Role.TYPE) for part in constraints for of in part.named_children]
        self.limited(scope, self.name(name), [limit for limit in limits if limit])
        return 0

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        target = node.child_by_field_name("type")
        made = self.visit(target, scope, Role.CALL) if target is not None else 0
        return self.filled(node, target, scope, self.row(Op.NEW, made), made)

    def implicit_new(self, node: Node, scope: int, role: int = 0) -> int:
        """``new() { … }`` of a variable with a type."""
        value = self.row(Op.TYPED, self.declared) if self.declared else 0
        return self.filled(node, None, scope, value, self.declared)

    def body(self, node: Node, scope: int) -> None:
        if node.type == "arrow_expression_clause":
            self.given_back(node, scope)
        else:
            super().body(node, scope)

    def given_back(self, node: Node, scope: int, role: int = 0) -> int:
        """What follows ``=>`` or ``return`` has the type that the function around says."""
        around = scope
        while around >= 0 and self.scopes[around].kind == ScopeKind.BLOCK:
            around = self.scopes[around].parent
        saved, self.declared = self.declared, self.scopes[around].result if around >= 0 else 0
        value = self.only(node, scope)
        self.declared = saved
        if value:
            self.returned.append(value)
        return 0

    def filled(self, node: Node, target: Node | None, scope: int, value: int, callee: int = 0) -> int:
        saved = self.made, self.declared
        self.made, self.declared = value, 0
        for child in node.named_children:
            if child.type == "argument_list" and callee:
                given = [self.argument(c, scope, callee, at) for at, c in enumerate(child.named_children)]
                if self.rows[4 * value] & OP_MASK == Op.NEW:
                    self.rows[4 * value + 2] = self.items(given)
            elif child != target:
                self.visit(child, scope)
        self.made, self.declared = saved
        return value

    def initializer(self, node: Node, scope: int, role: int = 0) -> int:
        made = self.made
        for child in node.named_children:
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            if not made or left is None or right is None or left.type != "identifier":
                self.visit(child, scope)
                continue
            self.row(Op.ATTR, made, self.name(left), left.start_byte, Role.WRITE)
            self.made = 0
            self.visit(right, scope)
            self.made = made
        return 0

    def access(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
        word = node.children[0].type
        if word in ("this", "base"):
            value = self.this(node, scope) if word == "this" else self.parent(node, scope)
        else:
            value = self.visit(owner, scope) if owner is not None else 0
        return self.taken(value, name, scope, role) if name is not None else value

    def only(self, node: Node, scope: int, role: int = 0) -> int:
        # The word has no named node, so no handler.
        if not node.named_child_count and any(child.type == "this" for child in node.children):
            return self.this(node, scope)
        return super().only(node, scope, role)

    def taken(self, value: int, name: Node, scope: int, role: int) -> int:
        """A member, with the types that it is told."""
        leaf, *told = name.named_children or [name]
        member = self.row(Op.ATTR, value, self.name(leaf), leaf.start_byte, role)
        types = [self.visit(c, scope, Role.TYPE) for arguments in told for c in arguments.named_children]
        return self.row(Op.INDEX, member, self.items(types)) if types else member

    def conditional_access(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        saved = self.receiver
        self.receiver = self.visit(parts[0], scope) if parts else 0
        value = 0
        for child in parts[1:]:
            value = self.visit(child, scope, role)
        self.receiver = saved
        return value

    def bound_member(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        return self.taken(self.receiver, name, scope, role) if name is not None else 0

    def parameter(self, node: Node, scope: int) -> None:
        if node.type in _TYPES_OF_MANY:
            # ``params Type[] name`` has no node of its own.
            self.every = self.visit(node, scope, Role.TYPE)
            return
        if self.every and node.type == "identifier":
            self.bind(scope, self.name(node), node.start_byte, Bind.VARIABLE, self.every)
            self.bind(scope, self.intern(REST.encode()), node.start_byte, Bind.PARAMETER, self.every)
            self.every = 0
            return
        super().parameter(node, scope)
        name = node.child_by_field_name("name")
        if name is not None and any(child.type == "=" for child in node.children):
            at = self.bound_at(scope, self.name(name))
            # A default may be left out, whatever it is.
            value = self.visit(node.named_children[-1], scope)
            self.bound[at + 5] = value or self.row(Op.UNION, 0, self.items([]))
        if name is not None and any(c.type == "modifier" and self.text(c) == "this" for c in node.children):
            self.scopes[scope].receiver = self.name(name)

    def namespace(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        label = "".join(self.text(name).split()) if name is not None else ""
        inner = scope
        if label:
            inner = self.scope(ScopeKind.NAMESPACE, scope)
        outer = self.space
        self.space = "::".join(part for part in (outer, label.replace(".", "::")) if part)
        if label:
            # The file's own namespace is where its top-level names live for every other file.
            whole = self.imported(self.space.replace("::", "."))
            self.bind(0, self.intern(b"namespace"), node.start_byte, Bind.OPAQUE, whole)
        if body is not None:
            self.children(body, inner)
            self.space = outer
            return 0
        return inner

    def field(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            if child.type == "variable_declaration":
                self.declarators(child, scope, Kind.FIELD, node)
            else:
                self.visit(child, scope)
        return 0

    def variables_(self, node: Node, scope: int, role: int = 0) -> int:
        return self.declarators(node, scope, "", node)

    def declarators(self, node: Node, scope: int, kind: str, whole: Node) -> int:
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        listed = [c for c in node.named_children if c.type == "variable_declarator"]
        for declarator in listed:
            name, value, parts = declarator.child_by_field_name("name"), 0, declarator.named_children
            saved, self.declared = self.declared, annotation
            for child in parts:
                if child != name and child.type != "tuple_pattern":
                    value = self.visit(child, scope) or value
            self.declared = saved
            if name is not None:
                self.assign(name, scope, annotation, value, kind, whole if len(listed) == 1 else declarator)
            elif parts and parts[0].type == "tuple_pattern":
                for leaf in self.binding_names(parts[0]):
                    self.bind(scope, self.name(leaf), leaf.start_byte, Bind.VARIABLE)
        return 0

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if name is not None and is_explicit(node):
            self.bind(self.place_of(node, scope), self.name(name), name.start_byte, Bind.VARIABLE, annotation)
            self.define(Kind.PROPERTY, name, node, scope, doc=doc_above(node))
        elif name is not None:
            self.assign(name, scope, annotation, 0, Kind.PROPERTY, node)
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.scopes[inner].result = annotation
        for child in node.named_children:
            if child not in (name, of):
                self.visit(child, inner)
        return 0

    def constant(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.assign(name, scope, 0, 0, Kind.MEMBER, node)
        return 0

    def using(self, node: Node, scope: int, role: int = 0) -> int:
        alias = node.child_by_field_name("name")
        path = next((c for c in node.named_children if c != alias), None)
        if path is None:
            return 0
        number = self.imported("".join(self.text(path).split()))
        if alias is not None:
            value = self.visit(path, scope)
            self.bind(scope, self.name(alias), alias.start_byte, Bind.LINK, value)
        else:
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        if alias is None and node.children[0].type == "global":
            self.bind(0, self.intern(GLOBAL_USING.encode()), node.start_byte, Bind.OPAQUE, number)
        return 0

    def for_each(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        of, name = node.child_by_field_name("type"), node.child_by_field_name("left")
        source, body = node.child_by_field_name("right"), node.child_by_field_name("body")
        value = self.row(Op.ELEMENT, self.visit(source, scope)) if source is not None else 0
        annotation = self.visit(of, inner, Role.TYPE) if of is not None else 0
        for leaf in self.binding_names(name) if name is not None else ():
            self.bind(inner, self.name(leaf), leaf.start_byte, Bind.VARIABLE, annotation, value)
        return self.visit(body, inner) if body is not None else 0

    def from_(self, node: Node, scope: int, role: int = 0) -> int:
        """``from x in many`` and ``join x in many on …``: a name for each of many."""
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        name, *rest = [child for child in node.named_children if child != of]
        value = self.row(Op.ELEMENT, self.visit(rest[0], scope)) if rest else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
        for child in rest[1:]:
            self.visit(child, scope)
        return 0

    def let(self, node: Node, scope: int, role: int = 0) -> int:
        name, *rest = node.named_children
        value = self.visit(rest[-1], scope) if rest else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)
        return 0


def is_explicit(node: Node) -> bool:
    """Whether a member says whose it implements."""
    return any(child.type == "explicit_interface_specifier" for child in node.named_children)


def _grammar() -> Any:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


CSHARP: Final = Language("csharp", _grammar, CSharpWalk, CSharpRules, namespaces=True, close=closed)
