"""Imports point downwards, files stay small, and nothing heavy loads before it is needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "cuedeck"

# Each layer may import from the layers after it and from itself.
LAYERS = [
    {"__main__"},
    {"cli", "web"},
    {"mcp"},
    {"daemon"},
    {"workspace"},
    {"housekeeping", "citations"},
    {"workflows"},
    {"scene"},
    {"memory"},
    {"tasks"},
    {"documents"},
    {"code"},
    {"search", "graph"},
    {"store"},
    {"config", "paths", "patterns", "secrets", "lock", "discovery"},
    {"tracking", "inotify", "collecting", "working", "native"},
    {"model"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}

# The daemon serves what mcp builds; the two are one rung, split by who starts whom.
ALLOWED_UP = {("daemon", "mcp")}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part != "__init__":
            yield part, path


def imported_parts(path: Path) -> Iterator[tuple[str, int]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module == "cuedeck":
                names = [f"cuedeck.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "cuedeck" and len(parts) > 1 and id(node) not in typing_only:
                yield parts[1], node.lineno


def test_imports_point_downwards() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for part, path in modules()
        for target, line in imported_parts(path)
        if target in RANK and RANK[target] < RANK[part] and (part, target) not in ALLOWED_UP
    ]
    assert not wrong, "\n".join(wrong)


def test_every_part_has_a_layer() -> None:
    assert {part for part, _ in modules()} - {"py"} <= set(RANK)


def test_no_file_is_longer_than_600_lines() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    long = {
        name: lines
        for name in tracked.stdout.split()
        if (ROOT / name).exists()
        and (lines := len((ROOT / name).read_text(encoding="utf-8").splitlines())) > 600
    }
    assert not long


def test_modules_say_what_they_are_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for _, path in modules()
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_statements_stand_in_the_store_alone() -> None:
    statement = re.compile(r"(?:SELECT|INSERT INTO|DELETE FROM) \w|UPDATE \w+ SET ")
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for part, path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if part != "store" and isinstance(node, ast.Constant) and isinstance(node.value, str)
        # A probe asks for nothing.
        if statement.match(node.value.strip()) and node.value != "SELECT 1"
    ]
    assert not wrong, "\n".join(wrong)


HEAVY = [
    "mcp",
    "numpy",
    "onnxruntime",
    "pydantic",
    "psycopg",
    "pygit2",
    "rich",
    "tree_sitter",
    "prompt_toolkit",
]


@pytest.mark.parametrize("module", ["cuedeck", "cuedeck.cli", "cuedeck.workspace", "cuedeck.daemon.shim"])
def test_nothing_heavy_is_imported_before_it_is_needed(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_the_shim_uses_the_standard_library_only() -> None:
    code = "import sys; old = set(sys.modules); import cuedeck.daemon.shim; print(*(set(sys.modules) - old))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    outside = {
        name
        for name in loaded.stdout.split()
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("cuedeck")
    }
    assert outside == set()
