"""What is imported is declared, what is declared is imported, and each dependency has its reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE_OF = {
    "pyjwt": "jwt",
    "pystemmer": "stemmer",
    "ruamel-yaml": "ruamel",
    "toktok-rs": "toktok",
    "pyyaml": "yaml",
}
# Parts of a declared package under another name, and what is optional: the model and the accelerator.
BROUGHT = {"anyio", "mcp_types", "pydantic_core", "cuedeck_minilm", "cuedeck_native"}


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {re.split(r"[\[<>=~!; ]", name)[0].lower().replace(".", "-") for name in project["dependencies"]}


def imported() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                found.add(node.module.split(".")[0])
    return {name for name in found if name not in sys.stdlib_module_names and name != "cuedeck"}


def modules() -> set[str]:
    return {MODULE_OF.get(name, name.replace("-", "_")) for name in declared()}


def test_what_is_imported_is_declared() -> None:
    assert {name.lower() for name in imported() - BROUGHT} - modules() == set()


def test_what_is_declared_is_imported() -> None:
    assert modules() - {name.lower() for name in imported()} == set()


def test_each_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8").lower()
    grammars = {name for name in declared() if name.startswith("tree-sitter-")}
    assert [name for name in sorted(declared() - grammars) if f"| {name} |" not in page] == []
