"""Reads tool output: ``read_failures`` says what failed, ``signature`` what identifies it across runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import (
    builds,
    checkers,
    generic,
    go,
    java,
    javascript_tests,
    native,
    node,
    php,
    pytest,
    python,
    ruby,
    rust,
    scripts,
    structured,
)
from .model import NO_TOOL, Compared, Failure, FailureKind, Frame, Location
from .signature import normalise, shape, signature
from .text import MOST, lines_of, own_function

__all__ = [
    "NO_TOOL",
    "Compared",
    "Failure",
    "FailureKind",
    "Frame",
    "Location",
    "normalise",
    "own_function",
    "read_failures",
    "shape",
    "signature",
]

# Reports that wrap others come first: a pytest block holds a traceback, a surefire block a Java trace.
_READERS: tuple[Callable[[Sequence[str]], list[Failure]], ...] = (
    pytest.reports,
    python.unittest,
    python.doctest,
    javascript_tests.vitest,
    javascript_tests.jest,
    javascript_tests.mocha,
    javascript_tests.tap,
    javascript_tests.spec,
    java.tests,
    ruby.minitest,
    ruby.unit,
    ruby.rspec,
    php.unit,
    scripts.tests,
    builds.ctest,
    go.tests,
    rust.panics,
    native.sanitizers,
    rust.diagnostics,
    checkers.tsc,
    checkers.pyright,
    checkers.mypy,
    checkers.ruff,
    checkers.linters,
    checkers.grouped,
    checkers.eslint,
    checkers.shellcheck,
    checkers.unix,
    checkers.parentheses,
    java.diagnostics,
    native.diagnostics,
    builds.cmake,
    native.linker,
    native.aborts,
    node.crashes,
    go.panics,
    python.tracebacks,
    java.traces,
    node.errors,
    ruby.traces,
    php.errors,
    scripts.lua,
    go.diagnostics,
    native.warnings,
    ruby.diagnostics,
    scripts.sql,
    scripts.perl,
    scripts.tcl,
    scripts.awk,
    scripts.shell,
    builds.make,
    checkers.pyflakes,
    checkers.formatters,
    go.fatal,
    scripts.usage,
    scripts.commands,
    native.signals,
    generic.guess,
)


def read_failures(output: str) -> list[Failure]:
    """What failed, most telling first; empty only when the output says nothing."""
    if found := structured.read(output):
        return found[:MOST]
    lines = lines_of(output)
    for reader in _READERS:
        if found := reader(lines):
            return found[:MOST]
    return []
