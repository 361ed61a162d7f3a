"""Java: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import OP_MASK, REST, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules, lies_in
from cuedeck.code.languages.table import Declares, TableWalk, first_of
from cuedeck.code.languages.torn import closed
from cuedeck.code.resolution.values import Symbol, Targets

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_ARGUMENTS: Final = 8
# What a binding says of a method that heirs are to write.
_WITHOUT_BODY: Final = 2
_EXTENDS: Final = ("superclass", "extends_interfaces")
_IMPLEMENTS: Final = ("interfaces",)


class JavaWalk(TableWalk):
    """Visits Java."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": Declares(
            Kind.CLASS, ScopeKind.CLASS, extends=_EXTENDS, implements=("interfaces",)
        ),
        "interface_declaration": Declares(
            Kind.INTERFACE, ScopeKind.CLASS, extends=_EXTENDS, implements=("interfaces",)
        ),
        "annotation_type_declaration": Declares(Kind.INTERFACE, ScopeKind.CLASS),
        "enum_declaration": Declares(
            Kind.ENUM, ScopeKind.CLASS, extends=_EXTENDS, implements=("interfaces",)
        ),
        "record_declaration": Declares(
            Kind.CLASS, ScopeKind.CLASS, extends=_EXTENDS, implements=("interfaces",)
        ),
        "method_declaration": Declares(Kind.METHOD, result="type"),
        "annotation_type_element_declaration": Declares(Kind.METHOD, result="type"),
        "constructor_declaration": Declares(Kind.METHOD),
        "compact_constructor_declaration": Declares(Kind.METHOD),
    }
    type_names: ClassVar[tuple[str, ...]] = ("type_identifier",)
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "field_access": ("object", "field"),
        "scoped_identifier": ("scope", "name"),
        "method_reference": ("", ""),
    }
    news: ClassVar[dict[str, str]] = {"object_creation_expression": "type"}
    blocks: ClassVar[tuple[str, ...]] = ("block", "for_statement", "switch_block", "switch_rule")
    silent: ClassVar[tuple[str, ...]] = (
        "line_comment",
        "block_comment",
        "void_type",
        "package_declaration",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = ("parenthesized_expression", "annotated_type")
    lambdas: ClassVar[tuple[str, ...]] = ("lambda_expression",)
    special: ClassVar[dict[str, str]] = {
        "this": "this",
        "super": "parent",
        "string_literal": "text_literal",
        "integral_type": "primitive",
        "boolean_type": "primitive",
        "floating_point_type": "primitive",
        "decimal_integer_literal": "integer",
        "hex_integer_literal": "integer",
        "decimal_floating_point_literal": "real",
        "character_literal": "character",
        "class_literal": "class_literal",
        "true": "truth",
        "false": "truth",
        "return_statement": "return_",
        "method_invocation": "invoke",
        "field_declaration": "fields",
        "constant_declaration": "fields",
        "local_variable_declaration": "locals",
        "enum_constant": "constant",
        "import_declaration": "import_",
        "scoped_type_identifier": "scoped_type",
        "binary_expression": "binary",
        "lambda_expression": "closure",
        "enhanced_for_statement": "for_each",
        "array_type": "array_type",
        "array_creation_expression": "new_array",
        "array_access": "index",
        "cast_expression": "cast",
        "catch_formal_parameter": "caught",
        "resource": "resource",
        "explicit_constructor_invocation": "children",
        "marker_annotation": "children",
        "annotation": "annotation",
        "if_statement": "if_",
        "instanceof_expression": "instance_of",
        "record_pattern": "pattern",
        "type_pattern": "pattern",
        "record_pattern_component": "pattern",
        "switch_expression": "switch",
        "switch_label": "label",
    }

    switched = 0  # what the cases of the switch around are compared with

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type == "scoped_type_identifier":
            return [self.visit(node, scope, role)]
        return super().parents(node, scope, role)

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("field")
        if owner is not None and name is not None and name.type == "this":
            # ``Outer.this`` is the instance around.
            return self.row(Op.NEW, self.visit(owner, scope, Role.TYPE))
        return super().member(node, scope, role)

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        binding = len(self.bound)
        declared = super().declare(node, scope, spec, name, kind, whole)
        if node.type == "method_declaration" and node.child_by_field_name("body") is None:
            self.bound[binding + 5] = _WITHOUT_BODY
        elif node.type == "annotation_type_declaration":
            of_all = self.row(Op.LITERAL, 0, self.intern(b"Annotation"))
            self.scopes[self.bound[binding + 4]].bases = self.items([of_all])
        return declared

    def closure(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        made = super().closure(node, scope, role, expected=expected)
        body, row = node.child_by_field_name("body"), self.scopes[self.rows[(made << 2) + 1]]
        if body is not None and body.type == "block" and len(self.lists[row.returns]) < 2 and _ends(body):
            row.returns = 0
        return made

    def return_(self, node: Node, scope: int, role: int = 0) -> int:
        value = self.only(node, scope)
        if value or (node.named_child_count and not self.returned):
            self.returned.append(value)
        return 0

    def invoke(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
        arguments = node.child_by_field_name("arguments")
        value = self.visit(owner, scope) if owner is not None else 0
        if name is None:
            return 0
        if owner is not None:
            callee = self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.CALL)
        else:
            callee = self.reference(name, scope, Role.CALL)
        listed = arguments.named_children if arguments is not None else []
        given = [self.argument(child, scope, callee, at) for at, child in enumerate(listed)]
        return self.row(Op.CALL, callee, self.items(given[:_MAX_ARGUMENTS]))

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        """Adding to a text gives a text; of other operators nothing is known."""
        values = [self.visit(child, scope) for child in node.named_children]
        joined = any(self.rows[value << 2] & OP_MASK == Op.TEXT for value in values)
        return self.row(Op.TEXT, 0) if joined and b"+" in self.source[node.start_byte : node.end_byte] else 0

    def primitive(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.LITERAL, 0, self.name(node)) if role == Role.TYPE else 0

    def integer(self, node: Node, scope: int, role: int = 0) -> int:
        last = self.source[node.end_byte - 1 : node.end_byte]
        return self.row(Op.LITERAL, 0, self.intern(b"long" if last in b"lL" else b"int"))

    def real(self, node: Node, scope: int, role: int = 0) -> int:
        last = self.source[node.end_byte - 1 : node.end_byte]
        return self.row(Op.LITERAL, 0, self.intern(b"float" if last in b"fF" else b"double"))

    def character(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.LITERAL, 0, self.intern(b"char"))

    def truth(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.LITERAL, 0, self.intern(b"boolean"))

    def class_literal(self, node: Node, scope: int, role: int = 0) -> int:
        self.children(node, scope)
        return self.row(Op.LITERAL, 0, self.intern(b"Class"))

    def fields(self, node: Node, scope: int, role: int = 0) -> int:
        return self.declarators(node, scope, Kind.FIELD)

    def locals(self, node: Node, scope: int, role: int = 0) -> int:
        return self.declarators(node, scope, "")

    def declarators(self, node: Node, scope: int, kind: str) -> int:
        of = node.child_by_field_name("type")
        annotation = 0
        if of is not None and self.text(of) != "var":
            annotation = self.visit(of, scope, Role.TYPE)
        listed = node.children_by_field_name("declarator")
        for declarator in listed:
            name, given = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            value = self.value_of(given, scope, annotation) if given is not None else 0
            if name is not None:
                self.assign(name, scope, annotation, value, kind, node if len(listed) == 1 else declarator)
        for child in node.named_children:
            if child.type == "modifiers":
                self.visit(child, scope)
        return 0

    def value_of(self, node: Node, scope: int, annotation: int) -> int:
        """What a variable is given; a function without a name takes what the variable's type says."""
        if annotation and node.type in self.lambdas:
            return self.closure(node, scope, expected=self.row(Op.TYPED, annotation))
        return self.visit(node, scope)

    def constant(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            owner = self.scopes[scope].owner
            self.assign(name, scope, 0, self.row(Op.SELF, owner) if owner >= 0 else 0, Kind.MEMBER, node)
        arguments, body = node.child_by_field_name("arguments"), node.child_by_field_name("body")
        if arguments is not None:
            self.children(arguments, scope)
        if body is not None:
            self.anonymous(body, scope, self.row(Op.SELF, self.scopes[scope].owner))
        return 0

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        made = self.visit(of, scope, Role.CALL) if of is not None else 0
        given: list[int] = []
        for child in node.named_children:
            if child.type == "class_body":
                self.anonymous(child, scope, made)
            elif child.type == "argument_list":
                given = [self.visit(c, scope) for c in child.named_children]
            elif child != of:
                self.visit(child, scope)
        return self.row(Op.NEW, made, self.items(given[:_MAX_ARGUMENTS]))

    def anonymous(self, body: Node, scope: int, parent: int) -> None:
        """A class without a name, made where it stands."""
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.scopes[inner].bases = self.items([parent]) if parent else 0
        self.children(body, inner)

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        path = first_of(node)
        if path is None:
            return 0
        if any(c.type == "asterisk" for c in node.named_children):
            self.bind(0, self.intern(b"*"), node.start_byte, Bind.STAR, self.imported(self.text(path)))
            self.import_owners(path)
            return 0
        name, around = path.child_by_field_name("name"), path.child_by_field_name("scope")
        if name is not None and around is not None:
            number = self.imported(self.text(around))
            self.import_owners(around)
            self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
            self.bind(0, self.name(name), name.start_byte, Bind.IMPORT, number, self.name(name))
        return 0

    def import_owners(self, node: Node) -> None:
        """The classes that an import of something inside them names."""
        name, around = node.child_by_field_name("name"), node.child_by_field_name("scope")
        if name is not None and around is not None and self.text(name)[:1].isupper():
            self.import_owners(around)
            self.row(
                Op.IMPORTED, self.imported(self.text(around)), self.name(name), name.start_byte, Role.IMPORT
            )

    def scoped_type(self, node: Node, scope: int, role: int = 0) -> int:
        """``Outer.Inner``, or a type with its package: ``org.example.Outer``."""
        *around, name = node.named_children
        owner = around[0] if around else None
        if owner is None:
            return self.children(node, scope)
        if self.text(name)[:1].isupper() and self.text(owner).rpartition(".")[2][:1].islower():
            package = self.imported("".join(self.text(owner).split()))
            return self.row(Op.IMPORTED, package, self.name(name), name.start_byte, role or Role.TYPE)
        return self.row(Op.ATTR, self.visit(owner, scope), self.name(name), name.start_byte, role)

    def new_array(self, node: Node, scope: int, role: int = 0) -> int:
        made = self.array_type(node, scope)
        for child in node.named_children[1:]:
            self.visit(child, scope)
        return self.row(Op.TYPED, made)

    def parameter(self, node: Node, scope: int) -> None:
        if node.type == "spread_parameter":
            element = 0
            for child in node.named_children:
                name = child.child_by_field_name("name")
                if name is None:
                    element = self.visit(child, scope, Role.TYPE) or element
                    continue
                every = self.row(Op.SEQUENCE, self.row(Op.TYPED, element))
                self.bind(scope, self.intern(REST.encode()), name.start_byte, Bind.PARAMETER, every)
                self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, every)
            return
        super().parameter(node, scope)
        name = node.child_by_field_name("name")
        if name is not None and self.scopes[scope].kind == ScopeKind.CLASS:
            self.define(Kind.FIELD, name, node, scope)

    def annotation(self, node: Node, scope: int, role: int = 0) -> int:
        """``@Column(name = "x")`` names a member of the annotation, not one of the class around."""
        name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        of = self.visit(name, scope) if name is not None else 0
        for child in given.named_children if given is not None else ():
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type == "element_value_pair" and key is not None:
                self.row(Op.ATTR, of, self.name(key), key.start_byte)
                child = value or child
            self.visit(child, scope)
        return 0

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        """What a condition finds a value to be has its name in what is done then, or after it if denied."""
        condition, done = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        inner = scope
        if condition is not None and not self.source.startswith(b"(!", condition.start_byte):
            inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            self.visit(child, inner if child in (condition, done) else scope)
        return 0

    def instance_of(self, node: Node, scope: int, role: int = 0) -> int:
        of, name = node.child_by_field_name("right"), node.child_by_field_name("name")
        if of is None or name is None:
            return self.children(node, scope)
        left = node.child_by_field_name("left")
        if left is not None:
            self.visit(left, scope)
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, self.visit(of, scope, Role.TYPE))
        return 0

    def pattern(self, node: Node, scope: int, role: int = 0) -> int:
        """``Circle c`` and ``Point(int x, var y)``: a type, and a name for what is of it, or its parts."""
        of, *rest = [child for child in node.named_children if child.type not in self.silent] or [node]
        if self.text(of) == "var" or of == node:
            annotation = 0
        elif of.type == "identifier":
            annotation = self.type_reference(of, scope)
        else:
            annotation = self.visit(of, scope, Role.TYPE)
        for child in rest:
            if child.type in self.names_of:
                self.bind(scope, self.name(child), child.start_byte, Bind.VARIABLE, annotation)
            else:
                self.visit(child, scope)
        return 0

    def switch(self, node: Node, scope: int, role: int = 0) -> int:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        saved = self.switched
        self.switched = self.visit(condition, scope) if condition is not None else 0
        if body is not None:
            self.visit(body, scope)
        self.switched = saved
        return 0

    def label(self, node: Node, scope: int, role: int = 0) -> int:
        """The bare name in ``case RED`` is a constant of the enumeration that is switched over, or any."""
        for child in node.named_children:
            if child.type in self.names_of and self.switched:
                self.row(Op.ATTR, self.switched, self.name(child), child.start_byte)
            self.visit(child, scope)
        return 0

    def for_each(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        of, name = node.child_by_field_name("type"), node.child_by_field_name("name")
        source, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        value = self.row(Op.ELEMENT, self.visit(source, scope)) if source is not None else 0
        annotation = self.visit(of, inner, Role.TYPE) if of is not None and self.text(of) != "var" else 0
        if name is not None:
            self.bind(inner, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
        return self.visit(body, inner) if body is not None else 0

    def caught(self, node: Node, scope: int, role: int = 0) -> int:
        name, value = node.child_by_field_name("name"), 0
        for child in node.named_children:
            if child != name:
                value = self.only(child, scope, Role.TYPE) or value
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, value)
        return 0

    def resource(self, node: Node, scope: int, role: int = 0) -> int:
        of, name, given = (node.child_by_field_name(field) for field in ("type", "name", "value"))
        annotation = self.visit(of, scope, Role.TYPE) if of is not None and self.text(of) != "var" else 0
        value = self.visit(given, scope) if given is not None else 0
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
        return 0


def _ends(block: Node) -> bool:
    """Whether a block may come to its end, where it gives nothing."""
    last = block.named_children[-1:]
    return not last or last[0].type != "throw_statement"


class JavaRules(OpenRules):
    """How files of Java see each other."""

    class_constructors: ClassVar[bool] = True
    overloads: ClassVar[bool] = True
    fields_beside_methods: ClassVar[bool] = True
    calls_fields: ClassVar[bool] = False
    factories: ClassVar[tuple[str, ...]] = ("of", "from", "now", "parse", "valueOf")
    text_type: ClassVar[str] = "String"
    any_types: ClassVar[frozenset[str]] = frozenset({"Object"})
    final_types: ClassVar[frozenset[str]] = frozenset(
        [
            "byte",
            "short",
            "int",
            "long",
            "float",
            "double",
            "boolean",
            "char",
            "Byte",
            "Short",
            "Integer",
            "Long",
            "Float",
            "Double",
            "Boolean",
            "Character",
            "String",
            "Class",
        ]
    )
    # What is not boxed or unboxed comes before what is.
    widening: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "byte": ("short", "int", "long", "float", "double", "Byte", "Number"),
        "short": ("int", "long", "float", "double", "Short", "Number"),
        "char": ("int", "long", "float", "double", "Character"),
        "int": ("long", "float", "double", "Integer", "Number"),
        "long": ("float", "double", "Long", "Number"),
        "float": ("double", "Float", "Number"),
        "double": ("Double", "Number"),
        "boolean": ("Boolean",),
        "Integer": ("Number", "Object", "int", "long", "float", "double"),
        "Long": ("Number", "Object", "long", "float", "double"),
        "Float": ("Number", "Object", "float", "double"),
        "Double": ("Number", "Object", "double"),
        "BigInteger": ("Number",),
        "BigDecimal": ("Number",),
        "Boolean": ("Object", "boolean"),
        "Character": ("Object", "char", "int"),
        "String": ("CharSequence",),
    }
    language: ClassVar[str] = "java"
    imported_from: ClassVar[str] = "kotlin"
    endings: ClassVar[tuple[str, ...]] = (".java",)
    bare_members: ClassVar[bool] = True
    package_roots: ClassVar[frozenset[str]] = frozenset({"java"})
    transparent: ClassVar[frozenset[str]] = frozenset({"Supplier", "Callable", "Future", "CompletableFuture"})
    sequences: ClassVar[frozenset[str]] = frozenset(
        {
            "List",
            "ArrayList",
            "LinkedList",
            "Collection",
            "Set",
            "HashSet",
            "LinkedHashSet",
            "TreeSet",
            "Iterable",
            "Iterator",
            "ListIterator",
            "Stream",
            "Optional",
            "Queue",
            "Deque",
            "ArrayDeque",
            "Stack",
            "Vector",
            "SortedSet",
        }
    )
    mappings: ClassVar[frozenset[str]] = frozenset(
        {
            "Map",
            "HashMap",
            "LinkedHashMap",
            "TreeMap",
            "ConcurrentHashMap",
            "ConcurrentMap",
            "SortedMap",
            "EnumMap",
        }
    )
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "get",
            "next",
            "orElse",
            "orElseThrow",
            "remove",
            "poll",
            "peek",
            "pop",
            "getFirst",
            "getLast",
            "first",
            "last",
            "put",
            "previous",
        }
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "iterator",
            "listIterator",
            "stream",
            "filter",
            "sorted",
            "subList",
            "limit",
            "distinct",
            "descendingIterator",
            "parallelStream",
            "skip",
            "peek",
            "toList",
        }
    )
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "forEach",
            "map",
            "filter",
            "flatMap",
            "anyMatch",
            "allMatch",
            "noneMatch",
            "ifPresent",
            "sort",
            "sorted",
            "reduce",
            "peek",
            "mapToInt",
            "mapToLong",
            "mapToDouble",
            "mapToObj",
            "takeWhile",
            "dropWhile",
            "forEachOrdered",
            "forEachRemaining",
            "ifPresentOrElse",
            "removeIf",
            "replaceAll",
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sort", "sorted"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "flatMap", "mapToObj"})
    functional_types: ClassVar[Mapping[str, tuple[int, bool]]] = {
        **dict.fromkeys(("Runnable", "Closeable", "AutoCloseable"), (0, False)),
        **dict.fromkeys(("Consumer", "IntConsumer", "LongConsumer", "DoubleConsumer"), (1, False)),
        "BiConsumer": (2, False),
        **dict.fromkeys(("Callable", "Supplier", "BooleanSupplier", "IntSupplier"), (0, True)),
        **dict.fromkeys(("LongSupplier", "DoubleSupplier"), (0, True)),
        **dict.fromkeys(("Function", "UnaryOperator", "Predicate", "IntFunction"), (1, True)),
        **dict.fromkeys(("IntPredicate", "ToIntFunction", "ToLongFunction"), (1, True)),
        **dict.fromkeys(("ToDoubleFunction", "ThreadFactory"), (1, True)),
        **dict.fromkeys(("BiFunction", "BinaryOperator", "BiPredicate", "Comparator"), (2, True)),
    }
    function_forms: ClassVar[Mapping[str, str]] = {
        "Function": "gives",
        "BiFunction": "gives",
        "UnaryOperator": "same",
        "Consumer": "takes",
        "BiConsumer": "takes",
        "Predicate": "takes",
        "BiPredicate": "takes",
        "ToIntFunction": "takes",
        "ToLongFunction": "takes",
        "ToDoubleFunction": "takes",
        "Comparator": "compares",
    }

    def inside(self, package: str, name: str) -> Targets:
        """The folders of a file are those of its package: one that only ends alike is another."""
        parts = package.split(self.separator)
        found = super().inside(package, name)
        return tuple(s for s in found if not isinstance(s, Symbol) or lies_in(s, parts))


def _grammar() -> Any:
    import tree_sitter_java

    return tree_sitter_java.language()


JAVA: Final = Language("java", _grammar, JavaWalk, JavaRules, source_roots=("java", "src"), close=closed)
