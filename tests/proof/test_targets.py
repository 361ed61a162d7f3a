"""The coverage-guided targets on their seeds and on mutations of them; the fuzzer itself is in fuzz/."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
import seeds
from targets import TARGETS


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_target_stands_its_seeds_and_mutations(name: str) -> None:
    chance = random.Random(name)
    for data in seeds.inputs()[name][:24]:
        TARGETS[name](data)
        for _ in range(6):
            TARGETS[name](mutated(data, chance))


@pytest.mark.parametrize("name", ["tools.py", "wire.py"])
def test_a_fuzzer_starts_by_itself(name: str) -> None:
    script = Path(__file__).parents[2] / "fuzz" / name
    assert "--seed" in subprocess.run([sys.executable, script, "-h"], capture_output=True, text=True).stdout


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(3):
            case 0:
                changed[at : at + chance.randrange(8)] = b""
            case 1:
                changed[at:at] = chance.choice((b"\n---\n", b"\t", b"'", b": ", b"```", b"[[", b"\xff"))
            case _:
                changed[at : at + 1] = bytes([chance.randrange(256)])
    return bytes(changed)
