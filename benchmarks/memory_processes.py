"""Many processes on one memory store: nothing acknowledged is lost, the feed replays to the final state.

    python benchmarks/memory_processes.py [--processes 20] [--seconds 60] [--kill] [--url postgresql://…]

Workers store, update, link and delete at random and note what was acknowledged. With --kill they are killed
at random and replaced. At the end the store is reopened: every acknowledged change must be in the feed, the
feed applied from its beginning must give exactly the tables, and a catch-up must complete every memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory import feed
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.embedder import NoEmbedder, open_embedder
from cuedeck.store import open_store
from cuedeck.store.protocol import Store

KEYS = {"memories": ("id",), "memory_links": ("from_id", "to_id")}
WORDS = (
    "heron",
    "weir",
    "granite",
    "piano",
    "tax",
    "banana",
    "lock",
    "port",
    "deploy",
    "cache",
    "index",
    "token",
)


def opened(root: Path, url: str | None) -> Store:
    return open_store(url, root=root, workspace_id=f"processes-{root.name}")


def work(root: Path, url: str | None, name: str, seconds: float) -> None:
    """Do random things until the time is up, noting each one after it was acknowledged."""
    chance = random.Random(name)
    memories = Memories(opened(root, url), NoEmbedder("workers have no model"), MemorySection())
    notes = os.open(root / f"{name}.notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done = act(memories, chance, name)
        if done:
            os.write(notes, (json.dumps([name, *done]) + "\n").encode())


def act(memories: Memories, chance: random.Random, name: str) -> tuple[str, str] | None:
    """One random operation; what it did to which row, or nothing when somebody else was faster."""
    known = memories.page(
        type=None, project=None, deleted=False, after=f"memory:{chance.choice('0z')}", limit=50
    )
    known = known or memories.page(type=None, project=None, deleted=False, after="", limit=50)
    choice = chance.random()
    try:
        if choice < 0.5 or len(known) < 2:
            text = f"{' '.join(chance.choices(WORDS, k=6))} {chance.getrandbits(64):x}"
            stored = memories.store(Draft(MemoryType.KNOWLEDGE, text), actor=name)
            return "insert", stored.memory.id
        one, other = chance.sample(known, 2)
        if choice < 0.8:
            memories.update(one.id, {"metadata": {name: chance.getrandbits(32)}}, actor=name)
            return "update", one.id
        if choice < 0.9:
            memories.link(one.id, other.id, reason=name, strength=0.5, actor=name)
            return "link", f"{one.id}/{other.id}"
        memories.delete(one.id, actor=name)
        return "delete", one.id
    except CueError as error:
        if error.code is ErrorCode.NOT_FOUND:
            return None
        raise


def run(root: Path, arguments: argparse.Namespace) -> int:
    """Start the workers, kill some if asked to, and wait for the end; how many were killed."""
    deadline = time.monotonic() + arguments.seconds
    workers = [start(root, arguments, f"w{number}", deadline) for number in range(arguments.processes)]
    killed = 0
    while arguments.kill and time.monotonic() < deadline - 1:
        time.sleep(random.uniform(0.3, 1.0))
        place = random.randrange(len(workers))
        workers[place].send_signal(signal.SIGKILL)
        workers[place].wait()
        killed += 1
        workers[place] = start(root, arguments, f"r{killed}", deadline)
    failed = [worker.wait() for worker in workers]
    if any(failed):
        raise SystemExit(f"workers ended with {failed}")
    return killed


def start(root: Path, arguments: argparse.Namespace, name: str, deadline: float) -> subprocess.Popen[bytes]:
    left = max(0.1, deadline - time.monotonic())
    command = [sys.executable, __file__, "--work", str(root), "--name", name, "--seconds", str(left)]
    return subprocess.Popen(command + (["--url", arguments.url] if arguments.url else []))


def replayed(store: Store) -> tuple[dict[str, dict[str, Any]], set[tuple[str, str, str]], int]:
    """The tables as the feed tells them, everything it says happened, and how long it is."""
    tables: dict[str, dict[str, Any]] = {name: {} for name in KEYS}
    happened: set[tuple[str, str, str]] = set()
    after = count = 0
    while page := feed.read(store.state, after=after, limit=5000):
        for change in page:
            if change.after is None:
                tables[change.table].pop(change.id)
            else:
                tables[change.table][change.id] = change.after
            op = "link" if change.table == "memory_links" and change.op != "delete" else change.op
            happened.add((change.actor, op, change.id))
        after, count = page[-1].seq, count + len(page)
    return tables, happened, count


def actual(store: Store) -> dict[str, dict[str, Any]]:
    """The tables as they are."""
    with store.state.read() as session:
        return {
            name: {"/".join(row[part] for part in key): row for row in session.rows(f"SELECT * FROM {name}")}
            for name, key in KEYS.items()
        }


def verify(root: Path, url: str | None) -> dict[str, Any]:
    """Every promise, checked on a fresh opening."""
    store = opened(root, url)
    noted = {
        tuple(json.loads(line)) for path in root.glob("*.notes") for line in path.read_text().splitlines()
    }
    tables, happened, length = replayed(store)
    present = actual(store)
    wrong = [
        name
        for name in KEYS
        for id in tables[name].keys() | present[name].keys()
        if _shown(tables[name].get(id)) != _shown(present[name].get(id))
    ]
    result = {
        "acknowledged": len(noted),
        "lost": len(noted - happened),
        "feed": length,
        "rows": {name: len(rows) for name, rows in present.items()},
        "rows_differing_from_replay": len(wrong),
        "problems": store.state.check(),
        **completed(store),
    }
    store.close()
    return result


def _shown(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return {name: value for name, value in row.items() if name != "workspace_id"} if row else None


def completed(store: Store) -> dict[str, Any]:
    """Catch up with the real model: nothing may be left, no pair may be linked twice."""
    memories = Memories(store, open_embedder(SearchSection(), Path()), MemorySection())
    waiting = memories.completion.catch_up()
    memories.completion.drain(3600)
    with store.state.read() as session:
        rows = session.rows("SELECT from_id, to_id FROM memory_links")
    pairs = [frozenset((row["from_id"], row["to_id"])) for row in rows]
    left = memories.pending()
    memories.close()
    return {
        "completed": waiting,
        "incomplete": left,
        "links": len(pairs),
        "double_links": len(pairs) - len(set(pairs)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--url")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.url, arguments.name, arguments.seconds)
        return
    with tempfile.TemporaryDirectory(prefix="memories-") as folder:
        opened(Path(folder), arguments.url).close()
        killed = run(Path(folder), arguments)
        result = {"killed": killed, **verify(Path(folder), arguments.url)}
    print(json.dumps(result))
    bad = ("lost", "rows_differing_from_replay", "incomplete", "double_links", "problems")
    sys.exit(1 if any(result[name] for name in bad) else 0)


if __name__ == "__main__":
    main()
