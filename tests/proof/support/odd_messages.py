"""JSON-RPC messages from right to absurd, made from the tools' own schemas."""

from __future__ import annotations

import json
import random
from typing import Any

from attack import KNOWN
from hostile import STRINGS, WRONG, Inventor, deep
from outside import MODERN, USER, hello

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
VERSIONS = (*HANDSHAKES, MODERN, "1900-01-01", "9999-99-99", "", "x" * 300, "2025-11-25, 2026-07-28")
METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "subscriptions/listen",
    "resources/subscribe",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "read_context",
    "list_tasks",
    "tools/call ",
    "TOOLS/CALL",
    "rpc.discover",
    "__class__",
    "",
)
IDS = (1, 0, -1, "a", "", "é", "x" * 500, 2**53, 2**70, 1.5, True, None, [], {}, "\ud800")


class Messages:
    """One stream of messages; the same seed gives the same stream."""

    def __init__(self, chance: random.Random, tools: dict[str, Any]) -> None:
        self.chance = chance
        self.tools = tools
        self.names = sorted(tools)

    def raw(self, era: str = "") -> tuple[bytes, Any]:
        """The bytes of a message, and the message where they are honest JSON of one."""
        message = self.message()
        if era == MODERN and isinstance(message, dict) and self.chance.random() < 0.85:
            _address(message)
        if self.chance.random() < 0.04:
            message = [message, self.message()][: self.chance.randrange(3)]
        text = json.dumps(message)
        roll = self.chance.random()
        if roll < 0.88:
            return text.encode(), message
        return self._broken(text), None

    def message(self) -> Any:
        """Mostly a request as it should be, sometimes with one thing wrong."""
        message = self._request()
        roll = self.chance.random()
        if roll < 0.08:
            message[self.chance.choice(sorted(message))] = self.chance.choice((*WRONG, deep()))
        elif roll < 0.12:
            message.pop(self.chance.choice(sorted(message)))
        elif roll < 0.15:
            message[self.chance.choice(STRINGS)[:50]] = self.chance.choice(WRONG)
        elif roll < 0.17:
            return self.chance.choice(WRONG)
        elif roll < 0.19:
            return {"jsonrpc": "2.0", "id": message["id"], "result": self.chance.choice(WRONG)}
        return message

    def _request(self) -> dict[str, Any]:
        tool = self.chance.random() < 0.6
        method = "tools/call" if tool else self.chance.choice(METHODS)
        params = self._call() if tool else self._params(method)
        if self.chance.random() < 0.5:
            params["_meta"] = self._meta()
        plain = self.chance.random() < 0.7
        id = self.chance.randrange(1, 10**6) if plain else self.chance.choice(IDS)
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}

    def _call(self) -> dict[str, Any]:
        if self.chance.random() < 0.04:
            return {"name": self.chance.choice((*STRINGS, *WRONG)), "arguments": {}}
        name = self.chance.choice(self.names)
        inventor = Inventor(self.chance.randrange(2**32), KNOWN)
        return {"name": name, "arguments": inventor.arguments(self.tools[name]["inputSchema"])}

    def _params(self, method: str) -> dict[str, Any]:
        text = self.chance.choice(STRINGS)
        match method:
            case "initialize":
                greeting = hello(self.chance.choice(VERSIONS))
                if self.chance.random() < 0.3:
                    greeting[self.chance.choice(sorted(greeting))] = self.chance.choice(WRONG)
                return greeting
            case "resources/read" | "resources/subscribe":
                return {"uri": self.chance.choice((text, f"cuedeck://{text}", "cuedeck://doc/docs/auth.md"))}
            case "notifications/cancelled":
                return {"requestId": self.chance.choice(IDS), "reason": text}
            case "read_context":
                return {"query": text, "limit": self.chance.choice((1, 0, -1, 2**63))}
            case "list_tasks":
                return {"status": text}
        return {"cursor": text, "name": text, "user_id": USER} if self.chance.random() < 0.5 else {}

    def _meta(self) -> Any:
        if self.chance.random() < 0.1:
            return self.chance.choice(WRONG)
        meta: dict[str, Any] = {}
        if self.chance.random() < 0.8:
            meta["io.modelcontextprotocol/protocolVersion"] = self.chance.choice((MODERN, *VERSIONS, *WRONG))
            meta["io.modelcontextprotocol/clientCapabilities"] = self.chance.choice(({}, {}, *WRONG))
        if self.chance.random() < 0.3:
            meta["progressToken"] = self.chance.choice(IDS)
        return meta

    def _broken(self, text: str) -> bytes:
        at = self.chance.randrange(len(text) + 1)
        garbage = bytes(self.chance.randrange(256) for _ in range(self.chance.randrange(1, 60)))
        return self.chance.choice(
            (
                lambda: text[:at].encode(),
                lambda: text.encode() + garbage,
                lambda: text[:at].encode() + garbage + text[at:].encode(),
                lambda: text.encode("utf-16"),
                lambda: b"\xef\xbb\xbf" + text.encode(),
                lambda: text.replace('"2.0"', '"2.0", "jsonrpc": "2.0"').encode(),
                lambda: text.replace(": 1", ": NaN").encode(),
                lambda: text.replace(": 1", ": " + "9" * 5000).encode(),
                lambda: b"[" * self.chance.choice((10, 2000, 100_000)),
                lambda: b'{"a":' * 3000 + b"1" + b"}" * 3000,
                lambda: garbage,
                lambda: b"",
                lambda: b" " * 5000,
                lambda: text.replace("{", "{ \t\r").encode(),
            )
        )()


def _address(message: dict[str, Any]) -> None:
    """Say in the message what era it is of, as the newest one wants."""
    if isinstance(params := message.get("params"), dict):
        meta = params.get("_meta")
        spoken = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params["_meta"] = {**(meta if isinstance(meta, dict) else {}), **spoken}


def answer_problem(answer: Any) -> str:
    """What is wrong with a JSON-RPC answer as such, whatever was asked."""
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0" or "id" not in answer:
        return "not a JSON-RPC answer"
    if ("result" in answer) == ("error" in answer):
        return "neither a result nor an error"
    if "error" not in answer:
        return ""
    error = answer["error"]
    if not isinstance(error["code"], int) or not isinstance(error["message"], str) or not error["message"]:
        return "an error without a code or a message"
    return "an internal error" if error["code"] == -32603 else ""
