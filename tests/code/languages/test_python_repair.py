"""Python in the middle of being typed: what stands behind is read all the same."""

from __future__ import annotations

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.languages.python import PYTHON
from cuedeck.code.languages.python_repair import closed

BEFORE = "import os\n\ndef first(a):\n    return a\n\n"
BEHIND = """
class Second:
    def method(self):
        return first(1)

@decorated
def third():
    return Second().method()
"""


@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ("value = compute(1, [2,\n", ["value"]),
        ('value = {\n    "a": 1,\n', ["value"]),
        ("def broken(a, b\n    return a\n", ["broken"]),
        ("class Broken(Base\n    def inner(self): pass\n", ["Broken", "inner"]),
        ('value = f"{a\n', ["value"]),
        ("return found(bar\n", []),
        ("from x import (\n  a,\n", []),
        ("value = b.c(d,\n     e=f[1\n", ["value"]),
        ('@app.route("/a"\n', []),
        ('value = [\n    {"k": v(},\n', ["value"]),
    ],
)
def test_what_stands_behind_an_open_bracket_or_text_is_read(typed: str, own: list[str]) -> None:
    source = (BEFORE + typed + BEHIND).encode()
    outline = extract(source, PYTHON).outline
    assert [d.name for d in outline.definitions] == ["first", *own, "Second", "method", "third"]
    third = outline.definitions[-1]
    assert source[third.start : third.end].decode().rstrip() == BEHIND[BEHIND.index("@") :].rstrip()


@pytest.mark.parametrize(
    "whole",
    [
        BEFORE + BEHIND,
        'x = (\n    """a (\nclass B:\n"""\n)\n# ( [ {\ny = \'{\'\n',
        "x = [\n    y\n    for y in z\n    if y\n    and (yield from y)\n]\n",
        "x = 'a\\\n(b'\n",
    ],
)
def test_what_is_closed_stays_as_it_is(whole: str) -> None:
    assert closed(whole.encode()) == whole.encode()


def test_lines_and_length_stay() -> None:
    source = (BEFORE + "x = f(a,\r\n  [b\r\n" + BEHIND).encode()
    made = closed(source)
    assert len(made) == len(source)
    assert [len(line) for line in made.split(b"\n")] == [len(line) for line in source.split(b"\n")]
