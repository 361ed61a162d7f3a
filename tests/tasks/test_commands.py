"""The command line over cards, agent tasks, todos and tokens, as a person types it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jwt
import pytest

from cuedeck.cli import main

ME = "123e4567-e89b-12d3-a456-426614174000"
SECRET = "0123456789abcdef0123456789abcdef"


class Terminal:
    """Types commands into one workspace and reads what they print."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def type(self, *words: str) -> tuple[int, str, str]:
        code = main([*words, "--workspace", str(self.root)])
        out, err = self._capsys.readouterr()
        return code, out, err

    def json(self, *words: str) -> Any:
        code, out, err = self.type(*words, "--json")
        assert code == 0, err
        return json.loads(out)


@pytest.fixture
def terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    (tmp_path / ".cuedeck").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CUEDECK_USER", raising=False)
    return Terminal(tmp_path, capsys)


def test_a_card_from_new_to_archive(terminal: Terminal) -> None:
    base = terminal.json("card", "new", "Base", "--tag", "a", "--tag", "b", "--assignee", "ann")
    assert (base["tags"], base["assignee"], base["status"]) == (["a", "b"], "ann", "todo")
    top = terminal.json("card", "new", "Top", "--depends-on", base["id"], "--priority", "high")
    assert [card["title"] for card in terminal.json("card", "list")] == ["Top", "Base"]
    assert [card["title"] for card in terminal.json("card", "list", "--ready")] == ["Base"]
    assert [card["id"] for card in terminal.json("card", "deps", base["id"], "-r")["tasks"]] == [top["id"]]
    edited = terminal.json("card", "edit", base["id"], "--status", "done", "--note", "went well")
    assert edited["status"] == "done"
    assert "went well" in terminal.json("card", "show", base["id"])["body"]
    assert terminal.json("card", "archive", base["id"])[0]["status"] == "archived"
    assert terminal.type("card", "graph", "--format", "dot")[1].startswith("digraph")


def test_archiving_by_age_takes_only_old_done_cards(terminal: Terminal) -> None:
    cards = terminal.root / ".cuedeck" / "cards"
    cards.mkdir()
    (cards / "aaaaaa.md").write_text("---\ntitle: old\nstatus: done\nupdated: 2020-01-01\n---\n")
    (cards / "bbbbbb.md").write_text("---\ntitle: open\nstatus: todo\nupdated: 2020-01-01\n---\n")
    terminal.json("card", "new", "fresh")
    assert [card["id"] for card in terminal.json("card", "archive", "--older-than", "30d")] == ["aaaaaa"]


def test_validate_names_what_is_wrong_and_fails(terminal: Terminal) -> None:
    cards = terminal.root / ".cuedeck" / "cards"
    cards.mkdir()
    (cards / "aaaaaa.md").write_text("---\ntitle: a\ndepends_on: [bbbbbb, nosuch]\n---\n")
    (cards / "bbbbbb.md").write_text("---\ntitle: b\ndepends_on: [aaaaaa]\n---\n")
    (cards / "cccccc.md").write_text("---\ntitle: [\n---\n")
    code, out, _ = terminal.type("card", "validate")
    assert code == 1
    for expected in ("aaaaaa → bbbbbb → aaaaaa", "nosuch", "cccccc.md"):
        assert expected in out


def test_the_board_shows_columns(terminal: Terminal) -> None:
    terminal.json("card", "new", "Ready work")
    code, out, _ = terminal.type("card", "board")
    assert code == 0
    assert "Ready (1)" in out
    assert "Ready work" in out


def test_a_title_cannot_steer_the_terminal(terminal: Terminal) -> None:
    terminal.json("card", "new", "\x1b[2J \x1b]0;owned\x07 \u202e")
    for words in (("card", "list"), ("card", "board")):
        out = terminal.type(*words)[1]
        assert "0;owned" in out
        assert "\x1b]" not in out
        assert "\x1b[2J" not in out
        assert "\u202e" not in out


def test_an_unknown_card_is_a_sentence_and_exit_code_1(terminal: Terminal) -> None:
    code, _, err = terminal.type("card", "show", "nosuch")
    assert code == 1
    assert "nosuch" in err


@pytest.mark.parametrize(
    "words",
    [
        ("card", "list", "--created", "soon"),
        ("card", "archive", "--older-than", "soon"),
        ("todo", "add", "Milk", "--due", "soon", "--user", ME),
        ("memory", "search", "milk", "--as-of", "soon"),
    ],
)
def test_a_wrong_date_is_a_wrong_command_line(terminal: Terminal, words: tuple[str, ...]) -> None:
    code, _, err = terminal.type(*words, "--json")
    assert (code, json.loads(err)["error"]["data"]["option"]) == (2, words[words.index("soon") - 1])


def test_a_wrong_age_names_what_an_age_looks_like(terminal: Terminal) -> None:
    code, _, err = terminal.type("card", "archive", "--older-than", "5x")
    assert code == 2 and "'30d'" in err and ">2w" not in err


def test_an_editor_that_fails_fails_the_command(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    card = terminal.json("card", "new", "Base")["id"]
    monkeypatch.delenv("VISUAL", raising=False)
    for editor, expected in (("true", 0), ("false", 1)):
        monkeypatch.setenv("EDITOR", editor)
        code, _, err = terminal.type("card", "edit", card)
        assert code == expected and ("exit code 1" in err) == (expected == 1)


@pytest.mark.parametrize("words", [("next", "--claim", "ann"), ("renew", "T-1", "--agent", "ann")])
def test_a_lease_lasts_a_week_at_most(terminal: Terminal, words: tuple[str, ...]) -> None:
    assert terminal.type("task", *words, "--lease", "604801")[0] == 2


def test_an_agent_task_from_new_to_done(terminal: Terminal) -> None:
    epic = terminal.json("task", "new", "CA", "Epic", "--epic")["task_id"]
    first = terminal.json("task", "new", "CA", "First", "--parent", epic, "--exclusive", "src/")["task_id"]
    second = terminal.json("task", "new", "CA", "Second", "--depends-on", first)["task_id"]
    assert terminal.type("task", "next", "--claim", "")[0] == 2
    assert terminal.json("task", "next", "--claim", "ann")["task"]["agent"] == "ann"
    assert terminal.json("task", "renew", first, "--agent", "ann")["status"] == "in_progress"
    assert "waiting for dependencies" in terminal.json("task", "next")["reason"]
    assert terminal.json("task", "done", first, "--summary", "ok")["unblocked"] == [second]
    assert terminal.json("task", "block", second, "no key")["block_reason"] == "no key"
    assert terminal.json("task", "release", second)["status"] == "pending"
    assert terminal.json("task", "progress")["done"] == 1
    assert [task["status"] for task in terminal.json("task", "list", "--type", "epic")] == ["done"]
    assert second in terminal.type("task", "graph")[1]
    assert "Second" in terminal.type("task", "show", second)[1]


def test_todos_belong_to_the_local_user(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = terminal.type("todo", "add", "x")
    assert code == 1
    assert "CUEDECK_USER" in err
    offered = re.search(r"config.toml: (user.id = .+)", err)
    assert offered
    (terminal.root / ".cuedeck/config.toml").write_text(offered[1])
    assert terminal.json("todo", "list")["total"] == 0
    monkeypatch.setenv("CUEDECK_USER", ME)
    made = terminal.json("todo", "add", "Buy milk", "--due", "2026-12-01")
    assert terminal.json("todo", "done", "milk")["id"] == made["id"]
    assert terminal.json("todo", "list")["total"] == 0
    assert terminal.json("todo", "done", made["id"], "--not")["status"] == "incomplete"
    edited = terminal.json("todo", "edit", "milk", "--due", "", "--description", "two litres")
    assert (edited["due_date"], edited["description"]) == (None, "two litres")
    assert terminal.json("todo", "rm", "milk")["deleted_count"] == 1
    assert terminal.json("todo", "undo")["undone"] == "deleting 'Buy milk'"
    other = "123e4567-e89b-12d3-a456-426614174001"
    assert terminal.json("todo", "list", "--user", other)["total"] == 0
    assert "Buy milk" in terminal.type("todo", "list")[1]


def test_a_token_needs_a_secret_of_our_own(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal.type("token", "--user", ME)[0] == 101
    monkeypatch.setenv("CUEDECK_AUTH__JWKS", "keys.json")
    code, _, err = terminal.type("token", "--user", ME)
    assert code == 101
    assert "issuer" in err


def test_a_development_token_is_what_the_server_accepts(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cuedeck.config.sections import AuthSection
    from cuedeck.mcp.auth import token_verifier

    monkeypatch.setenv("CUEDECK_AUTH__JWT_SECRET", SECRET)
    monkeypatch.setenv("CUEDECK_AUTH__ISSUER", "https://issuer.example")
    monkeypatch.setenv("CUEDECK_AUTH__AUDIENCE", "cuedeck")
    token = terminal.json("token", "--user", ME, "--hours", "1")["token"]
    settings = AuthSection(jwt_secret=SECRET, issuer="https://issuer.example", audience="cuedeck")
    verifier = token_verifier(settings, terminal.root)
    assert verifier is not None
    assert verifier.verify(token).principal.subject == ME
    assert jwt.get_unverified_header(token)["alg"] == "HS256"
    code, out, err = terminal.type("token")
    assert code == 101
    assert "--user" in err
    assert out == ""
