"""Strange bytes for a real server, for as long as you like: ``python fuzz/wire.py http --seconds 600``.

``http`` sends raw requests, ``stdio`` raw lines, ``sizes`` every tool with values of megabytes, timed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path += [str(Path(__file__).parent.parent / "tests" / part) for part in ("proof/support", "support")]

from attack import Broken
from ground import Ground
from http_attack import HttpAttack
from outside import Http
from sizes import SizeAttack
from stdio_attack import StdioAttack

ROUNDS = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=("http", "stdio", "sizes"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    broken: list[str] = []
    seed, deadline = asked.seed, time.monotonic() + asked.seconds
    while time.monotonic() < deadline and len(broken) < 10:
        try:
            sys.stdout.write(f"seed {seed}: {KINDS[asked.kind](seed)}\n")
        except Broken as error:
            broken.append(f"seed {seed}: {error}")
        seed += 1
        if asked.kind == "sizes":
            break
    sys.stdout.write("\n\n".join([f"{len(broken)} broken promises", *broken]) + "\n")
    return 1 if broken else 0


def _http(seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="cuedeck-fuzz-") as folder:
        ground, log = Ground(Path(folder)), Path(folder) / "serve.log"
        server = Http(ground.root, ground.environ, "--decks", "all", log=log)
        try:
            attack = HttpAttack(server, log, seed)
            attack.rounds(ROUNDS * 10)
        finally:
            server.close()
            ground.close()
    return f"{attack.requests} requests, answered with {attack.statuses}"


def _stdio(seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="cuedeck-fuzz-") as folder:
        ground = Ground(Path(folder))
        try:
            options = ("--no-daemon",) if seed % 2 else ()
            version = ("2025-03-26", "2025-11-25")[seed // 2 % 2]
            attack = StdioAttack(ground.stdio("--decks", "all", *options, version=version), seed)
            attack.rounds(ROUNDS * 5)
        finally:
            ground.close()
    return f"{attack.lines} lines, {attack.answers} answers"


def _sizes(_seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="cuedeck-fuzz-") as folder:
        ground = Ground(Path(folder))
        try:
            attack = SizeAttack(lambda: ground.stdio("--decks", "all", "--no-daemon"))
            slow = attack.everything(attack.tools)
        finally:
            ground.close()
    if attack.broken:
        raise Broken("\n".join(attack.broken))
    told = "\n".join(f"  {seconds:.1f} s: {what}" for seconds, what in slow[:15])
    return f"{attack.calls} large calls, the slowest:\n{told}"


KINDS: dict[str, Callable[[int], str]] = {"http": _http, "stdio": _stdio, "sizes": _sizes}


if __name__ == "__main__":
    raise SystemExit(main())
