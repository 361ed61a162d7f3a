"""Ruby: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import INSTANCE, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import bound_in, range_of
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.table import Declares, TableWalk, first_of
from cuedeck.code.resolution.values import Symbol, Targets

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_ACCESSORS: Final = frozenset({"attr_accessor", "attr_reader", "attr_writer"})
_MIXINS: Final = frozenset({"include", "extend", "prepend"})
_MAX_SAME: Final = 4


class RubyWalk(TableWalk):
    """Visits Ruby."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class": Declares(Kind.CLASS, ScopeKind.CLASS, extends=("superclass",)),
        "module": Declares(Kind.NAMESPACE, ScopeKind.CLASS),
        "method": Declares(Kind.FUNCTION),
        "singleton_method": Declares(Kind.FUNCTION),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier", "constant")
    members: ClassVar[dict[str, tuple[str, str]]] = {"scope_resolution": ("scope", "name")}
    blocks: ClassVar[tuple[str, ...]] = ("block", "do_block")
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
        "self": "this",
        "super": "parent",
        "string": "text_literal",
        "call": "invoke",
        "assignment": "assignment",
        "instance_variable": "instance_variable",
        "class_variable": "instance_variable",
        "return": "return_",
        "block_parameters": "block_parameters",
        "method_parameters": "block_parameters",
        "parenthesized_statements": "only",
    }

    def name_node(self, node: Node, spec: Declares) -> Node | None:
        name = node.child_by_field_name("name")
        if name is not None and name.type == "scope_resolution":
            return name.child_by_field_name("name")
        return name

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None and node.child_by_field_name("scope") is None:
            # ``::X`` is the X outside of everything.
            return self.row(Op.NAME, 0, self.name(name), name.start_byte, role)
        return super().member(node, scope, role)

    def body(self, node: Node, scope: int) -> None:
        value = 0
        for child in node.named_children:
            value = self.visit(child, scope)
        if value:
            self.returned.append(value)

    def invoke(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
        value = self.visit(owner, scope) if owner is not None else 0
        label = self.text(name) if name is not None else ""
        if owner is None and label in ("require", "require_relative"):
            return self.require(arguments, label)
        if owner is None and label in _ACCESSORS and arguments is not None:
            return self.accessors(arguments, scope)
        callee = 0
        if name is not None:
            if owner is not None:
                callee = self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.CALL)
            else:
                callee = self.reference(name, scope, Role.CALL)
        mixes = owner is None and label in _MIXINS and self.scopes[scope].kind == ScopeKind.CLASS
        given = [
            self.visit(c, scope, Role.EXTENDS if mixes else 0)
            for c in (arguments.named_children if arguments is not None else ())
        ]
        if mixes:
            self.scopes[scope].bases = self.items(
                [*self.lists[self.scopes[scope].bases], *(g for g in given if g)]
            )
        if block is not None:
            self.visit(block, scope)
        if label == "new" and value:
            return self.row(Op.NEW, value)
        return self.row(Op.CALL, callee, self.items(given[:3]))

    def require(self, arguments: Node | None, how: str) -> int:
        text = first_of(arguments) if arguments is not None else None
        if text is not None and text.type == "string":
            number = self.imported(self.text(text).strip("'\""), int(how == "require_relative"))
            self.bind(0, self.intern(b"*"), text.start_byte, Bind.STAR, number)
        return 0

    def accessors(self, arguments: Node, scope: int) -> int:
        for symbol in arguments.named_children:
            if symbol.type == "simple_symbol":
                name = (symbol.start_byte + 1, symbol.end_byte)
                number = self.intern(self.source[name[0] : name[1]])
                self.bind(scope, number, name[0], Bind.VARIABLE)
                self.define(Kind.FIELD, name, symbol, scope)
        return 0

    def instance_variable(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope].owner
        if owner < 0:
            return self.reference(node, scope, role)
        return self.row(Op.ATTR, self.row(Op.SELF, owner), self.name(node), node.start_byte, role)

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.visit(right, scope) if right is not None else 0
        if left is not None:
            self.target(left, scope, value, node)
        return value

    def target(self, left: Node, scope: int, value: int, node: Node) -> None:
        if left.type == "identifier":
            self.bind(scope, self.name(left), left.start_byte, Bind.VARIABLE, 0, value)
        elif left.type == "left_assignment_list":
            for target in left.named_children:
                self.target(target, scope, 0, node)
        elif left.type == "constant":
            self.assign(left, scope, 0, value, Kind.CONSTANT, node)
        elif left.type in ("instance_variable", "class_variable") and self.scopes[scope].owner >= 0:
            owner = self.scopes[scope].owner
            known = self.name(left) in self.names[owner]
            self.bind(owner, self.name(left), left.start_byte, Bind.VARIABLE | INSTANCE, 0, value)
            if not known:
                self.define(Kind.FIELD, left, node, owner)
        else:
            self.visit(left, scope, Role.WRITE)

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

    def seen(self, path: str, name: str) -> Targets:
        found = super().seen(path, name)
        if found or not name[:1].isupper():
            return found
        # A constant of a module that this file opens too.
        links = self.project.links(path)
        opened = {links.strings[number] for number in links.classes.values()}
        return tuple(symbol for symbol in self._constants(name) if self._owner(symbol) in opened)[:_MAX_SAME]

    def _constants(self, name: str) -> Iterator[Symbol]:
        """Where classes and modules bind a name."""
        for path in self.project.files_naming(name):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                if path.endswith(self.endings) and links.scopes[scope].kind == ScopeKind.CLASS:
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
)
