"""Fuzz every tool over a real process for as long as you like: ``python fuzz/tools.py --seconds 600``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path += [str(Path(__file__).parent.parent / "tests" / part) for part in ("proof/support", "support")]

from attack import Attack, Broken
from ground import Ground


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--deck", default="", help="only tools whose name begins so")
    asked = parser.parse_args()
    broken: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="cuedeck-fuzz-") as folder:
        ground = Ground(Path(folder))
        try:
            attack = Attack(ground.stdio("--decks", "all", "--no-daemon"), ground.root)
            names = [name for name in attack.tools if name.startswith(asked.deck)]
            deadline = time.monotonic() + asked.seconds
            seed = asked.seed
            for name in names:
                _record(broken, name, partial(attack.systematic, [name]))
            while time.monotonic() < deadline:
                seed += 1
                _record(broken, f"seed {seed}", partial(attack.random, names, 200, seed))
            _record(broken, "after", attack.check)
        finally:
            ground.close()
    say = sys.stdout.write
    say(f"{attack.calls} calls, {attack.refused} refused, {len(broken)} broken promises, seed {asked.seed}\n")
    for where, what in broken.items():
        say(f"\n{where}: {what}\n")
    return 1 if broken else 0


def _record(broken: dict[str, str], where: str, what: Callable[[], None]) -> None:
    try:
        what()
    except Broken as error:
        broken[where] = str(error)


if __name__ == "__main__":
    raise SystemExit(main())
