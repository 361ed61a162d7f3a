"""From bytes to JSON-RPC messages: bounded lines, strict JSON, and an error for everything else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

CHUNK = 65536
EDGE = 512

_ID = rb'"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,200}")'
_ID_FIRST = re.compile(rb'^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"]{0,200}"\s*,\s*){0,2}' + _ID)
_ID_LAST = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')

Id = int | str


class ByteReader(Protocol):
    """Where bytes come from; an empty result or ``EndOfStream`` is the end."""

    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        """The next bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line that was longer than allowed: only its edges are kept."""

    head: bytes
    tail: bytes

    def request_id(self) -> Id | None:
        """The id of the request in it, where its edges show one."""
        found = _ID_FIRST.search(self.head) or _ID_LAST.search(self.tail)
        return None if found is None else json.loads(found.group(1))


class Malformed(Exception):
    """A message that cannot be served, with the JSON-RPC error that says why."""

    def __init__(self, code: int, message: str, request_id: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id

    def to_json(self) -> dict[str, Any]:
        """The error response."""
        return error_response(self.request_id, self.code, self.message)


async def bounded_lines(source: ByteReader, limit: int) -> AsyncIterator[bytes | Oversized]:
    """Newline-terminated lines; one that is too long is skipped to its end and reported."""
    from anyio import BrokenResourceError, ClosedResourceError, EndOfStream

    buffer = bytearray()
    dropped: Oversized | None = None
    while True:
        try:
            chunk = await source.receive(CHUNK)
        except (EndOfStream, ClosedResourceError, BrokenResourceError, OSError):
            chunk = b""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            buffer += part
            if dropped is not None:
                yield Oversized(dropped.head, (dropped.tail + bytes(buffer))[-EDGE:])
                dropped = None
            elif len(buffer) > limit:
                yield Oversized(bytes(buffer[:EDGE]), bytes(buffer[-EDGE:]))
            else:
                yield bytes(buffer)
            buffer.clear()
        buffer += rest
        if len(buffer) > limit or (dropped is not None and buffer):
            head = dropped.head if dropped is not None else bytes(buffer[:EDGE])
            tail = (dropped.tail if dropped is not None else b"") + bytes(buffer[-EDGE:])
            dropped = Oversized(head, tail[-EDGE:])
            buffer.clear()
        if not chunk:
            if dropped is not None:
                yield dropped
            elif buffer.strip():
                yield bytes(buffer)
            return


def parse(text: bytes) -> Any:
    """Strict JSON: UTF-8, no NaN, no repeated names, no bottomless nesting."""
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            times = Counter(name for name, _ in items)
            repeated.extend(sorted(name for name, count in times.items() if count > 1))
        return found

    try:
        value = json.loads(text.decode("utf-8-sig"), object_pairs_hook=pairs, parse_constant=_refuse_constant)
    except RecursionError:
        raise Malformed(PARSE_ERROR, "Parse error: nested too deeply") from None
    except ValueError as error:
        raise Malformed(PARSE_ERROR, f"Parse error: {_reason(error)}") from None
    if repeated:
        name = repeated[0][:100].encode("utf-8", "replace").decode()
        raise Malformed(INVALID_REQUEST, f"Invalid request: {name!r} is given twice", request_id_of(value))
    return value


def check_request(message: Any) -> dict[str, Any]:
    """The message as a JSON-RPC 2.0 request, notification or response."""
    if not isinstance(message, dict):
        raise Malformed(INVALID_REQUEST, "Invalid request: expected a JSON object")
    request_id = request_id_of(message)
    if message.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"', request_id)
    if "id" in message and request_id is None and not ("error" in message and message["id"] is None):
        raise Malformed(INVALID_REQUEST, 'Invalid request: "id" must be a string or a whole number')
    if "method" not in message:
        _check_response(message, request_id)
        return message
    if not isinstance(message["method"], str):
        raise Malformed(INVALID_REQUEST, 'Invalid request: "method" must be a string', request_id)
    if not isinstance(message.get("params", {}), dict | None):
        raise Malformed(INVALID_PARAMS, 'Invalid params: "params" must be an object', request_id)
    return message


def _check_response(message: dict[str, Any], request_id: Id | None) -> None:
    match message:
        case {"result": dict()} | {"error": {"code": int(), "message": str()}}:
            return
        case {"result": _} | {"error": _}:
            raise Malformed(INVALID_REQUEST, "Invalid request: this is no answer to anything", request_id)
    raise Malformed(INVALID_REQUEST, 'Invalid request: "method" is missing', request_id)


def request_id_of(message: Any) -> Id | None:
    """The id to answer a message under, where it has a usable one."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, bool) or not isinstance(found, (int, str)):
        return None
    if isinstance(found, str) and not found.isascii():
        return found.encode("utf-8", "replace").decode()
    return found


def error_response(request_id: Id | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    """A JSON-RPC error response."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def encode_line(message: Any) -> bytes:
    """One message as one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _reason(error: ValueError) -> str:
    match error:
        case UnicodeDecodeError():
            return f"not UTF-8 at byte {error.start}"
        case json.JSONDecodeError():
            return f"{error.msg.removesuffix(' at')} at character {error.pos}"
    text = str(error)
    return text if text.endswith("is not JSON") else "a number is too large"
