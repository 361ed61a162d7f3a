"""Reads tool output: ``read_failures`` says what failed, ``signature`` what identifies it across runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import (
    acceptance,
    builds,
    bundlers,
    checkers,
    generic,
    go,
    java,
    javascript_runners,
    javascript_tests,
    native,
    native_tests,
    node,
    others,
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
    acceptance.behave,
    acceptance.robot,
    python.unittest,
    python.doctest,
    javascript_tests.vitest,
    javascript_tests.jest,
    javascript_tests.mocha,
    javascript_tests.tap,
    javascript_tests.spec,
    javascript_runners.jasmine,
    javascript_runners.uvu,
    javascript_runners.ava,
    javascript_runners.playwright,
    javascript_runners.bun,
    javascript_runners.deno,
    java.tests,
    ruby.minitest,
    ruby.unit,
    ruby.rspec,
    php.unit,
    scripts.tests,
    others.exunit,
    others.zig,
    native_tests.gtest,
    native_tests.doctest,
    native_tests.catch,
    native_tests.cmocka,
    builds.ctest,
    builds.meson,
    go.tests,
    rust.panics,
    native.sanitizers,
    native.valgrind,
    native.gdb,
    rust.diagnostics,
    checkers.tsc,
    checkers.svelte,
    checkers.pyright,
    checkers.mypy,
    checkers.ruff,
    checkers.linters,
    checkers.grouped,
    checkers.eslint,
    checkers.shellcheck,
    checkers.biome,
    checkers.bandit,
    checkers.sqlfluff,
    bundlers.esbuild,
    bundlers.boxed,
    bundlers.webpack,
    bundlers.rollup,
    bundlers.parsers,
    checkers.unix,
    checkers.parentheses,
    java.diagnostics,
    native.diagnostics,
    others.ocaml,
    others.ocaml_exceptions,
    others.fortran,
    builds.cmake,
    native.linker,
    native.aborts,
    python.crashes,
    python.boxed,
    node.crashes,
    go.panics,
    python.tracebacks,
    python.django_checks,
    java.traces,
    java.maven,
    node.errors,
    ruby.traces,
    others.elixir,
    others.rake,
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
    rust.cargo,
    others.terraform,
    others.lisp,
    others.r,
    others.one_liners,
    checkers.pyflakes,
    checkers.formatters,
    go.fatal,
    scripts.usage,
    scripts.commands,
    bundlers.npm,
    native.signals,
    generic.guess,
)


def read_failures(output: str) -> list[Failure]:
    """What failed, most telling first; empty only when the output says nothing."""
    lines = lines_of(output)
    for text in (output, "\n".join(lines)):
        if found := structured.read(text):
            return found[:MOST]
        if (inner := structured.quoted(text)) and (found := read_failures(inner)):
            return found
    for reader in _READERS:
        if found := reader(lines):
            return found[:MOST]
    return []
