"""A scene holds what matters first, fits its limit, and leaks nothing."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cuedeck.documents import token_counts
from cuedeck.documents.markdown import parse_markdown
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.scene.clipboard import TERMINAL_LIMIT, copy, terminal_sequence
from cuedeck.scene.compose import Scene
from cuedeck.search.tokens import count_tokens
from cuedeck.workspace import Workspace


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def card(root: Path, name: str, status: str = "active", more: str = "", body: str = "") -> None:
    put(root, f".cuedeck/cards/{name}.md", f"---\ntitle: Card {name}\nstatus: {status}\n{more}---\n{body}\n")


def scene(root: Path, limit: int | None = None) -> Scene:
    with Workspace.open(root) as workspace:
        return workspace.scene.build(token_limit=limit)


def order(text: str) -> list[str]:
    return [line[16:-2] for line in text.splitlines() if line.startswith('<document path="')]


def test_active_cards_then_references_by_depth_then_global_documents(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", more='priority: low\nrefs: ["docs/far.md#Part"]\n', body="see [[near]]")
    card(tmp_path, "bbb222", more="priority: critical\ndepends_on: [ccc333, ddd444]\n")
    card(tmp_path, "ccc333", "todo")
    card(tmp_path, "ddd444", "done")
    put(tmp_path, "docs/far.md", "# Far\n## Part\nonly this\n## Other\nnot this\n")
    put(tmp_path, "docs/near.md", "near [[second]]")
    put(tmp_path, "docs/second.md", "second [[third]]")
    put(tmp_path, "docs/third.md", "third")
    put(tmp_path, ".cuedeck/docs/rules.md", "rules")
    made = scene(tmp_path)
    assert order(made.text) == [
        ".cuedeck/cards/bbb222.md",
        ".cuedeck/cards/aaa111.md",
        ".cuedeck/cards/ccc333.md",
        "docs/far.md#Part",
        "docs/near.md",
        "docs/second.md",
        ".cuedeck/docs/rules.md",
    ]
    assert "only this" in made.text
    assert "not this" not in made.text
    assert (made.cards, made.documents, made.left_out) == (2, 5, ())
    assert made.text == scene(tmp_path).text


def test_whole_sections_fill_the_limit_and_the_rest_is_named(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="[[big]] [[small]]")
    sections = [f"## Part {n}\n```python\n{'code = 1' * 40}\n```\n" for n in range(8)]
    put(tmp_path, "big.md", "# Big\n" + "".join(sections))
    put(tmp_path, "small.md", "small " * 20)
    for limit in range(250, 1600, 150):
        made = scene(tmp_path, limit)
        assert count_tokens(made.text) == made.tokens <= limit
        assert made.text.count("```") % 2 == 0
        assert "Left out" in made.text or "left out" in made.text
    put(tmp_path, "small.md", "tiny")
    made = scene(tmp_path, 900)
    assert "big.md#Part 7" in made.text
    assert any(each.name == "big.md#Part 7" for each in made.left_out)


def test_a_scene_that_was_made_before_is_counted_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(tmp_path, "aaa111", body="[[big]]")
    put(tmp_path, "big.md", "# Big\n" + "".join(f"## Part {n}\n{'words ' * 90}\n" for n in range(4)))
    before = [scene(tmp_path), scene(tmp_path, 500)]
    counted: list[str] = []
    monkeypatch.setattr(token_counts, "count_tokens", counted.append)
    assert [scene(tmp_path), scene(tmp_path, 500)] == before
    assert not counted


def test_cards_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="word " * 300)
    with pytest.raises(CueError) as caught:
        scene(tmp_path, 200)
    assert caught.value.code is ErrorCode.TOKEN_LIMIT
    assert caught.value.data["current_size"] > caught.value.data["limit"] == 200
    assert scene(tmp_path, 400).cards == 1


def test_a_cycle_of_references_is_an_error_and_links_may_go_round(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="[[a]]")
    put(tmp_path, "a.md", "[[b]]")
    put(tmp_path, "b.md", "[[a]]")
    assert order(scene(tmp_path).text) == [".cuedeck/cards/aaa111.md", "a.md", "b.md"]
    card(tmp_path, "aaa111", more="refs: [docs/api.md]\n")
    put(tmp_path, "docs/api.md", "---\nrefs: [.cuedeck/cards/aaa111.md]\n---\n")
    with pytest.raises(CueError) as caught:
        scene(tmp_path)
    assert caught.value.code is ErrorCode.CYCLE
    path = caught.value.data["cycle_path"]
    assert path[0] == path[-1]
    assert set(path) == {".cuedeck/cards/aaa111.md", "docs/api.md"}


def test_secrets_are_masked_and_counted(tmp_path: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    card(tmp_path, "aaa111", body=f"use {token} or CODE-1234")
    put(tmp_path, ".cuedeck/config.toml", "[scene]\nsecret_patterns = ['CODE-[0-9]+']\n")
    made = scene(tmp_path)
    assert token not in made.text
    assert "CODE-1234" not in made.text
    assert made.masked == 2


def test_missing_and_forbidden_references_are_named_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(tmp_path, "outside.md", "private")
    card(root, "aaa111", more='refs: [gone.md, ../outside.md, ".cuedeck/config.toml", /etc/passwd]\n')
    put(root, ".cuedeck/config.toml", "[user]\n")
    made = scene(root)
    assert "private" not in made.text
    assert "[user]" not in made.text
    assert "Referenced but not found: " in made.text
    assert order(made.text) == [".cuedeck/cards/aaa111.md"]


def test_a_document_is_shown_once_however_it_is_referred_to(tmp_path: Path) -> None:
    refs = '["./docs/api.md", docs/../docs/api.md, "[[api|the API]]", "[[docs/api]]", docs/api.md]'
    card(tmp_path, "aaa111", more=f"refs: {refs}\n", body="see [[api]]")
    put(tmp_path, "docs/api.md", "# API\n")
    assert order(scene(tmp_path).text) == [".cuedeck/cards/aaa111.md", "docs/api.md"]


def test_an_anchor_that_is_not_there_is_named(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", more='refs: ["docs/api.md#Nope"]\n')
    put(tmp_path, "docs/api.md", "# API\nwhole\n")
    made = scene(tmp_path)
    assert order(made.text) == [".cuedeck/cards/aaa111.md"]
    assert "Referenced but not found: docs/api.md#Nope" in made.text


def test_a_link_that_a_clone_brought_is_not_written_through(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="text")
    put(tmp_path, "README.md", "mine")
    (tmp_path / ".cuedeck" / "SCENE.md").symlink_to(tmp_path / "README.md")
    with Workspace.open(tmp_path) as workspace, pytest.raises(CueError, match="is a link"):
        workspace.scene.write(workspace.scene.build())
    assert (tmp_path / "README.md").read_text() == "mine"


def test_an_empty_workspace_has_an_empty_scene(tmp_path: Path) -> None:
    made = scene(tmp_path)
    assert (made.cards, made.documents) == (0, 0)
    assert parse_markdown(made.text).headings[0].text == "Scene"


def cue(root: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [sys.executable, "-c", "import sys; from cuedeck.cli import main; sys.exit(main())", *arguments],
        cwd=root,
        env={**environ, **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_writes_and_sums_up(tmp_path: Path) -> None:
    card(tmp_path, "aaa111")
    done = cue(tmp_path, "scene")
    assert (done.returncode, done.stdout) == (0, "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert "1 active card" in done.stderr
    assert "no clipboard" in done.stderr
    written = (tmp_path / ".cuedeck" / "SCENE.md").read_text()
    dry = cue(tmp_path, "scene", "--dry-run")
    assert dry.stdout.strip() == written.strip()
    assert cue(tmp_path, "scene", "-d", "--token-limit", "10").returncode == 1


def test_a_clipboard_program_is_used_where_there_is_one(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "wl-copy"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\n")
    program.chmod(0o755)
    environ = {"WAYLAND_DISPLAY": "x", "PATH": f"{program.parent}:{os.environ['PATH']}"}
    card(tmp_path, "aaa111")
    done = cue(tmp_path, "scene", **environ)
    assert "copied with wl-copy" in done.stderr
    assert (tmp_path / "copied").read_text() == (tmp_path / ".cuedeck" / "SCENE.md").read_text()


def test_a_terminal_is_asked_to_copy_when_there_is_no_program(tmp_path: Path) -> None:
    assert terminal_sequence("x" * TERMINAL_LIMIT, {}) is None
    assert terminal_sequence("hi", {}) == b"\x1b]52;c;aGk=\x07"
    assert terminal_sequence("hi", {"TMUX": "1"}) == b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\"
    assert copy("hi", {}) is None or sys.stderr.isatty()
    child, terminal = pty.fork()
    if child == 0:
        code = "from cuedeck.scene.clipboard import copy; print('by', copy('hi', {}))"
        os.execv(sys.executable, [sys.executable, "-c", code])
    seen = b""
    try:
        while b"by the terminal" not in seen:
            seen += os.read(terminal, 1000)
    except OSError:
        pass
    os.waitpid(child, 0)
    assert b"\x1b]52;c;aGk=\x07" in seen
    assert b"by the terminal" in seen


def test_what_fits_to_the_token_is_whole_and_one_token_less_is_not(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="[[near]]")
    put(tmp_path, "near.md", "# Near\n\n" + "some words of it " * 50)
    whole = scene(tmp_path)
    assert (whole.documents, whole.left_out) == (1, ())
    assert scene(tmp_path, whole.tokens).text == whole.text
    less = scene(tmp_path, whole.tokens - 1)
    assert [each.name for each in less.left_out] == ["near.md"]
    assert less.tokens < whole.tokens


def test_a_fence_that_is_never_closed_ends_with_its_document(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", body="[[next]]\n\n````python\n```\ncode")
    put(tmp_path, "next.md", "# Next\n\n~~~ not `code`\n```\n~~~\n\n``` a`b\n\nafter\n")
    text = scene(tmp_path).text
    assert "code\n````\n</document>" in text
    assert text.endswith("\nafter\n</document>\n")


def test_many_missing_references_leave_room_for_what_is_there(tmp_path: Path) -> None:
    refs = ", ".join(f"gone/number-{n:03}.md" for n in range(300))
    card(tmp_path, "aaa111", body="waits for much")
    put(tmp_path, ".cuedeck/docs/all.md", f"---\nrefs: [{refs}]\n---\nall")
    card(tmp_path, "aaa111", more="refs: [.cuedeck/docs/all.md, there.md]\n")
    put(tmp_path, "there.md", "I am there.")
    enough = scene(tmp_path, 100_000)
    assert "gone/number-299.md" in enough.text
    tight = scene(tmp_path, 3_500)
    assert "I am there." in tight.text
    assert "gone/number-019.md, 280 more\n" in tight.text
    assert tight.tokens == count_tokens(tight.text) <= 3_500


def test_a_part_of_itself_is_no_cycle(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", more='refs: ["#Steps", 7, null, [x], {a: b}]\n', body="# Steps\n")
    assert order(scene(tmp_path).text) == [".cuedeck/cards/aaa111.md"]


def test_no_limit_is_ever_exceeded(tmp_path: Path) -> None:
    card(tmp_path, "aaa111", more="refs: [gone.md, a.md, b.md]\n", body="text")
    put(tmp_path, "a.md", "# A\n\none two\n\n## B\n\n" + "three four " * 60)
    put(tmp_path, "b.md", "five six " * 40)
    with Workspace.open(tmp_path) as workspace:
        for limit in range(60, 420, 3):
            try:
                made = workspace.scene.build(token_limit=limit)
            except CueError as error:
                assert (error.code, limit < 100) == (ErrorCode.TOKEN_LIMIT, True)
            else:
                assert count_tokens(made.text) == made.tokens <= limit
                assert made.documents == len(order(made.text)) - 1
