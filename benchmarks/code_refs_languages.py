"""References against an indexer's: ``python -m benchmarks.code_refs_languages ROOT TRUTH.jsonl [ENDINGS]``.

A row of TRUTH is ``{"name", "def": {"path", "line", "col"}, "refs": [{"path", "line"}]}`` with 1-based lines,
as SCIP indexes, language servers and ``code_refs_go.go`` give them. Printed: precision, recall and F1 over
all (symbol, line) pairs, for resolution and for bare-name matching. ``--errors N`` lists mistakes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.code.memory_project import MemoryProject

from cuedeck.code.facts import BIND_MASK, INSTANCE, Bind
from cuedeck.code.implementing import implementations
from cuedeck.code.references import references
from cuedeck.code.resolution.values import CLASS, Symbol, Value

Place = tuple[str, int]
_IMPORTS = (Bind.IMPORT, Bind.MODULE, Bind.STAR)


@dataclass
class Score:
    """Counts of (symbol, line) pairs."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    mistakes: list[str] = field(default_factory=list)

    def add(self, found: set[Place], truth: set[Place]) -> None:
        self.right += len(found & truth)
        self.wrong += len(found - truth)
        self.missed += len(truth - found)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / max(1e-9, self.precision + self.recall)

    def __str__(self) -> str:
        return f"P {self.precision:.3f}  R {self.recall:.3f}  F1 {self.f1:.3f}"


class Evaluation:
    """One repository against one truth."""

    def __init__(
        self, root: Path, rows: list[dict[str, Any]], endings: tuple[str, ...], *, every: bool = False
    ) -> None:
        self.project = MemoryProject(root, endings=endings)
        self.related = False
        for row in rows:
            row["name"] = re.sub("^<(get|set)>|[<>]", "", row["name"])
        constructors = {
            row["symbol"]: row for row in rows if row["name"] == "constructor" and "symbol" in row
        }
        for row in rows:
            # Making an instance names the class as well as its constructor.
            made = constructors.get(f"{row.get('symbol')}`<constructor>`().")
            row["either"] = {(ref["path"], ref["line"]) for ref in row.get("either", ())}
            row["first"] = row["refs"] = row["refs"] + (made["refs"] if made else [])
        # What the indexer did not look at says nothing.
        self.covered = {row["def"]["path"] for row in rows} | {r["path"] for row in rows for r in row["refs"]}
        self.covered |= set(self.project.facts) if every else set()
        self.rows = [row for row in rows if row["def"]["path"] in self.project.facts]
        self.dropped: set[Place] = set()
        self.ours, self.bare, self.satisfied = Score(), Score(), Score()
        self.unknown: Counter[str] = Counter()

    def spelled(self) -> None:
        """Keep the references whose line holds the name."""
        lines = {p: (self.project.root / p).read_bytes().split(b"\n") for p in self.project.facts}
        for row in self.rows:
            spelled = re.compile(rb"(?<!\w)" + re.escape(row["name"].encode()) + rb"(?!\w)")
            row["refs"] = [
                r
                for r in row["refs"]
                if r["path"] in lines and spelled.search(lines[r["path"]][r["line"] - 1])
            ]

    def configured(self, database: Path) -> None:
        """Leave open what clangd did not see: what the commands of a compilation database do not compile.

        Those are files that no command reads and the branches of an ``#if`` that one of them does not take:
        of a header that is read in several ways it keeps one. Bodies of macros are left open too: it lists
        their names where a macro is used.
        """
        kept: dict[str, set[int]] = {}
        for entry in json.loads(database.read_text(encoding="utf-8")):
            words = entry.get("arguments") or shlex.split(entry["command"])
            if "-o" in words:
                at = words.index("-o")
                words = words[:at] + words[at + 2 :]
            words = [*(word for word in words if word != "-c"), "-E", "-fdirectives-only"]
            made = subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False).stdout
            text = made.decode("utf-8", "replace")
            for path, lines in _preprocessed(text, self.project.root, Path(entry["directory"])).items():
                kept[path] = kept.get(path, lines) & lines
        for path in self.project.facts:
            every = range(1, len(self.project.outline(path).lines) + 2)
            self.dropped |= {(path, line) for line in every if line not in kept.get(path, ())}
        self.rows = [r for r in self.rows if (r["def"]["path"], r["def"]["line"]) not in self.dropped]
        for path in self.project.facts:
            lines = (self.project.root / path).read_bytes().split(b"\n")
            self.dropped |= {(path, line) for line in _macro_lines(lines)}

    def beside(self, rows: list[dict[str, Any]]) -> None:
        """Keep the symbols that a second tool knows too, with what both or either of them lists."""
        others = {(r["def"]["path"], r["def"]["line"], r["def"]["col"]): r for r in rows}
        keys = [(r["def"]["path"], r["def"]["line"], r["def"]["col"]) for r in self.rows]
        self.rows = [row for row, key in zip(self.rows, keys, strict=True) if key in others]
        for row in self.rows:
            at = row["def"]
            second = {(r["path"], r["line"]) for r in others[at["path"], at["line"], at["col"]]["refs"]}
            row["either"] = second
            row["refs"] = (
                [ref for ref in row["refs"] if (ref["path"], ref["line"]) in second] if second else []
            )
            row["either"] |= {(ref["path"], ref["line"]) for ref in row["first"]}

    def run(self) -> None:
        for row in self.rows:
            at = row["def"]
            truth = {(ref["path"], ref["line"]) for ref in row["refs"] if ref["path"] in self.project.facts}
            place = (at["path"], at["line"])
            symbol, defined_at = self.symbol(at["path"], at["line"], at["col"], row["name"])
            found: set[Place] = set()
            if symbol is None:
                self.unknown[row["kind"]] += 1
            else:
                sites = references(self.project, symbol, defined_at).resolved  # type: ignore[arg-type]
                found = {(site.path, site.line) for site in sites}
            # What only one of two tools lists is neither right nor wrong, nor are other declarations.
            open_to_doubt = row["either"] | self.dropped | (self.declared(symbol) if symbol else set())
            open_to_doubt -= truth
            if self.related and symbol is not None:
                truth -= {place for place in truth - found if self.of_relative(symbol, place)}
            found = {same for same in found if same[0] in self.covered} - open_to_doubt
            self.ours.add(found - {place}, truth - {place})
            bare = {same for same in self.same_name(row["name"]) if same[0] in self.covered} - open_to_doubt
            self.bare.add(bare - {place}, truth - {place})
            self.note(row, found - {place}, truth - {place}, symbol is None)
            if "implements" in row and symbol is not None:
                self.satisfying(row, symbol)

    def satisfying(self, row: dict[str, Any], symbol: Symbol) -> None:
        """Compare the types that satisfy an interface, of which a truth knows those outside of tests."""
        types = implementations(self.project, symbol)  # type: ignore[arg-type]
        found = {(site.path, site.line) for site in types if not site.path.endswith("_test.go")}
        truth = {(at["path"], at["line"]) for at in row["implements"]}
        self.satisfied.add(found, truth)
        at = row["def"]
        label = f"{row['name']} ({at['path']}:{at['line']})"
        self.satisfied.mistakes += [f"not  {p}:{n}  {label}" for p, n in sorted(truth - found)]
        self.satisfied.mistakes += [f"also {p}:{n}  {label}" for p, n in sorted(found - truth)]

    def symbol(self, path: str, line: int, column: int, name: str) -> tuple[Symbol | None, int]:
        """The symbol bound at a place; the same line will do when columns are counted differently."""
        facts = self.project.facts[path]
        links = facts.links
        best: tuple[Symbol | None, int] = (None, 0)
        for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
            at, kind = links.bindings[2][binding], links.bindings[3][binding]
            if facts.outline.line_of(at) != line or kind & BIND_MASK in _IMPORTS:
                continue
            found = Symbol(path, links.bindings[0][binding], name)
            if kind & INSTANCE:
                owner = Value(CLASS, path, links.bindings[0][binding])
                found = self.project.linker.member(owner, name) or found
            if at - facts.outline.lines[line - 1] == column:
                return found, at
            best = best if best[0] else (found, at)
        for site in links.sites.get(links.string_numbers.get(name, -1), ()):
            # What stands there uses another thing of the name: ``typedef struct x x``.
            if links.pos[site] == facts.outline.lines[line - 1] + column:
                used = [t for t in self.project.linker.targets(path, site) if isinstance(t, Symbol)]
                return (used[0], links.pos[site]) if used else best
        return best

    def of_relative(self, symbol: Symbol, place: Place) -> bool:
        """Whether a line uses the member of the same name of an ancestor or heir."""
        path, line = place
        links, outline = self.project.links(path), self.project.outline(path)
        for site in links.sites.get(links.string_numbers.get(symbol.name, -1), ()):
            if outline.line_of(links.pos[site]) == line:
                targets = self.project.linker.targets(path, site)
                if any(
                    isinstance(t, Symbol) and t != symbol and self.are_related(symbol, t) for t in targets
                ):
                    return True
        return False

    def are_related(self, one: Symbol, other: Symbol) -> bool:
        """Whether two members override each other, or the same third one."""
        ours, theirs = (set(self.project.linker.lineage(Value(CLASS, s.path, s.scope))) for s in (one, other))
        for path, scope in ours & theirs:
            links = self.project.links(path)
            if links.string_numbers.get(one.name, -1) in links.names[scope]:
                return True
        return False

    def declared(self, symbol: Symbol) -> set[Place]:
        """The lines that declare a symbol; whether a server lists them is a matter of its options."""
        found: set[Place] = set()
        for twin in (symbol, *self.project.rules(symbol.path).twins(symbol)):
            links, outline = self.project.links(twin.path), self.project.outline(twin.path)
            for binding in links.names[twin.scope].get(links.string_numbers[twin.name], ()):
                if links.bindings[3][binding] & BIND_MASK not in (Bind.VARIABLE, *_IMPORTS):
                    found.add((twin.path, outline.line_of(links.bindings[2][binding])))
        return found

    def same_name(self, name: str) -> set[Place]:
        found: set[Place] = set()
        for path in self.project.files_naming(name):
            links, outline = self.project.links(path), self.project.outline(path)
            number = links.string_numbers[name]
            found |= {(path, outline.line_of(links.pos[site])) for site in links.sites.get(number, ())}
            found |= {(path, outline.line_of(links.bindings[2][b])) for b in links.bound.get(number, ())}
        return found

    def note(self, row: dict[str, Any], found: set[Place], truth: set[Place], unknown: bool) -> None:
        at = row["def"]
        label = f"{row['name']} ({at['path']}:{at['line']}){' UNKNOWN' if unknown else ''}"
        self.ours.mistakes += [f"missed {p}:{n}  {label}" for p, n in sorted(truth - found)]
        self.ours.mistakes += [f"wrong  {p}:{n}  {label}" for p, n in sorted(found - truth)]


def _preprocessed(output: str, root: Path, folder: Path) -> dict[str, set[int]]:
    """The lines of each file that a preprocessor's output still holds."""
    kept: dict[str, set[int]] = {}
    paths: dict[str, str] = {}
    path, line = "", 0
    for text in output.split("\n"):
        marker = re.match(r'# (\d+) "([^"]*)"', text)
        if marker:
            if marker[2] not in paths:
                file = (folder / marker[2]).resolve()
                paths[marker[2]] = file.relative_to(root).as_posix() if file.is_relative_to(root) else ""
            path, line = paths[marker[2]], int(marker[1])
            continue
        if path and text.strip():
            kept.setdefault(path, set()).add(line)
        line += 1
    return kept


def _macro_lines(lines: list[bytes]) -> Iterator[int]:
    """The lines of macros' bodies."""
    inside = False
    for number, text in enumerate(lines, 1):
        inside = inside or re.match(rb"\s*#\s*define\b", text) is not None
        if inside:
            yield number
        inside = inside and text.rstrip().endswith(b"\\")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("endings", nargs="*")
    parser.add_argument(
        "--second", type=Path, help="another tool's rows: found must be in either, is missed if in both"
    )
    parser.add_argument("--every", action="store_true", help="the tool looked at every file")
    parser.add_argument(
        "--related", action="store_true", help="the tool counts uses of a method for those it overrides"
    )
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--textual", action="store_true", help="leave out uses that only a macro spells")
    parser.add_argument(
        "--database", type=Path, help="compile_commands.json: leave open what it does not compile (C, C++)"
    )
    parser.add_argument(
        "--row", default="", help="print one row of the table in docs/quality/code.md, with this truth"
    )
    parser.add_argument("--errors", type=int, default=0)
    given = parser.parse_args(arguments)
    rows = [json.loads(line) for line in given.truth.read_text(encoding="utf-8").splitlines()]
    begun = time.process_time()
    evaluation = Evaluation(given.root.resolve(), rows, tuple(given.endings), every=given.every)
    if given.second:
        evaluation.beside(
            [json.loads(line) for line in given.second.read_text(encoding="utf-8").splitlines()]
        )
    evaluation.related = given.related
    if given.textual:
        evaluation.spelled()
    if given.database:
        evaluation.configured(given.database)
    if given.sample and len(evaluation.rows) > given.sample:
        evaluation.rows = random.Random(7).sample(evaluation.rows, given.sample)
    indexed = time.process_time()
    evaluation.run()
    done = time.process_time()
    if given.row:
        bare, ours = (f"{score.f1:.3f}".removeprefix("0") for score in (evaluation.bare, evaluation.ours))
        print(f"| {given.root.name} | {given.row} | {len(evaluation.rows)} | {bare} | {ours} |")
        return
    print(f"{given.root.name}: {len(evaluation.project.facts)} files, {len(evaluation.rows)} symbols")
    print(f"  resolved  {evaluation.ours}")
    print(f"  bare name {evaluation.bare}")
    if evaluation.satisfied.right:
        print(f"  satisfied {evaluation.satisfied}")
    seconds = f"index {indexed - begun:.1f} s, answers {done - indexed:.1f} s CPU"
    print(f"  unknown {dict(evaluation.unknown)}  {seconds}")
    mistakes = evaluation.ours.mistakes
    often = Counter(" ".join((m.split()[0], *m.split()[2:])) for m in mistakes)
    for mistake, count in often.most_common(given.errors):
        print(f"    {count:5} {mistake}")
    for mistake in random.Random(1).sample(mistakes, min(given.errors, len(mistakes))):
        print("   ", mistake)
    for mistake in evaluation.satisfied.mistakes[: given.errors]:
        print("   ", mistake)


if __name__ == "__main__":
    main(sys.argv[1:])
