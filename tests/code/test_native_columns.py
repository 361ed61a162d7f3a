"""The compiled work on columns gives what the one in Python gives, byte for byte."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cuedeck.code.extraction import analysis, packing
from cuedeck.code.extraction import plain_columns as plain
from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import Bind, Definition, Facts, Links
from cuedeck.code.languages import language_named, language_of_source

compiled = pytest.importorskip("cuedeck_native.columns", reason="cuedeck-native is not installed")

ROOT = Path(__file__).parents[2]
EDGES = [
    edge for power in (7, 8, 15, 16, 31, 32, 62) for edge in (-(1 << power), -(1 << power) - 1, 1 << power)
]
EDGES += [edge - 1 for edge in EDGES]
NUMBERS = st.lists(
    st.sampled_from(EDGES) | st.integers(-300, 300) | st.integers(-(1 << 61), 1 << 61), max_size=90
)
# So many that they are not done one by one.
WIDE = st.integers(0, 1).flatmap(lambda many: NUMBERS.map(lambda found: found + found * many))
TABLES = (analysis._IS_NAME, analysis._IS_MEMBER, analysis._IS_INNER, Bind.IMPORT)


def facts_of(source: bytes, language: str = "python") -> Facts:
    known = language_named(language)
    assert known is not None
    return extract(source, known)


def packed(facts: Facts, writer: Callable[[], Any]) -> tuple[bytes, bytes]:
    outline, links = writer(), writer()
    packing._outline(outline, facts.outline)
    packing._links(links, facts.links)
    return outline.written(), links.written()


def seen(links: Links, module: Any) -> list[str]:
    scopes = links.scopes
    columns = (links.a, links.b, links.bindings, scopes.columns, scopes.count)
    found: list[str] = module.seen_outside(links.strings, links.ops.tobytes(), *columns, *TABLES)
    return found


def same(facts: Facts) -> None:
    assert packed(facts, compiled.Writer) == packed(facts, plain.Writer)
    stored = packing.pack(facts)
    for links in (facts.links, packing.unpack_links(stored)):
        assert seen(links, compiled) == seen(links, plain)


@pytest.mark.parametrize("language", ["python", "typescript", "go", "c", "bash"])
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"\r\n\r\ndef f():\r\n    return g(h)\r\n",
        b"\xff\xfe\x80def \xc3(): \xe9(a.b)",
        b"a\0b def f(): pass",
        b"def " + b"x" * 300 + b"(): pass",
        "def größe(naïve): return größe(変数, *naïve)\n".encode(),
        b"# " + b"x" * 70_000 + b"\ndef f(a): return a.b(c)\n" * 3,
        b"\n" * 70_000 + b"from a import b as c, d\nclass E(b):\n    def f(self): return c(d, self.g)\n",
    ],
)
def test_of_hostile_bytes(source: bytes, language: str) -> None:
    same(facts_of(source, language))
    assert compiled.line_starts(source) == plain.line_starts(source)


def test_of_the_files_of_this_repository() -> None:
    for path in (
        *sorted(ROOT.glob("src/cuedeck/code/**/*.py")),
        *sorted(ROOT.glob("src/**/*.js")),
        *sorted(ROOT.glob("benchmarks/*.go")),
        *sorted(ROOT.glob("benchmarks/*.java")),
    ):
        source = path.read_bytes()
        same(facts_of(source, language_of_source(path.name, source) or "python"))


@settings(deadline=None)
@given(WIDE)
@example([])
@example([-1])
@example([255] * 70)
@example([256] * 70)
@example([0, 4 * 1024 * 1024] * 40)
def test_numbers_are_written_in_the_narrowest_width(numbers: list[int]) -> None:
    ours, theirs = compiled.Writer(), plain.Writer()
    for out in (ours, theirs):
        out.column(numbers)
        out.column(tuple(numbers))
        out.column(array("q", numbers))
        out.deltas([number // 4 for number in numbers])
        out.deltas(tuple(sorted(number // 4 for number in numbers)))
        out.differences([number // 4 for number in numbers], range(len(numbers)))
        out.distances(
            array("q", [number // 4 for number in numbers]), bytes(n % 2 for n in range(len(numbers)))
        )
        for code in "bBhHiIl":
            bits = array(code).itemsize * 8
            least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
            out.column(array(code, [max(least, min(number, most)) for number in numbers]))
    assert ours.written() == theirs.written()


@settings(deadline=None)
@given(st.lists(st.text("aé字\udc80 ", max_size=300), max_size=80), st.binary(max_size=300))
def test_strings_are_written_as_they_are(texts: list[str], data: bytes) -> None:
    ours, theirs = compiled.Writer(), plain.Writer()
    for out in (ours, theirs):
        out.strings(texts)
        out.strings(tuple(texts))
        out.raw(data)
    assert ours.written() == theirs.written()


def test_what_is_no_column_is_refused() -> None:
    out = compiled.Writer()
    for values in ([1, None], [1.5], ("a",), [1 << 70], array("d", [1.0]), memoryview(b"ab").cast("c")):
        with pytest.raises((TypeError, OverflowError)):
            out.column(values)
    with pytest.raises(ValueError, match="different length"):
        out.differences([1], [1, 2])
    with pytest.raises(ValueError, match="different length"):
        out.distances([1], b"")
    with pytest.raises(TypeError):
        out.strings(["a", b"b"])
    with pytest.raises(UnicodeEncodeError):
        out.strings(["a", "\ud800"])
    assert out.written() == b""


@given(st.lists(st.integers(0, 255)), st.lists(st.integers(-(1 << 31), (1 << 31) - 1)), st.integers(0, 40))
def test_rows_become_columns(small: list[int], large: list[int], count: int) -> None:
    rows = [
        number
        for k in range(min(count, len(small), len(large)))
        for number in (small[k], large[k], large[-k - 1], k)
    ]
    assert compiled.columns(rows, "Biii") == plain.columns(rows, "Biii")
    fields = [tuple(rows[k : k + 4]) for k in range(0, len(rows), 4)]
    assert compiled.across(fields) == plain.across(fields)


def test_rows_that_do_not_fit_are_refused() -> None:
    for rows, codes, problem in (
        ([1, 2, 3], "ii", ValueError),
        ([1 << 31], "i", OverflowError),
        ([256], "B", ValueError),
        ([-1], "B", ValueError),
        (["a"], "i", TypeError),
        ([], "", ValueError),
        ([1] * 9, "i" * 9, ValueError),
    ):
        with pytest.raises(problem):
            compiled.columns(rows, codes)
    for fields in ([(1, 2), (1,)], [(1 << 40,)], [[1]], [(None,)]):
        with pytest.raises((ValueError, OverflowError, TypeError)):
            compiled.across(fields)


@given(st.binary() | st.text("a\r\n", max_size=50).map(str.encode))
@example(b"\n\n")
@example(b"a")
@example(b"a\nb")
def test_lines_start_behind_breaks(source: bytes) -> None:
    assert compiled.line_starts(source) == plain.line_starts(source)


@given(
    st.lists(st.tuples(st.integers(-1, 7), st.integers(0, 30), st.integers(0, 30)), max_size=8),
    st.text("a\n", max_size=30).map(str.encode),
)
def test_definitions_are_put_in_order(found: list[tuple[int, int, int]], source: bytes) -> None:
    def drafts() -> list[list[Any]]:
        return [
            ["n", "fn", min(parent, len(found) - 1), -1, start, end, 0, 0, 0, "", 0, 0, b"", b"", ""]
            for parent, start, end in found
        ]

    lines = plain.line_starts(source)
    assert compiled.ordered(drafts(), lines, Definition) == plain.ordered(drafts(), lines, Definition)


def test_drafts_of_another_form_are_refused() -> None:
    draft: list[Any] = ["n", "fn", 0, -1, 0, 1, 0, 0, 0, "", 0, 0, b"", b"", ""]
    for wrong in (
        [draft[:5]],
        [tuple(draft)],
        [[*draft[:4], None, *draft[5:]]],
        [[*draft[:2], 9, *draft[3:]]],
    ):
        with pytest.raises((ValueError, TypeError, IndexError)):
            compiled.ordered(wrong, array("I", [0]), Definition)


STRINGS = ("", "*", "a", "b", "c", "é")
NAMES = st.integers(0, len(STRINGS) - 1)


@st.composite
def scoped(draw: st.DrawFn) -> tuple[Any, ...]:
    """Scopes, what they bind and what is used in them."""
    count = draw(st.integers(0, 5))
    kinds = [draw(st.integers(0, 5)) for _ in range(count)]
    around = [draw(st.integers(-1, number - 1)) for number in range(count)]
    places = st.integers(-1, count - 1)
    binding = st.tuples(places, NAMES, st.just(0), st.integers(0, 8), st.just(0), NAMES)
    bindings = draw(st.lists(binding, max_size=12))
    rows = draw(st.lists(st.tuples(st.integers(0, 255), places, NAMES), max_size=20))
    columns = tuple(array("i", [row[k] for row in bindings]) for k in range(6))
    ops, a, b = (array("i", [row[k] for row in rows]) for k in range(3))
    return STRINGS, bytes(list(ops)), a, b, columns, array("i", kinds + around), count


@settings(max_examples=500)
@given(scoped())
def test_names_are_seen_outside(told: tuple[Any, ...]) -> None:
    assert compiled.seen_outside(*told, *TABLES) == plain.seen_outside(*told, *TABLES)


def test_names_and_scopes_that_are_none_are_refused() -> None:
    def asked(**other: Any) -> list[str]:
        told = {
            "strings": ("", "a"),
            "ops": b"\1",
            "a": array("i", [0]),
            "b": array("i", [1]),
            "bindings": tuple(array("i", [0]) for _ in range(6)),
            "scopes": array("i", [2, -1]),
            "scope_count": 1,
        }
        found: list[str] = compiled.seen_outside(*{**told, **other}.values(), *TABLES)
        return found

    assert asked() == ["a"]
    six = [array("i", [0]) for _ in range(6)]
    for other, problem in (
        ({"b": array("i", [2])}, IndexError),
        ({"b": array("i", [-1])}, IndexError),
        ({"a": array("i", [1])}, IndexError),
        ({"a": array("i", [-2])}, IndexError),
        ({"a": array("i", [])}, ValueError),
        ({"ops": b""}, ValueError),
        ({"scopes": array("i", [2, 0])}, IndexError),
        ({"scopes": array("i", [2, -2])}, IndexError),
        ({"scopes": array("i", [300, -1])}, IndexError),
        ({"scopes": array("i", [2])}, ValueError),
        ({"scope_count": -1}, ValueError),
        ({"bindings": (array("i", [5]), *six[1:])}, IndexError),
        ({"bindings": (six[0], array("i", [9]), *six[2:])}, IndexError),
        ({"bindings": (*six[:3], array("i", [Bind.IMPORT]), six[4], array("i", [-7]))}, IndexError),
        ({"bindings": (*six[:5], array("i"))}, ValueError),
    ):
        with pytest.raises(problem):
            asked(**other)


@given(st.lists(st.text("aé\0\u2028", max_size=5), max_size=9))
def test_names_that_can_be_stored(names: list[str]) -> None:
    told = (names, 3, analysis._is_text)
    assert compiled.storable(*told) == plain.storable(*told)


def test_packing_leaves_nothing_behind() -> None:
    resource = pytest.importorskip("resource")
    source = (ROOT / "src/cuedeck/code/facts.py").read_bytes()
    facts = facts_of(source)

    def again(times: int) -> int:
        for _ in range(times):
            packed(facts, compiled.Writer)
            seen(facts.links, compiled)
            compiled.line_starts(source)
        gc.collect()
        found: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return found

    before = again(50)
    assert again(1_000) - before < 4096
