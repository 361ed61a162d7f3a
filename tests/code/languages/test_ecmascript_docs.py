"""JavaScript whose types are in its comments."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.languages.javascript import JAVASCRIPT

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

TYPES = """
        === types.d.ts
        export interface Effects {
          consume(): void // <def consume>
          next: Effects // <def next>
        }
        export type Tokenizer = (this: Context, effects: Effects) => Effects
        export interface Context {
          events: Effects[] // <def events>
        }
"""


@pytest.mark.parametrize(
    "written",
    [
        """
        /** @import {Effects as Made, Context} from './types.js' */
        /**
         * @param {Made} one
         * @param {Array<Made>} [two]
         *   What is done.
         * @param {Made[] | undefined} three
         */
        export function run(one, two, three) {
          one.consume() // <consume>
          two[0].consume() // <consume>
          three[0].next.consume() // <consume> <next>
        }
        """,
        """
        /** @import {Effects, Context} from './types.js' */
        /**
         * @param {{ size: number }} sizes
         * @param {Effects} options
         * @param {Effects} [options.next]
         * @param unknown
         * @param {Context} last
         */
        export function run({ size }, { next, ...rest } = {}, unknown, { events } = {}) { // <next> <events>
          next.consume() // <consume>
          events[0].consume() // <consume>
        }
        """,
        """
        /** @import {Effects} from './types.js' */
        const one = /** @type {Effects} */ (globalThis.one)
        one.consume() // <consume>
        run(/** @type {Effects} */ (one.two).consume()) // <consume>
        """,
        """
        /** @type {import('./types.js').Tokenizer} */
        const tokenize = function (effects) {
          effects.consume() // <consume>
        }
        """,
        """
        /**
         * @import {Context, Tokenizer} from './types.js'
         */
        /**
         * @this {Context}
         * @type {Tokenizer}
         */
        function tokenize(effects) {
          const self = this
          self.events[0].consume() // <events> <consume>
          return start(effects)
          /** @param {typeof effects} given */
          function start(given) {
            return effects.next // <next>
          }
        }
        """,
        """
        /** @typedef {import('./types.js').Effects} Effects */
        class Holder {
          /** @type {Effects} */
          effects

          /** @returns {Promise<Effects>} */
          async load() {}

          async run() {
            this.effects.consume() // <consume>
            const loaded = await this.load()
            loaded.next.consume() // <next> <consume>
          }
        }
        """,
        """
        /** @type {?import('./types.js').Effects} */
        let made = null
        export const run = () => made.consume() // <consume>
        """,
    ],
)
def test_types_in_comments_say_what_values_are(project: Project, written: str) -> None:
    made = project(TYPES + "        === app.js\n" + written)
    for name in ("consume", "next", "events"):
        if f"<{name}>" in written:
            made.check(name)


def test_a_type_named_in_a_comment_is_a_use_of_it(project: Project) -> None:
    made = project(
        """
        === types.d.ts
        export interface Effects {} // <def Effects>
        === app.js
        /** @import {Effects} from './types.js' */ // <Effects>
        /**
         * @param {Effects} one // <Effects>
         */
        function run(one) {}
        """
    )
    made.check("Effects")


@pytest.mark.parametrize(
    "piece", ["{", "<", "(", "[", "{a:", "typeof ", "|", "import('x').", "*", " ", "a,", "@import {"]
)
def test_comments_that_make_no_sense_end_soon(piece: str) -> None:
    begun = time.process_time()
    source = "/** @type {" + piece * 20_000 + "} */\nfunction f(a) {}\n/** @import " + piece * 20_000 + "*/"
    assert [d.name for d in extract(source.encode(), JAVASCRIPT).outline.definitions] in (["f"], [])
    assert time.process_time() - begun < 5


def test_members_that_comments_declare(project: Project) -> None:
    made = project(
        """
        === camera.js
        export class Camera { zoom() {} } // <def zoom>
        === signal.d.ts
        declare class Typed<T extends any[]> { add(): void } // <def add>
        === root.js
        import { Camera } from './camera'
        export class Root {
          constructor() {
            /** @type {Camera} */
            this.camera = null
            /** @type {Camera?} */
            this.second;
            this.signals = {
              added: /** @type {Typed<[Camera]>} */ (new Signal()),
              /** @type {Camera} */
              last: null,
            }
            /** @type {Map<string, Array<{ name: string, cam: Camera }>>} */
            this.named = new Map()
          }
        }
        export class Part {
          /** @param {Root} root */
          constructor(root) { this.root = root }
        }
        export class Heir extends Part {
          run() {
            this.root.camera.zoom() // <zoom>
            this.root.second.zoom() // <zoom>
            this.root.signals.last.zoom() // <zoom>
            this.root.signals.added.add() // <add>
            for (const { cam } of this.root.named.get('a')) cam.zoom() // <zoom>
          }
        }
        """
    )
    made.check("zoom")
    made.check("add")


def test_members_of_parameters_that_comments_declare(project: Project) -> None:
    made = project(
        """
        === camera.js
        export class Camera { zoom() {} } // <def zoom>
        === draw.js
        import { Camera } from './camera'
        /**
         * @param {object} param0
         * @param {Camera} param0.camera
         * @param {number=} param0.size
         * @param {Camera} second
         */
        export function draw({ camera, size = 0 }, second) {
          camera.zoom() // <zoom>
          second.zoom() // <zoom>
        }
        /**
         * @param {Object} options what is painted
         * @param {Camera} [options.camera]
         */
        export function paint(options) {
          options.camera.zoom() // <zoom>
        }
        export const steps = [{
          condition: /** @param {Camera} camera */ camera => camera.zoom(), // <zoom>
        }]
        """
    )
    made.check("zoom")
