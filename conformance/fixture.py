"""The tools, prompts and resources that the conformance suites call, added to the server under test."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
CONFIRM = {"ok": {"type": "boolean"}}


@dataclass(frozen=True)
class FixtureTool:
    """One tool of the suites."""

    name: str
    handler: Handler
    schema: dict[str, Any] = field(default_factory=lambda: dict(OBJECT))

    def listed(self) -> dict[str, Any]:
        return {"name": self.name, "description": f"Conformance: {self.name}", "inputSchema": self.schema}


def text(content: str) -> types.TextContent:
    return types.TextContent(text=content)


def result(*blocks: Any, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=list(blocks), is_error=is_error)


def said(content: str) -> types.CallToolResult:
    return result(text(content))


def image() -> types.ImageContent:
    return types.ImageContent(data=PNG, mime_type="image/png")


def embedded(uri: str, mime_type: str, content: str) -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return types.EmbeddedResource(resource=resource)


def answers(*blocks: Any, is_error: bool = False) -> Handler:
    async def handler(_ctx: Context, _params: Any) -> types.CallToolResult:
        return result(*blocks, is_error=is_error)

    return handler


async def log(ctx: Context, message: str) -> None:
    await ctx.session.send_log_message(level="info", data=message, related_request_id=ctx.request_id)


async def logging_tool(ctx: Context, _params: Any) -> Any:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await log(ctx, message)
        await asyncio.sleep(0.05)
    return said("ok")


async def progress_tool(ctx: Context, _params: Any) -> Any:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return said("done")


async def sampling_tool(ctx: Context, params: Any) -> Any:
    reply = await ctx.session.create_message(
        messages=[sampling_message(params.arguments["prompt"])],
        max_tokens=100,
        related_request_id=ctx.request_id,
    )
    return said(f"LLM response: {getattr(reply.content, 'text', reply.content)}")


def sampling_message(prompt: str) -> types.SamplingMessage:
    return types.SamplingMessage(role="user", content=text(prompt))


async def ask(ctx: Context, message: str, properties: dict[str, Any], required: list[str]) -> Any:
    schema = {"type": "object", "properties": properties, "required": required}
    return await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)


async def elicitation_tool(ctx: Context, params: Any) -> Any:
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    reply = await ask(ctx, params.arguments["message"], properties, ["username", "email"])
    return said(f"User response: action: {reply.action}, content: {json.dumps(reply.content)}")


DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_CHOICES = ["option1", "option2", "option3"]
_TITLED = [
    {"const": f"value{number}", "title": f"{name} Option"}
    for number, name in enumerate(("First", "Second", "Third"), 1)
]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": _CHOICES},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _CHOICES}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


def form_tool(properties: dict[str, Any]) -> Handler:
    async def handler(ctx: Context, _params: Any) -> Any:
        reply = await ask(ctx, "Please fill in", properties, [])
        return said(f"Elicitation completed: action={reply.action}, content={json.dumps(reply.content)}")

    return handler


async def reconnection_tool(ctx: Context, _params: Any) -> Any:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return said("Reconnection test completed successfully")


# Multi-round-trip requests of 2026-07-28.


def elicit(message: str, properties: dict[str, Any], required: list[str]) -> types.ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": required}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(prompt: str, tokens: int = 100) -> types.CreateMessageRequest:
    params = types.CreateMessageRequestParams(messages=[sampling_message(prompt)], max_tokens=tokens)
    return types.CreateMessageRequest(params=params)


def needs(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def content_of(params: Any, key: str) -> dict[str, Any]:
    return getattr((params.input_responses or {}).get(key), "content", None) or {}


def name_question() -> types.ElicitRequest:
    return elicit("What is your name?", {"name": {"type": "string"}}, ["name"])


async def input_elicitation(_ctx: Context, params: Any) -> Any:
    reply = content_of(params, "user_name")
    return said(f"Hello, {reply['name']}!") if "name" in reply else needs(user_name=name_question())


def one_round(attribute: str, **requests: Any) -> Handler:
    async def handler(_ctx: Context, params: Any) -> Any:
        if not params.input_responses:
            return needs(**requests)
        return said(str(getattr(next(iter(params.input_responses.values())), attribute, "")))

    return handler


async def input_state(_ctx: Context, params: Any) -> Any:
    if params.request_state is None or not params.input_responses:
        return needs("s1", confirm=elicit("Please confirm", CONFIRM, ["ok"]))
    return said("state-ok")


async def input_multiple(_ctx: Context, params: Any) -> Any:
    if len(params.input_responses or {}) < 3:
        return needs(
            "m1",
            user_name=name_question(),
            greeting=sample("Generate a greeting", 50),
            client_roots=types.ListRootsRequest(),
        )
    return said("all inputs")


async def input_rounds(_ctx: Context, params: Any) -> Any:
    if params.request_state is None:
        return needs("r1", step1=elicit("Step 1: What is your name?", {"name": {"type": "string"}}, ["name"]))
    if params.request_state == "r1":
        color = {"color": {"type": "string"}}
        return needs("r2", step2=elicit("Step 2: What is your favorite color?", color, ["color"]))
    return said("complete")


async def input_capabilities(ctx: Context, params: Any) -> Any:
    capabilities = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if capabilities and capabilities.sampling is not None:
        requests["s"] = sample("hi", 5)
    if capabilities and capabilities.elicitation is not None:
        requests["e"] = elicit("x", CONFIRM, ["ok"])
    return needs(**requests) if requests and not params.input_responses else said("none")


async def missing_capability(ctx: Context, _params: Any) -> Any:
    capabilities = ctx.session.client_capabilities
    if not capabilities or capabilities.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", data)
    return said("ok")


async def custom_headers(_ctx: Context, params: Any) -> Any:
    return said(params.arguments["region"])


def arguments(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


JSON_SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
STRING = {"type": "string"}


def fixture_tools(bus: InMemorySubscriptionBus) -> list[FixtureTool]:
    def publishes(event: Any) -> Handler:
        async def handler(_ctx: Context, _params: Any) -> Any:
            await bus.publish(event())
            return said("ok")

        return handler

    mixed = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    resource = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    return [
        FixtureTool("test_simple_text", answers(text("This is a simple text response for testing."))),
        FixtureTool("test_image_content", answers(image())),
        FixtureTool("test_audio_content", answers(types.AudioContent(data=WAV, mime_type="audio/wav"))),
        FixtureTool("test_embedded_resource", answers(resource)),
        FixtureTool(
            "test_multiple_content_types", answers(text("Multiple content types test:"), image(), mixed)
        ),
        FixtureTool("test_tool_with_logging", logging_tool),
        FixtureTool("test_logging_tool", logging_tool),
        FixtureTool(
            "test_error_handling",
            answers(text("This tool intentionally returns an error for testing"), is_error=True),
        ),
        FixtureTool("test_tool_with_progress", progress_tool),
        FixtureTool("test_sampling", sampling_tool, arguments(["prompt"], prompt=STRING)),
        FixtureTool("test_elicitation", elicitation_tool, arguments(["message"], message=STRING)),
        FixtureTool("test_elicitation_sep1034_defaults", form_tool(DEFAULTS)),
        FixtureTool("test_elicitation_sep1330_enums", form_tool(ENUMS)),
        FixtureTool("test_reconnection", reconnection_tool),
        FixtureTool("test_input_required_result_elicitation", input_elicitation),
        FixtureTool(
            "test_input_required_result_sampling",
            one_round("content", capital_question=sample("What is the capital of France?")),
        ),
        FixtureTool(
            "test_input_required_result_list_roots", one_round("roots", client_roots=types.ListRootsRequest())
        ),
        FixtureTool("test_input_required_result_request_state", input_state),
        FixtureTool("test_input_required_result_tampered_state", input_state),
        FixtureTool("test_input_required_result_multiple_inputs", input_multiple),
        FixtureTool("test_input_required_result_multi_round", input_rounds),
        FixtureTool("test_input_required_result_capabilities", input_capabilities),
        FixtureTool("test_missing_capability", missing_capability),
        FixtureTool("test_streaming_elicitation", one_round("content", c=elicit("x", CONFIRM, ["ok"]))),
        FixtureTool("test_trigger_tool_change", publishes(ToolsListChanged)),
        FixtureTool("test_trigger_prompt_change", publishes(PromptsListChanged)),
        FixtureTool(
            "test_custom_headers",
            custom_headers,
            arguments(["region"], region={"type": "string", "x-mcp-header": "Region"}, query=STRING),
        ),
        FixtureTool("json_schema_2020_12_tool", answers(text("ok")), JSON_SCHEMA_2020),
    ]


def extend(server: Server[Any]) -> None:
    """Add everything the suites ask for beside what the product serves."""
    bus = InMemorySubscriptionBus()
    _add_tools(server, {tool.name: tool for tool in fixture_tools(bus)})
    _add_resources(server)
    _add_prompts(server)
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="cuedeck")
    )
    server.add_request_handler(
        "subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(bus)
    )
    for method, params in (
        ("logging/setLevel", types.SetLevelRequestParams),
        ("resources/subscribe", types.SubscribeRequestParams),
        ("resources/unsubscribe", types.UnsubscribeRequestParams),
    ):
        server.add_request_handler(method, params, _accept)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, _complete)


async def _accept(_ctx: Context, _params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def _complete(_ctx: Context, _params: Any) -> types.CompleteResult:
    values = ["paris", "park", "party"]
    return types.CompleteResult(completion=types.Completion(values=values, total=3, has_more=False))


def _add_tools(server: Server[Any], tools: dict[str, FixtureTool]) -> None:
    listed = server.get_request_handler("tools/list")
    called = server.get_request_handler("tools/call")
    schema_of = server.get_tool_input_schema
    assert listed and called and schema_of

    async def list_tools(ctx: Context, params: Any) -> Any:
        own = await listed.handler(ctx, params)
        return own | {"tools": [*own["tools"], *(tool.listed() for tool in tools.values())]}

    async def call_tool(ctx: Context, params: Any) -> Any:
        tool = tools.get(params.name)
        return await (tool.handler if tool else called.handler)(ctx, params)

    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.get_tool_input_schema = lambda name: tools[name].schema if name in tools else schema_of(name)


RESOURCES = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", base64.b64decode(PNG)),
    "test://watched-resource": ("text/plain", "watched"),
}
TEMPLATE = "test://template/{id}/data"


def _add_resources(server: Server[Any]) -> None:
    async def listed(_ctx: Context, _params: Any) -> Any:
        found = [types.Resource(uri=uri, name=uri, mime_type=kind) for uri, (kind, _) in RESOURCES.items()]
        return types.ListResourcesResult(resources=found)

    async def templates(_ctx: Context, _params: Any) -> Any:
        template = types.ResourceTemplate(
            uri_template=TEMPLATE, name="template", mime_type="application/json"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(_ctx: Context, params: Any) -> Any:
        uri = str(params.uri)
        return types.ReadResourceResult(contents=[_contents(uri)])

    server.add_request_handler("resources/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)


def _contents(uri: str) -> Any:
    prefix, suffix = TEMPLATE.split("{id}")
    if uri.startswith(prefix) and uri.endswith(suffix):
        name = uri.removeprefix(prefix).removesuffix(suffix)
        body = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=body)
    if uri not in RESOURCES:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    kind, content = RESOURCES[uri]
    if isinstance(content, bytes):
        blob = base64.b64encode(content).decode()
        return types.BlobResourceContents(uri=uri, mime_type=kind, blob=blob)
    return types.TextResourceContents(uri=uri, mime_type=kind, text=content)


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def _add_prompts(server: Server[Any]) -> None:
    async def listed(_ctx: Context, _params: Any) -> Any:
        found = [
            types.Prompt(
                name=name,
                description=f"Conformance: {name}",
                arguments=[types.PromptArgument(name=argument, required=True) for argument in wanted],
            )
            for name, wanted in PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=found)

    async def get(_ctx: Context, params: Any) -> Any:
        if params.name not in PROMPTS:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        if params.name == "test_input_required_result_prompt" and not params.input_responses:
            question = elicit("What context should the prompt use?", {"context": STRING}, ["context"])
            return needs(user_context=question)
        messages = [types.PromptMessage(role="user", content=part) for part in _prompt(params)]
        return types.GetPromptResult(messages=messages)

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get)


def _prompt(params: Any) -> list[Any]:
    given = params.arguments or {}
    match params.name:
        case "test_prompt_with_arguments":
            return [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            part = embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return [part, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            return [image(), text("Please analyze the image above.")]
    return [text("This is a simple prompt for testing.")]


class Events(EventStore):
    """Sent events by stream, so that a reconnecting client gets what it missed."""

    def __init__(self) -> None:
        self._events: list[tuple[str, types.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        last = int(last_event_id)
        stream = self._events[last][0]
        for number, (owner, message) in enumerate(self._events[last + 1 :], last + 1):
            if owner == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream
