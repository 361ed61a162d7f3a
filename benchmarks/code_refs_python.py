"""Calls as Python makes them while a project's own tests run, as a truth about references.

    REFS_ROOT=. REFS_TRUTH=truth.jsonl PYTHONPATH=PLACE/OF/THIS python -m pytest -p code_refs_python

Needs nothing but the standard library. A row holds the lines that called a function and spell its name (for a
constructor its class's name), and under ``not`` those that called only others of that name. Of other lines
nothing is said: those that no test ran, lines that called an override, as what stands there may be declared
as the parent, and of a property those that called its other half. ``benchmarks.code_refs_served`` scores
rows, also beside what tools list (``--tool``).
"""

from __future__ import annotations

import ast
import atexit
import json
import os
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_ROOT = os.path.realpath(os.environ.get("REFS_ROOT", ".")) + os.sep
_FUNCTION = 0x1  # CO_OPTIMIZED: a class's body is run as a call, but has none
_MAKERS = ("__init__", "__new__")
_WORD = re.compile(r"[^\W\d]\w*")

Place = tuple[str, int]
Target = tuple[str, int, str]  # file, first line and name of a function


class Calls:
    """What a run of the tests told."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, CodeType, int]] = set()
        # By the line and the name that was called, what ran; None stands for whatever is not in the project.
        self.called: dict[tuple[str, int, str], set[Target | None]] = defaultdict(set)
        self.above: dict[Target, set[Target]] = defaultdict(set)
        # What has one qualified name, as the two halves of a property have.
        self.named: dict[tuple[str, str], set[Target]] = defaultdict(set)

    def note(self, frame: FrameType, event: str, value: Any) -> None:
        if event == "call":
            caller = frame.f_back
            if caller is not None and self.is_new(frame.f_code, caller):
                self.entered(frame, caller)
        elif event == "c_call" and frame.f_code.co_filename.startswith(_ROOT):
            self.called[frame.f_code.co_filename, frame.f_lineno, getattr(value, "__name__", "")].add(None)

    def is_new(self, code: CodeType, caller: FrameType) -> bool:
        key = (code, caller.f_code, caller.f_lineno)
        if not caller.f_code.co_filename.startswith(_ROOT) or key in self.seen:
            return False
        self.seen.add(key)
        return bool(code.co_flags & _FUNCTION) and not code.co_name.startswith("<")

    def entered(self, frame: FrameType, caller: FrameType) -> None:
        file, line, name = caller.f_code.co_filename, caller.f_lineno, frame.f_code.co_name
        owners = list(_owners(frame))
        spelled = {name, *(owner.__name__ for owner in owners)} if name in _MAKERS else {name}
        if not words(file).get(line, frozenset()).isdisjoint(spelled):
            target = _target(frame.f_code)
            self.called[file, line, name].add(target)
            if target is not None:
                self.above[target] |= set(_overridden(owners, frame.f_code))
                self.named[target[0], frame.f_code.co_qualname].add(target)

    def rows(self) -> Iterator[dict[str, Any]]:
        told: dict[str, set[Place]] = defaultdict(set)
        refs: dict[Target, set[Place]] = defaultdict(set)
        unsaid: dict[Target, set[Place]] = defaultdict(set)
        for (file, line, name), targets in self.called.items():
            told[name].add((file, line))
            for target in targets - {None}:
                assert target is not None
                certain = name in _MAKERS or not self.above[target]
                (refs if certain else unsaid)[target].add((file, line))
                for other in self.above[target]:
                    unsaid[other].add((file, line))
        for same in self.named.values():
            for target in same if len(same) > 1 else ():
                unsaid[target] |= {place for other in same - {target} for place in refs[other]}
        for target in sorted({*refs, *unsaid}):
            place = _written_at(target)
            if place is not None:
                others = told[target[2]] - refs[target] - unsaid[target]
                row = {"name": target[2], "kind": "function", "def": place}
                yield {**row, "refs": _listed(refs[target]), "not": _listed(others)}


def _owners(frame: FrameType) -> Iterator[type]:
    """The classes of what a method was called on, most special first."""
    code = frame.f_code
    if code.co_argcount and code.co_varnames[0] in ("self", "cls", "mcs", "klass"):
        first = frame.f_locals.get(code.co_varnames[0])
        yield from type.mro(first) if isinstance(first, type) else type(first).__mro__


def _overridden(owners: list[type], code: CodeType) -> Iterator[Target]:
    """The functions of the project that a method overrides."""
    below = False
    for owner in owners:
        held = vars(owner).get(code.co_name)
        held = getattr(held, "__func__", getattr(held, "fget", held))
        other = getattr(getattr(held, "__wrapped__", held), "__code__", None)
        if below and isinstance(other, CodeType) and (target := _target(other)):
            yield target
        below = below or other is code


def _target(code: CodeType) -> Target | None:
    inside = code.co_filename.startswith(_ROOT) and Path(code.co_filename).is_file()
    return (code.co_filename, code.co_firstlineno, code.co_name) if inside else None


@cache
def words(file: str) -> dict[int, frozenset[str]]:
    """The words of each line."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    return {number: frozenset(_WORD.findall(line)) for number, line in enumerate(text.split("\n"), 1)}


@cache
def _definitions(file: str) -> dict[tuple[int, str], tuple[int, int]]:
    """Where the name of each function stands, by the line at which its code begins."""
    found = {}
    text = Path(file).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            at = text.split("\n")[node.lineno - 1].find(f" {node.name}", node.col_offset + 3)
            found[first, node.name] = node.lineno, at + 1
    return found


def _written_at(target: Target) -> dict[str, Any] | None:
    file, first, name = target
    found = _definitions(file).get((first, name))
    return {"path": file.removeprefix(_ROOT), "line": found[0], "col": found[1]} if found else None


def _listed(places: set[Place]) -> list[dict[str, Any]]:
    return [{"path": file.removeprefix(_ROOT), "line": line} for file, line in sorted(places)]


def _begin() -> None:
    calls = Calls()

    def write() -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        with Path(os.environ["REFS_TRUTH"]).open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in calls.rows())

    atexit.register(write)
    threading.setprofile(calls.note)
    sys.setprofile(calls.note)


if "REFS_TRUTH" in os.environ:
    _begin()
