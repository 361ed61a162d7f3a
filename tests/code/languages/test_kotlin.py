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
