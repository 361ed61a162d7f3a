"""Which symbol a name means: parts of it, ancestors, places, and what to say when there is none."""

from __future__ import annotations

from typing import Any

import pytest

from cuedeck.model.errors import CueError

from .conftest import Ask, Repo


def test_an_ambiguous_name_lists_the_others_and_a_place_decides(ask: Ask, repo: Repo) -> None:
    repo.put("other.py", "def check():\n    pass\n\ncheck()\n")
    found = ask("find_references", symbol_name="check")
    assert [c["path"] for c in found["candidates"]] != []
    chosen = ask("find_references", symbol_name="check", path="other.py", line=1)
    assert [(r["path"], r["line_start"]) for r in chosen["references"]] == [("other.py", 4)]
    assert chosen["references"][0]["source_layer"] == "overlay"


@pytest.mark.parametrize(
    ("name", "path", "line", "defined"),
    [
        ("clock", "clock.py", 6, ("clock.py", 4)),  # bound once more
        ("clock", "user.py", 1, ("clock.py", 4)),  # imported
        ("clock", "user.py", 6, ("clock.py", 4)),  # used
        ("clock.clock", "user.py", 6, ("clock.py", 4)),
        ("clock", "user.py", 9, ("user.py", 9)),  # another one of the name
        ("clock", "user.py", 10, ("user.py", 9)),
        ("Timer", "user.py", 4, ("user.py", 3)),  # inside of it
    ],
)
def test_a_line_that_uses_a_name_says_which_is_meant(
    ask: Ask, repo: Repo, name: str, path: str, line: int, defined: tuple[str, int]
) -> None:
    repo.put("clock.py", "import sys\n\nif sys.platform:\n    clock = 1\nelse:\n    clock = 2\n")
    repo.put(
        "user.py",
        "from clock import clock\n\nclass Timer:\n    def now(self):\n"
        "        a = 1\n        return clock\n\nclass Other:\n    def clock(self):\n        self.clock()\n",
    )
    symbol = ask("find_references", symbol_name=name, path=path, line=line)["symbol"]
    assert (symbol["path"], symbol["line_start"]) == defined


def test_a_line_that_does_not_hold_the_name_is_refused(ask: Ask, repo: Repo) -> None:
    repo.put("clock.py", "tick = 1\n\nprint(tick)\n")
    with pytest.raises(CueError, match="There is no symbol tick in"):
        ask("find_references", symbol_name="tick", path="clock.py", line=2)


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("find_references", {"symbol_name": "Token.validat_key"}, "auth::token::Token::validate"),
        ("get_call_graph", {"symbol_name": "check_token"}, "auth::token::check"),
        ("find_references", {"symbol_name": "vaildate"}, "auth::token::Token::validate"),
        ("find_references", {"symbol_name": "VALIDATE"}, "auth::token::Token::validate"),
        ("get_file_outline", {"path": "auth/tokens.py"}, "auth/token.py"),
    ],
)
def test_a_wrong_name_gets_the_nearest(ask: Ask, tool: str, arguments: dict[str, Any], meant: str) -> None:
    with pytest.raises(CueError) as caught:
        ask(tool, **arguments)
    assert meant in caught.value.data["nearest"] and meant in (caught.value.hint or "")


@pytest.mark.parametrize(
    "name",
    [
        "lib.core.helper",
        "lib/core.py::helper",
        "lib.core.helper()",
        "helper()",
        "crate::lib::core::helper",
        "core.helper",
    ],
)
def test_a_symbol_is_found_by_what_an_import_or_a_path_calls_it(ask: Ask, repo: Repo, name: str) -> None:
    repo.put("lib/__init__.py", "")
    repo.put("lib/core.py", "def helper():\n    pass\n")
    repo.put("user.py", "from lib.core import helper\n\nhelper()\n")
    found = ask("find_references", symbol_name=name)
    assert found["symbol"]["path"] == "lib/core.py"
    assert found["total_references"] == 2


def test_an_inherited_member_is_found_by_the_class_that_has_it(ask: Ask, repo: Repo) -> None:
    repo.put("base.py", "class Scaffold:\n    def route(self):\n        pass\n")
    repo.put(
        "app.py", "from base import Scaffold\n\n\nclass Flask(Scaffold):\n    pass\n\n\nFlask().route()\n"
    )
    found = ask("find_references", symbol_name="app.Flask.route")
    assert found["symbol"]["qualified_name"] == "base::Scaffold::route"
    assert [site["path"] for site in found["references"]] == ["app.py"]
    assert ask("locate_symbol", name="Flask.route")["results"][0]["path"] == "base.py"
    assert ask("locate_symbol", name="Flask.nothing")["results"] == []
    assert ask("locate_symbol", name="Flask.route", kind="class")["results"] == []


def test_of_one_name_what_a_file_defines_comes_before_members(ask: Ask, repo: Repo) -> None:
    repo.put("context.py", "class Context:\n    def session(self):\n        pass\n")
    repo.put("state.py", "session = make()\n")
    found = [record["path"] for record in ask("locate_symbol", name="session")["results"]]
    assert found == ["state.py", "context.py"]


def test_a_go_method_is_found_by_its_receiver(ask: Ask, repo: Repo) -> None:
    repo.put("srv/s.go", "package srv\n\ntype Server struct{}\n\nfunc (s *Server) Stop() {}\n")
    found = ask("locate_symbol", name="(*Server).Stop")["results"]
    assert [record["name"] for record in found] == ["Stop"]
    assert ask("locate_symbol", name="lib.nothing")["results"] == []


def test_a_method_comes_before_an_extension_of_its_class(ask: Ask, repo: Repo) -> None:
    repo.put("src/Extensions.kt", "fun Parser.read(text: String): Int = read(text, 0)\n")
    repo.put(
        "src/Parser.kt",
        "class Parser {\n    fun read(text: String, at: Int): Int {\n        return at\n    }\n}\n",
    )
    found = ask("locate_symbol", name="Parser.read")["results"]
    assert [(each["kind"], each["path"]) for each in found] == [
        ("method", "src/Parser.kt"),
        ("fn", "src/Extensions.kt"),
    ]


@pytest.mark.parametrize(
    ("name", "line", "meant"),
    [
        ("<constructor>", 2, "web::Page::constructor"),
        ("<get>title", 3, "web::Page::title"),
        ("'deep-key'", 5, "web::Options::deep-key"),
    ],
)
def test_names_may_be_spelled_as_scip_indexes_do(
    ask: Ask, repo: Repo, name: str, line: int, meant: str
) -> None:
    repo.put(
        "web.ts",
        "export class Page {\n  constructor() {}\n  get title() { return 1 }\n}\n"
        "export interface Options { 'deep-key': Page }\n",
    )
    found = ask("find_references", symbol_name=name, path="web.ts", line=line)
    assert found["symbol"]["qualified_name"] == meant


def test_every_name_of_an_outline_is_found_by_it(ask: Ask, repo: Repo) -> None:
    repo.put(
        "web/routes.ts",
        "enum Action { Set }\nconst handlers = {\n  'user.created': (a: number) => a,\n"
        "  [Action.Set]: (a: number) => a,\n  'plain-key': (a: number) => a,\n};\n"
        "class C { #own = 1; get x() { return this.#own } 'a.b'() {} }\n",
    )
    outline = ask("get_file_outline", path="web/routes.ts", depth="all")
    pending, names = list(outline["symbols"]), []
    while pending:
        symbol = pending.pop()
        pending += symbol.get("children", [])
        names.append(symbol["name"])
        for spelled in (symbol["name"], symbol["qualified_name"]):
            line = symbol["line_start"]
            found = ask("find_references", symbol_name=spelled, path="web/routes.ts", line=line)["symbol"]
            assert found["qualified_name"] == symbol["qualified_name"]
            assert ask("locate_symbol", name=spelled)["results"], spelled
    assert any("." in name for name in names)
