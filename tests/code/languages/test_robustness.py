"""Whatever a file holds, extraction ends and says what it could read."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from tests.code.memory_project import MemoryProject

from cuedeck.code.extraction.extract import extract
from cuedeck.code.languages import NAMES, language_named
from cuedeck.code.resolution.choosing import Choosing
from cuedeck.code.resolution.generics import Generics
from cuedeck.code.resolution.values import Value

SAMPLE = """
export class A extends B { m(x) { return this.y[0](x) ?? {a: [1, 2], b: (c) => c.d} } }
func (r *T) M(a int) (b string, err error) { for _, v := range a.b { v.c() } }
pub fn f<T: X>(self: &T) -> Option<Vec<T>> { match x { Some(y) => y.z(), _ => Foo { a, b: 1 } } }
namespace N { class C : D, E { int P { get; set; } void M() { var x = new Y<Z>(); } } }
struct s { int a; } *p; #define F(x) ((x)->a)
local M = {} function M.f(a) return a:b() end return M
"""


@pytest.mark.parametrize("name", NAMES)
def test_half_a_file_shuffled_bytes_and_any_encoding(name: str) -> None:
    language = language_named(name)
    assert language is not None
    chance = random.Random(7)
    whole = SAMPLE.encode()
    sources = [whole[: len(whole) * n // 12] for n in range(12)]
    sources += [bytes(chance.choices(whole, k=400)) for _ in range(20)]
    sources += [
        whole.decode().encode("utf-16-le"),
        whole + b"\xff\xfe\x80",
        "ünï = 'Ω'\n".encode("latin-1", "replace"),
    ]
    sources += [whole.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + whole, b""]
    for source in sources:
        facts = extract(source, language)
        assert facts.outline.size == len(source)
        assert all(0 <= d.start <= d.name_at < d.end <= len(source) for d in facts.outline.definitions)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "piece", ["(", "[", "{", "a(", "a.b(", "if (x) {", "x ? y : ", "a + ", "<a>", "f => "]
)
def test_deep_nesting_ends_soon(name: str, piece: str) -> None:
    language = language_named(name)
    assert language is not None
    begun = time.process_time()
    extract((piece * 200).encode(), language)
    extract(("x = " + piece * 100 + "1").encode(), language)
    assert time.process_time() - begun < 15


def test_types_that_double_at_every_step_end_soon(tmp_path: Path) -> None:
    steps = [f"type T{n}<A> = Un<T{n + 1}<A>[]> | {{ a: T{n + 1}<Un<A>> }}" for n in range(24)]
    (tmp_path / "a.ts").write_text(
        "type Un<T> = T extends (infer U)[] ? Un<U> : T\n"
        + "\n".join(steps)
        + "\ntype T24<A> = A\ndeclare const t: T0<{ z: string }>\nt.a\n"
    )
    project = MemoryProject(tmp_path)
    links = project.links("a.ts")
    begun = time.process_time()
    for number in range(1, len(links.ops)):
        project.linker.evaluate("a.ts", number)
    assert time.process_time() - begun < 15


def test_types_are_held_against_each_other_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    held = Generics._unify_one

    def counted(self: Generics, *given: Any) -> None:
        compared.append(given)
        held(self, *given)

    monkeypatch.setattr(Generics, "_unify_one", counted)
    many = [f"m{n}" for n in range(30)]
    (tmp_path / "a.ts").write_text(
        f"type Wanted<T> = {{ {' '.join(f'{m}: Part<T>;' for m in many)} }}\ntype Part<T> = {{ z: T }}\n"
        f"type Given = {{ {' '.join(f'{m}: Piece;' for m in many)} }}\ntype Piece = {{ z: Found }}\n"
        "class Found { here = 1 }\ndeclare function take<T>(w: Wanted<T>): T\ndeclare const g: Given\n"
        "take(g).here\n"
    )
    project = MemoryProject(tmp_path)
    links = project.links("a.ts")
    [use] = links.sites.get(links.string_numbers["here"])
    assert project.linker.targets("a.ts", use)
    assert len(compared) < 10


def test_a_type_that_parses_a_text_is_not_followed_where_it_cannot_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided: list[object] = []
    decide = Choosing._decide

    def counted(self: Choosing, choice: Value) -> tuple[bool, tuple[Value, ...]]:
        decided.append(choice)
        return decide(self, choice)

    monkeypatch.setattr(Choosing, "_decide", counted)
    (tmp_path / "a.ts").write_text(
        "interface State { root: unknown; end: string | undefined; rest: string; node: Node }\n"
        "interface Node { here: string }\n"
        "type At<S extends State, R> = { root: S['node']; end: S['end']; rest: R; node: S['node'] }\n"
        "type Operand<S extends State> = S['rest'] extends `(${infer R}` ? Until<At<S, R>>\n"
        "  : S['rest'] extends `[${infer R}` ? Until<At<S, R>>\n"
        "  : S['rest'] extends `${infer R}` ? At<S, R> : S\n"
        "type Operator<S extends State> = S['rest'] extends `|${infer R}` ? Operand<At<S, R>>\n"
        "  : S['rest'] extends `&${infer R}` ? Operand<At<S, R>> : S\n"
        "type Next<S extends State> = S['root'] extends undefined ? Operand<S> : Operator<S>\n"
        "type Until<S extends State> = S['end'] extends undefined ? Until<Next<S>> : S\n"
        "declare function parse<T>(of: T): Until<{ root: undefined; end: undefined; rest: T; node: Node }>\n"
        "parse('(a|b)').node.here\n"
    )
    project = MemoryProject(tmp_path)
    links = project.links("a.ts")
    *_, use = links.sites.get(links.string_numbers["here"])
    assert project.linker.targets("a.ts", use)
    assert len(decided) < 60
