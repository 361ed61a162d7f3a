"""A small registry with one tool of every shape, so that the server is tested apart from the engines."""

from __future__ import annotations

import threading
import time
from typing import Annotated, Any

from pydantic import Field

from cuedeck.mcp.registry import Registry
from cuedeck.mcp.resource import Resource, ResourceRequest
from cuedeck.mcp.tool import ADDS, CHANGES, READS, Answer, Arguments, Call, Clamped, Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

OBJECT = {"type": "object"}
STRICT = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


class Filters(Arguments):
    tags: list[str] | None = None
    priority: str | None = None


class ReadContext(Arguments):
    query: str = Field(min_length=1, max_length=200, description="Keywords")
    limit: int = Field(5, ge=1, le=50)
    filters: Filters | None = None


class Fail(Arguments):
    code: str = "internal"
    message: str = "it broke"
    data: dict[str, Any] = Field(default_factory=dict)
    hint: str | None = None


class Page(Arguments):
    limit: Annotated[int, Clamped(1, 500)] = 50
    offset: Annotated[int, Clamped(0)] = 0


class Store(Arguments):
    content: str
    metadata: dict[str, Any] | None = None
    note: str | None = Field(None, json_schema_extra={"nullable": True})


class Nothing(Arguments):
    """No arguments."""


class Wait(Arguments):
    seconds: float = 0.2


cancellations: list[str] = []
woke = threading.Event()


def _read_context(call: Call[ReadContext]) -> Answer:
    found = [{"path": f"{n}.md", "hash": "h", "tokens": n} for n in range(call.arguments.limit)]
    return Answer(found, meta={"mode_used": "keyword"})


def _fail(call: Call[Fail]) -> Answer:
    given = call.arguments
    raise CueError(ErrorCode(given.code), given.message, data=given.data, hint=given.hint)


def _crash(_call: Call[Nothing]) -> Answer:
    raise RuntimeError("secret /etc/shadow hunter2")


def _wait(call: Call[Wait]) -> Answer:
    steps = 20
    for step in range(steps):
        if call.cancelled():
            cancellations.append("seen")
            woke.set()
            return Answer({"ok": False})
        call.progress(step / steps, f"step {step}")
        time.sleep(call.arguments.seconds / steps)
    return Answer({"ok": True})


def _who(call: Call[Nothing]) -> Answer:
    return Answer({"ok": True, "subject": call.principal.subject, "issuer": call.principal.issuer})


def _odd(_call: Call[Nothing]) -> Answer:
    print("a stray print")
    return Answer({"name": "caf\udce9.md", "none": None})


def _tool(name: str, deck: Deck, arguments: type[Arguments], handler: Any, **more: Any) -> Tool:
    settings = {"output": OBJECT, "effects": READS, **more}
    return Tool(
        name=name,
        deck=deck,
        title=name.title(),
        description=f"{name}.",
        arguments=arguments,
        handler=handler,
        **settings,
    )


TOOLS = (
    _tool(
        "read_context",
        Deck.CONTEXT,
        ReadContext,
        _read_context,
        output={"type": "array", "items": OBJECT},
        in_default_set=True,
    ),
    _tool("update_task", Deck.CONTEXT, Nothing, lambda call: Answer({"done": True}), effects=CHANGES),
    _tool(
        "list_tasks", Deck.CONTEXT, Nothing, lambda call: Answer([]), output={"type": "array", "items": {}}
    ),
    _tool("crash", Deck.CONTEXT, Nothing, _crash),
    _tool("wait", Deck.CONTEXT, Wait, _wait),
    _tool("odd", Deck.CONTEXT, Nothing, _odd),
    *[_tool("fail", deck, Fail, _fail, output=STRICT if deck is Deck.CODE else OBJECT) for deck in Deck],
    _tool("who", Deck.TODO, Nothing, _who, in_default_set=True),
    _tool("list_tasks", Deck.TODO, Nothing, lambda call: Answer({"success": True}), in_default_set=True),
    _tool(
        "store",
        Deck.MEMORY,
        Store,
        lambda call: Answer({"length": len(call.arguments.content), "metadata": call.arguments.metadata}),
        effects=ADDS,
    ),
    _tool("crash", Deck.MEMORY, Nothing, _crash),
    _tool("slow", Deck.VAULT, Wait, _wait),
    _tool(
        "page",
        Deck.VAULT,
        Page,
        lambda call: Answer(call.arguments.model_dump(), cache_hit=True),
        in_default_set=True,
    ),
)


def _read_note(request: ResourceRequest) -> str:
    if request.parameters["name"] == "missing":
        raise CueError(ErrorCode.NOT_FOUND, "no such note")
    return f"note {request.parameters['name']}"


RESOURCES = (
    Resource(
        "sample://fixed", "fixed", "Fixed", "A fixed text", "text/plain", Deck.MEMORY, lambda _: "hello"
    ),
    Resource(
        "sample://bytes", "bytes", "Bytes", "Some bytes", "image/png", Deck.MEMORY, lambda _: b"\x00\x01"
    ),
    Resource("sample://note/{name}", "note", "Note", "A note", "text/plain", Deck.MEMORY, _read_note),
)

REGISTRY = Registry(TOOLS, RESOURCES)
