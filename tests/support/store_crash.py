"""Writers that are killed while they write, and the question what became of what they promised.

Run as a program it is one writer: it prints an id once the record is durable, and goes on until killed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from store_sample import TEXT, VECTORS, open_sample

from cuedeck.store.protocol import Store, TextRecord, VectorRecord


@dataclass
class Outcome:
    """What was promised, and what was found wanting."""

    acknowledged: int = 0
    present: int = 0
    problems: list[str] = field(default_factory=list)


def write_forever(url: str | None, root: Path, workspace: str, name: str) -> None:
    """Row, full text, vector and change log in one transaction, again and again."""
    store = open_sample(url, root, workspace, busy_timeout=30.0)
    number = 0
    while True:
        number += 1
        id = f"{name}-{number}"
        vector = np.zeros(VECTORS.dimensions, dtype=np.float32)
        vector[number % VECTORS.dimensions] = 1.0
        with store.state.write(actor=name) as session:
            rid = session.insert("notes", {"id": id, "title": id})
            session.text(TEXT).put([TextRecord(rid, {"title": [id], "body": ["filler"] * 20}, ["p_all"])])
            session.vectors(VECTORS).put([VectorRecord(rid, "m", vector, ["p_all"])])
        sys.stdout.write(f"{id}\n")
        sys.stdout.flush()


def crash_round(
    url: str | None, root: Path, workspace: str, *, round: int, writers: int = 4, longest: float = 1.0
) -> Outcome:
    """Start writers, kill each at a random moment, and look at what is left."""
    chance = random.Random(round)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, __file__, url or "", str(root), workspace]
    started = [
        subprocess.Popen([*command, f"r{round}w{number}"], env=environment, stdout=subprocess.PIPE, text=True)
        for number in range(writers)
    ]
    pipes = [process.stdout for process in started if process.stdout is not None]
    # The clock runs from the first promise: until then a writer is only starting.
    heard = [pipe.readline() for pipe in pipes]
    deadlines = [time.monotonic() + chance.uniform(0.02, longest) for _ in started]
    for at, deadline in sorted(enumerate(deadlines), key=lambda item: item[1]):
        time.sleep(max(0.0, deadline - time.monotonic()))
        started[at].kill()
    promised: list[str] = []
    for first, pipe, process in zip(heard, pipes, started, strict=True):
        # A line cut off by the kill was not a promise yet.
        promised += [line for line in (first + pipe.read()).split("\n")[:-1] if line]
        pipe.close()
        process.wait(timeout=30)
    store = open_sample(url, root, workspace)
    try:
        return _inspect(store, promised)
    finally:
        store.close()


def _inspect(store: Store, promised: list[str]) -> Outcome:
    with store.state.read() as session:
        rows = {row["id"]: row["rid"] for row in session.rows("SELECT id, rid FROM notes")}
        found = session.text(TEXT).matching_ids(["filler"], scope=[["p_all"]])
        statistics = session.text(TEXT).statistics(["filler"])
        vectors = session.vectors(VECTORS).count(model="m")
        logged = session.value("SELECT count(*) FROM change_log WHERE op = 'insert'")
    outcome = Outcome(len(promised), len(rows), store.state.check() + store.index.check())
    if lost := [id for id in promised if id not in rows]:
        outcome.problems.append(f"{len(lost)} acknowledged writes lost, as {lost[0]}")
    if found != sorted(rows.values()):
        outcome.problems.append("full text and rows differ")
    if not (statistics.documents == statistics.frequencies["filler"] == vectors == logged == len(rows)):
        outcome.problems.append(
            f"counts differ: {statistics}, {vectors} vectors, {logged} logged, {len(rows)} rows"
        )
    return outcome


if __name__ == "__main__":
    write_forever(sys.argv[1] or None, Path(sys.argv[2]), sys.argv[3], sys.argv[4])
