"""The compiled reading of words gives what the one in Python gives, byte for byte."""

from __future__ import annotations

import gc
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuedeck.code.extraction import wording
from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import KINDS, UNHASHED, Definition, Kind, Outline
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.code.search.meaning import _KEYED, _TOLD, plain_keys

compiled = pytest.importorskip("cuedeck_native.words", reason="cuedeck-native is not installed")

ROOT = Path(__file__).parents[2]
HOSTILE = (
    b"",
    b"\n",
    b"\r\n\r\ndef f():\r\n    return HTTPServer\r\n",
    b"\xff\xfe\x80def \xc3(",
    b"a\0b\0c def f(): pass",
    b"def " + b"x" * 300 + b"(): " + b"Yz" * 2000,
    b"123 1st 2nd 3x4y 0xFF __ _ _a",
    "def größe(naïve): return größe_naïve + 変数 + 변수변수\n".encode(),
    "class Größe:\n    '''Über die Größe'''\n    def maß(self): return Straße\n".encode(),
    b"class A:\n    '''" + b" ".join(b"word%dthing" % n for n in range(400)) + b"'''\n    def f(self): 1\n",
    b"def f():\n" + b"".join(b"    longer_name_%d = other%d\n" % (n, n * 7) for n in range(300)),
    b"def f(): " + b" ".join(bytes([97 + n % 26]) * (2 + n % 9) for n in range(500)),
)


def reader(**limits: int) -> Any:
    """A compiled reader, with the limits of the one in Python."""
    usual = {
        "max_body": wording._MAX_BODY_WORDS,
        "max_doc_words": wording._MAX_DOC_WORDS,
        "max_doc": wording._MAX_DOC,
        "max_words": wording._KEPT_WORDS,
    }
    kinds = wording.KIND_NUMBERS
    return compiled.Wording(wording._said, wording.name_words, kinds, UNHASHED, **{**usual, **limits})


READER = reader()


def outline_of(source: bytes, language: str = "python") -> Outline:
    known = language_named(language)
    assert known is not None
    return extract(source, known).outline


def same(definitions: Sequence[Definition], source: bytes, read: Any = READER) -> None:
    assert read.read(definitions, source) == wording._plainly_read(definitions, source)


def same_keys(outline: Outline) -> None:
    assert compiled.blob_keys(outline.definitions, _KEYED, _TOLD) == plain_keys(outline)


@pytest.mark.parametrize("source", HOSTILE)
def test_of_hostile_bytes(source: bytes) -> None:
    for language in ("python", "typescript", "c", "bash"):
        outline = outline_of(source, language)
        same(outline.definitions, source)
        same_keys(outline)


def test_of_the_files_of_this_repository() -> None:
    read = 0
    for path in sorted(ROOT.glob("src/cuedeck/code/**/*.py")) + sorted(ROOT.glob("src/**/*.js")):
        source = path.read_bytes()
        outline = outline_of(source, language_of_source(path.name, source) or "python")
        same(outline.definitions, source)
        same_keys(outline)
        read += 1
    assert read > 50


def test_where_a_symbol_points_outside_of_its_source() -> None:
    source = b"one two three four five six seven"
    spans = ((0, 5, 0, 0), (3, 900, 4, 950), (4, 4, 1, 2), (10, 8, 30, 12), (20, 33, 25, 2_000_000))
    definitions = tuple(
        Definition("n", Kind.FUNCTION, -1, -1, start, end, 0, 1, 1, "", doc, doc_end, b"", b"")
        for start, end, doc, doc_end in spans
    )
    same(definitions, source)
    same(definitions, b"")
    with pytest.raises(IndexError):
        READER.read([definitions[0]._replace(start=1 << 40)], source)
    with pytest.raises(IndexError):
        READER.read([definitions[0]._replace(parent=7)], source)
    with pytest.raises((ValueError, TypeError)):
        READER.read([("n", Kind.FUNCTION)], source)
    with pytest.raises(KeyError):
        READER.read([definitions[0]._replace(kind="nothing")], source)
    # A reading that failed leaves nothing behind.
    same(definitions, source)


OFFSETS = st.integers(0, 140)


@st.composite
def symbols(draw: st.DrawFn) -> list[Definition]:
    """Symbols as no language has them."""
    found: list[Definition] = []
    for number in range(draw(st.integers(0, 6))):
        # A start behind the end of the source is none that a parser can give.
        start = draw(st.integers(0, 100))
        found.append(
            Definition(
                draw(st.text("aZ_é9\ud800", min_size=1, max_size=9)),
                draw(st.sampled_from(KINDS)),
                draw(st.integers(-1, number)) if number else -1,
                -1,
                start,
                draw(OFFSETS),
                start,
                1,
                1,
                "",
                draw(OFFSETS),
                draw(OFFSETS),
                draw(st.sampled_from((b"", b"content"))),
                b"",
                draw(st.sampled_from(("", "Owner", "a::Bé"))),
            )
        )
    found.sort(key=lambda d: (d.start, -d.end))
    return [d._replace(parent=min(d.parent, len(found) - 1)) for d in found]


@settings(deadline=None, max_examples=300)
@given(symbols(), st.binary(min_size=100, max_size=130) | st.text("aZ_é9 .(", min_size=100).map(str.encode))
def test_of_whatever_symbols_and_bytes(definitions: list[Definition], source: bytes) -> None:
    same(definitions, source)
    same(definitions, source, reader(max_words=3))
    same_keys(Outline("python", len(source), wording.array("I", [0]), definitions))


def test_what_is_remembered_is_emptied_between_blobs() -> None:
    small = reader(max_words=20)
    for number in range(50):
        source = b" ".join(b"name%dOf%d" % (number % 7, k) for k in range(40)) + b" name longer_name" * 3
        same((), source, small)


def test_two_threads_share_a_reader() -> None:
    shared = reader()
    sources = [b" ".join(b"word%d_%s" % (n, b"ab"[n % 2 :]) for n in range(k, k + 900)) for k in range(40)]
    expected = [wording._plainly_read((), source) for source in sources]
    wrong: list[int] = []

    def read(number: int) -> None:
        wrong.extend(k for k in range(number, len(sources)) if shared.read((), sources[k]) != expected[k])

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_reading_leaves_nothing_behind() -> None:
    source = (ROOT / "src/cuedeck/code/facts.py").read_bytes()
    outline = outline_of(source)
    resource = pytest.importorskip("resource")

    def most() -> int:
        found: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return found

    for _ in range(50):
        READER.read(outline.definitions, source)
        compiled.blob_keys(outline.definitions, _KEYED, _TOLD)
    gc.collect()
    before = most()
    for _ in range(2_000):
        READER.read(outline.definitions, source)
        compiled.blob_keys(outline.definitions, _KEYED, _TOLD)
    assert most() - before < 4096
