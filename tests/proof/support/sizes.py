"""Every tool with values as large as a message may be: an answer in bounded time, whatever it says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attack import GOOD, contract_problem
from outside import Stdio

# Just below the largest message, so that the tools see it.
LETTERS = 3_500_000
SECONDS = 30.0
UNITS = {
    "one word": "a",
    "words": "ab ",
    "lines": "x\n",
    "slashes": "a/",
    "brackets": "[[",
    "open quotes": '"',
    "errors": "E   ValueError: x\n",
    "frames": "    at f (a.js:1:2)\n",
    "accents": "é",
}
TEXTS = {what: unit * (LETTERS // len(json.dumps(unit)[1:-1])) for what, unit in UNITS.items()}
TEXTS["different words"] = " ".join(f"w{number}" for number in range(LETTERS // 8))


class SizeAttack:
    """A process and its patience; one that has none left is replaced."""

    def __init__(self, opened: Callable[[], Stdio]) -> None:
        self._opened = opened
        self.door = opened()
        self.calls = 0
        self.broken: list[str] = []
        self.tools = {tool["name"]: tool for tool in self.door.ask("tools/list")["result"]["tools"]}

    def everything(self, names: Iterable[str]) -> list[tuple[float, str]]:
        """All large arguments of some tools; how long each took, slowest first."""
        took = [self._timed(name, what, given) for name in names for what, given in self._large(name)]
        return sorted(took, reverse=True)

    def _timed(self, name: str, what: str, arguments: dict[str, Any]) -> tuple[float, str]:
        started = time.monotonic()
        self.calls += 1
        try:
            answer = self.door.ask("tools/call", {"name": name, "arguments": arguments})
            problem = contract_problem(name, answer)
        except AssertionError as silent:
            problem, answer = str(silent), {}
            self.door.process.kill()
            self.door = self._opened()
        seconds = time.monotonic() - started
        if problem or seconds > SECONDS:
            self.broken.append(
                f"{problem} after {seconds:.0f} s: {name} with {what} -> {json.dumps(answer)[:1000]}"
            )
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
