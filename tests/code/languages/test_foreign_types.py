"""TypeScript: what a project adds to types of packages, and what the language itself has types for."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_block_for_a_foreign_module_adds_to_its_types(project: Project) -> None:
    written = project(
        """
        === added.ts
        import 'server';
        import { Pool } from './pool';
        declare module 'server' {
          interface Instance {  // <def Instance>
            pool: Pool;  // <def pool>
          }
        }
        === pool.ts
        export interface Pool { query(): void }  // <def query>
        === use.ts
        import server, { Instance, Other } from 'server';  // <Instance>
        import * as whole from 'server';
        export function one(instance: Instance, other: Other) {  // <Instance>
          instance.pool.query();  // <pool> <query>
          other.pool.query();
        }
        export function two(instance: whole.Instance) { instance.pool; }  // <Instance> <pool>
        export interface Mine extends Instance { own: string }  // <Instance>
        export function three(mine: Mine) { mine.pool; }  // <pool>
        """
    )
    for name in ("Instance", "pool", "query"):
        written.check(name)


def test_a_global_namespace_of_a_packages_name_adds_to_its_types(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        declare namespace Express {
          interface Request { auth?: { user: { id: number } } }  // <def auth> <def id>
        }
        === use.ts
        import express, { Request, Response } from 'express';
        import { Request as Other } from 'other';
        export function one(request: Request, response: Response, other: Other) {
          request.auth?.user?.id;  // <auth> <id>
          response.auth;
          other.auth;
        }
        export function two(request: express.Request) { request.auth; }  // <auth>
        interface Mine extends Request { body: string }
        export function three(request: Mine) { request.auth; }  // <auth>
        """
    )
    for name in ("auth", "id"):
        written.check(name)


def test_import_meta_has_the_type_that_a_project_adds_to(project: Project) -> None:
    written = project(
        """
        === env.d.ts
        interface ImportMeta { env: Env }  // <def ImportMeta>
        interface Env { MODE: string }  // <def MODE>
        === use.ts
        export const mode = import.meta.env.MODE;  // <MODE>
        export function made() { return new.target; }
        """
    )
    for name in ("MODE", "ImportMeta"):
        written.check(name)


def test_numbers_and_names_of_the_places_of_a_tuple(project: Project) -> None:
    written = project(
        """
        === m.ts
        class A { go() {} }  // <def go>
        class B { go() {} }
        type Pair = [
          // comments are no places
          first: A,
          second?: B,
        ];
        const first = new B();
        export function f(pair: Pair, many: A[]) {
          pair[0].go();  // <go>
          pair[1].go();
          many[7].go();  // <go>
          const [a, b] = pair;
          a.go();  // <go>
          b.go();
        }
        """
    )
    written.check("go")


def test_what_a_constructor_above_takes(project: Project) -> None:
    written = project(
        """
        === m.ts
        interface Options { exit?: number }  // <def exit>
        class Base<T> { constructor(options: T) {} }
        class Plain { constructor(options: Options) {} }
        class Told extends Base<Options> { constructor() { super({ exit: 1 }); } }  // <exit>
        class Heir extends Plain { constructor() { super({ exit: 2 }); } }  // <exit>
        """
    )
    written.check("exit")


def test_a_mapped_type_holds_something_for_each_member(project: Project) -> None:
    written = project(
        """
        === m.ts
        interface Flag { hidden: boolean }  // <def hidden>
        interface Names { one: string }  // <def one>
        type Flags<T> = { [K in keyof T]: Flag };
        export function f<T>(flags: Flags<T>, named: Flags<Names>, key: string) {
          Object.values(flags).map((flag) => flag.hidden);  // <hidden>
          flags[key].hidden;  // <hidden>
          named.one;  // <one>
        }
        """
    )
    for name in ("hidden", "one"):
        written.check(name)


def test_prototypes_have_the_members_of_instances(project: Project) -> None:
    written = project(
        """
        === m.ts
        class Base { include() {} }  // <def include>
        class Node extends Base { run() { this.include(); } }  // <include>
        Node.prototype.include = function () {};  // <include>
        """
    )
    written.check("include")


def test_satisfies_compares_and_keeps_the_value(project: Project) -> None:
    written = project(
        """
        === m.ts
        import * as whole from './whole';
        interface Parser { get(value: string): string }  // <def get>
        whole.made() satisfies whole.inner.Kind;  // <Kind>
        export const parser = {
          get: (value) => value,  // <get>
        } satisfies Parser;
        parser.get('a');
        export const typed: Parser = parser;
        typed.get('b');  // <get>
        === whole.ts
        export * as inner from './inner';
        export function made() { return 1; }
        === inner.ts
        export interface Kind { one: string }  // <def Kind>
        """
    )
    for name in ("get", "Kind"):
        written.check(name)


def test_methods_under_computed_names_and_what_is_spread_last(project: Project) -> None:
    written = project(
        """
        === m.ts
        interface Snippets { cut: string }  // <def cut>
        const KEY = 'key';
        const table: Record<string, (snippets: Snippets) => string> = {
          [KEY](snippets) { return snippets.cut; },  // <cut>
        };
        interface Early { mode: string }
        interface Late { mode: string }  // <def mode>
        export function f(early: Early, late: Late) {
          const both = { ...early, ...late };
          return both.mode;  // <mode>
        }
        """
    )
    for name in ("cut", "mode"):
        written.check(name)


def test_a_namespace_that_is_exported_as_a_whole(project: Project) -> None:
    written = project(
        """
        === config.d.ts
        declare namespace config { interface Levels { high: number } }  // <def Levels> <def high>
        declare const config: config.Levels;  // <Levels>
        export = config;
        === index.d.ts
        import * as Config from './config';
        export const levels: Config.Levels;  // <Levels>
        === use.ts
        import { levels } from './index';
        levels.high;  // <high>
        """
    )
    for name in ("Levels", "high"):
        written.check(name)


def test_another_name_for_the_exports_of_a_file(project: Project) -> None:
    written = project(
        """
        === helpers.js
        const helpers = exports;
        helpers.made = function () {};  // <def made>
        === use.js
        const helpers = require('./helpers');
        helpers.made();  // <made>
        """
    )
    written.check("made")


def test_states_that_a_function_makes_of_actions(project: Project) -> None:
    written = project(
        """
        === m.tsx
        import React, { use, useOptimistic, useReducer } from 'react';
        import { app } from 'app';
        interface State { count: number }  // <def count>
        interface Action { by: number }  // <def by>
        function reduce(state: State, action: Action): State { return state; }
        export function View(given: { state: Promise<State> }, first: State) {
          const [state, change] = useReducer(reduce, first);
          change({ by: state.count });  // <by> <count>
          const [shown, add] = useOptimistic(use(given.state), (old: State, action: Action) => old);
          add({ by: shown.count });  // <by> <count>
          React.use(given.state).count;  // <count>
          app.use(state).count;
        }
        """
    )
    for name in ("count", "by"):
        written.check(name)


def test_matchers_that_a_project_adds(project: Project) -> None:
    written = project(
        """
        === matchers.ts
        import 'vitest';
        interface Custom<R> { toBeWarned(): R }  // <def toBeWarned>
        declare module 'vitest' { interface Assertion<T> extends Custom<T> {} }
        declare global {
          namespace jest { interface Matchers<R> { toBeFine(): R } }  // <def toBeFine>
        }
        === a.spec.ts
        import { expect } from 'vitest';
        expect('x').toBeWarned();  // <toBeWarned>
        expect('x').not.toBeWarned();  // <toBeWarned>
        === b.spec.ts
        expect('x').toBeFine();  // <toBeFine>
        """
    )
    for name in ("toBeWarned", "toBeFine"):
        written.check(name)


def test_what_is_left_out_of_a_parent_is_declared_beside_it(project: Project) -> None:
    written = project(
        """
        === m.ts
        interface Core { middleware: string; placement: string }  // <def placement>
        type Config = Omit<Core, 'middleware'> & { middleware: number };  // <def middleware>
        interface Options extends Omit<Config, 'elements'> { own: string }
        export function f(options: Options) {
          options.middleware;  // <middleware>
          options.placement;  // <placement>
        }
        """
    )
    for name in ("middleware", "placement"):
        written.check(name)


def test_typescript_doubles_of_test_libraries_have_the_fields_of_their_types(project: Project) -> None:
    written = project(
        """
        === service.ts
        import { Mocked } from 'vitest'
        import { Selectable } from 'kysely'
        export class Store {
          load() {}  // <def load>
        }
        export class Service {
          store = new Store()  // <def store>
        }
        declare const service: Mocked<Service>
        declare const typed: jest.Mocked<Service>
        declare const other: Selectable<Service>
        service.store.load()  // <store> <load>
        typed.store.load()  // <store> <load>
        other.store
        """
    )
    written.check("store")
    written.check("load")


def test_typescript_global_variables_are_members_of_the_global_object(project: Project) -> None:
    written = project(
        """
        === env.d.ts
        declare var warnings: Set<string>  // <def warnings>
        === run.ts
        export {}
        declare global {
          var versions: string[]  // <def versions>
        }
        globalThis.warnings.add('x')  // <warnings>
        window.versions.push('1')  // <versions>
        const shared = globalThis
        shared.versions ??= []  // <versions>
        function own(globalThis: { warnings: number }) {
          return globalThis.warnings
        }
        """
    )
    written.check("warnings")
    written.check("versions")


def test_what_a_package_hands_to_functions_has_what_the_project_adds_to_its_types(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        import { User } from './user';
        declare global {
          namespace Express {
            interface Request { account?: User; trace: string }  // <def account> <def trace>
            interface Response { trace: string }
          }
        }
        === user.ts
        export class User { label = '' }  // <def label>
        === use.ts
        import express, { RequestHandler } from 'express';
        import other, { Handler } from 'other';
        const app = express();
        app.get('/', (req, res) => { req.account?.label; });  // <account> <label>
        express.Router().use(async function (req) { const { account } = req; });  // <account>
        export const one: RequestHandler = (req) => { req.account; };  // <account>
        app.route({ account: 1, handler: (req) => { req.account; } });  // <account>
        app.get('/', (req) => { req.query.account; req.trace; });
        other().get('/', (req) => { req.account; });
        export const two: Handler = (req) => { req.account; };
        app.listen().account;
        """
    )
    for name in ("account", "label", "trace"):
        written.check(name)


def test_process_and_import_meta_hold_what_the_project_adds(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        declare namespace NodeJS {
          interface ProcessEnv { PORT: string }  // <def PORT>
          interface Process { started: number }  // <def started>
        }
        interface ImportMetaEnv { readonly VITE_URL: string }  // <def VITE_URL>
        === use.ts
        import process, { env } from 'node:process';
        process.env.PORT;  // <PORT>
        env.PORT;  // <PORT>
        === plain.ts
        export const port = process.env.PORT ?? process.started;  // <PORT> <started>
        export const { PORT } = process.env;  // <PORT>
        import.meta.env.VITE_URL;  // <VITE_URL>
        === own.ts
        const process = { env: { PORT: 1 } };
        process.env.PORT;
        """
    )
    for name in ("PORT", "started", "VITE_URL"):
        written.check(name)


def test_hooks_with_a_state_are_what_they_are_told(project: Project) -> None:
    written = project(
        """
        === use.tsx
        import { useActionState, useReducer } from 'react';
        import { act } from './act';
        interface State { error?: string }  // <def error>
        interface Step { by: number }  // <def by>
        export function Form(reduce: any) {
          const [state, run] = useActionState<State, FormData>(act, { error: '' });  // <error>
          const [other, change] = useReducer<State, Step>(reduce, {});
          change({ by: 1 });  // <by>
          return state.error ?? other.error;  // <error>
        }
        === act.ts
        export async function act(before: { error: string }, data: FormData) { return before; }
        """
    )
    for name in ("error", "by"):
        written.check(name)


def test_components_that_are_loaded_when_needed_take_what_they_take(project: Project) -> None:
    written = project(
        """
        === card.tsx
        import type { PropsWithChildren } from 'react';
        interface CardProps { title: string }  // <def title>
        export const Card = ({ title }: PropsWithChildren<CardProps>) => null;  // <def Card> <title>
        export default Card;  // <Card>
        === use.tsx
        import React, { lazy } from 'react';
        import dynamic from 'next/dynamic';
        const A = React.lazy(() => import('./card').then(({ Card }) => ({ default: Card })));  // <Card>
        const B = lazy(() => import('./card'));
        const C = dynamic(() => import('./card').then((all) => all.Card), { ssr: false });  // <Card>
        const D = lazy(async () => ({ default: (await import('./card')).Card }));  // <Card>
        export const all = () => <>
          <A title="a" />  // <title>
          <B title="b" />  // <title>
          <C title="c" />  // <title>
          <D title="d" />  // <title>
        </>;
        """
    )
    for name in ("title", "Card"):
        written.check(name)


def test_reducers_and_wrappers_of_known_packages_have_the_members_they_are_told(
    project: Project,
) -> None:
    written = project(
        """
        === a.ts
        import type { Reducer } from 'redux';
        import type { Draft } from 'immer';
        import type { Selected } from 'other';
        interface State { count: number }  // <def count>
        interface Step { by: number }  // <def by>
        type Counting = Reducer<State, Step>;
        export const reduce: Counting = (state = { count: 0 }, step) => {  // <count>
          return { count: state.count + step.by };  // <count> <by>
        };
        export function change(draft: Draft<State>, row: Selected<State>) {
          draft.count;  // <count>
          row.count;
        }
        """
    )
    for name in ("count", "by"):
        written.check(name)


def test_values_of_a_package_have_what_the_project_adds_to_its_types(project: Project) -> None:
    written = project(
        """
        === types.d.ts
        declare namespace Electron {
          interface App { plugins: string[] }  // <def plugins>
        }
        === use.ts
        import { app } from 'electron';
        app.plugins;  // <plugins>
        app.dock.plugins;
        """
    )
    written.check("plugins")


def test_lists_of_places_and_elements_and_objects_made_of_pairs(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Queue { size: number }  // <def size>
        export function run(queues: Queue[]) {
          for (const [at, { size }] of queues.entries()) at;  // <size>
          const named = Object.fromEntries(queues.map((queue) => [queue.size, queue]));  // <size>
          named['a'].size;  // <size>
        }
        """
    )
    written.check("size")


def test_components_that_are_classes_hold_what_their_ancestor_is_told(project: Project) -> None:
    written = project(
        """
        === own.ts
        export class Component<A, B> { props = 1 }
        === use.tsx
        import React, { Component } from 'react';
        import { Component as Own } from './own';
        interface Props { title: string }  // <def title>
        interface State { open: boolean }  // <def open>
        class Card extends Component<Props, State> {
          state = { open: false };
          render() {
            const { title } = this.props;  // <title>
            return this.props.title;  // <title>
          }
        }
        class Box<P extends Props> extends React.PureComponent<P, State> {
          change() {
            this.setState({ open: true });  // <open>
            this.setState((before) => ({ open: !before.open }));  // <open>
            return this.state.open ? this.props.title : '';  // <open> <title>
          }
        }
        class Other extends Own<Props, State> { run() { this.props.title; } }
        export const all = () => <Card title="a" />;  // <title>
        """
    )
    for name in ("title", "open"):
        written.check(name)


def test_what_functions_of_functions_are_told(project: Project) -> None:
    written = project(
        """
        === a.tsx
        import { memo, useMemo, useState } from 'react';
        interface Props { title: string }  // <def title>
        interface Sum { total: number }  // <def total>
        export const Card = memo(
          (props: Props) => null,
          (before, after) => before.title === after.title,  // <title>
        );
        export function run(list: Props[]) {
          useMemo<Sum>(() => ({ total: 1 }), []);  // <total>
          useState<Sum>(() => ({ total: 1 }));  // <total>
          const told = list.reduce<Sum>((sum, one) => {
            one.title;  // <title>
            return { total: sum.total };  // <total>
          }, { total: 0 });  // <total>
          const begun = list.reduce((sum, one) => { sum.total; return sum; }, told);  // <total>
          begun.total;  // <total>
        }
        """
    )
    for name in ("title", "total"):
        written.check(name)


def test_foreign_types_with_the_members_of_another(project: Project) -> None:
    written = project(
        """
        === a.ts
        import type { MarkRequired } from 'ts-essentials'
        import type { SetOptional } from 'type-fest'
        interface Options { entry?: string; format?: string }  // <def entry>
        type Normal = Omit<MarkRequired<Options, 'entry'>, 'format'> & { format: string[] }
        function f(normal: Normal, loose: SetOptional<Options, 'entry'>) {
          normal.entry  // <entry>
          normal.format
          return loose.entry  // <entry>
        }
        """
    )
    written.check("entry")


def test_a_component_inherits_the_constructor_that_takes_its_attributes(project: Project) -> None:
    written = project(
        """
        === base.ts
        import * as React from 'react'
        export abstract class Base<P, S = {}> extends React.PureComponent<P, S> {
          constructor(props: P) { super(props) }
        }
        === alert.tsx
        import { Base } from './base'
        interface AlertProps { isOpen: boolean } // <def isOpen>
        export class Alert extends Base<AlertProps> {
          render() { return this.props.isOpen } // <isOpen>
        }
        export const shown = <Alert isOpen={true} /> // <isOpen>
        """
    )
    written.check("isOpen")
