"""JavaScript and TypeScript: members that are put on functions, classes and objects from outside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import INSTANCE, OP_MASK, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript_values import FUNCTIONS, ValueWalk
from cuedeck.code.languages.table import doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

_PROTOTYPE: Final = b"prototype"
# Members that every function has, or its instances.
_OWN: Final = (_PROTOTYPE, b"constructor")
_MADE: Final = re.compile(rb"\.prototype\b")
_LETTERS: Final = b"$0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_MAX_MAKER: Final = 80
_INHERITING: Final = re.compile(rb"(?:^|\.)(?:inherits|setPrototypeOf)$")
_MAX_PARENTS: Final = 16
_MAX_VALUES: Final = 8
_DESCRIBING: Final = ("Object.defineProperty", "Reflect.defineProperty")
# What is a declaration where it stands alone.
_DECLARED: Final = {
    "class": "class_declaration",
    "function_expression": "function_declaration",
    "generator_function": "generator_function_declaration",
}
_LOCAL: Final = (ScopeKind.FUNCTION, ScopeKind.BLOCK)


class MemberWalk(ValueWalk):
    """Visits assignments. A function with members is a namespace too, one with a prototype a class."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.makers = {_word_before(source, made.start()) for made in _MADE.finditer(source)}
        # By scope and name: the scope of what has members, and functions that may get one.
        self.holders: dict[tuple[int, int], int] = {}
        self.functions: dict[tuple[int, int], tuple[int, int]] = {}
        self.describes = b".defineProperty" in source
        # Objects that were made without members.
        self.empty: set[int] = set()
        # Variables that were declared with neither a type nor a value, by scope and name, and what the
        # functions that give them values did give them so far.
        self.undecided: dict[tuple[int, int], dict[int, list[int]]] = {}
        self.decided: set[int] = set()

    def object(
        self, node: Node, scope: int, role: int = 0, *, expected: int = 0, into: int | None = None
    ) -> int:
        if into is None and not node.named_child_count:
            # The scope that is opened next is the object's.
            self.empty.add(len(self.scopes))
        return super().object(node, scope, role, expected=expected, into=into)

    def carries(self, name: Node, scope: int, value: int) -> None:
        """Members may be put on what a name stands for, when that is a function or an empty object."""
        if self.rows[4 * value] & OP_MASK == Op.UNION:
            # An object beside what is expected of it.
            value = self.lists[self.rows[4 * value + 2]][-1]
        op, what = self.rows[4 * value] & OP_MASK, self.rows[4 * value + 1]
        if op == Op.FUNCTION:
            self.functions[scope, self.name(name)] = what, name.start_byte
        elif op == Op.SELF and what in self.empty:
            self.holders[scope, self.name(name)] = what

    def makes(self, name: Node, scope: int, inner: int) -> None:
        """A function whose prototype the file speaks of is a class as well."""
        if self.source[name.start_byte : name.end_byte] not in self.makers:
            return
        made = self.holders[scope, self.name(name)] = self.scope(ScopeKind.CLASS, scope)
        self.scopes[made].owner = self.scopes[inner].owner = made
        self.scopes[made].definition = self.scopes[inner].definition
        self.bind(scope, self.name(name), name.start_byte, Bind.CLASS, made)

    def holder(self, node: Node, scope: int) -> int:
        """The scope of the members of ``X`` or ``X.prototype``, or -1."""
        if node.type == "member_expression" and self.is_prototype(node.child_by_field_name("property")):
            node = node.child_by_field_name("object") or node
        if node.type != "identifier":
            return -1
        name, scope = self.name(node), self.declaring(node, scope)
        if (scope, name) in self.functions and (scope, name) not in self.holders:
            inner, at = self.functions[scope, name]
            made = self.holders[scope, name] = self.scope(ScopeKind.NAMESPACE, scope)
            self.scopes[made].definition = self.scopes[inner].definition
            self.bind(scope, name, at, Bind.NAMESPACE, made)
        return self.holders.get((scope, name), -1)

    def is_prototype(self, name: Node | None) -> bool:
        return name is not None and self.source[name.start_byte : name.end_byte] == _PROTOTYPE

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.children(node, scope)
        exported = self.exported_name(left)
        if exported is not None and right.type in FUNCTIONS:
            value = self.function_value(right, scope, name=exported, whole=_statement(node))
            self.export_common(exported, right, node, value, function=True)
            return value
        if scope == 0 and right.type in _DECLARED:
            label = exported if exported is not None else right.child_by_field_name("name")
            if label is not None and (exported is not None or self.text(left) == "module.exports"):
                self.visit(left, scope, Role.WRITE)
                value = self.declared_value(right, label, _statement(node))
                if exported is None:
                    self.export_whole(right, value)
                return value
        if left.type in ("object_pattern", "array_pattern"):
            value = self.visit(right, scope)
            self.pattern(left, scope, value, "", None)
            return value
        target = self.visit(left, scope, Role.WRITE)
        name, owner = left.child_by_field_name("property"), left.child_by_field_name("object")
        member = left.type == "member_expression" and name is not None and owner is not None
        holder = self.holder(owner, scope) if member and owner is not None else -1
        if holder >= 0 and name is not None:
            value = self.put(name, right, node, scope, holder, target)
        else:
            value = self.given(right, scope, target)
        self.forget(left)
        if left.type == "identifier":
            self.decide(left, scope, value)
        if not member or name is None or owner is None:
            return value
        around = self.scopes[scope].owner
        if owner.type == "this" and around >= 0:
            known = self.name(name) in self.names[around]
            hint = self.assigned_type(node, scope)
            self.bind(around, self.name(name), name.start_byte, Bind.VARIABLE | INSTANCE, hint, value)
            if not known:
                self.define(Kind.FIELD, name, node, around)
        elif exported is not None:
            self.export_common(exported, right, node, value, function=False)
        elif self.text(left) == "module.exports":
            self.export_whole(right, value)
        return value

    def fill(self, node: Node, scope: int, value: int) -> None:
        is_name = node.type in ("identifier", "shorthand_property_identifier_pattern")
        target = self.reference if is_name else self.visit
        target(node, scope, Role.WRITE)
        self.forget(node)
        if is_name:
            self.decide(node, scope, value)

    def decide(self, name: Node, scope: int, value: int) -> None:
        """A variable that was declared with neither a type nor a value is what it is given.

        So it is in the function that gives it, behind that; another may be called at any time.
        """
        given = self.undecided.get((self.declaring(name, scope), self.name(name)))
        if value and given is not None:
            self.decided.add(self.name(name))
            given.setdefault(self.function_around(scope), []).append(value)

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().reference(node, scope, role)
        if role != Role.READ or not self.decided or self.name(node) not in self.decided:
            return value
        given = self.undecided.get((self.declaring(node, scope), self.name(node)), {})
        values = given.get(self.function_around(scope), [])[-_MAX_VALUES:]
        return self.row(Op.UNION, 0, self.items([value, *values])) if values else value

    def declaring(self, name: Node, scope: int) -> int:
        """The scope around a place that binds a name, or -1."""
        number = self.name(name)
        while scope >= 0 and number not in self.names[scope]:
            scope = self.scopes[scope].parent
        return scope

    def function_around(self, scope: int) -> int:
        while self.scopes[scope].kind == ScopeKind.BLOCK:
            scope = self.scopes[scope].parent
        return scope

    def declared_value(self, node: Node, name: Node, whole: Node) -> int:
        """A class or function that is exported by being assigned, as if it were declared by that name."""
        spec, own = self.declarations[_DECLARED[node.type]], node.child_by_field_name("name")
        self.declare(node, 0, spec, name, spec.kind, whole)
        value = self.row(Op.NAME, 0, self.name(name), name.start_byte, Role.EXPORT)
        # Its own name is known inside it alone, where the names of a class are not looked for.
        if own is not None and self.name(own) not in self.names[0]:
            self.bind(0, self.name(own), own.start_byte, Bind.LINK, value)
        return value

    def put(self, name: Node, right: Node, node: Node, scope: int, holder: int, target: int) -> int:
        """``X.name = …`` and ``X.prototype.name = …``."""
        if self.is_prototype(name):
            if right.type == "object":
                return self.object(right, scope, into=holder)
            self.inherits(holder, right, scope)
        if self.source[name.start_byte : name.end_byte] in _OWN:
            return self.given(right, scope, target)
        known = self.name(name) in self.names[holder]
        outside = self.scopes[self.scopes[holder].parent].kind not in _LOCAL
        if right.type in FUNCTIONS:
            whole = _statement(node) if outside else None
            value = self.function_value(right, scope, name=name, whole=whole, expected=target, home=holder)
            self.bind(holder, self.name(name), name.start_byte, Bind.FUNCTION, self.rows[4 * value + 1])
            return value
        value = self.given(right, scope, target)
        self.bind(holder, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)
        if outside and not known:
            self.define(Kind.FIELD, name, node, holder, doc=doc_above(_statement(node)))
        return value

    def call(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        if self.makers:
            self.inheriting(node, scope)
        begun = len(self.definitions)
        value = super().call(node, scope, role, expected=expected)
        if self.describes and len(self.definitions) > begun:
            self.described(node, scope, begun)
        return value

    def described(self, node: Node, scope: int, begun: int) -> None:
        """``Object.defineProperty(X, "name", { get() {} })``: the functions are those of a property."""
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        parts = given.named_children if given is not None else []
        if callee is None or self.text(callee) not in _DESCRIBING or len(parts) != 3:
            return
        name = self.unquoted(parts[1])
        if name.type == "string_fragment":
            holder = self.holder(parts[0], scope)
            if holder >= 0:
                self.bind(holder, self.name(name), name.start_byte, Bind.VARIABLE)
            number = self.define(Kind.PROPERTY, name, _statement(node), holder if holder >= 0 else scope)
            if number >= 0:
                self.contain(number, begun, self.definition_of(scope))

    def inheriting(self, node: Node, scope: int) -> None:
        """``inherits(X, Y)`` and ``Object.setPrototypeOf(X.prototype, Y.prototype)``."""
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or given is None or given.named_child_count != 2:
            return
        if _INHERITING.search(self.source[callee.start_byte : callee.end_byte]):
            heir, parent = given.named_children
            holder = self.holder(heir, scope)
            if holder >= 0:
                self.inherits(holder, parent, scope)

    def inherits(self, holder: int, node: Node, scope: int) -> None:
        """Make the class that ``Y``, ``Y.prototype``, ``new Y()`` or ``Object.create(…)`` names a parent."""
        if node.type == "call_expression":
            given = node.child_by_field_name("arguments")
            node = given.named_children[0] if given is not None and given.named_child_count else node
        elif node.type == "new_expression":
            node = node.child_by_field_name("constructor") or node
        if node.type == "member_expression" and self.is_prototype(node.child_by_field_name("property")):
            node = node.child_by_field_name("object") or node
        known = self.lists[self.scopes[holder].bases]
        if node.type in ("identifier", "member_expression") and len(known) < _MAX_PARENTS:
            self.scopes[holder].bases = self.items((*known, self.visit(node, scope, Role.EXTENDS)))


def _statement(node: Node) -> Node:
    """The statement that an expression is."""
    parent = node.parent
    return parent if parent is not None and parent.type == "expression_statement" else node


def _word_before(source: bytes, at: int) -> bytes:
    before = source[max(0, at - _MAX_MAKER) : at]
    return before[len(before.rstrip(_LETTERS)) :]
