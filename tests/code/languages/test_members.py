"""Members that JavaScript and TypeScript put on functions, classes and objects, and types over them."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_members_put_on_a_function(project: Project) -> None:
    written = project(
        """
        === card.tsx
        function Card(props: { title: string }) { return null } // <def Card>
        const Header = () => null
        Card.Header = Header // <def header> <Card>
        Card.Body = function (props: { wide: boolean }) { return Header } // <def body> <Card> <def wide>
        export default Card // <Card>
        function inner(Card: any) { Card.Header = 1 }
        === use.tsx
        import Card from './card' // <Card>
        const shown = <Card title=""><Card.Header /></Card> // <Card> <header>
        const other = <Card.Body wide /> // <Card> <body> <wide>
        """
    )
    written.check("Card")
    written.check("header", "Header")
    written.check("body", "Body")
    written.check("wide")
    outline = written.outline("card.tsx")
    assert "Card::Header" in outline.locals
    assert "Card::Body" in outline.locals


def test_classes_made_of_prototypes(project: Project) -> None:
    written = project(
        """
        === view.js
        function View(name) { this.name = name } // <def View> <def name>
        /** Looks a view up. */
        View.prototype.lookup = function () { // <def lookup> <View>
          return this.find(this.name) // <find> <name>
        }
        View.prototype.find = function () {} // <def find> <View>
        View.create = () => new View('x') // <def create> <View>
        function Page() { View.call(this) } // <View>
        util.inherits(Page, View) // <View>
        Page.prototype.show = function () { return this.lookup() } // <lookup>
        function List() {}
        List.prototype = Object.create(View.prototype) // <View>
        List.prototype.constructor = List
        function Table() { this.rows = 1 } // <def rows>
        Table.prototype = {
          count() { return this.rows }, // <def count> <rows>
          twice: function () { return this.count() }, // <count>
        }
        module.exports = { View, Page, List, Table } // <View>
        === use.js
        const views = require('./view')
        const made = require('./view').View // <View>
        new made('x').lookup() // <View> <lookup>
        new views.List().lookup() // <lookup>
        new views.Table().count() // <count>
        made.create().find() // <View> <create> <find>
        const late = (await import('./view')).View // <View>
        late()
        """
    )
    for name in ("View", "name", "lookup", "find", "create", "rows", "count"):
        written.check(name)
    lookup = written.outline("view.js").definitions[2]
    assert (lookup.name, lookup.kind, lookup.doc_end > lookup.doc_start) == ("lookup", "method", True)


def test_members_put_on_an_empty_object(project: Project) -> None:
    written = project(
        """
        === app.js
        var app = exports = module.exports = {}
        app.use = function use() { this.init() } // <def use> <init>
        app.init = function () { app.use() } // <def init> <use>
        const full = { used: 1 }
        full.unused = 1
        === use.js
        const app = require('./app')
        app.use(() => app.init()) // <use> <init>
        """
    )
    written.check("use")
    written.check("init")
    assert "app::init" in written.outline("app.js").locals
    assert "unused" not in written.outline("app.js").names


def test_a_class_with_the_members_of_modules(project: Project) -> None:
    written = project(
        """
        === attributes.ts
        import { text } from './own'
        export function attribute(this: Elements) { return text } // <def attribute>
        === own.ts
        export function text() {} // <def own>
        === texts.ts
        export function text(this: Elements) {} // <def text>
        === elements.ts
        import * as Attributes from './attributes'
        import * as Texts from './texts'
        type Methods = typeof Attributes & typeof Texts
        export class Elements { both() { this.attribute() } } // <attribute>
        export interface Elements extends Methods {}
        new Elements().attribute() // <attribute>
        new Elements().text() // <text>
        """
    )
    written.check("attribute")
    written.check("text")


def test_what_a_function_takes_as_a_type(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Reply { send(): void } // <def send>
        type Method<Q, R> = (path: string, ...handlers: ((request: Q, reply: R) => void)[]) => void
        class Router<Q, R> { get!: (...given: Parameters<Method<Q, R>>) => this }
        class App extends Router<string, Reply> {}
        new App().get('/', (q, r) => r.send()).get('/x', () => {}, (q, r) => r.send()) // <send>
        function options(first: { deep: number }, rest: Reply[]) { // <def deep>
          return [{ found: 1 }] // <def found>
        }
        const one: Parameters<typeof options>[0] = { deep: 1 } // <deep>
        const many: Parameters<typeof options>[1] = []
        many[0].send() // <send>
        type Row = ReturnType<typeof options>[number]
        const show = (row: Row) => row.found // <found>
        class Door { constructor(key: { deep: number }) {} } // <def key>
        const key: ConstructorParameters<typeof Door>[0] = { deep: 1 } // <key>
        """
    )
    written.check("send")
    written.check("deep")
    written.check("found")
    written.check("key", "deep")


def test_members_that_a_project_adds_to_the_window(project: Project) -> None:
    written = project(
        """
        === app.ts
        declare global {
          interface Window { held: { count: number } } // <def held> <def count>
        }
        export {}
        === use.ts
        const { held } = window // <held>
        held.count // <count>
        globalThis.held.count // <held> <count>
        function shadowed(window: any) { window.held }
        """
    )
    written.check("held")
    written.check("count")


def test_an_arrow_function_in_an_object_is_called_on_what_is_around_it(project: Project) -> None:
    written = project(
        """
        === a.ts
        class Menu { add(item: { open: () => void; close(): void }) {} }
        export class View {
          show(menu: Menu) {
            menu.add({
              open: () => { later(() => this.draw()) }, // <draw>
              close() { this.draw() }, // of the object
            })
            unknown({ open: () => this.draw() }) // <draw>
          }
          draw() {} // <def draw>
        }
        """
    )
    written.check("draw")


def test_keys_of_an_object_are_members_of_the_variable(project: Project) -> None:
    written = project(
        """
        === config.ts
        export const config = { // <def config>
          port: 80, // <def port>
          nested: { deep: 1, go() {} }, // <def go>
        }
        === use.ts
        import { config } from './config' // <config>
        listen(config.port) // <config> <port>
        config.nested.go() // <config> <go>
        const { port } = config // <config> <port>
        """
    )
    written.check("config")
    written.check("port")
    written.check("go")


def test_what_is_exported_by_being_assigned_is_declared(project: Project) -> None:
    written = project(
        """
        === app.js
        /** An application. */
        module.exports = class App extends Base { // <def App>
          use(fn) { return this.run(App) } // <def use> <run> <App>
          run() {} // <def run>
        }
        === make.js
        module.exports = function make(size) { // <def make>
          return size ? make(size - 1) : null // <make>
        }
        === parts.js
        exports.Door = class Wooden { // <def Door>
          open() { return new Wooden() } // <def open> <Door>
        }
        module.exports.Wall = class {} // <def Wall>
        === nested.js
        (function () { module.exports = class Hidden {} })()
        === use.js
        const App = require('./app') // <App>
        const made = require('./make') // <make>
        const { Door } = require('./parts') // <Door>
        const parts = require('./parts')
        made(2) // <make>
        new App().use(1) // <App> <use>
        new Door().open() // <Door> <open>
        new parts.Wall() // <Wall>
        """
    )
    for name in ("App", "use", "run", "make", "Door", "open", "Wall"):
        written.check(name)
    app = written.outline("app.js").definitions[0]
    assert (app.name, app.kind, app.doc_end > app.doc_start) == ("App", "class", True)
    assert "App::use" in written.outline("app.js").locals
    assert [(each.name, each.kind) for each in written.outline("make.js").definitions] == [("make", "fn")]
    assert "Door::open" in written.outline("parts.js").locals


def test_what_a_module_is_as_a_whole_is_its_default(project: Project) -> None:
    written = project(
        """
        === app/index.ts
        class App { config = 1; start() { return this.config; } }  // <def App> <def config>
        export = App;  // <App>
        === use.ts
        import App from './app';  // <App>
        import type Typed from './app';  // <App>
        import Required = require('./app');  // <App>
        new App().config;  // <App> <config>
        export function run(app: Typed) { app.config; }  // <App> <config>
        new Required().config;  // <App> <config>
        """
    )
    for name in ("App", "config"):
        written.check(name)


def test_behind_a_dot_the_constructor_is_the_class(project: Project) -> None:
    written = project(
        """
        === a.js
        export class Badge {
          constructor() { this.size = 1 }  // <def constructor>
          name() { return this.constructor.name }
        }
        new Badge()  // <constructor>
        """
    )
    written.check("constructor")


def test_what_a_file_exports_under_the_name_that_it_imported_is_that(project: Project) -> None:
    written = project(
        """
        === parts.js
        class Door { open() {} } // <def Door> <def open>
        const close = (door) => door // <def close>
        export { Door, close } // <Door> <close>
        === kit.js
        const { Door, close } = require('./parts') // <Door> <close>
        exports = module.exports = Kit
        exports.Door = Door // <Door>
        exports.close = close // <close>
        exports.hidden = hidden // <hidden>
        exports.Lock = require('./lock').Lock // <Lock>
        function Kit() { this.door = new exports.Door() } // <Door>
        Kit.prototype.shut = function () { this.door.open() } // <open>
        function hidden() {} // <def hidden>
        === lock.js
        export class Lock { turn() {} } // <def Lock> <def turn>
        === use.js
        const { close, hidden } = require('./kit') // <close> <hidden>
        const Kit = require('./kit')
        const Lock = Kit.Lock
        close(new Kit.Door().open()) // <close> <Door> <open>
        new Lock().turn() // <turn>
        let lock
        before(() => {
          lock = new Lock()
          lock.turn() // <turn>
        })
        """
    )
    for name in ("Door", "close", "open", "hidden", "turn"):
        written.check(name)


def test_a_variable_without_a_type_is_what_its_function_gave_it(project: Project) -> None:
    written = project(
        """
        === use.js
        class Lock { turn() {} } // <def turn>
        let lock
        let other = null
        setUp(() => {
          lock.turn()
          lock = new Lock()
          if (lock) { lock.turn() } // <turn>
          other = new Lock()
          other.turn() // <turn>
        })
        test(() => { lock.turn() })
        function take(lock) { lock.turn() }
        """
    )
    written.check("turn")


def test_what_is_loaded_and_exported_at_once_is_a_variable(project: Project) -> None:
    written = project(
        """
        === kit.ts
        export const version = require('../package.json').version // <def version>
        export const parts = require('./parts') // <def parts>
        === parts.ts
        export function open() {} // <def open>
        === use.ts
        import { parts, version } from './kit' // <parts> <version>
        run(version) // <version>
        parts.open() // <parts> <open>
        """
    )
    for name in ("version", "parts", "open"):
        written.check(name)


def test_an_assignment_takes_a_value_apart(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Log { count: number } // <def count>
        interface Found { label: string; log: Log; more: Log[] } // <def label> <def log> <def more>
        declare function query(): Promise<Found>
        async function f(state: { log: Log }) {
          let label = '', log, first
          ({ label, log, more: [first] } = await query()) // <label> <log> <more>
          log.count // <count>
          first.count // <count>
          ;({ log: state.log } = await query()) // <log>
        }
        """
    )
    for mark in ("label", "more", "count"):
        written.check(mark)
    assert written.marked("log") <= written.referring("a.ts", 2, "log")


def test_variables_that_an_assignment_fills_are_used(project: Project) -> None:
    written = project(
        """
        === a.js
        let width, height // <def width> <def height>
        ;({ width, height = 1 } = measure()) // <width> <height>
        ;[width, height] = [height, width] // <width> <height>
        """
    )
    written.check("width")
    written.check("height")


def test_what_is_spread_behind_a_key_is_meant_too(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface Options { progress?: boolean; limit?: number } // <def progress> <def limit>
        export function pull(options: Options = {}) {
          const { progress, ...rest } = { progress: true, ...options } // <progress>
          const own = { ...options, limit: 1 }
          own.limit
          own.progress // <progress>
        }
        """
    )
    written.check("progress")
    written.check("limit")


def test_a_type_parameter_is_no_member(project: Project) -> None:
    written = project(
        """
        === a.ts
        interface State<T = any> { G: T } // <def G>
        interface More<G = any> extends State<G[]> { other: G[] }
        export function f(more: More) {
          more.G // <G>
        }
        """
    )
    written.check("G")
