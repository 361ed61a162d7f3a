"""Conditional types of TypeScript: which of two types is chosen."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

TYPES = """
        === types.ts
        export interface Logic<S, E> {
          step(state: S, event: E): S
          config?: unknown
        }
        export interface State {
          value: string  // <def value>
        }
        export interface Fact {
          kind: string  // <def kind>
        }
        export interface Other {
          value: number  // <def other>
          kind: number  // <def strange>
        }
        export class Machine<S, E> implements Logic<S, E> {
          step(state: S, event: E): S { return state }
          id = ''
        }
        export declare function machine(): Machine<State, Fact>
"""


def test_what_is_inferred_from_what_a_class_promises(project: Project) -> None:
    written = project(
        TYPES
        + """
        export type EventOf<L> = L extends Logic<infer S, infer E> ? E : Other
        export type StateOf<L> = L extends Fact ? Other : L extends Logic<infer S, infer _> ? S : never
        export class Actor<L> {
          send(event: EventOf<L>) {}
          state(): StateOf<L> { throw 1 }
        }
        export declare function actor<L extends Logic<any, any>>(logic: L): Actor<L>
        actor(machine()).send({ kind: 'x' })  // <kind>
        actor(machine()).state().value  // <value>
        """
    )
    written.check("kind")
    written.check("value")
    written.check("other", "value")
    written.check("strange", "kind")


def test_a_conditional_type_that_chooses_itself_again(project: Project) -> None:
    written = project(
        TYPES
        + """
        export type Called<T> = T extends (...given: any[]) => infer R ? R : T
        export type Inner<T> =
          Called<T> extends infer R
            ? R extends Box<infer I>
              ? Inner<I>
              : R extends Machine<any, any>
                ? ReturnType<R['step']>
                : never
            : never
        export interface Box<T> {
          boxed: T
        }
        export declare function inner<T>(given: T): Inner<T>
        inner({} as Box<Box<Machine<State, Fact>>>).value  // <value>
        inner(machine).value  // <value>
        """
    )
    written.check("value")


def test_each_type_of_a_union_is_compared_by_itself(project: Project) -> None:
    written = project(
        TYPES
        + """
        export type Without<T, U> = T extends U ? never : T
        export interface Named {
          kind: 'named'
          value: string  // <def named>
        }
        export interface Counted {
          kind: 'counted'
          value: string  // <def counted>
        }
        declare const one: Without<Named | Counted, { kind: 'named' }>
        one.value  // <counted>
        """
    )
    written.check("named", "value")
    written.check("counted", "value")


def test_optional_members_need_not_be_there_and_others_must(project: Project) -> None:
    written = project(
        TYPES
        + """
        export interface Loose {
          value: string
          more?: number
        }
        export interface Strict {
          value: string
          more: number
        }
        declare const loose: State extends Loose ? State : Other
        declare const strict: State extends Strict ? Other : State
        loose.value  // <value>
        strict.value  // <value>
        """
    )
    written.check("value")
    written.check("other", "value")


def test_what_cannot_be_told_is_either(project: Project) -> None:
    """A type parameter inside its function, a foreign type, and members that another file adds."""
    written = project(
        TYPES
        + """
        import { Foreign } from 'foreign'
        export interface Config {}
        export type Chosen = Config extends Record<'chosen', infer C> ? C : State
        export function inside<T>(given: T extends Fact ? State : Other) {
          given.value  // <value> <other>
        }
        declare const foreign: Foreign extends Fact ? State : Other
        declare const chosen: Chosen
        foreign.value  // <value> <other>
        chosen.value  // <value> <other>
        === more.ts
        import { Other } from './types'
        declare module './types' {
          interface Config {
            chosen: Other
          }
        }
        """
    )
    written.check("value")
    written.check("other", "value")


def test_conditional_types_that_never_end(project: Project) -> None:
    written = project(
        TYPES
        + """
        export interface Box<T> {
          boxed: T
        }
        export type Deep<T> = T extends Box<infer I> ? Deep<Box<Box<I>>> : State
        export type Wide<T> = T extends infer R ? Wide<[R, R]> | State : never
        declare const deep: Deep<Box<Fact>>
        declare const wide: Wide<Fact>
        deep.value
        wide.value  // <value>
        """
    )
    written.check("value")


def test_a_union_of_what_files_add_becomes_one_type(project: Project) -> None:
    """Members that other files add, each an object of its own, as one; by the key of a mapped type."""
    written = project(
        """
        === types.ts
        export interface Commands<R = any> {}
        export type Props = {
          state: string  // <def state>
        }
        export type Command = (props: Props) => boolean
        export type Joined<U> =
          (U extends any ? (k: U) => void : never) extends (k: infer I) => void ? I : never
        export type Held<T> = T[keyof T]
        export type All<R = Command> = Joined<Held<Pick<Commands<R>, keyof Commands<R>>>>
        export type Raw = { [Name in keyof All]: All<Command>[Name] }
        export type Checks = { [Name in keyof All]: All<Check>[Name] }
        export interface Check {
          run: () => boolean  // <def run>
        }
        declare const checks: Checks
        checks.blur().run()  // <blur> <run>
        checks.focus(1).run()  // <focus> <run>
        === blur.ts
        import { Raw } from './types'
        declare module './types' {
          interface Commands<R> {
            blur: {
              blur: () => R  // <def blur>
            }
          }
        }
        export const blur: Raw['blur'] = () => ({ state }) => true  // <blur> <state>
        === focus.ts
        declare module './types' {
          interface Commands<R> {
            focus: {
              focus: (position?: number) => R  // <def focus>
            }
          }
        }
        """
    )
    for mark in ("blur", "focus", "run", "state"):
        written.check(mark)


def test_values_of_conditional_types_are_taken_apart_like_others(project: Project) -> None:
    written = project(
        """
        === types.ts
        export interface Foo {
          foo: string  // <def foo>
          inner: Foo
        }
        type Maybe<T> = T extends string ? never : T
        declare const list: Maybe<Foo[]>
        declare const one: Maybe<Foo>
        declare const made: Maybe<() => Foo>
        for (const each of list) each.foo  // <foo>
        const [first] = list
        first.foo  // <foo>
        list.map((x) => x.foo)  // <foo>
        const { inner } = one
        inner.foo  // <foo>
        const copy = { ...one }
        copy.foo  // <foo>
        interface Sub extends Pick<Maybe<Foo>, 'foo'> {}
        declare const sub: Sub
        sub.foo  // <foo>
        declare const less: Omit<Maybe<Foo>, 'foo'>
        less.foo
        made().foo  // <foo>
        declare const given: ReturnType<typeof made>
        given.foo  // <foo>
        class Keep<T> {
          get(): Maybe<T> { throw 1 }
        }
        new Keep<Foo>().get().foo  // <foo>
        """
    )
    written.check("foo")
