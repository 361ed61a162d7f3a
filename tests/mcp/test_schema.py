from __future__ import annotations

from jsonschema import Draft202012Validator
from mcp_sample import Page, ReadContext, Store

from cuedeck.mcp.schema import input_schema, output_schema
from cuedeck.model.deck import Deck


def test_arguments_are_shown_without_titles_references_or_null_defaults() -> None:
    assert input_schema(ReadContext) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Keywords"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
            "filters": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "priority": {"type": "string"},
                },
            },
        },
        "required": ["query"],
    }


def test_clamped_numbers_have_no_bounds_a_client_could_refuse_by() -> None:
    assert input_schema(Page)["properties"]["limit"] == {"type": "number", "default": 50}


def test_null_is_shown_only_where_it_means_something() -> None:
    properties = input_schema(Store)["properties"]
    assert properties["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert properties["metadata"] == {"type": "object", "additionalProperties": True}


def test_arrays_are_wrapped_for_structured_content() -> None:
    wrapped = output_schema(Deck.CONTEXT, {"type": "array", "items": {"type": "string"}})
    Draft202012Validator(wrapped).validate({"result": ["a"]})
    assert not Draft202012Validator(wrapped).is_valid({"result": [1]})


def test_a_choice_of_types_is_spelled_out_for_simple_clients() -> None:
    shown = output_schema(
        Deck.CODE,
        {
            "type": "object",
            "properties": {
                "type": {"type": ["string", "null"], "description": "Kind"},
                "range": {"type": ["object", "null"], "properties": {"start": {"type": "integer"}}},
            },
        },
    )
    assert shown["properties"] == {
        "type": {"description": "Kind", "anyOf": [{"type": "string"}, {"type": "null"}]},
        "range": {
            "anyOf": [
                {"type": "object", "properties": {"start": {"type": "integer"}}},
                {"type": "null"},
            ]
        },
    }


def test_vault_data_gets_the_envelope() -> None:
    wrapped = Draft202012Validator(output_schema(Deck.VAULT, {"type": "object", "required": ["files"]}))
    wrapped.validate({"success": True, "data": {"files": []}, "metadata": {"executionTime": 1.5}})
    wrapped.validate({"success": False, "error": "File not found", "metadata": {"executionTime": 1}})
    assert not wrapped.is_valid({"success": True, "data": {}, "metadata": {"executionTime": 1}})
