"""References in Swift projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_closures_bindings_and_containers(project: Project) -> None:
    written = project(
        """
        === Sources/App.swift
        class Koin { func get() -> Int { return 1 } } // <def get>
        class App {
            let koin = Koin() // <def koin>
            func each(_ apps: [App], use: (App) -> Koin) {}
        }
        === Sources/Use.swift
        class Use {
            var apps: [App] = []
            var named: [String: App] = [:]
            func all(maybe: App?, thing: Any) -> App {
                if let one = maybe { one.koin } // <koin>
                if let maybe { maybe.koin } // <koin>
                guard let held = named["a"] else { return apps[0] }
                held.koin.get() // <koin> <get>
                for one in apps { one.koin } // <koin>
                for (name, one) in named { one.koin } // <koin>
                apps.forEach { $0.koin } // <koin>
                apps.filter { $0.koin.get() > 1 }.forEach { one in one.koin } // <koin> <get>
                held.each(apps) { $0.koin } // <koin>
                held.each(apps, use: { other in other.koin }) // <koin>
                (thing as? App)?.koin // <koin>
                maybe!.koin // <koin>
                let chosen = maybe ?? held
                chosen.koin // <koin>
                let other = apps.isEmpty ? maybe : held
                other?.koin // <koin>
                return chosen
            }
        }
        """
    )
    written.check("koin")
    written.check("get")


def test_members_given_to_foreign_types_and_what_they_promise(project: Project) -> None:
    written = project(
        """
        === Sources/Wrapper.swift
        struct Wrapper<Base> { func show() {} } // <def show>
        protocol Compatible {}
        extension Compatible { var kf: Wrapper<Self> { return Wrapper() } } // <def kf>
        extension UIImageView: Compatible {}
        extension URL { var cacheKey: String { return "" } } // <def cacheKey>
        extension Wrapper where Base: UIImageView { func set() {} } // <def image>
        extension Wrapper where Base: Button { func set() {} } // <Button>
        class Button {} // <def Button>
        extension Own { var mine: Int { return 1 } } // <def mine>
        class Own {}
        === Sources/Use.swift
        func use(view: UIImageView, url: URL, own: Own) {
            view.kf.show() // <kf> <show>
            url.cacheKey // <cacheKey>
            own.mine // <mine>
            view.mine
            view.kf.set() // <kf>
        }
        """
    )
    for name in ("kf", "show", "cacheKey", "mine", "Button"):
        written.check(name)
    written.check("image", "set")


def test_what_a_case_binds_is_its_own(project: Project) -> None:
    written = project(
        """
        === Sources/Shape.swift
        let radius = 1 // <def radius>
        func area(shape: Shape) -> Int {
            switch shape {
            case .circle(let radius): return radius
            case let .ring(radius, inner): return radius + inner
            default: return radius // <radius>
            }
        }
        struct Own {
            var wide: Int { // <def wide>
                let inside = 1
                guard let other = maybe else { return inside }
                return other
            }
            var maybe: Int?
        }
        func other(own: Own) { #wide(own.wide, own.inside) } // <wide>
        """
    )
    written.check("radius")
    written.check("wide")
    assert not any(d.name == "inside" for d in written.outline("Sources/Shape.swift").definitions)
