"""JSON schemas as clients read them: small, without references, wrapped the way results are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cuedeck.mcp.tool import Arguments
from cuedeck.model.deck import Deck

_METADATA = {
    "type": "object",
    "properties": {"executionTime": {"type": "number"}, "cacheHit": {"type": "boolean"}},
    "required": ["executionTime"],
}


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of a tool's arguments: references inlined, generated titles and null defaults dropped."""
    raw = arguments.model_json_schema()
    schema = _plain(raw, raw.get("$defs", {}))
    schema.setdefault("properties", {})
    schema.pop("description", None)
    return schema


def output_schema(deck: Deck, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of ``structuredContent`` for a handler whose value has this schema."""
    value: dict[str, Any] = portable(schema)
    if deck is Deck.VAULT:
        return {
            "type": "object",
            "properties": {
                "success": {"type": "boolean"},
                "data": value,
                "error": {"type": "string"},
                "metadata": _METADATA,
            },
            "required": ["success", "metadata"],
        }
    if value.get("type") == "array":
        return {"type": "object", "properties": {"result": value}, "required": ["result"]}
    return value


def portable(schema: Any) -> Any:
    """The same schema with one type at a time, which is all that some clients understand."""
    if isinstance(schema, list):
        return [portable(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: portable(part) for key, part in schema.items()}
    kinds = plain.get("type")
    if not isinstance(kinds, list):
        return plain
    kept = {key: plain.pop(key) for key in ("description", "title", "default") if key in plain}
    return kept | {
        "anyOf": [{"type": "null"} if kind == "null" else plain | {"type": kind} for kind in kinds]
    }


def _plain(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**definitions[name], **rest}, definitions)
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("title", "$defs"):
            continue
        if key == "properties":
            plain[key] = {name: _property(schema, definitions) for name, schema in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            plain[key] = _plain(value, definitions)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            plain[key] = [_plain(part, definitions) for part in value]
        else:
            plain[key] = value
    return plain


def _property(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    plain = _plain(schema, definitions)
    nullable = plain.pop("nullable", False)
    if plain.get("default", ...) is None:
        del plain["default"]
    choices = plain.get("anyOf", [])
    others = [choice for choice in choices if choice != {"type": "null"}]
    if not nullable and len(others) < len(choices):
        del plain["anyOf"]
        plain = {**others[0], **plain} if len(others) == 1 else {"anyOf": others, **plain}
    return plain
