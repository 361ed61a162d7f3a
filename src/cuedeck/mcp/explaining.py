"""Protocol mistakes said in words: what in a request was wrong, and that a handshake is missing."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

NOT_INITIALIZED = (
    "This connection is not initialized: send `initialize` first, "
    "or put the protocol version into `_meta` as 2026-07-28 does"
)


async def explain_mistakes(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Server middleware that words what the SDK only numbers."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        raise MCPError(types.INVALID_PARAMS, f"Invalid params: {_first_mistake(error)}") from None
    except MCPError as error:
        # The SDK's own refusal before the handshake; ours always carry data or a message of their own.
        if error.code == types.INVALID_PARAMS and error.data == "":
            raise MCPError(types.INVALID_PARAMS, NOT_INITIALIZED) from None
        raise


def _first_mistake(error: ValidationError) -> str:
    """Where and what, never the value: it may be anything, and of any size."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    names = [str(part) for part in first["loc"] if str(part) != "params"]
    where = ".".join(names)[:100].encode("utf-8", "replace").decode()
    said = "should be an object" if first["type"] == "dict_type" else first["msg"]
    message = said[:1].lower() + said[1:]
    return f"{where}: {message}" if where else message
