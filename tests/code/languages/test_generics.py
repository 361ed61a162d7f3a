"""Type parameters: what comes out of a generic class, function or container is what went in."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_python_classes_with_type_arguments(project: Project) -> None:
    written = project(
        """
        === box.py
        from typing import Generic, TypeVar
        T = TypeVar("T")
        K = TypeVar("K")
        class Apple:
            def bite(self): ...  # <def bite>
        class Pear:
            def bite(self): ...
        class Box(Generic[K, T]):
            content: T
            def get(self) -> T: ...
            def all(self) -> list[T]: ...
        class Crate(Box[str, T]): ...
        === use.py
        from box import Apple, Box, Crate, Pear
        def f(one: Box[Pear, Apple], two: Crate[Apple], three: Box[Apple, Pear]):
            one.get().bite()  # <bite>
            one.content.bite()  # <bite>
            two.get().bite()  # <bite>
            for item in two.all():
                item.bite()  # <bite>
            three.get().bite()
        """
    )
    written.check("bite")


def test_python_functions_learn_from_their_arguments(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Callable, Iterator, TypeVar
        class Node:
            def walk(self): ...
        class Name(Node):
            def walk(self): ...  # <def walk>
        N = TypeVar("N", bound=Node)
        def find(kind: type[N]) -> Iterator[N]: ...
        def first(items: list[N]) -> N: ...
        def made(by: Callable[[], N]) -> N: ...
        def same[T: Name](x: T) -> T:
            x.walk()  # <walk>
            return x
        for found in find(Name):
            found.walk()  # <walk>
        first([Name()]).walk()  # <walk>
        made(Name).walk()  # <walk>
        same(Name()).walk()  # <walk>
        find(Node).walk()
        """
    )
    written.check("walk")


def test_python_methods_that_give_their_receiver(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Self, TypeVar
        B = TypeVar("B", bound="Base")
        class Base:
            def chain(self) -> Self: ...
            def old(self: B) -> B: ...
            @classmethod
            def make(cls) -> Self: ...
        class Child(Base):
            def own(self): ...  # <def own>
            @classmethod
            def again(cls):
                super().make().own()  # <own>
        Child().chain().own()  # <own>
        Child().old().own()  # <own>
        Child.make().own()  # <own>
        """
    )
    written.check("own")


def test_python_iteration_of_mappings_and_several_at_once(project: Project) -> None:
    written = project(
        """
        === m.py
        class Key:
            def turn(self): ...  # <def turn>
        class Lock:
            def turn(self): ...
        def f(locks: dict[Key, Lock], keys: list[Key]):
            for key, lock in locks.items():
                key.turn()  # <turn>
                lock.turn()
            for key in locks:
                key.turn()  # <turn>
            for number, (key, lock) in enumerate(zip(keys, locks.values())):
                key.turn()  # <turn>
                lock.turn()
        """
    )
    written.check("turn")


def test_python_iterators_of_ones_own(project: Project) -> None:
    written = project(
        """
        === m.py
        class Token:
            kind: str  # <def kind>
        class Stream:
            def __iter__(self): return Turn()
            def __next__(self) -> Token: ...
        class Turn:
            def __next__(self) -> Token: ...
        def f(stream: Stream):
            next(stream).kind  # <kind>
            for token in stream:
                token.kind  # <kind>
        """
    )
    written.check("kind")


def test_python_overriding_methods_inherit_parameter_types(project: Project) -> None:
    written = project(
        """
        === m.py
        class Stream:
            name = ""  # <def name>
        class Plain:
            def read(self, stream: Stream): ...
        class Loud(Plain):
            def read(self, stream):
                stream.name  # <name>
        """
    )
    written.check("name")


def test_python_what_is_raised_and_what_is_sent(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Generator
        import pytest
        class Wrong(Exception):
            code = 1  # <def code>
        def flow() -> Generator[int, Wrong, None]:
            answer = yield 1
            answer.code  # <code>
        def test():
            with pytest.raises(Wrong) as caught:
                ...
            caught.value.code  # <code>
        """
    )
    written.check("code")


def test_typescript_classes_aliases_and_functions(project: Project) -> None:
    written = project(
        """
        === m.ts
        export interface Apple { bite(): void } // <def bite>
        export interface Pear { bite(): void }
        export class Box<T> {
            constructor(public content: T) {}
            get(): T { return this.content }
            map<U>(f: (x: T) => U): Box<U> { return null as any }
        }
        export type Maybe<T> = { value: T }
        export type Getter<T> = () => T
        export class Basket extends Box<Apple> {}
        export function same<T>(x: T): T { return x }
        export function load<T>(): Promise<T> { return null as any }
        === use.ts
        import { Apple, Basket, Box, Getter, load, Maybe, Pear, same } from './m'
        async function f(box: Box<Apple>, may: Maybe<Apple>, get: Getter<Apple>, other: Box<Pear>, a: Apple) {
            box.get().bite() // <bite>
            box.content.bite() // <bite>
            may.value.bite() // <bite>
            get().bite() // <bite>
            new Basket(a).get().bite() // <bite>
            new Box(a).get().bite() // <bite>
            same(a).bite() // <bite>
            box.map(x => x.bite()) // <bite>
            other.map(p => a).get().bite() // <bite>
            const loaded = await load<Apple>()
            loaded.bite() // <bite>
            other.get().bite()
        }
        """
    )
    written.check("bite")


def test_rust_methods_of_a_bound(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        trait Vector { fn splat(byte: u8) -> Self; } // <def splat>
        trait Other { fn splat(byte: u8) -> Self; }
        fn make<V: Vector>() -> V { V::splat(1) } // <splat>
        struct Mask<V>(V);
        impl<V: Vector> Mask<V> {
            fn new() -> V { V::splat(0) } // <splat>
        }
        fn none<O: Other>() -> O { O::splat(1) }
        """
    )
    written.check("splat")


def test_typescript_interfaces_extend_what_a_generic_name_stands_for(project: Project) -> None:
    written = project(
        """
        === m.ts
        type WithRequired<T, K extends keyof T> = T & { [_ in K]: {} }
        interface Options<T> { key?: T } // <def key>
        interface Fetch<T> extends WithRequired<Options<T>, 'key'> { page: number }
        function load(options: Fetch<string>) { return options.key } // <key>
        load({ key: 'a', page: 1 }) // <key>
        """
    )
    written.check("key")


def test_typescript_what_is_inferred_from_a_type(project: Project) -> None:
    written = project(
        """
        === store.ts
        interface Apple { bite(): void } // <def bite>
        interface Api<T> { getState: () => T }
        type State<S> = S extends { getState: () => infer T } ? T : never
        type Given<F> = F extends (...args: any[]) => infer R ? R : never
        type Element<L> = L extends Array<infer E> ? E : never
        declare function pick(): Apple
        export function f(a: State<Api<Apple>>, b: Given<typeof pick>, c: Element<Apple[]>, d: State<Apple>) {
          a.bite() // <bite>
          b.bite() // <bite>
          c.bite() // <bite>
          d.bite()
        }
        """
    )
    written.check("bite")


def test_typescript_bounds_inside_and_defaults_outside(project: Project) -> None:
    written = project(
        """
        === schemas.ts
        export interface Some {
          inner: number  // <def bound>
        }
        export interface Schema {
          inner: number  // <def default>
          parse(): void  // <def parse>
        }
        export interface Box<T extends Some = Schema> {
          element: T
        }
        export type Pair<T extends Some = Schema> = { left: T }
        export class Made<T extends Some = Schema> {
          element!: T
          constructor(given?: T) {}
          look() {
            return this.element.inner  // <bound>
          }
        }
        export class Heir extends Made {}
        export function give<T extends Some = Schema>(): T { throw 0 }
        export function f<T extends Some = Schema>(given: T, box: Box, pair: Pair, other: Box<Some>) {
          given.inner  // <bound>
          box.element.inner  // <default>
          box.element.parse()  // <parse>
          pair.left.parse()  // <parse>
          other.element.inner  // <bound>
          new Made().element.parse()  // <parse>
          new Made(other.element).element.inner  // <bound>
          new Heir().element.parse()  // <parse>
          give().parse()  // <parse>
        }
        """
    )
    written.check("bound", "inner")
    written.check("default", "inner")
    written.check("parse")


def test_typescript_types_of_a_union_belong_together_by_their_class(project: Project) -> None:
    """What is expected of an object says nothing about itself: T is what other parts of it are."""
    written = project(
        """
        === parts.ts
        export interface Fact {
          kind: string  // <def kind>
        }
        export interface Done extends Fact {
          kind: 'done'  // <def done>
        }
        export type Made<C, E extends Fact, O> = O | ((context: C, event: E) => O)
        export interface Config<C, E extends Fact> {
          context?: Made<C, E, C>
          output?: Made<C, Done, unknown>
          entry?: Made<C, E, unknown>
        }
        export class Box<T> {
          inner!: T
        }
        export interface Machine<C, E extends Fact> {
          send(event: E): void
        }
        export declare function machine<C, E extends Fact>(config: Config<C, E>): Machine<C, E>
        export declare function opened<T>(given: T | Box<T>): T
        const made = machine({ output: 'x', entry: 'y', context: { a: 1 } })
        made.send({ kind: 'go' })  // <kind>
        opened(new Box<Fact>()).kind  // <kind>
        opened({} as Fact | Box<Done>).kind  // <kind> <done>
        """
    )
    written.check("kind")
    written.check("done", "kind")


def test_typescript_keys_of_an_object_given_for_a_type_parameter(project: Project) -> None:
    """The parameter becomes the object's own type; functions in it are still given what its bound says."""
    written = project(
        """
        === steps.ts
        export interface Event {
          depth: number  // <def depth>
        }
        export interface Options {
          step: number  // <def step>
          quick?: boolean  // <def quick>
          heard?: (event: Event) => void
        }
        export function each<T extends Options | undefined = undefined>(options?: T) {
          return options?.step  // <step>
        }
        export function plain(options: Options) {}
        export function walk<T extends (event: Event) => void>(heard: T) {}
        each({ step: 1 })
        each({ step: 2, quick: true })
        plain({ step: 3 })  // <step>
        plain({ step: 4, quick: true })  // <step> <quick>
        each({ step: 5, heard: (event) => event.depth })  // <depth>
        walk(({ depth }) => depth)  // <depth>
        type Flat<T> = { [K in keyof T]: T[K] } & {}
        type Hook<T> = { before?: number } & (T extends any ? T : Flat<T>)  // <def before>
        export function hooked<T extends Options>(hook: Hook<T>) {}
        hooked({ before: 1, step: 6, heard: (event) => event.depth })  // <before> <depth>
        """
    )
    written.check("before")
    written.check("step")
    written.check("quick")
    written.check("depth")


def test_typescript_every_type_of_a_wide_union_holds_its_own(project: Project) -> None:
    kinds = range(40)
    types = [f"export interface Type{n} {{ def: {{ shared: {n} }} }}" for n in kinds]
    union = " | ".join(f"Type{n}" for n in kinds)
    last = [
        "export interface Last {",
        "  shared: string  // <def shared>",
        "}",
        "export interface LastType { def: Last }",
        f"export type Any = {union} | LastType",
        "export function read(given: Any) {",
        "  return given.def.shared  // <shared>",
        "}",
    ]
    project("\n".join(["=== wide.ts", *types, *last, ""])).check("shared")


def test_typescript_members_of_what_a_type_parameter_stands_for(project: Project) -> None:
    written = project(
        """
        === schemas.ts
        type Trait = { inner: { def: any } }
        interface Def {
          value: number  // <def value>
        }
        interface Schema {
          inner: { def: Def }
        }
        interface Made<T extends Trait, D = T["inner"]["def"]> { take(def: D): T }
        declare function make<T extends Trait, D = T["inner"]["def"]>(
          start: (made: T, def: D) => void
        ): Made<T, D>
        declare function lazy<T extends { inner: any }>(given: T, run: (inner: T["inner"]) => unknown): void
        const made: Made<Schema> = make((made, def) => {
          def.value  // <value>
        })
        export function f(given: Schema) {
          lazy(given, (inner) => inner.def.value)  // <value>
        }
        """
    )
    written.check("value")


def test_typescript_what_a_class_is_made_from_that_is_known_by_its_type(project: Project) -> None:
    written = project(
        """
        === schemas.ts
        interface Def {
          kind: string  // <def kind>
        }
        interface Schema {
          inner: { def: Def }
        }
        type Maker<T extends { inner: any }> = {
          new (def: T["inner"]["def"]): T
        }
        interface Plain {
          new (def: Def): Schema
        }
        export function f<T extends Schema>(Class: Maker<T>, Other: Plain): T {
          new Other({
            kind: "",  // <kind>
          })
          return new Class({
            kind: "",  // <kind>
          })
        }
        """
    )
    written.check("kind")


def test_a_constructor_takes_what_its_class_is_told(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface State { tabs: number }  // <def tabs>
        class Keeper<T extends object> { constructor(key: string, defaults: T) {} }
        class Heir<U extends object> extends Keeper<U> {}
        new Keeper<State>('a', { tabs: 1 });  // <tabs>
        new Heir<State>('b', { tabs: 1 });  // <tabs>
        new Keeper('c', { tabs: 1 });
        """
    )
    written.check("tabs")


def test_a_mixins_class_has_what_its_parameter_is_bound_by_and_what_it_is_given(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        type Constructor<T = {}> = new (...args: any[]) => T;
        === base.ts
        export class Base { route() {} }  // <def route>
        export class Rich extends Base { rich() {} }  // <def rich>
        === mixins.ts
        import { Base, Rich } from './base';
        type Made<T> = { new (...args: any[]): T };
        export const one = <B extends Constructor<Base>>(above: B) => class extends above {
          first() { this.route(); }  // <route> <def first>
        };
        export function two<B extends Made<Base>>(above: B) {
          return class extends above { second() { this.route(); } };  // <route>
        }
        export function three<B extends typeof Base>(above: B) {
          class Inner extends above { third() { super.route(); } }  // <route>
          return Inner;
        }
        class Whole extends one(two(Rich)) {
          all() {
            this.route();  // <route>
            this.rich();  // <rich>
            this.first();  // <first>
          }
        }
        """
    )
    for name in ("route", "rich", "first"):
        written.check(name)


def test_typescript_signature_of_an_object_is_told_by_arguments_and_defaults(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Box<T> {
          held: T
          open(): string // <def open>
        }
        class Lid { size = 1 } // <def size>
        type Boxed<T> = T extends string ? Box<T> : Box<T[]>
        interface Maker {
          <T>(of: T): Box<T>
          <const T, R = Boxed<T>>(of: T, often: number): R extends infer _ ? _ : never
        }
        declare const make: Maker
        make(new Lid()).held.size // <size>
        make("a", 2).open() // <open>
        """
    )
    written.check("size")
    written.check("open")


def test_typescript_signatures_of_an_object_by_what_it_is_given(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Computed { get(): number } // <def get>
        interface Plain { get(): number }
        interface Factory {
          (): Plain
          (options: { name: string }): Plain
          (task: () => number, options?: { name: string }): Computed
        }
        declare const computed: Factory
        computed(() => 1).get() // <get>
        computed(() => 1, { name: "a" }).get() // <get>
        computed().get()
        """
    )
    written.check("get")


def test_typescript_an_object_whose_type_extends_that_of_a_function_is_called_as_it(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Bench<F> {
          run: F
          median() {} // <def median>
        }
        type Made<F> = Bench<F> & { times: number }
        type Make = <F extends () => unknown>(name: string, of: F) => Made<F>
        interface Benches extends Make { all: string }
        interface More extends Benches {}
        declare const bench: Benches, more: More
        bench("a", () => 1).median() // <median>
        more("a", () => 1).median() // <median>
        """
    )
    written.check("median")
