"""pytest: the parameters that are handed a fixture are possible references of it."""

from __future__ import annotations

from typing import Any

from tests.code.conftest import Ask, Repo

SHARED = """
import pytest

@pytest.fixture
def crate(): ...

@pytest.fixture(scope="module", name="barrel")
def make_barrel(crate): ...
"""
NEARER = """
from pytest import fixture

@fixture()
def crate(crate): ...
"""
USERS = """
def test_one(crate, barrel): ...
class TestMany:
    def test_two(self, crate): ...
def helper(crate): ...
def test_three(crate=list()): ...
"""


def places(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found["possible"]]


def written(repo: Repo) -> None:
    repo.put("tests/conftest.py", SHARED)
    repo.put("tests/near/conftest.py", NEARER)
    repo.put("tests/test_far.py", USERS)
    repo.put("tests/near/test_near.py", USERS)
    repo.put("elsewhere/test_other.py", USERS)


def test_parameters_of_tests_and_fixtures_are_possible_references_of_the_nearest(
    ask: Ask, repo: Repo
) -> None:
    written(repo)
    far = ask("find_references", symbol_name="crate", path="tests/conftest.py")
    assert far["references"] == []
    assert places(far) == [
        ("tests/conftest.py", 8),
        ("tests/near/conftest.py", 5),
        ("tests/test_far.py", 2),
        ("tests/test_far.py", 4),
    ]
    near = ask("find_references", symbol_name="crate", path="tests/near/conftest.py")
    assert places(near) == [("tests/near/test_near.py", 2), ("tests/near/test_near.py", 4)]


def test_a_fixture_with_a_name_of_its_own_is_asked_for_by_that(ask: Ask, repo: Repo) -> None:
    written(repo)
    found = ask("find_references", symbol_name="make_barrel")
    assert places(found) == [("tests/near/test_near.py", 2), ("tests/test_far.py", 2)]


def test_fixtures_of_a_module_are_for_it_alone_unless_it_is_a_plugin_or_imported(
    ask: Ask, repo: Repo
) -> None:
    repo.put("plugin.py", "import pytest\n@pytest.fixture\ndef cellar(): ...\n")
    own = "import pytest\n@pytest.fixture\ndef attic(): ...\ndef test_it(attic, cellar): ...\n"
    repo.put("checks/test_own.py", own)
    repo.put("checks/test_other.py", "def test_it(attic, cellar): ...\n")
    repo.put("checks/test_third.py", "from .test_own import attic\ndef test_it(attic): ...\n")
    assert places(ask("find_references", symbol_name="cellar")) == [
        ("checks/test_other.py", 1),
        ("checks/test_own.py", 4),
    ]
    assert places(ask("find_references", symbol_name="attic")) == [
        ("checks/test_own.py", 4),
        ("checks/test_third.py", 2),
    ]


def test_a_function_that_is_no_fixture_has_none(ask: Ask, repo: Repo) -> None:
    repo.put("tests/conftest.py", "def crate(): ...\n")
    repo.put("tests/test_far.py", USERS)
    assert ask("find_references", symbol_name="crate")["possible"] == []
