"""The uses of a name, shared by everything that bears it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.callgraph import callers
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.code.locating import locate
from cuedeck.code.resolution import uses

from .conftest import Repo

Open = Callable[[Path], Code]


def test_two_methods_of_one_name_have_their_own_references(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "class A:\n    def run(self): ...\n\n\nclass B:\n    def run(self): ...\n")
    repo.put(
        "b.py", "from a import A, B\n\nA().run()\nB().run()\n\n\ndef f(x):\n    x.run()\n    x.run(A().run)\n"
    )
    snapshot = open_code(repo.root).view().snapshot
    first, second = (find(snapshot, name) for name in ("A.run", "B.run"))
    assert [site.line for site in first.references] == [3, 9]
    assert [site.line for site in second.references] == [4]
    assert [site.line for site in first.possible] == [site.line for site in second.possible] == [8, 9]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "def outer():\n    def nested(): ...\n\n    return nested()\n"),
        ("a.py", "def outer():\n    class nested: ...\n\n    return nested()\n"),
        ("a.ts", "describe('x', () => {\n  function nested() {}\n\n  nested();\n});\n"),
        ("a.js", "(function () {\n  const nested = () => 1;\n\n  nested();\n})();\n"),
        ("a.rs", "fn outer() {\n    fn nested() {}\n\n    nested();\n}\n"),
        ("A.java", "class A { void outer() {\n  class nested {}\n\n  new nested();\n} }\n"),
        ("a.lua", "local function outer()\n  local function nested() end\n\n  nested()\nend\n"),
    ],
)
def test_what_a_function_defines_for_itself_has_references(
    repo: Repo, open_code: Open, path: str, source: str
) -> None:
    repo.put(path, source)
    snapshot = open_code(repo.root).view().snapshot
    assert [(site.path, site.line) for site in find(snapshot, "nested").references] == [(path, 4)]
    assert callers(snapshot, locate(snapshot, "nested")[0], 1, 10)[0]


def test_a_local_class_is_made_where_it_is_called(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def outer():\n    class C:\n        def __init__(self): ...\n\n    return C()\n")
    snapshot = open_code(repo.root).view().snapshot
    assert [site.line for site in find(snapshot, "C.__init__").references] == [5]


def test_a_place_that_leads_nowhere_counts_once(repo: Repo, open_code: Open) -> None:
    repo.put("b.js", "export function thing() {}\n")
    # Both the key and the variable of a shorthand stand at one place.
    repo.put("a.js", "g({ thing });\n")
    found = find(open_code(repo.root).view().snapshot, "thing")
    assert [(site.path, site.line) for site in found.possible] == [("a.js", 1)]


def test_a_name_in_very_many_files_is_looked_at_in_several_questions(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("a.py", "def greet(): ...\n")
    for number in range(150):
        repo.put(f"use{number:03}.py", "from a import greet\n\ngreet()\nunknown().greet()\n")
    snapshot = open_code(repo.root).view().snapshot
    monkeypatch.setattr(uses, "SECONDS", 0.0)
    record = locate(snapshot, "greet")[0]
    first = find(snapshot, "greet")
    assert (first.unseen, len(first.references)) == (150, 0)
    assert callers(snapshot, record, 1, 1000)[1]
    assert 0 < len(find(snapshot, "greet").references) < 300
    monkeypatch.setattr(uses, "SECONDS", 60.0)
    last = find(snapshot, "greet")
    assert (last.unseen, len(last.references), len(last.possible)) == (0, 300, 150)
    assert [site.path for site in last.possible] == sorted(site.path for site in last.possible)
    assert not callers(snapshot, record, 1, 1000)[1]


_STORE = """package shop

type Store interface {
	Get(key string) int
	Close() error
}

type base struct{}

func (base) Close() error { return nil }

func Use(s Store) int { return s.Get("a") }
"""
_MEMORY = """package shop

type Memory struct{%s}

func (Memory) Get(key string) int { return 1 }
"""


def test_interfaces_that_pass_a_method_on_are_compared_in_several_questions(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("store.go", _STORE)
    repo.put("memory.go", _MEMORY % " base ")
    snapshot = open_code(repo.root).view().snapshot
    monkeypatch.setattr(uses, "SECONDS", 0.0)
    first = find(snapshot, "Memory.Get")
    assert (first.compared, list(first.references)) == (False, [])
    assert not find(snapshot, "Store", kind="implements").compared
    assert callers(snapshot, locate(snapshot, "Memory.Get")[0], 1, 10) == ([], True)
    monkeypatch.setattr(uses, "SECONDS", 60.0)
    last = find(snapshot, "Memory.Get")
    assert (last.compared, [site.line for site in last.references]) == (True, [12])
    monkeypatch.setattr(uses, "SECONDS", 0.0)
    assert find(snapshot, "Memory.Get") == last


def test_who_calls_an_interface_calls_what_satisfies_it(repo: Repo, open_code: Open) -> None:
    repo.put("store.go", _STORE)
    repo.put("memory.go", _MEMORY % " base " + '\nfunc Sure() { Memory{}.Get("b") }\n')
    snapshot = open_code(repo.root).view().snapshot
    found, more = callers(snapshot, locate(snapshot, "Memory.Get")[0], 1, 10)
    assert [(call.symbol.name, call.line, call.why) for call in found] == [
        ("Sure", 7, ""),
        ("Use", 12, "dispatch"),
    ]
    assert not more
    [named], _ = callers(snapshot, locate(snapshot, "Store.Get")[0], 1, 10)
    assert (named.symbol.name, named.why) == ("Use", "")


def test_an_edit_is_seen_in_what_satisfies_an_interface(repo: Repo, open_code: Open) -> None:
    repo.put("store.go", _STORE)
    repo.put("memory.go", _MEMORY % "")
    code = open_code(repo.root)
    assert find(code.view().snapshot, "Memory.Get").references == []
    repo.put("memory.go", _MEMORY % " base ")
    assert [site.line for site in find(code.view().snapshot, "Memory.Get").references] == [12]
    assert [site.path for site in find(code.view().snapshot, "Store", kind="implements").references] == [
        "memory.go"
    ]


def test_an_edit_is_seen_in_the_uses_of_a_name(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def greet(): ...\n")
    repo.put("b.py", "from a import greet\n")
    code = open_code(repo.root)
    assert len(find(code.view().snapshot, "greet").references) == 1
    repo.put("b.py", "from a import greet\n\ngreet()\n")
    assert len(find(code.view().snapshot, "greet").references) == 2


def test_what_is_taken_from_a_type_of_elsewhere_is_not_possible(repo: Repo, open_code: Open) -> None:
    repo.put("src/lib.rs", "pub struct Chapter;\nimpl Chapter {\n    pub fn new() -> Self { Chapter }\n}\n")
    repo.put(
        "src/main.rs",
        "fn f(x: Unknown) {\n    String::new();\n    Vec::<u8>::new();\n    x.new();\n}\n",
    )
    found = find(open_code(repo.root).view().snapshot, "Chapter::new")
    assert [(site.path, site.line) for site in found.possible] == [("src/main.rs", 4)]


def test_of_one_name_what_is_used_comes_before_what_only_holds_or_replaces_it(
    repo: Repo, open_code: Callable[[Path], Code]
) -> None:
    repo.put("my-lib/src/lib.rs", "pub mod into_it;\npub struct A;\nimpl A { fn into_it(&self) {} }\n")
    repo.put("my-lib/src/into_it.rs", "pub trait Into { fn into_it(&self); }\n")
    repo.put("a/shim.h", "#define make(x) table->make(x)\n")
    repo.put("b/make.h", "int make(int x);\n")
    repo.commit()
    snapshot = open_code(repo.root).view().snapshot
    assert [(r.kind, r.qualified_name) for r in locate(snapshot, "into_it")][:3] == [
        ("method", "my-lib::into_it::Into::into_it"),
        ("method", "my-lib::A::into_it"),
        ("namespace", "my-lib::into_it"),
    ]
    assert [r.kind for r in locate(snapshot, "make")][:2] == ["fn", "macro"]
    for asked in ("my_lib::A", "my-lib::A"):
        assert [r.qualified_name for r in locate(snapshot, asked)] == ["my-lib::A"]


@pytest.mark.parametrize(
    ("file", "source", "name"),
    [
        ("f0.c", '#include "t.h"\nthing one;\nthing two;\n', "thing"),
        ("f0.cs", "namespace N0;\nclass U { Held a; Held b; class Held { int c; } }\n", "Held"),
        ("f0.cs", "namespace N0;\nclass U { int held; int a() { return held + held; } }\n", "held"),
    ],
)
def test_files_that_use_a_name_do_not_each_look_for_it_in_all_others(
    repo: Repo, open_code: Open, file: str, source: str, name: str
) -> None:
    repo.put("t.h", "typedef struct { int a; } thing;\n")
    asked: list[int] = []
    for many in (30, 60):
        for number in range(many):
            repo.put(file.replace("0", str(number)), source.replace("0", str(number)))
        snapshot = open_code(repo.root).view().snapshot
        links, counted = snapshot.links, Counter[str]()

        def counting(path: str, links: Any = links, counted: Counter[str] = counted) -> Any:
            counted[path] += 1
            return links(path)

        snapshot.links = counting  # type: ignore[method-assign]
        found = find(snapshot, name, path="t.h" if name == "thing" else file)
        assert sum(site.path == file for site in found.references) == 2
        asked.append(counted.total())
    assert asked[1] < 2.5 * asked[0]


def test_a_variable_is_found_by_any_line_that_gives_it_a_value(repo: Repo, open_code: Open) -> None:
    repo.put(
        "state.py",
        "def reset():\n    global jobs\n    jobs = None\n\njobs = []\n\nif jobs:\n    jobs = [1]\n",
    )
    snapshot = open_code(repo.root).view().snapshot
    for line in (5, 3, 8):
        found = find(snapshot, "jobs", path="state.py", line=line)
        # What the module itself says comes before what a function does.
        assert found.symbol.line_start == 5
        assert [site.line for site in found.references] == [n for n in (2, 3, 5, 7, 8) if n != line]


def test_of_a_structure_and_its_type_the_one_named_at_a_line_is_meant(repo: Repo, open_code: Open) -> None:
    repo.put("dict.h", "typedef struct dict {\n    struct dict *next;\n} dict;\n")
    repo.put("use.c", '#include "dict.h"\n\ndict *one;\nstruct dict *two;\n')
    snapshot = open_code(repo.root).view().snapshot
    lines = {1: [("dict.h", 2), ("use.c", 4)], 3: [("use.c", 3)]}
    for line, places in lines.items():
        found = find(snapshot, "dict", path="dict.h", line=line)
        assert [(site.path, site.line) for site in found.references] == places


def test_what_a_module_names_within_an_expression_is_a_symbol(repo: Repo, open_code: Open) -> None:
    repo.put("start.py", "import os\n\nif (home := os.getcwd()) != '/':\n    print(home)\n")
    found = find(open_code(repo.root).view().snapshot, "home", path="start.py", line=3)
    assert [site.line for site in found.references] == [4]
