"""What the grammar of TypeScript does not know, and what functions and signatures of objects are told."""

from __future__ import annotations

from collections.abc import Callable

from tests.code.languages.conftest import Written

Project = Callable[[str], Written]


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


def test_typescript_this_may_be_a_type_parameter_of_any_name(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Options<Self extends Prompt> { render(this: Omit<Self, "ask">): string; plain(): string }
        class Prompt { state = "" } // <def state>
        interface Choices<T> extends Options<Choice<T>> {
          options: T[] // <def given>
        }
        class Choice<T> extends Prompt {
          options: T[] // <def options>
          constructor(choices: Choices<T>) { super() }
        }
        new Choice({
          options: [1], // <given>
          render() { return this.state + this.options }, // <state> <options>
          plain() { return "" + this.options }, // <given>
        })
        """
    )
    written.check("state")
    for mark in ("given", "options"):
        written.check(mark, "options")


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
