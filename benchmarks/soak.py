"""Soak: many mixed calls on one daemon with edits, commits and branch switches; is everything flat?

python -m benchmarks.soak [--calls 100000] [--agents 2]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from aftermath import aftermath
from mixed_load import USER, Agent, Answer, Ground, Promises

SAMPLES = 10
# Content stops growing here, so that what grows after it is a leak.
KEPT = 200


@dataclass(frozen=True)
class Sample:
    """The daemon after some calls."""

    calls: int
    memory_mb: float
    handles: int
    threads: int
    store_mb: float
    median_ms: float
    p99_ms: float


class Soak:
    """Agents that store, ask, finish and delete, beside a developer who edits and commits."""

    def __init__(self, ground: Ground, calls: int) -> None:
        self.ground = ground
        self.calls = calls
        self.done = 0
        self.times: list[float] = []
        self.failures: list[Answer] = []
        self.ended: list[str] = []
        self._guard = threading.Lock()

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
        """Edit, commit and switch branches, about twice a second."""
        number = 0
        while self.done < self.calls and not self.ended:
            number += 1
            (self.ground.folder / "docs" / f"n{number % KEPT}.md").write_text(
                f"---\ntags: [alpha]\n---\n# Note {number}\n\nAbout greeting, see [[topic]].\n"
            )
            (self.ground.folder / "app.py").write_text(
                f"def greet(name):\n    return {number}\n\n\ndef f{number % 50}():\n    greet(1)\n"
            )
            if number % 5 == 0:
                self.ground.git("add", "-A")
                self.ground.git("commit", "-q", "--allow-empty", "-m", f"change {number}")
            if number % 20 == 0:
                self.ground.git("checkout", "-q", "-f", ("main", "feature")[number // 20 % 2])
            time.sleep(0.5)

    def _round(self, agent: Agent, name: str, number: int) -> None:
        tag = f"{name} {number % KEPT}"
        memory = self._call(
            agent, "memory_store", type="knowledge", content=f"Fact {tag} of {number} on greeting"
        )
        self._call(agent, "context_read_context", query="greeting")
        self._call(agent, "vault_query_files", tag="alpha")
        self._call(agent, "memory_search", query=f"greeting {tag}")
        todo = self._call(agent, "todo_add_task", user_id=USER, title=f"Buy {name} {number}")
        self._call(agent, "code_search_code", query="greet")
        self._call(agent, "todo_list_tasks", user_id=USER)
        self._call(agent, "code_diff_context", base_ref="main", head_ref="feature")
        self._call(agent, "vault_search_links", path="docs/topic.md")
        if todo.ok:
            self._call(agent, "todo_delete_task", user_id=USER, task_id=todo.value["task"]["id"])
        if memory.ok:
            self._call(agent, "memory_delete", id=memory.value["id"])
        self._call(agent, "context_list_tasks")
        self._call(agent, "vault_get_stats")

    def _call(self, agent: Agent, tool: str, **arguments: object) -> Answer:
        started = time.perf_counter()
        answer = agent.call(tool, **arguments)
        with self._guard:
            self.times.append(time.perf_counter() - started)
            self.done += 1
            if not answer.ok:
                self.failures.append(answer)
        return answer

    def sample(self) -> Sample:
        """Look at the daemon from outside; write-ahead logs are bounded and used again, so not counted."""
        process = Path("/proc") / str(self.ground.daemon)
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        with self._guard:
            times, self.times = sorted(self.times), []
        return Sample(
            self.done,
            int(status["VmRSS"].split()[0]) / 1024,
            len(list((process / "fd").iterdir())),
            int(status["Threads"]),
            sum(path.stat().st_size for path in (self.ground.folder / ".cuedeck").rglob("*.db")) / 2**20,
            statistics.median(times) * 1000,
            times[int(len(times) * 0.99)] * 1000,
        )


def verdict(samples: Sequence[Sample]) -> list[str]:
    """What grew from the second fifth, when everything is warm, to the end by more than noise."""
    early, late = samples[len(samples) // 5], samples[-1]
    thousands = max(1.0, (late.calls - early.calls) / 1000)
    problems = []
    if late.memory_mb > early.memory_mb * 1.25 + 20:
        problems.append(
            f"memory grew by {(late.memory_mb - early.memory_mb) / thousands:.2f} MB per 1,000 calls"
        )
    if late.handles > early.handles + 8:
        problems.append(f"file handles grew from {early.handles} to {late.handles}")
    if late.threads > early.threads + 8:
        problems.append(f"threads grew from {early.threads} to {late.threads}")
    # History is kept on purpose (the change log, deleted memories, runs); more than this is a leak.
    if (late.store_mb - early.store_mb) / thousands > 1.0:
        problems.append(
            f"the store grew by {(late.store_mb - early.store_mb) / thousands:.2f} MB per 1,000 calls"
        )
    if late.median_ms > early.median_ms * 2 + 5:
        problems.append(f"the median went from {early.median_ms:.1f} to {late.median_ms:.1f} ms")
    return problems


def table(samples: Sequence[Sample]) -> str:
    """The samples as markdown."""
    lines = [
        "| calls | memory MB | handles | threads | store MB | median ms | p99 ms |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in samples:
        lines.append(
            f"| {each.calls:,} | {each.memory_mb:.0f} | {each.handles} | {each.threads} "
            f"| {each.store_mb:.1f} | {each.median_ms:.1f} | {each.p99_ms:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Soak, sample, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--agents", type=int, default=2)
    parser.add_argument(
        "--seconds", type=float, default=6 * 3600, help="stop after this long, whatever was done"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cuedeck-soak-", ignore_cleanup_errors=True) as folder:
        ground = Ground(Path(folder).resolve())
        soak = Soak(ground, chosen.calls)
        threads = [
            threading.Thread(target=soak.agent, args=(f"a{number}",)) for number in range(chosen.agents)
        ] + [threading.Thread(target=soak.developer)]
        for thread in threads:
            thread.start()
        samples: list[Sample] = []
        deadline = time.monotonic() + chosen.seconds
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            if time.monotonic() > deadline:
                soak.calls = soak.done
            if soak.done >= (len(samples) + 1) * chosen.calls / SAMPLES or (
                samples and soak.done >= soak.calls > samples[-1].calls + 50
            ):
                samples.append(soak.sample())
                print(table(samples[-1:]).splitlines()[-1], flush=True)
        problems = verdict(samples) + soak.ended
        problems += [f"{answer.tool} failed: {answer.text[:200]}" for answer in soak.failures[:5]]
        ground.stop()
        problems += aftermath(ground.folder, Promises())
    print(table(samples), "\nFlat." if not problems else "\nNot flat:\n" + "\n".join(problems), sep="\n")
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
