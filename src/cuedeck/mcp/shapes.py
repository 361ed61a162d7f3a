"""JSON schemas of what tools return, put together from a few words."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
BOOLEAN: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
STRING_OR_NULL: Schema = {"type": ["string", "null"]}
OBJECT_OR_NULL: Schema = {"type": ["object", "null"]}
STRINGS: Schema = {"type": "array", "items": STRING}


def object_of(required: Schema, **optional: Schema) -> Schema:
    """An object with these properties."""
    schema: Schema = {"type": "object", "properties": {**required, **optional}}
    return {**schema, "required": list(required)} if required else schema


def list_of(items: Schema) -> Schema:
    """Any number of these."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """An object with any names."""
    return {"type": "object", "additionalProperties": values}


def one_of(*words: str) -> Schema:
    """One of these words."""
    return {"type": "string", "enum": list(words)}
