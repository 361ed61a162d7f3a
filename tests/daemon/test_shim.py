"""Bytes become whole lines, whatever their pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cuedeck.daemon import shim
from cuedeck.daemon.shim import Lines


@given(st.lists(st.binary(max_size=8).map(lambda piece: piece.replace(b"x", b"\n"))))
def test_lines_are_the_same_however_they_arrive(pieces: list[bytes]) -> None:
    lines = Lines()
    found = [line for piece in pieces for line in lines.feed(piece)]
    whole = b"".join(pieces)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in found)
    assert b"".join(found) + lines.rest() == whole


def test_carriage_returns_are_no_line_ends() -> None:
    assert Lines().feed(b"a\rb\r\nc\n") == [b"a\rb\r\n", b"c\n"]


def test_an_endless_line_is_passed_on() -> None:
    lines = Lines()
    total = 0
    for _ in range(shim.LONGEST_LINE // 1_000_000 + 2):
        total += sum(map(len, lines.feed(b"y" * 1_000_000)))
    assert total > shim.LONGEST_LINE
