"""TypeScript: what arrays, maps, elements and foreign types and functions hand on."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_foreign_type_holds_what_it_is_told(project: Project) -> None:
    written = project(
        """
        === form.ts
        import { Store, Repository } from 'elsewhere'
        interface State {
          errors: string[]  // <def errors>
        }
        class Form {
          store!: Store<State>
          constructor(private users: Repository<State>) {}
          get state() { return this.store.state }
          async all() {
            this.store.setState((old) => ({ ...old, errors: old.errors }))  // <errors>
            const found = await this.users.findOne({ id: 1 })
            return found.errors  // <errors>
          }
        }
        new Form().state.errors  // <errors>
        const list: State[] = []
        list.length.errors
        """
    )
    written.check("errors")


def test_a_foreign_type_keeps_the_methods_of_what_it_is_made_from_and_perhaps_its_fields(
    project: Project,
) -> None:
    written = project(
        """
        === a.ts
        import { Mocked, Row } from 'elsewhere'
        class Person {
          name = ''  // <def name>
          greet() {}  // <def greet>
        }
        export function f(mock: Mocked<Person>, row: Row<Person>, part: Partial<Person>) {
          mock.greet()  // <greet>
          row.name
          const copy = { ...row, age: 1 }
          copy.name
          part.name  // <name>
        }
        """
    )
    written.check("greet")
    written.check("name")
    assert written.possible("name") == {("a.ts", 8), ("a.ts", 10)}


def test_comments_among_type_arguments(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Task {
          start: string  // <def start>
          end: string  // <def end>
        }
        declare function f(given: Pick<
          Task,
          // what is shown
          'start' // not the end
        >): void
        f({
          start: '', // <start>
          end: ''
        })
        """
    )
    written.check("start")
    written.check("end")


def test_what_arrays_and_maps_hand_on(project: Project) -> None:
    written = project(
        """
        === release.ts
        export interface Release {
          name: string  // <def name>
        }
        export function f(byKey: Map<string, Release>, list: Release[]) {
          for (const [, release] of byKey) {
            release.name  // <name>
          }
          const all = [...byKey.values()]
          all.shift()!.name  // <name>
          list.sort((a, b) =>
            a.name < 'b' ||  // <name>
            b.name > 'a'  // <name>
          )
          const [, second] = [1, list[0]]
          second.name  // <name>
        }
        """
    )
    written.check("name")


def test_what_is_expected_of_choices_and_constants(project: Project) -> None:
    written = project(
        """
        === tool.ts
        interface Failure {
          message: string  // <def message>
        }
        declare function read(): Failure | undefined
        const failure: Failure = read() ?? { message: '' }  // <message>
        export const failures = [
          { message: 'a' },  // <message>
        ] as const satisfies ReadonlyArray<Failure>
        """
    )
    written.check("message")


def test_a_mocked_module_is_the_module(project: Project) -> None:
    written = project(
        """
        === git.ts
        export async function tag() {}  // <def tag>
        === git.test.ts
        import * as git from './git'
        const mocked = vi.mocked(git)
        mocked.tag.mockResolvedValue(true)  // <tag>
        """
    )
    written.check("tag")


def test_the_function_inside_an_element_takes_what_its_children_say(project: Project) -> None:
    written = project(
        """
        === field.tsx
        import { useMemo } from 'react'
        class Api {
          state = 1  // <def state>
        }
        interface Props {
          children: (api: Api) => Node
        }
        function Field(props: Props) {}
        const form = useMemo(() => ({ Field }), [])
        export const view = (
          <form.Field>
            {(field) => field.state  /* <state> */}
          </form.Field>
        )
        """
    )
    written.check("state")


def test_a_foreign_function_walks_over_what_it_is_given(project: Project) -> None:
    written = project(
        """
        === list.ts
        import _, { sortBy } from 'lodash'
        import { Store, useStore } from 'elsewhere'
        interface User {
          age: number  // <def age>
        }
        export function f(users: User[], store: Store<User>, one: User) {
          sortBy(users, (user) => user.age)  // <age>
          _.groupBy(users, (user) => user.age)  // <age>
          useStore(store, (user) => user.age)  // <age>
          useEffect((user) => user.age, [one])
        }
        """
    )
    written.check("age")


def test_what_a_rendered_hook_gives(project: Project) -> None:
    written = project(
        """
        === form.test.tsx
        import { renderHook } from '@testing-library/react'
        interface Form {
          register(name: string): void  // <def register>
        }
        declare function useForm(): Form
        const { result } = renderHook(() => useForm())
        result.current.register('a')  // <register>
        """
    )
    written.check("register")


def test_what_foreign_functions_give_of_classes_and_of_what_holds_something(project: Project) -> None:
    written = project(
        """
        === users.ts
        import { inject, TestBed } from 'framework'
        import { Observable, firstValueFrom } from 'streams'
        export interface User {
          name: string  // <def name>
        }
        export class Users {
          one!: Observable<User>  // <def one>
        }
        export const guard = () => inject(Users).one  // <one>
        export async function f(local: (given: typeof Users) => void) {
          const users = TestBed.inject(Users)
          const user = await firstValueFrom(users.one)  // <one>
          local(Users).one
          return user.name  // <name>
        }
        """
    )
    written.check("one")
    written.check("name")


def test_what_a_foreign_class_is_made_from(project: Project) -> None:
    written = project(
        """
        === form.ts
        import { Group, post } from 'elsewhere'
        interface Key {
          id: string  // <def id>
        }
        interface Form {
          mail: string  // <def mail>
        }
        new Map<Key, number>([[{ id: 'a' }, 1]])  // <id>
        new Set<Key>([{ id: 'a' }])  // <id>
        new Group<Form>({ mail: 'b' })  // <mail>
        post<Form>('/form', { mail: 'b' })
        new Promise<Form>((resolve) => resolve({ mail: 'c' }))  // <mail>
        """
    )
    written.check("id")
    written.check("mail")


def test_what_a_test_is_handed_for_each_row_of_a_table(project: Project) -> None:
    written = project(
        """
        === users.test.ts
        import { describe, it } from 'vitest'
        interface User {
          name: string  // <def name>
        }
        declare const one: User
        declare function useUser(): User
        describe.each([{ use: useUser }])('with $use', ({ use }) => {
          use().name  // <name>
        })
        it.each([[1, one]])('%s', (count, user) => {
          user.name  // <name>
          count.name
        })
        """
    )
    written.check("name")
