"""Where a name is used on a ref: by what it means there, worked out once for all that bear the name."""

from __future__ import annotations

import time
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Op, Role
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.values import EXTERNAL, Target, Targets, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

EDGES: Final = ("imports", "calls", "implements", "extends", "references")
_EDGE_OF_ROLE: Final = {
    Role.CALL: "calls",
    Role.EXTENDS: "extends",
    Role.IMPLEMENTS: "implements",
    Role.IMPORT: "imports",
}
# How long one question may look, in the thread's own time, and how many files are loaded in one go.
SECONDS: Final = 5.0
_FILES_AT_ONCE: Final = 64
# About how many bytes a site takes, and a use with what it means.
SITE: Final = 150
_USE: Final = 24
# Why a place counts though it is no plain use of what is declared at one place: it runs a constructor that it
# does not name, it makes an instance of a class by the constructor that this declares, it leads there if the
# project's packages are built and installed, it takes the name from where that is only listed among exports,
# it is a key of an object where something else may be expected as well, it declares the symbol once more, a
# library does what it does by convention, or an interface passes it on to whatever satisfies it.
CONSTRUCTS: Final = "constructs"
MAKES: Final = "makes"
PACKAGE: Final = "package"
EXPORTS: Final = "exports"
DECLARES: Final = "declares"
KEY: Final = "key"
CONVENTION: Final = "convention"
DISPATCH: Final = "dispatch"
# The language leads to the stub beside the module that is asked about.
STUB: Final = "stub"
# Whoever asks by a name, and not by the place of a definition, means these as well.
BY_NAME: Final = frozenset({EXPORTS, KEY, MAKES, PACKAGE})
_LOCAL_IMPORTS: Final = (".", "crate::", "self::", "super::")


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place in the source that names something."""

    path: str
    offset: int
    line: int
    edge: str
    likely: str = ""  # why it counts for a symbol that it does not name, or names by convention only


def edge_of(role: int) -> str:
    """What a use is called that has this role."""
    return _EDGE_OF_ROLE.get(role, "references")


class Uses:
    """Every use of a name: for each target the uses that mean it, and those that lead nowhere.

    A name that stands in ten thousand files takes longer to look at than a caller waits: then what was found
    in time is given, and the next question goes on from there.
    """

    def __init__(self, snapshot: Snapshot, name: str) -> None:
        self.name = name
        self.paths = tuple(snapshot.files_bearing(name))
        self.looked = 0
        self.size = 0
        # Pairs: the file, as its place among the paths, and the expression.
        self._meaning: dict[Target, array[int]] = {}
        # Of these, those that mean it only if packages are what they are taken for.
        self._assumed: dict[Target, set[tuple[int, int]]] = {}
        # In order; the few of them that lead to an import outside the project, by their place.
        self.unproven: list[Site] = []
        # Of these, what is given by name to something that is called.
        self.given: set[tuple[str, int]] = set()
        self._outside: dict[tuple[str, int], Targets] = {}

    @property
    def targets(self) -> Collection[Target]:
        """What the name means anywhere."""
        return self._meaning.keys()

    @property
    def weight(self) -> int:
        """About how much memory this takes."""
        held = SITE * (len(self.unproven) + sum(map(len, self._assumed.values())))
        return 8 * len(self.paths) + _USE * self.size + held

    def targets_of(self, site: Site) -> Targets:
        """What an unproven use leads to outside the project."""
        return self._outside.get((site.path, site.offset), ())

    def of(self, targets: Iterable[Target]) -> Iterator[tuple[str, int]]:
        """The uses that mean any of the targets: file and expression."""
        pairs: set[tuple[int, int]] = set()
        for target in targets:
            held = self._meaning.get(target)
            if held is not None:
                pairs.update(zip(held[::2], held[1::2], strict=True))
        return ((self.paths[place], site) for place, site in pairs)

    def proven(self, targets: Iterable[Target]) -> set[tuple[str, int]]:
        """Of the uses that mean any of the targets those that do so without an assumption."""
        pairs: set[tuple[int, int]] = set()
        for target in targets:
            held = self._meaning.get(target, ())
            pairs.update(set(zip(held[::2], held[1::2], strict=True)) - self._assumed.get(target, set()))
        return {(self.paths[place], site) for place, site in pairs}

    def look(self, snapshot: Snapshot, until: float | None = None) -> None:
        """Look at the files not looked at yet, as many as there is time for."""
        until = time.thread_time() + SECONDS if until is None else until
        while self.looked < len(self.paths):
            part = self.paths[self.looked : self.looked + _FILES_AT_ONCE]
            snapshot.prepare(part)
            for path in part:
                self._look_into(snapshot, path)
                self.looked += 1
                if time.thread_time() > until:
                    return

    def _look_into(self, snapshot: Snapshot, path: str) -> None:
        links, linker = snapshot.links(path), snapshot.linker
        unproven: dict[int, Site] = {}
        for site in links.sites.get(links.string_numbers.get(self.name, -1), ()):
            targets, assumed = linker.resting(linker.targets, path, site)
            self.size += 1
            for target in targets:
                self._meaning.setdefault(target, array("I")).extend((self.looked, site))
            proven = snapshot.proofs.targets(path, site) if assumed and targets else targets
            for target in targets if proven is not targets else ():
                if target not in proven:
                    self._assumed.setdefault(target, set()).add((self.looked, site))
            if _unproven(snapshot, path, targets) and (targets or not _of_stranger(snapshot, path, site)):
                offset, edge = links.pos[site], edge_of(links.ops[site] >> ROLE_SHIFT)
                unproven[offset] = Site(path, offset, snapshot.line_of(path, offset), edge)
                if targets:
                    self._outside[path, offset] = targets
                elif links.ops[site] & OP_MASK == Op.KEYWORD:
                    self.given.add((path, offset))
        self.unproven += [unproven[offset] for offset in sorted(unproven)]


def _of_stranger(snapshot: Snapshot, path: str, site: int) -> bool:
    """Whether a name is taken from a type that nothing in the project declares, as in ``String::new``."""
    links = snapshot.links(path)
    owner = links.a[site]
    if links.ops[site] & OP_MASK != Op.ATTR:
        return False
    if links.ops[owner] & OP_MASK == Op.INDEX:
        owner = links.a[owner]
    name = links.strings[links.b[owner]] if links.ops[owner] & OP_MASK == Op.NAME else ""
    return name[:1].isupper() and not (
        links.bound.get(links.string_numbers[name])
        or snapshot.linker.targets(path, owner)
        or snapshot.files_defining(name)
    )


def _unproven(snapshot: Snapshot, path: str, targets: Targets) -> bool:
    """Whether a name leads nowhere, or to an import that ought to be in the project but was not found."""
    for target in targets:
        if not isinstance(target, Value) or target.tag != EXTERNAL:
            return False
        if not target.path.startswith(_LOCAL_IMPORTS) and type(snapshot.rules(path)) is not Rules:
            return False
    return True
