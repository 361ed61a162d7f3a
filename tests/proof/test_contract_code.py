"""The code deck from outside: symbols and diffs on any ref, each answer with its metadata."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ground import Ground
from outside import Deck
from project import git

SYMBOL_ID = re.compile(r"sym_[0-9A-HJKMNP-TV-Z]{26}")
STABLE_ID = re.compile(r"b3:[0-9a-f]{16,}")
METADATA = {
    "cruxe_protocol_version": {"1.0"},
    "freshness_status": {"fresh", "stale", "syncing"},
    "indexing_status": {"not_indexed", "indexing", "ready", "failed"},
    "result_completeness": {"complete", "partial", "truncated"},
    "schema_status": {"compatible", "not_indexed", "reindex_required", "corrupt_manifest"},
}
RECORD = {
    "symbol_id",
    "symbol_stable_id",
    "name",
    "qualified_name",
    "kind",
    "language",
    "signature",
    "path",
    "line_start",
    "line_end",
    "source_layer",
}


class CodeDeck(Deck):
    """Every answer carries the protocol's metadata."""

    def good(self, name: str, /, **arguments: Any) -> Any:
        value = super().good(name, **arguments)
        for field, allowed in METADATA.items():
            assert value["metadata"][field] in allowed
        assert isinstance(value["metadata"]["ref"], str)
        return value


@pytest.fixture(scope="module")
def deck(ground: Ground) -> CodeDeck:
    made = CodeDeck(ground.door("process", "--decks", "code"))
    assert made.good("index_repo")["status"] == "completed"
    return made


def test_a_symbol_diff_has_the_contracts_shape(deck: CodeDeck, ground: Ground) -> None:
    diff = deck.good("diff_context", base_ref="main", head_ref="feat/oauth2")
    assert (diff["base_ref"], diff["head_ref"]) == ("main", "feat/oauth2")
    assert diff["merge_base_commit"] == git(ground.root, "merge-base", "main", "feat/oauth2")
    assert diff["affected_files"] == 4
    assert {(file["path"], file["change_type"]) for file in diff["file_changes"]} == {
        ("src/auth/jwt.rs", "modified"),
        ("src/auth/legacy.rs", "deleted"),
        ("src/auth/mod.rs", "modified"),
        ("src/auth/oauth.rs", "added"),
    }
    changes = {change["symbol"]: change for change in diff["changes"]}
    added, changed, gone = changes["refresh_token"], changes["validate_token"], changes["legacy_auth"]
    assert (added["change_type"], added["before"]) == ("added", None)
    assert (gone["change_type"], gone["after"]) == ("deleted", None)
    assert changed["change_type"] == "modified"
    for identity in ("symbol_id", "symbol_stable_id", "qualified_name"):
        assert changed["before"][identity] == changed["after"][identity]
    assert "strict: bool" not in changed["before"]["signature"]
    assert "strict: bool" in changed["after"]["signature"]
    record = added["after"]
    assert SYMBOL_ID.fullmatch(record["symbol_id"])
    assert STABLE_ID.fullmatch(record["symbol_stable_id"])
    assert (record["kind"], record["qualified_name"]) == ("fn", "auth::oauth::refresh_token")
    assert added["path"] == record["path"] == "src/auth/oauth.rs"
    assert (
        added["lines"] == {"start": record["line_start"], "end": record["line_end"]} == {"start": 1, "end": 3}
    )
    assert "parse" not in changes


def test_a_limit_cuts_the_changes_only(deck: CodeDeck) -> None:
    diff = deck.good("diff_context", base_ref="main", head_ref="feat/oauth2", limit=1)
    assert len(diff["changes"]) == 1
    assert diff["affected_files"] == 4
    assert diff["metadata"]["result_completeness"] == "truncated"
    filtered = deck.good("diff_context", base_ref="main", head_ref="feat/oauth2", path_filter="src/auth/o")
    assert [file["path"] for file in filtered["file_changes"]] == ["src/auth/oauth.rs"]


def test_a_limit_beyond_the_maximum_is_clamped_and_said(deck: CodeDeck) -> None:
    for tool, arguments in (
        ("diff_context", {"base_ref": "main", "head_ref": "feat/oauth2", "limit": 5001}),
        ("find_references", {"symbol_name": "shout", "limit": 10_001}),
        ("search_code", {"query": "shout", "limit": 101}),
    ):
        assert deck.good(tool, **arguments)["metadata"]["warnings"], tool


def test_identical_refs_differ_in_nothing(deck: CodeDeck) -> None:
    diff = deck.good("diff_context", base_ref="main", head_ref="main")
    assert (diff["affected_files"], diff["file_changes"], diff["changes"]) == (0, [], [])


def test_tags_commits_and_ancestors_are_refs(deck: CodeDeck, ground: Ground) -> None:
    git(ground.root, "tag", "-f", "v1", "main")
    commit = git(ground.root, "rev-parse", "feat/oauth2")
    for base, head in (("v1", commit), ("feat/oauth2~1", "feat/oauth2"), ("v1", commit[:12])):
        assert deck.good("diff_context", base_ref=base, head_ref=head)["affected_files"] == 4


def test_unrelated_histories_have_no_merge_base(deck: CodeDeck, ground: Ground) -> None:
    tree = git(ground.root, "rev-parse", "main^{tree}")
    alone = git(ground.root, "commit-tree", tree, "-m", "Alone")
    git(ground.root, "branch", "-f", "alone", alone)
    error = deck.bad("diff_context", base_ref="main", head_ref="alone")["error"]
    assert error["code"] == "merge_base_failed"
    assert {"code", "message", "data"} <= error.keys()


def test_references_carry_site_kind_layer_and_origin(deck: CodeDeck) -> None:
    found = deck.good("find_references", symbol_name="shout", ref="main")
    assert found["symbol"]["qualified_name"] == "tools::report::shout"
    assert found["symbol"].keys() >= RECORD
    (call,) = [item for item in found["references"] if item["edge_type"] == "calls"]
    assert (call["path"], call["line_start"], call["source_layer"]) == ("tools/report.py", 5, "base")
    assert call["context"] == "return shout(title)"
    assert call["from_symbol"]["qualified_name"] == "tools::report::Report::render"
    assert found["total_references"] == len(found["references"])


def test_the_contracts_own_example_in_rust(deck: CodeDeck) -> None:
    found = deck.good("find_references", symbol_name="validate_token")
    sites = {(item["path"], item["line_start"]) for item in (*found["references"], *found["possible"])}
    assert {("src/middleware.rs", 1), ("src/middleware.rs", 4)} <= sites


def test_references_by_kind(deck: CodeDeck) -> None:
    (one,) = deck.good("find_references", symbol_name="Report", kind="extends")["references"]
    assert (one["line_start"], one["edge_type"]) == (12, "extends")
    assert deck.good("find_references", symbol_name="Report", kind="imports")["references"] == []


def test_the_dirty_tree_is_an_overlay(deck: CodeDeck, ground: Ground) -> None:
    file = ground.root / "tools/report.py"
    clean = file.read_text()
    file.write_text(clean + "\n\ndef fresh() -> str:\n    return shout('now')\n")
    try:
        (symbol,) = deck.good("locate_symbol", name="fresh")["results"]
        assert symbol["source_layer"] == "overlay"
        found = deck.good("find_references", symbol_name="shout")["references"]
        assert ("calls", 17) in {(item["edge_type"], item["line_start"]) for item in found}
        diff = deck.good("diff_context", base_ref="main", head_ref="main", working_tree=True)
        assert [change["symbol"] for change in diff["changes"]] == ["fresh"]
        assert deck.good("diff_context", base_ref="main", head_ref="main")["changes"] == []
    finally:
        file.write_text(clean)
    assert deck.good("locate_symbol", name="fresh")["results"] == []


def test_a_ranking_is_explained_part_by_part_and_the_same_each_time(deck: CodeDeck) -> None:
    (best, *_) = deck.good("search_code", query="validate token", mode="keyword")["results"]
    assert RECORD | {"score", "snippet"} <= best.keys()
    asked = {"query": "validate token", "result_path": best["path"], "result_line_start": best["line_start"]}
    explained = deck.good("explain_ranking", **asked)
    assert explained == deck.good("explain_ranking", **asked)
    assert explained["result"].keys() == {"path", "line_start", "line_end", "kind", "name", "source_layer"}
    scoring = dict(explained["scoring"])
    total = scoring.pop("total")
    assert total == pytest.approx(sum(scoring.values()))
    assert total == pytest.approx(best["score"])
    top = {"exact_match": 0.2, "qualified_name": 0.1, "path_affinity": 0.1, "definition_boost": 0.15}
    for part, most in {**top, "kind_match": 0.05, "bm25": 100.0}.items():
        assert 0.0 <= scoring.pop(part) <= most
    assert scoring == {}
    assert explained["scoring_details"].keys() == {
        "bm25_source",
        "exact_match_reason",
        "qualified_name_reason",
        "path_affinity_reason",
        "definition_boost_reason",
        "kind_match_reason",
    }


def test_refs_are_listed_and_switched(deck: CodeDeck) -> None:
    deck.good("index_repo", ref="feat/oauth2")
    listed = deck.good("list_refs")
    assert listed["vcs_mode"] is True
    assert listed["total_refs"] == len(listed["refs"])
    by_name = {ref["ref"]: ref for ref in listed["refs"]}
    assert by_name["main"]["is_default"] is True
    assert by_name["main"]["merge_base_commit"] is None
    branch = by_name["feat/oauth2"]
    assert branch["is_default"] is False
    assert branch["merge_base_commit"] == by_name["main"]["last_indexed_commit"]
    assert branch["file_count"] == 3
    assert branch["status"] == "active"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", branch["last_accessed_at"])
    switched = deck.good("switch_ref", ref="feat/oauth2")
    assert (switched["ref"], switched["previous_ref"]) == ("feat/oauth2", "main")
    assert switched["last_indexed_commit"] == branch["last_indexed_commit"]
    assert {"worktree_path", "status"} <= switched.keys()
    assert deck.bad("switch_ref", ref="nowhere")["error"]["code"] == "ref_not_indexed"
    assert deck.good("search_code", query="refresh_token")["metadata"]["ref"] == "feat/oauth2"
    assert deck.good("switch_ref", ref="main")["previous_ref"] == "feat/oauth2"
    assert deck.good("search_code", query="refresh_token")["metadata"]["ref"] == "main"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("diff_context", {"base_ref": "nowhere"}, "ref_not_indexed"),
        ("diff_context", {"head_ref": "--output=x"}, "ref_not_indexed"),
        ("diff_context", {"workspace": "/nowhere"}, "project_not_found"),
        ("diff_context", {"limit": 0}, "invalid_input"),
        ("diff_context", {"limit": "many"}, "invalid_input"),
        ("list_refs", {"workspace": "/"}, "project_not_found"),
        ("find_references", {}, "invalid_input"),
        ("find_references", {"symbol_name": "no_such_name"}, "symbol_not_found"),
        ("find_references", {"symbol_name": "shout", "kind": "uses"}, "invalid_input"),
        ("find_references", {"symbol_name": "shout", "ref": "nowhere"}, "ref_not_indexed"),
        ("explain_ranking", {"query": "x", "result_path": "src/lib.rs"}, "invalid_input"),
        ("switch_ref", {}, "invalid_input"),
        ("get_file_outline", {"path": "../x.py"}, "invalid_input"),
        ("search_code", {"query": "x" * 32_001}, "invalid_input"),
    ],
)
def test_errors_are_the_contracts(deck: CodeDeck, tool: str, arguments: dict[str, Any], code: str) -> None:
    error = deck.bad(tool, **arguments)["error"]
    assert error["code"] == code
    assert error["message"]
    assert isinstance(error["data"], dict)


def test_no_result_there(deck: CodeDeck) -> None:
    asked = {"query": "shout", "result_path": "tools/report.py"}
    assert deck.bad("explain_ranking", **asked, result_line_start=9)["error"]["code"] == "result_not_found"
    asked = {"query": "shout", "result_path": "tools/report.py", "result_line_start": 8}
    assert deck.bad("explain_ranking", **asked, language="rust")["error"]["code"] == "result_not_found"


def test_a_folder_without_git_is_live(own_ground: Ground) -> None:
    import shutil

    shutil.rmtree(own_ground.root / ".git")
    deck = CodeDeck(own_ground.door("process", "--decks", "code"))
    deck.good("index_repo")
    listed = deck.good("list_refs")
    assert listed["vcs_mode"] is False
    (ref,) = listed["refs"]
    assert (ref["ref"], ref["is_default"], ref["last_indexed_commit"]) == ("live", True, None)
    assert deck.good("locate_symbol", name="shout")["metadata"]["ref"] == "live"


def test_a_workspace_that_is_gone_is_no_project(own_ground: Ground) -> None:
    deck = CodeDeck(own_ground.door("process", "--decks", "code"))
    deck.good("index_repo")
    away = own_ground.root.rename(own_ground.root.with_name("away"))
    error = deck.bad("find_references", symbol_name="shout")["error"]
    assert (error["code"], "is gone" in error["message"]) == ("project_not_found", True)
    away.rename(own_ground.root)
    assert deck.good("locate_symbol", name="shout")["results"]
