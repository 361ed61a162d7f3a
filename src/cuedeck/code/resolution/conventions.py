"""What is likely by the conventions of libraries: uses of a name that lead nowhere by the language alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.uses import Site, Uses
from cuedeck.code.resolution.values import Symbol, Target, Value, Values

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

# A name that stands in very many tests would take longer than anybody waits.
_MOST: Final = 5_000


class ConventionalLinker(Linker):
    """A linker for which libraries do what is usual.

    Parameters without a type are what is handed to whatever is named so, and any foreign parent takes the
    typed members of its heirs by name. What a module lists while it runs is what it has.
    """

    trusts = True

    def told_later(self, symbol: Symbol) -> Values:
        return super().told_later(symbol) or self.rules_of(symbol.path).handed(symbol)

    def is_trusted(self, owner: Value, known: frozenset[str]) -> bool:
        return True


def conventional(snapshot: Snapshot) -> ConventionalLinker:
    """Resolution over a snapshot that trusts conventions, with rules of its own."""
    rules: dict[type[Rules], Rules] = {}

    def rules_of(path: str) -> Rules:
        kind = type(snapshot.rules(path))
        if kind not in rules:
            rules[kind] = kind(linker)
        return rules[kind]

    linker = ConventionalLinker(snapshot, rules_of)
    return linker


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
