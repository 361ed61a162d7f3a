"""Hostile arguments for every tool: contract errors only, nothing outside touched, the next call answered."""

from __future__ import annotations

import pytest
from attack import Attack
from ground import Ground


@pytest.fixture(scope="module")
def attack(ground: Ground) -> Attack:
    (ground.root.parent / "outside.md").write_text("not yours\n")
    return Attack(ground.stdio("--decks", "all", "--no-daemon"), ground.root)


def test_every_argument_of_every_tool_in_turn(attack: Attack) -> None:
    # One value in fifteen; over tools and arguments each has its turn. fuzz/tools.py sends them all.
    attack.systematic(attack.tools, every=15)
    attack.check()
    assert attack.refused > 150


@pytest.mark.parametrize("seed", range(3))
def test_arguments_invented_from_the_schemas(attack: Attack, seed: int) -> None:
    attack.random(attack.tools, 150, seed)
    attack.check()
