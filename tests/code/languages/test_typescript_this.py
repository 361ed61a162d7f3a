"""TypeScript: what ``this`` is, as a value and as a type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_typescript_this_is_the_heir_that_a_method_is_called_on(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Schema<T = unknown> {
          clone(): this { return this }
          test(name: string): this
          test(name: string, strict: boolean): this
          test(...given: unknown[]) { return this.clone() }
          label(text: string) {
            const next = this.clone()
            return next
          }
          when(then: (schema: this) => void) { return this }
          same: Getter<string, this> = null as any
        }
        interface Getter<V, Owner> {
          (): V
          (value: V): Owner
        }
        class Text extends Schema<string> {
          min(size: number) { // <def min>
            return this.test("min")
          }
          trim() { return this.label("trim").test("trim", true) }
        }
        class Other extends Schema<number> {
          min(size: number) { return this }
        }
        new Text().clone().min(1) // <min>
        new Text().trim().min(1).min(2) // <min>
        new Text().label("a").min(1) // <min>
        new Text().when((schema) => schema.min(1)).min(2) // <min>
        new Text().same("a").min(1) // <min>
        new Text().same().min(1)
        new Other().clone().min(1)
        """
    )
    written.check("min")


def test_typescript_this_of_a_function_is_what_is_expected_of_it(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Context {
          format: string // <def format>
          options: string[]
        }
        type Render = (this: Context, code: string) => void
        interface Plugin { name: string; render?: Render; start?: (this: Context) => void }
        declare function run(task: (this: Context, count: number) => void): void
        class Maker {
          format = 1
          make(): Plugin {
            this.format
            return {
              name: "a",
              render(code) {
                this.format // <format>
                this.options.forEach(() => this.format) // <format>
              },
              start: function () { this.format }, // <format>
            }
          }
        }
        run(function (count) { this.format }) // <format>
        const own = { format: 1, read() { return this.format } }
        """
    )
    written.check("format")


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


def test_typescript_member_of_this_as_a_type(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Part { size: number } // <def size>
        interface Arguments {
          payload: Part
          body: this["payload"]
        }
        function f(body: Arguments["body"]) {
          return body.size // <size>
        }
        """
    )
    written.check("size")


@pytest.mark.parametrize(
    "takes",
    [
        "<T extends Base>(this: new (...args: any[]) => T, data: T): T",
        "<T>(this: { new (): T }, data: T): T",
    ],
)
def test_what_a_static_method_is_called_on_tells_what_it_takes(project: Project, takes: str) -> None:
    written = project(
        f"""
        === base.ts
        export abstract class Base {{ static create{takes} {{ return new this(data) }} }}
        === crate.ts
        import {{ Base }} from './base'
        export class Crate extends Base {{
          size: number // <def size>
        }}
        === use.ts
        import {{ Crate }} from './crate'
        Crate.create({{ size: 1 }}).size // <size>
        """
    )
    written.check("size")
