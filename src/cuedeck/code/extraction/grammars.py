"""Grammars, parsers and handler tables, made once per thread and language."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cuedeck.code.extraction.draft import Handler, handler_table
from cuedeck.native import native

if TYPE_CHECKING:
    from tree_sitter import Parser

    from cuedeck.code.languages.language import Language

_local = threading.local()


def parser_of(language: Language) -> Parser:
    """This thread's parser for a language."""
    from tree_sitter import Parser

    parsers: dict[str, Parser] = _local.__dict__.setdefault("parsers", {})
    if language.name not in parsers:
        parsers[language.name] = Parser(grammar_of(language))
    return parsers[language.name]


def native_parser_of(language: Language) -> Any | None:
    """This thread's compiled parser for a language, where there is one."""
    package = native()
    if package is None:
        return None
    parsers: dict[str, Any] = _local.__dict__.setdefault("native", {})
    if language.name not in parsers:
        from cuedeck_native.tree import Grammar, Memory, Parser

        memory = _local.__dict__.setdefault("memory", Memory())
        parsers[language.name] = Parser(Grammar(language.grammar()), memory)
    return parsers[language.name]


@cache
def grammar_of(language: Language) -> Any:
    """The loaded grammar."""
    from tree_sitter import Language as Grammar

    return Grammar(language.grammar())


@cache
def table_of(language: Language) -> list[Handler]:
    """The handler of every node kind."""
    table = handler_table(language.walk, grammar_of(language))
    if native() is not None and language.visitor is not None:
        table = import_module(language.visitor).quickened(table, language.walk, grammar_of(language))
    return table
