"""How a file is cut for memories."""

from __future__ import annotations

import pytest

from cuedeck.code.extraction.chunks import MOST_TOKENS, chunk_file
from cuedeck.search.tokens import count_tokens

LINE = "    value = compute_something(alpha, beta) + another_call(gamma)\n"


def function(name: str, lines: int) -> str:
    return f"def {name}(alpha):\n{LINE * lines}    return value\n\n\n"


def test_functions_and_small_classes_are_chunks_of_their_own() -> None:
    source = (
        '"""Doc."""\nimport os\n\n'
        + function("one", 10)
        + "class A(Base):\n    def m(self):\n        return os.getcwd()\n"
    )
    chunks = chunk_file("pkg/mod.py", source.encode())
    assert [(c.chunk_type, c.qualified_name) for c in chunks] == [("function", "one"), ("class", "A")]
    last = chunks[-1]
    assert (last.language, last.parent, last.dependencies) == ("python", None, ("Base", "getcwd"))
    lines = source.splitlines()
    assert last.text.splitlines()[0] == lines[last.line_start - 1]


def test_a_large_class_is_cut_into_its_methods() -> None:
    methods = "".join(function(f"m{n}", 30).replace("\n", "\n    ") for n in range(8))
    chunks = chunk_file("a.py", f"class Big:\n    '''Doc.'''\n    size = 1\n\n    {methods}\n".encode())
    assert {c.qualified_name for c in chunks if c.chunk_type == "method"} == {f"Big::m{n}" for n in range(8)}
    assert all(c.parent == "Big" for c in chunks if c.chunk_type == "method")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", function("huge", 900)),
        ("a.js", "const x = [" + "1234567, " * 9000 + "];\n"),
        ("a.py", "x = '" + "word " * 40_000 + "'\n"),
        ("notes.txt", "plain text\n" * 4000),
        ("a.py", "x = '" + "é" * 60_000 + "'"),
    ],
)
def test_no_chunk_is_too_large_and_nothing_is_lost(path: str, source: str) -> None:
    chunks = chunk_file(path, source.encode())
    assert all(count_tokens(chunk.text) <= MOST_TOKENS for chunk in chunks)
    assert "".join(source.split()) == "".join("".join(c.text for c in chunks).split())
    assert len({chunk.key for chunk in chunks}) == len(chunks)


def test_keys_survive_edits_elsewhere() -> None:
    before = chunk_file("a.py", (function("one", 12) + function("two", 12)).encode())
    after = chunk_file(
        "a.py", (function("zero", 12) + "\n\n" + function("one", 40) + function("two", 12)).encode()
    )
    keys = {chunk.qualified_name: chunk.key for chunk in before}
    assert {c.qualified_name: c.key for c in after if c.qualified_name in keys} == keys


def test_an_empty_or_broken_file_is_no_error() -> None:
    assert chunk_file("a.py", b"  \n\n") == []
    assert chunk_file("a.py", b"def (((\n")[0].text == "def ((("
    assert chunk_file("a.bin", bytes(range(256)))


@pytest.mark.timeout(20)
def test_a_file_of_ten_thousand_functions_is_cut_in_the_time_of_its_length() -> None:
    source = b"".join(b"def f%d(a):\n    return g%d(a)\n\n\n" % (n, n) for n in range(10_000))
    chunks = chunk_file("many.py", source)
    assert (len(chunks), chunks[-1].line_start, chunks[-1].dependencies) == (10_000, 39_997, ("g9999",))
