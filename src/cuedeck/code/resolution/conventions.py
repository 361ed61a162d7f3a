"""Other linkers: one that trusts the conventions of libraries, and one that assumes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Self

from cuedeck.code.facts import OP_MASK, Bind, Op
from cuedeck.code.resolution.anything import is_anything, spreads_anything, swallows
from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.memo import Memo
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.uses import Site, Uses
from cuedeck.code.resolution.values import Symbol, Target, Value, Values

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

# A name that stands in very many tests would take longer than anybody waits.
_MOST: Final = 5_000
# What an expression is taken from by its name, told types, known more of, or called.
_TAKEN: Final = frozenset({Op.ATTR, Op.INDEX, Op.NARROWED, Op.WANTED, Op.CALL})


class LinkerBeside(Linker):
    """Another resolution over a snapshot, with rules of its own."""

    def __init__(self, snapshot: Snapshot, memo: Memo | None = None) -> None:
        self.own: dict[type[Rules], Rules] = {}
        self.snapshot = snapshot
        super().__init__(snapshot, self.own_rules_of, memo)

    def own_rules_of(self, path: str) -> Rules:
        """What rules there are for a file's language, made for this linker."""
        kind = type(self.snapshot.rules(path))
        if kind not in self.own:
            self.own[kind] = kind(self)
        return self.own[kind]

    def moved(self, snapshot: Snapshot) -> Self:
        """The same for a later state of the same paths, with what it knows."""
        other = type(self)(snapshot, self.memo)
        other.own = {kind: rules.moved(other) for kind, rules in self.own.items() if rules.keeps_results}
        return other


class ConventionalLinker(LinkerBeside):
    """A linker for which libraries do what is usual.

    Parameters without a type are what is handed to whatever is named so, and any foreign parent takes the
    typed members of its heirs by name. What a module lists while it runs is what it has.
    """

    trusts = True

    def told_later(self, symbol: Symbol) -> Values:
        return super().told_later(symbol) or self.rules_of(symbol.path).handed(symbol)

    def is_trusted(self, owner: Value, known: frozenset[str]) -> bool:
        return True


class ProvingLinker(LinkerBeside):
    """A linker that takes nothing to be so that the files do not say.

    What is imported from a package that is not installed is a variable of its file, which may be anything.
    """

    def assumes(self) -> bool:
        return False

    def _annotation(self, path: str, number: int) -> Values:
        return () if swallows(self, path, number) else super()._annotation(path, number)

    def either(self, path: str, number: int) -> Values:
        return () if swallows(self, path, number) else super().either(path, number)

    def oneself(self, path: str, scope: int) -> Values:
        return () if spreads_anything(self, path, scope) else super().oneself(path, scope)

    def generic(self, path: str, number: int) -> Values:
        absent = self.is_of_absent(path, self.links(path).a[number])
        return () if absent or is_anything(self, path, number) else super().generic(path, number)

    def foreign_call(self, path: str, callee: int, label: str, arguments: tuple[int, ...]) -> Values:
        absent = self.is_of_absent(path, callee)
        return () if absent else super().foreign_call(path, callee, label, arguments)

    def is_own(self, path: str, number: int) -> bool:
        return super().is_own(path, number) or self.is_of_absent(path, number)

    def is_of_absent(self, path: str, number: int) -> bool:
        """Whether an expression is, or is taken from, what a file imports from where nothing is known."""
        links = self.links(path)
        while links.ops[number] & OP_MASK in _TAKEN:
            number = links.a[number]
        named = links.ops[number] & OP_MASK == Op.NAME
        return named and any(map(self.is_imported, self.targets(path, number)))

    def is_imported(self, target: Target) -> bool:
        """Whether a target is what a file imports from where nothing is known."""
        if not isinstance(target, Symbol):
            return False
        links = self.links(target.path)
        bindings = links.names[target.scope].get(links.string_numbers.get(target.name, -1), ())
        return any(links.bindings[3][b] in (Bind.IMPORT, Bind.MODULE) for b in bindings)


def guessed(snapshot: Snapshot, uses: Uses) -> dict[Target, list[tuple[str, int]]]:
    """By what they lead to where conventions are trusted, the uses that lead nowhere: file and expression."""
    found: dict[Target, list[tuple[str, int]]] = defaultdict(list)
    asked = [
        site
        for site in uses.unproven
        if (site.path, site.offset) in uses.given or snapshot.rules(site.path).is_guessed_at(site.path)
    ]
    for path, row in _rows(snapshot, uses.name, asked[:_MOST]):
        for target in snapshot.guesses.targets(path, row):
            if isinstance(target, Symbol):
                found[target].append((path, row))
    return found


def _rows(snapshot: Snapshot, name: str, sites: list[Site]) -> Iterator[tuple[str, int]]:
    places = {(site.path, site.offset) for site in sites}
    for path in sorted({site.path for site in sites}):
        links = snapshot.links(path)
        rows = links.sites.get(links.string_numbers.get(name, -1), ())
        yield from ((path, row) for row in rows if (path, links.pos[row]) in places)
