"""Keys of objects: references where the expected type has them as a whole, likely ones where it may not."""

from __future__ import annotations

from typing import Any

import pytest
from tests.code.conftest import Ask, Repo

# What each line is for is told by the comment at its end, as scip-typescript lists it: `has` is a reference,
# `lacks` a likely one, `strict` and `exact` are likely where these are set and the other is not.
SOURCE = """
export interface Inner { amount: number; next?: Inner; items?: Inner[]; named?: Record<string, Inner> }
export interface Other { other: number }
type Maybe<T> = T | null
type Either = Inner | Other
type Aliased = Maybe<Inner>
class Holder {
  left?: Inner
  both: Inner | undefined
  run(given?: Inner) {
    this.left = { amount: 1 }  // has
    this.both = { amount: 1 }  // strict
    given = { amount: 1 }  // strict
  }
}
function one(plain: Inner, optional?: Inner) {}
one({ amount: 1 },  // has
  { amount: 1 })  // strict
function two(first: Inner = { amount: 1 }, second: Inner | null = null) {}  // has
two({ amount: 1 },  // strict
  { amount: 1 })  // strict
function rest(...many: Inner[]) {}
rest({ amount: 1 })  // has
const a: Inner = {
  next: { amount: 1 },  // exact
  items: [{ amount: 1 }],  // has
  named: { first: { amount: 1 } },  // has
  amount: 1,  // has
}
const b: Partial<Record<'first', Inner>> = { first: { amount: 1 } }  // exact
const c: (Inner | undefined)[] = [{ amount: 1 }]  // strict
const d: Inner | string = { amount: 1 }  // lacks
const e: Either = { amount: 1 }  // lacks
const f: Aliased = { amount: 1 }  // strict
const g: NonNullable<Aliased> = { amount: 1 }  // has
const h: Inner & Either = { amount: 1, other: 2 }  // has
const i = { amount: 1 } satisfies Inner | string  // lacks
const j = { amount: 1 } as Inner  // has
const k: Inner | never = { amount: 1 }  // has
const l: Inner | (() => void) = { amount: 1 }  // lacks
const m: Readonly<Inner> = { amount: 1 }  // has
async function waited(): Promise<Inner> { return { amount: 1 } }  // lacks
const arrow = async (): Promise<Inner> => ({ amount: 1 })  // lacks
function made(): Inner | undefined { return { amount: 1 } }  // strict
function calls(plain: () => Inner, maybe: () => Inner | undefined, later: () => Promise<Inner>) {}
calls(() => ({ amount: 1 }),  // has
  () => ({ amount: 1 }),  // strict
  async () => ({ amount: 1 }))  // lacks
declare function over(of: string, by?: number): void
declare function over(of: Inner): void
over({ amount: 1 })  // has
const amount = 1
one({ amount },  // has
  { amount })  // strict
one({ ['amount']: 1, get amount() { return 1 } })  // has
interface Outer { inner: Inner; more: number }
const n: Outer = { inner: { amount: 1 }, more: 1 }  // has
const o: Partial<Outer> = { inner: { amount: 1 } }  // exact
interface Events { first: Inner }
type Told<T> = { type: T } & (T extends keyof Events ? { told: Inner } : { told?: any })
declare function tell<T extends keyof Events | string>(what: Told<T>): void
tell({ type: 'first', told: { amount: 1 } })  // has
const p: Omit<Partial<Outer>, 'more'> & Other = { other: 1, inner: { amount: 1 } }  // exact
type Many<T> = readonly T[] | T
type Key = 'a' | 'b'
interface Tables { one: { [K in Key]: Inner }; text: { [K in Key]: Inner | string }; many: Named<Inner> }
type Named<T> = { [K in Key]: Many<string | T> }
const q: Tables = {
  one: { a: { amount: 1 } },  // has
  text: { a: { amount: 1 } },  // lacks
  many: { a: [{ amount: 1 }] },  // lacks
}
const r: Many<Inner> = [{ amount: 1 }]  // has
type Prompt<Given, Asked> = (config: Asked) => Promise<Given>
declare function render<V, C>(prompt: Prompt<V, C>, config: C): V
declare function ask(config: Inner): Promise<string>
render(ask, { amount: 1 })  // lacks
render<string, Inner>(ask, { amount: 1 })  // has
declare function render2<C>(config: C, prompt: (config: C) => void): void
render2({ amount: 1 }, ask)  // lacks
declare function same<T>(one: T, other: T): void
same(r as Inner, { amount: 1 })  // has
declare function all<T extends Inner[]>(...many: T): void
all({ amount: 1 }, { amount: 1 })  // lacks
all<Inner[]>({ amount: 1 })  // has
"""
USES = [
    (number, line) for number, line in enumerate(SOURCE.splitlines(), 1) if "amount" in line and "//" in line
]
WORDS = {
    "loose": ('{"compilerOptions": {}}', {"lacks"}),
    "strict": ('{"compilerOptions": {"strict": true}}', {"lacks", "strict", "exact"}),
    "exact": (
        '{"compilerOptions": {"strict": true, "exactOptionalPropertyTypes": true}}',
        {"lacks", "strict"},
    ),
}


def told(words: set[str]) -> tuple[list[int], list[int]]:
    likely = [number for number, line in USES if line.rpartition("// ")[2] in words]
    return [number for number, _ in USES if number not in likely], likely


def asked_at_its_place(ask: Ask, name: str, path: str) -> dict[str, Any]:
    named = ask("find_references", symbol_name=name, path=path, limit=100)
    line = named["symbol"]["line_start"]
    placed: dict[str, Any] = ask("find_references", symbol_name=name, path=path, line=line, limit=100)
    both = [*placed["references"], *(each for each in placed["possible"] if each.get("why") == "key")]
    assert len(named["references"]) == len(both)
    return placed


def found(ask: Ask) -> tuple[list[int], list[int]]:
    answer = asked_at_its_place(ask, "Inner.amount", "keys.ts")
    keys = [each for each in answer["possible"] if each.get("why") == "key"]
    assert all(each["likely"] for each in keys)
    return (
        sorted({each["line_start"] for each in answer["references"]}),
        sorted({each["line_start"] for each in keys}),
    )


CONFIGURED = {
    "none": ({}, False),
    "of JavaScript": ({"jsconfig.json": '{"compilerOptions": {"strict": true}}'}, False),
    "one that says so": ({"tsconfig.json": '{"compilerOptions": {"strict": true}} // so'}, True),
    "the part": ({"tsconfig.json": '{"compilerOptions": {"strictNullChecks": true}}'}, True),
    "all but that": (
        {"tsconfig.json": '{"compilerOptions": {"strict": true, "strictNullChecks": false}}'},
        False,
    ),
    "extended": (
        {
            "tsconfig.json": '{"extends": "./base"}',
            "base.json": '{"extends": ["./loose.json", "./strict.json"]}',
            "strict.json": '{"compilerOptions": {"strict": true}}',
            "loose.json": '{"compilerOptions": {"strict": false}}',
        },
        True,
    ),
    "listed": (
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": '{"compilerOptions": {"strict": true}}',
        },
        True,
    ),
    "of a package": ({"tsconfig.json": '{"extends": "@tsconfig/node20/tsconfig.json"}'}, True),
    "of a package here": (
        {
            "tsconfig.json": '{"extends": "@shop/tsconfig/base.json"}',
            "packages/config/package.json": '{"name": "@shop/tsconfig"}',
            "packages/config/index.ts": "export {}",
            "packages/config/base.json": '{"compilerOptions": {"strict": false}}',
        },
        False,
    ),
}


@pytest.mark.parametrize("word", CONFIGURED)
def test_nothing_counts_where_the_nearest_configuration_says_so(ask: Ask, repo: Repo, word: str) -> None:
    files, strict = CONFIGURED[word]
    for path, text in files.items():
        repo.put(path, text)
    repo.put("keys.ts", "interface Inner { amount: number }\nconst a: Inner | undefined = { amount: 1 }\n")
    assert found(ask) == (([], [2]) if strict else ([2], []))


def test_a_configuration_may_change(ask: Ask, repo: Repo) -> None:
    repo.put("keys.ts", "interface Inner { amount: number }\nconst a: Inner | null = { amount: 1 }\n")
    repo.put("tsconfig.json", '{"compilerOptions": {"strict": true}}')
    assert found(ask) == ([], [2])
    repo.put("tsconfig.json", '{"compilerOptions": {"strict": false}}')
    assert found(ask) == ([2], [])


def test_types_that_refer_to_themselves_come_to_an_end(ask: Ask, repo: Repo) -> None:
    repo.put(
        "keys.ts",
        "interface Inner { amount: number }\ntype A = (Inner | string) & B\ntype B = (Inner | number) & A\n"
        "type C = C | Inner\nconst a: A = { amount: 1 }\nconst c: C = { amount: 1 }\n"
        "type D<T> = T | D<T | null>\nconst d: D<Inner> = { amount: 1 }\n",
    )
    references, likely = found(ask)
    assert sorted(references + likely) == [5, 6, 8]


def test_attributes_of_components_and_what_is_taken_apart_are_references(ask: Ask, repo: Repo) -> None:
    repo.put("tsconfig.json", '{"compilerOptions": {"strict": true}}')
    repo.put(
        "keys.tsx",
        "interface Inner { amount?: number; style?: Style }\n"
        "interface Style { size: number }\n"
        "function Box(given: Inner | undefined) { const { amount } = given!; return given!.amount }\n"
        "const made = <Box amount={1} style={{ size: 1 }} />\n",
    )
    answer = asked_at_its_place(ask, "Inner.amount", "keys.tsx")
    assert [each["line_start"] for each in answer["references"]] == [3, 3, 4]
    answer = asked_at_its_place(ask, "Style.size", "keys.tsx")
    assert (answer["references"], [each["why"] for each in answer["possible"]]) == ([], ["key"])


@pytest.mark.parametrize("word", WORDS)
def test_a_key_is_a_reference_where_what_is_expected_has_it_as_a_whole(
    ask: Ask, repo: Repo, word: str
) -> None:
    configuration, words = WORDS[word]
    repo.put("tsconfig.json", configuration)
    repo.put("keys.ts", SOURCE)
    assert found(ask) == told(words)
