"""What JavaScript and TypeScript share: how their syntax becomes facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import MAKES, RECEIVER, REST, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript_members import MemberWalk
from cuedeck.code.languages.ecmascript_values import FUNCTIONS, is_short_text
from cuedeck.code.languages.grouped import bound_in, one_of, range_of
from cuedeck.code.languages.table import Declarator, Declares, doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_CLASS: Final = Declares(Kind.CLASS, ScopeKind.CLASS, extends=("class_heritage",))
_FUNCTION: Final = Declares(Kind.FUNCTION, result="return_type")
_METHOD: Final = Declares(Kind.METHOD, result="return_type")
_NAMELESS: Final = b"{}"
_SYMBOLS: Final = ("Symbol", "Symbol.for")
_NOTHING: Final = ("null", "undefined")
_PATTERNS: Final = ("object_pattern", "array_pattern", "rest_pattern", "assignment_pattern")


class EcmaWalk(MemberWalk):
    """Visits JavaScript, TypeScript and their JSX forms."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": _CLASS,
        "abstract_class_declaration": _CLASS,
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
    silent: ClassVar[tuple[str, ...]] = ("comment", "number", "regex", "hash_bang_line")
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "type_annotation",
        "opting_type_annotation",
        "omitting_type_annotation",
        "adding_type_annotation",
        "parenthesized_expression",
        "parenthesized_type",
        "non_null_expression",
        "readonly_type",
        "optional_type",
        "rest_type",
        "constraint",
        "default_type",
    )
    special: ClassVar[dict[str, str]] = {
        "this": "this",
        "this_type": "this_type",
        "super": "parent",
        "string": "text_literal",
        "template_string": "text_literal",
        "return_statement": "return_",
        "await_expression": "awaited",
        "array": "array",
        "array_type": "array_type",
        "tuple_type": "tuple_type",
        "union_type": "union",
        "intersection_type": "intersection",
        "lookup_type": "lookup_type",
        "function_type": "function_type",
        "conditional_type": "conditional_type",
        "predefined_type": "plain_type",
        "literal_type": "literal_type",
        "index_type_query": "keys_of",
        "template_literal_type": "plain_type",
        "constructor_type": "function_type",
        "infer_type": "infer_type",
        "ambient_declaration": "ambient",
        "call_signature": "call_signature",
        "construct_signature": "call_signature",
        "index_signature": "index_signature",
        "type_query": "type_query",
        "instantiation_expression": "instantiated",
        "type_predicate": "predicate",
        "type_predicate_annotation": "predicate",
        "meta_property": "meta_property",
        "if_statement": "if_",
        "while_statement": "while_",
        "switch_statement": "switch",
        "asserts_annotation": "asserted",
        "asserts": "asserted",
        "expression_statement": "statement",
        "ternary_expression": "ternary",
        "binary_expression": "binary",
        "subscript_expression": "subscript",
        "type_alias_declaration": "alias",
        "import_statement": "import_",
        "import_alias": "import_alias",
        "export_statement": "export",
        "assignment_expression": "assignment",
        "arrow_function": "anonymous",
        "function_expression": "anonymous",
        "generator_function": "anonymous",
        "class": "class_value",
        "for_in_statement": "for_in",
        "catch_clause": "catch",
        "as_expression": "cast",
        "type_assertion": "assertion",
        "satisfies_expression": "cast",
        "object": "object",
        "object_type": "object_type",
        "jsx_element": "jsx_element",
        "jsx_self_closing_element": "jsx",
        "jsx_opening_element": "jsx",
        "jsx_closing_element": "closing",
        "class_heritage": "children",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        # Functions with signatures of their own: what their implementation says does not count.
        self.overloaded: set[tuple[int, int]] = set()
        # What a function says that it is called on.
        self.receivers: dict[int, int] = {}
        # What is expected of a function that is no arrow, which may say what it is called on.
        self.expecting: dict[int, int] = {}

    open_classes = True  # assignments from outside give a class members
    expected_result = 0  # what the function being visited is expected to return
    missing = 0  # what may be left out, once anything may

    # -- expressions

    def this(self, node: Node, scope: int, role: int = 0) -> int:
        """What the function around a place says that it is called on, or what it is a member of."""
        around, owner = scope, self.scopes[scope].owner
        whole = self.wanted.get(owner, 0)
        while around >= 0 and around != owner:
            if around in self.receivers:
                return self.row(Op.TYPED, self.receivers[around])
            if around in self.expecting:
                wanted = self.expecting[around]
                if owner < 0:
                    return self.row(Op.ARGUMENT, wanted, RECEIVER)
                # An object is what is expected of it, too, unless that says what its functions are called on.
                return self.row(Op.SELF, owner, self.row(Op.WANTED, wanted, whole) if whole else wanted)
            around = self.scopes[around].parent
        made = super().this(node, scope, role)
        return self.row(Op.UNION, 0, self.items([made, whole])) if made and whole else made

    def class_value(self, node: Node, scope: int, role: int = 0) -> int:
        """A class used as a value; it gets a name nobody can write."""
        inner = self.open(_CLASS, scope)
        number = self.intern(b"class@%d" % node.start_byte)
        self.bind(scope, number, node.start_byte, Bind.CLASS, inner)
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None:
            self.bind(inner, self.name(name), name.start_byte, Bind.ALIAS, self.row(Op.NAME, scope, number))
        self.head(node, inner, _CLASS, body)
        if body is not None:
            self.body(body, inner)
        return self.row(Op.NAME, scope, number, node.start_byte)

    def anonymous(self, node: Node, scope: int, role: int = 0) -> int:
        return self.function_value(node, scope)

    def function_value(
        self,
        node: Node,
        scope: int,
        *,
        name: Node | None = None,
        whole: Node | None = None,
        expected: int = 0,
        home: int | None = None,
    ) -> int:
        home = scope if home is None else home
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        expected = self.expected_of(node, inner, expected)
        body = node.child_by_field_name("body")
        around = self.scopes[home].kind
        if name is not None and whole is not None and around != ScopeKind.BLOCK:
            self.define(
                Kind.METHOD if around == ScopeKind.CLASS else Kind.FUNCTION,
                name,
                whole,
                home,
                own=inner,
                head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
                doc=doc_above(whole),
            )
        if home != scope and around == ScopeKind.CLASS:
            if node.type != "arrow_function":  # which is called on what is around it
                self.scopes[inner].owner = home
        elif name is not None and around != ScopeKind.CLASS:
            self.makes(name, home, inner)
        self.signature_of(node, inner, body, expected)
        if body is not None:
            self.returning(node, body, inner, expected)
        return self.row(Op.FUNCTION, inner)

    def signature_of(
        self, node: Node, inner: int, body: Node | None, expected: int = 0, result_field: str = "return_type"
    ) -> None:
        """Parameters and result of a function; what is expected of it types what is not annotated."""
        single, parameters = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        seen = [body, single, parameters, node.child_by_field_name("name")]
        generics = node.child_by_field_name("type_parameters")
        if expected and node.type != "arrow_function":
            self.expecting[inner] = expected
        if generics is not None:
            seen.append(generics)
            self.type_parameters(generics, inner)
        if single is not None:
            hint = self.row(Op.ARGUMENT, expected, 0) if expected else 0
            told = self.parameter_annotation(single, single, inner)
            self.bind(inner, self.name(single), single.start_byte, Bind.PARAMETER, told, hint)
        for position, child in enumerate(parameters.named_children if parameters is not None else ()):
            hint = self.row(Op.ARGUMENT, expected, position) if expected else 0
            self.parameter(child, inner, hint)
        result = node.child_by_field_name(result_field)
        if result is not None:
            seen.append(result)
            self.scopes[inner].result = self.visit(result, inner, Role.TYPE)
        for child in node.named_children:
            if child not in seen:
                self.visit(child, inner)

    def returning(self, node: Node, body: Node, inner: int, expected: int) -> None:
        """Visit a function's body, with what it is expected to return."""
        saved = self.returned, self.expected_result, self.guards
        result = self.scopes[inner].result
        self.returned = []
        self.expected_result = (
            self.row(Op.TYPED, result) if result else self.row(Op.CALL, expected) if expected else 0
        )
        if body.type == "statement_block":
            self.children(body, inner)
        else:
            self.returned.append(self.given(body, inner, self.expected_result))
        self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned, self.expected_result, self.guards = saved

    def return_(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            value = self.given(child, scope, self.expected_result)
            if value:
                self.returned.append(value)
        return 0

    # -- types

    def alias(self, node: Node, scope: int, role: int = 0) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return self.children(node, scope)
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        made = self.visit(value, inner, Role.TYPE) if value is not None else 0
        typed = self.row(Op.TYPED, made) if made else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, typed)
        whole = self.whole_of(node)
        number = self.define(Kind.TYPE, name, whole, scope, doc=doc_above(whole))
        # Members of an object type are inside the type that names it.
        if value is not None and value.type == "object_type" and self.rows[4 * made] == Op.SELF:
            self.scopes[self.rows[4 * made + 1]].definition = number
        return 0

    def function_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        field = "type" if node.type == "constructor_type" else "return_type"
        self.signature_of(node, inner, None, result_field=field)
        return self.row(Op.FUNCTION, inner)

    def call_signature(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        makes = node.type == "construct_signature"
        name = MAKES.encode() if makes else b"__call__"
        self.bind(scope, self.intern(name), node.start_byte, Bind.FUNCTION, inner)
        self.signature_of(node, inner, None, result_field="type" if makes else "return_type")
        return 0

    # -- declarations

    def whole_of(self, node: Node) -> Node:
        parent = node.parent
        if parent is not None and parent.type in ("lexical_declaration", "variable_declaration"):
            if parent.named_child_count > 1:
                return node
            node = parent
        return self.with_words(node)

    def with_words(self, node: Node) -> Node:
        """A declaration with the words in front of it."""
        parent = node.parent
        if parent is not None and parent.type == "ambient_declaration":
            node, parent = parent, parent.parent
        return parent if parent is not None and parent.type == "export_statement" else node

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        if name.type == "computed_property_name":
            self.visit(name, scope)
        access = next((c.type for c in node.children if c.type in ("get", "set")), "")
        if spec.scope != ScopeKind.FUNCTION:
            if name.type == "string":
                # The scope that is opened next is the block's.
                self.augment(name, len(self.scopes))
            elif spec is _CLASS and self.open_classes:
                self.holders[scope, self.name(name)] = len(self.scopes)
            return super().declare(node, scope, spec, name, kind, whole)
        name = self.unquoted(name)
        expected, self.method_expected = self.method_expected, 0
        inner = self.open(spec, scope)
        expected = self.expected_of(node, inner, expected)
        body = node.child_by_field_name("body")
        if not access:
            overloaded = body is not None and (scope, self.name(name)) in self.overloaded
            kind_of_binding = Bind.OPAQUE if overloaded else Bind.FUNCTION
            self.bind(scope, self.name(name), name.start_byte, kind_of_binding, 0 if overloaded else inner)
            if body is None:
                self.overloaded.add((scope, self.name(name)))
        head = (whole.start_byte, body.start_byte if body is not None else node.end_byte)
        kind = Kind.PROPERTY if access else kind
        self.define(kind, name, whole, scope, own=inner, head=head, doc=doc_above(whole))
        if self.scopes[scope].kind != ScopeKind.CLASS:
            self.functions[scope, self.name(name)] = inner, name.start_byte
            self.makes(name, scope, inner)
        self.signature_of(node, inner, body, expected)
        if body is not None:
            self.returning(node, body, inner, expected)
        if access == "get":
            value = self.row(Op.CALL, self.row(Op.FUNCTION, inner))
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)
        elif access == "set":
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE)
        return 0

    def variable(self, node: Node, scope: int, role: int = 0) -> int:
        spec = self.variables[node.type]
        name, value = node.child_by_field_name(spec.name), node.child_by_field_name("value")
        if name is None:
            return self.children(node, scope)
        name = self.unquoted(name)
        for child in node.named_children:
            if child.type == "decorator":
                self.visit(child, scope)
        if value is not None and self.load(name, value, scope):
            return 0
        annotation = self.annotation(node, scope)
        expected = self.row(Op.TYPED, annotation) if annotation else 0
        begun = len(self.definitions)
        if not annotation and value is not None and value.type == "string" and self.is_fixed(node):
            annotation = self.literal(value)
        if name.type == "identifier" and self.is_unique(node, value):
            annotation = self.row(Op.LITERAL, 0, self.key_in(name))
        if not annotation and name.type == "identifier" and (value is None or value.type in _NOTHING):
            self.undecided[scope, self.name(name)] = {}
        if value is None:
            made = 0
        elif value.type in FUNCTIONS and not name.named_child_count:
            made = self.function_value(value, scope, name=name, whole=self.whole_of(node), expected=expected)
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation, made)
            if not annotation:
                self.carries(name, scope, made)
            return made
        elif not annotation and is_short_text(value) and self.is_constant_variable(node):
            made = self.literal(value)
        else:
            made = self.given(value, scope, expected)
        if name.type in _PATTERNS:
            self.pattern(name, scope, expected or made, spec.kind, node)
        elif name.type != "computed_property_name":
            defined = len(self.definitions)
            self.assign(name, scope, annotation, made, spec.kind, node)
            if not annotation:
                self.carries(name, scope, made)
            holder = self.holders.get((scope, self.name(name)), -1)
            if len(self.definitions) > defined:
                if holder >= 0:
                    self.scopes[holder].definition = defined
                self.contain(defined, begun, self.definition_of(scope))
                self.keys(defined, begun, value if not annotation else None)
        else:
            self.visit(name, scope)
            self.bind_key(name, scope, annotation, made)
        return made

    def is_unique(self, node: Node, value: Node | None) -> bool:
        """Whether a variable is a symbol that is the key of nothing else."""
        hint = node.child_by_field_name("type")
        if hint is not None:
            return self.text(hint).split() == [":", "unique", "symbol"]
        made = value.child_by_field_name("function") if value is not None else None
        return made is not None and self.is_constant_variable(node) and self.text(made) in _SYMBOLS

    def annotation(self, node: Node, scope: int) -> int:
        """The type that something is declared with."""
        hint = node.child_by_field_name("type")
        return self.visit(hint, scope, Role.TYPE) if hint is not None else 0

    def parameter_annotation(self, node: Node, target: Node, scope: int) -> int:
        return self.annotation(node, scope)

    def expected_of(self, node: Node, inner: int, expected: int) -> int:
        """What is expected of a function: what is around it says so, or a comment."""
        return expected

    def is_constant_variable(self, node: Node) -> bool:
        """Whether a variable or a member of an enumeration keeps its only value, which is its type then."""
        if node.type == "enum_assignment":
            return True
        declaration = node.parent if node.type == "variable_declarator" else None
        return declaration is not None and declaration.children[0].type == "const"

    def is_fixed(self, node: Node) -> bool:
        """Whether a field keeps its first value, which is its type then."""
        return any(child.type == "readonly" for child in node.children)

    def assign(self, leaf: Node, scope: int, annotation: int, value: int, kind: str, whole: Node) -> None:
        if kind == Kind.VARIABLE and self.text(leaf).isupper():
            kind = Kind.CONSTANT
        if annotation and not value and any(child.type == "?" for child in whole.children):
            value = self.left_out()
        super().assign(leaf, scope, annotation, value, kind, whole)

    def left_out(self) -> int:
        """What something that is declared with a type holds where it is left out; one row is enough."""
        self.missing = self.missing or self.row(Op.LITERAL, self.intern(b"undefined"))
        return self.missing

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        if whole.type != "variable_declarator":
            return ()
        parts = [range_of(self.whole_of(whole))]
        name, declaration = whole.child_by_field_name("name"), whole.parent
        if declaration is not None and declaration.named_child_count > 1:
            listed = [range_of(child) for child in declaration.named_children if child.type == whole.type]
            parts = one_of([range_of(self.with_words(declaration))], listed, listed.index(range_of(whole)))
        return bound_in(parts, name, leaf.start_byte) if name is not None and name != leaf else parts

    def parameter(self, node: Node, scope: int, expected: int = 0) -> None:
        target = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        if target.type == "comment":
            return
        annotation = self.parameter_annotation(node, target, scope)
        if target.type == "this":
            self.receivers[scope] = annotation
            self.scopes[scope].receiver = self.name(target)
            self.bind(scope, self.name(target), target.start_byte, Bind.PARAMETER, annotation)
            return
        default = node.child_by_field_name("value") or node.child_by_field_name("right")
        typed = self.row(Op.TYPED, annotation) if annotation else expected
        value = self.given(default, scope, typed) if default is not None else 0
        if annotation and not value and (default is not None or node.type == "optional_parameter"):
            value = self.left_out()
        for child in node.named_children:
            if child.type == "decorator":
                self.visit(child, scope)
        if target.type == "identifier":
            name, at = self.name(target), target.start_byte
            if field := self.parameter_property(node, target, scope, annotation, value):
                self.bind(scope, name, at, Bind.LINK, field)
                name = self.intern(_NAMELESS)
            self.bind(scope, name, at, Bind.PARAMETER, annotation, expected or value)
            return
        # The parameter itself has no name, only its parts do; one that takes the rest is told apart.
        label = self.intern(REST.encode() if target.type == "rest_pattern" else _NAMELESS)
        self.bind(scope, label, target.start_byte, Bind.PARAMETER, annotation, expected or value)
        self.pattern(target, scope, typed or value, "", node)

    def parameter_property(self, node: Node, name: Node, scope: int, annotation: int, default: int) -> int:
        """The field that a constructor's parameter with a modifier is."""
        owner = self.scopes[scope].owner
        words = ("accessibility_modifier", "override_modifier", "readonly")
        if owner < 0 or not any(c.type in words for c in node.children):
            return 0
        value = 0 if annotation else default
        self.bind(owner, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
        self.define(Kind.FIELD, name, node, owner)
        return self.row(Op.ATTR, self.row(Op.SELF, owner), self.name(name), name.start_byte)

    def body(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if node.type == "enum_body" and child.type in ("property_identifier", "string"):
                self.assign(self.unquoted(child), scope, 0, 0, Kind.MEMBER, child)
            else:
                self.visit(child, scope)
