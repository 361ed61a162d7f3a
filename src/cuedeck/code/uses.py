"""Where a name is used on a ref: by what it means there, worked out once for all that bear the name."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import ROLE_SHIFT, Role
from cuedeck.code.rules import Rules
from cuedeck.code.values import EXTERNAL, Target, Targets, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

EDGES: Final = ("imports", "calls", "implements", "extends", "references")
_EDGE_OF_ROLE: Final = {
    Role.CALL: "calls",
    Role.EXTENDS: "extends",
    Role.IMPLEMENTS: "implements",
    Role.IMPORT: "imports",
}
_LOCAL_IMPORTS: Final = (".", "crate::", "self::", "super::")


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place in the source that names something."""

    path: str
    offset: int
    line: int
    edge: str


def edge_of(role: int) -> str:
    """What a use is called that has this role."""
    return _EDGE_OF_ROLE.get(role, "references")


@dataclass(frozen=True, slots=True)
class Uses:
    """Every use of a name: for each target the uses that mean it, and those that lead nowhere."""

    paths: tuple[str, ...]
    meaning: dict[Target, array[int]]  # pairs: the file, as its place among ``paths``, and the expression
    unproven: tuple[tuple[Site, Targets], ...]  # in order
    size: int

    def of(self, targets: Iterable[Target]) -> Iterator[tuple[str, int]]:
        """The uses that mean any of the targets: file and expression."""
        pairs: set[tuple[int, int]] = set()
        for target in targets:
            held = self.meaning.get(target)
            if held is not None:
                pairs.update(zip(held[::2], held[1::2], strict=True))
        return ((self.paths[place], site) for place, site in pairs)


def uses_of(snapshot: Snapshot, name: str) -> Uses:
    """Look at every use of a name."""
    paths = tuple(snapshot.files_naming(name))
    snapshot.prepare(paths)
    meaning: dict[Target, array[int]] = {}
    unproven: dict[tuple[str, int], tuple[Site, Targets]] = {}
    size = 0
    for place, path in enumerate(paths):
        links = snapshot.links(path)
        for site in links.sites.get(links.string_numbers.get(name, -1), ()):
            targets = snapshot.linker.targets(path, site)
            size += 1
            for target in targets:
                meaning.setdefault(target, array("I")).extend((place, site))
            if _unproven(snapshot, path, targets):
                offset, edge = links.pos[site], edge_of(links.ops[site] >> ROLE_SHIFT)
                found = Site(path, offset, snapshot.line_of(path, offset), edge)
                unproven[path, offset] = (found, targets)
    return Uses(paths, meaning, tuple(unproven[place] for place in sorted(unproven)), size)


def _unproven(snapshot: Snapshot, path: str, targets: Targets) -> bool:
    """Whether a name leads nowhere, or to an import that ought to be in the project but was not found."""
    for target in targets:
        if not isinstance(target, Value) or target.tag != EXTERNAL:
            return False
        if not target.path.startswith(_LOCAL_IMPORTS) and type(snapshot.rules(path)) is not Rules:
            return False
    return True
