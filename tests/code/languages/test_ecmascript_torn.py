"""JavaScript and TypeScript in the middle of being typed: what stands around it is read all the same."""

from __future__ import annotations

import time

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.languages.components import VUE
from cuedeck.code.languages.ecmascript_torn import closed
from cuedeck.code.languages.javascript import JAVASCRIPT
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.typescript import TSX, TYPESCRIPT

BEFORE = "import { a } from './a'\n\nfunction first(x) {\n  return `${x} of ${a}`\n}\n\n"
BEHIND = """
// about the second
class Second {
  method() {
    return first(`one`)
  }
}
export function third() {
  return new Second().method()
}
"""
LANGUAGES = [JAVASCRIPT, TYPESCRIPT, TSX]


def names(source: str, language: Language = TYPESCRIPT) -> list[str]:
    """The symbols of a source, each behind the one that holds it."""
    found = list(extract(source.encode(), language).outline.definitions)
    return [f"{found[d.parent].name}.{d.name}" if d.parent >= 0 else d.name for d in found]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ("foo(\n", []),
        ("foo(bar, [1,\n", []),
        ("const made = foo(bar,\n", ["made"]),
        ("const made = {\n  a: 1,\n  b: {\n", ["made", "made.a", "made.b"]),
        ("const made = [\n", ["made"]),
        ("const made = `text\n", ["made"]),
        ("const made = `text ${foo\n", ["made"]),
        ('const made = "text\n', ["made"]),
        ("const made = foo('text)\n", ["made"]),
        ("if (bar.\n", []),
        ("if (foo(bar) {\n  foo()\n}\n", []),
        ("function made(\n\n\n", ["made"]),
        ("function made() {\n  foo(\n", ["made"]),
        ("function made() {\n  return bar.map((x) => {\n    x.\n}\n", ["made"]),
        ("class Made {\n  one() {\n    if (x) {\n  }\n}\n", ["Made", "Made.one"]),
        ("function made() {\n  if (x)\n    foo()\n  }\n  bar()\n}\n", ["made"]),
        ("foo(bar))\n", []),
        ("/* foo\n", []),
    ],
)
def test_what_stands_around_something_that_is_not_closed_is_read(
    typed: str, own: list[str], language: Language
) -> None:
    source = BEFORE + typed + BEHIND
    assert names(source, language) == ["first", *own, "Second", "Second.method", "third"]
    found = list(extract(source.encode(), language).outline.definitions)
    assert source[found[-1].start : found[-1].end].rstrip() == BEHIND[BEHIND.index("export") :].rstrip()
    second = next(d for d in found if d.name == "Second")
    assert source[second.doc_start : second.doc_end] == "// about the second"


def test_a_source_that_ends_in_the_middle_keeps_what_it_has() -> None:
    assert names(BEFORE + BEHIND + "class Last {\n  one() {\n    foo(bar, {") == [
        "first",
        "Second",
        "Second.method",
        "third",
        "Last",
        "Last.one",
    ]


def test_a_method_being_typed_leaves_the_others_to_their_class() -> None:
    source = "class A {\n  one() {\n    this.two(\n  }\n\n  two() {\n    return [1\n  }\n\n  three() {}\n}\n"
    assert names(source) == ["A", "A.one", "A.two", "A.three"]


def test_conditions_over_several_lines_hold_their_blocks() -> None:
    source = "function a() {\n  if (b &&\n      c) {\n\n      d();\n  }\n}\nfunction e() {\n  foo(\n}\n"
    assert names(source) == ["a", "e"]


def test_the_script_of_a_component_being_typed() -> None:
    source = (
        "<script setup lang='ts'>\nconst one = foo(\n\nfunction two() {}\n</script>\n"
        "<template><p>{{ one }}</p></template>\n"
    )
    assert names(source, VUE) == ["one", "two"]


@pytest.mark.parametrize(
    "whole",
    [
        BEFORE + BEHIND,
        "const x = `\nclass A {\n${b ? `(${c}` : ''}`\n// ( [ {\nconst y = '{' + /[(]\\/(/.source\n",
        "switch (a) {\ncase 1:\n  b()\n}\n",
        "(function () {\nvar a = 1\nfoo(a,\nb)\n})()\n",
        "const a = <p>\n  Don't {b}\n</p>\n",
        "/* ( { */ const a = [\n]\n",
    ],
)
def test_what_is_closed_stays_as_it_is(whole: str) -> None:
    assert closed(whole.encode()) == whole.encode()


@pytest.mark.parametrize("typed", ["foo(a,\r\n  [b\r\n", "const a = `b ${\n", "}\n", "const b = {"])
def test_the_length_stays(typed: str) -> None:
    source = (BEFORE + typed + BEHIND).encode()
    assert len(closed(source)) == len(source)


@pytest.mark.parametrize(
    "piece", ["(", "{[(", "`${", "/* ", "/[", '\\"', "foo(\n", "'", "a) ", "if (a {\n", "`\nclass A "]
)
def test_nothing_takes_long(piece: str) -> None:
    begun = time.process_time()
    source = piece.encode() * (100_000 // len(piece))
    assert len(closed(source)) == len(source)
    assert time.process_time() - begun < 5


def test_what_is_open_everywhere_is_left_as_it_is() -> None:
    for source in (b'\\"' * 20_000, b"'a\n" * 20_000, b"(" * 2_000, b"{\n" * 200_000):
        assert closed(source) == source
