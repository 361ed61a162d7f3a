"""Python in the middle of being typed: what stands behind is read all the same."""

from __future__ import annotations

import time

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import OP_MASK, Op
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
        ("value = [1, 2\nother = 3\n", ["value", "other"]),
        ('"""\n', []),
        ("for a in \n", []),
        ("if a.\n", []),
        ("def broken\n", []),
        ("def broken(\n", []),
        ("class Broken\n", []),
        ("from a import \n", []),
        ("@\n", []),
        ("def broken(a)\n    return a\n", ["broken"]),
        ("def broken a):\n    return a\n", ["broken"]),
        ("def broken\n    a,\n):\n    return a\n", ["broken"]),
        ('def broken():\n    """What it does.\n\n    And more of it\n    return 1\n', ["broken"]),
        ('def broken():\n    What it isn\'t (doing.\n    """\n    return 1\n', ["broken"]),
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
        'x = """\ndef a(: return\n"""\nif x: y = 1.\nz = lambda: ...\n',
        "from a import *\nb = x if (x\n) else y\n",
        "f(\na,\nb)\nx = a \\\n    and b\nclass A: x: int = 1\n",
    ],
)
def test_what_is_closed_stays_as_it_is(whole: str) -> None:
    assert closed(whole.encode()) == whole.encode()


def test_lines_and_length_stay() -> None:
    source = (BEFORE + "x = f(a,\r\n  [b\r\n" + BEHIND).encode()
    made = closed(source)
    assert len(made) == len(source)
    assert [len(line) for line in made.split(b"\n")] == [len(line) for line in source.split(b"\n")]


def test_what_an_open_bracket_holds_is_read_up_to_where_it_should_have_ended() -> None:
    source = (
        b"def first(a):\n    call(\n        one,\n        two(three,\n    )\n"
        b"    four = [five, six\n    return four\n"
    )
    links = extract(source, PYTHON).links
    named = {
        links.strings[number]
        for op, number in zip(links.ops, links.b, strict=True)
        if op & OP_MASK == Op.NAME
    }
    assert {"call", "one", "two", "three", "five", "four"} <= named


def test_a_text_with_code_is_not_taken_for_one_that_ends_nowhere() -> None:
    source = (
        b'CODE = """\ndef inside():\n    pass\n"""\n\ndef first():\n    """Ends nowhere.\n    return 1\n'
        b'\ndef second():\n    """Ends."""\n'
    )
    assert [d.name for d in extract(source, PYTHON).outline.definitions] == ["CODE", "first", "second"]


def test_closing_takes_no_time_where_everything_is_open() -> None:
    for source in (b"f(\n" * 20_000, b'"""\n' * 20_001, b"x = [a,\n" * 20_000, b")" * 60_000, b"'" * 60_001):
        begun = time.process_time()
        closed(source)
        assert time.process_time() - begun < 2
