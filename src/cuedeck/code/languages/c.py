"""C and C++: how their syntax becomes facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.c_declarators import (
    array_sizes,
    is_pointed_to,
    labelled,
    parameter_name,
    wrapped_name,
)
from cuedeck.code.languages.c_preprocessor import Preprocessed
from cuedeck.code.languages.c_repair import repaired, uncommented
from cuedeck.code.languages.c_rules import STATIC, CRules
from cuedeck.code.languages.grouped import one_of, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.table import Declarator, Declares, doc_above
from cuedeck.code.languages.torn import closed

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_RECORDS: Final = {
    "struct_specifier": Kind.STRUCT,
    "union_specifier": Kind.UNION,
    "class_specifier": Kind.CLASS,
    "enum_specifier": Kind.ENUM,
}
_NAMES: Final = (
    "identifier",
    "field_identifier",
    "type_identifier",
    "operator_name",
    "destructor_name",
    "operator_cast",
)
# What begins a statement: where brackets do not match, the grammar takes it for the name of a function.
_NO_NAMES: Final = frozenset(
    {
        *("if", "else", "for", "while", "do", "switch", "case", "default", "catch", "return", "goto"),
        *("sizeof", "namespace", "class", "struct", "union", "enum"),
    }
)


class CWalk(Preprocessed):
    """Visits C; what a declaration declares is found by descending through its declarators."""

    declarations: ClassVar[dict[str, Declares]] = {}
    variables: ClassVar[dict[str, Declarator]] = {}
    # The two constants are names too: old sources define them.
    names_of: ClassVar[tuple[str, ...]] = ("identifier", "namespace_identifier", "true", "false")
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "field_expression": ("argument", "field"),
        "qualified_identifier": ("scope", "name"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("function", "argument_list")}
    news: ClassVar[dict[str, str]] = {"new_expression": "type"}
    blocks: ClassVar[tuple[str, ...]] = ("compound_statement", "for_statement", "for_range_loop")
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "primitive_type",
        "number_literal",
        "storage_class_specifier",
        "type_qualifier",
        "access_specifier",
        "sized_type_specifier",
        "char_literal",
        "placeholder_type_specifier",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "parenthesized_expression",
        "pointer_expression",
    )
    generic_types: ClassVar[tuple[str, ...]] = ("template_type", "template_function", "template_method")
    special: ClassVar[dict[str, str]] = {
        "field_identifier": "nothing",
        "this": "this",
        "type_descriptor": "described",
        "cast_expression": "cast",
        "subscript_expression": "subscript",
        "string_literal": "text_literal",
        "function_definition": "function",
        "declaration": "declared",
        "field_declaration": "declared",
        "type_definition": "typedef",
        "alias_declaration": "alias",
        "struct_specifier": "record",
        "union_specifier": "record",
        "class_specifier": "record",
        "enum_specifier": "record",
        "enumerator": "enumerator",
        "namespace_definition": "namespace",
        "template_declaration": "template",
        "preproc_def": "macro",
        "preproc_function_def": "macro",
        "preproc_include": "include",
        "preproc_call": "directive",
        "return_statement": "return_",
        "field_initializer": "member_initializer",
        "compound_literal_expression": "compound",
        "initializer_list": "initialisers",
        "lambda_expression": "block",
        "using_declaration": "using",
        "parameter_declaration": "loose_parameter",
        "optional_parameter_declaration": "loose_parameter",
        "catch_clause": "block",
    }

    def described(self, node: Node, scope: int, role: int = 0) -> int:
        """A type without a name for what is of it; pointers to a type have its members."""
        of, value = node.child_by_field_name("type"), 0
        for child in node.named_children:
            given = self.visit(child, scope, role or Role.TYPE)
            value = given if child == of else value
        return value

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        """What a pointer or an array holds is what it is declared with."""
        of, value = node.child_by_field_name("argument"), 0
        for child in node.named_children:
            given = self.visit(child, scope)
            value = given if child == of else value
        return value

    # -- declarators

    def declared_name(self, node: Node | None) -> tuple[Node | None, Node | None, list[Node]]:
        """The declared name, its function declarator if it is one, and the scopes it is qualified by."""
        function: Node | None = None
        around: list[Node] = []
        while node is not None:
            if node.type == "function_declarator" and function is None:
                function = node
                if (wrapped := wrapped_name(node)) is not None:
                    return wrapped, function, around
            if node.type == "qualified_identifier":
                outer = node.child_by_field_name("scope")
                if outer is not None:
                    around.append(outer)
                node = node.child_by_field_name("name")
            elif node.type in _NAMES:
                return node, function or node.child_by_field_name("declarator"), around
            elif node.type in ("template_function", "template_type", "template_method"):
                node = node.child_by_field_name("name")
            else:
                node = node.child_by_field_name("declarator") or next(
                    (c for c in node.named_children if "declarator" in c.type or c.type in _NAMES), None
                )
        return None, function, around

    def label(self, name: Node) -> int:
        """The number of a function's name."""
        start, end = labelled(name)
        return self.intern(self.source[start:end])

    def function(self, node: Node, scope: int, role: int = 0) -> int:
        declarator = node.child_by_field_name("declarator")
        name, signature, around = self.declared_name(declarator)
        body = node.child_by_field_name("body")
        if name is None or self.text(name) in _NO_NAMES:
            return self.children(node, scope)
        of = node.child_by_field_name("type")
        templated = node.parent is not None and node.parent.type == "template_declaration"
        result = self.visit(of, scope, Role.TYPE) if of is not None and not templated else 0
        outer, owner = self.outside(around, scope) if around else (scope, "")
        in_class = self.scopes[outer].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION)
        around_body = outer if of is not None else self.fixture(name, signature, outer)
        inner = self.scope(ScopeKind.FUNCTION, around_body, owner=self.scopes[around_body].owner)
        if of is None and not in_class and self.text(name).isupper():
            # ``TEST(Suite, name) {…}``: what is written is the name of a macro, and no function has it.
            self.row(Op.NAME, scope, self.name(name), name.start_byte, Role.CALL)
        else:
            static = self.is_stored(node, "static")
            self.bind(outer, self.label(name), name.start_byte, Bind.FUNCTION, inner, static)
        whole = self.whole_of(node)
        self.define(
            Kind.METHOD if in_class else Kind.FUNCTION,
            labelled(name),
            whole,
            scope,
            own=inner,
            within=owner,
            head=(whole.start_byte, body.start_byte if body is not None else node.end_byte),
            doc=doc_above(whole),
        )
        if self.bind_parameters(node.parent, inner) and of is not None:
            result = self.visit(of, inner, Role.TYPE)
        self.scopes[inner].result = result
        self.parameters(signature, inner)
        for child in node.named_children:
            if child.type == "field_initializer_list":
                self.visit(child, inner)
        saved, self.returned = self.returned, []
        if body is not None:
            self.children(body, inner)
        self.scopes[inner].returns = self.items(self.returned[:4])
        self.returned = saved
        return 0

    def outside(self, around: list[Node], scope: int) -> tuple[int, str]:
        """The scope of what a class or namespace declares and is defined elsewhere, and whose it is."""
        outer = self.scope(ScopeKind.EXTENSION, scope)
        self.scopes[outer].owner = outer
        target = 0
        for part in around:
            leaf = part.child_by_field_name("name") or part
            target = (
                self.row(Op.ATTR, target, self.name(leaf), leaf.start_byte, Role.TYPE)
                if target
                else self.row(Op.NAME, scope, self.name(leaf), leaf.start_byte, Role.TYPE)
            )
        self.scopes[outer].result = target
        return outer, "::".join(self.text(part).split("<")[0] for part in around)

    def fixture(self, name: Node, signature: Node | None, scope: int) -> int:
        """The scope around a function that a macro makes."""
        return scope

    def is_stored(self, node: Node, word: str) -> bool:
        """Whether a declaration says ``static`` or ``extern``."""
        kinds = [c for c in node.named_children if c.type == "storage_class_specifier"]
        return any(self.text(kind) == word for kind in kinds)

    def parameters(self, signature: Node | None, scope: int) -> None:
        listed = signature.child_by_field_name("parameters") if signature is not None else None
        for child in listed.named_children if listed is not None else ():
            self.loose_parameter(child, scope)

    def loose_parameter(self, node: Node, scope: int, role: int = 0) -> int:
        of, value = node.child_by_field_name("type"), node.child_by_field_name("default_value")
        declarator = node.child_by_field_name("declarator")
        annotation = self.typed(of, scope, declarator)
        default = self.default(value, scope)
        name, function, _ = self.declared_name(declarator)
        if function is not None:
            self.parameters(function, self.scope(ScopeKind.FUNCTION, scope))
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, annotation, default)
        else:
            self.unnamed(node, scope, annotation, default)
        return 0

    def default(self, node: Node | None, scope: int) -> int:
        """What a parameter is where a call leaves it out."""
        return self.visit(node, scope) if node is not None else 0

    def unnamed(self, node: Node, scope: int, annotation: int, default: int) -> None:
        """A parameter without a name, which nothing can use."""

    def typed(self, of: Node | None, scope: int, declarator: Node | None) -> int:
        """The type that something is declared with; pointers to a type have its members."""
        return self.visit(of, scope, Role.TYPE) if of is not None else 0

    def declared(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        if not declarators and of is not None and self.is_unnamed_part(of, scope):
            body = of.child_by_field_name("body")
            return self.children(body, scope) if body is not None else 0
        begun = len(self.rows)
        annotation = self.typed(of, scope, declarators[0] if declarators else None)
        typed = len(self.rows)
        elsewhere, static = self.is_stored(node, "extern"), self.is_stored(node, "static")
        for declarator in declarators:
            name, function, around = self.declared_name(declarator)
            given = declarator.child_by_field_name("value") or node.child_by_field_name("default_value")
            given = given or node.child_by_field_name("value")
            value = self.given(given, scope, annotation)
            if self.taken_apart(declarator, scope, value):
                continue
            if elsewhere and given is None:
                value = self.row(Op.UNKNOWN, 0)
            if name is not None and around and function is None:
                # ``int Counter::total = 0;``
                outer, owner = self.outside(around, scope)
                self.bind(outer, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
                self.define(Kind.FIELD, name, node, scope, within=owner, doc=doc_above(node))
            if name is None or around:
                continue
            if self.name(name) not in self.names[scope]:
                self.move_out({self.name(name)}, scope, begun, typed)
            for size in array_sizes(declarator):
                self.visit(size, scope)
            if (
                function is not None
                and declarator.type != "init_declarator"
                and not self.made(function, scope, annotation)
            ):
                self.prototype(node, scope, name, function, annotation)
            else:
                self.begun_as(declarator, scope, annotation)
                self.assign(name, scope, annotation, value, Kind.VARIABLE, node)
                if self.scopes[scope].kind == ScopeKind.MODULE and static:
                    self.bind(scope, self.intern(STATIC.encode()), name.start_byte, Bind.OPAQUE)
        if not declarators:
            for child in node.named_children:
                if child != of:
                    self.visit(child, scope)
        return 0

    def taken_apart(self, declarator: Node | None, scope: int, value: int) -> bool:
        """Whether several names are declared for the parts of one value."""
        return False

    def made(self, function: Node, scope: int, of: int) -> bool:
        """Whether what looks like a function is a variable that is made of arguments, which are visited."""
        return False

    def begun_as(self, declarator: Node, scope: int, of: int) -> None:
        """What makes a variable that is given no value."""

    def given(self, node: Node | None, scope: int, of: int) -> int:
        """What a variable of a type begins with."""
        if node is None:
            return 0
        return self.filled(node, scope, of) if node.type == "initializer_list" else self.visit(node, scope)

    def compound(self, node: Node, scope: int, role: int = 0) -> int:
        of, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        self.given(value, scope, annotation)
        return self.row(Op.TYPED, annotation)

    def initialisers(self, node: Node, scope: int, role: int = 0) -> int:
        return self.filled(node, scope, 0)

    def filled(self, node: Node, scope: int, of: int) -> int:
        """A list in braces: its designators name members of the type; elements of an array are of it too."""
        for child in node.named_children:
            if child.type == "initializer_pair":
                held = self.row(Op.TYPED, of) if of else 0
                for part in child.children_by_field_name("designator"):
                    if part.type == "field_designator" and part.named_children:
                        name = part.named_children[0]
                        held = self.row(Op.ATTR, held, self.name(name), name.start_byte, Role.WRITE)
                    else:
                        self.visit(part, scope)
                self.given(child.child_by_field_name("value"), scope, held)
            else:
                self.given(child, scope, of)
        return 0

    def prototype(self, node: Node, scope: int, name: Node, function: Node, result: int) -> None:
        in_class = self.scopes[scope].kind == ScopeKind.CLASS
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.scopes[inner].result = result
        own = 1 if self.is_stored(node, "static") else 2 * (not is_pointed_to(function))
        self.bind(scope, self.label(name), name.start_byte, Bind.FUNCTION, inner, own)
        if self.scopes[scope].kind not in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
            whole = self.whole_of(node)
            kinds = (Kind.VARIABLE, Kind.FIELD) if is_pointed_to(function) else (Kind.FUNCTION, Kind.METHOD)
            self.define(
                kinds[in_class],
                labelled(name),
                whole,
                scope,
                own=inner,
                doc=doc_above(whole),
                parts=self.own_parts(name, node),
            )
        self.parameters(function, inner)

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        """What a declaration of several names says of one of them."""
        listed = [range_of(declarator) for declarator in whole.children_by_field_name("declarator")]
        own = [n for n, (start, end) in enumerate(listed) if start <= leaf.start_byte < end]
        return one_of([range_of(whole)], listed, own[0]) if len(listed) > 1 and own else ()

    def typedef(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        declared = [self.declared_name(d) for d in node.children_by_field_name("declarator")]
        names = [name for name, _, _ in declared]
        value = 0
        if of is not None:
            anonymous = of.type in _RECORDS and of.child_by_field_name("name") is None
            first = next((n for n in names if n is not None), None)
            if anonymous and first is not None:
                self.record_body(of, scope, first, node)
                names = [n for n in names if n != first]
                value = self.row(Op.NAME, scope, self.name(first), first.start_byte, Role.TYPE)
            else:
                value = self.visit(of, scope, Role.TYPE)
        for name in names:
            if name is not None:
                self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, value)
                parts = self.own_parts(name, node)
                self.define(Kind.TYPE, name, node, scope, doc=doc_above(node), parts=parts)
        for function in (function for _, function, _ in declared if function is not None):
            self.parameters(function, self.scope(ScopeKind.FUNCTION, scope))
        return 0

    # -- records

    def record(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if node.child_by_field_name("body") is None or name is None:
            if name is not None:
                return self.visit(name, self.tags_of(scope), role or Role.TYPE)
            return self.record_body(node, scope, None, node)
        leaf = self.declared_name(name)[0] or name
        self.record_body(node, scope, leaf, self.whole_of(node), self.tags_of(scope))
        return self.row(Op.NAME, self.tags_of(scope), self.name(leaf), leaf.start_byte)

    def record_body(
        self, node: Node, scope: int, name: Node | None, whole: Node, place: int | None = None
    ) -> int:
        body = node.child_by_field_name("body")
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        if name is not None:
            bound_in = scope if place is None else place
            self.bind(bound_in, self.name(name), name.start_byte, Bind.CLASS, inner)
            self.classes[inner] = self.name(name)
            self.define(
                _RECORDS[node.type],
                name,
                whole,
                scope,
                own=inner,
                doc=doc_above(whole),
                head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
            )
        bases = []
        around = inner if self.bind_parameters(node.parent, inner) else scope
        for child in node.named_children:
            if child.type == "base_class_clause":
                for base in child.named_children:
                    if base.type not in ("access_specifier", "virtual"):
                        bases.append(self.visit(base, around, Role.EXTENDS))
        self.scopes[inner].bases = self.items([base for base in bases if base])
        if body is not None:
            self.children(body, inner)
        return self.row(Op.SELF, inner)

    def is_unnamed_part(self, node: Node, scope: int) -> bool:
        """Whether a structure or union without a name is inside another, which has its members."""
        unnamed = node.type in ("struct_specifier", "union_specifier") and not node.child_by_field_name(
            "name"
        )
        return unnamed and self.scopes[scope].kind == ScopeKind.CLASS

    def enumerator(self, node: Node, scope: int, role: int = 0) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            parent = self.enumerators_of(scope)
            if parent < 0 or self.is_scoped(node):
                self.assign(name, scope, 0, 0, Kind.MEMBER, node)
            else:
                # The constant is the surrounding scope's; the enumeration only leads to it.
                self.bind(parent, self.name(name), name.start_byte, Bind.VARIABLE)
                self.define(Kind.MEMBER, name, node, scope)
                constant = self.row(Op.NAME, parent, self.name(name), name.start_byte)
                self.bind(scope, self.name(name), name.start_byte, Bind.LINK, constant)
        return self.visit(value, scope) if value is not None else 0

    def enumerators_of(self, scope: int) -> int:
        """The scope that an enumeration's constants belong to: structures of C have none."""
        parent = self.scopes[scope].parent
        while parent >= 0 and self.scopes[parent].kind == ScopeKind.CLASS:
            parent = self.scopes[parent].parent
        return parent

    def is_scoped(self, node: Node) -> bool:
        """Whether an enumerator belongs to an ``enum class``."""
        around = node.parent.parent if node.parent is not None else None
        return around is not None and any(c.type in ("class", "struct") for c in around.children)

    def namespace(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        parts = [] if name is None else [name] if not name.named_child_count else name.named_children
        inner = scope
        for part in parts:
            outer, inner = inner, self.scope(ScopeKind.NAMESPACE, inner)
            self.bind(outer, self.name(part), part.start_byte, Bind.NAMESPACE, inner)
            self.define(
                Kind.NAMESPACE,
                part,
                node,
                outer,
                own=inner,
                head=(node.start_byte, body.start_byte if body is not None else node.end_byte),
            )
        return self.children(body, inner) if body is not None else 0

    def template(self, node: Node, scope: int, role: int = 0) -> int:
        parameters = node.child_by_field_name("parameters")
        self.bind_parameters(node, scope)
        for child in parameters.named_children if parameters is not None else ():
            limit = child.child_by_field_name("type")
            if limit is not None:
                self.visit(limit, scope, Role.TYPE)
        for child in node.named_children:
            if child != parameters:
                self.visit(child, scope)
        return 0

    def bind_parameters(self, template: Node | None, scope: int) -> bool:
        """Give a scope the names of a template's parameters, if it is one."""
        if template is None or template.type != "template_declaration":
            return False
        parameters = template.child_by_field_name("parameters")
        for child in parameters.named_children if parameters is not None else ():
            if leaf := parameter_name(child):
                self.bind(scope, self.name(leaf), leaf.start_byte, Bind.OPAQUE)
        return True

    def whole_of(self, node: Node) -> Node:
        parent = node.parent
        return parent if parent is not None and parent.type == "template_declaration" else node

    # -- the rest

    def using(self, node: Node, scope: int, role: int = 0) -> int:
        named = node.named_children[-1] if node.named_child_count else None
        if named is None:
            return 0
        value = self.visit(named, scope)
        if any(c.type == "namespace" for c in node.children):
            self.bind(
                scope, self.intern(b"*"), node.start_byte, Bind.STAR, self.imported(self.text(named), 2)
            )
        else:
            leaf = self.declared_name(named)[0]
            if leaf is not None:
                self.bind(scope, self.name(leaf), leaf.start_byte, Bind.LINK, value)
        return 0

    def member_initializer(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        owner = self.scopes[scope].owner
        if parts and owner >= 0 and parts[0].type == "field_identifier":
            # A field or a parent, whatever the parameters are called.
            named = self.row(Op.NAME, owner, self.name(parts[0]), parts[0].start_byte, Role.WRITE)
            return self.given(parts[1], scope, named) if len(parts) > 1 else 0
        for child in parts[1:]:
            self.visit(child, scope)
        return 0


def _c() -> Any:
    import tree_sitter_c

    return tree_sitter_c.language()


C: Final = Language(
    "c",
    _c,
    CWalk,
    CRules,
    source_roots=("src", "include"),
    repair=repaired,
    rewrite=uncommented,
    close=closed,
)
