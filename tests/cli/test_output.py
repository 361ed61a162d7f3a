"""Answers for people and programs; bars and colours only where they belong."""

from __future__ import annotations

import io
import json

import pytest

from cuedeck.cli import output
from cuedeck.cli.output import Output, coloured


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_json_or_words(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=True).show({"ü": 1}, "words")
    assert json.loads(capsys.readouterr().out) == {"ü": 1}
    Output().show({"a": 1}, lambda: "words")
    assert capsys.readouterr().out == "words\n"


def test_remarks_go_beside_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    Output().note("by the way")
    Output(as_json=True).note("silent")
    found = capsys.readouterr()
    assert (found.out, found.err) == ("", "by the way\n")


def test_what_a_terminal_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    Output().line("naïve \udcff")
    output.console().print("naïve")
    assert raw.getvalue() == b"na?ve ?\nna?ve\n"


def test_nothing_steers_a_terminal_but_our_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "\x1b[1mname\x1b[0m \x1b]0;title\x07 \x1b[2J \x9b2J \r\n"
    terminal, file = Terminal(), io.StringIO()
    monkeypatch.setattr("sys.stdout", terminal)
    Output().line(hostile)
    assert terminal.getvalue() == "\x1b[1mname\x1b[0m ?]0;title? ?[2J ?2J ?\n\n"
    monkeypatch.setattr("sys.stdout", file)
    Output().line(hostile)
    assert file.getvalue() == hostile + "\n"


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with Output().progress("Working") as progress:
        progress(1, 2, "x")
    assert capsys.readouterr().err == ""


def test_progress_shows_only_what_takes_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Output().progress("Working") as progress:
        progress(1, 2, "x")
    assert terminal.getvalue() == ""
    monkeypatch.setattr(output, "PROGRESS_AFTER_SECONDS", 0.0)
    with Output().progress("Working") as progress:
        progress(1, 2, "one.md")
        progress(2, 2, "two.md")
    assert "Working" in terminal.getvalue() and "two.md" in terminal.getvalue()


def test_colours_are_declined_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not coloured()
