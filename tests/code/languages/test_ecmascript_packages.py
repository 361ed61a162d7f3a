"""What manifests of packages say about the names of modules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cuedeck.code.languages.ecmascript_packages import choices, exported

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_of_several_conditions_the_one_that_the_compiler_takes(project: Project) -> None:
    written = project(
        """
        === package.json
        { "name": "kit", "imports": {
            "#disk/*": "./src/other/*.ts",
            "#disk/files": { "electron": "./src/files.electron.ts", "default": "./src/files.ts" } } }
        === src/files.electron.ts
        export function read() {}
        === src/other/files.ts
        export function read() {}
        === src/files.ts
        export function read() {} // <def read>
        === src/app.ts
        import * as files from '#disk/files'
        files.read() // <read>
        """
    )
    written.check("read")


@pytest.mark.parametrize(
    ("said", "files"),
    [
        ({"electron": "a", "types@>=5": "b", "default": "c"}, ["b", "c", "a"]),
        ({"browser": {"import": "a"}, "node": {"worker": "b", "import": "c"}}, ["c", "b", "a"]),
        (["a", {"default": "b"}, None], ["a", "b"]),
    ],
)
def test_files_of_conditions_that_nobody_meets_come_last(said: object, files: list[str]) -> None:
    assert choices(said) == files


def test_declarations_for_modules_and_for_what_requires(project: Project) -> None:
    written = project(
        """
        === package.json
        { "name": "kit", "exports": { "types": { "require": "./kit.d.cts", "default": "./kit.d.ts" } } }
        === kit.d.cts
        export function read(): void // <def required>
        === kit.d.ts
        export function read(): void // <def imported>
        === old/package.json
        { "name": "old" }
        === old/app.ts
        import kit = require('kit')
        kit.read() // <required>
        === old/new.mts
        import { read } from 'kit' // <imported>
        === new/package.json
        { "name": "new", "type": "module" }
        === new/app.ts
        import { read } from 'kit' // <imported>
        read() // <imported>
        === new/old.cts
        import kit = require('kit')
        kit.read() // <required>
        """
    )
    written.check("required", "read")
    written.check("imported", "read")


def test_the_longest_pattern_says_what_an_entry_is() -> None:
    said = {"./*": "./src/*.ts", "./parts/*": "./src/parts/*/index.ts", "./parts/one": "./one.ts"}
    assert exported(said, "./parts/one") == "./one.ts"
    assert exported(said, "./parts/two") == "./src/parts/two/index.ts"
    assert exported(said, "./three") == "./src/three.ts"


def test_a_package_may_be_named_by_its_folder(project: Project) -> None:
    written = project(
        """
        === package.json
        {"name": "whole", "main": "lib/app.js"}
        === lib/app.js
        module.exports = class App {} // <def App>
        === parts/door/package.json
        {"main": "./made.js"}
        === parts/door/made.js
        exports.open = function () {} // <def open>
        === tests/unit/app.test.js
        const Whole = require('../..') // <App>
        const door = require('../../parts/door')
        new Whole(door.open()) // <App> <open>
        const none = require('../nothing')
        """
    )
    written.check("App")
    written.check("open")


def test_files_that_a_build_makes_lead_to_their_sources(project: Project) -> None:
    written = project(
        """
        === packages/api/package.json
        {"name": "@x/api", "exports": {".": "./dist/index.js", "./adapter": "./adapter.js"}}
        === packages/api/adapter.d.ts
        export { Adapter } from './dist/deep/adapter';  // <Adapter>
        === packages/api/adapter.js
        module.exports = require('./dist/deep/adapter');
        === packages/api/src/deep/adapter.ts
        export class Adapter { go() {} }  // <def Adapter> <def go>
        === packages/api/src/index.ts
        export const top = 1;  // <def top>
        === packages/api/tests/use.ts
        import { top } from '../dist';  // <top>
        === use.ts
        import { Adapter } from '@x/api/adapter';  // <Adapter>
        new Adapter().go();  // <Adapter> <go>
        """
    )
    for name in ("Adapter", "go", "top"):
        written.check(name)


def test_names_with_a_hash_that_the_compiler_is_told(project: Project) -> None:
    written = project(
        """
        === tsconfig.base.json
        { "compilerOptions": { "paths": { "#core": ["./src/core"], "#core/*": ["./src/core/*"] } } }
        === tsconfig.json
        { "extends": "./tsconfig.base.json" }
        === package.json
        { "name": "kit" }
        === src/package.json
        { "type": "module" }
        === src/core/index.ts
        export function start() {} // <def start>
        === src/core/options.ts
        export interface Options { quiet: boolean } // <def Options>
        === src/node/index.ts
        import { start } from "#core" // <start>
        import type { Options } from "#core/options" // <Options>
        """
    )
    written.check("start")
    written.check("Options")
