"""References in Rust projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_types_of_one_name_in_several_modules_keep_their_own_methods(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "scan"
        === src/lib.rs
        pub mod neon;
        pub mod sse;
        pub mod more;
        === src/neon.rs
        pub struct One { at: usize }
        impl One { pub fn find(&self) -> usize { self.at } } // <def neon>
        === src/sse.rs
        pub struct One { at: usize }
        impl One { pub fn find(&self) -> usize { self.step() } } // <def sse> <step>
        === src/more.rs
        use crate::sse::One;
        impl One { pub fn step(&self) -> usize { self.find() } } // <def step> <sse>
        pub fn both(a: &crate::neon::One, b: &One) -> usize { a.find() + b.find() } // <neon> <sse>
        """
    )
    written.check("neon", "find")
    written.check("sse", "find")
    written.check("step")


def test_fields_and_methods_of_one_name_and_variables_named_like_modules(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "pairs"
        === src/lib.rs
        pub mod finder;
        pub struct Pair { index: u8 } // <def field>
        impl Pair {
            pub fn index(&self) -> u8 { self.index } // <def method> <field>
        }
        pub fn use_it(pair: Pair) -> u8 {
            let finder = finder::Finder::new(); // <new>
            let pair = pair.index(); // <method>
            finder.run(); // <run>
            pair
        }
        === src/finder.rs
        pub struct Finder;
        impl Finder {
            pub fn new() -> Finder { Finder } // <def new>
            pub fn run(&self) {} // <def run>
        }
        """
    )
    written.check("field", "index")
    written.check("method", "index")
    written.check("new")
    written.check("run")


def test_bounds_after_where(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        trait Draw { fn draw(&self); } // <def draw>
        struct Scene<T> where T: Draw { part: T }
        impl<T> Scene<T> where T: Draw {
            fn show(&self, other: T) { other.draw(); } // <draw>
        }
        fn render<T>(thing: &T) where T: Draw {
            thing.draw(); // <draw>
        }
        """
    )
    written.check("draw")


def test_what_self_names_where_a_value_is_meant(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub struct Stack<T> { items: Vec<T> }
        impl<T> Stack<T> {
            const fn empty() -> bool { true } // <def empty>
            pub fn new() -> Self { check(0, Self::empty()); Self { items: Self::kept() } } // <empty> <kept>
            fn kept() -> Vec<T> { Vec::new() } // <def kept>
        }
        trait Sized {
            fn most() -> usize; // <def most>
            fn twice() -> usize { Self::most() * 2 } // <most>
        }
        """
    )
    for name in ("empty", "kept", "most"):
        written.check(name)


def test_each_integration_test_is_a_crate_with_modules_beside_it(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub fn library() {}
        === tests/common.rs
        pub fn helper() {} // <def helper>
        === tests/first.rs
        mod common;
        use common::helper; // <helper>
        fn check() {
            helper(); // <helper>
            common::helper(); // <helper>
            crate::common::helper(); // <helper>
        }
        === src/bin/tool.rs
        mod shared;
        fn main() { shared::deep(); } // <deep>
        === src/bin/shared.rs
        pub fn deep() {} // <def deep>
        """
    )
    written.check("helper")
    written.check("deep")


def test_what_is_implemented_for_every_type_has_what_its_bounds_have(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub trait Markup { fn table(&self) {} } // <def table>
        pub trait Export { fn write(&self); }
        impl<T: Markup> Export for T {
            fn write(&self) { self.table(); } // <table>
        }
        pub trait Show { fn show(&self); }
        impl<T> Show for T where T: Markup {
            fn show(&self) { self.table(); } // <table>
        }
        """
    )
    written.check("table")


def test_macros_are_seen_in_their_whole_crate_and_at_its_root(project: Project) -> None:
    written = project(
        """
        === one/Cargo.toml
        name = "one-lib"
        === one/src/lib.rs
        #[macro_use]
        mod macros;
        pub mod user;
        === one/src/macros.rs
        #[macro_export]
        macro_rules! __made { () => {}; } // <def __made>
        macro_rules! each { ($it:ident) => { $it!(1); }; } // <def each>
        === one/src/user.rs
        use crate::__made as made; // <__made>
        made! {} // <__made>
        each!(made); // <each> <__made>
        fn run() { outer!(each!(made)); } // <each> <__made>
        === two/Cargo.toml
        name = "two"
        === two/src/lib.rs
        use one_lib::__made; // <__made>
        macro_rules! each { () => {}; }
        fn go() { __made!(); each!(); } // <__made>
        """
    )
    written.check("__made")
    written.check("each")
