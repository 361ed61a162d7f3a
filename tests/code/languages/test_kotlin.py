"""References in Kotlin projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

_APP = """
        === app/App.kt
        package app
        class Koin { fun get(): Int = 1 } // <def get>
        @Marker
        open class App protected constructor() {
            val koin = Koin() // <def koin>
            fun modules(count: Int): App = this // <def modules>
            companion object { fun make(): App = App() }
        }
        typealias Declaration = App.() -> Unit
        fun app(eager: Boolean = true, declaration: Declaration? = null): App = App.make()
        fun each(apps: List<App>, use: (App) -> Koin) {}
        fun App.start() {
            modules(1) // <modules>
            this.modules(2) // <modules>
        }
"""


def test_lambdas_take_what_they_are_handed_and_see_what_they_are_called_on(project: Project) -> None:
    written = project(
        _APP
        + """
        === use/Use.kt
        package use
        import app.*
        class Use {
            val held by lazy { App.make() }
            fun all(one: App, apps: List<App>) {
                app { modules(1) } // <modules>
                app(true) { koin.get() } // <koin> <get>
                each(apps) { it.koin } // <koin>
                each(apps) { other -> other.koin } // <koin>
                one.apply { modules(3) }.modules(4) // <modules>
                with(one) { koin } // <koin>
                one.let { it.koin }.get() // <koin> <get>
                apps.filter { it.koin.get() > 1 }.forEach { it.modules(1) } // <koin> <get> <modules>
                held.koin // <koin>
                app {
                    this.modules(5) // <modules>
                }
            }
            fun modules() {}
            fun mine() { modules() }
            fun none() = this
            fun odd() { none() { held } }
        }
        """
    )
    for name in ("get", "koin", "modules"):
        written.check(name)


def test_what_containers_hold_and_branches_give(project: Project) -> None:
    written = project(
        _APP.replace("<def modules>", "").replace("<modules>", "").replace("<def get>", "")
        + """
        === use/Use.kt
        package use
        import app.App
        class Use {
            fun all(apps: List<App>, named: Map<String, App>, any: Any, maybe: App?) {
                apps[0].koin // <koin>
                for (one in apps) { one.koin } // <koin>
                for ((name, one) in named) { one.koin } // <koin>
                named["a"]?.koin // <koin>
                named.values.first().koin // <koin>
                (any as App).koin // <koin>
                maybe!!.koin // <koin>
                val chosen = maybe ?: apps.first()
                chosen.koin // <koin>
                val other = if (apps.isEmpty()) maybe else null
                other?.koin // <koin>
                val last = when (any) { is String -> maybe; else -> apps.last() }
                last?.koin // <koin>
            }
        }
        """
    )
    written.check("koin")


def test_declarations_on_one_line_and_arguments_by_name(project: Project) -> None:
    written = project(
        """
        === a/Point.kt
        package a
        data class Point(val left: Int, val top: Int) // <def left>
        object Zero { val point = Point(left = 0, top = 0) } // <left> <def point>
        class Later { fun left() = Zero.point.left } // <left> <point>
        """
    )
    written.check("left")
    written.check("point")


def test_overloads_are_told_apart_by_literals_defaults_and_names(project: Project) -> None:
    written = project(
        """
        === lib/Json.kt
        package lib
        class Json {
            fun <T> parse(text: String): T? = null // <def text>
            fun <T> parse(file: File): T? = null // <def file>
            fun <T> parse(count: Int, more: Boolean = true /* said */): T? = null // <def count>
            fun write(value: Any?, how: String? = null): String = "" // <def loose>
            private fun write(value: Any, converter: Any /* any */): String = "" // <def strict>
            fun all(first: Int, vararg others: String) {} // <def all>
        }
        fun Json(size: Int): Json = Json() // <def made>
        === use/Use.kt
        package use
        import lib.Json // <made>
        fun use(file: File, json: Json) {
            json.parse<Int>("text") // <text>
            json.parse<Int>(\"\"\"text\"\"\".trimIndent()) // <text>
            json.parse<Int>(file) // <file>
            val local = "text"
            json.parse<Int>(local) // <text>
            val other = File("name")
            json.parse<Int>(other) // <file>
            json.parse<Int>(1) // <count>
            json.parse<Int>(count = 1, more = false) // <count>
            json.write(1) // <loose>
            json.all(1, "a", "b") // <all>
            Json(1) // <made>
        }
        """
    )
    for mark in ("text", "file", "count"):
        written.check(mark, "parse")
    written.check("loose", "write")
    written.check("strict", "write")
    written.check("all")
    written.check("made", "Json")


def test_functions_are_told_apart_by_what_they_extend(project: Project) -> None:
    written = project(
        """
        === lib/Lib.kt
        package lib
        class One { val held = 1 } // <def held>
        class Two
        infix fun One.join(other: Int) = 1 // <def one>
        infix fun Two.join(other: Int) = 2 // <def two>
        infix fun Byte.and(other: Long) = 1 // <def and>
        infix fun Int.and(other: Long) = 1
        val One.twice: Int get() = held // <held> <def twice>
        val Two.twice: Int get() = 4
        fun defaults(count: Int = size(1), one: One = One()) = one.held // <held>
        fun size(of: Int) = of // <def size>
        === use/Use.kt
        package use
        import lib.*
        open class Base
        class Heir : Base() { fun own() {} } // <def own>
        fun use(one: One, two: Two, x: Base, odd: Odd) {
            one join 1 // <one>
            two.join(2) // <two>
            size(1) // <size>
            if (x is Heir) x.own() // <own>
            when (x) { is Heir -> x.own() } // <own>
            odd and 1
            1.toByte() and 2L // <and>
        }
        """
    )
    written.check("one", "join")
    written.check("two", "join")
    written.check("and")
    written.check("held")
    written.check("own")
    written.check("twice")
    assert ("lib/Lib.kt", 10) in written.referring("lib/Lib.kt", 11, "size")


def test_annotations_and_parents_are_given_arguments_by_name(project: Project) -> None:
    written = project(
        """
        === lib/Json.kt
        package lib
        annotation class Json(val name: String = "") // <def name> <def Json>
        open class Base(val size: Int) // <def size>
        === use/Use.kt
        package use
        import lib.* 
        class Use(@Json(name = "x") val x: Int) : Base(size = 1) // <name> <Json> <size>
        """
    )
    written.check("name")
    written.check("Json")
    written.check("size")


def test_what_is_called_on_the_instance_around_companions_and_whole_names_of_types(project: Project) -> None:
    written = project(
        """
        === src/main/kotlin/a/b/Header.kt
        package a.b
        class Header(val name: String) {  // <def Header>
            companion object {
                val TARGET = 1  // <def TARGET>
                fun make(): Header = Header("x")  // <def make> <Header>
            }
            fun one(text: String) = apply { println(text) }  // <def one>
            fun two() = also { println(it) }  // <def two>
            fun three(): Header = this  // <def three> <Header>
        }
        === src/main/kotlin/a/c/Use.kt
        package a.c
        import a.b.Header.Companion.TARGET  // <TARGET> <Header>
        fun use(header: a.b.Header): Int {  // <Header>
            header.one("b").two().three()  // <one> <two> <three>
            a.b.Header.Companion.make().three()
            return TARGET  // <TARGET>
        }
        === src/main/kotlin/a/b/Make.kt
        package a.b
        fun made() = Header.Companion.make().three()  // <Header> <make> <three>
        """
    )
    for name in ("Header", "TARGET", "make", "one", "two", "three"):
        written.check(name)


def test_names_in_texts_are_uses(project: Project) -> None:
    written = project(
        """
        === Texts.kt
        class Label(
            val caption: String, // <def caption>
            val width: Int, // <def width>
        ) : Base("of $caption, \\$width") { // <caption>
            val long = "a $caption and ${width + 1}" // <caption> <width>
            val raw = \"\"\"$caption $this\"\"\" // <caption>
            val none = "caption $ width"
        }
        """
    )
    written.check("caption")
    written.check("width")


def test_files_see_the_names_of_their_package_and_what_they_import(project: Project) -> None:
    written = project(
        """
        === a/One.kt
        package shop.first
        class Basket // <def Basket>
        fun Basket.fill() {} // <Basket> <def fill>
        private fun hidden() {} // <def hidden>
        === a/Two.kt
        package shop.second
        fun use(basket: Basket) { basket.fill() }
        === b/Three.kt
        @file:Suppress("x")
        package shop.first
        fun same(basket: Basket) { // <Basket>
            basket.fill() // <fill>
            hidden()
        }
        === b/Four.kt
        package shop.second
        import shop.first.Basket // <Basket>
        import shop.first.fill // <fill>
        fun other(basket: Basket) { basket.fill() } // <Basket> <fill>
        """
    )
    for name in ("Basket", "fill", "hidden"):
        written.check(name)


def test_properties_that_extend_a_type_are_read_on_its_values(project: Project) -> None:
    written = project(
        """
        === Props.kt
        package props
        class Part(val inner: Part)
        class Screw
        val Part.isLoose: Boolean get() = inner.isFixed // <def isLoose> <isFixed>
        val Part.isFixed: Boolean // <def isFixed>
            get() = !isLoose // <isLoose>
        val Screw.isRusty get() = true // <def isRusty>
        fun use(part: Part, parts: List<Part>) {
            if (part.isLoose && !part.inner.isFixed) println() // <isLoose> <isFixed>
            parts.map(Part::isLoose).also { parts.filter { it.isFixed } } // <isLoose> <isFixed>
            part.isRusty
        }
        """
    )
    for name in ("isLoose", "isFixed", "isRusty"):
        written.check(name)


def test_what_a_condition_says_holds_in_its_branch(project: Project) -> None:
    written = project(
        """
        === Shapes.kt
        sealed class Shape { open val name = "" } // <def name>
        class Circle(val radius: Int) : Shape() { override val name = "c" } // <def radius>
        class Square(val side: Int) : Shape() // <def side>
        fun area(shape: Shape, other: Any): Int {
            when (shape) {
                is Circle -> return shape.radius // <radius>
                is Square -> { shape.side; shape.radius } // <side>
            }
            when (val found = other) { is Circle -> found.radius } // <radius>
            if (other is Square && other.side > 1) println(other.side) else other.side // <side>
            listOf(1).map { if (other is Circle) listOf(2).map { other -> other.radius } }
            if (shape !is Circle) return 0
            println(shape.name) // <name>
            return shape.radius // <radius>
        }
        fun none(shape: Shape) = shape.radius
        """
    )
    for name in ("radius", "side", "name"):
        written.check(name)


def test_what_only_a_constructor_takes_is_no_member(project: Project) -> None:
    written = project(
        """
        === Keep.kt
        open class Keeper(val kept: Int, val place: String) // <def kept> <def place>
        class Heir(kept: Int, place: String) : Keeper(kept, place) {
            constructor(place: String) : this(1, place)
            fun use() = kept // <kept>
            var size: Int = 0
                set(place) { field = place.length }
        }
        fun use(heir: Heir) = heir.place // <place>
        """
    )
    written.check("kept")
    written.check("place")


def test_values_are_taken_apart(project: Project) -> None:
    written = project(
        """
        === Apart.kt
        class End { fun stop() {} } // <def stop>
        class Way { fun go() {} } // <def go>
        data class Road(val way: Way, val end: End)
        fun road(): Road = Road(Way(), End())
        fun use(ends: Map<Way, End>) {
            val (way, end) = road()
            way.go() // <go>
            end.stop() // <stop>
            ends.forEach { (first, last) -> first.go(); last.stop() } // <go> <stop>
            val (one, two) = Way() to End()
            one.go() // <go>
            two.stop() // <stop>
        }
        """
    )
    written.check("go")
    written.check("stop")


def test_objects_without_a_name_have_the_members_of_their_parents(project: Project) -> None:
    written = project(
        """
        === Made.kt
        open class Table { inner class Key; fun column() = Key() } // <def Key> <def column> <Key>
        interface Named { val label: String } // <def label>
        fun use() {
            val made = object : Table(), Named {
                val key = Key() // <Key>
                override val label = "x"
            }
            made.column() // <column>
            try { made.key } catch (wrong: Wrong) { wrong.reason } // <reason>
            val read = fun(column: Int): Int { return column }
        }
        class Wrong(val reason: String) : Exception() // <def reason>
        """
    )
    for name in ("Key", "column", "reason"):
        written.check(name)


def test_companions_with_a_name_or_a_parent_are_their_class(project: Project) -> None:
    written = project(
        """
        === Company.kt
        package company
        open class Log { fun note() {} } // <def note>
        class Office { companion object : Log() }
        class Shop {
            companion object Goods { val bread = 1 } // <def bread>
            fun sell() = bread // <bread>
        }
        === Use.kt
        package other
        import company.Office
        import company.Shop
        import company.Shop.Goods.bread // <bread>
        fun use() {
            if (!Office.note()) println(Shop.bread) // <note> <bread>
        }
        """
    )
    written.check("bread")
    written.check("note")


def test_expect_and_actual_are_one_thing(project: Project) -> None:
    written = project(
        """
        === common/Clock.kt
        package time
        expect class Clock { // <def common>
            fun tick(): Int // <def tick>
        }
        expect fun now(place: Int): Clock // <common> <def now>
        expect fun now(place: String): Clock // <common>
        === jvm/Clock.kt
        package time
        actual class Clock { // <def jvm>
            actual fun tick(): Int = 1
        }
        actual fun now(place: Int): Clock = Clock() // <jvm>
        actual fun now(place: String): Clock = Clock() // <jvm>
        === jvm/Use.kt
        package time
        fun use() = now(1).tick() // <now> <tick>
        fun text() = now("a").tick() // <tick>
        fun take(clock: Clock) {} // <common> <jvm>
        """
    )
    assert ("jvm/Use.kt", 4) in written.referring("common/Clock.kt", 2, "Clock")
    assert ("jvm/Use.kt", 4) in written.referring("jvm/Clock.kt", 2, "Clock")
    for line, name in ((3, "tick"), (5, "now")):
        found = {use for use in written.referring("common/Clock.kt", line, name) if use[0] == "jvm/Use.kt"}
        assert found == {use for use in written.marked(name) if use[0] == "jvm/Use.kt"}


def test_an_arrow_may_stand_on_the_next_line(project: Project) -> None:
    written = project(
        """
        === Arrow.kt
        class Scope {
            inline fun <
                T : (Int, Int)
                -> Int,
            > run(block: T) {}
            fun end() {} // <def end>
        }
        fun use(scope: Scope) = scope.end() // <end>
        """
    )
    written.check("end")


def test_type_parameters_with_modifiers_and_conditions(project: Project) -> None:
    written = project(
        """
        === Generic.kt
        class Cog { fun turn() {} } // <def turn>
        interface Toothed { fun bite() } // <def bite>
        inline fun <reified T : Any> make(name: String? = null, block: T.() -> Unit = {}): T = TODO()
        class Box<out T>(val held: T)
        fun <T> grip(toothed: T) where T : Toothed { toothed.bite() } // <bite>
        fun use(box: Box<Cog>) {
            make<Cog>(name = "a").turn() // <turn>
            val made = make<Cog> { turn() } // <turn>
            made.turn() // <turn>
            box.held.turn() // <turn>
        }
        """
    )
    written.check("turn")
    written.check("bite")


def test_calls_of_get_and_set_below_a_property_are_calls(project: Project) -> None:
    written = project("""
        === routes.kt
        fun helper(): Int = 1 // <def helper>
        fun get(path: String, answer: () -> Int) {} // <def get>
        fun set(path: String, value: Int) {} // <def set>
        fun routes() {
            val first = helper() // <helper>
            get("/first") { helper() } // <helper> <get>
            val second by lazy { helper() } // <helper>

            get("/second") { helper() } // <helper> <get>
            var third = helper() // <helper>
            set("/third", helper()) // <helper> <set>
        }
        class Held {
            var held: Int = helper() // <helper>
                get() { return helper() } // <helper>
                set(value) { helper() } // <helper>
        }
        """)
    for name in ("helper", "get", "set"):
        written.check(name)


def test_what_a_file_declares_behind_an_annotation(project: Project) -> None:
    written = project(
        """
        === kit.kt
        package kit

        class Level(val name: String) // <def Level>

        annotation class Plain // <def Plain>

        @Plain // <Plain>
        annotation class Named(val name: String, val of: Int = 0) // <def Named>

        @Plain // <Plain>
        enum class Colour { RED, GREEN } // <def Colour> <def RED>

        @Named("a", of = Colour.RED.ordinal) // <Named> <Colour> <RED>
        sealed class Shape { val size = 1 } // <def size>

        @Plain @Named("()") // <Plain> <Named>
        internal data object One

        @Plain // <Plain>
        const val LIMIT = 3 // <def LIMIT>

        @Plain // <Plain>
        private fun use(shape: Shape) = shape.size + LIMIT // <size> <LIMIT>

        @Plain // <Plain>
        class Last
        """
    )
    for name in ("Plain", "Named", "Colour", "RED", "size", "LIMIT"):
        written.check(name)
    names = {d.name for d in written.outline("kit.kt").definitions}
    assert {"Named", "Colour", "GREEN", "Shape", "One", "LIMIT", "use", "Last"} <= names


def test_a_function_named_like_the_interface_that_it_makes(project: Project) -> None:
    written = project(
        """
        === kit/Job.kt
        package kit
        interface Job { fun run() } // <def Job>
        fun Job(size: Int): Job = object : Job { override fun run() {} } // <Job>
        === kit/Space.kt
        package kit
        interface Space { class Part } // <def Space>
        === kit/Spaces.kt
        package kit
        fun Space(part: Space.Part): Space = TODO() // <Space>
        val all: List<Space> = listOf(Space(Space.Part())) // <Space>
        === kit/Use.kt
        package kit
        fun use(): Job { // <Job>
            return Job(3)
        }
        """
    )
    written.check("Job")
    written.check("Space")
