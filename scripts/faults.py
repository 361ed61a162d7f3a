"""The long form of the fault suite: every fault again and again, each round at other moments.

python scripts/faults.py [ROUNDS] [PYTEST OPTIONS]      # as `python scripts/faults.py 50 -k killed`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Run the rounds; the first that fails ends it, and its output says which fault it was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=20)
    chosen, options = parser.parse_known_args()
    for number in range(1, chosen.rounds + 1):
        started = time.monotonic()
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "tests/faults", "-x", *options], cwd=ROOT, check=False
        )
        sys.stdout.write(f"round {number} of {chosen.rounds}: {time.monotonic() - started:.0f} s\n")
        if ended.returncode:
            return ended.returncode
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
