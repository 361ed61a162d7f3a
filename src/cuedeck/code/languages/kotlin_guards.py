"""What Kotlin's conditions say of a name: in branches, behind early exits, in the rest of ``a && b``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cuedeck.code.facts import Op, Role
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING: Final = ("return_expression", "throw_expression")
_LEAVING_WORDS: Final = (b"break", b"continue")
_MAX_GUARDS: Final = 4


class Guard(NamedTuple):
    """A name is, or is not, of a type."""

    name: int
    holds: bool
    of: int

    def denied(self) -> Guard:
        return self._replace(holds=not self.holds)


class KotlinGuards(TableWalk):
    """Visits conditions, and names where some were passed."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.guards: tuple[Guard, ...] = ()
        # What ``is`` was visited as, by its place: conditions are asked about after they were visited.
        self.types_tested: dict[int, int] = {}

    def guarded(self, value: int, name: int) -> int:
        """A name as the conditions around have left it."""
        tests = [
            self.row(Op.TEST, guard.of, self.intern(b"+instanceof" if guard.holds else b"-instanceof"))
            for guard in self.guards
            if guard.name == name
        ]
        return self.row(Op.NARROWED, value, self.items(tests[-_MAX_GUARDS:])) if tests else value

    def forget(self, names: set[int]) -> None:
        """Names that mean something else from here on."""
        if self.guards:
            self.guards = tuple(guard for guard in self.guards if guard.name not in names)

    def within(self, node: Node, scope: int, guards: tuple[Guard, ...]) -> int:
        """Visit what is reached only where some conditions hold."""
        saved, self.guards = self.guards, self.guards + guards
        value = self.visit(node, scope)
        self.guards = saved
        return value

    def is_(self, node: Node, scope: int, role: int = 0) -> int:
        """``x is T``"""
        on, of = node.child_by_field_name("left"), node.child_by_field_name("right")
        if on is None or of is None:
            return self.children(node, scope)
        self.visit(on, scope)
        self.types_tested[node.start_byte] = self.visit(of, scope, Role.TYPE)
        return 0

    def told_by(self, node: Node | None, holds: bool = True) -> tuple[Guard, ...]:
        """What a condition that was visited says where it holds, or where it does not."""
        if node is None:
            return ()
        if node.type == "parenthesized_expression":
            return self.told_by(first_of(node), holds)
        words = {child.type for child in node.children}
        if node.type == "unary_expression" and "!" in words:
            return self.told_by(node.child_by_field_name("argument"), not holds)
        if node.type == "is_expression":
            on = node.child_by_field_name("left")
            of = self.types_tested.get(node.start_byte, 0)
            if on is None or on.type != "identifier" or not of:
                return ()
            return (Guard(self.name(on), holds == ("!is" not in words), of),)
        # Of ``a && b`` both hold; of ``a || b`` neither where it does not.
        if node.type == "binary_expression" and ("&&" if holds else "||") in words:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            return self.told_by(left, holds) + self.told_by(right, holds)
        return ()

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        """``if``: one of what the branches give."""
        condition = node.child_by_field_name("condition")
        branches = [child for child in node.named_children if child != condition]
        if condition is not None:
            self.visit(condition, scope)
        given = [
            self.within(branch, scope, self.told_by(condition, holds=not at))
            for at, branch in enumerate(branches)
            if "comment" not in branch.type
        ]
        return self.either(given)

    def left_behind(self, node: Node) -> tuple[Guard, ...]:
        """What holds behind a statement: ``if (x !is T) return``."""
        if node.type != "if_expression":
            return ()
        condition = node.child_by_field_name("condition")
        branches = [child for child in node.named_children if child != condition]
        if len(branches) == 1 and self.leaves(branches[0]):
            return self.told_by(condition, holds=False)
        return ()

    def conditions(self, node: Node, scope: int) -> int:
        """``a && b`` and ``a || b``: the second is reached by what the first says."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.children(node, scope)
        self.visit(left, scope)
        both = any(child.type == "&&" for child in node.children)
        self.within(right, scope, self.told_by(left, holds=both))
        return 0

    def leaves(self, branch: Node) -> bool:
        """Whether nothing behind a branch is reached through it."""
        if branch.type == "block":
            inside = [child for child in branch.named_children if "comment" not in child.type]
            return bool(inside) and self.leaves(inside[-1])
        return branch.type in _LEAVING or (
            branch.type == "identifier" and self.source[branch.start_byte : branch.end_byte] in _LEAVING_WORDS
        )
