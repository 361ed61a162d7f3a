"""What share of the uses of unique names leads to their one definition; no truth is needed.

    python -m benchmarks.code_refs_unique ROOT [ROOT ...] [--endings .py] [--kinds method field] [--errors N]

A name that a project defines once can hardly mean another thing of that project, so a use of it that leads
nowhere is a thing not followed: a language's rule that is missing, a package that is not found, a receiver
nobody knows; or, now and then, a foreign member of the same name. Compared between repositories of a
language, or between folders of one, it shows systematic faults within seconds. Only names of several words
count (``take_token``, ``takeToken``), as one word is a foreign member's too often, and none of files that are
generated or vendored.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.code.memory_project import MemoryProject

from cuedeck.code.extraction.generated import is_secondary
from cuedeck.code.facts import TYPES, Kind
from cuedeck.code.references import references
from cuedeck.code.resolution.uses import Site

_COMPOUND = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]")
_TYPE = "type"
_KINDS = {**dict.fromkeys(TYPES, _TYPE), Kind.PROPERTY: Kind.METHOD, Kind.CONSTANT: Kind.VARIABLE}


@dataclass
class Screened:
    """Counts of uses that lead to their definition or nowhere, and what leads nowhere most."""

    symbols: int = 0
    followed: int = 0
    lost: int = 0
    names: Counter[str] = field(default_factory=Counter)
    folders: Counter[str] = field(default_factory=Counter)
    sites: list[tuple[str, Site]] = field(default_factory=list)

    def add(self, name: str, followed: int, lost: tuple[Site, ...]) -> None:
        self.symbols += 1
        self.followed += followed
        self.lost += len(lost)
        if lost:
            self.names[name] += len(lost)
            self.folders.update(_folder(site.path) for site in lost)
            self.sites += [(name, site) for site in lost]

    @property
    def share(self) -> float:
        return self.followed / max(1, self.followed + self.lost)


def _folder(path: str) -> str:
    return "/".join(path.split("/")[:-1][:3]) or "."


def unique(project: MemoryProject) -> Iterator[tuple[str, str, int, str, str]]:
    """Names that are defined once: name, path, line, kind and language."""
    defined: Counter[str] = Counter()
    for facts in project.facts.values():
        defined.update(each.name for each in facts.outline.definitions)
    for path, facts in project.facts.items():
        if facts.outline.generated or is_secondary(path):
            continue
        for each in facts.outline.definitions:
            if defined[each.name] == 1 and each.kind != Kind.MODULE and _COMPOUND.search(each.name):
                line = facts.outline.line_of(each.name_at)
                yield each.name, path, line, _KINDS.get(each.kind, each.kind), facts.outline.language


def screened(project: MemoryProject, kinds: frozenset[str]) -> dict[tuple[str, str], Screened]:
    """By language and kind."""
    found: dict[tuple[str, str], Screened] = {}
    for name, path, line, kind, language in unique(project):
        if kinds and kind not in kinds:
            continue
        symbol = project.symbol(path, line, name)
        if symbol is None:
            continue
        answer = references(project, symbol)  # type: ignore[arg-type]
        counts = found.setdefault((language, kind), Screened())
        counts.add(f"{name}  {path}:{line}", len(answer.resolved), answer.possible)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--endings", nargs="*", default=())
    parser.add_argument("--kinds", nargs="*", default=(), help="fn, method, type, field, variable, …")
    parser.add_argument("--errors", type=int, default=0, help="names, folders and lines to show of each")
    given = parser.parse_args()
    for root in given.roots:
        began = time.process_time()
        project = MemoryProject(root.resolve(), endings=tuple(given.endings))
        found = screened(project, frozenset(given.kinds))
        seconds = time.process_time() - began
        print(f"{root.name}: {len(project.facts)} files, {seconds:.1f} s CPU")
        for (language, kind), counts in sorted(found.items(), key=lambda each: -each[1].lost):
            print(
                f"  {language:12} {kind:12} {counts.share:.3f} of {counts.followed + counts.lost:6} uses"
                f" of {counts.symbols} names"
            )
            for name, count in counts.names.most_common(given.errors):
                print(f"      {count:5} {name}")
            for folder, count in counts.folders.most_common(given.errors // 3):
                print(f"      {count:5} in {folder}")
            step = max(1, len(counts.sites) // max(1, given.errors))
            for name, site in counts.sites[::step][: given.errors]:
                print(f"      {site.path}:{site.line}  {name.split()[0]}")


if __name__ == "__main__":
    main()
