"""The compiled accelerator finds the same facts as Python, and is used only for what it was made from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from code_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.code.extraction import wording
from cuedeck.native import installed, native
from cuedeck.search.analyser import MAX_WORD, stem

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(native() is None, reason="cuedeck-native is not installed for this source")

# Facts and words of every file named on standard input, as a digest each.
DIGESTS = """
import json, sys
from hashlib import sha256
from pathlib import Path
from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.extraction.draft import Walk
from cuedeck.code.languages import language_of, language_of_source

found = {}
for name in json.load(sys.stdin):
    source = Path(name).read_bytes()
    language = language_of_source(name, source)
    if language is None:
        continue
    blob = analyse_blob("0" * 40, name, language, source)
    words = blob.words
    told = [blob.symbols, blob.problem, blob.facts.hex(), blob.uses, blob.defines, words.words]
    told += [part.hex() for part in (words.held, words.places, words.lengths, words.kinds, words.keys)]
    found[name] = sha256(json.dumps(told).encode()).hexdigest()
found["made of"] = type(Walk.__dict__["only"]).__name__
json.dump(found, sys.stdout)
"""


def digests(files: list[Path], **environment: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS],
        input=json.dumps([str(file) for file in files]),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def same(files: list[Path]) -> None:
    compiled, plain = digests(files), digests(files, CUEDECK_NATIVE="off")
    assert plain.pop("made of") == "function"
    assert compiled.pop("made of") != "function"
    assert len(compiled) == len(files)
    assert compiled == plain


def test_every_language_has_the_same_facts(tmp_path: Path) -> None:
    files = []
    for name, (source, _) in SAMPLES.items():
        whole, cut, torn = (tmp_path / kind / name for kind in ("whole", "cut", "torn"))
        for file in (whole, cut, torn):
            file.parent.mkdir(exist_ok=True)
        whole.write_text(source * 40, encoding="utf-8")
        cut.write_text(source[: len(source) * 2 // 3], encoding="utf-8")
        torn.write_text(source[::-1], encoding="utf-8")
        files += [whole, cut, torn]
    same(files)


def test_this_project_has_the_same_facts() -> None:
    same(sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.js")])[::3])


STRANGE = {
    "empty.py": b"",
    "blank.py": b"\n\n\r\n",
    "no_end.py": b"def f(:\n  x = (",
    "bytes.py": b"\xff\xfe = 1\ndef \xc3\xa9(): pass\nname\xf0\x9f\x98\x80 = 2\n",
    "windows.py": b"class A:\r\n    def b(self):\r\n        return self.c\r\n",
    "tabs.py": b"\tdef f():\n\t\treturn 1\n",
    "long.py": b"x" * 300 + b" = 1\n" + b"a." * 3000 + b"b\n",
    "quoted.py": b"def f(a: 'List[\"B\"]', b: 'x.y | None') -> 'C': ...\n",
    "deep.py": b"f(" * 3000 + b"1" + b")" * 3000,
    "deeper.js": b"[" * 3000 + b"1" + b"]" * 3000,
    "match.py": b"match a.b:\n  case C(d=e) | F() as g if h:\n    pass\n  case [x, *y]:\n    pass\n",
    "broken.ts": b"class A { b<C>(d: E[]): F | { g: H } {",
    "errors.go": b"package p\nfunc (a *B) c( { := }\n",
}


def test_strange_sources_have_the_same_facts(tmp_path: Path) -> None:
    for name, source in STRANGE.items():
        (tmp_path / name).write_bytes(source)
    same(sorted(tmp_path.iterdir()))


# Grows by some kilobytes for each tree of which the runtime's memory is kept: all nodes stand in one.
GROWTH = """
import resource
from cuedeck.code.extraction.grammars import native_parser_of
from cuedeck.code.languages import language_named

parser = native_parser_of(language_named("javascript"))
source = b"} ) ] if " * 500
most = []
for turn in range(400):
    assert parser.parse(source, 60.0)[0].has_error
    most.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(most[-1] - most[9], most[-1])
"""


def test_a_broken_source_takes_no_memory_once_it_is_read() -> None:
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True)
    grown, whole = map(int, done.stdout.split())
    assert grown < whole / 20


def test_source_of_another_version_is_not_taken_for_what_was_compiled(tmp_path: Path) -> None:
    package = installed()
    assert package is not None
    for name in package.sources.SOURCES:
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / "src" / "cuedeck" / name).read_bytes())
    assert package.is_made_from(tmp_path)
    with (tmp_path / "code" / "facts.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not package.is_made_from(tmp_path)
    assert not package.is_made_from(tmp_path / "nowhere")


def test_a_package_that_is_not_whole_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    package = installed()
    assert package is not None
    assert package.is_made_from(ROOT / "src" / "cuedeck")
    monkeypatch.setattr(package, "FILES", [*package.FILES, "tree.lost"])
    assert not package.is_made_from(ROOT / "src" / "cuedeck")


def test_nodes_are_what_the_binding_says_they_are() -> None:
    from cuedeck.code.extraction.grammars import grammar_of, native_parser_of, parser_of
    from cuedeck.code.languages import language_named, language_of_source

    compared = 0
    for name, (text, _) in SAMPLES.items():
        source = text.encode()
        language = language_named(language_of_source(name, source) or "")
        assert language is not None
        parser = native_parser_of(language)
        assert parser is not None
        found, complete = parser.parse(source, 2.0)
        assert complete
        grammar = grammar_of(language)
        fields = [grammar.field_name_for_id(number + 1) for number in range(grammar.field_count)]
        pairs = [(found, parser_of(language).parse(source).root_node)]
        while pairs:
            mine, theirs = pairs.pop()
            compared += 1
            for what in (
                "type",
                "kind_id",
                "start_byte",
                "end_byte",
                "start_point",
                "end_point",
                "is_named",
                "is_missing",
                "is_error",
                "has_error",
                "named_child_count",
            ):
                assert getattr(mine, what) == getattr(theirs, what), (name, theirs, what)
            assert (mine.parent is None) == (theirs.parent is None)
            assert mine.parent is None or mine.parent.start_byte == theirs.parent.start_byte
            above = theirs.prev_named_sibling
            assert (mine.prev_named_sibling is None) == (above is None)
            for field in fields:
                first, ours = theirs.child_by_field_name(field), mine.child_by_field_name(field)
                assert (first is None) == (ours is None), (name, theirs, field)
                assert first is None or (ours.start_byte, ours.kind_id) == (first.start_byte, first.kind_id)
                assert [each.start_byte for each in mine.children_by_field_name(field)] == [
                    each.start_byte for each in theirs.children_by_field_name(field)
                ]
            assert [each.kind_id for each in mine.named_children] == [
                each.kind_id for each in theirs.named_children
            ]
            pairs += zip(mine.children, theirs.children, strict=True)
    assert compared > 700


@given(st.text(alphabet="aBcDéX_19", max_size=24))
def test_names_are_cut_alike(name: str) -> None:
    from cuedeck_native.names import Naming, Saying

    said = Saying(wording._SAID, wording._said, MAX_WORD)
    naming = Naming(wording._Stems(), stem, wording.name_words, MAX_WORD)
    for longer in (name, name * 9):
        assert said.of(longer.encode()) == wording._said(longer.encode())
        assert naming.of(longer) == wording.name_words(longer)


def test_a_node_that_is_missing_is_an_exception_as_in_python() -> None:
    from cuedeck.code.extraction.grammars import table_of
    from cuedeck.code.languages import language_named

    python = language_named("python")
    assert python is not None
    walk: Any = python.walk(b"x", table_of(python))
    for handler in (walk.visit, walk.children, walk.only, walk.call, walk.attribute, walk.function):
        with pytest.raises((AttributeError, TypeError)):
            handler(None, 0)
    with pytest.raises(AttributeError):
        walk.assign(None, 0, 0, 0)
    with pytest.raises((IndexError, TypeError)):
        walk.last_name(1 << 40)
    for handler in set(walk.table) - {type(walk).nothing}:
        with pytest.raises((AttributeError, TypeError)):
            handler(walk, None, 0, 0)
