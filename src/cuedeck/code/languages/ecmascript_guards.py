"""JavaScript and TypeScript: what conditions say about the values that they look at, as facts."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript_types import TypeWalk
from cuedeck.code.languages.table import first_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CHOICES: Final = ("||", "??", "&&")
_DEFAULTS: Final = ("||", "??")
# What a default may stand in for.
_GIVING: Final = frozenset({"identifier", "member_expression", "subscript_expression", "call_expression"})
_EXITS: Final = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})
_EQUAL: Final = {"===": True, "==": True, "!==": False, "!=": False}
_PATHS: Final = frozenset({"identifier", "member_expression"})
_LITERALS: Final = frozenset({"string", "true", "false", "number"})
_TEXTS: Final = ("string", "template_string")
# Names of functions that may end what they are called in unless a condition holds.
_ASSERTING: Final = re.compile(rb"assert|invariant|ensure|require|verify|check|must|^ok$", re.IGNORECASE)
_MAX_CHAIN: Final = 24
_MAX_KEYS: Final = 4


class Guard:
    """One thing that a condition says; its row is made when something it speaks of is used."""

    __slots__ = ("label", "operands", "row", "scope", "sides")

    def __init__(self, label: bytes, operands: list[Node], scope: int, *sides: tuple[Guard, ...]) -> None:
        self.label, self.operands, self.scope, self.row = label, operands, scope, 0
        self.sides = sides  # what is said of the same thing under a condition


# For the text of a name or member, what is known of it.
Guards = dict[bytes, tuple[Guard, ...]]


class GuardWalk(TypeWalk):
    """Names and members inside a region that a condition guards are narrowed by it."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.guards: Guards = {}

    # -- uses

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().reference(node, scope, role)
        return self.narrowed(node, value) if self.guards and role in (Role.READ, Role.CALL) else value

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().member(node, scope, role)
        return self.narrowed(node, value) if self.guards and role == Role.READ else value

    def narrowed(self, node: Node, value: int) -> int:
        known = self.guards.get(self.path_of(node))
        return self.row(Op.NARROWED, value, self.items([self.test(g) for g in known])) if known else value

    def path_of(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte].replace(b"?.", b".").replace(b"!.", b".")

    def test(self, guard: Guard) -> int:
        if not guard.row:
            operands = [self.operand(node, guard.scope) for node in guard.operands]
            operands += [self.row(Op.UNION, 0, self.items([*map(self.test, side)])) for side in guard.sides]
            operand = operands[0] if len(operands) == 1 else self.row(Op.UNION, 0, self.items(operands))
            guard.row = self.row(Op.TEST, operand, self.intern(guard.label))
        return guard.row

    def operand(self, node: Node, scope: int) -> int:
        if is_literal(node):
            return self.literal(node)
        saved, self.guards = self.guards, {}
        value = self.visit(node, scope)
        self.guards = saved
        return value

    # -- conditions

    def conditions(
        self, node: Node, scope: int, holds: bool, depth: int = 0
    ) -> Iterator[tuple[bytes, Guard]]:
        """What a condition that holds, or does not, says about names and members."""
        while node.type == "parenthesized_expression" and node.named_child_count:
            node = node.named_children[0]
        if depth > _MAX_CHAIN:
            return
        if node.type == "unary_expression":
            argument = node.child_by_field_name("argument")
            if argument is not None and node.children[0].type == "!":
                yield from self.conditions(argument, scope, not holds, depth + 1)
        elif node.type == "binary_expression":
            yield from self.compared(node, scope, holds, depth)
        elif node.type == "call_expression":
            yield from self.predicated(node, scope, holds)
        elif node.type == "member_expression":
            owner, key = node.child_by_field_name("object"), node.child_by_field_name("property")
            if owner is not None and key is not None and owner.type in _PATHS:
                name = self.source[key.start_byte : key.end_byte]
                yield self.path_of(owner), Guard((b"+" if holds else b"-") + b"true " + name, [], scope)

    def compared(self, node: Node, scope: int, holds: bool, depth: int) -> Iterator[tuple[bytes, Guard]]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        sign = b"+" if holds else b"-"
        word = operator.type
        if word == ("&&" if holds else "||"):
            yield from self.conditions(left, scope, holds, depth + 1)
            yield from self.conditions(right, scope, holds, depth + 1)
        elif word in ("&&", "||"):
            one, other = (self.said(side, scope, holds, depth + 1) for side in (left, right))
            for path in one:
                if path in other:
                    yield path, Guard(b"+either ", [], scope, one[path], other[path])
        elif word == "instanceof" and left.type in _PATHS:
            yield self.path_of(left), Guard(sign + b"instanceof ", [right], scope)
        elif word == "in" and left.type == "string" and right.type in _PATHS:
            yield self.path_of(right), Guard(sign + b"in " + self.content(left), [], scope)
        elif word in _EQUAL:
            yield from self.equal(left, [right], scope, holds == _EQUAL[word])

    def equal(
        self, left: Node, operands: list[Node], scope: int, holds: bool
    ) -> Iterator[tuple[bytes, Guard]]:
        """``x.kind === …`` and ``typeof x === …``, with one or several things on the right."""
        sign = b"+" if holds else b"-"
        if left.type == "member_expression":
            owner, key = left.child_by_field_name("object"), left.child_by_field_name("property")
            if owner is not None and key is not None and owner.type in _PATHS:
                name = self.source[key.start_byte : key.end_byte]
                yield self.path_of(owner), Guard(sign + b"equals " + name, operands, scope)
        elif left.type == "unary_expression" and left.children[0].type == "typeof":
            looked_at = left.child_by_field_name("argument")
            if looked_at is not None and looked_at.type in _PATHS and operands[0].type in _TEXTS:
                words = b"|".join(self.content(node) for node in operands)
                yield self.path_of(looked_at), Guard(sign + b"typeof " + words, [], scope)

    def predicated(self, node: Node, scope: int, holds: bool) -> Iterator[tuple[bytes, Guard]]:
        """A call of a function that says what its argument is."""
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or given is None or callee.type not in _PATHS:
            return
        sign = b"+" if holds else b"-"
        owner = callee.child_by_field_name("object")
        arguments = [c for c in given.named_children if c.type != "comment"]
        if self.path_of(callee) == b"Array.isArray":
            if arguments and arguments[0].type in _PATHS:
                yield self.path_of(arguments[0]), Guard(sign + b"array ", [], scope)
        elif arguments:
            for position, argument in enumerate(arguments[:2]):
                if argument.type in _PATHS:
                    label = sign + b"predicate %d" % position
                    yield self.path_of(argument), Guard(label, [callee], scope)
        elif owner is not None and owner.type in _PATHS:
            yield self.path_of(owner), Guard(sign + b"predicate this", [callee], scope)

    def content(self, node: Node) -> bytes:
        return self.source[node.start_byte + 1 : node.end_byte - 1]

    def said(self, node: Node, scope: int, holds: bool, depth: int) -> Guards:
        """What a condition says, by what it speaks of."""
        found: Guards = {}
        for path, guard in self.conditions(node, scope, holds, depth):
            found[path] = (*found.get(path, ()), guard)
        return found

    def statement(self, node: Node, scope: int, role: int = 0) -> int:
        """``assert(x.kind === …)``: what is asserted holds from there on, if the function says so."""
        value = self.children(node, scope)
        call = first_of(node)
        callee = call.child_by_field_name("function") if call is not None else None
        given = call.child_by_field_name("arguments") if call is not None else None
        if call is None or callee is None or given is None or callee.type not in _PATHS:
            return value
        if not _ASSERTING.search(self.path_of(callee).rsplit(b".", 1)[-1]):
            return value
        known = dict(self.guards)
        for path, guard in self.predicated(call, scope, True):
            known[path] = (*known.get(path, ()), guard)
        condition = first_of(given)
        for path, guards in self.said(condition, scope, True, 0).items() if condition is not None else ():
            known[path] = (*known.get(path, ()), Guard(b"+asserts ", [callee], scope, guards))
        self.guards = known
        return value

    def knowing(self, node: Node, scope: int, holds: bool) -> Guards:
        """What is known when a condition holds, or does not, beside what is known already."""
        known = dict(self.guards)
        for path, guard in self.conditions(node, scope, holds):
            known[path] = (*known.get(path, ()), guard)
        return known

    def discriminated(self, node: Node, scope: int, expected: int) -> int:
        """The type that is expected of an object, of several those that agree with its constant members."""
        tests: list[int] = []
        for child in node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or value is None or key.type != "property_identifier" or len(tests) == _MAX_KEYS:
                continue
            if is_literal(value) or self.is_constant(value):
                label = b"+set " + self.source[key.start_byte : key.end_byte]
                tests.append(self.test(Guard(label, [value], scope)))
        return self.row(Op.NARROWED, expected, self.items(tests)) if tests else expected

    def is_constant(self, node: Node) -> bool:
        """``Kind.Member`` or ``KIND``, as far as its spelling tells."""
        text = self.source[node.start_byte : node.end_byte]
        if node.type == "member_expression":
            return text[:1].isupper()
        return node.type == "identifier" and text.isupper()

    # -- regions

    def guarded(self, node: Node, scope: int, guards: Guards) -> int:
        saved, self.guards = self.guards, guards
        value = self.visit(node, scope)
        self.guards = saved
        return value

    def block(self, node: Node, scope: int, role: int = 0) -> int:
        saved = self.guards
        value = super().block(node, scope, role)
        self.guards = saved
        return value

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        if condition is None or then is None:
            return self.children(node, scope)
        self.visit(condition, scope)
        holding, failing = self.knowing(condition, scope, True), self.knowing(condition, scope, False)
        self.guarded(then, scope, holding)
        if otherwise is not None:
            self.guarded(otherwise, scope, failing)
        # What follows is reached only past a branch that does not leave.
        if self.leaves(then):
            self.guards = failing
        elif otherwise is not None and self.leaves(otherwise):
            self.guards = holding
        return 0

    def leaves(self, node: Node) -> bool:
        """Whether a statement ends by leaving the block around it."""
        while node.type in ("statement_block", "else_clause"):
            inner = [c for c in node.named_children if c.type != "comment"]
            if not inner:
                return False
            node = inner[-1]
        return node.type in _EXITS

    def while_(self, node: Node, scope: int, role: int = 0) -> int:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is None or body is None:
            return self.children(node, scope)
        self.visit(condition, scope)
        return self.guarded(body, scope, self.knowing(condition, scope, True))

    def switch(self, node: Node, scope: int, role: int = 0) -> int:
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if value is None or body is None:
            return self.children(node, scope)
        self.visit(value, scope)
        subject = value.named_children[0] if value.named_child_count else value
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        saved, every, open_cases = self.guards, list[Any](), list[Any]()
        for case in body.named_children:
            label = case.child_by_field_name("value")
            if label is not None:
                every.append(label)
                open_cases.append(label)
                known = self.equal(subject, open_cases[:_MAX_CHAIN], inner, True)
            else:
                # Cases that fall into the default are among what it takes.
                left_out = [other for other in every if other not in open_cases]
                known = self.equal(subject, left_out[:_MAX_CHAIN], inner, False) if left_out else iter(())
            statements = case.children_by_field_name("body")
            self.guards = dict(saved)
            for path, guard in known:
                self.guards[path] = (*self.guards.get(path, ()), guard)
            self.children(case, inner)
            if statements and self.leaves(statements[-1]):
                open_cases = []
        self.guards = saved
        return 0

    def forget(self, node: Node) -> None:
        """What was known of a name is over when it is assigned to."""
        path = self.path_of(node)
        if any(known == path or known.startswith(path + b".") for known in self.guards):
            self.guards = {
                known: guards
                for known, guards in self.guards.items()
                if known != path and not known.startswith(path + b".")
            }

    # -- choices

    @abstractmethod
    def given(self, node: Node, scope: int, expected: int) -> int:
        """Visit a value of which a type is expected; 0 when none is."""

    def binary(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        chain: list[Node] = []
        while node.type == "binary_expression" and node.named_child_count > 1:
            chain.append(node)
            node = node.named_children[0]
        saved = self.guards
        value = self.given(node, scope, expected)
        for step in reversed(chain):
            operator = step.child_by_field_name("operator")
            word = operator.type if operator is not None else ""
            if word in ("&&", "||"):
                self.guards = {**saved, **self.knowing(step.named_children[0], scope, word == "&&")}
            other = step.named_children[-1]
            wanted = expected if word in _CHOICES else 0
            if not expected and word in _DEFAULTS and other.type == "object":
                # Where nothing else is expected of it, a default is what it stands in for.
                wanted = value if step.named_children[0].type in _GIVING else 0
            right = self.given(other, scope, wanted)
            self.guards = saved
            if word in _CHOICES:
                value = self.row(Op.UNION, 0, self.items([value, right]))
        return value


def is_literal(node: Node) -> bool:
    """Whether a value is a constant as it is written, maybe between backticks."""
    whole = node.type == "template_string" and node.named_child_count == 1
    return node.type in _LITERALS or (whole and node.named_children[0].type == "string_fragment")
