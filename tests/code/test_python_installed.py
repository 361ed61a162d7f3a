"""What a package does is proven in Python where the package is installed, and else assumed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.code.conftest import Ask, Repo
from tests.code.test_tiers import places, reasons

from cuedeck.code.languages import python_packages

# Told before each test takes its place.
OF_SHELL = python_packages.packages_of_shell.__wrapped__
MODELS = """import attrs
from dataclasses import dataclass
from pydantic import BaseModel
class Crate(BaseModel):
    size: int
@attrs.define
class Lid:
    width: int
@dataclass
class Nail:
    mass: int
Crate(size=1)
Lid(width=1)
Nail(mass=1)
"""


def test_keywords_of_models_are_assumed_until_what_makes_them_models_is_installed(
    ask: Ask, repo: Repo
) -> None:
    repo.put(".gitignore", ".venv\n")
    repo.put("models.py", MODELS)
    for name, line, used in (("size", 5, 12), ("width", 8, 13)):
        placed = ask("find_references", symbol_name=name, path="models.py", line=line)
        assert (places(placed), places(placed, "possible")) == ([], [("models.py", used)])
        assert reasons(placed, "possible") == {used: "package"}
        assert places(ask("find_references", symbol_name=name)) == [("models.py", used)]
    assert places(ask("find_references", symbol_name="mass", path="models.py", line=11)) == [
        ("models.py", 14)
    ]


def test_keywords_of_models_are_proven_by_what_is_installed_in_the_project(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", ".venv\n")
    repo.put("models.py", MODELS)
    assert places(ask("find_references", symbol_name="size", path="models.py", line=5)) == []
    repo.put(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.1\n")
    assert places(ask("find_references", symbol_name="size", path="models.py", line=5)) == []
    repo.put(".venv/lib/python3.12/site-packages/pydantic/__init__.py", "")
    assert places(ask("find_references", symbol_name="size", path="models.py", line=5)) == [("models.py", 12)]
    assert places(ask("find_references", symbol_name="width", path="models.py", line=8)) == []


def test_what_pytest_caught_is_known_where_pytest_is(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "venv\n")
    repo.put("errors.py", "class Broken(Exception):\n    code = 1\n")
    repo.put(
        "test_errors.py",
        "import pytest\nfrom unittest import TestCase\nfrom errors import Broken\n"
        "def test_one():\n    with pytest.raises(Broken) as caught: ...\n    caught.value.code\n"
        "class Cases(TestCase):\n    def test_two(self):\n"
        "        with self.assertRaises(Broken) as caught: ...\n        caught.exception.code\n",
    )
    one, two = ("test_errors.py", 6), ("test_errors.py", 10)
    placed = ask("find_references", symbol_name="code", path="errors.py", line=2)
    assert (places(placed), places(placed, "possible")) == ([two], [one])
    repo.put("venv/pyvenv.cfg", "version_info = 3.13.0\n")
    repo.put("venv/Lib/site-packages/pytest/__init__.py", "")
    found = ask("find_references", symbol_name="code", path="errors.py", line=2)
    assert places(found) == [one, two]


@pytest.mark.parametrize("layout", ["environment", "prefix", "shim"])
def test_what_the_shells_python_has_is_installed(
    ask: Ask, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    root = tmp_path / "pythons"
    home = root / "versions" / "3.13.0" if layout == "shim" else root
    shell = {"environment": root / "bin", "prefix": tmp_path / "links", "shim": root / "shims"}[layout]
    packages = home / "lib/python3.13/site-packages"
    for folder in (home / "bin", packages, shell):
        folder.mkdir(parents=True, exist_ok=True)
    (home / "bin/python3").touch(mode=0o755)
    if layout == "environment":
        (root / "pyvenv.cfg").write_text("version = 3.13.0\n")
    elif layout == "prefix":
        (shell / "python3").symlink_to(home / "bin/python3")
    else:
        (root / "version").write_text("3.13.0\n")
        (shell / "python3").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(shell), prepend=os.pathsep)
    monkeypatch.setattr(python_packages, "packages_of_shell", OF_SHELL)
    repo.put("models.py", MODELS)
    assert places(ask("find_references", symbol_name="size", path="models.py", line=5)) == []
    (packages / "pydantic").mkdir()
    (packages / "pydantic" / "__init__.py").touch()
    assert places(ask("find_references", symbol_name="size", path="models.py", line=5)) == [("models.py", 12)]
    assert places(ask("find_references", symbol_name="width", path="models.py", line=8)) == []
