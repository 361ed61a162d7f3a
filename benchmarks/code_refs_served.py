"""What ``find_references`` answers over stdio, against what one or more tools list.

    python -m benchmarks.code_refs_served ROOT ROWS.jsonl [ROWS.jsonl ...] [--judge ROWS.jsonl] [--errors N]

A row is ``{"name", "def": {"path", "line"}, "refs": [{"path", "line"}]}`` with 1-based lines, as SCIP
indexes and language servers give them; symbols that all files know are asked about, with ``--sample N`` so
many random ones. Recall is over the lines that every tool lists, precision is the share of our lines that
any of them lists. Servers list ``C()`` for a constructor, but not ``module.C()``, and scip-typescript lists
``new C()`` for the constructor alone: printed is also what it comes to when what is listed for a class
counts for its constructor and the other way round, and, with ``--judge ROWS.jsonl``, when our lines count
that only a further tool lists. A judge can uphold a line and no more: what it lists beyond ours is not
asked about, so this figure is never lower. Rows may say what is ``not`` a use (``code_refs_python.py``):
then only these lines are wrong, other lines are not judged, and ``--tool NAME ROWS.jsonl`` prints what a
tool's lines come to beside ours.
Files that no tool names say nothing, as their configuration may leave them out. The folder gets a
``.cuedeck``, as any workspace.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Place = tuple[str, int]
Key = tuple[str, int, str]
_MOST = 10_000
_SEED = 7
_TIERS = ("resolved", "with likely ones", "with possible ones")
_CONSTRUCTORS = ("__init__", "<constructor>")
_WORD = re.compile(r"[\w$]+")
# How a SCIP symbol of a constructor ends, behind that of its class.
_CONSTRUCTOR = re.compile(r"(?:__init__|`<constructor>`)\(\)\.$")
_VERSION = "2025-11-25"
# Vectors are not asked for, and a server that nobody asks any more is not needed.
_SETTINGS = {"CUEDECK_SEARCH__ENABLED": "false", "CUEDECK_DAEMON__IDLE_SECONDS": "5"}


class Client:
    """An agent on a pipe, which waits for each answer."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self.running = running
        self.asked = 0
        about = {"name": "benchmark", "version": "1"}
        self.ask("initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": about})
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.running.stdin
        self.running.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.running.stdin.flush()

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        assert self.running.stdout
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": parameters})
        for line in self.running.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self.asked:
                return message
        raise EOFError("the server has gone")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text: str = answer["result"]["content"][0]["text"]
        said: dict[str, Any] = json.loads(text)
        return said


@contextmanager
def served(root: Path) -> Iterator[Client]:
    """A server of the code deck, indexed to the end."""
    command = [sys.executable, "-m", "cuedeck", "mcp", "--decks", "code", "--workspace", str(root)]
    running = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **_SETTINGS},
    )
    try:
        client = Client(running)
        while (indexed := client.call("index_repo")).get("status") == "running":
            time.sleep(0.5)
        if indexed.get("status") != "completed":
            raise RuntimeError(f"not indexed: {indexed}")
        yield client
    finally:
        running.terminate()
        running.wait(10)


@dataclass
class Truth:
    """By symbol, the lines that every tool lists and those that any of them lists; the files they name.

    Of constructors also the lines that use their class, of classes those that are listed for the constructor.
    """

    must: dict[Key, set[Place]]
    may: dict[Key, set[Place]]
    never: dict[Key, set[Place]]  # of symbols of which every other line is open
    making: dict[Key, set[Place]]
    files: set[str]


@cache
def itself(root: Path, path: str) -> str:
    """A file by its own path: tools take one that is reached through a symbolic link for another."""
    return os.path.relpath(os.path.realpath(root / path), root)


@dataclass(frozen=True)
class Rows:
    """What a tool lists of the symbols below a folder."""

    root: Path
    file: Path

    def __iter__(self) -> Iterator[tuple[Key, dict[str, Any]]]:
        for line in self.file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield (itself(self.root, row["def"]["path"]), row["def"]["line"], row["name"]), row

    def listed(self, under: str = "refs") -> dict[Key, set[Place]]:
        """By symbol, the lines that are uses, or those that are ``not``."""
        found: dict[Key, set[Place]] = {}
        for key, row in self:
            if under in row:
                places = {(itself(self.root, ref["path"]), ref["line"]) for ref in row[under]}
                found.setdefault(key, set()).update(places)
        return found


def uses_of_classes(files: list[Rows]) -> dict[Key, set[Place]]:
    """By constructor the lines that use its class, by class those that are listed for its constructor."""
    classes: dict[str, set[Key]] = {}
    makers: dict[str, set[Key]] = {}
    places: dict[Key, set[Place]] = {}
    for file in files:
        for key, some in file.listed().items():
            places.setdefault(key, set()).update(some)
        for key, row in file:
            symbol = row.get("symbol", "")
            if row["kind"] == "class":
                classes.setdefault(symbol, set()).add(key)
            elif row["name"] in _CONSTRUCTORS:
                makers.setdefault(_CONSTRUCTOR.sub("", symbol), set()).add(key)
    found: dict[Key, set[Place]] = {}
    for symbol in classes.keys() & makers.keys():
        for keys, others in ((classes[symbol], makers[symbol]), (makers[symbol], classes[symbol])):
            found.update({key: set().union(*(places[other] for other in others)) for key in keys})
    return found


def combined(files: list[Rows]) -> Truth:
    tools = [file.listed() for file in files]
    common = sorted(set.intersection(*map(set, tools)))
    must = {key: set.intersection(*(tool[key] for tool in tools)) for key in common}
    may = {key: set.union(*(tool[key] for tool in tools)) for key in common}
    making = uses_of_classes(files)
    named = {path for tool in tools for places in tool.values() for path, _ in places}
    never = {key: places for file in files for key, places in file.listed("not").items()}
    return Truth(must, may, never, making, named | {path for tool in tools for path, _, _ in tool})


@dataclass
class Score:
    """Counts of (symbol, line) pairs: answered and right of those, wanted and met of those."""

    answered: int = 0
    right: int = 0
    wanted: int = 0
    met: int = 0

    def add(self, found: set[Place], must: set[Place], may: set[Place]) -> None:
        self.answered, self.right = self.answered + len(found), self.right + len(found & may)
        self.wanted, self.met = self.wanted + len(must), self.met + len(found & must)

    def figures(self, upheld: int = 0) -> dict[str, float]:
        """With so many more of the answers taken to be right."""
        precision, recall = (self.right + upheld) / max(1, self.answered), self.met / max(1, self.wanted)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}

    def shown(self, upheld: int = 0) -> str:
        """In a line."""
        figures = self.figures(upheld)
        return f"P {figures['precision']:.3f}  R {figures['recall']:.3f}  F1 {figures['f1']:.3f}"


def tiers(said: dict[str, Any]) -> list[set[Place]]:
    """What was answered as certain, as likely and as merely possible."""
    certain, possible = said.get("references", ()), said.get("possible", ())
    parts = (certain, [r for r in possible if r.get("likely")], [r for r in possible if not r.get("likely")])
    return [{(ref["path"], ref["line_start"]) for ref in part} for part in parts]


def find(client: Client, key: Key) -> list[set[Place]] | None:
    """What is answered for a definition, by tiers; nothing where the symbol is not found."""
    path, line, name = key
    said = client.call("find_references", symbol_name=name, path=path, line=line, limit=_MOST)
    return tiers(said) if "references" in said else None


def told(truth: Truth, key: Key, places: set[Place]) -> set[Place]:
    """Of some lines those of which the truth says anything, without the definition's own."""
    open_ones = truth.never.get(key)
    return {
        place
        for place in places - {key[:2]}
        if place[0] in truth.files and (open_ones is None or place in open_ones or place in truth.may[key])
    }


def bare(root: Path, files: set[str], names: set[str]) -> dict[str, set[Place]]:
    """By name the lines of some files that spell it, which is what a search for the word finds."""
    found: dict[str, set[Place]] = {name: set() for name in names}
    for path in files:
        for number, line in enumerate((root / path).read_bytes().decode(errors="replace").split("\n"), 1):
            for word in names.intersection(_WORD.findall(line)):
                found[word].add((path, number))
    return found


def sampled(keys: Iterable[Key], most: int | None) -> list[Key]:
    """Symbols to ask about, always the same ones."""
    asked = sorted(keys)
    return sorted(random.Random(_SEED).sample(asked, most)) if most and most < len(asked) else asked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--sample", type=int, help="ask about so many random symbols")
    parser.add_argument("--judge", type=Path, action="append", default=[], help="what a further tool lists")
    parser.add_argument("--tool", nargs=2, action="append", default=[], help="a tool's name and its rows")
    parser.add_argument("--errors", type=int, default=0, help="how many kinds of mistakes to list")
    parser.add_argument("--lines", action="store_true", help="every line of a mistake")
    given = parser.parse_args()
    root = given.root.resolve()
    truth = combined([Rows(root, file) for file in given.rows])
    asked = sampled(truth.must, given.sample)
    further = [Rows(root, file) for file in given.judge]
    judges = [*(file.listed() for file in further), uses_of_classes(further)]
    denials = [file.listed("not") for file in further]
    tools = {name: Rows(root, Path(file)).listed() for name, file in given.tool}
    words = bare(root, truth.files, {name for _, _, name in asked})
    spelled = Score()
    scores = {name: Score() for name in (*_TIERS, *tools)}
    made = judged = upheld = unknown = 0
    mistakes: Counter[str] = Counter()
    listing: list[str] = []
    with served(root) as client:
        for key in asked:
            (path, line, name), must, may = key, truth.must[key], truth.may[key]
            said = find(client, key)
            unknown += said is None
            certain, *_ = by_tier = said or [set(), set(), set()]
            must -= {(path, line)}
            answered: set[Place] = set()
            for tier, some in zip(_TIERS, by_tier, strict=True):
                answered |= some
                scores[tier].add(told(truth, key, answered), must, may)
            found = told(truth, key, certain)
            spelled.add(told(truth, key, words[name]), must, may)
            for tool, lists in tools.items():
                scores[tool].add(told(truth, key, lists.get(key, set())), must, may)
            made += len((found - may) & truth.making.get(key, set()))
            heard = [judge[key] for judge in judges if key in judge]
            sentences = set().union(*heard)
            denied = [each[key] for each in denials if key in each]
            judged += len(found - may if heard and not denied else (found - may) & sentences.union(*denied))
            upheld += len((found - may) & sentences)
            for kind, places in (("wrong ", found - may), ("missed", must - found)):
                mistakes[f"{kind} {name} ({path}:{line})"] += len(places)
                listing += [f"{kind} {name} at {p}:{n}" for p, n in sorted(places)] if given.lines else []
    ours = scores.pop(_TIERS[0])
    print(f"{root.name}: {len(asked)} symbols, {ours.wanted} lines, {unknown} symbols not found")
    print(f"  {ours.shown()}")
    print(f"  {spelled.shown()} by the bare name")
    if made:
        print(f"  {ours.shown(made)} with uses of a class for its constructor, and the other way round")
    if given.judge:
        print(f"  {ours.shown(upheld)} judged: {upheld} of {judged} lines upheld")
    for name, score in scores.items() if truth.never else ():
        print(f"  {score.shown()} {name}")
    for mistake, count in mistakes.most_common(given.errors):
        if count:
            print(f"    {count:5} {mistake}")
    for mistake in listing:
        print(f"    {mistake}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
