"""How an answer or an error looks on the wire, deck by deck, as the five contracts word it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cuedeck.mcp.tool import Answer, Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

INTERNAL_ERROR = -32603


@dataclass(frozen=True, slots=True)
class Rendered:
    """A tool result: a text block, the same as structured content, and what goes beside it."""

    text: str
    structured: dict[str, Any] | None
    meta: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False

    def to_json(self) -> dict[str, Any]:
        """The result of ``tools/call``."""
        content = [{"type": "text", "text": self.text}]
        result: dict[str, Any] = {"content": content, "isError": self.is_error}
        if self.structured is not None:
            result["structuredContent"] = self.structured
        if self.meta:
            result["_meta"] = dict(self.meta)
        return result


class RpcError(Exception):
    """A JSON-RPC error to answer with."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def contract_value(tool: Tool, answer: Answer, elapsed_ms: float) -> Any:
    """The contract's JSON for a handler's answer."""
    if tool.deck is not Deck.VAULT:
        return answer.value
    metadata: dict[str, Any] = {"executionTime": round(elapsed_ms, 2)}
    if answer.cache_hit is not None:
        metadata["cacheHit"] = answer.cache_hit
    if answer.indexing:
        metadata["indexing"] = True
    return {"success": True, "data": answer.value, "metadata": metadata}


def render_answer(tool: Tool, answer: Answer, elapsed_ms: float) -> Rendered:
    """A handler's answer as a tool result; arrays are wrapped in structured content only."""
    text, value = encoded(contract_value(tool, answer, elapsed_ms))
    structured = value if isinstance(value, dict) else {"result": value}
    meta = encoded(dict(answer.meta))[1] if answer.meta else {}
    return Rendered(text, structured, meta)


def render_error(tool: Tool, error: CueError, elapsed_ms: float, fits: Callable[[Any], bool]) -> Rendered:
    """An error as a tool result, structured only where the tool's output schema has room for it."""
    text, _ = encoded(_ERROR_FORMS[tool.deck](error, elapsed_ms))
    body = json.loads(text)
    return Rendered(text, body if fits(body) else None, is_error=True)


def rpc_error(error: CueError) -> RpcError:
    """An error of the context deck as the JSON-RPC error of its contract."""
    number, title = _CONTEXT.get(error.code, (INTERNAL_ERROR, None))
    return RpcError(number, readable(_titled(title, error.message)), readable(_data(error) or None))


def encoded(value: Any) -> tuple[str, Any]:
    """A value's JSON text, and the value, both with what UTF-8 cannot carry replaced."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    carried = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return carried, value if carried == text else json.loads(carried)


def readable(value: Any) -> Any:
    """The value with lone surrogates (names of undecodable files) shown as replacement characters."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode() if not value.isascii() else value
        case Mapping():
            return {readable(key): readable(item) for key, item in value.items()}
        case list() | tuple():
            return [readable(item) for item in value]
    return value


def _titled(title: str | None, message: str) -> str:
    if title is None or message.casefold().startswith(title.casefold()):
        return message
    return f"{title}: {message}"


def _data(error: CueError) -> dict[str, Any]:
    return {**error.data, **({"hint": error.hint} if error.hint else {})}


def _context(error: CueError, _elapsed_ms: float) -> dict[str, Any]:
    rendered = rpc_error(error)
    body = {"code": rendered.code, "message": rendered.message}
    return {"error": body if rendered.data is None else body | {"data": rendered.data}}


def _code(error: CueError, _elapsed_ms: float) -> dict[str, Any]:
    code = _CODE.get(error.code, error.code.value)
    return {"error": {"code": code, "message": error.message, "data": _data(error)}}


def _todo(error: CueError, _elapsed_ms: float) -> dict[str, Any]:
    code = _TODO.get(error.code, error.code.value)
    said = {"success": False, "error": code, "message": error.message}
    return said | {name: value for name, value in _data(error).items() if name not in said}


def _memory(error: CueError, _elapsed_ms: float) -> dict[str, Any]:
    body: dict[str, Any] = {"error": error.message, "code": _MEMORY.get(error.code, error.code.value.upper())}
    return body | ({"data": error.data} if error.data else {}) | ({"hint": error.hint} if error.hint else {})


def _vault(error: CueError, elapsed_ms: float) -> dict[str, Any]:
    metadata: dict[str, Any] = {"executionTime": round(elapsed_ms, 2), "code": error.code.value}
    if error.data:
        metadata["data"] = error.data
    if error.hint:
        metadata["hint"] = error.hint
    return {"success": False, "error": _vault_sentence(error), "metadata": metadata}


def _vault_sentence(error: CueError) -> str:
    """The contract's own words in front, whatever case an engine wrote them in, then what they are about."""
    sentence = _VAULT.get(error.code)
    message = _titled(sentence, error.message)
    if sentence is None:
        return message
    about = message[len(sentence) :]
    if not about and isinstance(path := error.data.get("path"), str):
        about = f": {path}"
    return sentence + about


_ERROR_FORMS = {
    Deck.CONTEXT: _context,
    Deck.CODE: _code,
    Deck.TODO: _todo,
    Deck.MEMORY: _memory,
    Deck.VAULT: _vault,
}

_CONTEXT: Mapping[ErrorCode, tuple[int, str | None]] = {
    ErrorCode.NOT_FOUND: (1001, None),
    ErrorCode.DEPENDENCY_NOT_FOUND: (1001, "DependencyNotFound"),
    ErrorCode.CYCLE: (1002, "Cycle Detected"),
    ErrorCode.TOKEN_LIMIT: (1003, "Token Limit Exceeded"),
    ErrorCode.STALE_CACHE: (1006, "Stale Cache"),
    ErrorCode.LOCKED: (1007, "Lock Error"),
    ErrorCode.ORPHAN_CARD: (1008, None),
    ErrorCode.VALIDATION: (1010, None),
    ErrorCode.PATH_REFUSED: (1010, None),
    ErrorCode.MULTIPLE_MATCHES: (1010, None),
    ErrorCode.RATE_LIMITED: (429, "Rate Limit Exceeded"),
    ErrorCode.UNAUTHORIZED: (401, "Unauthorized"),
}

_CODE: Mapping[ErrorCode, str] = {
    ErrorCode.VALIDATION: "invalid_input",
    ErrorCode.PATH_REFUSED: "invalid_input",
    ErrorCode.CYCLE: "invalid_input",
    ErrorCode.MULTIPLE_MATCHES: "invalid_input",
    ErrorCode.DEPENDENCY_NOT_FOUND: "not_found",
    ErrorCode.LOCKED: "internal_error",
    ErrorCode.DATABASE: "internal_error",
    ErrorCode.SCHEMA_TOO_NEW: "internal_error",
    ErrorCode.CONFIGURATION: "internal_error",
    ErrorCode.UNAVAILABLE: "internal_error",
    ErrorCode.EMBEDDING: "internal_error",
    ErrorCode.INTERNAL: "internal_error",
}

_TODO: Mapping[ErrorCode, str] = {
    ErrorCode.VALIDATION: "validation_error",
    ErrorCode.PATH_REFUSED: "validation_error",
    ErrorCode.CYCLE: "validation_error",
    ErrorCode.DEPENDENCY_NOT_FOUND: "not_found",
    ErrorCode.LOCKED: "database_error",
    ErrorCode.DATABASE: "database_error",
    ErrorCode.SCHEMA_TOO_NEW: "database_error",
    ErrorCode.CONFIGURATION: "database_error",
    ErrorCode.UNAVAILABLE: "database_error",
    ErrorCode.EMBEDDING: "database_error",
    ErrorCode.INTERNAL: "internal_error",
}

_MEMORY: Mapping[ErrorCode, str] = {
    ErrorCode.VALIDATION: "VALIDATION_ERROR",
    ErrorCode.PATH_REFUSED: "VALIDATION_ERROR",
    ErrorCode.CYCLE: "VALIDATION_ERROR",
    ErrorCode.DEPENDENCY_NOT_FOUND: "VALIDATION_ERROR",
    ErrorCode.MULTIPLE_MATCHES: "VALIDATION_ERROR",
    ErrorCode.LOCKED: "DB_ERROR",
    ErrorCode.DATABASE: "DB_ERROR",
    ErrorCode.SCHEMA_TOO_NEW: "DB_ERROR",
    ErrorCode.CONFIGURATION: "DB_ERROR",
    ErrorCode.UNAVAILABLE: "DB_ERROR",
    ErrorCode.EMBEDDING: "EMBEDDING_ERROR",
    ErrorCode.INTERNAL: "INTERNAL_ERROR",
}

_VAULT: Mapping[ErrorCode, str] = {
    ErrorCode.NOT_FOUND: "File not found",
    ErrorCode.PATH_REFUSED: "Invalid path",
    ErrorCode.WORKFLOW_NOT_FOUND: "Workflow not found",
    ErrorCode.WORKFLOW_DISABLED: "Workflow disabled",
    ErrorCode.EXECUTION_NOT_FOUND: "Execution not found",
    ErrorCode.LOCKED: "Database error",
    ErrorCode.DATABASE: "Database error",
    ErrorCode.SCHEMA_TOO_NEW: "Database error",
    ErrorCode.CONFIGURATION: "Database error",
    ErrorCode.UNAVAILABLE: "Database error",
    ErrorCode.UNAUTHORIZED: "Unauthorized",
    ErrorCode.INTERNAL: "Internal error",
}
