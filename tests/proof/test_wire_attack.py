"""Strange bytes over HTTP and stdio: contract errors only, no traceback, the next request answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack import Attack
from ground import Ground
from http_attack import HttpAttack
from outside import Http
from stdio_attack import StdioAttack


@pytest.mark.parametrize("seed", range(3))
def test_odd_requests_over_http(own_ground: Ground, tmp_path: Path, seed: int) -> None:
    log = tmp_path / "serve.log"
    server = Http(own_ground.root, own_ground.environ, "--decks", "all", log=log)
    try:
        attack = HttpAttack(server, log, seed)
        attack.rounds(200)
    finally:
        server.close()
    assert {200, 400, 404, 405} <= attack.statuses.keys()


def test_arguments_invented_from_the_schemas_over_http(ground: Ground) -> None:
    attack = Attack(ground.door("http", "--decks", "all"), ground.root)
    attack.random(attack.tools, 120, 11)
    attack.check()
    assert attack.refused > 20


@pytest.mark.parametrize("options", [(), ("--no-daemon",)], ids=["daemon", "process"])
@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25"])
def test_odd_lines_over_stdio(own_ground: Ground, options: tuple[str, ...], version: str) -> None:
    door = own_ground.stdio("--decks", "all", *options, version=version)
    attack = StdioAttack(door, len(options) + len(version))
    attack.rounds(150)
    assert attack.answers > 60
