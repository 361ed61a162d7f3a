"""Several processes at once, and processes that are killed: the short form of the benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory_processes.py"


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_killed_writers_lose_nothing_and_the_feed_replays(
    engine: str, request: pytest.FixtureRequest
) -> None:
    command = [sys.executable, str(BENCHMARK), "--processes", "4", "--seconds", "4", "--kill"]
    if engine == "postgres":
        command += ["--url", request.getfixturevalue("postgres_url")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["killed"] >= 1 and result["acknowledged"] > 10
    assert (result["lost"], result["rows_differing_from_replay"], result["incomplete"]) == (0, 0, 0)
