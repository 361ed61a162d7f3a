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


def test_self_is_whichever_heir_is_meant(project: Project) -> None:
    written = project(
        """
        === Sources/Shape.swift
        protocol Shape {}
        extension Shape {
            func grown() -> Self { self }
            static func standard() -> Self { fatalError() }
        }
        struct Wheel: Shape {
            var spokes = 3 // <def spokes>
            static let first = Wheel()
            static func build() -> Self { Self() }
        }
        struct Disc: Shape { var spokes = 1 }
        func use() {
            Wheel.build().spokes // <spokes>
            Wheel().grown().grown().spokes // <spokes>
            Wheel.standard().spokes // <spokes>
            Disc.standard().spokes
        }
        extension Wheel {
            func own() -> Int { Self.first.spokes } // <spokes>
        }
        """
    )
    written.check("spokes")


def test_members_of_the_type_that_is_expected(project: Project) -> None:
    written = project(
        """
        === Sources/Mood.swift
        enum Mood { case none, calm } // <def none>
        enum Part { case none, screw }
        struct Options: OptionSet { static let none = Options() }
        struct Settings { var mood: Mood; var part: Part = .none }
        func take(_ part: Part, mood: Mood = .none, then: () -> Void) {} // <none>
        func pair() -> (Part, Mood) { (.none, .none) } // <none>
        func list(_ moods: [Mood], options: Options) {}
        func use(mood: Mood, part: Part, maybe: Mood?) -> Mood {
            take(.none) {}
            take(.screw, mood: .none) {} // <none>
            Settings(mood: .none) // <none>
            Settings(mood: .calm, part: .none)
            if mood == .none {} // <none>
            let own: Mood = .none // <none>
            var other = Mood.none // <none>
            other = .none // <none>
            let known = maybe ?? .none // <none>
            switch part {
            case .none: break
            case .screw: list([.none], options: .none) // <none>
            }
            switch mood {
            case .none: return .none // <none>
            default: return mood == .calm ? .none : .calm // <none>
            }
        }
        var mood: Mood { .none } // <none>
        """
    )
    written.check("none")


def test_a_member_without_an_owner_is_no_method_of_an_unknown_one(project: Project) -> None:
    written = project(
        """
        === Sources/Scene.swift
        class Delegate { func scene(_ scene: Int) {} } // <def scene>
        extension Font { static var large: Font { Font() } } // <def large>
        func use(view: View) {
            view.anchored(.scene(1))
            view.font(.large) // <large>
        }
        """
    )
    written.check("scene")
    written.check("large")


def test_what_cases_carry(project: Project) -> None:
    written = project(
        """
        === Sources/Part.swift
        struct Wheel { var spokes = 3 } // <def spokes>
        struct Hub { var spokes = 3 } // <def of hub>
        enum Part {
            case wheel(Wheel), hub(hub: Hub, size: Int)
            case nested(Part)
            var hub: Hub? { nil }
        }
        func use(part: Part, parts: [Part]) {
            switch part {
            case .wheel(let wheel): wheel.spokes // <spokes>
            case let .hub(hub, _): hub.spokes // <of hub>
            case .nested(.wheel(let wheel)): wheel.spokes // <spokes>
            case .nested: break
            }
            if case .wheel(let wheel) = part, wheel.spokes > 1 {} // <spokes>
            if case let .nested(.hub(hub: hub, size: _)) = part { hub.spokes } // <of hub>
            guard case Part.wheel(let one) = part else { return }
            one.spokes // <spokes>
            for case .wheel(let wheel) in parts { wheel.spokes } // <spokes>
            do {} catch let failure as Failure { failure.wheel.spokes } // <spokes>
            Part.wheel(Wheel()).hub?.spokes // <of hub>
        }
        struct Failure: Error { var wheel: Wheel }
        """
    )
    written.check("spokes")
    written.check("of hub", "spokes")


def test_key_paths_and_pairs(project: Project) -> None:
    written = project(
        """
        === Sources/Keys.swift
        struct Hub { var bolt = 1 } // <def bolt>
        struct Wheel { var hub = Hub() } // <def hub>
        struct Own: Sequence { func makeIterator() -> Walker { Walker() } }
        struct Walker { mutating func next() -> Wheel? { nil } }
        func sorted<T>(_ items: [T], by path: KeyPath<T, Int>) {}
        func use(wheels: [Wheel], named: [String: Wheel], own: Own) {
            wheels.map(\\.hub.bolt) // <hub> <bolt>
            wheels.map(\\.hub).first?.bolt // <hub> <bolt>
            sorted(wheels, by: \\.hub.bolt) // <hub> <bolt>
            let path = \\Wheel.hub // <hub>
            for (number, wheel) in wheels.enumerated() { wheel.hub } // <hub>
            named.map { $0.value.hub } // <hub>
            named.forEach { name, wheel in wheel.hub } // <hub>
            named.values.first?.hub // <hub>
            wheels[1...].first?.hub // <hub>
            for wheel in own { wheel.hub } // <hub>
            own.map { $0.hub } // <hub>
            let pair: (wheel: Wheel, hub: Hub) = (wheels[0], Hub())
            pair.hub.bolt // <bolt>
            pair.0.hub // <hub>
            let (first, _) = (wheels[0], 1)
            first.hub // <hub>
        }
        """
    )
    written.check("hub")
    written.check("bolt")


def test_generic_types_bounds_and_types_of_types(project: Project) -> None:
    written = project(
        """
        === Sources/Generic.swift
        protocol Corner { var angle: Int { get } } // <def angle>
        protocol Shape { associatedtype Inner: Corner; var inner: Inner { get } }
        struct Hub { var bolt = 1; subscript(at: Int) -> Hub { self } } // <def bolt>
        class Garage<Item> {
            var items: [Item] = []
            func each<R>(count: Int = 0, _ body: (Item) -> R, file: String = "") -> R { fatalError() }
        }
        func make<T>(_ type: T.Type, body: (T) -> Void, otherwise: (Int) -> Void) {}
        func one<S: Shape>(_ shape: S) { shape.inner.angle } // <angle>
        func two<T>(_ value: T) where T: Corner { value.angle } // <angle>
        func three(_ value: some Corner, _ other: (any Corner)?) { value.angle; other?.angle } // <angle>
        func some() -> some Corner { fatalError() }
        func use() {
            let garage = Garage<Hub>()
            garage.items.last?.bolt // <bolt>
            garage.each { $0.bolt } // <bolt>
            make(Hub.self) { $0.bolt } otherwise: { count in } // <bolt>
            make(Hub.self, body: { hub in hub.bolt }, otherwise: { _ in }) // <bolt>
            some().angle // <angle>
            [Hub]().first?.bolt // <bolt>
            [Hub(), Hub()][0][1].bolt // <bolt>
            ["a": Hub()]["a"]?.bolt // <bolt>
            let act: (Hub) -> Void = { hub in hub.bolt } // <bolt>
        }
        """
    )
    written.check("angle")
    written.check("bolt")


def test_wrapped_properties_and_views(project: Project) -> None:
    written = project(
        """
        === Sources/View.swift
        struct Hub { var bolt = 1 } // <def bolt>
        struct Panel: View {
            @State private var hub = Hub() // <def hub>
            @Environment(Hub.self) private var shared
            let hubs: [Hub]
            var body: some View {
                TextField("", text: $hub.bolt) // <hub> <bolt>
                Text(shared.bolt) // <bolt>
                ForEach(hubs) { one in Text(one.bolt) } // <bolt>
                ForEach($hubs, id: \\.bolt) { $one in Text(one.bolt) } // <bolt>
            }
        }
        class Model {
            var hub: Hub?
            func run(work: (Hub) -> Void) {}
            func go(hub: Hub?) {
                if let hub = hub { hub.bolt } // <bolt>
                guard let hub = hub else { return }
                hub.bolt // <bolt>
                run { [weak self, other = hub] _ in self?.hub?.bolt; other.bolt } // <bolt>
                while let next = self.hub { next.bolt } // <bolt>
            }
        }
        """
    )
    written.check("bolt")
    written.check("hub", "hub")


def test_what_foreign_parents_were_given_is_seen_by_its_bare_name(project: Project) -> None:
    written = project(
        """
        === Sources/Helpers.swift
        #if os(macOS)
        typealias Image = NSImage
        #else
        typealias Image = UIImage
        #endif
        extension Image { var pixels: Int { 1 } } // <def pixels>
        extension XCTest { func assertAll(_ all: Int) {} } // <def assertAll>
        === Tests/SomeTests.swift
        class SomeTests: XCTestCase {
            func test(image: Other) {
                assertAll(image.pixels) // <assertAll> <pixels>
            }
        }
        class Alone { func test() { assertAll(1) } }
        """
    )
    written.check("pixels")
    written.check("assertAll")
