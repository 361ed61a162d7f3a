"""References in TypeScript and JavaScript projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_named_default_and_namespace_imports_and_aliases(project: Project) -> None:
    written = project(
        """
        === lib.ts
        export function area(): number { return 1 } // <def area>
        export default class Shape {} // <def Shape>
        === use.ts
        import Figure, { area as surface } from './lib' // <area> <Shape>
        import * as lib from './lib'
        surface() // <area>
        lib.area() // <area>
        new Figure() // <Shape>
        const area = 1 // another area
        === other.ts
        function area() {} // yet another
        area()
        """
    )
    written.check("area")
    written.check("Shape")


def test_a_module_exports_a_value_without_a_name(project: Project) -> None:
    written = project(
        """
        === made.ts
        class Client { send() {} } // <def send>
        const make = () => new Client()
        export default make()
        === shaped.ts
        export default { limit: 1 } // <def limit>
        === common.js
        const { Door } = require('./door')
        module.exports = new Door()
        === door.js
        class Door { open() {} } // <def open>
        module.exports = { Door }
        === use.ts
        import client from './made'
        import shape from './shaped'
        client.send() // <send>
        shape.limit // <limit>
        === use.js
        const door = require('./common')
        door.open() // <open>
        """
    )
    written.check("send")
    written.check("limit")
    written.check("open")


def test_barrels_and_renamed_re_exports(project: Project) -> None:
    written = project(
        """
        === src/a.ts
        export const one = 1 // <def one>
        export class Two {} // <def Two>
        === src/index.ts
        export * from './a'
        export { Two as Second } from './a' // <Two>
        === app.ts
        import { one, Second } from './src' // <one> <Two>
        console.log(one, new Second()) // <one> <Two>
        """
    )
    written.check("one")
    written.check("Two")


@pytest.mark.parametrize("specifier", ["@app/tools", "shared/tools", "@scope/kit/tools", "#tools"])
def test_modules_by_mapping_base_package_and_private_name(project: Project, specifier: str) -> None:
    written = project(
        f"""
        === tsconfig.base.json
        {{
          // comments and trailing commas are allowed
          "compilerOptions": {{ "baseUrl": "packages", "paths": {{ "@app/*": ["kit/src/*"], }} }},
        }}
        === tsconfig.json
        {{ "extends": "./tsconfig.base.json" }}
        === packages/shared/tools.ts
        export {{ hammer }} from '@scope/kit/tools' // <hammer>
        === packages/kit/package.json
        {{ "name": "@scope/kit", "imports": {{ "#tools": "./dist/tools.js" }},
           "exports": {{ "./*": {{ "types": "./dist/*.d.ts", "import": "./dist/*.js" }} }} }}
        === packages/kit/src/tools.ts
        export function hammer() {{}} // <def hammer>
        === packages/kit/use.ts
        import {{ hammer }} from '{specifier}' // <hammer>
        hammer() // <hammer>
        """
    )
    written.check("hammer")


def test_members_through_this_super_inheritance_and_interfaces(project: Project) -> None:
    written = project(
        """
        === base.ts
        export interface Named { label: string } // <def label>
        export class Animal implements Named {
          label = 'a'
          speak() { return this.noise() } // <def speak> <noise>
          protected noise() { return '' } // <def noise>
        }
        === dog.ts
        import { Animal, Named } from './base'
        class Dog extends Animal {
          speak() { return super.speak() } // <speak>
        }
        class Cat extends Animal {}
        function show(x: Named) { return x.label } // <label>
        new Cat().speak() // <speak>
        declare const unknown: any
        unknown.speak()
        """
    )
    written.check("speak")
    written.check("noise")
    written.check("label")


def test_types_flow_through_results_promises_arrays_and_callbacks(project: Project) -> None:
    written = project(
        """
        === user.ts
        export class User { rename(to: string) {} } // <def rename>
        export async function load(): Promise<User> { return new User() }
        export const all: User[] = []
        export const byName = new Map<string, User>()
        === use.ts
        import { load, all, byName, User } from './user'
        async function main() {
          const user = await load()
          user.rename('a') // <rename>
          load().then(u => u.rename('b')) // <rename>
          all.forEach((u) => u.rename('c')) // <rename>
          all.filter(u => true)[0].rename('d') // <rename>
          for (const u of all) u.rename('e') // <rename>
          byName.get('x')!.rename('f') // <rename>
          const { first } = { first: new User() }
          first.rename('g') // <rename>
        }
        """
    )
    written.check("rename")


def test_keys_of_objects_mean_the_expected_type(project: Project) -> None:
    written = project(
        """
        === options.ts
        export interface Retry { limit: number } // <def limit>
        export type Options = { retry?: Retry; hook?: (at: Retry) => void } // <def retry>
        export function start(options: Options) { return options.retry!.limit } // <retry> <limit>
        === use.ts
        import { start, Options } from './options'
        start({ retry: { limit: 1 } }) // <retry> <limit>
        const saved: Options = { retry: { limit: 2 } } // <retry> <limit>
        start({ hook: (at) => at.limit }) // <limit>
        const { retry } = saved // <retry>
        const other = { limit: 3 }
        """
    )
    written.check("limit")
    written.check("retry")


def test_enums_accessors_parameter_properties_and_overloads(project: Project) -> None:
    written = project(
        """
        === a.ts
        export enum Color { Red, Green } // <def Red>
        export class Point {
          constructor(readonly x: number) {} // <def x>
          get double() { return this.x * 2 } // <def double> <x>
        }
        export function make(a: string): Point // <def make>
        export function make(a: number): Point
        export function make(a: any) { return new Point(a) }
        === b.ts
        import { Color, make } from './a' // <make>
        const p = make(1) // <make>
        console.log(p.x, p.double, Color.Red) // <x> <double> <Red>
        """
    )
    for mark in ("Red", "x", "double", "make"):
        written.check(mark)


def test_jsx_components_and_their_properties(project: Project) -> None:
    written = project(
        """
        === button.tsx
        type Props = { caption: string } // <def caption>
        export function Button({ caption }: Props) { return <b>{caption}</b> } // <def Button> <caption>
        === page.tsx
        import { Button } from './button' // <Button>
        export const page = <Button caption="x" /> // <Button> <caption>
        """
    )
    written.check("Button")
    written.check("caption")


def test_common_js(project: Project) -> None:
    written = project(
        """
        === store.js
        class Store { put() {} } // <def Store> <def put>
        module.exports = Store // <Store>
        === tools.js
        function inner() {} // <def inner>
        exports.outer = inner // <inner>
        exports.direct = function () {} // <def direct>
        === use.js
        const Store = require('./store') // <Store>
        const { outer, direct } = require('./tools') // <inner> <direct>
        const tools = require('./tools')
        new Store().put() // <Store> <put>
        outer(); direct() // <inner> <direct>
        tools.direct() // <direct>
        """
    )
    for mark in ("Store", "put", "inner", "direct"):
        written.check(mark)


def test_a_cycle_of_modules_and_types_ends(project: Project) -> None:
    written = project(
        """
        === a.ts
        export * from './b'
        export type A = B
        import { B } from './b'
        export class X extends Y {} // <def X>
        import { Y } from './b'
        === b.ts
        export * from './a'
        import { A, X } from './a' // <X>
        export type B = A
        export class Y extends X {} // <X>
        """
    )
    written.check("X")


def test_methods_of_an_object_take_what_its_type_says(project: Project) -> None:
    written = project(
        """
        === hooks.ts
        interface Context { checker: string } // <def checker>
        interface Hook { convert(context: Context): void; run: (c: Context) => void } // <def convert>
        export const hook: Hook = {
          convert(context) { // <convert>
            context.checker // <checker>
          },
          run(c) { c.checker }, // <checker>
        }
        """
    )
    written.check("checker")
    written.check("convert")


def test_containers_take_what_they_hold(project: Project) -> None:
    written = project(
        """
        === parts.ts
        interface Part { text: string } // <def text>
        const parts: Part[] = []
        parts.push({ text: '' }) // <text>
        const named = new Map<string, Part>()
        const known: Map<string, Part> = named
        known.set('', { text: '' }) // <text>
        """
    )
    written.check("text")


def test_elements_of_jsx_are_members_of_their_interface(project: Project) -> None:
    written = project(
        """
        === jsx.d.ts
        declare namespace JSX {
          interface Box { width: number } // <def width>
          interface IntrinsicElements { box: Box; line: {} } // <def box>
        }
        === view.tsx
        export const view = (
          <box width={1}> {/* <box> <width> */}
            <line />
          </box> // <box>
        )
        """
    )
    written.check("box")
    written.check("width")


def test_types_computed_from_other_types(project: Project) -> None:
    written = project(
        """
        === made.ts
        interface Options { url: string; retry: number } // <def url>
        interface Own { retry: string } // <def retry>
        type Merge<A, B> = Omit<A, keyof B> & B
        function make() { return { value: 1 } } // <def value>
        class Maker { made = 1 } // <def made>
        interface Kinds { one: Maker; two: Maker }
        export function f(
          a: Omit<Options, 'retry'>,
          b: Pick<Options, 'retry'>,
          c: Merge<Options, Own>,
          d: ReturnType<typeof make>,
          e: InstanceType<typeof Maker>,
          g: Kinds[keyof Kinds],
        ) {
          a.url // <url>
          b.url
          c.url // <url>
          c.retry // <retry>
          d.value // <value>
          e.made // <made>
          g.made // <made>
        }
        """
    )
    for mark in ("url", "retry", "value", "made"):
        written.check(mark)


def test_a_function_says_what_it_is_called_on(project: Project) -> None:
    written = project(
        """
        === this.ts
        interface Source { pipe(): void } // <def Source> <def pipe>
        export const operator = function (this: Source) { // <Source>
          this.pipe() // <pipe>
          return () => this.pipe() // <pipe>
        }
        """
    )
    written.check("Source")
    written.check("pipe")


def test_foreign_modules_that_the_project_describes(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        declare module '*.css' {
          const classes: { [name: string]: string } // <def classes>
          export default classes // <classes>
        }
        declare module 'untyped' {
          export class Box { open(): void } // <def open>
        }
        === use.ts
        import styles from './a.css' // <classes>
        import { Box, other } from 'untyped'
        styles.a // <classes>
        new Box().open() // <open>
        """
    )
    written.check("classes")
    written.check("open")


def test_a_promise_hands_over_its_value_and_an_array_its_elements(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Fault { reason = "" } // <def reason>
        declare function check(): Promise<Fault[]>
        check().then(faults => {
            faults[0].reason // <reason>
            faults.map(fault => fault.reason) // <reason>
            return faults
        }).then(again => again[0].reason) // <reason>
        """
    )
    written.check("reason")


def test_a_parameter_that_is_a_field_is_one_thing(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Base {
            protected seen = new Set<string>() // <def seen>
        }
        class Shop extends Base {
            constructor(private stock: Stock, count: number) { // <def stock>
                super()
                this.seen = new Set() // <seen>
                stock.fill(count) // <stock> <fill>
            }
            open() { return this.stock.fill(1) } // <stock> <fill>
        }
        class Stock { fill(n: number) {} } // <def fill>
        new Shop(new Stock(), 1)
        """
    )
    written.check("stock")
    written.check("fill")
    written.check("seen")


def test_components_and_hooks_of_react_hand_on_their_types(project: Project) -> None:
    written = project(
        """
        === shop.tsx
        import React, { createContext, useContext, useState, useRef, memo, forwardRef } from "react"
        import type { FC, Dispatch, SetStateAction } from "react"
        export interface Item { label: string } // <def label>
        interface Props {
            item: Item // <def item>
        }
        interface Shop {
            items: Item[] // <def items>
            choose: Dispatch<SetStateAction<Item>> // <def choose>
        }
        const ShopContext = createContext<Shop>({
            items: [], // <items>
            choose: () => {}, // <choose>
        })
        export const Row: FC<Props> = ({ item }) => <b>{item.label}</b> // <item> <label>
        const Quick = memo<Props>(({ item }) => <i>{item.label}</i>) // <item> <label>
        const Held = forwardRef<HTMLElement, Props>(({ item }, ref) => <i>{item.label}</i>) // <item> <label>
        export function List() {
            const { items, choose } = useContext(ShopContext) // <items> <choose>
            const [first, setFirst] = useState<Item>({ label: "" }) // <label>
            const [second] = useState(items[0])
            const held = useRef<Item>(null)
            held.current?.label + second.label // <label>
            setFirst(before => ({ ...before, label: before.label })) // <label>
            choose(before => ({ label: before.label })) // <label>
            return <Row item={first} /> // <item>
        }
        export const shop = <ShopContext.Provider value={{ items: [], choose }} /> // <items> <choose>
        const more = <><Quick item={x} /><Held item={x} /></> // <item>
        const props: React.ComponentProps<typeof Held> = { item: x } // <item>
        """
    )
    for name in ("label", "item", "items", "choose"):
        written.check(name)


def test_keys_in_quotation_marks_and_types_by_key(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Limits { most: number } // <def most>
        const limits: Record<string, Limits> = {
            "model-1": { most: 1 }, // <most>
            "most": { "most": 2 }, // <most>
        }
        enum Status { 'active' = 1, "idle" } // <def idle>
        Status.idle // <idle>
        interface Rows {
            users: { Row: { email: string } } // <def email>
            other: { Row: { email: number } }
        }
        interface Database { public: { Tables: Rows } }
        type Public = Database[Extract<keyof Database, "public">]
        type Of<T extends keyof Public["Tables"]> = Public["Tables"][T] extends { Row: infer R } ? R : never
        declare const user: Of<"users">
        user.email // <email>
        """
    )
    written.check("most")
    written.check("idle")
    written.check("email")


def test_a_module_that_another_imports_for_itself_hides_no_name_behind_a_star(project: Project) -> None:
    written = project(
        """
        === core.ts
        export const parse = 1 // <def parse>
        === parse.ts
        export { parse } from './core' // <parse>
        === schemas.ts
        import * as parse from './parse'
        export const used = parse.parse // <parse>
        === index.ts
        export * from './parse'
        export * from './schemas'
        === use.ts
        import * as all from './index'
        all.parse // <parse>
        """
    )
    written.check("parse")


def test_a_foreign_function_that_is_told_a_type(project: Project) -> None:
    written = project(
        """
        === a.ts
        import { caught } from "checks"
        class Fault { reason = "" } // <def reason>
        type Nothing<T> = T extends string ? string : number
        declare function own(): Nothing<Fault>
        caught<Fault>(() => {}).reason // <reason>
        own().reason
        """
    )
    written.check("reason")


def test_a_private_type_beside_a_value_of_its_name(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Context { user: string } // <def type>
        export const Context = make<Context>() // <def value> <type>
        export const again = Context // <value>
        interface Both { user: string } // <def both>
        export const Both = make<Both>() // <both>
        export { Both } // <both>
        interface View { user: string } // <def view>
        export function View(given: View) {} // <view>
        === b.ts
        import { Context, Both, View } from './a' // <value> <both>
        use(Context, Both, View) // <value> <both>
        """
    )
    written.check("type", "Context")
    written.check("value", "Context")
    written.check("both", "Both")
    written.check("view", "View")
