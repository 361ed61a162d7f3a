"""Soak: many mixed calls on one daemon with edits, commits and branch switches; is everything flat?

python -m benchmarks.soak [--calls 100000] [--agents 2] [--rate 0]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from aftermath import aftermath
from mixed_load import USER, Agent, Answer, Ground, Promises

SAMPLES = 100
SHOWN = 10
# Content stops growing here, so that what grows after it is a leak.
KEPT = 200
# Questions have so many different words: caches of words are bounded, and are full before the second half.
WORDS = 500
# Two branches differ in so many notes at most, so that a switch is a change and not a new vault.
EDITED = 20
# Kept on purpose: who changed what, what a workflow did, deleted memories for 90 days, and logs that
# readers catch up from, of which the last 100,000 entries stay.
HISTORY = ("change_log", "runs", "steps", "todo_changes", "memor", "file_changes", "file_contents")
LOGS = ("_log", "document_events")
# Vectors of symbols that are gone are swept out before so many have gathered: they go up and down.
SWEPT = "code_vectors"
MOST_VECTORS = 1100
ALLOWED = 0.03
# Workflow runs that were started by something and not begun.
WAITING = "SELECT count(*) FROM runs WHERE status = 'pending'"
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sample:
    """The daemon after some calls."""

    calls: int
    memory_mb: float
    handles: int
    threads: int
    history_mb: float
    live_mb: float
    vectors: int
    waiting: int
    cpu_ms: float
    median_ms: float
    p99_ms: float


def note(number: int) -> str:
    """A note that all questions match."""
    return f"---\ntags: [alpha]\n---\n# Note {number}\n\nAbout greeting, see [[topic]].\n"


class Soak:
    """Agents that store, ask, finish and delete, beside a developer who edits and commits."""

    def __init__(self, ground: Ground, calls: int, rate: float) -> None:
        self.ground = ground
        self.calls = calls
        self.pause = 1 / rate if rate else 0.0
        self.done = 0
        self.times: list[float] = []
        self.failures: list[Answer] = []
        self.ended: list[str] = []
        self.tables: list[dict[str, float]] = []
        self._guard = threading.Lock()
        self._cpu = (0, 0.0)
        for number in range(KEPT):
            (ground.folder / "docs" / f"n{number}.md").write_text(note(number))
        ground.git("add", "-A")
        ground.git("commit", "-q", "-m", "notes")
        ground.git("branch", "-f", "feature")

    def agent(self, name: str) -> None:
        """Work until enough is done."""
        agent = self.ground.agent()
        try:
            number = 0
            while self.done < self.calls:
                number += 1
                self._round(agent, name, number)
        except (EOFError, OSError, LookupError) as error:
            self.ended.append(f"{name}: {error!r}")
        finally:
            agent.leave()

    def developer(self) -> None:
        """Edit twice a second, commit and switch branches now and then."""
        number = 0
        while self.done < self.calls and not self.ended:
            number += 1
            (self.ground.folder / "docs" / f"n{number % EDITED}.md").write_text(note(number))
            (self.ground.folder / "app.py").write_text(
                f"def greet(name):\n    return {number}\n\n\ndef f{number % 50}():\n    greet(1)\n"
            )
            if number % 5 == 0:
                self.ground.git("add", "-A")
                self.ground.git("commit", "-q", "--allow-empty", "-m", f"change {number}")
            if number % 20 == 0:
                self.ground.git("checkout", "-q", "-f", ("main", "feature")[number // 20 % 2])
            time.sleep(0.5)

    def _round(self, agent: Agent, who: str, number: int) -> None:
        tag, word = f"{who} {number % KEPT}", number % WORDS
        memory = self._call(
            agent, "memory_store", type="knowledge", content=f"Fact {tag} of {word} on greeting"
        )
        self._call(agent, "context_read_context", query=f"greeting {word}")
        self._call(agent, "context_read_doc", path="docs/topic.md", anchor="Topic")
        self._call(agent, "vault_query_files", tag="alpha")
        self._call(agent, "memory_search", query=f"greeting {tag}")
        todo = self._call(agent, "todo_add_task", user_id=USER, title=f"Buy {who} {word}")
        self._call(agent, "code_search_code", query=f"greet {word}")
        self._call(agent, "code_find_references", symbol_name="greet")
        self._call(agent, "todo_list_tasks", user_id=USER)
        self._call(agent, "code_diff_context", base_ref="main", head_ref="feature")
        self._call(agent, "vault_search_links", path="docs/topic.md")
        episode = self._call(agent, "memory_reflect", output=f"E  ValueError: {tag}", feedback="see above")
        if number % KEPT == 0:
            analysis = {"workflowId": "markdown-analyzer", "input": {"path": "docs/topic.md"}}
            self._call(agent, "vault_trigger_workflow", **analysis)
        if todo.ok:
            self._call(agent, "todo_delete_task", user_id=USER, task_id=todo.value["task"]["id"])
        for stored, name in ((memory, "id"), (episode, "episode_id")):
            if stored.ok:
                self._call(agent, "memory_delete", id=stored.value[name])
        self._call(agent, "context_list_tasks")
        self._call(agent, "vault_get_stats")

    def _call(self, agent: Agent, tool: str, **arguments: object) -> Answer:
        started = time.perf_counter()
        answer = agent.call(tool, **arguments)
        took = time.perf_counter() - started
        with self._guard:
            self.times.append(took)
            self.done += 1
            if not answer.ok:
                self.failures.append(answer)
        time.sleep(max(0.0, self.pause - took))
        return answer

    def sample(self) -> Sample:
        """Look at the daemon from outside."""
        process = Path("/proc") / str(self.ground.daemon)
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
        with self._guard:
            times, self.times = sorted(self.times), []
            done = self.done
        (calls, before), self._cpu = self._cpu, (done, (int(fields[11]) + int(fields[12])) / TICK)
        kept = self.ground.folder / ".cuedeck"
        tables = table_sizes(kept)
        self.tables.append(tables)
        history = sum(size for name, size in tables.items() if is_history(name))
        return Sample(
            done,
            # A database that is mapped counts as resident too, and history makes it larger.
            int(status["RssAnon"].split()[0]) / 1024,
            len(list((process / "fd").iterdir())),
            int(status["Threads"]),
            history,
            sum(size for name, size in tables.items() if is_live(name)),
            count(kept / ".cache" / "index.db", f"SELECT count(*) FROM {SWEPT}"),
            count(kept / "state.db", WAITING),
            (self._cpu[1] - before) * 1000 / max(1, done - calls),
            statistics.median(times) * 1000,
            times[int(len(times) * 0.99)] * 1000,
        )


def table_sizes(folder: Path) -> dict[str, float]:
    """Megabytes of content by table, its indexes included; pages that are free to be used again are not."""
    sizes: dict[str, float] = {}
    for path in folder.rglob("*.db"):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
        try:
            tables = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master"))
            for name, size in connection.execute("SELECT name, sum(payload) FROM dbstat GROUP BY name"):
                owner = tables.get(name, name)
                sizes[owner] = sizes.get(owner, 0.0) + (size or 0) / 2**20
        finally:
            connection.close()
    return sizes


def is_history(table: str) -> bool:
    """Whether a table may grow with what happened."""
    return table.startswith(HISTORY) or table.endswith(LOGS)


def is_live(table: str) -> bool:
    """Whether a table must not grow once all content is there."""
    return not is_history(table) and not table.startswith(SWEPT)


def growth(tables: Sequence[dict[str, float]]) -> str:
    """What became larger over the second half and is not history, the most first."""
    middle, end = tables[len(tables) // 2], tables[-1]
    rises = {name: end[name] - middle.get(name, 0.0) for name in end if is_live(name)}
    shown = sorted(rises.items(), key=lambda item: -item[1])[:SHOWN]
    return ", ".join(f"{name} {rise * 1024:+.1f} kB" for name, rise in shown if rise * 1024 > 1)


def count(path: Path, question: str) -> int:
    """One number out of a database."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute(question).fetchone()[0])
    finally:
        connection.close()


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Theil-Sen: the median of all slopes, which single spikes do not move."""
    return statistics.median(
        (y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x2 != x1
    )


def verdict(samples: Sequence[Sample]) -> list[str]:
    """What still rises over the second half, when everything is warm, by more than a few per cent."""
    half = [sample for sample in samples if sample.calls >= samples[-1].calls / 2]
    kinds: dict[str, tuple[Callable[[Sample], float], float]] = {
        "memory in MB": (lambda sample: sample.memory_mb, 2.0),
        "file handles": (lambda sample: sample.handles, 2.0),
        "threads": (lambda sample: sample.threads, 2.0),
        "the store without history in MB": (lambda sample: sample.live_mb, 0.1),
        "waiting workflow runs": (lambda sample: sample.waiting, 100.0),
        # Neighbours on the machine change what a call costs by more than a leak would.
        "CPU of a call in ms": (lambda sample: sample.cpu_ms, 1.0),
    }
    problems = []
    for name, (value, noise) in kinds.items():
        level = statistics.median(map(value, half))
        rise = slope([(sample.calls, value(sample)) for sample in half]) * (half[-1].calls - half[0].calls)
        print(f"{name}: {level:.1f}, {rise:+.2f} over the second half")
        if rise > max(noise, level * ALLOWED):
            problems.append(f"{name} rose by {rise:.1f} over the second half, at {level:.1f}")
    most = max(sample.vectors for sample in samples)
    print(f"vectors of symbols: {most} at most")
    if most > MOST_VECTORS:
        problems.append(f"{most} vectors of symbols, where {MOST_VECTORS} are swept")
    return problems


def table(samples: Sequence[Sample]) -> str:
    """The samples as markdown."""
    lines = [
        "| calls | memory MB | handles | threads | history MB | other MB | waiting | CPU | p50 ms | p99 ms |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in samples:
        lines.append(
            f"| {each.calls:,} | {each.memory_mb:.0f} | {each.handles} | {each.threads} "
            f"| {each.history_mb:.1f} | {each.live_mb:.2f} | {each.waiting} | {each.cpu_ms:.1f} "
            f"| {each.median_ms:.1f} | {each.p99_ms:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Soak, sample, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--agents", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0, help="at most so many calls a second and agent")
    parser.add_argument(
        "--seconds", type=float, default=6 * 3600, help="stop after this long, whatever was done"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cuedeck-soak-", ignore_cleanup_errors=True) as folder:
        ground = Ground(Path(folder).resolve(), CUEDECK_SEARCH__ENABLED="true")
        soak = Soak(ground, chosen.calls, chosen.rate)
        samples = run(soak, chosen.agents, chosen.seconds)
        problems = verdict(samples) + soak.ended
        problems += [f"{answer.tool} failed: {answer.text[:200]}" for answer in soak.failures[:5]]
        ground.stop()
        sizes = table_sizes(ground.folder / ".cuedeck")
        problems += aftermath(ground.folder, Promises())
    print(table(samples[:: max(1, len(samples) // SHOWN)]))
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:SHOWN]
    print("\nLargest tables:", ", ".join(f"{name} {size:.1f} MB" for name, size in largest))
    print("Grew over the second half:", growth(soak.tables) or "nothing")
    print("\nFlat." if not problems else "\nNot flat:\n" + "\n".join(problems))
    raise SystemExit(bool(problems))


def run(soak: Soak, agents: int, seconds: float) -> list[Sample]:
    """Everybody at work until enough is done or the time is over; what was seen at even steps."""
    threads = [threading.Thread(target=soak.agent, args=(f"a{number}",)) for number in range(agents)]
    threads.append(threading.Thread(target=soak.developer))
    for thread in threads:
        thread.start()
    samples: list[Sample] = []
    step = soak.calls / SAMPLES
    deadline = time.monotonic() + seconds
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        if time.monotonic() > deadline:
            soak.calls = min(soak.calls, soak.done)
        if soak.done >= (samples[-1].calls if samples else 0) + step:
            samples.append(soak.sample())
            print(table(samples[-1:]).splitlines()[-1], flush=True)
    return samples


if __name__ == "__main__":
    main()
