"""Symbolic links: what is reached through one is the file that it leads to, on every ref."""

from __future__ import annotations

from typing import Any

import pytest
from tests.code.conftest import Ask, Repo

from cuedeck.code.git.links import followed


def used(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found["references"]]


@pytest.fixture
def linked(repo: Repo) -> Repo:
    repo.put("examples/tour.py", "def walk(): ...\n")
    repo.put("shared/text.ts", "export function trim(text: string) { return text }\n")
    repo.put("tests/parts/__init__.py", "")
    repo.put("tests/parts/test_tour.py", "from .examples import tour\nfrom .alone import walk\ntour.walk()\n")
    repo.put(
        "app/page.ts", "import { trim } from './common/text'\nimport { trim as t } from './one'\ntrim('')\n"
    )
    (repo.root / "tests/parts/examples").symlink_to("../../examples")
    (repo.root / "tests/parts/alone.py").symlink_to("../../examples/tour.py")
    (repo.root / "app/common").symlink_to("../shared")
    (repo.root / "app/one.ts").symlink_to("common/text.ts")
    return repo


def test_imports_through_links_lead_to_the_file(ask: Ask, linked: Repo) -> None:
    python = [("tests/parts/test_tour.py", 2), ("tests/parts/test_tour.py", 3)]
    script = [("app/page.ts", 1), ("app/page.ts", 2), ("app/page.ts", 3)]
    assert used(ask("find_references", symbol_name="walk")) == python
    assert used(ask("find_references", symbol_name="trim")) == script
    linked.commit("links")
    linked.git("checkout", "-q", "-b", "without")
    (linked.root / "tests/parts/examples").unlink()
    linked.commit("one less")
    assert used(ask("find_references", symbol_name="walk", ref="without")) == python[:1]
    assert used(ask("find_references", symbol_name="walk", ref="main")) == python
    assert used(ask("find_references", symbol_name="trim", ref="main")) == script


def test_a_path_through_a_link_may_be_asked_about(ask: Ask, linked: Repo) -> None:
    found = ask("find_references", symbol_name="walk", path="tests/parts/examples/tour.py", line=1)
    assert found["symbol"]["path"] == "examples/tour.py"
    assert len(found["references"]) == 2
    outline = ask("get_file_outline", path="app/one.ts")
    assert (outline["path"], outline["symbols"][0]["name"]) == ("shared/text.ts", "trim")


def test_a_link_that_comes_or_goes_is_noticed(ask: Ask, linked: Repo) -> None:
    assert len(used(ask("find_references", symbol_name="walk"))) == 2
    (linked.root / "tests/parts/examples").unlink()
    assert len(used(ask("find_references", symbol_name="walk"))) == 1
    (linked.root / "tests/parts/examples").symlink_to("../../examples")
    assert len(used(ask("find_references", symbol_name="walk"))) == 2


@pytest.mark.parametrize(
    ("links", "path", "led"),
    [
        ({}, "a/b", "a/b"),
        ({"a": "b"}, "a/c.py", "b/c.py"),
        ({"a/b": "../c", "c/d": "e"}, "a/b/d/f.py", "c/e/f.py"),
        ({"a": "b", "b": "a"}, "a/c.py", "a/c.py"),
        ({"a": "a/a"}, "a/c.py", "a/c.py"),
        ({"a": ".."}, "a/c.py", "a/c.py"),
        ({"a": "/etc"}, "a/passwd", "a/passwd"),
        ({"a": "."}, "a/c.py", "c.py"),
    ],
)
def test_links_are_followed_within_the_project_only(links: dict[str, str], path: str, led: str) -> None:
    assert followed(path, links) == led
