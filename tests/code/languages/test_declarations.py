"""What TypeScript declares for a whole project."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_global_declarations(project: Project) -> None:
    written = project(
        """
        === globals.d.ts
        declare const VERSION: string // <def VERSION>
        === augment.ts
        export {}
        declare global { interface Shared { id: number } } // <def id>
        === use.ts
        export const shown = VERSION // <VERSION>
        export function f(s: Shared) { return s.id } // <id>
        """
    )
    written.check("VERSION")
    written.check("id")


def test_a_type_by_import_leaves_a_declaration_file_global(project: Project) -> None:
    written = project(
        """
        === shown.ts
        export class Shown {}
        === globals.d.ts
        interface Layout { shown: import('./shown').Shown; size: number } // <def Layout> <def size>
        === own.d.ts
        import { Shown } from './shown'
        interface Own { shown: Shown } // <def Own>
        === use.ts
        import './shown'
        export const far = (layout: Layout) => layout.size // <Layout> <size>
        export const foreign = (own: Own) => own
        """
    )
    written.check("Layout")
    written.check("size")
    written.check("Own")


def test_a_second_name_for_a_member_of_a_namespace(project: Project) -> None:
    written = project(
        """
        === reader.ts
        export interface Reader<A> { run: () => A } // <def Reader> <def run>
        === use.ts
        import * as R from './reader'
        import Reader = R.Reader // <Reader>
        export const f = (reader: Reader<string>) => reader.run() // <Reader> <run>
        namespace Shapes { export class Square {} } // <def Square>
        import Square = Shapes.Square // <Square>
        export const made = new Square() // <Square>
        """
    )
    written.check("Reader")
    written.check("run")
    written.check("Square")


def test_a_type_parameter_hides_no_value(project: Project) -> None:
    written = project(
        """
        === either.ts
        export const left = 1 // <def left>
        === use.ts
        import * as E from './either'
        export function f<E>(given: E) { return [given, E.left] } // <left>
        export function g<E>(E: { left: E }) { return E.left }
        export function h<E>(given: E[]) { return given.map((E: { left: E }) => E.left) }
        """
    )
    written.check("left")


def test_what_a_record_type_holds_under_any_key(project: Project) -> None:
    written = project(
        """
        === use.ts
        interface Rule { severity: string } // <def severity>
        interface Settings { rules: Record<string, Rule> }
        export const f = (rule: Settings['rules']['']) => rule.severity // <severity>
        export const g = (rule: Settings['rules'][string]) => rule.severity // <severity>
        """
    )
    written.check("severity")


def test_names_taken_out_of_a_module_that_is_awaited(project: Project) -> None:
    """They are variables, as the compiler sees it; a module that is required gives its own."""
    written = project(
        """
        === box.ts
        export function pack() {} // <def pack>
        export class Box { open() {} } // <def Box> <def open>
        === late.test.ts
        async function check() {
          const { pack, Box: Other } = await import('./box') // <pack> <Box>
          pack()
          new Other().open() // <open>
          const whole = await import('./box')
          whole.pack() // <pack>
        }
        === old.js
        const { pack } = require('./box') // <pack>
        pack() // <pack>
        """
    )
    for name in ("pack", "Box", "open"):
        written.check(name)


def test_something_given_out_under_the_name_of_something_else(project: Project) -> None:
    written = project(
        """
        === either.ts
        class Right { value() {} } // <def class>
        const right = (): Right => new Right() // <def function> <class>
        export { right as Right } // <function>
        === kept.ts
        class Left {} // <def left>
        const made = new Left() // <left>
        export { made as made_left, Left } // <left>
        === a.ts
        import { Right } from "./either" // <function>
        import { Left } from "./kept" // <left>
        Right().value() // <function>
        new Left() // <left>
        """
    )
    written.check("class", "Right")
    written.check("function", "right")
    written.check("left", "Left")


def test_type_and_value_given_out_under_one_name(project: Project) -> None:
    written = project(
        """
        === shape.ts
        export interface Shape { side: number } // <def side>
        const shape = { unit: 1 } // <def unit>
        export { shape as Shape }
        === a.ts
        import { Shape } from "./shape"
        const one: Shape = { side: Shape.unit } // <side> <unit>
        """
    )
    written.check("side")
    written.check("unit")


def test_types_of_a_namespace_beside_an_object(project: Project) -> None:
    written = project(
        """
        === kit.ts
        export class Layer { draw() {} }
        export const Kit = { Layer, unit: 1 }
        export namespace Kit {
          export type Layer = import("./kit").Layer // <def type>
        }
        === a.ts
        import { Kit } from "./kit"
        const layer: Kit.Layer = new Kit.Layer() // <type>
        new Kit.Layer()
        """
    )
    written.check("type", "Layer")


def test_function_named_like_an_overloaded_method(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Serializer {
          static render(a: number): string
          static render(a: number, b?: number): string {
            return render(a, b) // <function>
          }
          run() { return Serializer.render(1) }
        }
        function render(a: number, b?: number) { return "" } // <def function>
        """
    )
    written.check("function", "render")


def test_this_in_an_object_is_what_is_expected_of_it(project: Project) -> None:
    written = project(
        """
        === box.ts
        export class Box {
          width = 1 // <def width>
          grow() { return this.width } // <width>
        }
        export const mixin: Partial<Box> = {
          grow() { return this.width } // <width>
        }
        export const free = { grow() { return this.width } }
        """
    )
    written.check("width")


def test_a_global_namespace_has_what_any_of_its_blocks_declares(project: Project) -> None:
    written = project(
        """
        === first.ts
        declare global {
          namespace Kit {
            interface Part { open(): Options<string> } // <options>
          }
        }
        export {}
        === second.ts
        declare global {
          export namespace Kit {
            export interface Options<T> { size: T } // <def options> <def size>
            namespace Deep { interface Hole { deep: Options<1> } } // <options> <def deep>
          }
        }
        export {}
        === use.ts
        export function use(part: Kit.Part, options: Kit.Options<1>, hole: Kit.Deep.Hole) { // <options>
          part.open().size // <size>
          hole.deep.size // <deep> <size>
        }
        """
    )
    written.check("options", "Options")
    written.check("size")
    written.check("deep")


def test_a_global_variable_beside_interfaces_of_its_name_in_other_files(project: Project) -> None:
    written = project(
        """
        === a.ts
        declare global {
          interface Stream { buffer(): Stream } // <def buffer>
        }
        export const made: Stream = Stream.from(1) // <from>
        made.buffer() // <buffer>
        === b.ts
        declare global {
          interface StreamMaker { from(given: unknown): Stream } // <def from>
          var Stream: StreamMaker
          interface Stream {}
        }
        export const more = new Set([Stream.from(2).buffer()]) // <from> <buffer>
        """
    )
    written.check("from")
    written.check("buffer")


def test_global_namespaces_of_several_files_are_one(project: Project) -> None:
    written = project(
        """
        === kinds.ts
        export interface Eventful { mode?: string } // <def mode>
        export interface Masked { mask: number } // <def mask>
        === events.d.ts
        import type { Eventful } from './kinds'
        declare global
        {
            namespace Kit
            {
                interface Part extends Eventful { own: number } // <def own>
            }
        }
        === masks.d.ts
        declare namespace Kit
        {
            interface Part extends Partial<import('./kinds').Masked> { other: number } // <def other>
        }
        === part.ts
        export interface Part extends Kit.Part {}
        export class Part {}
        class Other extends Part {}
        new Part().mode // <mode>
        new Other().mask // <mask>
        new Part().own // <own>
        new Other().other // <other>
        """
    )
    for name in ("mode", "mask", "own", "other"):
        written.check(name)


def test_the_nearest_description_of_files_that_are_no_code(project: Project) -> None:
    written = project(
        """
        === docs/global.d.ts
        declare module '*.less' {
          const value: string // <def docs>
          export default value // <docs>
        }
        === src/typings/global.d.ts
        declare module '*.less' {
          const value: string // <def src>
          export default value // <src>
        }
        === docs/page.ts
        import styles from './page.less' // <docs>
        styles // <docs>
        === src/components/button.ts
        import styles from './button.less' // <src>
        styles // <src>
        """
    )
    written.check("docs", "value")
    written.check("src", "value")


def test_a_value_hides_no_type_of_its_name(project: Project) -> None:
    written = project(
        """
        === env.ts
        type ENV = { mode: string } // <def ENV>
        declare global {
          var ENV: ENV // <ENV>
          interface Window { ENV: ENV } // <ENV>
        }
        === mixin.ts
        interface Base { id: string } // <def Base>
        export function mixed(Base: new () => Base) { // <Base>
          return class extends Base {}
        }
        export function typed<T, Base>(first: Base) {}
        """
    )
    written.check("ENV")
    written.check("Base")
