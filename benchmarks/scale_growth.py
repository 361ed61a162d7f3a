"""Growth curves: what filling and asking cost as a workspace grows tenfold and a hundredfold.

python -m benchmarks.scale_growth [--base 30] [--steps 1,10,100] [--seconds 60] [--url postgresql://…]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.runtime import Runtime
from cuedeck.workspace import Workspace

WORDS = [
    f"{a}{b}"
    for a in ("lor", "dam", "quo", "ser", "mit", "pel", "gra", "von")
    for b in ("em", "or", "is", "ant", "ulo", "eba", "ino", "ast")
]
QUERIES = 30


@dataclass(frozen=True)
class Point:
    """One size of one domain."""

    domain: str
    items: int
    fill_seconds: float
    megabytes: float
    median_ms: float
    p95_ms: float


def spent() -> float:
    """CPU seconds of this process and of helpers that have ended: neighbours on the machine do not count."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


class Growth:
    """One workspace that only grows, measured at each step."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root = root
        self.chance = random.Random(7)
        (root / ".cuedeck").mkdir()
        (root / ".gitignore").write_text(".cuedeck/\n")
        self._git("init", "-q", "-b", "main")
        self.workspace = Workspace.open(root, environ=environ)
        options = ConnectionOptions(decks=("all",), errors="result")
        self._connection = Connection(lambda _: self.workspace, options, Runtime())
        self.held = dict.fromkeys(("documents", "code", "memories", "tasks"), 0)

    def call(self, tool: str, **arguments: Any) -> Any:
        """One tool call; an error ends the measurement."""
        entry = self._connection.selection.find(tool)
        said = self._connection.perform(entry, arguments, None, lambda *_: None, lambda: False)
        if said.is_error:
            raise RuntimeError(f"{tool}: {said.text}")
        return json.loads(said.text)

    def grow(self, domain: str, items: int, seconds: float) -> Point:
        """Fill up to so many items, or as far as the time goes, and ask."""
        fill: dict[str, Callable[[int, float], None]] = {
            "documents": self._documents,
            "code": self._code,
            "memories": self._memories,
            "tasks": self._tasks,
        }
        before = spent()
        fill[domain](items, time.perf_counter() + seconds)
        filled = spent() - before
        times = sorted(self._ask(domain))
        return Point(
            domain,
            self.held[domain],
            filled,
            self._size(),
            statistics.median(times) * 1000,
            times[int(len(times) * 0.95)] * 1000,
        )

    def _ask(self, domain: str) -> Iterator[float]:
        asked: dict[str, Callable[[], Any]] = {
            "documents": lambda: self.call("context_read_context", query=self._text(2)),
            "code": lambda: self.call("code_search_code", query=self.chance.choice(WORDS)),
            "memories": lambda: self.call("memory_search", query=self._text(2)),
            "tasks": lambda: self.call("memory_get_next_task", project="CA"),
        }
        asked[domain]()
        for _ in range(QUERIES):
            started = time.process_time()
            asked[domain]()
            yield time.process_time() - started

    def _documents(self, items: int, _deadline: float) -> None:
        folder = self.root / "docs"
        folder.mkdir(exist_ok=True)
        for number in range(self.held["documents"], items):
            parts = "\n\n".join(f"## {self._text(3)}\n\n{self._text(60)}" for _ in range(3))
            (folder / f"n{number}.md").write_text(f"# {self._text(3)}\n\n{parts}\n\n[[n{number // 2}]]\n")
        self.workspace.documents.refresh()
        self.held["documents"] = items

    def _code(self, items: int, _deadline: float) -> None:
        folder = self.root / "src"
        folder.mkdir(exist_ok=True)
        for number in range(self.held["code"], items):
            functions = (f"def {self._name()}(x):\n    return {self._name()}(x)\n" for _ in range(5))
            (folder / f"m{number}.py").write_text("\n\n".join(functions))
        self._git("add", "-A")
        self._git("commit", "-q", "-m", f"{items} files")
        self.call("code_index_repo")
        self.held["code"] = items

    def _memories(self, items: int, deadline: float) -> None:
        while self.held["memories"] < items and time.perf_counter() < deadline:
            self.call("memory_store", type="knowledge", content=f"{self._text(25)} {self.held['memories']}")
            self.held["memories"] += 1

    def _tasks(self, items: int, deadline: float) -> None:
        while self.held["tasks"] < items and time.perf_counter() < deadline:
            self.call("memory_create_task", project="CA", name=self._text(4))
            self.held["tasks"] += 1

    def _text(self, words: int) -> str:
        # Words are as unequally common as in any language.
        return " ".join(WORDS[int(len(WORDS) * self.chance.random() ** 2)] for _ in range(words))

    def _name(self) -> str:
        return "_".join(self._text(2).split()) + f"_{self.chance.randrange(1000)}"

    def _size(self) -> float:
        return sum(path.stat().st_size for path in (self.root / ".cuedeck").rglob("*.db*")) / 2**20

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)


def exponent(points: list[Point]) -> float:
    """The power of the size by which an answer's median grows: 0 is flat, 1 is linear."""
    first, last = points[0], points[-1]
    if last.items == first.items:
        return 0.0
    return math.log(last.median_ms / first.median_ms) / math.log(last.items / first.items)


def table(points: list[Point]) -> str:
    """The curves as markdown, a row per size and the exponent after the last of a domain."""
    lines = ["| domain | items | fill CPU s | ms per new item | store MB | median CPU ms | p95 | growth |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|---:|")
    for domain in dict.fromkeys(point.domain for point in points):
        rows = [point for point in points if point.domain == domain]
        held = 0
        for row in rows:
            new = max(1, row.items - held)
            held = row.items
            growth = f"n^{exponent(rows):.2f}" if row is rows[-1] else ""
            lines.append(
                f"| {domain} | {row.items:,} | {row.fill_seconds:.1f} | {row.fill_seconds / new * 1000:.2f} "
                f"| {row.megabytes:.1f} | {row.median_ms:.2f} | {row.p95_ms:.2f} | {growth} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Measure every domain at every step, in a workspace of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--base", type=int, default=30)
    parser.add_argument("--steps", default="1,10,100")
    parser.add_argument("--seconds", type=float, default=60, help="at most, per step that is filled by calls")
    parser.add_argument("--url", help="a PostgreSQL server instead of SQLite")
    chosen = parser.parse_args()
    points = []
    for domain in ("documents", "code", "memories", "tasks"):
        with tempfile.TemporaryDirectory(prefix="cuedeck-scale-") as folder:
            environ = {"HOME": folder, "CUEDECK_LIMITS__ENABLED": "false", "CUEDECK_SEARCH__ENABLED": "false"}
            if chosen.url:
                environ["CUEDECK_STORE__URL"] = chosen.url
                environ["CUEDECK_STORE__WORKSPACE"] = f"scale-{uuid.uuid4()}"
            growth = Growth(Path(folder).resolve(), environ)
            with growth.workspace:
                for step in map(int, chosen.steps.split(",")):
                    points.append(growth.grow(domain, chosen.base * step, chosen.seconds))
                    print(points[-1], file=sys.stderr, flush=True)
    print(table(points))


if __name__ == "__main__":
    main()
