"""``cue open``: a few letters find a file, a heading or a card, and the editor opens at its line."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cuedeck.cli.finder.candidates import Candidate, headings
from cuedeck.cli.finder.editor import editor_command
from cuedeck.cli.finder.picker import Picker
from cuedeck.cli.finder.preview import preview
from cuedeck.cli.finder.scoring import Ranking, score
from cuedeck.model.errors import CueError

CUE = str(Path(sys.executable).with_name("cue"))


@pytest.fixture
def filled(folder: Path) -> Path:
    (folder / "src").mkdir()
    (folder / "docs").mkdir()
    (folder / "src/session_store.py").write_text("x = 1\n")
    (folder / "src/other.py").write_text("y = 1\n")
    (folder / "docs/guide.md").write_text(
        "# Guide\n\n```\n# not a heading\n```\n\n## Rotating keys ##\ntext\n"
    )
    cards = folder / ".cuedeck/cards"
    cards.mkdir(parents=True)
    (cards / "abc123.md").write_text("---\ntitle: Fix the flux capacitor\nstatus: todo\n---\n")
    (folder / ".gitignore").write_text("ignored/\n")
    (folder / "ignored").mkdir()
    (folder / "ignored/session_store.py").write_text("")
    return folder


def test_without_a_terminal_it_prints_the_best(cue: Any, filled: Path) -> None:
    assert cue("open", "sesst").stdout.splitlines()[0] == "src/session_store.py:1\tfile\tsrc/session_store.py"
    assert cue("open", "rotat key").stdout.splitlines()[0] == "docs/guide.md:7\theading\tRotating keys"
    (first, *_) = json.loads(cue("open", "flux", "--json").stdout)
    assert (first["kind"], first["path"]) == ("card", ".cuedeck/cards/abc123.md")
    done = cue("open", "zzzzqq")
    assert (done.returncode, done.stdout) == (1, "Nothing matches 'zzzzqq'.\n")
    assert "not a heading" not in cue("open", "heading").stdout


def test_headings_and_symbols_of_a_searched_workspace_are_found(cue: Any, filled: Path) -> None:
    (filled / "src/keys.py").write_text("class Vault:\n    def rotate_all(self):\n        pass\n")
    assert cue("search", "vault", "--mode", "keyword").returncode == 0
    assert cue("open", "rotateall").stdout == "src/keys.py:2\tsymbol\trotate_all\n"
    assert cue("open", "rotat key").stdout.splitlines()[0] == "docs/guide.md:7\theading\tRotating keys"
    (filled / "docs/guide.md").write_text("# Guide\n## Rotating keys\n")
    assert cue("open", "rotat key").stdout.splitlines()[0] == "docs/guide.md:2\theading\tRotating keys"


def test_symbols_of_an_index_are_found(cue: Any, filled: Path) -> None:
    (filled / "src/keys.py").write_text("class Vault:\n    def rotate_all(self):\n        pass\n")
    assert cue("open", "rotateall").stdout == "src/keys.py:2\tsymbol\trotate_all\n"
    assert cue("index").returncode == 0
    assert cue("open", "rotateall").stdout == "src/keys.py:2\tmethod\tVault::rotate_all\n"


def test_in_a_terminal_enter_opens_the_editor_at_the_line(filled: Path, environ: dict[str, str]) -> None:
    script = filled.parent / "nano"
    script.write_text(f'#!/bin/sh\necho "$@" > {filled.parent}/opened\n')
    script.chmod(0o755)
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [CUE, "open", "rotating"],
        cwd=filled,
        env={**environ, "EDITOR": str(script), "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    seen = _read_until(control, b"Rotating keys")
    assert b"## Rotating keys" in seen or b"Rotating" in seen
    os.write(control, b"\r")
    _drain(control, process)
    assert process.returncode == 0
    assert (filled.parent / "opened").read_text() == f"+7 {filled}/docs/guide.md\n"


def test_in_a_terminal_escape_leaves(filled: Path, environ: dict[str, str]) -> None:
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [CUE, "open"],
        cwd=filled,
        env={**environ, "EDITOR": "false", "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    _read_until(control, b"guide.md")
    os.write(control, b"\x1b")
    _drain(control, process)
    assert process.returncode == 0


def _read_until(control: int, wanted: bytes) -> bytes:
    seen, deadline = b"", time.monotonic() + 20
    while wanted not in seen and time.monotonic() < deadline:
        if select.select([control], [], [], 0.2)[0]:
            seen += os.read(control, 65536)
            if b"\x1b[6n" in seen:  # where is the cursor?
                os.write(control, b"\x1b[1;1R")
                seen = seen.replace(b"\x1b[6n", b"")
    assert wanted in seen, seen
    return seen


def _drain(control: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        if select.select([control], [], [], 0.1)[0]:
            try:
                os.read(control, 65536)
            except OSError:
                break
    process.wait(5)
    os.close(control)


def test_headings_know_their_lines() -> None:
    text = "---\n# comment\n---\n# A\u2028\n~~~~\n# no\n~~~\n# no\n~~~~\n### *B* #\n#hashtag\n\nC\n---\n"
    assert [(each.text, each.line) for each in headings("x.md", text)] == [("A", 4), ("B", 10), ("C", 13)]


def test_what_the_user_moved_to_stays_chosen_while_more_arrives(tmp_path: Path) -> None:
    picker = Picker(tmp_path, "")
    early, late = ([Candidate("file", name, name)] for name in ("early.md", "late.md"))
    chosen = Candidate("file", "chosen.md", "chosen.md")
    with create_pipe_input() as keys:

        def gathered() -> Iterator[Candidate]:
            yield from [*early, chosen] * 250
            keys.send_text("\x1b[B")
            time.sleep(0.3)
            yield from late
            keys.send_text("\r")

        assert picker.run(gathered(), input=keys, output=DummyOutput()) == chosen


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("shim", "src/daemon/shim.py", "docs/shimmer/other.md"),
        ("fb", "src/foo_bar.py", "src/offbeat.py"),
        ("store", "src/store.py", "src/restored.py"),
        ("wc", "WordCount.java", "switch.c"),
        ("readme", "readme.md", "docs/readme/readme_old.md"),
        ("sync", "Sync", "Sync deleted a note I just created"),
        ("sync", "Sync", "Save your new colours"),
        ("sync", "Synchronise", "Save your new colours"),
        ("modelfrm", "ModelForm", "ModelFormTests::test_field_removal::Mixin"),
        ("manage vaults", "Files and folders/Manage vaults.md", "Manage your remote vaults"),
    ],
)
def test_what_ranks_above_what(query: str, better: str, worse: str) -> None:
    assert score(query.split(), better) > score(query.split(), worse) > 0
    ranked = Ranking([Candidate("file", worse, worse), Candidate("file", better, better)]).best(query, 2)
    assert [each.path for each in ranked] == [better, worse]


def test_typing_on_narrows_and_sees_late_arrivals() -> None:
    ranking = Ranking([Candidate("file", name, name) for name in ("alpha", "beta", "gamma")])
    assert len(ranking.best("a", 9)) == 3
    ranking.candidates.append(Candidate("file", "alphabet", "alphabet"))
    assert {each.text for each in ranking.best("alp", 9)} == {"alpha", "alphabet"}
    assert {each.text for each in ranking.best("be", 9)} == {"beta", "alphabet"}


def test_a_hostile_query_is_quick() -> None:
    many = [Candidate("file", "a" * 300 + str(number), "x") for number in range(2000)]
    began = time.process_time()
    assert Ranking(many).best("a" * 20 + "b", 10) == []
    assert Ranking(many).best("[(*.\\^$|", 10) == []
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        ("vim", ["vim", "+7", "/w/a.md"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "/w/a.md"]),
        ("code --wait", ["code", "--wait", "--goto", "/w/a.md:7"]),
        ("hx", ["hx", "/w/a.md:7"]),
        ("ed", ["ed", "/w/a.md"]),
    ],
)
def test_editors(editor: str, expected: list[str]) -> None:
    assert editor_command(Path("/w/a.md"), 7, {"EDITOR": editor}) == expected
    assert editor_command(Path("/w/a.md"), 7, {"VISUAL": editor, "EDITOR": "x"}) == expected


def test_without_a_terminal_no_editor_is_waited_for(cue: Any, environ: dict[str, str]) -> None:
    made = json.loads(cue("card", "new", "x", "--json").stdout)
    chosen = {name: value for name, value in environ.items() if name not in ("EDITOR", "VISUAL")}
    done = cue("card", "edit", made["id"], env=chosen, stdin=subprocess.DEVNULL, timeout=30)
    assert done.returncode == 1 and "error: No editor" in done.stderr


def test_no_editor_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CueError, match="No editor"):
        editor_command(Path("a"), 1, {})


def test_the_preview_is_safe_and_near_the_line(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    (tmp_path / "bad.txt").write_bytes(b"\x1b[2J evil \xff\n")
    (tmp_path / "binary").write_bytes(b"\0\1\2")
    shown = preview(tmp_path, "long.txt", 50, 10)
    assert len(shown) == 10 and (50, "line 50") in shown
    assert preview(tmp_path, "long.txt", 100, 10)[-1] == (100, "line 100")
    assert "\x1b" not in preview(tmp_path, "bad.txt", 1, 5)[0][1]
    assert preview(tmp_path, "binary", 1, 5) == [(0, "binary file")]
    (tmp_path / "odd.md").write_bytes("a\u2028b\x0cc\r\nd\re".encode())
    assert [number for number, _ in preview(tmp_path, "odd.md", 1, 5)] == [1, 2, 3]
    assert preview(tmp_path, "../x", 1, 5)[0][0] == 0
