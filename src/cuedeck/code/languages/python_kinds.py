"""Kinds of node of Python's grammar by their numbers."""

from __future__ import annotations

from functools import cache
from typing import Final

from cuedeck.code.extraction.grammars import grammar_of
from cuedeck.code.languages.language import Language

_ARGUMENTS: Final = (
    "identifier",
    "keyword_argument",
    "lambda",
    "argument_list",
    "list_splat",
    "dictionary_splat",
    "list",
    "set",
)
_LITERALS: Final = {
    "string": b"str",
    "concatenated_string": b"str",
    "integer": b"int",
    "float": b"float",
    "true": b"bool",
    "false": b"bool",
    "none": b"None",
}


@cache
def argument_kinds(language: Language) -> list[int]:
    """The kinds that arguments are told apart by."""
    grammar = grammar_of(language)
    return [grammar.id_for_node_kind(kind, True) for kind in _ARGUMENTS]


@cache
def literal_kinds(language: Language) -> dict[int, bytes]:
    """The types of literals by their kinds."""
    grammar = grammar_of(language)
    return {grammar.id_for_node_kind(kind, True): name for kind, name in _LITERALS.items()}
