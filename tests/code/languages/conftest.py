"""Small projects written out as files, and the question every test here asks of them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.code.memory_project import MemoryProject

from cuedeck.code.dispatching import dispatched
from cuedeck.code.facts import BIND_MASK, Bind
from cuedeck.code.implementing import implementations
from cuedeck.code.references import references
from cuedeck.code.resolution.values import Symbol

_IMPORTS = (Bind.IMPORT, Bind.MODULE, Bind.STAR, Bind.LINK)


class Written(MemoryProject):
    """A project in which the places that matter are marked by comments.

    ``<def x>`` on a line is where a symbol is defined, ``<x>`` where it is used; every other line that
    refers to it is a mistake.
    """

    def marked(self, mark: str) -> set[tuple[str, int]]:
        return {
            (path, number)
            for path in self.facts
            for number, line in enumerate((self.root / path).read_text().splitlines(), 1)
            if f"<{mark}>" in line
        }

    def check(self, mark: str, name: str | None = None) -> None:
        """Asked by its name, the symbol's references are exactly the marked lines."""
        [(path, line)] = self.marked(f"def {mark}")
        found = self.referring(path, line, name or mark)
        assert found - {(path, line)} == self.marked(mark) - {(path, line)}

    def satisfying(self, name: str) -> set[tuple[str, int]]:
        """The types that satisfy an interface without naming it."""
        [(path, line)] = self.marked(f"def {name}")
        symbol = self.symbol(path, line, name)
        assert symbol is not None
        return {(site.path, site.line) for site in implementations(self, symbol).sites}  # type: ignore[arg-type]

    def dispatched(self, mark: str, name: str) -> set[tuple[str, int]]:
        """The uses that reach a method through an interface, or one of an interface without it."""
        [(path, line)] = self.marked(f"def {mark}")
        symbol = self.symbol(path, line, name)
        assert symbol is not None
        return {(site.path, site.line) for site in dispatched(self, symbol).sites}  # type: ignore[arg-type]

    def possible(self, name: str) -> set[tuple[str, int]]:
        """Where the name stands for what could not be found out."""
        [(path, line)] = self.marked(f"def {name}")
        symbol = self.symbol(path, line, name)
        assert symbol is not None
        return {(site.path, site.line) for site in references(self, symbol).possible}  # type: ignore[arg-type]

    def referring(self, path: str, line: int, name: str) -> set[tuple[str, int]]:
        facts = self.facts[path]
        links = facts.links
        # A parameter property binds twice on its line; the field is the one meant.
        for binding in reversed(links.bound.get(links.string_numbers.get(name, -1), ())):
            kind = links.bindings[3][binding] & BIND_MASK
            if kind not in _IMPORTS and facts.outline.line_of(links.bindings[2][binding]) == line:
                symbol = Symbol(path, links.bindings[0][binding], name)
                place = links.bindings[2][binding]
                sites, _ = references(self, symbol, place).named  # type: ignore[arg-type]
                return {(site.path, site.line) for site in sites}
        raise AssertionError(f"{name} is not defined at {path}:{line}")


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str], Written]:
    """Write files given as one text, each after a line ``=== path``."""

    def write(text: str) -> Written:
        for part in re.split(r"(?m)^=== ", textwrap.dedent(text))[1:]:
            path, _, body = part.partition("\n")
            file = tmp_path / path.strip()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
        return Written(tmp_path)

    return write
