"""What search_code finds, on any ref and in the files as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.code.conftest import Repo

from cuedeck.code.engine import Code, View
from cuedeck.code.search.ranking import Query, Ranking
from cuedeck.code.search.searching import explain, search

Open = Callable[[Path], Code]

PARSER = '''"""Reading of settings."""

LIMIT = 3


class SettingsParser:
    """Parse a settings file into a dictionary."""

    depth = 1

    def parse_line(self, line):
        """Split one line at the first equals sign."""
        return line.split("=", 1)


def parse_settings(path):
    """Read every line of a file and parse it."""
    return [SettingsParser().parse_line(line) for line in open(path)]
'''


@pytest.fixture
def code(repo: Repo, open_code: Open) -> Code:
    repo.put("config/parser.py", PARSER)
    repo.put("vendor/copy/parser.py", "def parse_settings(path):\n    return path\n")
    repo.put("tests/test_parser.py", "def test_parse_settings():\n    assert parse_settings('x')\n")
    repo.put("web/list.py", "def list(request):\n    return request\n")
    repo.put("web/views.py", "def show_list_of_users(request):\n    '''Show the users.'''\n    return 1\n")
    repo.commit()
    return open_code(repo.root)


def names(view: View, text: str, **filters: str) -> list[str]:
    found = search(view, Query(text, **filters), limit=10)
    return [f"{hit.scored.record.path}:{hit.scored.record.name}" for hit in found.hits]


def test_more_files_than_are_remembered_are_found_after_an_edit(
    code: Code, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.code.search.lexicon._KEPT_TEXTS", 2)
    before = names(code.view(), "parse_settings")
    repo.put("web/list.py", "def listed(request):\n    return request\n")
    assert names(code.view(), "parse_settings") == before


def test_tests_inside_a_file_stand_behind_what_they_test(code: Code, repo: Repo) -> None:
    repo.put(
        "src/summary.rs",
        "pub fn parse_summary(text: &str) -> u8 { split_into(text, chapters, 1) }\n"
        "#[cfg(test)]\nmod tests {\n    fn parse_summary_works() { into(chapters, chapters) }\n}\n",
    )
    assert names(code.view(), "parse a summary into chapters")[0] == "src/summary.rs:parse_summary"
    for query, boost, less in (("parse summary", 0.0, True), ("tests that parse a summary", 0.15, False)):
        told = explain(code.view(), Query(query), "src/summary.rs", 4)
        assert told.record.name == "parse_summary_works"
        assert told.scoring["definition_boost"] == boost
        assert ("70% of it in a test" in told.reasons["bm25_source"]) == less


def test_tests_in_a_module_called_after_what_it_tests_stand_behind_it(code: Code, repo: Repo) -> None:
    repo.put(
        "src/lib.rs",
        "pub fn parse_summary(text: &str) -> Summary { into(text) }\n\n"
        "#[cfg(test)]\nmod summary_tests {\n    fn parse_summary() { into(text) }\n}\n",
    )
    found = search(code.view(), Query("parse summary"), limit=10).hits
    assert [hit.scored.record.qualified_name for hit in found][:2] == [
        "lib::parse_summary",
        "lib::summary_tests::parse_summary",
    ]
    assert found[0].scored.total > found[1].scored.total + 0.15


def test_the_line_that_names_a_module_of_rust_stands_behind_what_is_in_it(code: Code, repo: Repo) -> None:
    repo.put("src/main.rs", "mod walk;\n\nfn main() { walk::scan(1); }\n")
    repo.put(
        "src/walk.rs",
        "/// What each thread knows that walks folders.\npub struct State {\n    depth: u32,\n}\n\n"
        "pub fn scan(threads: u32) -> u32 { threads }\n",
    )
    view, query = code.view(), Query("walk folders")
    assert names(view, query.text)[0] == "src/walk.rs:State"
    line = explain(view, query, "src/main.rs", 1, limit=50)
    assert line.scoring["definition_boost"] == 0.0
    assert line.reasons["definition_boost_reason"] == "a namespace, in a line that names another file"


def test_declarations_stand_behind_the_code_they_describe(code: Code, repo: Repo) -> None:
    repo.put("a/command.d.ts", "export class Command {\n  /** Add an option. */\n  addOption(): this\n}\n")
    repo.put("lib/command.js", "class Command {\n  /** Add an option. */\n  addOption() { return this }\n}\n")
    assert names(code.view(), "add an option")[0] == "lib/command.js:addOption"
    told = explain(code.view(), Query("add an option"), "a/command.d.ts", 3)
    assert told.scoring["definition_boost"] == 0.0
    # Where code is TypeScript a declaration is like any other.
    for name in ("one", "two"):
        repo.put(f"lib/{name}.ts", "export {}\n")
    told = explain(code.view(), Query("add an option"), "a/command.d.ts", 3)
    assert told.scoring["definition_boost"] == 0.13


def test_an_exact_name_comes_first_and_copies_last(code: Code) -> None:
    found = names(code.view(), "parse_settings")
    assert found[0] == "config/parser.py:parse_settings"
    assert found.index("vendor/copy/parser.py:parse_settings") > found.index(
        "config/parser.py:parse_settings"
    )


def test_the_beginning_of_a_name_is_enough(code: Code) -> None:
    assert names(code.view(), "parse_sett")[0] == "config/parser.py:parse_settings"
    assert names(code.view(), "SettingsPar")[0] == "config/parser.py:SettingsParser"


def test_members_are_found_by_name(code: Code) -> None:
    assert "config/parser.py:depth" in names(code.view(), "depth")


def test_a_word_of_a_question_that_happens_to_be_a_name_does_not_win(code: Code) -> None:
    assert names(code.view(), "show the list of all users")[0] == "web/views.py:show_list_of_users"


def test_a_qualified_name_is_understood(code: Code) -> None:
    assert names(code.view(), "SettingsParser.parse_line")[0] == "config/parser.py:parse_line"


def test_filters_hold(code: Code) -> None:
    assert names(code.view(), "parse", path_filter="vendor/") == ["vendor/copy/parser.py:parse_settings"]
    assert set(names(code.view(), "settings", kind="class")) == {"config/parser.py:SettingsParser"}
    assert names(code.view(), "parse settings", language="go") == []


def test_the_snippet_is_the_head_of_the_symbol(code: Code) -> None:
    hit = search(code.view(), Query("parse_line"), limit=1).hits[0]
    assert hit.snippet.splitlines()[0].strip() == "def parse_line(self, line):"


def test_quick_totals_are_those_that_are_explained(code: Code) -> None:
    view = code.view()
    for text in (
        "parse settings line",
        "parse_settings",
        "SettingsParser.parse_line",
        "parse",
        "test settings",
    ):
        ranking = Ranking(view.snapshot, Query(text))
        for path in view.snapshot.files:
            for number in range(-1, len(view.snapshot.outline(path).definitions)):
                candidate = ranking.candidate(path, number)
                assert ranking.total(candidate) == ranking.explained(candidate).total


def test_no_symbol_scores_higher_than_its_bound(code: Code, repo: Repo) -> None:
    repo.put("web/meta.py", "class HasUpdate:\n    class Meta:\n        pass\n\ndef is_in_meta(): pass\n")
    view = code.view()
    for text in (
        "parse settings line",
        "parse_settings",
        "parse",
        "show the list of users",
        "the Meta of HasUpdate",
        "meta is_in_meta",
    ):
        ranking = Ranking(view.snapshot, Query(text))
        promised = list(ranking._promising(ranking.matched, 1000))
        assert promised == sorted(promised, key=lambda pair: -pair[0])
        assert promised
        for bound, candidate in promised:
            assert ranking.total(candidate) <= bound


def test_an_answer_depends_on_its_ref_alone(repo: Repo, open_code: Open, code: Code) -> None:
    queries = ("parse settings", "parse_line", "users", "request", "split equals sign")
    alone = [[hit.scored for hit in search(code.view(), Query(q), limit=20).hits] for q in queries]
    repo.git("checkout", "-q", "-b", "other")
    for number in range(30):
        repo.put(f"more/part{number}.py", f"def parse_settings_{number}(users):\n    return users\n")
    repo.commit()
    busy = open_code(repo.root)
    busy.view("other")
    assert [
        [hit.scored for hit in search(busy.view("main"), Query(q), limit=20).hits] for q in queries
    ] == alone
    assert any("more/" in name for name in names(busy.view("other"), "parse settings"))


def test_unsaved_work_is_found_and_what_is_gone_is_not(repo: Repo, code: Code) -> None:
    assert names(code.view(), "freshly_written") == []
    repo.put("web/list.py", "def freshly_written(request):\n    return request\n")
    assert names(code.view(), "freshly_written")[0] == "web/list.py:freshly_written"
    assert "web/list.py:list" not in names(code.view(), "list request", kind="fn")
    (repo.root / "web/list.py").unlink()
    assert names(code.view(), "freshly_written") == []


def test_many_edits_leave_the_same_answers_as_one_index(repo: Repo, open_code: Open, code: Code) -> None:
    for number in range(40):
        repo.put("web/views.py", f"def view_{number}(request):\n    return 'settings'\n")
        code.view()
    repo.put("web/views.py", "def last_view(request):\n    return 'settings'\n")
    fresh = open_code(repo.root)
    for text in ("view", "settings", "request", "parse settings"):
        mine = [hit.scored for hit in search(code.view(), Query(text), limit=20).hits]
        assert mine == [hit.scored for hit in search(fresh.view(), Query(text), limit=20).hits]
        assert mine


def test_an_explanation_is_the_score_that_was_given(code: Code) -> None:
    view = code.view()
    for hit in search(view, Query("parse a settings file"), limit=10).hits:
        record = hit.scored.record
        told = explain(view, Query("parse a settings file"), record.path, record.line_start)
        assert told.total == hit.scored.total
