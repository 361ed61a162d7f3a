"""What holds by convention, or runs without being named, is a likely reference, never a resolved one."""

from __future__ import annotations

from typing import Any

from tests.code.conftest import Ask, Repo

STORE = """
class Crate:
    def lift(self): return Lid()
class Lid:
    def shut_tight(self): ...
class Barrel:
    def lift(self): ...
"""
SHARED = """
import pytest
from store import Barrel, Crate

@pytest.fixture
def crate():
    yield Crate()

@pytest.fixture
def lid(crate):
    return crate.lift()

@pytest.fixture
def make_barrel():
    def make():
        return Barrel()
    return make
"""
TESTS = """
def test_one(crate, anything):
    crate.lift().shut_tight()
    anything.lift()

def test_two(lid, make_barrel):
    lid.shut_tight()
    make_barrel().lift()

def helper(crate):
    crate.lift()
"""


def likely(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found["possible"] if each.get("likely")]


def others(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found["possible"] if "likely" not in each]


def written(repo: Repo) -> None:
    repo.put("store.py", STORE)
    repo.put("tests/conftest.py", SHARED)
    repo.put("tests/test_store.py", TESTS)


def test_what_a_fixture_gives_or_yields_is_likely_what_a_test_has_by_its_name(ask: Ask, repo: Repo) -> None:
    written(repo)
    found = ask("find_references", symbol_name="Crate.lift")
    assert found["references"] == []
    assert likely(found) == [("tests/conftest.py", 11), ("tests/test_store.py", 3)]
    assert likely(ask("find_references", symbol_name="shut_tight")) == [
        ("tests/test_store.py", 3),
        ("tests/test_store.py", 7),
    ]


def test_likely_references_come_before_those_that_only_share_the_name(ask: Ask, repo: Repo) -> None:
    written(repo)
    found = ask("find_references", symbol_name="Barrel.lift")
    assert likely(found) == [("tests/test_store.py", 8)]
    assert [each.get("likely") for each in found["possible"]][:2] == [True, None]
    assert ("tests/test_store.py", 4) in others(found)


def test_a_function_that_no_test_framework_calls_is_handed_nothing(ask: Ask, repo: Repo) -> None:
    written(repo)
    assert ("tests/test_store.py", 11) in others(ask("find_references", symbol_name="Crate.lift"))


def test_a_fixture_that_is_imported_is_handed_too(ask: Ask, repo: Repo) -> None:
    repo.put("store.py", STORE)
    repo.put("tests/test_own.py", SHARED)
    repo.put("tests/test_other.py", f"from tests.test_own import crate\n{TESTS}")
    found = ask("find_references", symbol_name="Crate.lift")
    assert ("tests/test_other.py", 4) in likely(found)


def test_a_parameter_with_a_type_is_what_that_says(ask: Ask, repo: Repo) -> None:
    written(repo)
    typed = "from store import Barrel\ndef test_it(crate: Barrel):\n    crate.lift()\n"
    repo.put("tests/test_typed.py", typed)
    found = ask("find_references", symbol_name="Barrel.lift")
    assert [(each["path"], each["line_start"]) for each in found["references"]] == [
        ("tests/test_typed.py", 3)
    ]


def test_making_an_heir_likely_refers_to_the_constructor_that_it_inherits(ask: Ask, repo: Repo) -> None:
    repo.put("store.py", "class Crate:\n    def __init__(self, size): ...\nclass Box(Crate): ...\nBox(1)\n")
    repo.put("own.py", "from store import Box\nclass Own(Box):\n    def __init__(self): ...\nOwn()\nBox(2)\n")
    found = ask("find_references", symbol_name="Crate.__init__")
    assert found["references"] == []
    assert likely(found) == [("own.py", 5), ("store.py", 4)]
    assert {each["why"] for each in found["possible"]} == {"constructs"}


def test_a_class_that_is_called_through_a_module_or_by_another_name_runs_its_constructor(
    ask: Ask, repo: Repo
) -> None:
    repo.put(
        "store.py", "class Crate:\n    def __init__(self, size): ...\n\ndef pack():\n    return Crate(1)\n"
    )
    repo.put(
        "depot.py",
        "import store\nfrom store import Crate as Box\n\ndef load():\n    return store.Crate(2)\n\nBox(3)\n",
    )
    found = ask("find_references", symbol_name="Crate.__init__")
    assert [(each["path"], each["line_start"]) for each in found["references"]] == [("store.py", 5)]
    assert likely(found) == [("depot.py", 5), ("depot.py", 7)]
    assert found["possible"][0]["why"] == "constructs"
    of_class = [
        (each["path"], each["line_start"])
        for each in ask("find_references", symbol_name="Crate")["references"]
    ]
    assert ("depot.py", 5) in of_class
    callers = ask("get_call_graph", symbol_name="Crate.__init__", direction="callers")["callers"]
    assert {call["symbol"]["name"] for call in callers} >= {"load", "pack"}


def test_what_declares_a_symbol_once_more_is_no_use_of_it(ask: Ask, repo: Repo) -> None:
    repo.put(
        "load.ts",
        "export function load(path: string): string\nexport function load(path: number): number\n"
        "export function load(path: any): any { return path }\nload(1)\n",
    )
    repo.put("fast.py", "def scan(): ...\n\nscan()\n")
    repo.put("fast.pyi", "def scan() -> None: ...\n")
    found = ask("find_references", symbol_name="load", path="load.ts", line=1)
    assert [each["line_start"] for each in found["references"]] == [4]
    assert likely(found) == [("load.ts", 2), ("load.ts", 3)]
    assert {each["why"] for each in found["possible"]} == {"declares"}
    found = ask("find_references", symbol_name="scan", path="fast.py")
    assert [(each["path"], each["line_start"]) for each in found["references"]] == [("fast.py", 3)]
    assert [(each["path"], each["why"]) for each in found["possible"]] == [("fast.pyi", "declares")]


def test_a_value_that_is_named_like_a_type_is_no_use_of_it(ask: Ask, repo: Repo) -> None:
    repo.put("box.ts", "export type Box<T> = T[]\nexport const Box = <T>(of: T): Box<T> => [of]\nBox(1)\n")
    of_type = ask("find_references", symbol_name="Box", path="box.ts", line=1)
    assert [each["line_start"] for each in of_type["references"]] == [2, 3]
    found = ask("find_references", symbol_name="Box", path="box.ts", line=2)
    assert likely(found) == [("box.ts", 1)]
    repo.put("box.ts", "export type Box<T> = T[]\nexport const Box =\n  <T>(of: T): Box<T> => [of]\n")
    of_type = ask("find_references", symbol_name="Box", path="box.ts", line=1)
    assert [each["line_start"] for each in of_type["references"]] == [3]
    assert likely(of_type) == [("box.ts", 2)]


def places(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found["references"]]


def test_asked_at_a_module_what_leads_to_the_stub_beside_it_is_likely(ask: Ask, repo: Repo) -> None:
    repo.put("fast.py", "def scan(): ...\n\nscan()\n\ndef only_run(): ...\n")
    repo.put("fast.pyi", "def scan() -> None: ...\nalso: type[scan]\n")
    repo.put("own.py", "from fast import scan\nimport fast\n\nscan()\nfast.only_run()\n")
    whole = ask("find_references", symbol_name="fast.scan")
    assert {*places(whole)} == {("fast.py", 3), ("fast.pyi", 2), ("own.py", 1), ("own.py", 4)}
    module = ask("find_references", symbol_name="scan", path="fast.py", line=1)
    assert places(module) == [("fast.py", 3)]
    assert [(each["path"], each["line_start"], each["why"]) for each in module["possible"]] == [
        ("fast.pyi", 1, "declares"),
        ("fast.pyi", 2, "stub"),
        ("own.py", 1, "stub"),
        ("own.py", 4, "stub"),
    ]
    stub = ask("find_references", symbol_name="scan", path="fast.pyi", line=1)
    assert places(stub) == [("fast.py", 3), ("fast.pyi", 2), ("own.py", 1), ("own.py", 4)]
    assert [(each["path"], each["why"]) for each in stub["possible"]] == [("fast.py", "declares")]
    alone = ask("find_references", symbol_name="only_run", path="fast.py", line=5)
    assert (places(alone), likely(alone)) == ([], [("own.py", 5)])
    assert places(ask("find_references", symbol_name="scan", path="own.py", line=4)) == places(whole)
    callers = ask("get_call_graph", symbol_name="fast.scan", direction="callers")["callers"]
    assert {call["symbol"]["path"] for call in callers} == {"fast.py", "own.py"}


def test_a_stub_may_tell_of_a_class_that_its_module_takes_from_elsewhere(ask: Ask, repo: Repo) -> None:
    repo.put("kit/_real.py", "class Saw:\n    def cut(self): ...\n")
    repo.put("kit/__init__.py", "from ._real import Saw as _Saw\nsaw = _Saw()\n")
    repo.put("kit/__init__.pyi", "class Saw:\n    def cut(self) -> None: ...\nsaw: Saw\n")
    repo.put("use.py", "from kit import saw\nsaw.cut()\n")
    run = ask("find_references", symbol_name="cut", path="kit/_real.py", line=2)
    assert (places(run), [each["why"] for each in run["possible"]]) == ([], ["stub"])
    told = ask("find_references", symbol_name="cut", path="kit/__init__.pyi", line=2)
    assert places(told) == [("use.py", 2)]


def test_asked_by_name_a_stub_has_what_its_module_takes_from_elsewhere(ask: Ask, repo: Repo) -> None:
    repo.put("kit/_real.py", "def saw(): ...\n")
    repo.put("kit/__init__.py", "from ._real import saw\n")
    repo.put("kit/__init__.pyi", "def saw() -> None: ...\n")
    repo.put("use.py", "import kit\nkit.saw()\n")
    assert ("use.py", 2) in places(ask("find_references", symbol_name="kit.saw"))


def test_what_leads_to_a_stub_follows_edits(ask: Ask, repo: Repo) -> None:
    repo.put("fast.py", "def scan(): ...\n\nscan()\n")
    repo.put("fast.pyi", "def scan() -> None: ...\n")
    repo.put("own.py", "from fast import scan\n")
    asked = {"symbol_name": "scan", "path": "fast.pyi", "line": 1}
    assert places(ask("find_references", **asked)) == [("fast.py", 3), ("own.py", 1)]
    repo.put("own.py", "from fast import scan\nscan()\n")
    assert places(ask("find_references", **asked)) == [("fast.py", 3), ("own.py", 1), ("own.py", 2)]


def test_what_a_module_lists_only_while_it_runs_is_likely_what_a_star_gives(ask: Ask, repo: Repo) -> None:
    repo.put("kit/sizes.py", "class Small:\n    def fold(self): ...\nclass Large: ...\nclass Hidden: ...\n")
    repo.put(
        "kit/__init__.py",
        "from kit.sizes import *\n__all__ = ['Large']\n__all__ += ['Sm%s' % end for end in ('all',)]\n",
    )
    repo.put("all.py", "from kit import *\n")
    repo.put("use.py", "from all import *\nLarge()\nSmall().fold()\n")
    repo.put("named.py", "from kit import Small\nSmall()\n")
    small = ask("find_references", symbol_name="Small")
    assert places(small) == [("named.py", 1), ("named.py", 2)]
    assert [(*place, small["possible"][0]["why"]) for place in likely(small)] == [("use.py", 3, "convention")]
    assert likely(ask("find_references", symbol_name="fold")) == [("use.py", 3)]
    assert ("use.py", 2) in places(ask("find_references", symbol_name="Large"))


def test_django_gives_out_the_settings_of_a_project(ask: Ask, repo: Repo) -> None:
    repo.put("site/settings.py", "PAGE_SIZE = 20\nlower = 1\n")
    repo.put("site/other.py", "PAGE_SIZE = 3\n")
    repo.put(
        "site/views.py",
        "from django.conf import settings\nimport django.conf\n"
        "a = settings.PAGE_SIZE\nb = django.conf.settings.PAGE_SIZE\nc = settings.lower\n",
    )
    found = ask("find_references", symbol_name="PAGE_SIZE", path="site/settings.py")
    assert found["references"] == []
    assert likely(found) == [("site/views.py", 3), ("site/views.py", 4)]
    assert ask("find_references", symbol_name="PAGE_SIZE", path="site/other.py")["possible"] == []
    assert ask("find_references", symbol_name="lower")["possible"] == []


def test_what_a_foreign_parent_takes_by_name_is_a_convention(ask: Ask, repo: Repo) -> None:
    repo.put(
        "models.py",
        "from odm import Document, field\nfrom pydantic import BaseModel\n\n"
        "class Note(Document):\n    title: str = field()\n    body = field()\n\n"
        "class Reply(BaseModel):\n    code: int\n\nNote(title='a', body='b')\nReply(code=1)\n",
    )
    found = ask("find_references", symbol_name="Note.title")
    assert found["references"] == []
    assert likely(found) == [("models.py", 11)]
    assert likely(ask("find_references", symbol_name="Note.body")) == []
    assert [
        each["line_start"] for each in ask("find_references", symbol_name="Reply.code")["references"]
    ] == [12]
