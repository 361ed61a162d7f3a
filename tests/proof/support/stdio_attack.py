"""Raw bytes on the standard input of a server, held against what every line it writes must keep to."""

from __future__ import annotations

import json
import random
import select
import time
from typing import Any

from attack import Broken, contract_problem
from odd_messages import Messages, answer_problem
from outside import Stdio

LONG = 5 * 1024 * 1024


class StdioAttack:
    """One process, odd lines, and a good request after every few of them."""

    def __init__(self, door: Stdio, seed: int) -> None:
        self.door = door
        self.chance = random.Random(seed)
        self.tools = {tool["name"]: tool for tool in door.ask("tools/list")["result"]["tools"]}
        self.messages = Messages(self.chance, self.tools)
        self.lines = 0
        self.answers = 0
        self._asked: dict[str, Any] = {}

    def rounds(self, number: int) -> None:
        """So many odd lines, each answered or left alone, and none of them the end."""
        for count in range(number):
            self.door.send(self._line())
            self.lines += 1
            if count % 10 == 9:
                self.check()
        self.check()

    def check(self) -> None:
        """A good request is answered, after everything that came before it."""
        mark = f"mark {self.lines}"
        self.door.send({"jsonrpc": "2.0", "id": mark, "method": "tools/call", "params": HEALTH})
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self.door.receive()
            if isinstance(answer, dict) and answer.get("id") == mark:
                assert answer["result"]["structuredContent"]["data"]["status"] == "healthy", answer
                self._drain()
                return
            self._hold(answer)
        raise Broken(f"no answer to a good request after {self.lines} lines")

    def _drain(self) -> None:
        """Calls run beside each other, so some answers come later."""
        assert self.door.process.stdout
        pipe = self.door.process.stdout.fileno()
        while select.select([pipe], [], [], 0.05)[0]:
            self._hold(self.door.receive())

    def _hold(self, answer: Any) -> None:
        if isinstance(answer, list):
            for one in answer:
                self._hold(one)
            return
        if isinstance(answer, dict) and "method" in answer:
            return  # a notification: progress
        self.answers += 1
        if problem := answer_problem(answer):
            raise Broken(f"{problem}: {json.dumps(answer)[:2000]}")
        asked = self._asked.pop(json.dumps(answer["id"]), None)
        match asked:
            case {"method": "tools/call", "params": {"name": str(name)}} if name in self.tools:
                protocol = "error" in answer and -32768 <= answer["error"]["code"] <= -32000
                if not protocol and (problem := contract_problem(name, answer)):
                    raise Broken(f"{problem}: {json.dumps(asked)[:2000]} -> {json.dumps(answer)[:2000]}")

    def _line(self) -> bytes:
        raw, message = self.messages.raw()
        if isinstance(message, dict) and isinstance(message.get("id"), int):
            number = json.dumps(message["id"])
            # Of two requests with one number it is not known which is answered first.
            self._asked[number] = None if number in self._asked else message
        roll = self.chance.random()
        if roll < 0.01:
            return b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * LONG + b'"}'
        if roll < 0.02:
            return self.chance.randbytes(self.chance.randrange(1, 200_000)).replace(b"\n", b"\0")
        if roll < 0.06:
            return raw + b"\r"
        if roll < 0.09:
            return raw + b"\n\n  \n"
        return raw


HEALTH = {"name": "vault_health_check", "arguments": {}}
