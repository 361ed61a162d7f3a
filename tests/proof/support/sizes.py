"""Every tool with values as large as a message may be: an answer in bounded time, whatever it says."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from attack import GOOD, Broken, contract_problem
from outside import Stdio

# Just below the largest message, so that the tools see it.
LETTERS = 3_500_000
SECONDS = 30.0
TEXTS = {
    "one word": "a" * LETTERS,
    "words": "ab " * (LETTERS // 3),
    "lines": "x\n" * (LETTERS // 2),
    "slashes": "a/" * (LETTERS // 2),
    "brackets": "[[" * (LETTERS // 2),
    "open quotes": '"' * (LETTERS // 2),
    "errors": "E   ValueError: x\n" * (LETTERS // 18),
    "frames": '  File "a.py", line 1, in f\n' * (LETTERS // 28),
    "many words": " ".join(f"w{number}" for number in range(LETTERS // 8)),
    "accents": "é" * (LETTERS // 6),
}


class SizeAttack:
    """One process and its patience."""

    def __init__(self, door: Stdio, seed: int) -> None:
        self.door = door
        self.calls = 0
        self.tools = {tool["name"]: tool for tool in door.ask("tools/list")["result"]["tools"]}

    def everything(self) -> list[tuple[float, str]]:
        """All large arguments of all tools; how long each took, slowest first."""
        took = [self._timed(name, what, given) for name in self.tools for what, given in self._large(name)]
        return sorted(took, reverse=True)

    def _timed(self, name: str, what: str, arguments: dict[str, Any]) -> tuple[float, str]:
        started = time.monotonic()
        answer = self.door.ask("tools/call", {"name": name, "arguments": arguments})
        seconds = time.monotonic() - started
        self.calls += 1
        if problem := contract_problem(name, answer):
            raise Broken(f"{problem}: {name} with {what} -> {json.dumps(answer)[:2000]}")
        if seconds > SECONDS:
            raise Broken(f"{seconds:.0f} s: {name} with {what}")
        return seconds, f"{name} with {what}"

    def _large(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        good = GOOD.get(name, {})
        for field, schema in self.tools[name]["inputSchema"].get("properties", {}).items():
            kinds = json.dumps(schema)
            if '"string"' in kinds:
                for what, text in TEXTS.items():
                    yield f"{field} of {what}", {**good, field: text}
            if '"array"' in kinds:
                yield f"{field} of many", {**good, field: [f"t{n}" for n in range(LETTERS // 10)]}
                yield f"{field} of few large", {**good, field: ["a" * (LETTERS // 5)] * 4}
            if '"object"' in kinds:
                yield f"{field} of many", {**good, field: {f"k{n}": n for n in range(LETTERS // 20)}}
        yield "many unknown arguments", {**good, **{f"k{n}": n for n in range(LETTERS // 20)}}
