"""Writers killed in the middle: nothing acknowledged is lost, nothing half-done is left."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from store_crash import crash_round
from store_sample import open_sample

from cuedeck.store.protocol import Store


def test_killed_writers_lose_nothing_they_acknowledged(
    url: str | None, tmp_path: Path, workspace_id: str
) -> None:
    outcome = crash_round(url, tmp_path, workspace_id, round=1, longest=0.6)
    assert outcome.problems == []
    assert outcome.acknowledged >= 4
    assert outcome.present >= outcome.acknowledged


def test_four_writing_processes_all_get_their_turn(
    url: str | None, tmp_path: Path, workspace_id: str, open_again: Callable[..., Store]
) -> None:
    code = (
        "import sys, time; from pathlib import Path; from store_sample import open_sample\n"
        "store = open_sample(sys.argv[1] or None, Path(sys.argv[2]), sys.argv[3], busy_timeout=30)\n"
        "store.state.version(); print('ready', flush=True); sys.stdin.readline()\n"
        "longest = 0\n"
        "for n in range(40):\n"
        "    began = time.monotonic()\n"
        "    with store.state.write(actor=sys.argv[4]) as s:\n"
        "        s.insert('notes', {'id': f'{sys.argv[4]}-{n}', 'title': 't'})\n"
        "    longest = max(longest, time.monotonic() - began)\n"
        "print(longest)\n"
    )
    open_again()

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, url or "", str(tmp_path), workspace_id, f"w{number}"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    longest = [float(process.communicate("go\n", timeout=60)[0]) for process in started]
    # A write takes a few milliseconds; nobody waits for all the others to finish.
    assert max(longest) < 5.0
    with open_again().state.read() as session:
        counted = session.rows("SELECT title, count(*) AS n FROM notes GROUP BY title")
    assert counted == [{"title": "t", "n": 160}]


def test_a_reader_is_never_kept_waiting_by_a_writer(sample: Store, open_again: Callable[..., Store]) -> None:
    other = open_again()
    with sample.state.write(actor="me") as session:
        session.insert("notes", {"id": "n1", "title": "t"})
        started = time.monotonic()
        with other.state.read() as reader:
            assert reader.value("SELECT count(*) FROM notes") == 0
        assert time.monotonic() - started < 1.0


def test_random_histories_leave_text_rows_and_log_in_step(tmp_path: Path) -> None:
    chance = random.Random(3)
    store = open_sample(None, tmp_path, "w")
    alive: set[str] = set()
    for step in range(60):
        id = f"n{chance.randrange(12)}"
        try:
            with store.state.write(actor="me") as session:
                if id in alive:
                    session.run("DELETE FROM notes WHERE id = :id", id=id)
                else:
                    session.insert("notes", {"id": id, "title": f"v{step}"})
                if chance.random() < 0.3:
                    raise InterruptedError
            alive ^= {id}
        except InterruptedError:
            continue
    replayed: set[str] = set()
    for change in store.state.changes(after=0):
        replayed = replayed | {change.id} if change.op == "insert" else replayed - {change.id}
    with store.state.read() as session:
        assert {row["id"] for row in session.rows("SELECT id FROM notes")} == alive == replayed
    store.close()
