"""Ruby: what it declares, and how its files see each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import INSTANCE, Bind, Import, Kind, Links, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.ruby_values import RubyValues
from cuedeck.code.languages.table import Declares, first_of
from cuedeck.code.languages.torn import closed_blocks
from cuedeck.code.resolution.values import CLASS, PACKAGE, SINGLETON, Symbol, Targets, Value

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_ACCESSORS: Final = frozenset({"attr_accessor", "attr_reader", "attr_writer", "attr"})
_MIXINS: Final = frozenset({"include", "extend", "prepend"})
# What makes a class of the names of its fields, and what makes one of a parent.
_RECORDS: Final = (b"Struct.new", b"Data.define")
_CLASSES: Final = (b"Class.new", b"Module.new")
# Functions of test frameworks that give what a block gives a name.
_NAMING: Final = frozenset({"let", "let!", "subject", "subject!"})
_DELEGATING: Final = frozenset({"def_delegators", "def_instance_delegators"})
_OUTSIDE: Final = "::"
# Classes and modules of test frameworks of which every test has the methods, also those a project adds.
_TEST_CASES: Final = frozenset(
    {
        ("Minitest", "Test"),
        ("Minitest", "Spec"),
        ("Minitest", "Assertions"),
        ("Test", "Unit", "TestCase"),
        ("Test", "Unit", "Assertions"),
        ("ActiveSupport", "TestCase"),
        ("ActionDispatch", "IntegrationTest"),
        ("RSpec", "Core", "ExampleGroup"),
    }
)
# Under these names a file notes the modules that its groups of tests include, and those that all tests do.
_OWN_MIXINS: Final = "&included"
_ALL_MIXINS: Final = "&included by all"
_EVERYTHING: Final = "ruby-everything:"
_CLASS_METHODS: Final = "ClassMethods"
_MAX_SAME: Final = 4
_ELEMENT: Final = frozenset(
    [
        "first",
        "last",
        "find",
        "detect",
        "min_by",
        "max_by",
        "min",
        "max",
        "sample",
        "pop",
        "shift",
        "fetch",
        "delete",
        "delete_at",
        "at",
    ]
)
_CONTAINER: Final = frozenset(
    [
        "each",
        "each_with_index",
        "each_with_object",
        "reverse_each",
        "each_value",
        "select",
        "filter",
        "reject",
        "sort",
        "sort_by",
        "reverse",
        "uniq",
        "compact",
        "take",
        "drop",
        "take_while",
        "drop_while",
        "to_a",
        "concat",
        "push",
        "unshift",
        "append",
        "prepend",
        "rotate",
        "shuffle",
        "select!",
        "reject!",
        "compact!",
        "sort!",
        "uniq!",
        "lazy",
        "with_index",
        "values_at",
        "keep_if",
        "delete_if",
    ]
)
_MAPPING: Final = frozenset(["map", "collect", "flat_map", "filter_map", "map!", "collect!", "each_slice"])
_HANDING: Final = frozenset(
    [
        "each_pair",
        "each_entry",
        "any?",
        "all?",
        "none?",
        "one?",
        "count",
        "sum",
        "group_by",
        "partition",
        "index",
        "find_index",
        "to_h",
        "each_cons",
        "cycle",
        "inject",
        "reduce",
        "to_set",
        "each_key",
        "transform_values",
    ]
)


class RubyWalk(RubyValues):
    """Visits Ruby."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class": Declares(Kind.CLASS, ScopeKind.CLASS, extends=("superclass",)),
        "module": Declares(Kind.NAMESPACE, ScopeKind.CLASS),
        "method": Declares(Kind.FUNCTION),
        "singleton_method": Declares(Kind.FUNCTION),
    }
    names_of: ClassVar[tuple[str, ...]] = ("constant",)
    members: ClassVar[dict[str, tuple[str, str]]] = {"scope_resolution": ("scope", "name")}
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "integer",
        "float",
        "nil",
        "true",
        "false",
        "simple_symbol",
    )
    special: ClassVar[dict[str, str]] = {
        "identifier": "bare",
        "self": "this",
        "string": "text_literal",
        "call": "invoke",
        "assignment": "assignment",
        "operator_assignment": "assignment",
        "instance_variable": "instance_variable",
        "class_variable": "instance_variable",
        "return": "return_",
        "yield": "yield_",
        "alias": "alias",
        "singleton_class": "class_itself",
        "block": "closure",
        "do_block": "closure",
        "lambda": "lambda_",
        "rescue": "rescue",
        "for": "for_",
        "binary": "binary",
        "array": "array",
        "hash": "hash_",
        "element_reference": "index",
        "block_parameters": "block_parameters",
        "method_parameters": "block_parameters",
        **dict.fromkeys(("if", "unless", "elsif", "conditional"), "choice"),
        **dict.fromkeys(("case", "case_match", "when", "in_clause"), "choice"),
        **dict.fromkeys(("begin", "body_statement", "block_body"), "statements"),
        **dict.fromkeys(("if_modifier", "unless_modifier", "rescue_modifier"), "modified"),
        **dict.fromkeys(("parenthesized_statements", "then", "else", "argument_list", "do", "in"), "only"),
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.singletons: dict[int, int] = {}

    def name_node(self, node: Node, spec: Declares) -> Node | None:
        name = node.child_by_field_name("name")
        if name is not None and name.type == "scope_resolution":
            return name.child_by_field_name("name")
        return name

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None and node.child_by_field_name("scope") is None:
            # ``::X`` is the X outside of everything.
            outside = self.row(Op.MODULE, self.imported(_OUTSIDE), self.intern(b""), node.start_byte)
            return self.row(Op.ATTR, outside, self.name(name), name.start_byte, role)
        return super().member(node, scope, role)

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        if node.type == "singleton_method" and self.is_own(node.child_by_field_name("object"), scope):
            scope = self.singleton(scope, node)
        elif node.type == "method" and scope in self.open_blocks:
            # Where no class is around, a function is one of every object.
            scope = 0
        qualified = node.child_by_field_name("name")
        if qualified is not None and qualified.type == "scope_resolution":
            scope = self.opened_around(qualified.child_by_field_name("scope"), scope)
        around, self.handing = self.handing, []
        value = super().declare(node, scope, spec, name, kind, whole)
        self.handing = around
        if node.type == "module" and self.text(name) == _CLASS_METHODS:
            self.handed_to_classes(node, scope, name)
        return value

    def opened_around(self, owner: Node | None, scope: int) -> int:
        """``class A::B`` opens A to declare B in it."""
        if owner is None:
            return 0
        name: Node | None = owner
        if owner.type == "scope_resolution":
            scope = self.opened_around(owner.child_by_field_name("scope"), scope)
            name = owner.child_by_field_name("name")
        if name is None or name.type != "constant":
            return scope
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.bind(scope, self.name(name), name.start_byte, Bind.CLASS, inner)
        return inner

    def is_own(self, owner: Node | None, scope: int) -> bool:
        """Whether a method is declared for the class around."""
        inside = self.scopes[scope].kind == ScopeKind.CLASS
        return inside and owner is not None and owner.type in ("self", "constant")

    def singleton(self, scope: int, node: Node) -> int:
        """The scope of what a class has itself."""
        if scope not in self.singletons:
            inner = self.scope(ScopeKind.CLASS, scope)
            self.scopes[inner].owner = inner
            self.singletons[scope] = inner
            name = self.intern(SINGLETON.encode())
            self.bind(scope, name, node.start_byte, Bind.CLASS, inner)
            self.scopes[scope].result = self.row(Op.NAME, scope, name, node.start_byte)
        return self.singletons[scope]

    def handed_to_classes(self, node: Node, scope: int, name: Node) -> None:
        """By convention a module's ``ClassMethods`` are those of the classes that include it."""
        if self.scopes[scope].kind == ScopeKind.CLASS:
            methods = self.row(Op.NAME, scope, self.name(name), name.start_byte, Role.EXTENDS)
            self.add_bases(self.singleton(scope, node), [methods])

    def class_itself(self, node: Node, scope: int, role: int = 0) -> int:
        """``class << self``"""
        owner = node.child_by_field_name("value")
        inner = self.singleton(scope, node) if self.is_own(owner, scope) else scope
        return self.children(node, inner)

    def add_bases(self, scope: int, bases: list[int]) -> None:
        """What is included later is looked at first, and before the parent."""
        known = self.lists[self.scopes[scope].bases]
        self.scopes[scope].bases = self.items([*(base for base in bases if base), *known])

    def body(self, node: Node, scope: int) -> None:
        value = self.visit(node, scope)
        if self.scopes[scope].kind == ScopeKind.FUNCTION:
            if value:
                self.returned.append(value)
            self.hand_over(node, scope)

    def keyword_call(self, node: Node, scope: int, label: str, arguments: Node | None) -> int | None:
        """What calls of the language itself declare; nothing for any other call."""
        if label in ("require", "require_relative"):
            return self.require(arguments, label)
        if arguments is None:
            return None
        if label in _ACCESSORS:
            return self.accessors(arguments, scope)
        if label == "alias_method":
            return self.renamed(arguments.named_children, scope, node)
        if label in _DELEGATING:
            return self.delegated(arguments.named_children, scope)
        block = node.child_by_field_name("block")
        if label == "define_method" and block is not None:
            return self.defined_by(node, arguments, block, scope)
        if label in _NAMING and block is not None:
            return self.named_by(arguments, block, scope)
        if label == "include" and scope in self.block_scopes and self.scopes[scope].owner < 0:
            return self.included(arguments, scope, _OWN_MIXINS)
        if label in _MIXINS and self.scopes[scope].kind == ScopeKind.CLASS:
            mixed = [self.visit(child, scope, Role.EXTENDS) for child in arguments.named_children]
            self.add_bases(self.singleton(scope, node) if label == "extend" else scope, mixed)
            return 0
        return None

    def member_call(self, owner: Node, label: str, arguments: Node | None, scope: int) -> None:
        """``config.include Helpers`` in ``RSpec.configure`` gives a module to all tests."""
        if label == "include" and arguments is not None and owner.type == "identifier":
            self.included(arguments, scope, _ALL_MIXINS)

    def included(self, arguments: Node, scope: int, mark: str) -> int:
        """Note the modules that groups of tests have the methods of."""
        for child in arguments.named_children:
            if child.type in ("constant", "scope_resolution"):
                mixin = self.visit(child, scope, Role.EXTENDS)
                self.bind(0, self.intern(mark.encode()), child.start_byte, Bind.OPAQUE, mixin)
        return 0

    def require(self, arguments: Node | None, how: str) -> int:
        text = first_of(arguments) if arguments is not None else None
        if text is not None and text.type == "string":
            number = self.imported(self.text(text).strip("'\""), int(how == "require_relative"))
            self.bind(0, self.intern(b"*"), text.start_byte, Bind.STAR, number)
        return 0

    def accessors(self, arguments: Node, scope: int) -> int:
        """An attribute gives what the instance variable of its name holds."""
        for symbol in arguments.named_children:
            if symbol.type == "simple_symbol":
                name = (symbol.start_byte + 1, symbol.end_byte)
                label = self.source[name[0] : name[1]]
                owner, value = self.scopes[scope].owner, 0
                if owner >= 0:
                    held = self.intern(b"@" + label)
                    value = self.row(Op.ATTR, self.row(Op.SELF, owner), held, name[0])
                self.bind(scope, self.intern(label), name[0], Bind.VARIABLE, 0, value)
                self.define(Kind.FIELD, name, symbol, scope)
        return 0

    def alias(self, node: Node, scope: int, role: int = 0) -> int:
        return self.renamed(node.named_children, scope, node)

    def renamed(self, names: Sequence[Node], scope: int, node: Node) -> int:
        """A second name for a method."""
        if len(names) != 2 or any(n.type not in ("identifier", "simple_symbol") for n in names):
            return 0
        new, old = ((n.start_byte + (n.type == "simple_symbol"), n.end_byte) for n in names)
        value = self.row(Op.NAME, scope, self.intern(self.source[old[0] : old[1]]), old[0], Role.CALL)
        self.bind(scope, self.intern(self.source[new[0] : new[1]]), new[0], Bind.VARIABLE, 0, value)
        inside = self.scopes[scope].kind == ScopeKind.CLASS
        self.define(Kind.METHOD if inside else Kind.FUNCTION, new, node, scope)
        return 0

    def delegated(self, names: Sequence[Node], scope: int) -> int:
        """``def_delegators :@held, :name`` gives a class the methods of what it holds."""
        owner = self.scopes[scope].owner
        if owner < 0 or any(name.type != "simple_symbol" for name in names):
            return 0
        first, *others = ((name.start_byte + 1, name.end_byte) for name in names)
        held = self.intern(self.source[first[0] : first[1]])
        on = self.row(Op.ATTR, self.row(Op.SELF, owner), held, first[0])
        for at, end in others:
            label = self.intern(self.source[at:end])
            value = self.row(Op.ATTR, on, label, at, Role.CALL)
            self.bind(scope, label, at, Bind.VARIABLE, 0, value)
            self.define(Kind.METHOD, (at, end), (at, end), scope)
        return 0

    def defined_by(self, node: Node, arguments: Node, block: Node, scope: int) -> int:
        """``define_method(:name) { … }``"""
        name = first_of(arguments)
        made = self.closure(block, scope)
        if name is not None and name.type == "simple_symbol":
            at, inner = (name.start_byte + 1, name.end_byte), self.rows[4 * made + 1]
            self.bind(scope, self.intern(self.source[at[0] : at[1]]), at[0], Bind.FUNCTION, inner)
            self.define(Kind.METHOD, at, node, scope, own=inner)
        return 0

    def named_by(self, arguments: Node, block: Node, scope: int) -> int:
        """``let(:name) { value }``"""
        name = first_of(arguments)
        value = self.row(Op.CALL, self.closure(block, scope))
        if name is not None and name.type == "simple_symbol":
            label = self.source[name.start_byte + 1 : name.end_byte]
            self.bind(scope, self.intern(label), name.start_byte + 1, Bind.VARIABLE, 0, value)
        return 0

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.children(node, scope)
        if left.type == "constant" and right.type == "call" and self.makes_class(right):
            return self.made_class(left, right, node, scope)
        value = self.visit(right, scope)
        self.target(left, scope, value, node)
        return value

    def makes_class(self, call: Node) -> bool:
        owner, name = call.child_by_field_name("receiver"), call.child_by_field_name("method")
        if owner is None or name is None:
            return False
        return self.source[owner.start_byte : name.end_byte] in (*_RECORDS, *_CLASSES)

    def made_class(self, left: Node, call: Node, node: Node, scope: int) -> int:
        """``Point = Struct.new(:x, :y) do … end`` is a class with the fields x and y."""
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.bind(scope, self.name(left), left.start_byte, Bind.CLASS, inner)
        body = call.child_by_field_name("block")
        head = (node.start_byte, body.start_byte if body is not None else node.end_byte)
        self.define(Kind.CLASS, left, node, scope, own=inner, head=head)
        arguments = call.child_by_field_name("arguments")
        bases: list[int] = []
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "simple_symbol":
                name = (child.start_byte + 1, child.end_byte)
                self.bind(inner, self.intern(self.source[name[0] : name[1]]), name[0], Bind.VARIABLE)
                self.define(Kind.FIELD, name, child, inner)
            else:
                bases.append(self.visit(child, scope, Role.EXTENDS))
        self.scopes[inner].bases = self.items([base for base in bases if base])
        for child in body.named_children if body is not None else ():
            self.visit(child, inner)
        return 0

    def target(self, left: Node, scope: int, value: int, node: Node) -> None:
        if left.type == "identifier":
            place = self.local(self.name(left), scope)
            place = scope if place < 0 else place
            self.bind(place, self.name(left), left.start_byte, Bind.VARIABLE, 0, value)
        elif left.type in ("left_assignment_list", "destructured_left_assignment"):
            for position, target in enumerate(left.named_children):
                part = self.row(Op.ITEM, value, position) if value else 0
                self.target(target, scope, part, node)
        elif left.type == "constant":
            self.assign(left, scope, 0, value, Kind.CONSTANT, node)
        elif left.type in ("instance_variable", "class_variable"):
            self.keep(left, scope, value, node)
        elif left.type == "call":
            self.written(left, scope)
        else:
            self.visit(left, scope, Role.WRITE)

    def keep(self, left: Node, scope: int, value: int, node: Node) -> None:
        """Give an instance variable a value; outside of classes it is one of the outermost block."""
        owner = self.scopes[scope].owner
        if owner < 0:
            while self.scopes[scope].parent > 0:
                scope = self.scopes[scope].parent
            self.bind(scope, self.name(left), left.start_byte, Bind.VARIABLE, 0, value)
            return
        known = self.name(left) in self.names[owner]
        self.bind(owner, self.name(left), left.start_byte, Bind.VARIABLE | INSTANCE, 0, value)
        if not known:
            self.define(Kind.FIELD, left, node, owner)

    def written(self, left: Node, scope: int) -> None:
        """``x.name = …`` writes the attribute, and calls the method ``name=``."""
        owner, name = left.child_by_field_name("receiver"), left.child_by_field_name("method")
        if owner is None or name is None:
            self.visit(left, scope, Role.WRITE)
            return
        value = self.visit(owner, scope)
        self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.WRITE)
        setter = self.intern(self.source[name.start_byte : name.end_byte] + b"=")
        self.row(Op.ATTR, value, setter, name.start_byte, Role.CALL)

    def own_parts(self, leaf: Node, whole: Node) -> Sequence[Range]:
        left, right = whole.child_by_field_name("left"), whole.child_by_field_name("right")
        if left is None or right is None or left == leaf:
            return ()
        values = right.named_children if right.type == "right_assignment_list" else ()
        return bound_in([range_of(whole)], left, leaf.start_byte, values)

    def parameter(self, node: Node, scope: int) -> None:
        name = node if node.type == "identifier" else node.child_by_field_name("name")
        given = node.child_by_field_name("value")
        value = self.visit(given, scope) if given is not None else 0
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, 0, value)

    def block_parameters(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            self.parameter(child, scope)
        return 0


class RubyRules(OpenRules):
    """How files of Ruby see each other."""

    language: ClassVar[str] = "ruby"
    endings: ClassVar[tuple[str, ...]] = (".rb", ".rake", ".gemspec", ".ru", ".podspec")
    bare_members: ClassVar[bool] = True
    reopened: ClassVar[bool] = True
    members_are_called: ClassVar[bool] = True
    singletons: ClassVar[bool] = True
    asks_callers: ClassVar[bool] = True
    walker: ClassVar[str] = "each"
    heirs_supply: ClassVar[bool] = True
    hands_entries: ClassVar[bool] = True
    function_types: ClassVar[bool] = True
    constructors: ClassVar[tuple[str, ...]] = ("initialize",)
    inherited_constructors: ClassVar[bool] = True
    element_methods: ClassVar[frozenset[str]] = _ELEMENT
    container_methods: ClassVar[frozenset[str]] = _CONTAINER
    same_methods: ClassVar[frozenset[str]] = frozenset({"dup", "clone", "freeze", "tap", "itself"})
    mapping_methods: ClassVar[frozenset[str]] = _MAPPING
    passing_methods: ClassVar[frozenset[str]] = frozenset({"then", "yield_self"})
    callback_methods: ClassVar[frozenset[str]] = _HANDING | _ELEMENT | _CONTAINER | _MAPPING

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.module == _OUTSIDE:
            return Value(PACKAGE, _EVERYTHING)
        return super().module(path, imported)

    def package_member(self, key: str, name: str) -> Targets:
        if key == _EVERYTHING:
            return self.open_names(name)[:_MAX_SAME]
        return super().package_member(key, name)

    def _defining(self, name: str) -> Iterator[tuple[str, Links]]:
        # ``class A::B`` opens A, which it does not define.
        for path in self.project.files_naming(name):
            if self.reads(path):
                yield path, self.project.links(path)

    def seen(self, path: str, name: str) -> Targets:
        found = super().seen(path, name)
        if found:
            return found
        if not name[:1].isupper():
            return tuple(self.of_tests(path, name))[:_MAX_SAME]
        # A constant of a module that this file opens too.
        links = self.project.links(path)
        opened = {links.strings[number] for number in links.classes.values()}
        return tuple(symbol for symbol in self._constants(name) if self._owner(symbol) in opened)[:_MAX_SAME]

    def of_tests(self, path: str, name: str) -> Iterator[Symbol]:
        """The methods that tests have by a bare name: of modules that they include, else of all tests."""
        found = [
            *self.mixed_in(path, _OWN_MIXINS, name),
            *(s for other in self.mixing() for s in self.mixed_in(other, _ALL_MIXINS, name)),
        ]
        yield from dict.fromkeys(found)
        for symbol in self._constants(name) if not found else ():
            if self.whole_name(symbol) in _TEST_CASES:
                yield symbol

    def mixing(self) -> tuple[str, ...]:
        """The files that give modules to all tests."""
        found: tuple[str, ...] = self.project.solve(
            ("mixing", self.language), lambda: tuple(p for p in self.project.files_naming(_ALL_MIXINS))
        )
        return found

    def mixed_in(self, path: str, mark: str, name: str) -> Iterator[Symbol]:
        links = self.project.links(path)
        for binding in links.names[0].get(links.string_numbers.get(mark, -1), ()):
            for mixin in self.project.evaluate(path, links.bindings[4][binding]):
                for file, scope in self.project.lineage(mixin) if mixin.tag == CLASS else ():
                    if self.declares(file, scope, name):
                        yield Symbol(file, scope, name)

    def whole_name(self, symbol: Symbol) -> tuple[str, ...]:
        """The names of the classes and modules that a member is in, from outside."""
        links, scope = self.project.links(symbol.path), symbol.scope
        names: list[str] = []
        while scope >= 0:
            if scope in links.classes:
                names.append(links.strings[links.classes[scope]])
            scope = links.scopes[scope].parent
        return tuple(reversed(names))

    def _constants(self, name: str) -> Iterator[Symbol]:
        """Where classes and modules bind a name."""
        for path in self.project.files_naming(name):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                if self.reads(path) and links.scopes[scope].kind == ScopeKind.CLASS:
                    yield Symbol(path, scope, name)

    def _owner(self, symbol: Symbol) -> str:
        links = self.project.links(symbol.path)
        return links.strings[links.classes.get(symbol.scope, 0)]


def _grammar() -> Any:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


RUBY: Final = Language(
    "ruby",
    _grammar,
    RubyWalk,
    RubyRules,
    source_roots=("lib", "app"),
    comment="#",
    close=closed_blocks,
)
