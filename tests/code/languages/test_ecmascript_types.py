"""Types of TypeScript that are computed from others."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_mapped_type_that_takes_its_keys_from_the_types_of_a_union(project: Project) -> None:
    written = project(
        """
        === nodes.ts
        export enum Kind { NAME = 'Name', FIELD = 'Field' }
        export interface NameNode {
          kind: Kind.NAME // <def kind>
          text: string // <def text>
        }
        export interface FieldNode { kind: Kind.FIELD; name: NameNode } // <def name>
        export interface OtherNode { kind: 'Other'; name: FieldNode }
        export type AnyNode = NameNode | FieldNode | OtherNode
        export type Visitor = Steps<AnyNode> | { [N in AnyNode as N['kind']]?: Visit<N> | Steps<N> } // <kind>
        export type Reducer<R> = {
          [N in AnyNode as N['kind']]?: { leave: (node: { [K in keyof N]: R }) => R } // <kind>
        }
        export type ByKind = { [N in AnyNode as N['kind']]: N } // <kind>
        interface Steps<N> { enter?: Visit<N> }
        type Visit<N> = (node: N) => void
        === use.ts
        import { ByKind, Kind, Reducer, Visitor } from './nodes'
        const visitor: Visitor = {
          Field(node) { node.name.text }, // <name> <text>
          Other: { enter(node) { node.name.name } }, // <name>
        }
        const reducer: Reducer<string> = { Field: { leave: ({ name }) => name } } // <name>
        let field: ByKind[Kind.FIELD]
        field.name.text // <name> <text>
        let other: ByKind['Other']
        other.name.kind
        """
    )
    written.check("kind")
    written.check("name")
    written.check("text")


def test_a_registry_that_is_asked_by_each_of_its_keys(project: Project) -> None:
    written = project(
        """
        === registry.ts
        export interface Registry {
          bar: { options: Bar } // <def options>
          line: { options: Line }
        }
        interface Bar { color: string } // <def color>
        interface Line { color: string }
        export type Kind = keyof Registry
        export type Defaults = { [K in Kind]: Registry[K]['options'] } // <options>
        export type Options<T extends Kind> = Registry[T]['options'] // <options>
        export type Typed<T extends Kind> = { [K in Kind]: { t: K } & Registry[K]['options'] }[T] // <options>
        === use.ts
        import { Defaults, Kind, Options, Registry, Typed } from './registry'
        declare const defaults: Defaults
        defaults.bar.color // <color>
        defaults.line.color
        declare const bar: Typed<'bar'>
        bar.color // <color>
        function paint<T extends Kind>(options: Options<T>, entry: Registry[T]) {
          options.color // <color>
          entry.options // <options>
        }
        """
    )
    written.check("options")
    written.check("color")


def test_a_method_whose_name_stands_in_quotation_marks_takes_what_is_expected_of_it(project: Project) -> None:
    written = project(
        """
        === schema.ts
        interface Data { value: string } // <def value>
        interface Schema { readonly '~run': (data: Data) => void; 'to-text'(data: Data): string }
        function text(): Schema {
          return {
            '~run'(data) { data.value }, // <value>
            ['to-text'](data) { return data.value }, // <value>
          }
        }
        """
    )
    written.check("value")


def test_an_object_that_is_spread_where_it_is_written_is_part_of_what_is_expected(project: Project) -> None:
    written = project(
        """
        === settings.ts
        interface Settings {
          prefix: string // <def prefix>
          done?: (count: number) => void
          depth?: number // <def depth>
        }
        const base = { prefix: '' }
        export function made(deep: boolean): Settings {
          return {
            ...base,
            ...{ prefix: '=' }, // <prefix>
            ...(deep && { depth: 2 }), // <depth>
            ...(deep ? { depth: 3 } : {}), // <depth>
          }
        }
        """
    )
    written.check("prefix")
    written.check("depth")


def test_a_key_that_another_package_declares_is_any(project: Project) -> None:
    written = project(
        """
        === a.ts
        import { Kind } from 'foreign'
        import * as all from './b'
        interface Registry { options: { size: number } } // <def size>
        declare const held: { [K in Kind]: Registry[K] }
        declare const one: Registry[Kind]
        declare const other: Registry[all]
        declare const options: Registry['options']
        held.x; one.x; other.x; options.size // <size>
        === b.ts
        export const x = 1
        """
    )
    written.check("size")


def test_the_rest_of_a_tuple_is_one_or_many_of_what_its_array_holds(project: Project) -> None:
    written = project(
        """
        === path.ts
        interface Step { key: string } // <def key>
        interface Way { path?: [Step, ...Step[]]; named: [first: Step, ...rest: Step[]] }
        const way: Way = {
          path: [
            { key: 'a' }, // <key>
            { key: 'b' }, // <key>
          ],
          named: [{ key: 'a' }, { key: 'b' }], // <key>
        }
        way.named[1].key // <key>
        for (const step of way.named) step.key // <key>
        """
    )
    written.check("key")


def test_a_function_that_is_told_its_types_gives_what_it_gives(project: Project) -> None:
    written = project(
        """
        === made.ts
        function made<T>(): { value: T; done: boolean } { // <def value>
          return null as any
        }
        export function either<T>(): ReturnType<typeof made<T>>
        const { value } = either() // <value>
        const short = made<string>
        short().value // <value>
        """
    )
    written.check("value")


def test_a_plain_type_is_no_function_of_its_name(project: Project) -> None:
    written = project(
        """
        === schema.ts
        export function bigint() { // <def bigint>
          return null
        }
        export function over(value: bigint): bigint {
          bigint() // <bigint>
          return value
        }
        """
    )
    written.check("bigint")


def test_a_function_is_no_type(project: Project) -> None:
    written = project(
        """
        === options.ts
        export function Array<T>(first: T): Array<T> { // <def Array>
          return list(Array(first)) // <Array>
        }
        declare function list<T>(items: Array<T>): Array<T>
        """
    )
    written.check("Array")


def test_the_name_of_a_class_is_not_that_of_its_instances(project: Project) -> None:
    written = project(
        """
        === cat.ts
        export class Cat {
          name: string // <def name>
          static kind: string // <def kind>
        }
        export enum Part { name = 1 } // <def part>
        declare function register(options: object): void
        register({ model: Cat.name, kind: Cat.kind }) // <kind>
        new Cat().name // <name>
        Part.name // <part>
        """
    )
    written.check("name")
    written.check("kind")
    written.check("part", "name")


def test_lists_are_joined_with_what_they_hold_and_with_lists_of_it(project: Project) -> None:
    written = project(
        """
        === tokens.ts
        interface Token { at: number } // <def at>
        declare const tokens: Token[]
        tokens.concat({ at: 1 }) // <at>
        tokens.concat([
          { at: 2 }, // <at>
        ])
        """
    )
    written.check("at")


def test_texts_between_backticks_are_constants(project: Project) -> None:
    written = project(
        """
        === tokens.ts
        interface Path { type: `path`; at: number } // <def path>
        interface Option { type: 'option'; at: number } // <def option>
        type Token = Path | Option
        function read(token: Token) {
          if (token.type === `path`) return token.at // <path>
          return token.at // <option>
        }
        """
    )
    written.check("path", "at")
    written.check("option", "at")


def test_what_may_be_nothing_is_what_it_is_told(project: Project) -> None:
    written = project(
        """
        === found.ts
        import type { Maybe } from 'types'
        declare function found(): Maybe<{ ref: string }> // <def ref>
        const it = found()
        if (it) it.ref // <ref>
        """
    )
    written.check("ref")


def test_commands_that_are_added_to_cypress(project: Project) -> None:
    written = project(
        """
        === cypress/support/commands.ts
        declare global {
          namespace Cypress {
            interface Chainable {
              login(name: string): Chainable<void> // <def login>
            }
          }
        }
        export {}
        === cypress/e2e/a.cy.ts
        it('works', () => {
          cy.login('a') // <login>
        })
        """
    )
    written.check("login")


def test_a_type_of_the_language_that_a_project_adds_to_is_still_that(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        interface ReadonlyArray<T> {
          last(): T;  // <def last>
        }
        === use.ts
        interface Crate { size: number }  // <def size>
        function pack(crates: ReadonlyArray<Crate>) {
          crates.last().size  // <last> <size>
          for (const crate of crates) crate.size  // <size>
        }
        pack([{ size: 1 }])  // <size>
        """
    )
    written.check("size")
    written.check("last")


def test_a_mapped_type_that_leaves_keys_out_has_the_others(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Part {
          code: string
          size: number // <def size>
        }
        type Without<T, K> = { [P in keyof T as P extends K ? never : P]: T[P] }
        type Picked<T> = { [P in keyof T as Exclude<P, "code">]?: T[P] }
        type Numbers<T> = { [P in keyof T as (T[P] extends number ? P : never) & string]: string }
        type Events<T> = { [P in keyof T as `on${P & string}`]: T[P] }
        type Renamed<T, O> = { [P in keyof T as P extends "code" ? O : never]: T[P] }
        const a: Without<Part, "code"> = { size: 1 } // <size>
        a.size // <size>
        const b: Picked<Part> = { size: 1 } // <size>
        const c: Numbers<Part> = { size: "1" } // <size>
        const d: Events<Part> = { onsize: 1, size: 2 }
        const e: Renamed<Part, "size"> = { size: "a" }
        """
    )
    written.check("size")


def test_a_parent_without_the_members_of_the_other(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Fonts {
          fonts: string // <def own>
        }
        interface Head {
          fonts: number // <def left>
          other: string // <def other>
        }
        interface Config extends Omit<Required<Head>, keyof Fonts>, Fonts {}
        interface Named extends Omit<Head, "fonts">, Fonts {}
        type Keys = "x" | keyof Fonts
        export function use(config: Config, named: Named) {
          config.fonts + named.fonts // <own>
          config.other + named.other // <other>
        }
        const a: Omit<Head, Keys> & Fonts = { fonts: "", other: "" } // <own> <other>
        const b: Pick<Head, keyof Fonts> = { fonts: 1, other: "" } // <left>
        """
    )
    written.check("own", "fonts")
    written.check("left", "fonts")
    written.check("other")
