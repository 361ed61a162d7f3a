"""Sound source is parsed without the runtime's parser, into the very tree that the runtime makes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from code_samples import SAMPLES

from cuedeck.code.extraction.grammars import native_parser_of
from cuedeck.code.languages import language_named, language_of_source
from cuedeck.native import native

pytestmark = pytest.mark.skipif(native() is None, reason="cuedeck-native is not installed for this source")


def parser_for(name: str, source: bytes = b"") -> Any:
    language = language_named(language_of_source(name, source) or "")
    assert language is not None
    return native_parser_of(language)


def same(parser: Any, source: bytes) -> Any:
    """The root as it is parsed by default, once the runtime has agreed."""
    from cuedeck_native.tree import same_tree

    found, complete = parser.parse(source, 10.0)
    runtime, _ = parser.parse(source, 10.0, False)
    assert complete
    assert not runtime.read_directly
    assert same_tree(found, runtime)
    return found


def test_every_language_is_parsed_directly() -> None:
    for name, (text, _) in SAMPLES.items():
        source = text.encode()
        found = same(parser_for(name, source), source)
        assert found.read_directly != found.has_error, name


# What Python's grammar reads in more ways than one for a while, or to the end.
AMBIGUOUS = [
    "print(a)\n",
    "print (a), b\n",
    "print(a, *b)\nprint(c)\n",
    "print >> f, a\n",
    "exec(a)\n",
    "exec a in b\n",
    "match = case = type = 1\nmatch(a)\nmatch[a]\ncase(b)\ntype(c)\n",
    "match a, b:\n    case [c, *d]: pass\n    case {'e': f, **g} if h: pass\n    case _: pass\n",
    "type A[T] = list[T]\n",
    "with (a as b, c() as d): pass\nwith (a, b): pass\nwith (yield a): pass\nwith (a): pass\n",
    "(a, b), [c, *d] = e\nfor (f, g), h in i: j, k = l\n",
    "a, b = c, d = e\na.b[c], *d = e\n",
    "lambda a, *b, c=1, **d: (a, b)\n",
    "async def f():\n    async with a as b: await c\n    return [d async for d in e]\n",
    "def f(a, /, b: int = 1, *, c, **d) -> e: ...\n",
    "f'{a!r:>{b}} {{}} {c=}' rb'd' '''e\n'''\n",
    "@a.b(c)\nclass D[E](F, metaclass=G): h: i = j\n",
    "try: a\nexcept* (b, c) as d: e\nelse: f\nfinally: g\n",
    "if a:\n    if b:\n        c\n# d\n    # e\nf\n",
    "await_ = not_ = 1\nx = not a in b is not c if d else (yield)\n",
]


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_readings_are_chosen_as_the_runtime_chooses(text: str) -> None:
    parser = parser_for("a.py")
    for source in (
        text,
        text * 30,
        text.replace("\n", "\r\n"),
        "\ufeff" + text,
        "# é\n" + text,
        "\n\n" + text,
    ):
        found = same(parser, source.encode())
        assert found.read_directly != found.has_error


STRANGE = {
    "nothing.py": b"",
    "blank.py": b"\n\n\r\n\t\n",
    "mark.py": b"\xef\xbb\xbf",
    "no_newline.py": b"def f():\n    pass",
    "names.py": "é = 名前 = 1\nclass Ünï: pass\n".encode(),
    "bytes.py": b"a = '\xff\xfe'  # \xc3\n",
    "cut.py": b"a = '\xf0\x9f",
    "nul.py": b"a = 1\x00\nb = 2\n",
    "open.py": b"def f(:\n  x = (",
    "tabs.py": b"if a:\n\tb\n        c\n",
    "deep.py": b"f(" * 2000 + b"1" + b")" * 2000,
    "long.py": b"a = [" + b"1, " * 30_000 + b"]\n",
    "lines.js": b"a\n++b\nreturn_\n`x${`y${z}`}`\nlet c = d\n/e/f\n",
    "column.rb": b"a = <<~B + <<C\n  d #{e}\n  B\nf\nC\n",
    "heredoc.sh": b"cat <<-A <<'B'\n\tx $y\n\tA\nz\nB\n",
    "raw.cpp": b'auto a = R"x(b)" )x"; a < b > (c); T * d; f(g) * h;\n',
    "raw.rs": b'let a = r##"b"# "##; c::<D>(e);\n',
    "string.lua": b"a = [==[ b ]] ]==]\n--[[ c ]]\n",
    "text.php": b"<p><?php echo $a ?></p>\n",
    # Readings that end one after the other: a class, and an expression that `class` names.
    "ends.kt": (
        b'@a@b("")\nclass c{fun d(){d()({e:f->})()}\nfun g(){}\n'
        b"@h fun i(){{override fun j(k:l):m}}\nfun n(){}\nfun o(){}\n}\n"
    ),
    "generic.cs": b"class A { void B() { C<D> e = f < g > (h); (I) j; } }\n",
}


def test_strange_sources_are_the_same() -> None:
    for name, source in STRANGE.items():
        same(parser_for(name, source), source)


def test_torn_sources_are_left_to_the_runtime() -> None:
    chosen = random.Random(5)
    torn = 0
    for name, (text, _) in SAMPLES.items():
        source = text.encode()
        parser = parser_for(name, source)
        for _ in range(12):
            place = chosen.randrange(len(source))
            found = same(parser, source[:place] + source[place + chosen.randrange(1, 9) :])
            assert not (found.read_directly and found.has_error)
            torn += found.has_error
    assert torn > 20


def test_large_sources_are_left_to_the_runtime() -> None:
    parser = parser_for("a.py")
    assert same(parser, b"a = 1\n" * 20_000).read_directly
    assert not same(parser, b"a = 1\n" * 200_000).read_directly


def test_a_source_that_takes_too_long_is_cut() -> None:
    parser = parser_for("a.py")
    found, complete = parser.parse(b"a = [1, 2, 3]\n" * 60_000, 0.0)
    assert not complete
    assert not found.read_directly
