"""TypeScript: what its grammar does not read by itself."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_call_signatures_without_semicolons_and_newer_syntax_are_read(project: Project) -> None:
    written = project(
        """
        === lib.ts
        export interface Page<out T> { title: T } // <def title>
        export interface Load {
          <T>(name: string): Page<T> // nothing ends this line

          // more than one
          <
            T,
            U,
          >(name: string, more: U): Page<T>
        }
        export class After {} // <def After>
        === all.ts
        export type * from './lib'
        === use.ts
        import type { After, Load } from './all' // <After>
        function f(load: Load, after: After) { // <After>
          load('x').title // <title>
        }
        """
    )
    written.check("title")
    written.check("After")


def test_using_declares_in_its_block(project: Project) -> None:
    written = project(
        """
        === a.ts
        const ctx = { stop() {} } // <def outer>
        class Run { done() {} } // <def done>
        async function one() {
            await using ctx = new Run() // <def ctx>
            ctx.done() // <ctx> <done>
        }
        function two() { using other: Run = make(); other.done() } // <done>
        for (using each of new Array<Run>()) each.done() // <done>
        ctx.stop() // <outer>
        === b.js
        class Lock { free() {} } // <def free>
        {
            using lock = new Lock();
            lock.free(); // <free>
        }
        """
    )
    written.check("outer", "ctx")
    written.check("ctx")
    written.check("done")
    written.check("free")


def test_members_whose_modifiers_the_grammar_does_not_know(project: Project) -> None:
    written = project(
        """
        === a.ts
        abstract class List<T> extends Input<T> {
          protected abstract override readonly settings: Settings<T> // <def settings>
          abstract override run(): void // <def run>
          accessor size: number = 1 // <def size>
          static accessor #made = 2
          read(accessor: string) {
            this.run() // <run>
            return this.settings.x + this.size + accessor // <settings> <size>
          }
        }
        """
    )
    for mark in ("settings", "run", "size"):
        written.check(mark)
    names = {d.name for d in written.facts["a.ts"].outline.definitions}
    assert "accessor" not in names


def test_names_that_the_grammar_takes_for_words_of_the_language(project: Project) -> None:
    written = project(
        """
        === kinds.ts
        export const type = 1 // <def type>
        export type Kind = 2 // <def Kind>
        export declare namespace string { export type submodule = 1 } // <def submodule>
        export interface Wrapped { string: string.submodule } // <submodule>
        === list.ts
        export {
          type, // <type>
          type Kind // <Kind>
        } from './kinds'
        === second.ts
        export { type as other } from './kinds' // <type>
        === use.ts
        import { type, type Kind } from './list' // <type> <Kind>
        import { other } from './second' // <type>
        const kind: Kind = type + other // <Kind> <type>
        """
    )
    for mark in ("type", "Kind", "submodule"):
        written.check(mark)
