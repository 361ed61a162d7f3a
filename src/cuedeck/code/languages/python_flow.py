"""Python's order of statements: which of a name's values no longer count where."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.extraction.draft import Walk
from cuedeck.code.extraction.grammars import grammar_of
from cuedeck.code.facts import OP_MASK, Op, ScopeKind
from cuedeck.code.languages.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

_LEAVING: Final = ("return_statement", "raise_statement")
# Values that may say more of a member than what it holds anywhere does.
_KEPT: Final = (Op.CALL, Op.NAME, Op.ATTR, Op.INDEX, Op.AWAIT, Op.UNION)
# Containers, likewise where what they hold is known: by the column that says what that is.
_FILLED: Final = {Op.SEQUENCE: 1, Op.MAPPING: 1, Op.TUPLE: 2}
_WORDS: Final = re.compile(rb"\b(?:and|or|if|lambda)\b")
# Members of names, and items by a number or text as it is written.
_CHAIN: Final = re.compile(rb"(?=.{1,80}$)[\w.]+(?:\[(?:-?\d+|\"[^\"\\\n]*\"|'[^'\\\n]*')\])?")
_OWNER: Final = re.compile(rb"(.+)(?:\.\w+|\[.*\])")
# A line that may give a name something: what gives it stands behind it, or a word that does before it.
_GIVING: Final = (
    rb"(?<![\w.])(?:%s)(?![\w.\[(])[^\n]*(?:(?<![=!<>])=(?!=)|\bin\b)"
    rb"|\b(?:as|del)\s+(?:%s)(?![\w.\[(])"
)
_JUMPING: Final = (*_LEAVING, "continue_statement", "break_statement")
# How the functions begin that may tell by ``TypeGuard`` or ``TypeIs`` what they were given.
ASKING: Final = frozenset({b"is", b"ha", b"_i", b"_h"})
_GUARD: Final = re.compile(rb"_*(?:is|has)")
_INSTANCES: Final = (b"isinstance", b"issubclass")
# What a member holds anywhere, beside what it was given.
_ANYWHERE: Final = (0,)
_MAX_GIVEN: Final = 4
_CHECKING: Final = b"TYPE_CHECKING"
# The parts of ``a if x else b``.
_CONDITIONAL: Final = 3


@cache
def _kinds(language: Language) -> list[int]:
    """The numbers of the kinds of node that statements are told apart by."""
    grammar = grammar_of(language)
    kinds = ("comment", "block", "else_clause", "finally_clause", "not_operator", *_JUMPING)
    return [grammar.id_for_node_kind(kind, True) for kind in kinds]


class PythonFlow(Walk):
    """Visits blocks. What is given a value in one ends what the name held before, up to the block's end."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.comment_kind, self.block_kind, self.else_kind, *others = _kinds(self.language())
        self.finally_kind, self.not_kind, *jumping = others
        self.leaving, self.jumping = jumping[: len(_LEAVING)], jumping
        # Where the function, the block and the ``if`` end that are being visited.
        self.last = 0
        self.until = 0
        self.behind = 0
        # From where on the names count that are being given values, 0 where they need not be given any.
        self.settled = 0
        # Whether they are given something that is made of what they held.
        self.renewed = False
        # The names that the block has given values for certain, and those that the last block gave; nothing
        # when what follows that is not reached from it.
        self.given: set[int] = set()
        self.brought: set[int] | None = None
        # The same with names that are given something made of what they held.
        self.changing: set[int] = set()
        self.changed: set[int] = set()
        # The names that tests have told something about, and where: what they affirm and what they deny.
        self.told: list[tuple[int, int]] = []
        self.denied: list[tuple[int, int]] = []
        # What members and items may be by the tests that were passed, or are by what they were given last, by
        # how they are written; which of them the block has given values, and what members of are told.
        self.tested: dict[bytes, tuple[int, ...]] = {}
        self.written: set[bytes] = set()
        self.owners: set[bytes] = set()
        # What the members hold that the last block gave values; nothing as above.
        self.held: dict[bytes, tuple[int, ...]] | None = None
        # The names that a branch for type checkers binds, by scope: in the other they are given nothing.
        self.checked: set[tuple[int, int]] = set()
        # For the function that is being visited: a name or 0 for all, the places between which it is bound,
        # and those between which that counts no longer. Bound from place 1 on (RENEWED): only where what it
        # is bound to at the second place is known.
        self.ended: list[tuple[int, int, int, int, int]] = []

    def language(self) -> Language:
        """Python."""
        raise NotImplementedError

    def function_body(self, node: Node, scope: int, begun: int) -> None:
        """Visit what a function does, whose parameters are bound from a row on."""
        saved = self.last, self.until, self.settled, self.given, self.ended, self.told, self.denied
        changing, self.changing = self.changing, set()
        self.last = self.until = node.end_byte
        self.settled, self.given, self.ended, self.told, self.denied = 0, set(), [], [], []
        self.children(node, scope)
        names = self.bound[begun + 1 :: 6]
        if self.ended and len(set(names)) < len(names):
            held = zip(self.bound[begun::6], names, strict=True)
            times = Counter([name for where, name in held if where == scope])
            self.scopes[scope].ended = self.items(
                [n for row in self.ended if not row[0] or times[row[0]] > 1 for n in row]
            )
        self.last, self.until, self.settled, self.given, self.ended, self.told, self.denied = saved
        self.changing = changing

    def settle(self, name: int, scope: int, place: int) -> None:
        """A name is given a value by a statement that is reached whenever its block is."""
        if self.settled and self.scopes[scope].kind == ScopeKind.FUNCTION:
            self.changing.add(name)
            if not self.renewed:
                self.given.add(name)
            self.ended.append((name, int(self.renewed), place, self.settled, self.until))

    def see_own(self, name: int, scope: int, begun: int, *, known: bool) -> None:
        """In ``f = staticmethod(f)`` and ``date: date`` of a class body the second is the one outside.

        After ``x = changed(x)`` in a function x is likely to be what it was, if nothing else is known.
        """
        rows, in_class = self.rows, self.scopes[scope].kind == ScopeKind.CLASS
        if in_class == known:
            return
        for at in range(begun, len(rows), 4):
            if rows[at] & OP_MASK == Op.NAME and rows[at + 1] == scope and rows[at + 2] == name:
                self.renewed = not in_class
                if in_class:
                    rows[at + 1] = self.scopes[scope].parent

    def block(self, node: Node, scope: int, role: int = 0) -> int:
        """Statements that need not be reached."""
        until, given, written, begun = self.until, self.given, self.written, len(self.bound)
        self.until, self.given, self.written = node.end_byte, set(), set()
        changing, self.changing = self.changing, set()
        last = self.statements(node, scope)
        self.changing, self.changed = changing, self.changing
        held = {text: self.tested.pop(text, _ANYWHERE) for text in self.written}
        self.written |= written
        if last in self.leaving and len(self.bound) > begun:
            self.ended.append((0, node.start_byte, self.until, self.until, self.last))
        leaves = last in self.jumping
        self.brought, self.held = (None, None) if leaves else (self.given, held)
        self.until, self.given = until, given
        return 0

    def statements(self, node: Node, scope: int) -> int:
        """Visit the statements of a block; the kind of the last."""
        table, nothing, last = self.table, self.comment_kind, 0
        for child in node.named_children:
            kind = child.kind_id
            if kind != nothing:
                last = kind
                table[kind](self, child, scope, 0)
        return last

    def surely(self, node: Node, scope: int, role: int = 0) -> int:
        """A statement whose block is reached whenever it is."""
        for child in node.named_children:
            if child.kind_id == self.block_kind:
                self.children(child, scope)
            else:
                self.visit(child, scope)
        return 0

    def not_(self, node: Node, scope: int, role: int = 0) -> int:
        """What a test affirms is denied by its opposite."""
        self.told, self.denied = self.denied, self.told
        self.children(node, scope)
        self.told, self.denied = self.denied, self.told
        return 0

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        """An ``if`` with all that belongs to it."""
        behind, self.behind = self.behind, node.end_byte
        before = dict(self.tested) if self.tested else {}
        branches, held = self.condition(node, scope)
        self.behind = behind
        if branches is not None:
            self.join(node, branches)
        self.join_members(before, held)
        return 0

    def try_(self, node: Node, scope: int, role: int = 0) -> int:
        """What is tried, what is done where that fails, and where it does not."""
        before = dict(self.tested) if self.tested else {}
        ends: list[dict[bytes, tuple[int, ...]] | None] = []
        for child in node.named_children:
            kind = child.kind_id
            if kind == self.comment_kind:
                continue
            written, self.written = self.written, set()
            self.visit(child, scope)
            if kind == self.finally_kind:
                # Reached from anywhere, so that what it gives alone is certain behind it.
                ends = [held and {t: k for t, k in held.items() if t not in self.written} for held in ends]
            elif kind == self.else_kind and ends[0] is not None:
                ends[0] = None if self.held is None else {**ends[0], **self.held}
            else:
                ends.append(self.held)
            self.written |= written
        self.join_members(before, ends)
        return 0

    def elif_(self, node: Node, scope: int, role: int = 0) -> int:
        """Another condition of an ``if``."""
        self.condition(node, scope)
        return 0

    def condition(
        self, node: Node, scope: int
    ) -> tuple[list[set[int] | None] | None, list[dict[bytes, tuple[int, ...]] | None]]:
        """What a condition affirms holds in its branch and perhaps behind, what it denies in the others.

        Given back are the names that each branch gave values, if one of them is an ``else``, and the members.
        """
        around, self.tested = self.tested, dict(self.tested)
        written, self.written = self.written, set()
        outer, self.told, self.denied = (self.told, self.denied), [], []
        condition, *parts = node.named_children
        denies = condition.kind_id == self.not_kind
        self.visit(condition, scope)
        told, denied = self.told, self.denied
        begun = len(self.bound)
        branches: list[set[int] | None] = []
        ends: list[dict[bytes, tuple[int, ...]] | None] = []
        kind = 0
        for child in parts:
            kind = child.kind_id
            if kind == self.comment_kind:
                continue
            self.told, self.denied = [], []
            if kind != self.block_kind and not denies:
                self.tested = around
            if (
                kind == self.else_kind
                and not denies
                and self.source.endswith(_CHECKING, 0, condition.end_byte)
            ):
                self.unchecked(child, scope, begun)
            else:
                self.visit(child, scope)
            branches.append(self.brought)
            ends.append(self.held)
            if kind == self.block_kind and (told or denied):
                end = child.end_byte
                self.forget(denied, child.start_byte, end)
                self.forget(told, end, self.last if self.brought is None else self.behind)
                if_true, if_false = self.certain(condition)
                if if_true:
                    self.prove(told, denied, child.start_byte, end)
                if if_false:
                    # What another condition leaves need not have been asked behind the whole.
                    first = node.type == "if_statement"
                    left = self.brought is None and first
                    changed = self.changed if first and not left else ()
                    self.prove(denied, told, end, self.until if left else self.behind)
                    self.prove(
                        [test for test in denied if test[0] in changed],
                        [test for test in told if test[0] in changed],
                        self.behind,
                        self.until,
                    )
        if not denies:
            self.tested = around
        for text in self.written:
            self.tested.pop(text, None)
        self.written |= written
        self.told, self.denied = outer
        if kind == self.else_kind:
            return branches, ends
        return None, [*ends, {}]

    def unchecked(self, node: Node, scope: int, begun: int) -> None:
        """Visit what type checkers do not see; what they do see is bound from a row on."""
        bound = zip(self.bound[begun::6], self.bound[begun + 1 :: 6], strict=True)
        outer, self.checked = self.checked, set(bound)
        self.visit(node, scope)
        self.checked = outer

    def conditional(self, node: Node, scope: int, role: int = 0) -> int:
        """``a if x else b``: what the test says holds for one of the two."""
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) != _CONDITIONAL:
            return self.children(node, scope)
        first, condition, last = parts
        told, denied = len(self.told), len(self.denied)
        around, self.tested = self.tested, dict(self.tested)
        self.visit(condition, scope, role)
        tested, denies = self.tested, condition.kind_id == self.not_kind
        self.tested = around if denies else tested
        value = self.visit(first, scope, role)
        self.tested = tested if denies else around
        other = self.visit(last, scope, role)
        self.tested = around
        passed, failed = self.told[told:], self.denied[denied:]
        if passed or failed:
            if_true, if_false = self.certain(condition)
            if if_true:
                self.prove(passed, failed, first.start_byte, first.end_byte)
            if if_false:
                self.prove(failed, passed, last.start_byte, last.end_byte)
        return self.row(Op.UNION, 0, self.items([value, other]))

    def comprehension(self, node: Node, scope: int, role: int = 0) -> int:
        """What is collected; the tests of its names are its own."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        body = node.child_by_field_name("body")
        begun, told, denied = len(self.ended), len(self.told), len(self.denied)
        first = True
        for child in node.named_children:
            if child.type == "for_in_clause":
                right = child.child_by_field_name("right")
                left = child.child_by_field_name("left")
                if left is None or right is None:
                    continue
                source = self.visit(right, scope if first else inner)
                first = False
                self.assign(left, inner, 0, self.row(Op.ELEMENT, source))
        for child in node.named_children:
            if child.type == "if_clause":
                self.sift(child, inner, node)
        value = 0
        if body is not None and body.type == "pair":
            pair = [self.visit(c, inner) for c in body.named_children]
            value = self.row(Op.MAPPING, pair[-1], pair[0])
        elif body is not None:
            value = self.row(Op.SEQUENCE, self.visit(body, inner))
        own = self.names[inner]
        self.told[told:] = [test for test in self.told[told:] if test[0] not in own]
        self.denied[denied:] = [test for test in self.denied[denied:] if test[0] not in own]
        ended = self.ended[begun:]
        self.ended[begun:] = [row for row in ended if row[0] not in own]
        self.scopes[inner].ended = self.items([n for row in ended if row[0] in own for n in row])
        return value

    def sift(self, clause: Node, scope: int, within: Node) -> None:
        """What passes a comprehension's test is collected, and goes on to what follows the test."""
        told, denied = len(self.told), len(self.denied)
        self.children(clause, scope)
        passed, failed = self.told[told:], self.denied[denied:]
        if (passed or failed) and self.certain(clause.named_children[0])[0]:
            collected = within.named_children[0]
            self.prove(passed, failed, collected.start_byte, collected.end_byte)
            self.prove(passed, failed, clause.end_byte, within.end_byte)

    def assert_(self, node: Node, scope: int, role: int = 0) -> int:
        """What is asserted holds up to the end of the block."""
        told, denied = len(self.told), len(self.denied)
        self.children(node, scope)
        passed, failed = self.told[told:], self.denied[denied:]
        if (passed or failed) and self.certain(node.named_children[0])[0]:
            self.prove(passed, failed, node.end_byte, self.until)
        return 0

    def certain(self, condition: Node) -> tuple[bool, bool]:
        """Whether all that a condition tests has passed where it is true, and failed where it is false."""
        if condition.kind_id == self.not_kind:
            condition = condition.named_children[-1]
        while condition.type == "parenthesized_expression" and condition.named_child_count == 1:
            condition = condition.named_children[0]
        words = set(_WORDS.findall(self.source, condition.start_byte, condition.end_byte))
        if condition.type == "call" or condition.type == "comparison_operator":
            return not words, not words
        if condition.type != "boolean_operator" or b"if" in words or b"lambda" in words:
            return False, False
        return b"or" not in words, b"and" not in words

    def prove(
        self, passed: Iterable[tuple[int, int]], failed: Iterable[tuple[int, int]], start: int, end: int
    ) -> None:
        """Tests have certainly passed, or failed, between two places: ranges that hold nothing say so."""
        self.ended += [(name, place, place, start, end) for name, place in passed]
        self.ended += [(name, place + 1, place, start, end) for name, place in failed]

    def asked(self, called: bytes, callee: int, first: Node, scope: int, given: list[int]) -> None:
        """What a call may tell of its argument."""
        if called in _INSTANCES:
            if len(given) == 2:
                self.narrow(first, scope, given[1], of_class=called == _INSTANCES[1])
        elif len(given) == 1 and _GUARD.match(called):
            told = len(self.rows) >> 2
            self.rows += (Op.PREDICATE, callee, 0, self.rows[-1])
            self.narrow(first, scope, told)

    def assign(self, target: Node, scope: int, annotation: int, value: int) -> None:
        """Bind what a target names."""
        raise NotImplementedError

    def narrow(self, node: Node, scope: int, kind: int, *, of_class: bool = False) -> None:
        """Note what a test says of a name or member."""
        raise NotImplementedError

    def tell(self, node: Node, scope: int, kind: int, holds: bool) -> None:
        """Note what a comparison says of a name, or denies."""
        if holds:
            self.narrow(node, scope, kind)
        else:
            self.told, self.denied = self.denied, self.told
            self.narrow(node, scope, kind)
            self.told, self.denied = self.denied, self.told

    def loop(self, node: Node, scope: int, role: int = 0) -> int:
        """A statement whose block may be reached again, from its own end."""
        self.again(node)
        return self.children(node, scope)

    def again(self, node: Node) -> None:
        """What a loop gives members, or what they are members of, they may be whenever it goes on."""
        if self.tested:
            self.tested = {
                text: kinds
                for text, kinds in self.tested.items()
                if min(kinds) > 0 or not self.gives(node, text)
            }

    def gives(self, node: Node, text: bytes) -> bool:
        """Whether a statement may give a member, or what it is a member of, another value."""
        names = [text]
        while owner := _OWNER.fullmatch(names[-1]):
            names.append(owner[1])
        written = b"|".join(map(re.escape, names))
        giving = re.compile(_GIVING % (written, written))
        return giving.search(self.source, node.start_byte, node.end_byte) is not None

    def keep(self, text: bytes, value: int) -> None:
        """A member is what it was given, up to the end of the block."""
        self.outdate(text)
        if value and self.tells(value) and _CHAIN.fullmatch(text):
            self.tested[text] = (-value,)
            owner = _OWNER.fullmatch(text)
            while owner is not None:
                self.owners.add(owner[1])
                owner = _OWNER.fullmatch(owner[1])

    def tells(self, value: int) -> bool:
        """Whether a value may say more of a member than what it holds anywhere does."""
        op = self.rows[value << 2] & OP_MASK
        held = self.rows[(value << 2) + _FILLED[op]] if op in _FILLED else 0
        return op in _KEPT or (any(self.lists[held]) if op == Op.TUPLE else held > 0)

    def outdate(self, text: bytes) -> None:
        """What is known of a member, or of the members of what has a name, holds no longer."""
        self.written.add(text)
        self.tested.pop(text, None)
        if text in self.owners:
            for member in [member for member in self.tested if member.startswith((text + b".", text + b"["))]:
                self.written.add(member)
                del self.tested[member]

    def seen(self, value: int, kinds: tuple[int, ...]) -> int:
        """A member as what is known of it says: in place of what it holds anywhere, or beside that."""
        parts = [value] if min(kinds) > 0 or 0 in kinds else []
        for kind in kinds:
            if kind < 0:
                given = self.row(Op.TEST, -kind, self.intern(b"+given"))
                parts.append(self.row(Op.NARROWED, value, self.items([given])))
            elif kind:
                parts.append(kind)
        return self.row(Op.UNION, 0, self.items(parts)) if len(parts) > 1 else parts[0]

    def join(self, node: Node, branches: Iterable[set[int] | None]) -> None:
        """Behind an ``if`` with an ``else``, what each branch gave a value has no earlier one."""
        reached = [names for names in branches if names is not None]
        for name in set.intersection(*reached) if reached else ():
            self.given.add(name)
            self.ended.append((name, 0, node.start_byte, node.end_byte, self.until))

    def join_members(
        self, before: dict[bytes, tuple[int, ...]], ends: list[dict[bytes, tuple[int, ...]] | None]
    ) -> None:
        """Behind branches a member holds what it holds at the end of any that goes on."""
        reached = [held for held in ends if held is not None]
        for text in {text for held in reached for text in held}:
            parts = [held.get(text) or before.get(text, _ANYWHERE) for held in reached]
            whole = any(min(kinds) > 0 or 0 in kinds for kinds in parts)
            given = dict.fromkeys(kind for kinds in parts for kind in kinds if kind)
            if given and len(given) <= _MAX_GIVEN:
                self.tested[text] = (*given, 0) if whole else tuple(given)

    def forget(self, told: Iterable[tuple[int, int]], start: int, end: int) -> None:
        """What tests told does not hold between two places."""
        self.ended += [(name, place, place + 1, start, end) for name, place in told]
