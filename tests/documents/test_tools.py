"""read_context, read_doc and the vault tools as a client sees them."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuedeck.documents.freshness import Freshness
from cuedeck.documents.reader import missing_document
from cuedeck.mcp.decks import context_documents, vault_files
from cuedeck.mcp.tool import Answer, Call
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import ANONYMOUS
from cuedeck.workspace import Workspace

TOOLS = {tool.name: tool for tool in (*context_documents.TOOLS, *vault_files.TOOLS)}
AUTH = """---
title: Authentication
tags: [auth, security/web]
type: guide
status: active
---
# Authentication

intro [[tokens]] and [x](../README.md), [[tokens|again]]

## Login Flow
The user signs in with a password. #login

```
## not a heading
```

## OAuth Configuration

Set the client id.


"""
CARD = '---\ntitle: Fix login\npriority: High\nassignee: "@Ann"\ntags: [auth]\nstatus: active\n---\nbody\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "docs/auth.md": AUTH,
        "docs/tokens.md": "# Tokens\n\nJWT refresh. [[auth#Login Flow]] [[nowhere]]\n",
        "README.md": "# Read me\n",
        "src/auth.py": "class Verifier:\n    def verify_token(self, token):\n        return token\n",
        ".cuedeck/cards/abc123.md": CARD,
        ".obsidian/hidden.md": "login",
        ".cuedeck/config.toml": "[core]\ntoken_limit = 400\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace.open(root, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as opened:
        yield opened


def call(workspace: Workspace, name: str, **arguments: Any) -> Answer:
    tool = TOOLS[name]
    answer = tool.handler(Call(workspace, ANONYMOUS, tool.arguments.model_validate(arguments)))
    json.dumps(answer.value, allow_nan=False)
    return answer


def failure(workspace: Workspace, name: str, **arguments: Any) -> CueError:
    with pytest.raises(CueError) as caught:
        call(workspace, name, **arguments)
    return caught.value


def found(workspace: Workspace, query: str, **more: Any) -> list[str]:
    return [hit["path"] for hit in call(workspace, "read_context", query=query, mode="keyword", **more).value]


def test_read_context_finds_documents_cards_and_source(workspace: Workspace) -> None:
    answer = call(workspace, "read_context", query="login flow", mode="keyword")
    first = answer.value[0]
    assert first["path"] == "docs/auth.md"
    assert first["hash"] == hashlib.sha256(AUTH.encode()).hexdigest()
    assert first["anchors"][0] == "Login Flow"
    assert first["tokens"] > 50
    assert found(workspace, "verify token")[0] == "src/auth.py"
    assert (
        call(workspace, "read_context", query="verify_token", mode="keyword").value[0]["anchors"][0]
        == "verify_token"
    )
    assert found(workspace, "Fix login", limit=1) == [".cuedeck/cards/abc123.md"]
    assert ".obsidian/hidden.md" not in found(workspace, "login", limit=50)


def test_without_a_model_the_answer_is_by_keyword_and_says_why(workspace: Workspace) -> None:
    answer = call(workspace, "read_context", query="login")
    assert answer.value
    assert answer.meta["mode_used"] == "keyword"
    assert answer.meta["pending"] > 0
    assert "switched off" in answer.meta["why"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"tags": ["AUTH"]}, {"docs/auth.md", ".cuedeck/cards/abc123.md"}),
        ({"tags": ["security", "none"]}, {"docs/auth.md"}),
        ({"tags": ["auth"], "priority": "HIGH"}, {".cuedeck/cards/abc123.md"}),
        ({"assignee": "@ann"}, {".cuedeck/cards/abc123.md"}),
        ({"assignee": "@bob"}, set()),
        ({"tags": []}, {"docs/auth.md", ".cuedeck/cards/abc123.md", "docs/tokens.md"}),
    ],
)
def test_filters(workspace: Workspace, filters: dict[str, Any], expected: set[str]) -> None:
    assert set(found(workspace, "login", filters=filters)) == expected


def test_mode_selection() -> None:
    chosen = context_documents.chosen_mode
    assert [chosen(None, False), chosen(None, True), chosen("keyword", True)] == [
        "hybrid",
        "semantic",
        "keyword",
    ]


def test_an_anchor_leads_to_the_section_that_was_found(workspace: Workspace, root: Path) -> None:
    parts = "".join(f"## {name}\n\n### Example\n\nabout {name}\n\n" for name in ("lions", "tigers", "bears"))
    (root / "zoo.md").write_text(f"# Zoo\n\n{parts}")
    hit = call(workspace, "read_context", query="tigers example", mode="keyword").value[0]
    content = call(workspace, "read_doc", path="zoo.md", anchor=hit["anchors"][0]).value["content"]
    assert content == "### Example\n\nabout tigers"


@pytest.mark.parametrize("text", ["", " \n\n", "\ufeff"])
def test_a_note_that_says_nothing_yet_is_found_by_its_name(
    workspace: Workspace, root: Path, text: str
) -> None:
    (root / "docs" / "Redis.md").write_text(text, encoding="utf-8")

    (found,) = call(workspace, "read_context", query="redis", mode="keyword").value

    assert (found["path"], found["anchors"]) == ("docs/Redis.md", [])


def test_a_page_that_tests_read_stands_behind_one_for_people(workspace: Workspace, root: Path) -> None:
    for path in ("tests/fixtures/page.md", "docs/page.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("# Quokka\n\nWhere quokkas live.\n" + "Filler. " * (path[0] == "d"))
    assert found(workspace, "where do quokkas live") == ["docs/page.md", "tests/fixtures/page.md"]
    assert found(workspace, "test of quokkas") == ["tests/fixtures/page.md", "docs/page.md"]


def test_an_edit_is_in_the_next_answer(workspace: Workspace, root: Path) -> None:
    assert found(workspace, "quokka") == []
    (root / "docs" / "tokens.md").write_text("# Tokens\nquokka")
    assert found(workspace, "quokka") == ["docs/tokens.md"]
    (root / "new.md").write_text("another quokka")
    assert sorted(found(workspace, "quokka")) == ["docs/tokens.md", "new.md"]
    (root / "docs" / "tokens.md").unlink()
    assert found(workspace, "quokka") == ["new.md"]


def test_read_doc_whole(workspace: Workspace) -> None:
    value = call(workspace, "read_doc", path="./docs/../docs/auth.md").value
    assert value["path"] == "docs/auth.md"
    assert value["content"] == AUTH.strip()
    assert value["hash"] == hashlib.sha256(AUTH.encode()).hexdigest()
    assert (value["anchor"], value["line_range"]) == (None, None)


def test_read_doc_section(workspace: Workspace) -> None:
    value = call(workspace, "read_doc", path="docs/auth.md", anchor="login-flow").value
    assert value["content"].startswith("## Login Flow\nThe user")
    assert value["content"].endswith("```")
    assert value["line_range"] == {"start": 11, "end": 16}
    assert value["hash"] == hashlib.sha256(value["content"].encode()).hexdigest()
    assert value["anchor"] == "login-flow"
    lines = AUTH.split("\n")
    assert "\n".join(lines[10:16]) == value["content"]


def test_read_doc_is_cached_until_the_file_changes(workspace: Workspace, root: Path) -> None:
    import os

    os.utime(root / "README.md", ns=(1, 1))
    import time

    time.sleep(0.06)
    assert [call(workspace, "read_doc", path="README.md").value["cached"] for _ in range(2)] == [False, True]
    (root / "README.md").write_text("# Other\n")
    value = call(workspace, "read_doc", path="README.md").value
    assert (value["content"], value["cached"]) == ("# Other", False)


def test_of_equally_near_files_the_first_by_name_is_suggested() -> None:
    for order in (["doc/b.md", "doc/a.md", "doc/É.md"], ["doc/É.md", "doc/a.md", "doc/b.md"]):
        assert missing_document("doc/x.md", order).data["suggestion"] == "Did you mean 'doc/a.md'?"


def test_an_ending_alone_makes_no_file_near() -> None:
    for path in ("nope.md", "~/x.md"):
        assert "suggestion" not in missing_document(path, ["notes/a.md", "b.md"]).data
    alike = ["a/README.md", "README.md", "guides/README.md"]
    assert missing_document("REDME.md", alike).data["suggestion"] == "Did you mean 'README.md'?"
    assert missing_document("guide/README.md", alike).data["suggestion"] == "Did you mean 'guides/README.md'?"
    near = missing_document("docs/missing.md", ["docs/existing.md"])
    assert near.data["suggestion"] == "Did you mean 'docs/existing.md'?"


def test_read_doc_errors(workspace: Workspace, root: Path) -> None:
    missing = failure(workspace, "read_doc", path="docs/auht.md")
    assert (missing.code, missing.message) == (ErrorCode.NOT_FOUND, "File Not Found")
    assert missing.data["suggestion"] == "Did you mean 'docs/auth.md'?"
    anchor = failure(workspace, "read_doc", path="docs/auth.md", anchor="Login Flaw")
    assert anchor.code is ErrorCode.NOT_FOUND
    assert anchor.data["available_anchors"] == ["Authentication", "Login Flow", "OAuth Configuration"]
    assert anchor.data["suggestion"] == "Did you mean 'Login Flow'?"
    part = failure(workspace, "read_doc", path="docs/auth.md", anchor="oauth")
    assert part.data["suggestion"] == "Did you mean 'OAuth Configuration'?"
    other = failure(workspace, "read_doc", path="docs/auth.md", anchor="!?")
    assert "suggestion" not in other.data
    assert failure(workspace, "read_doc", path="src/auth.py").code is ErrorCode.VALIDATION
    assert failure(workspace, "read_doc", path="../x.md").code is ErrorCode.PATH_REFUSED
    assert failure(workspace, "read_doc", path=".cuedeck/config.toml").code is ErrorCode.PATH_REFUSED
    (root / "latin.md").write_bytes(b"caf\xe9")
    assert failure(workspace, "read_doc", path="latin.md").code is ErrorCode.VALIDATION


def test_read_doc_beyond_the_limit_names_what_would_fit(workspace: Workspace, root: Path) -> None:
    long = "word " * 500
    (root / "long.md").write_text(f"# Top\n{long}\n## Small\nfits\n## Large\n{long}\n### Inner\nfits too\n")
    whole = failure(workspace, "read_doc", path="long.md")
    assert (whole.code, whole.data["limit"]) == (ErrorCode.TOKEN_LIMIT, 400)
    assert whole.data["current_size"] > 1000
    assert whole.data["anchors"] == ["Small", "Inner"]
    part = failure(workspace, "read_doc", path="long.md", anchor="Large")
    assert part.data["anchors"] == ["Inner"]
    assert (
        call(workspace, "read_doc", path="long.md", anchor="Inner").value["content"] == "### Inner\nfits too"
    )


def test_of_many_headings_the_first_fifty_that_fit_are_named(workspace: Workspace, root: Path) -> None:
    title = "a title that goes on and on " * 4
    text = "".join(f"## {title}{number}\nword word\n## Same\nx\n## Part {number}\n" for number in range(60))
    (root / "many.md").write_text(text)
    named = failure(workspace, "read_doc", path="many.md").data["anchors"]
    assert named[:5] == [title[:100], "Same", "Part 0", "same-1", "Part 1"]
    assert len(named) == 50
    part = call(workspace, "read_doc", path="many.md", anchor=named[0]).value
    assert part["line_range"] == {"start": 1, "end": 2}


def test_query_files(workspace: Workspace) -> None:
    everything = call(workspace, "query_files").value
    assert [file["path"] for file in everything["files"]] == ["README.md", "docs/auth.md", "docs/tokens.md"]
    assert (everything["total"], everything["hasMore"]) == (3, False)
    page = call(workspace, "query_files", directory="docs", limit=1, offset=1).value
    assert [file["path"] for file in page["files"]] == ["docs/tokens.md"]
    assert (page["total"], page["limit"], page["offset"], page["hasMore"]) == (2, 1, 1, False)
    one = call(workspace, "query_files", type="guide", status="active", tag="security").value["files"]
    assert [(file["type"], file["tags"]) for file in one] == [("guide", ["auth", "login", "security/web"])]
    assert call(workspace, "query_files", type="guide", status="draft").value["total"] == 0
    assert call(workspace, "query_files", directory=".cuedeck/cards").value["total"] == 0
    assert failure(workspace, "query_files", directory="../docs").data["field"] == "directory"


@pytest.mark.parametrize(("given", "applied"), [(0, 1), (-5, 1), (9999, 500), (2.7, 2)])
def test_limits_are_clamped(workspace: Workspace, given: float, applied: int) -> None:
    assert call(workspace, "query_files", limit=given, offset=-3).value["limit"] == applied
    assert call(workspace, "query_files", limit=given, offset=-3).value["offset"] == 0


@pytest.mark.parametrize("offset", [2**63, 10**30, 1e300])
def test_an_offset_beyond_everything_is_an_empty_page(workspace: Workspace, offset: float) -> None:
    page = call(workspace, "query_files", offset=offset).value
    assert (page["files"], page["total"], page["hasMore"]) == ([], 3, False)


def test_get_file_and_links(workspace: Workspace) -> None:
    value = call(workspace, "get_file", path="docs/auth.md").value
    assert value["links"] == {"outgoing": ["README.md", "docs/tokens.md"], "incoming": ["docs/tokens.md"]}
    assert value["frontmatter"]["title"] == "Authentication"
    assert (value["size"], value["created"] > 10**12, value["modified"] > 10**12) == (len(AUTH), True, True)
    links = call(workspace, "search_links", path="docs/tokens.md", direction="outgoing").value
    assert links == {
        "path": "docs/tokens.md",
        "outgoing": ["docs/auth.md"],
        "incoming": [],
        "count": {"outgoing": 1, "incoming": 0, "total": 1},
        "unresolved": ["nowhere"],
    }


@pytest.mark.parametrize("tool", ["get_file", "get_file_content", "search_links"])
def test_paths_of_the_vault(workspace: Workspace, tool: str) -> None:
    missing = failure(workspace, tool, path="docs/token")
    assert (missing.code, missing.data["suggestion"]) == (
        ErrorCode.NOT_FOUND,
        "Did you mean 'docs/tokens.md'?",
    )
    assert failure(workspace, tool, path=".cuedeck/cards/abc123.md").code is ErrorCode.NOT_FOUND
    assert failure(workspace, tool, path="../../etc/passwd").code is ErrorCode.PATH_REFUSED


def test_content_is_what_is_on_disk(workspace: Workspace, root: Path) -> None:
    (root / "crlf.md").write_bytes("\ufeffa\r\nü".encode())
    answer = call(workspace, "get_file_content", path="crlf.md")
    assert answer.value == {"path": "crlf.md", "content": "\ufeffa\r\nü", "size": 8, "encoding": "utf-8"}
    assert answer.cache_hit is False
    (root / "bad.md").write_bytes(b"\xff")
    assert failure(workspace, "get_file_content", path="bad.md").code is ErrorCode.VALIDATION


def test_tags(workspace: Workspace) -> None:
    value = call(workspace, "search_tags", tag="#Security").value
    assert (value["tag"], value["count"]) == ("#Security", 1)
    assert set(value["files"][0]) == {"path", "type", "status", "frontmatter", "modified"}
    assert call(workspace, "search_tags", tag="none").value["files"] == []
    assert failure(workspace, "search_tags", tag=" # ").code is ErrorCode.VALIDATION


def test_statistics(workspace: Workspace) -> None:
    value = call(workspace, "get_stats").value
    assert (value["totalFiles"], value["totalTags"], value["totalLinks"]) == (3, 3, 4)
    assert (value["filesByType"], value["filesByStatus"]) == ({"guide": 1}, {"active": 1})
    assert value["topTags"][0] == {"tag": "auth", "count": 1}
    assert value["lastUpdated"] > 10**12
    assert "leftOut" not in value


def test_statistics_name_the_notes_that_are_not_searched(root: Path, workspace: Workspace) -> None:
    (root / "latin.md").write_bytes(b"caf\xe9")
    (root / "bell\x07.md").write_text("# Bell\n")
    value = call(workspace, "get_stats").value
    assert value["totalLeftOut"] == 2
    reasons = {each["path"]: each["reason"] for each in value["leftOut"]}
    assert reasons == {
        "latin.md": "not UTF-8 at byte 3",
        "bell\\x07.md": "its name is not UTF-8 or holds control characters",
    }


def test_while_the_first_look_is_under_way_what_was_read_so_far_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.documents.index._BATCH", 1)
    monkeypatch.setattr("cuedeck.documents.workers._SHORTEST", 1)
    monkeypatch.setattr(Freshness, "ensure", lambda *_: False)
    notes = {f"{name}.md" for name in ("otter", "badger", "heron")}
    for name in notes:
        (tmp_path / name).write_text("# Animal\n")
    settle(tmp_path)
    reached, go_on = threading.Event(), threading.Event()

    def stop(done: int, _total: int) -> None:
        if done == 1:
            reached.set()
            go_on.wait(30)

    with Workspace.open(tmp_path, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as workspace:
        look = threading.Thread(target=workspace.documents.refresh, args=(stop,))
        look.start()
        try:
            assert reached.wait(30)
            answer = call(workspace, "read_context", query="animal", mode="keyword")
            assert answer.indexing
            (read,) = (hit["path"] for hit in answer.value)
            assert call(workspace, "get_file", path=read).indexing
            unread = min(notes - {read})
            assert failure(workspace, "get_file", path=unread).code is ErrorCode.UNAVAILABLE
            (tmp_path / read).write_text("# Another animal\n")
            assert found(workspace, "animal") == []
        finally:
            go_on.set()
            look.join()
        assert call(workspace, "get_file", path=unread).value["path"] == unread


def settle(root: Path) -> None:
    """Make files look old enough to be trusted by their times."""
    for path in root.iterdir():
        os.utime(path, (0, 0))
    time.sleep(0.06)


HOSTILE = [
    "\x00",
    "'; DROP TABLE documents; --",
    '"',
    "*",
    "NEAR(",
    "a AND",
    "%",
    "😀" * 50,
    "\u202e",
    "-",
    "()",
    "^",
    "…",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_are_only_strings(workspace: Workspace, text: str) -> None:
    call(workspace, "read_context", query=text, filters={"tags": [text], "priority": text, "assignee": text})
    for name, arguments in (
        ("query_files", {"type": text, "status": text, "tag": f"x{text}"}),
        ("search_tags", {"tag": f"x{text}"}),
    ):
        try:
            call(workspace, name, **arguments)
        except CueError as error:
            assert error.code is ErrorCode.VALIDATION
    for tool in ("read_doc", "get_file", "get_file_content"):
        assert failure(workspace, tool, path=f"{text}.md").code in (
            ErrorCode.PATH_REFUSED,
            ErrorCode.NOT_FOUND,
        )
