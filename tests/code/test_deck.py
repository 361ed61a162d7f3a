"""The code deck as a client sees it: contract fields, limits and errors."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.engine import Code
from cuedeck.code.git.checkout import Checkout
from cuedeck.code.snapshot import Outdated
from cuedeck.mcp.decks.code import TOOLS
from cuedeck.mcp.tool import Call
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal
from cuedeck.workspace import Workspace

from .conftest import LIBRARY, Ask, Repo


def test_indexing_and_its_status(ask: Ask) -> None:
    assert ask("index_status")["status"] == "not_indexed"
    done = ask("index_repo")
    assert (done["status"], done["mode"], done["file_count"]) == ("completed", "full", 3)
    again = ask("index_repo")
    assert (again["status"], again["changed_files"]) == ("completed", 0)
    assert ask("index_status")["progress"] == 1.0


def test_types_that_satisfy_an_interface_are_listed_when_asked_for(repo: Repo, ask: Ask) -> None:
    repo.put("shop/store.go", "package shop\n\ntype Store interface{ Get(key string) int }\n")
    repo.put(
        "shop/memory.go",
        "package shop\n\ntype Memory struct{}\n\nfunc (Memory) Get(string) int { return 1 }\n",
    )
    [found] = ask("find_references", symbol_name="Store", kind="implements")["references"]
    assert (found["path"], found["line_start"], found["edge_type"]) == ("shop/memory.go", 3, "implements")
    assert ask("find_references", symbol_name="Store")["references"] == []


def test_references_come_with_context_edge_and_enclosing_symbol(ask: Ask) -> None:
    found = ask("find_references", symbol_name="check")
    assert found["symbol"]["qualified_name"] == "auth::token::check"
    assert [(r["path"], r["line_start"], r["edge_type"]) for r in found["references"]] == [
        ("auth/token.py", 9, "calls"),
        ("tests/test_token.py", 1, "imports"),
        ("tests/test_token.py", 4, "calls"),
        ("web.py", 1, "imports"),
        ("web.py", 4, "calls"),
    ]
    assert found["references"][4]["context"] == "return verify(Token())"
    enclosing = found["references"][4]["from_symbol"]
    assert enclosing["qualified_name"] == "web::login"
    assert list(enclosing) == ["symbol_id", "symbol_stable_id", "name", "qualified_name", "kind"]
    assert found["references"][3]["from_symbol"]["kind"] == "module"
    assert found["total_references"] == 5
    assert [
        r["edge_type"] for r in ask("find_references", symbol_name="check", kind="imports")["references"]
    ] == [
        "imports",
        "imports",
    ]
    short = ask("find_references", symbol_name="check", limit=2)
    assert len(short["references"]) == 2
    assert short["total_references"] == 5
    assert short["metadata"]["result_completeness"] == "truncated"


def test_a_search_says_whether_its_limit_cut_it(ask: Ask) -> None:
    whole = ask("search_code", query="check")
    assert len(whole["results"]) == whole["total_candidates"] > 1
    assert whole["metadata"]["result_completeness"] == "complete"
    short = ask("search_code", query="check", limit=1)
    assert (len(short["results"]), short["total_candidates"]) == (1, whole["total_candidates"])
    assert short["metadata"]["result_completeness"] == "truncated"


def test_what_cannot_be_resolved_is_possible_not_lost(ask: Ask, repo: Repo) -> None:
    repo.put("dynamic.py", "def f(thing):\n    return thing.validate(1)\n")
    found = ask("find_references", symbol_name="Token.validate")
    assert "dynamic.py" not in {r["path"] for r in found["references"]}
    assert [(r["path"], r["line_start"]) for r in found["possible"]] == [("dynamic.py", 2)]


def test_another_language_does_not_name_a_method_but_calls_what_is_linked(ask: Ask, repo: Repo) -> None:
    repo.put("lib/task.py", "class Task:\n    def settle(self):\n        pass\n")
    repo.put("web/app.ts", "export function run(task: any) { task.settle() }\n")
    assert ask("find_references", symbol_name="Task.settle")["possible"] == []
    repo.put("lib/native.c", "int settle(int n) { return n; }\n")
    found = ask("find_references", symbol_name="settle", path="lib/native.c")
    assert [site["path"] for site in found["possible"]] == ["web/app.ts"]


def test_search_ranks_and_explains_the_same(ask: Ask) -> None:
    found = ask("search_code", query="validate token signature")
    first = found["results"][0]
    assert first["qualified_name"] == "auth::token::Token::validate"
    told = ask(
        "explain_ranking",
        query="validate token signature",
        result_path=first["path"],
        result_line_start=first["line_start"],
    )
    assert told["scoring"]["total"] == pytest.approx(first["score"])
    parts = {name: value for name, value in told["scoring"].items() if name != "total"}
    assert sum(parts.values()) == pytest.approx(told["scoring"]["total"])
    limits = {"exact_match": 0.2, "qualified_name": 0.1, "path_affinity": 0.1}
    limits |= {"definition_boost": 0.15, "kind_match": 0.05}
    assert all(0 <= parts[name] <= most for name, most in limits.items())
    assert (
        ask(
            "explain_ranking",
            query="validate token signature",
            result_path=first["path"],
            result_line_start=first["line_start"],
        )
        == told
    )


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_what_filters_leave_is_explained_with_the_same_filters(ask: Ask, mode: str) -> None:
    asked = {"query": "check token", "kind": "fn", "path_filter": "auth/", "mode": mode}
    ask("search_code", **{**asked, "mode": "hybrid"})
    until = time.monotonic() + 60
    while ask("index_status")["pending_embeddings"] and time.monotonic() < until:
        time.sleep(0.1)
    found = ask("search_code", **asked)["results"]
    assert found
    for hit in found:
        told = ask("explain_ranking", **asked, result_path=hit["path"], result_line_start=hit["line_start"])
        assert told["scoring"]["total"] == hit["score"]
        assert told["scoring_details"]["kind_match_reason"] == "kind filter fn"
    with pytest.raises(CueError, match="not among the first 200 results") as caught:
        ask("explain_ranking", **asked, result_path="web.py", result_line_start=3)
    assert caught.value.code is ErrorCode.RESULT_NOT_FOUND
    with pytest.raises(CueError, match="no language is called klingon"):
        ask("explain_ranking", query="check", language="klingon", result_path="web.py", result_line_start=3)


def test_in_a_tiny_repository_a_match_is_worth_something(ask: Ask, repo: Repo) -> None:
    repo.put("jwt.py", "def refresh_token():\n    pass\n")
    repo.put("empty_settings.py", "DEBUG = True\n")
    told = ask("explain_ranking", query="refresh token", result_path="jwt.py", result_line_start=1)["scoring"]
    assert told["exact_match"] == 0.15
    assert told["bm25"] > 0.1
    assert ask("search_code", query="refresh token")["results"][0]["name"] == "refresh_token"
    assert ask("locate_symbol", name="jwt")["results"][0]["kind"] == "module"
    assert "empty_settings" in {r["name"] for r in ask("search_code", query="empty settings")["results"]}


def test_only_what_search_finds_is_explained(ask: Ask) -> None:
    place = {"result_path": "auth/token.py", "result_line_start": 1}
    for query, limit in (("zzzzqqq", 200), ("check", 1)):
        with pytest.raises(CueError, match=f"not among the first {limit} results") as caught:
            ask("explain_ranking", query=query, limit=limit, **place)
        assert caught.value.code is ErrorCode.RESULT_NOT_FOUND
    assert ask("explain_ranking", query="token", limit=5000, **place)["metadata"]["warnings"]


def test_candidates_are_counted_once_each(ask: Ask, repo: Repo) -> None:
    repo.put("copy/token.py", LIBRARY)
    for query in ({"query": "check"}, {"query": "token"}, {"query": "token", "path_filter": "copy/"}):
        found = ask("search_code", **query, limit=100)
        assert found["total_candidates"] == len(found["results"]) > 1


def test_languages_and_kinds_are_understood_or_questioned(ask: Ask) -> None:
    plain = ask("search_code", query="check", language="python", kind="fn")["results"]
    assert plain
    for language, kind in (("Python", "Function"), ("py", "func")):
        assert ask("search_code", query="check", language=language, kind=kind)["results"] == plain
    for field in ("language", "kind"):
        for tool, query in (("search_code", {"query": "check"}), ("locate_symbol", {"name": "check"})):
            found = ask(tool, **query, **{field: "klingon"})
            assert found["results"] == []
            assert f"no {field} is called klingon" in found["metadata"]["warnings"][0]


def test_a_method_defined_outside_its_class_has_the_uses_of_its_declaration(ask: Ask, repo: Repo) -> None:
    repo.put("inc/car.hpp", "namespace v {\nclass Car {\n public:\n  void go();\n  int n = 0;\n};\n}\n")
    repo.put("src/vehicle.cpp", '#include "../inc/car.hpp"\nnamespace v {\nvoid Car::go() { n++; }\n}\n')
    repo.put("src/main.cpp", '#include "../inc/car.hpp"\nint main() {\n  v::Car c;\n  c.go();\n}\n')
    for place in ({}, {"path": "src/vehicle.cpp"}, {"path": "inc/car.hpp"}):
        found = ask("find_references", symbol_name="Car::go", **place)
        assert ("src/main.cpp", 4) in {(site["path"], site["line_start"]) for site in found["references"]}
        assert "candidates" not in found
    graph = ask("get_call_graph", symbol_name="Car::go", path="src/vehicle.cpp", direction="callers")
    assert [call["symbol"]["name"] for call in graph["callers"]] == ["main"]


def test_what_the_arguments_of_a_rust_macro_call_is_called(ask: Ask, repo: Repo) -> None:
    repo.put(
        "src/lib.rs",
        "pub struct Id;\nimpl Id {\n    pub fn new(n: u8) -> Id { Id }\n    pub fn up(&self) -> u8 { 1 }\n}\n"
        "pub fn made() -> Vec<Id> { vec![Id::new(1), wrap(Id::new)] }\n"
        "pub fn seen() { assert_eq!(Id::new(2).up(), 1); }\n",
    )
    found = ask("find_references", symbol_name="Id::new")["references"]
    assert [(site["line_start"], site["edge_type"]) for site in found] == [
        (6, "calls"),
        (6, "references"),
        (7, "calls"),
    ]
    for name, callers in (("Id::new", {"made", "seen"}), ("Id::up", {"seen"})):
        graph = ask("get_call_graph", symbol_name=name, direction="callers")
        assert {call["symbol"]["name"] for call in graph["callers"]} == callers


def test_search_filters_and_finds_files_and_names(ask: Ask) -> None:
    assert {r["kind"] for r in ask("search_code", query="token", kind="class")["results"]} == {"class"}
    assert all(
        r["path"].startswith("tests/")
        for r in ask("search_code", query="check", path_filter="tests/")["results"]
    )
    assert ask("search_code", query="login")["results"][0]["qualified_name"] == "web::login"
    assert ask("search_code", query="zzzzqqq")["results"] == []
    assert ask("search_code", query="Token " * 4000)["results"]
    assert ask("search_code", query="check", limit=10_000)["metadata"]["warnings"]


def test_vectors_follow_what_was_indexed_unasked(repo: Repo) -> None:
    repo.put("a.py", LIBRARY)
    repo.commit()
    tools = {tool.name: tool for tool in TOOLS}
    with Workspace.open(repo.root) as workspace:

        def pending(tool: str) -> Any:
            arguments = tools[tool].arguments.model_validate({})
            value: Any = tools[tool].handler(Call(workspace, Principal("me"), arguments)).value
            return value.get("pending_embeddings")

        workspace.symbol_vectors.start()
        pending("index_repo")
        until = time.monotonic() + 60
        while pending("index_status") and time.monotonic() < until:
            time.sleep(0.1)
        assert pending("index_status") == 0


def test_meaning_can_be_counted_in(ask: Ask) -> None:
    ask("search_code", query="signature", mode="hybrid")
    deadline = time.monotonic() + 30
    while ask("index_status")["pending_embeddings"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for mode in ("semantic", "hybrid"):
        query = {"query": "verify that a signature is genuine", "mode": mode}
        first = ask("search_code", **query)["results"][0]
        assert first["qualified_name"] == "auth::token::Token::validate"
        place = {"result_path": first["path"], "result_line_start": first["line_start"]}
        told = ask("explain_ranking", **query, **place)
        assert told["scoring"]["total"] == first["score"]
        assert told["scoring"]["semantic"] > 0.2


def test_locating_outlining_and_calling(ask: Ask) -> None:
    assert [r["qualified_name"] for r in ask("locate_symbol", name="Token.validate")["results"]] == [
        "auth::token::Token::validate"
    ]
    outline = ask("get_file_outline", path="auth/token.py")
    assert [s["name"] for s in outline["symbols"]] == ["Token", "check", "unused"]
    assert [s["name"] for s in outline["symbols"][0]["children"]] == ["validate"]
    assert ask("get_file_outline", path="./auth/token.py", depth="top")["symbols"][0]["children"] == []
    brief = ask("get_file_outline", path="auth/token.py", brief=True)["symbols"]
    fields = ("name", "kind", "signature", "line_start", "line_end")
    assert [{**s, "children": len(s["children"])} for s in brief] == [
        {name: s[name] for name in fields} | {"children": len(s["children"])} for s in outline["symbols"]
    ]
    graph = ask("get_call_graph", symbol_name="check", depth=2)
    assert {(c["symbol"]["name"], c["depth"]) for c in graph["callers"]} == {
        ("validate", 1),
        ("login", 1),
        ("test_check", 1),
        ("unused", 2),
    }
    below = ask("get_call_graph", symbol_name="unused", direction="callees", depth=2)
    called = {(c["symbol"]["name"], c["depth"]) for c in below["callees"]}
    assert called == {("Token", 1), ("validate", 1), ("check", 2)}


def test_what_calls_itself_is_one_of_its_callers(ask: Ask, repo: Repo) -> None:
    repo.put(
        "walk.py",
        "def walk(n):\n    return walk(n - 1)\n\ndef ping():\n    pong()\n\ndef pong():\n    ping()\n",
    )

    def graph(name: str, depth: int) -> dict[str, list[tuple[str, int, int]]]:
        found = ask("get_call_graph", symbol_name=f"walk::{name}", depth=depth)
        return {
            way: [(c["symbol"]["name"], c["call_site"]["line"], c["depth"]) for c in found[way]]
            for way in ("callers", "callees")
        }

    assert graph("walk", 3) == {"callers": [("walk", 2, 1)], "callees": [("walk", 2, 1)]}
    assert graph("ping", 1) == {"callers": [("pong", 8, 1)], "callees": [("pong", 5, 1)]}
    assert graph("ping", 5) == {
        "callers": [("pong", 8, 1), ("ping", 5, 2)],
        "callees": [("pong", 5, 1), ("ping", 8, 2)],
    }


def test_the_first_question_may_be_which_refs_there_are(ask: Ask) -> None:
    listed = ask("list_refs")
    assert [(r["ref"], r["is_default"]) for r in listed["refs"]] == [("main", True)]
    assert listed["refs"][0]["symbol_count"] > 0
    assert (listed["metadata"]["indexing_status"], listed["metadata"]["freshness_status"]) == (
        "ready",
        "fresh",
    )


def test_a_document_is_not_taken_for_a_code_file_of_a_like_name(ask: Ask, repo: Repo) -> None:
    repo.put("token.md", "# Tokens\n")
    with pytest.raises(CueError) as refused:
        ask("get_file_outline", path="token.md")
    assert refused.value.data["nearest"] == [] and "read_doc" in str(refused.value.hint)
    with pytest.raises(CueError) as refused:
        ask("get_file_outline", path="auth/tokens.py")
    assert refused.value.data["nearest"][0] == "auth/token.py"


def test_refs_are_listed_and_switched(ask: Ask, repo: Repo) -> None:
    repo.git("branch", "feat")
    ask("index_repo", ref="feat")
    listed = ask("list_refs")
    assert [(r["ref"], r["is_default"]) for r in listed["refs"]] == [("main", True), ("feat", False)]
    assert listed["vcs_mode"] is True
    switched = ask("switch_ref", ref="feat")
    assert (switched["ref"], switched["previous_ref"]) == ("feat", "main")
    assert ask("search_code", query="login")["metadata"]["ref"] == "feat"


def test_differences_have_the_contracts_shape(ask: Ask, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("auth/token.py", LIBRARY.replace("def check(key):", "def check(key, now=None):"))
    repo.commit()
    found = ask("diff_context", base_ref="main", head_ref="feat")
    (change,) = found["changes"]
    assert change["symbol"] == "check"
    assert change["before"]["symbol_stable_id"] == change["after"]["symbol_stable_id"]
    assert change["after"]["signature"] == "def check(key, now=None)"
    assert found["file_changes"] == [{"path": "auth/token.py", "change_type": "modified"}]
    assert ask("diff_context", base_ref="main", head_ref="main")["changes"] == []


def test_a_folder_whose_name_begins_with_two_dots_is_inside(ask: Ask, repo: Repo) -> None:
    repo.put("..data/a.py", "def inside(): pass\n")
    assert [one["name"] for one in ask("get_file_outline", path="..data/a.py")["symbols"]] == ["inside"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("find_references", {"symbol_name": "nothing_of_that_name"}, ErrorCode.SYMBOL_NOT_FOUND),
        ("find_references", {"symbol_name": "check", "ref": "--help"}, ErrorCode.REF_NOT_INDEXED),
        ("find_references", {"symbol_name": "check\0"}, ErrorCode.SYMBOL_NOT_FOUND),
        ("get_file_outline", {"path": "nope.py"}, ErrorCode.NOT_FOUND),
        ("get_file_outline", {"path": "../../etc/passwd"}, ErrorCode.VALIDATION),
        ("get_file_outline", {"path": "/etc/passwd"}, ErrorCode.VALIDATION),
        (
            "explain_ranking",
            {"query": "x", "result_path": "web.py", "result_line_start": 99},
            ErrorCode.RESULT_NOT_FOUND,
        ),
        ("diff_context", {"base_ref": "nope"}, ErrorCode.REF_NOT_INDEXED),
        ("switch_ref", {"ref": "nope"}, ErrorCode.REF_NOT_INDEXED),
        ("list_refs", {"workspace": "/"}, ErrorCode.PROJECT_NOT_FOUND),
        ("index_repo", {"workspace": "~nobody/x"}, ErrorCode.PROJECT_NOT_FOUND),
    ],
)
def test_errors_are_the_contracts(ask: Ask, tool: str, arguments: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(CueError) as caught:
        ask(tool, **arguments)
    assert caught.value.code is code
    assert caught.value.hint or caught.value.data["field"] in arguments


def test_the_served_workspace_may_be_named(ask: Ask, repo: Repo) -> None:
    assert ask("list_refs", workspace=str(repo.root))["vcs_mode"] is True


def test_two_machines_give_the_same_bytes(ask: Ask, repo: Repo, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    repo.git("clone", "-q", str(repo.root), str(copy))
    tools = {tool.name: tool for tool in TOOLS}
    with Workspace.open(copy) as other:

        def there(name: str, **arguments: Any) -> Any:
            parsed = tools[name].arguments.model_validate(arguments)
            return tools[name].handler(Call(other, Principal("me"), parsed)).value

        for name, arguments in (
            ("find_references", {"symbol_name": "check"}),
            ("search_code", {"query": "token check"}),
            ("get_call_graph", {"symbol_name": "check"}),
        ):
            assert json.dumps(there(name, **arguments)) == json.dumps(ask(name, **arguments))


def test_a_snapshot_that_an_edit_outdated_says_so(repo: Repo, open_code: Callable[..., Code]) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.put("a.py", "def two(): pass\n")
    code = open_code(repo.root)
    before = code.view().snapshot
    repo.put("a.py", "def three(): pass\n")
    after = code.view().snapshot
    with pytest.raises(Outdated):
        before.outline("a.py")
    assert [definition.name for definition in after.outline("a.py").definitions] == ["three"]


def test_questions_are_answered_while_another_client_edits(ask: Ask, repo: Repo) -> None:
    failures: list[BaseException] = []

    def edit() -> None:
        try:
            for number in range(40):
                repo.put("next.txt", f"{LIBRARY}\n\ndef check_{number}():\n    return {number}\n")
                (repo.root / "next.txt").replace(repo.root / "auth/token.py")
                assert ask("locate_symbol", name=f"check_{number}")["results"]
        except BaseException as error:  # noqa: BLE001 - told by the other thread
            failures.append(error)

    editing = threading.Thread(target=edit)
    editing.start()
    while editing.is_alive():
        assert ask("search_code", query="check key")["results"]
        assert ask("get_file_outline", path="auth/token.py")["symbols"]
    editing.join()
    assert failures == []


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (
            {
                "make.ts": "function help() {}\nexport function make(a: string): void\n"
                "export function make(a: number): void\nexport function make(a: unknown) { help() }\n"
            },
            "make",
        ),
        (
            {
                "inc/make.h": "void help(void);\nvoid make(int a);\n",
                "src/make.c": '#include "../inc/make.h"\nvoid help(void) {}\nvoid make(int a) { help(); }\n',
            },
            "make",
        ),
        (
            {
                "inc/car.hpp": "void help();\nclass Car {\n public:\n  void go();\n};\n",
                "src/car.cpp": '#include "../inc/car.hpp"\nvoid Car::go() { help(); }\n',
            },
            "Car::go",
        ),
    ],
)
def test_a_declaration_without_a_body_calls_what_its_body_calls(
    ask: Ask, repo: Repo, files: dict[str, str], name: str
) -> None:
    for path, text in files.items():
        repo.put(path, text)
    for path in files:
        graph = ask("get_call_graph", symbol_name=name, path=path, direction="callees")
        assert [call["symbol"]["name"] for call in graph["callees"]] == ["help"]
        assert [call["call_site"]["path"] for call in graph["callees"]] == [[*files][-1]]


def test_a_search_that_finds_nothing_says_so(ask: Ask) -> None:
    def said(query: str, **filters: str) -> list[str]:
        found = ask("search_code", query=query, **filters)
        assert found["results"] == []
        return list(found["metadata"]["warnings"])

    assert said("shipment") == ["no symbol holds a word of the query; mode hybrid looks for its meaning"]
    assert said("shipment", mode="keyword") == ["no symbol holds a word of the query"]
    assert said("check", kind="enum", mode="keyword") == [
        "no symbol within these filters holds a word of the query"
    ]
    assert said(" %% ") == ["the query holds no word that could be looked for"]


def test_a_path_filter_that_lets_nothing_through_says_so(ask: Ask) -> None:
    assert ask("search_code", query="token", path_filter=".")["results"]
    assert "warnings" not in ask("search_code", query="token", path_filter="./auth")["metadata"]
    for tool, asked in (("search_code", {"query": "token"}), ("diff_context", {"base_ref": "HEAD"})):
        assert "nowhere/" in ask(tool, **asked, path_filter="nowhere/")["metadata"]["warnings"][0]
        for outside in ("/auth", "..", "../auth"):
            with pytest.raises(CueError, match="path_filter"):
                ask(tool, **asked, path_filter=outside)


def test_an_empty_comparison_of_the_checkout_says_how_to_see_uncommitted_changes(
    ask: Ask, repo: Repo
) -> None:
    repo.put("auth/later.py", "def later(): pass\n")
    assert "working_tree: true" in ask("diff_context", base_ref="HEAD")["metadata"]["warnings"][0]
    shown = ask("diff_context", base_ref="HEAD", working_tree=True)
    assert [file["path"] for file in shown["file_changes"]] == ["auth/later.py"]
    assert "warnings" not in ask("diff_context", base_ref="HEAD", head_ref="HEAD")["metadata"]


def test_a_name_that_nothing_has_is_answered_with_the_nearest(ask: Ask) -> None:
    assert "auth::token::Token::validate" in ask("locate_symbol", name="validates")["metadata"]["warnings"][0]


def test_a_class_extends_a_parent_that_has_type_arguments(ask: Ask, repo: Repo) -> None:
    repo.put("box.py", "class Box(Generic[T]): pass\n\n\nclass Crate(Box[int]): pass\n")
    found = ask("find_references", symbol_name="Box", kind="extends")["references"]
    assert [site["from_symbol"]["name"] for site in found] == ["Crate"]


def test_a_function_with_a_prototype_is_called_once_and_where_it_is_written(ask: Ask, repo: Repo) -> None:
    repo.put("run.h", "int run(int a);\nint elsewhere(void);\n")
    repo.put("run.c", '#include "run.h"\nint run(int a) { return a; }\n')
    repo.put("port/run.c", '#include "../run.h"\nint run(int a) { return -a; }\n')
    repo.put(
        "main.c",
        '#include "run.h"\nstatic int later(void);\n'
        "int main(void) { return run(1) + later() + elsewhere(); }\n"
        "static int later(void) { return 2; }\n",
    )
    graph = ask("get_call_graph", symbol_name="main", path="main.c", direction="callees")
    assert [
        (c["symbol"]["name"], c["symbol"]["path"], c["symbol"]["line_start"]) for c in graph["callees"]
    ] == [
        ("run", "port/run.c", 2),
        ("run", "run.c", 2),
        ("later", "main.c", 4),
        ("elsewhere", "run.h", 2),
    ]


def test_what_a_clone_lacks_is_said_where_a_symbol_is_not_found(ask: Ask, repo: Repo) -> None:
    repo.put("lost.py", "def misplaced(): pass\n")
    repo.commit()
    blob = repo.git("rev-parse", "HEAD:lost.py")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    repo.git("checkout", "-q", "-b", "feat", "HEAD~1")
    lacking = "1 of its files are not in this clone; see index_status"
    told = ask("index_repo", ref="main")["metadata"]
    assert (told["result_completeness"], told["warnings"]) == ("partial", [lacking])
    assert "warnings" not in ask("index_repo", ref="feat")["metadata"]
    told = ask("index_status", ref="main")["metadata"]
    assert (told["result_completeness"], told["warnings"]) == ("partial", [lacking.split(";")[0]])
    told = ask("index_status", ref="feat")["metadata"]
    assert told["result_completeness"] == "complete"
    assert "warnings" not in told
    for tool in ("find_references", "get_call_graph"):
        with pytest.raises(CueError) as error:
            ask(tool, symbol_name="misplaced", ref="main")
        assert error.value.code is ErrorCode.SYMBOL_NOT_FOUND
        assert str(error.value.hint).startswith(f"It may be in what is missing: {lacking}. ")
        with pytest.raises(CueError) as error:
            ask(tool, symbol_name="misplaced", ref="feat")
        assert "missing" not in str(error.value.hint)


def test_how_many_places_may_refer_to_a_symbol_is_said_where_some_are_left_out(ask: Ask, repo: Repo) -> None:
    repo.put("calls.py", "def call(a):\n" + "    a.validate()\n" * 5)
    short = ask("find_references", symbol_name="Token.validate", limit=3)
    assert (len(short["possible"]), short["total_possible"]) == (3, 5)
    assert "total_possible" not in ask("find_references", symbol_name="Token.validate", limit=5)


def test_a_file_that_is_rewritten_while_it_is_compared_is_looked_at_again(
    ask: Ask, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("sums.py", "def double(a):\n    return  a * 2\n")
    repo.commit()
    repo.put("sums.py", "def double(a):\n    return a * 2\n")
    read, rewrites = Checkout.read_blob, iter(["def double(a):\n    return   a * 2\n"])

    def read_after_an_edit(self: Checkout, path: str, oid: str) -> bytes | None:
        if text := next(rewrites, None):
            repo.put(path, text)
        return read(self, path, oid)

    monkeypatch.setattr(Checkout, "read_blob", read_after_an_edit)
    [change] = ask("diff_context", base_ref="main", head_ref="main", working_tree=True)["changes"]
    assert (change["change_type"], change["formatting_only"]) == ("modified", True)


def test_an_empty_path_is_none(ask: Ask, repo: Repo) -> None:
    repo.put("sums.py", "def double(a): ...\ndouble(1)\n")
    assert ask("find_references", symbol_name="double", path="")["references"]
