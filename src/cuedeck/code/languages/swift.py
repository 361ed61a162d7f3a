"""Swift: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import CONDITION, Bind, Import, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, one_of, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules, named
from cuedeck.code.languages.swift_values import SwiftValues
from cuedeck.code.languages.table import Declares, doc_above
from cuedeck.code.resolution.values import PACKAGE, Symbol, Targets, Value

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

# What a dot continues, rather than beginning a member of the expected type; and how that type is written.
_JOINED: Final = (b")", b"]", b"}", b"?", b"!", b"_", b">", b"`", b'"', b".")
_IMPLICIT: Final = "."
_MOST_ALIKE: Final = 4
_TYPES: Final = (ScopeKind.CLASS, ScopeKind.EXTENSION)
_KINDS: Final = {"struct": Kind.STRUCT, "enum": Kind.ENUM, "actor": Kind.CLASS}


class SwiftWalk(SwiftValues):
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
        "tuple_expression",
        "value_argument",
        "directly_assignable_expression",
        "inheritance_specifier",
        "try_expression",
        "await_expression",
        "tuple_type_item",
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
    }

    implicit = -1  # the import that stands for whatever type is expected

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        at = node.start_byte
        before, dot = self.source[at - 2 : at - 1], self.source[at - 1 : at]
        if dot != b"." or before.isalnum() or before in _JOINED:
            return super().reference(node, scope, role)
        if self.implicit < 0:
            self.implicit = self.imported(_IMPLICIT)
        return self.row(Op.ATTR, self.row(Op.MODULE, self.implicit), self.name(node), at, role)

    def navigate(self, node: Node, scope: int, role: int = 0) -> int:
        target, suffix = node.child_by_field_name("target"), node.child_by_field_name("suffix")
        value = self.visit(target, scope) if target is not None else 0
        name = suffix.child_by_field_name("suffix") if suffix is not None else None
        if name is None or name.type != "simple_identifier":
            return value
        return self.row(Op.ATTR, value, self.name(name), name.start_byte, role)

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
        saved, self.returned = self.returned, []
        bases: list[int] = []
        for child in node.named_children:
            if child in (name, body):
                continue
            if child.type == "parameter":
                self.parameter(child, inner)
            elif child.type == "inheritance_specifier":
                bases.append(self.only(child, inner, Role.EXTENDS))
            elif child.type == "type_parameters":
                self.type_parameters(child, inner)
            else:
                value = self.visit(child, inner, Role.TYPE)
                if not is_class and value:
                    self.scopes[inner].result = value
        if body is not None:
            self.children(body, inner)
        if is_class:
            self.scopes[inner].bases = self.items([base for base in bases if base])
        else:
            self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned = saved
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

    def parameter(self, node: Node, scope: int) -> None:
        names = node.children_by_field_name("name")
        of = 0
        for child in names[1:]:
            of = self.visit(child, scope, Role.TYPE)
        if names:
            self.bind(scope, self.name(names[0]), names[0].start_byte, Bind.PARAMETER, of)

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        patterns, given = node.children_by_field_name("name"), node.children_by_field_name("value")
        types, values = [0] * len(patterns), [0] * len(patterns)
        at = -1
        for child in node.named_children:
            if child in patterns:
                at += 1
            elif child.type == "type_annotation" and patterns:
                types[at] = self.visit(child, scope, Role.TYPE)
            elif child in given and patterns:
                values[at] = self.visit(child, scope)
            elif child.type != "value_binding_pattern":
                self.visit(child, scope)
        for at in range(len(patterns) - 2, -1, -1):
            # In ``var a, b: Int`` the type is that of both.
            types[at] = types[at] or (0 if values[at] else types[at + 1])
        for pattern, of, value in zip(patterns, types, values, strict=True):
            for leaf in self.binding_names(pattern):
                self.assign(leaf, scope, of, value, Kind.VARIABLE, node)
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
        value = 0
        for name in names:
            own = (role or Role.TYPE) if name == names[-1] else Role.TYPE
            value = (
                self.row(Op.ATTR, value, self.name(name), name.start_byte, own)
                if value
                else self.type_reference(name, scope, own)
            )
        told = [child for child in node.named_children if child.type == "type_arguments"]
        arguments = [self.visit(of, scope, Role.TYPE) for child in told for of in child.named_children]
        return self.row(Op.INDEX, value, self.items(arguments)) if arguments else value

    def entry(self, node: Node, scope: int, role: int = 0) -> int:
        for name in node.children_by_field_name("name"):
            self.assign(name, scope, 0, 0, Kind.MEMBER, node)
        for carried in node.children_by_field_name("data_contents"):
            for of in carried.named_children:
                if of.type != "simple_identifier":  # what a value is called
                    self.visit(of, scope, Role.TYPE)
        for raw in node.children_by_field_name("raw_value"):
            self.visit(raw, scope)
        return 0


class SwiftRules(OpenRules):
    """How files of Swift see each other."""

    language: ClassVar[str] = "swift"
    endings: ClassVar[tuple[str, ...]] = (".swift",)
    bare_members: ClassVar[bool] = True
    function_types: ClassVar[bool] = True
    extension_methods: ClassVar[bool] = True
    extension_values: ClassVar[bool] = True
    transparent: ClassVar[frozenset[str]] = frozenset({"Optional"})
    sequences: ClassVar[frozenset[str]] = frozenset({"Array", "Set", "ArraySlice", "ContiguousArray"})
    mappings: ClassVar[frozenset[str]] = frozenset({"Dictionary"})
    yields_entries: ClassVar[bool] = True
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {"first", "last", "randomElement", "min", "max", "popLast", "removeFirst", "removeLast", "remove"}
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {"filter", "sorted", "reversed", "prefix", "suffix", "dropFirst", "dropLast", "shuffled", "union"}
    )
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            *("map", "compactMap", "flatMap", "filter", "forEach", "contains", "first", "last", "firstIndex"),
            *("allSatisfy", "sorted", "sort", "min", "max", "removeAll", "drop", "prefix", "reduce"),
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sorted", "sort", "min", "max"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "compactMap"})

    def extending(self, name: str) -> Iterator[Symbol]:
        """What types of other modules were given, where nothing else is called so."""
        found = self._members(name)
        if 0 < len(found) <= _MOST_ALIKE and all(self._for_others(symbol) for symbol in found):
            yield from found

    def _for_others(self, symbol: Symbol) -> bool:
        """Whether a member belongs to an extension of a foreign type, or of what a foreign type promises."""
        links = self.project.links(symbol.path)
        row = links.scopes[symbol.scope]
        if row.kind != ScopeKind.EXTENSION:
            return False
        target = named(links, row.result)
        return not self.open_names(target) or self._promised(target)

    def _promised(self, protocol: str) -> bool:
        key = ("swift-promised", protocol)
        return bool(self.project.solve(key, self._promised_abroad, protocol))

    def _promised_abroad(self, protocol: str) -> bool:
        for path in self.project.files_naming(protocol):
            links = self.project.links(path) if path.endswith(self.endings) else None
            for row in links.scope_rows() if links is not None else ():
                if links is None or row.kind != ScopeKind.EXTENSION:
                    continue
                promised = {named(links, base) for base in links.lists[row.bases]}
                if protocol in promised and not self.open_names(named(links, row.result)):
                    return True
        return False

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.module == _IMPLICIT:
            return Value(PACKAGE, "swift-implicit:")
        return super().module(path, imported)

    def package_member(self, key: str, name: str) -> Targets:
        return self._only_member(name) if key == "swift-implicit:" else super().package_member(key, name)

    def _only_member(self, name: str) -> Targets:
        """The one member of that name that any type declares; of several, none can be chosen."""
        found = self._members(name)
        return tuple(found) if len(found) == 1 else ()

    def _members(self, name: str) -> list[Symbol]:
        """The members of that name that types declare."""
        found: dict[Symbol, None] = {}
        for path in self.project.files_naming(name):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                if path.endswith(self.endings) and links.scopes[scope].kind in _TYPES:
                    found[Symbol(path, scope, name)] = None
        return list(found)


def _grammar() -> Any:
    import tree_sitter_swift

    return tree_sitter_swift.language()


SWIFT: Final = Language("swift", _grammar, SwiftWalk, SwiftRules, source_roots=("Sources", "src"))
