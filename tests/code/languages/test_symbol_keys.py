"""Members whose keys are symbols in TypeScript, and types that are told by all arguments of a call."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

KEYS = """
        === keys.ts
        export const coreName = /* pure */ Symbol()
        export declare const hooksName: unique symbol
        export interface Core { run(): void } // <def run>
        export interface Hooks { use(): void } // <def use>
        export interface Modules<T> {
          [coreName]: Core
          [hooksName]: Hooks
          plain: T
        }
"""


def test_what_is_held_under_a_symbol(project: Project) -> None:
    written = project(
        KEYS
        + """
        === use.ts
        import { coreName, hooksName, Core, Modules } from './keys'
        declare const modules: Modules<1>
        modules[coreName].run() // <run>
        modules[hooksName].use() // <use>
        const made = { [coreName]: {} as Core }
        made[coreName].run() // <run>
        class Own {
          [hooksName] = modules[hooksName]
        }
        new Own()[hooksName].use() // <use>
        """
    )
    written.check("run")
    written.check("use")


def test_a_type_asked_by_the_type_of_a_symbol(project: Project) -> None:
    written = project(
        KEYS
        + """
        export type CoreModule = typeof coreName | never
        export type Kit<Names extends keyof Modules<1> = CoreModule> = Modules<1>[Names]
        === use.ts
        import type { hooksName, Kit } from './keys'
        declare const kit: Kit
        declare const hooks: Kit<typeof hooksName>
        kit.run() // <run>
        hooks.use() // <use>
        """
    )
    written.check("run")
    written.check("use")


def test_all_further_arguments_tell_a_type_parameter(project: Project) -> None:
    written = project(
        """
        === parts.ts
        export interface Part<T> { made: T }
        export interface Left { left: string } // <def left>
        export interface Right { right: string } // <def right>
        export declare const left: Part<Left>
        export declare const right: Part<Right>
        export declare function joined<Parts extends Part<any>[]>(...parts: Parts): Parts[number]['made']
        export declare function listed<T extends unknown[]>(...all: T): T
        const some = joined(right)
        some.right // <right>
        const both = joined(left, right)
        if ('left' in both) both.left // <left>
        listed(left, right)[1].made.right // <right>
        """
    )
    written.check("left")
    written.check("right")


def test_what_a_type_has_beside_a_mapped_one_that_is_not_told(project: Project) -> None:
    written = project(
        """
        === kit.ts
        interface Turn { angle(): number } // <def angle>
        interface Base { turn: Turn }
        type Merged<T> = T extends string ? never : { [K in keyof T as K extends 'id' ? never : K]: T[K] }
        type Kit<T> = Base & Merged<T>
        export interface Moved { by: number }
        export function use(this: Kit<Moved>, kit: Kit<Moved>['turn']) {
          this.turn.angle() // <angle>
          kit.angle() // <angle>
        }
        """
    )
    written.check("angle")
