"""What conditions leave of a union, in TypeScript projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

_SHAPES = """
        === shapes.ts
        export interface Circle { kind: 'circle'; size: number } // <def circle>
        export interface Square { kind: 'square'; size: number } // <def square>
        export type Shape = Circle | Square
        === use.ts
        import { Shape } from './shapes'
"""


def _check(project: Project, body: str) -> None:
    written = project(_SHAPES + body)
    written.check("circle", "size")
    written.check("square", "size")


def test_a_discriminant_in_branches_and_after_them(project: Project) -> None:
    _check(
        project,
        """
        export function f(shape: Shape) {
          shape.size // <circle> <square>
          if (shape.kind === 'circle') {
            shape.size // <circle>
          } else {
            shape.size // <square>
          }
          if (shape.kind !== 'square') return shape.size // <circle>
          shape.size // <square>
        }
        """,
    )


def test_a_discriminant_in_expressions(project: Project) -> None:
    _check(
        project,
        """
        export const a = (shape: Shape) => shape.kind === 'circle' && shape.size // <circle>
        export const b = (shape: Shape) => shape.kind === 'circle' || shape.size // <square>
        export const c = (shape: Shape) => !(shape.kind === 'circle')
          ? shape.size // <square>
          : shape.size // <circle>
        export const d = (s: { shape: Shape }) => s.shape?.kind === 'circle' && s.shape.size // <circle>
        """,
    )


def test_a_discriminant_in_a_switch(project: Project) -> None:
    _check(
        project,
        """
        export function f(shape: Shape) {
          switch (shape.kind) {
            case 'circle':
              return shape.size // <circle>
            default:
              return shape.size // <square>
          }
        }
        export function g(shape: Shape) {
          switch (shape.kind) {
            case 'circle':
            case 'square':
              return shape.size // <circle> <square>
          }
        }
        """,
    )


def test_what_was_known_ends_with_its_block_and_with_an_assignment(project: Project) -> None:
    _check(
        project,
        """
        export function f(shape: Shape, other: Shape) {
          {
            if (shape.kind === 'circle') return
            shape.size // <square>
          }
          while (shape.kind === 'circle') {
            shape.size // <circle>
            shape = other
            shape.size // <circle> <square>
          }
        }
        """,
    )


def test_an_object_agrees_with_its_constants(project: Project) -> None:
    """A key of every type of a union is one of each; what only some have is one of those that agree."""
    written = project(
        _SHAPES
        + """
        interface Style { kind: 'style'; color: { hex: string } } // <def hex of a style>
        interface Theme { kind: 'theme'; color: { hex: string } } // <def hex of a theme>
        interface Empty { kind: 'empty' }
        export const one: Shape = {
          kind: 'circle',
          size: 1, // <circle> <square>
        }
        export const many: Shape[] = [
          { kind: 'square', size: 1 }, // <circle> <square>
        ]
        export const style: Style | Theme = {
          kind: 'style',
          color: {
            hex: '', // <hex of a style>
          },
        }
        export const theme: Style | Theme | Empty = {
          kind: 'theme', color: { hex: '' }, // <hex of a theme>
        }
        """
    )
    written.check("circle", "size")
    written.check("square", "size")
    written.check("hex of a style", "hex")
    written.check("hex of a theme", "hex")


def test_a_key_that_only_some_types_of_a_union_have(project: Project) -> None:
    written = project(
        """
        === kinds.ts
        interface Text { kind: 'text'; size: number } // <def text>
        interface Line { kind: 'line'; size: number } // <def line>
        interface Space { kind: 'space' }
        export const item: Text | Line | Space = { kind: 'line', size: 1 } // <line>
        """
    )
    written.check("text", "size")
    written.check("line", "size")


def test_members_of_enumerations_discriminate(project: Project) -> None:
    written = project(
        """
        === kinds.ts
        export enum Kind { A, B }
        interface Option { kind: Kind.A; value: string } // <def a>
        interface Other { kind: Kind.B; value: string } // <def b>
        interface Empty { kind: undefined }
        declare function declare_(option: Option | Other | Empty): void
        declare_({ kind: Kind.A, value: '' }) // <a>
        declare_({ kind: Kind.B, value: '' }) // <b>
        """
    )
    written.check("a", "value")
    written.check("b", "value")


@pytest.mark.parametrize(
    ("condition", "otherwise"),
    [
        ("x instanceof Cat", "instanceof"),
        ("isCat(x)", "predicate"),
        ("x.isCat()", "method predicate"),
        ("'purr' in x", "in"),
    ],
)
def test_classes_are_told_apart(project: Project, condition: str, otherwise: str) -> None:
    written = project(
        f"""
        === pets.ts
        class Animal {{ isCat(): this is Cat {{ return false }} }}
        class Cat extends Animal {{ purr = 1; name = '' }} // <def cat>
        class Dog extends Animal {{ name = '' }} // <def dog>
        function isCat(x: Animal): x is Cat {{ return true }}
        function f(x: Cat | Dog) {{
          if ({condition}) {{
            x.name // <cat>
          }} else {{
            x.name // <dog> {otherwise}
          }}
        }}
        """
    )
    written.check("cat", "name")
    written.check("dog", "name")


def test_a_parent_becomes_its_heir(project: Project) -> None:
    written = project(
        """
        === pets.ts
        class Animal {}
        class Cat extends Animal { purr() {} } // <def purr>
        function f(x: Animal) {
          if (!(x instanceof Cat)) throw new Error()
          x.purr() // <purr>
        }
        """
    )
    written.check("purr")


def test_typeof_tells_functions_and_objects(project: Project) -> None:
    written = project(
        """
        === make.ts
        interface Made { value: number } // <def value>
        type Source = Made | (() => Made)
        function f(source: Source) {
          const made = typeof source === 'function' ? source() : source
          made.value // <value>
          if (typeof source === 'object') source.value // <value>
          if (typeof source === 'function') source.value
        }
        """
    )
    written.check("value")


def test_rest_parameters_take_the_arguments_one_by_one(project: Project) -> None:
    written = project(
        """
        === app.ts
        interface First { one: number } // <def one>
        interface Second { two: number } // <def two>
        interface App {
          (...handlers: [(f: First) => void, (s: Second) => void]): void
          (path: string, ...handlers: ((f: First) => void)[]): void
        }
        declare const app: App
        app(
          (a) => a.one, // <one>
          (b) => b.two, // <two>
        )
        app('', (a) => a.one, (b) => b.one, (c) => c.one, (d) => d.one) // <one>
        """
    )
    written.check("one")
    written.check("two")


def test_declarations_of_several_files_are_one(project: Project) -> None:
    written = project(
        """
        === core.ts
        export interface Registry { plain: number } // <def Registry>
        export const registry: Registry = { plain: 1 } // <Registry>
        === plugin.ts
        declare module './core' {
          interface Registry { extra: string } // <def extra>
        }
        declare global {
          interface Shared { here: number } // <def here>
        }
        === other.ts
        import { registry } from './core'
        declare global {
          interface Shared { there: number } // <def Shared>
        }
        export const far = registry.extra // <extra>
        export const near = (s: Shared) => s.here // <Shared> <here>
        """
    )
    for mark in ("Registry", "extra", "Shared", "here"):
        written.check(mark)


def test_a_type_parameter_is_narrowed_by_what_it_is_bound_by(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Big { code: 'big'; origin: string } // <def big>
        interface Small { code: 'small'; origin: string } // <def small>
        function f<T extends Big | Small>(issue: T) {
          switch (issue.code) {
            case 'big':
              return issue.origin // <big>
            case 'small':
              return issue.origin // <small>
          }
        }
        """
    )
    written.check("big", "origin")
    written.check("small", "origin")


def test_a_member_that_is_true_or_false(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Done { isDone: true; data: string } // <def data>
        interface Open { isDone: false; data: undefined } // <def other>
        declare function ask(): Done | Open
        const result = ask()
        if (result.isDone) {
            result.data // <data>
        } else {
            result.data // <other>
        }
        function read() {
            if (!result.isDone) return
            return result.data // <data>
        }
        """
    )
    written.check("data")
    written.check("other", "data")


def test_a_union_of_very_many(project: Project) -> None:
    parts = " | ".join(f"{{ kind: 'k{n}'; v{n}: number }}" for n in range(1, 200))
    written = project(
        f"""
        === all.ts
        interface First {{ kind: 'k0'; first: number }} // <def first>
        type All = First | {parts}
        export function f(one: All) {{
          if (one.kind === 'k0') one.first // <first>
        }}
        """
    )
    written.check("first", "first")


def test_constants_tell_members_of_a_union_apart(project: Project) -> None:
    written = project(
        """
        === a.ts
        const kinds = { ADD: "ADD", DROP: "DROP" } as const
        type Kinds = typeof kinds
        type Action =
            | { type: Kinds["ADD"]; item: string } // <def added>
            | { type: Kinds["DROP"]; item: number } // <def dropped>
        function send(action: Action) {}
        send({ type: "ADD", item: "" }) // <added> <dropped>
        function reduce(action: Action) {
            switch (action.type) {
                case "ADD":
                    return action.item // <added>
                case "DROP":
                    return action.item // <dropped>
            }
        }
        """
    )
    written.check("added", "item")
    written.check("dropped", "item")


def test_members_that_nobody_declares_tell_members_of_a_union_apart(project: Project) -> None:
    written = project(
        """
        === codes.ts
        export const Code = listed(["small", "big"])
        export const settings = load()
        === a.ts
        import { Code, settings } from './codes'
        type Issue =
            | { code: typeof Code.small; limit: number } // <def small>
            | { code: typeof Code.big; limit: number } // <def big>
        function tell(issue: Issue) {
            switch (issue.code) {
                case Code.small:
                    return issue.limit // <small>
                case Code.big:
                    return issue.limit // <big>
            }
        }
        type Shape =
            | { kind: "round"; size: number } // <def round>
            | { kind: string; size: number } // <def other>
        function draw(shape: Shape) {
            if (shape.kind === settings.kind) return shape.size // <round> <other>
        }
        type Step =
            | { on: typeof settings.on; go: number } // <def step>
            | { on: false; go: number }
        function run(step: Step) {
            if (!step.on) return step.go // <step>
        }
        """
    )
    written.check("small", "limit")
    written.check("big", "limit")
    written.check("round", "size")
    written.check("other", "size")
    written.check("step", "go")


def test_typescript_of_two_conditions_one_holds(project: Project) -> None:
    written = project(
        """
        === shapes.ts
        export interface Circle { kind: 'circle'; size: number } // <def circle>
        export interface Square { kind: 'square'; size: number } // <def square>
        export interface Line { kind: 'line'; size: number } // <def line>
        type Shape = Circle | Square | Line
        declare function isLine(x: Shape): x is Line
        export function measure(x: Shape, other: Shape) {
          if (x.kind === 'circle' || x.kind === 'square') {
            return x.size // <circle> <square>
          }
          if (isLine(other) || other.kind === 'circle') {
            other.size // <line> <circle>
          }
          if (!(other.kind !== 'line' && other.kind !== 'square')) {
            other.size // <line> <square>
          }
          if (other.kind === 'line' || x.size) { // <line>
            other.size // <circle> <square> <line>
          }
          return x.size // <line>
        }
        """
    )
    for mark in ("circle", "square", "line"):
        written.check(mark, "size")


def test_typescript_what_is_asserted_holds(project: Project) -> None:
    written = project(
        """
        === shapes.ts
        import { ok } from 'foreign'
        export interface Circle { kind: 'circle'; size: number } // <def circle>
        export interface Line { kind: 'line'; size: number } // <def line>
        type Shape = Circle | Line
        declare function invariant(condition: any, message?: string): asserts condition
        declare function assertLine(shape: Shape): asserts shape is Line
        declare function checked(condition: boolean): void
        class Check {
          static assertCircle: (shape: Shape) => asserts shape is Circle
          static ensure: (condition: boolean) => asserts condition
        }
        export function check(x: Shape, y: Shape) {
          Check.assertCircle(x)
          x.size // <circle>
          Check.ensure(y.kind === 'line')
          y.size // <line>
        }
        export function measure(x: Shape, y: Shape, z: Shape, w: Shape) {
          if (x) {
            invariant(x.kind === 'circle', 'no circle')
            x.size // <circle>
          }
          x.size // <circle> <line>
          assertLine(y)
          y.size // <line>
          checked(z.kind === 'line')
          z.size // <circle> <line>
          ok(w.kind === 'line')
          w.size // <line>
        }
        """
    )
    for mark in ("circle", "line"):
        written.check(mark, "size")


def test_typescript_constants_that_are_texts(project: Project) -> None:
    written = project(
        """
        === kinds.ts
        export const CIRCLE = 'circle'
        export const LINE = 'line'
        === shapes.ts
        import { CIRCLE, LINE } from './kinds'
        export interface Circle { kind: 'circle'; size: number } // <def circle>
        export interface Square { kind: 'square'; size: number } // <def square>
        export interface Line { kind: typeof LINE; size: number } // <def line>
        type Shape = Circle | Square | Line
        export function measure(x: Shape) {
          switch (x.kind) {
            case CIRCLE:
              return x.size // <circle>
            case LINE:
              return x.size // <line>
          }
          if (x.kind !== 'line') return x.size // <circle> <square>
        }
        const made: Shape | { kind: "none" } = { kind: CIRCLE, size: 1 } // <circle>
        """
    )
    for mark in ("circle", "square", "line"):
        written.check(mark, "size")


def test_typescript_what_is_left_of_a_class_that_says_what_it_is_made_of(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Either<L, R> {
          isRight(): this is Either<never, R>
          extract(): L | R // <def extract>
        }
        function f(either: Either<string, number>) {
          if (either.isRight()) {
            return either.extract() // <extract>
          }
          return either.extract() // <extract>
        }
        """
    )
    written.check("extract")


def test_typescript_what_fails_to_be_several_types_at_once_may_be_one_of_them(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface View { type: 'view'; node: string } // <def node>
        interface Group { type: 'group'; items: string[] } // <def items>
        type Context = View | Group
        declare function isBranch(x: Context): x is View & { branch: { label: string } } // <def label>
        function f(x: Context) {
          if (isBranch(x)) {
            x.node // <node>
            x.branch.label // <label>
          } else if (x.type === 'view') {
            x.node // <node>
          } else {
            x.items // <items>
          }
        }
        === b.ts
        interface Game { title?: string } // <def title>
        type Processed = Game & { run: () => void } // <def run>
        declare function isProcessed(game: Game | Processed): game is Processed
        export function f(game: Game | Processed) {
          if (isProcessed(game)) {
            return game.run() // <run>
          }
          game.title // <title>
        }
        """
    )
    for mark in ("node", "items", "label", "title", "run"):
        written.check(mark)


def test_typescript_what_is_said_to_be_there(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Grid { rows = 1; at(x: number) { return this } } // <def rows> <def at>
        export function f(grid: Grid | undefined, row: number, grids?: Grid[], make?: () => Grid) {
          if (row >= grid!.rows || row > grids![0].rows) return // <rows>
          row === 1 && make!().rows // <rows>
          !grid!.at(1)!.rows // <rows> <at>
          const next = grid ?? grids!
            .at(1)
          const known = row > 1 && grid!
            .at(1) // <at>
        }
        """
    )
    written.check("rows")
    written.check("at")
