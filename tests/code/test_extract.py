"""What is read from source, whole, broken or hostile."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from code_samples import SAMPLES

from cuedeck.code.anchors import facts_of, local_name, symbol_anchors
from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.extraction.draft import MAX_SIGNATURE, Draft
from cuedeck.code.extraction.extract import MAX_BYTES
from cuedeck.code.extraction.generated import is_secondary
from cuedeck.code.extraction.packing import pack, unpack_lines, unpack_links, unpack_outline
from cuedeck.code.facts import Facts, ScopeKind
from cuedeck.code.languages import NAMES, PLACES, language_named, language_of, language_of_source


@pytest.mark.parametrize("path", SAMPLES)
def test_every_language_yields_its_symbols(path: str) -> None:
    source, expected = SAMPLES[path]
    found = [f"{a.kind} {a.qualified_name}" for a in symbol_anchors(path, source.encode())]
    assert sorted(found) == sorted(expected.split(", "))


@pytest.mark.parametrize(
    ("path", "source", "told"),
    [
        (
            "a.ts",
            "export const c = { port: 80, 'a-b': 1, run() {}, deep: { x: 1, go: () => 1 }, other } as const;",
            "variable c, field c::port, method c::run, field c::deep, method c::deep::go",
        ),
        ("a.ts", "const c: Config = { port: 80, run() {} };", "variable c, method c::run"),
        (
            "a.js",
            "var a = exports.b = { c() {} }; function f() { return { d: 1, e() {} } }",
            "variable a, variable b, method a::c, fn f, method f::e",
        ),
        (
            "a.js",
            "function C() {}\nC.prototype.x = 1;\nObject.defineProperty(C.prototype, 'y', { get() {} });\n"
            "Object.defineProperty(exports, 'z', { get: function () {} });\n"
            "Object.defineProperty(exports, '__esModule', { value: true });",
            "fn C, field C::x, property C::y, method C::y::get, property z, method z::get",
        ),
        ("a.js", "const table = {" + ", ".join(f"k{n}: {n}" for n in range(101)) + "};", "variable table"),
        (
            "a.c",
            "struct S { int (*call)(int); int *(*make)(void); };\nint (*handler)(int);\nint (plain)(int);\n"
            "int (*getter(void))(int);\nint *give(void);\n",
            "struct S, field S::call, field S::make, variable handler, fn plain, fn getter, fn give",
        ),
        (
            "a.cpp",
            "struct S { void (S::*call)(int); int &give(); };",
            "struct S, field S::call, method S::give",
        ),
        ("a.swift", "let a = 1, b: Int = 2\n", "variable a, variable b"),
        ("a.swift", "protocol P { associatedtype C: Q }\n", "interface P, type P::C"),
        (
            "a.lua",
            "do\n  local function f() end\n  if x then local g = function() end end\nend\n",
            "fn f, fn g",
        ),
        ("a.rb", "A, B = 1, 2\n", "const A, const B"),
    ],
)
def test_symbols_of_objects_and_declarators(path: str, source: str, told: str) -> None:
    found = [f"{a.kind} {a.qualified_name}" for a in symbol_anchors(path, source.encode())]
    assert sorted(found) == sorted(told.split(", "))


def test_each_language_is_found_by_its_endings() -> None:
    assert {language_of(path) for path in SAMPLES} == set(NAMES)
    for name, place in PLACES.items():
        language = language_named(name)
        assert language is not None and language.name == name
        assert all(language_of("x/y" + ending) == name for ending in place.endings)
    assert language_of("README.md") is None
    assert language_of_source("run", b"#!/usr/bin/env python3\n") == "python"
    assert language_of_source("run", b"#!/bin/sh -e\n") == "bash"
    assert language_of_source("x.h", b"namespace a { class B {}; }\n") == "cpp"


def test_a_remark_after_the_head_is_not_of_the_signature() -> None:
    source = b"""
def f(a):  # noqa: C901
    pass
def g(
    a,  # the first: kept
) -> "x:y":
    # What it does: nothing.
    pass
class C:  # type: ignore
    pass
"""
    facts = facts_of("m.py", source)
    assert facts is not None
    assert [d.signature for d in facts.outline.definitions] == [
        "def f(a)",
        'def g( a, # the first: kept ) -> "x:y"',
        "class C",
    ]


@pytest.mark.parametrize(
    "source",
    [
        f"def f({', '.join(f'argument_{n}' for n in range(40))}):\n    pass\n",
        "def f(" + "".join("\n" + " " * 60 + f"a{n}," for n in range(40)) + "):\n    pass\n",
        f"def f(a={'ä' * 400!r}):\n    pass\n",
    ],
)
def test_a_signature_that_is_cut_has_a_mark(source: str) -> None:
    facts = facts_of("m.py", source.encode())
    assert facts is not None
    signature = facts.outline.definitions[0].signature
    assert signature.startswith("def f(") and signature.endswith("…") and len(signature) <= MAX_SIGNATURE
    assert "\N{REPLACEMENT CHARACTER}" not in signature


def test_a_prototype_is_shown_whole_and_a_long_value_with_a_mark() -> None:
    head = b"int parse(void *user, const char *section, const char *name,\n    const char *value, int line)"
    facts = facts_of("m.h", head + b";\nint primes[] = {" + b"1009, " * 30 + b"2};\n")
    assert facts is not None
    prototype, primes = facts.outline.definitions
    assert prototype.signature == " ".join(head.decode().split())
    assert primes.signature.startswith("int primes[] = {1009") and primes.signature.endswith("…")


@pytest.mark.parametrize(
    ("written", "head"),
    [
        ("int f(int a\n#if MORE\n, int b\n#endif\n)\n{ return 1; }\n", "int f(int a , int b )"),
        ("int f(int a)\n#if MORE\nQUICK\n#else\nSLOW\n#endif\n{ return 1; }\n", "int f(int a) QUICK"),
    ],
)
def test_a_signature_is_without_lines_of_the_preprocessor(written: str, head: str) -> None:
    facts = facts_of("m.c", written.encode())
    assert facts is not None
    assert facts.outline.definitions[0].signature == head


@pytest.mark.parametrize("path", ["config.ru", "x/Vagrantfile", "thing.podspec", "Rakefile"])
def test_files_of_ruby_tools_are_ruby(path: str) -> None:
    assert language_of(path) == "ruby"


def test_definitions_tell_signature_range_and_doc() -> None:
    source = b"import x\n\n@deco\nasync def f(a, b=1) -> int:\n    '''Says hello.'''\n    return a\n"
    facts = facts_of("m.py", source)
    assert facts is not None
    (d,) = facts.outline.definitions
    assert (d.name, d.line_start, d.line_end) == ("f", 3, 6)
    assert d.signature == "async def f(a, b=1) -> int"
    assert source[d.doc_start : d.doc_end] == b"'''Says hello.'''"


def test_hashes_tell_layout_from_content_and_names_from_bodies() -> None:
    def hashes(source: bytes) -> tuple[bytes, bytes]:
        facts = facts_of("m.py", source)
        assert facts is not None
        return facts.outline.definitions[0].content, facts.outline.definitions[0].shape

    plain = hashes(b"def f(a):\n    return h(a)\n")
    assert hashes(b"def f( a ):\n    return h( a )\n")[1] == plain[1]
    assert hashes(b"def f( a ):\n    return h( a )\n")[0] != plain[0]
    assert hashes(b"def g(a):\n    return h(a)\n")[1] == plain[1]
    assert hashes(b"def f(a):\n    return h(b)\n")[1] != plain[1]


@pytest.mark.parametrize("path", SAMPLES)
def test_packed_facts_come_back_the_same(path: str) -> None:
    facts = facts_of(path, SAMPLES[path][0].encode())
    assert facts is not None
    packed = pack(facts)
    outline = unpack_outline(packed)
    assert tuple(outline.definitions) == facts.outline.definitions
    assert [outline.definitions[n] for n in range(len(outline.names))] == [*facts.outline.definitions]
    assert replace(outline, definitions=()) == replace(facts.outline, definitions=())
    again = Facts(unpack_outline(packed), unpack_links(packed))
    assert pack(again) == packed
    assert again.links.strings == facts.links.strings
    assert list(again.links.scope_rows()) == list(facts.links.scope_rows())
    assert list(again.links.imports) == list(facts.links.imports)
    assert list(unpack_lines(packed)) == list(facts.outline.lines)
    assert list(again.links.a) == list(facts.links.a)


@pytest.mark.parametrize("path", SAMPLES)
def test_broken_source_never_fails_and_keeps_what_can_be_read(path: str) -> None:
    whole = (SAMPLES[path][0] * 3).encode()
    chance = random.Random(path)
    for cut in range(0, len(whole), max(1, len(whole) // 25)):
        assert facts_of(path, whole[:cut]) is not None
        assert facts_of(path, whole[cut:]) is not None
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.choice(
                b"(){}[]<>;:.,@\"'\\\n\t \x00\xff=+*&|!#$a1"
            )
        facts = facts_of(path, bytes(damaged))
        assert facts is not None
        for number in range(len(facts.outline.definitions)):
            assert local_name(facts.outline.definitions, number)
        pack(facts)


def test_a_half_typed_file_keeps_its_other_symbols() -> None:
    source = b"def before(): pass\n\ndef half(\n\nclass After:\n    def m(self): pass\n"
    names = {a.name for a in symbol_anchors("m.py", source)}
    assert {"before", "m"} <= names


DEEP = {
    "parentheses": ("a.py", "def one(): pass\nx = " + "(" * 30_000 + ")" * 30_000 + "\ndef two(): pass\n"),
    "attributes": ("a.py", "def one(): pass\nx = a" + ".b" * 30_000 + "\ndef two(): pass\n"),
    "sum": ("a.py", "def one(): pass\nx = " + "+".join(["a"] * 30_000) + "\ndef two(): pass\n"),
    "blocks": ("a.c", "int one() {" + "{" * 30_000 + "}" * 30_000 + "}\nint two() { return 1; }\n"),
    "else-if": ("a.js", "function one() {}\nif (a) {}" + " else if (b) {}" * 2_000 + "\nfunction two() {}\n"),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_reported_and_the_rest_is_read(kind: str) -> None:
    path, source = DEEP[kind]
    started = time.process_time()
    facts = facts_of(path, source.encode())
    assert time.process_time() - started < 20
    assert facts is not None
    assert {"one", "two"} <= {d.name for d in facts.outline.definitions}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"x = 1\n" * (MAX_BYTES // 6 + 1), "larger than"),
        (b"x = '" + b"a" * 200_000 + b"'\n", "a line longer"),
        (b"\x00\x01\x02" * 100, "binary"),
    ],
)
def test_files_that_make_no_sense_are_named_not_parsed(source: bytes, problem: str) -> None:
    facts = facts_of("a.py", source)
    assert facts is not None
    assert facts.outline.problem is not None
    assert problem in facts.outline.problem
    assert not facts.outline.definitions


def test_a_file_that_is_too_large_is_searched_by_its_beginning() -> None:
    blob = analyse_blob("0" * 40, "a.py", "python", b"alpha = 1\n" * (MAX_BYTES // 10 + 1) + b"zebra = 1\n")
    assert "alpha" in blob.words.words
    assert "zebra" not in blob.words.words


def test_a_small_file_that_defeats_the_parser_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    from cuedeck.code.extraction import parsing

    monkeypatch.setattr(parsing, "_LEAST_SECONDS", 0.2)
    facts = facts_of("a.py", b"def good():\n    return 1\n\n\n" + b"a?" * 40_000)
    assert facts is not None
    assert facts.outline.problem is not None
    assert facts.outline.problem.startswith("read in part")


@pytest.mark.parametrize("path", ["a.py", "A.cs", "a.rb", "a.sh", "a.rs", "a.js"])
def test_what_is_parsed_without_a_deadline_would_have_met_it(path: str) -> None:
    started = time.thread_time()
    facts = facts_of(path, b"x)" * 2048)
    assert time.thread_time() - started < 2
    assert facts is not None
    assert facts.outline.problem is None


def test_a_source_says_the_same_whether_it_is_handed_over_whole_or_in_pieces() -> None:
    source = SAMPLES["a.py"][0].encode()
    short = facts_of("a.py", source)
    long = facts_of("a.py", source + b"# and so on\n" * 1000)
    assert short is not None
    assert long is not None
    assert long.links == short.links
    assert long.outline.definitions == short.outline.definitions


def test_names_with_strange_bytes_are_kept_apart() -> None:
    for strange in (b"a\0b", b"\xff", "é".encode()):
        draft = Draft(b"")
        draft.scope(ScopeKind.MODULE, -1)
        numbers = [draft.intern(text) for text in (b"one", strange, b"two")]
        strings = draft.finish("python", broken=False).links.strings
        told = [strings[number].encode("utf-8", "surrogateescape") for number in numbers]
        assert told == [b"one", strange, b"two"]


def test_generated_and_vendored_files_are_recognised() -> None:
    facts = facts_of("a.go", b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage p\n")
    assert facts is not None
    assert facts.outline.generated
    assert all(
        is_secondary(path) for path in ("vendor/x/a.go", "a/node_modules/b.js", "x_pb2.py", "jquery.min.js")
    )
    assert not any(is_secondary(path) for path in ("src/a.go", "vendors.py", "distance/a.py"))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.js", "require()\nconst x = await import()\n(())\nconst y = require\n"),
        ("a.ts", "type T = U[''];\nimport x = require();\nlet z: V[`a`];\n"),
        ("a.go", "package p\nfunc (s *) M() {}\nfunc (s ()) N() {}\n"),
    ],
)
def test_what_lacks_its_only_part_is_read_all_the_same(path: str, source: str) -> None:
    assert facts_of(path, source.encode()) is not None


def test_a_mistake_of_ours_costs_one_file_not_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    from cuedeck.code.extraction import extract

    def fail(*_: object) -> None:
        raise IndexError("child index out of range")

    monkeypatch.setattr(extract, "_facts", fail)
    read = facts_of("a.py", b"x = 1\n")
    assert read is not None
    assert read.outline.problem == "could not be read: IndexError"
    assert not read.outline.definitions


def test_what_a_module_names_by_a_loop_or_a_file_it_opens_is_defined() -> None:
    source = (
        b"for key, value in {}.items():\n    print(key)\n"
        b"with open('a') as file:\n    file.read()\n"
        b"try:\n    pass\nexcept OSError as error:\n    print(error)\n"
        b"def f():\n    for inner in ():\n        pass\n"
    )
    outline = facts_of("m.py", source).outline
    assert [(d.name, outline.line_of(d.name_at)) for d in outline.definitions] == [
        ("key", 1),
        ("value", 1),
        ("file", 3),
        ("error", 7),
        ("f", 9),
    ]
