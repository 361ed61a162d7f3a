"""What TypeScript infers from the place of a value, from keys, and from types that are computed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_type_parameters_from_what_is_expected_of_a_call(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Envelope { result: string } // <def result>
        interface Observer<T> { next(value: T): void }
        class Stream<T> {
          constructor(start: (observer: Observer<T>) => void) {}
        }
        declare function stream<T>(start: (observer: Observer<T>) => void): Stream<T>
        declare function map<A, B>(turn: (a: A) => B): (source: Stream<A>) => Stream<B>
        declare function pipe<A, B>(source: Stream<A>, step: (source: Stream<A>) => Stream<B>): Stream<B>
        function one(): Stream<Envelope> {
          return stream((observer) => {
            observer.next({ result: 'a' }) // <result>
          })
        }
        const two: Stream<Envelope> = new Stream((observer) => observer.next({ result: 'b' })) // <result>
        pipe(two, map((e) => e.result)) // <result>
        function three(all: Envelope[]): Envelope[] {
          return all.filter((e) => e.result) // <result>
        }
        """
    )
    written.check("result")


def test_type_parameters_from_what_a_callback_says_that_it_takes(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Click { button = 1 } // <def button>
        declare function listen<E>(handler: (event: E) => void): { last: E }
        listen((event: Click) => {}).last.button // <button>
        """
    )
    written.check("button")


@pytest.mark.parametrize("form", ["new (...given: any[]) => T", "{ new (...given: any[]): T }"])
def test_types_of_constructors(project: Project, form: str) -> None:
    written = project(
        f"""
        === a.ts
        type Makes<T> = {form}
        class Car {{ drive() {{}} }} // <def drive>
        function make<T>(made: Makes<T>): T {{ return new made() }}
        make(Car).drive() // <drive>
        function garage(made: Makes<Car>) {{
          new made().drive() // <drive>
        }}
        """
    )
    written.check("drive")


def test_a_mapped_type_has_the_members_of_what_it_maps(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Inner { depth: number } // <def depth>
        interface Options { inner: Inner } // <def inner>
        type Loose<T> = { [K in keyof T]?: Loose<T[K]> }
        type Flags = { [K in 'on' | 'off']: Inner }
        type Named<T> = { [K in keyof T as `get${string & K}`]: T[K] }
        function f(options: Loose<Options>, flags: Flags, other: Named<Options>) {
          options.inner?.depth // <inner> <depth>
          flags.on.depth // <depth>
          other.inner
        }
        """
    )
    written.check("inner")
    written.check("depth")


def test_members_by_key(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Database { host = '' } // <def host>
        class Cache { host = 0 } // <def other>
        interface Config { db: Database; cache: Cache }
        type Get<T, K, F> = K extends keyof T ? T[K] : F
        declare function get<K extends keyof Config>(key: K): Config[K]
        declare function on<K extends keyof Config>(key: K, then: (value: Config[K]) => void): void
        get('db').host // <host>
        on('db', (value) => value.host) // <host>
        on('cache', (value) => value.host) // <other>
        function f(x: Get<Config, 'db', never>) {
          x.host // <host>
        }
        """
    )
    written.check("host")
    written.check("other", "host")


def test_both_sides_of_a_condition_tell_a_type_parameter(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Box<T> { item: T; size: number } // <def size>
        type Cast<S, T> = unknown extends S ? Box<T> : S
        declare function put<S>(box: Cast<S, string>): S
        declare const box: Box<string>
        put(box).size // <size>
        """
    )
    written.check("size")


def test_an_overload_that_takes_anything_comes_before_those_below_it(project: Project) -> None:
    written = project(
        """
        === a.ts
        declare function keep<T>(given: T): { kept: T } // <def first>
        declare function keep<T>(given?: T): { kept: T | undefined } // <def second>
        declare function some<T extends string>(given: T): { one: T } // <def text>
        declare function some<T>(given: T): { one: T } // <def other>
        keep({ a: 1 }).kept // <first>
        keep(one()).kept // <first>
        keep<{ a: number }>({ a: 1 }).kept // <first>
        keep<string>().kept // <second>
        some(one()).one // <text> <other>
        """
    )
    written.check("first", "kept")
    written.check("second", "kept")
    written.check("text", "one")
    written.check("other", "one")


def test_overloads_by_text(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Data { size = 1 } // <def size>
        class Failure { size = 2 } // <def other>
        interface Source {
          on(event: 'data' | 'more', then: (data: Data) => void): void
          on(event: 'error', then: (failure: Failure) => void): void
        }
        function f(source: Source) {
          source.on('data', (x) => x.size) // <size>
          source.on('error', (x) => x.size) // <other>
        }
        """
    )
    written.check("size")
    written.check("other", "size")


def test_a_foreign_function_is_given_what_a_foreign_type_lists(project: Project) -> None:
    written = project(
        """
        === a.ts
        import test, { type Macro } from 'ava'
        class Server { close() {} } // <def close>
        declare function prepared(): Macro<[(t: unknown, server: Server) => void]>
        const withServer = prepared()
        test('closes', withServer, (t, server) => {
          server.close() // <close>
        })
        """
    )
    written.check("close")


def test_of_an_objects_signatures_those_that_take_so_many_arguments(project: Project) -> None:
    written = project(
        """
        === parse.ts
        interface One {
          size: number  // <def one>
        }
        interface Two {
          size: number  // <def two>
        }
        interface Many {
          size: number  // <def many>
        }
        interface Parse {
          (of: string): One
          (of: string, by: string, loose?: boolean): Two
          (of: string, by: string, at: number, ...more: string[]): Many
        }
        declare const parse: Parse
        parse('a').size  // <one>
        parse('a', 'b').size  // <two>
        parse('a', 'b', 3, 'c').size  // <many>
        """
    )
    written.check("one", "size")
    written.check("two", "size")
    written.check("many", "size")


def test_types_without_a_name_tell_type_parameters(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Line {
          long = 1  // <def long>
        }
        interface Shape { long: number }
        declare function pick<T>(of: { part: T }): T
        declare function make<T>(of: { new (...args: any[]): T }): T
        declare function watch<T>(of: T, by: { next: (found: T) => void }): void
        declare function ensure<T>(of: unknown, by: { new (...args: any[]): T }): asserts of is T
        declare function isOf<T>(of: unknown, by: new (...args: any[]) => T): of is T
        pick({ part: new Line() }).long  // <long>
        make(Line).long  // <long>
        watch(new Line(), { next: (found) => found.long })  // <long>
        export function use(one: Shape, other: Shape) {
          if (isOf(one, Line)) one.long  // <long>
          ensure(other, Line)
          other.long  // <long>
        }
        """
    )
    written.check("long")


def test_a_store_typed_by_call_signatures_defaults_and_inference(project: Project) -> None:
    written = project(
        """
        === a.ts
        type Setter<T> = { _(change: T | { _(state: T): T }['_']): void }['_']
        interface Store<T> { set: Setter<T>; get: () => T }
        type StateOf<S> = S extends { get: () => infer T } ? T : never
        type Bound<S> = { (): StateOf<S>; <U>(select: (state: StateOf<S>) => U): U } & S
        type Creator<T, U = T> = (set: Store<T>['set'], get: Store<T>['get']) => U
        type Create = { <T>(make: Creator<T>): Bound<Store<T>>; (): void }
        declare const create: Create
        interface Counter { count: number } // <def count>
        const useCounter = create<Counter>((set, get) => ({
          count: get().count, // <count>
          more: () => set((state) => ({ count: state.count })), // <count>
        }))
        useCounter().count // <count>
        useCounter((state) => state.count) // <count>
        useCounter.get().count // <count>
        """
    )
    written.check("count")


def test_a_name_is_a_type_and_a_value(project: Project) -> None:
    written = project(
        """
        === core.ts
        export interface Shape { area: number } // <def area>
        export interface Makes<T> { new (size: number): T; of(size: number): T } // <def of>
        export declare function maker<T>(start: (made: T) => void): Makes<T>
        export const Shape: Makes<Shape> = maker((made) => {
          made.area // <area>
        })
        export interface Round extends Shape {}
        === use.ts
        import * as core from './core'
        function f(shape: core.Shape, round: core.Round, makes: typeof core.Shape) {
          shape.area + round.area // <area>
          core.Shape.of(1).area // <of> <area>
          makes.of(2) // <of>
          new core.Shape(3).area // <area>
        }
        """
    )
    written.check("area")
    written.check("of")


def test_functions_of_the_library_that_give_what_objects_hold(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Part { size = 1 } // <def size>
        interface Index<T> { [key: string]: T }
        function f(parts: Record<string, Part>, index: Index<Part>, named: { first: Part }, set: Set<Part>) {
          Object.entries(parts).map(([key, { size }]) => size) // <size>
          Object.values(index).map((part) => part.size) // <size>
          for (const [key, part] of Object.entries(named)) part.size // <size>
          Object.assign(new Part(), { other: 1 }).size // <size>
          Array.from(set)[0].size // <size>
        }
        async function g(one: Promise<Part>) {
          const [first] = await Promise.all([one])
          first.size // <size>
        }
        """
    )
    written.check("size")


def test_members_of_a_type_with_an_index_signature(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Field { label: string } // <def label>
        interface Form {
            [name: string]: Field
        }
        interface Options { form: Form }
        const options: Options = { form: { user: { label: "" } } } // <label>
        options.form.user.label // <label>
        function take(given: Options) {}
        take({ form: { age: { label: "" } } }) // <label>
        """
    )
    written.check("label")


def test_waiting_for_a_class_with_then(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Good<T, E> { value(): T { return null as any } } // <def value>
        class Bad<T, E> { error(): E { return null as any } } // <def error>
        type Result<T, E> = Good<T, E> | Bad<T, E>
        class Report { title = "" } // <def title>
        class Later<T, E> implements PromiseLike<Result<T, E>> {
          then<A, B>(
            done?: (result: Result<T, E>) => A | PromiseLike<A>,
            failed?: (reason: unknown) => B | PromiseLike<B>,
          ): PromiseLike<A | B> { return null as any }
          value(): number { return 1 }
        }
        declare function later(): Later<Report, string>
        async function f() {
          const result = await later()
          result.value().title // <value> <title>
          result.error() // <error>
          later().value()
          return later()
        }
        async function g() {
          (await f()).error() // <error>
        }
        """
    )
    written.check("value")
    written.check("title")
    written.check("error")


def test_constructor_of_a_class_that_a_function_gives(project: Project) -> None:
    written = project(
        """
        === receiver.ts
        export interface Options { token: string } // <def token>
        export default class Receiver { constructor(options: Options) {} }
        export class Other { constructor(options: Options) {} }
        === a.ts
        declare function loaded(): typeof import("./receiver").default
        declare function other(): typeof import("./receiver").Other
        const Made = loaded()
        new Made({ token: "a" }) // <token>
        const Second = other()
        new Second({ token: "b" }) // <token>
        """
    )
    written.check("token")


def test_field_that_a_parameter_makes_from_its_default(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Mark {
          static none: readonly Mark[] = []
          same() {} // <def same>
        }
        class Node {
          constructor(readonly kind: string, readonly marks = Mark.none) {}
        }
        function f(node: Node) {
          node.marks[0].same() // <same>
          for (const mark of node.marks) mark.same() // <same>
        }
        """
    )
    written.check("same")


def test_member_that_is_named_by_a_text(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Pool {
          size = 1 // <def size>
          drop() {} // <def drop>
        }
        class Worker {
          private pool = new Pool() // <def pool>
          'plain/map'() { return this.pool } // <def plain/map> <pool>
          get ['~shared']() { return this.pool } // <def ~shared> <pool>
        }
        function f(worker: Worker, pools: Record<string, Pool>) {
          worker['pool'].size // <pool> <size>
          worker?.['pool']['drop']() // <pool> <drop>
          worker['plain/map']().size // <plain/map> <size>
          worker['~shared'].size // <~shared> <size>
          pools['first'].size // <size>
        }
        """
    )
    written.check("pool")
    written.check("size")
    written.check("drop")
    written.check("plain/map")
    written.check("~shared")


def test_an_object_is_not_given_for_a_callback(project: Project) -> None:
    written = project(
        """
        === client.ts
        interface Options { size?: number; done(): void } // <def size>
        type Callback = (failed: Error) => void
        export class Client {
          send(topic: string, text: string): this
          send(topic: string, text: string, callback?: Callback): this
          send(topic: string, text: string, options?: Options, callback?: Callback): this
          send(): this { return this }
        }
        new Client().send('a', 'b', { size: 1 }) // <size>
        new Client().send('a', 'b', { size: 1 }, () => {}) // <size>
        new Client().send('a', 'b', () => {})
        """
    )
    written.check("size")


def test_what_is_made_of_plain_elements(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Task { file: string } // <def file>
        declare function made(name: string): Task
        type Cast<T> = T extends null ? never[] : T extends unknown[] ? T : T[]
        declare function cast<T>(value: T): Cast<T>
        export function f(names: string[], files: File[], all: object) {
          names.map(made)[0].file // <file>
          files.map((file) => ({ file }) as Task)[0].file // <file>
          for (const task of Object.keys(all).map(made)) task.file // <file>
          'a b'.split(' ').map(made).forEach((task) => task.file) // <file>
          names.flatMap((name) => [made(name)])[0].file // <file>
          names.flatMap((name) => cast(made(name))).map((task) => task.file) // <file>
        }
        """
    )
    written.check("file")


def test_a_default_is_what_it_stands_in_for(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Plugin { data: object } // <def data>
        export function f(all: Record<string, Plugin>, name: string, own?: Plugin) {
          const one = all[name] || { data: {} } // <data>
          const other = own ?? { data: {} } // <data>
          const none = (name === '' && own) || { data: 1 }
        }
        """
    )
    written.check("data")
