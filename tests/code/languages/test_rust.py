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


def test_patterns_bind_the_parts_of_what_they_take_apart(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "shapes"
        === src/lib.rs
        pub struct Round(pub Size, u8);
        pub struct Size { wide: u8 } // <def wide>
        impl Size { pub fn area(&self) -> u8 { self.wide } } // <def area> <wide>
        pub enum Shape { // <def Shape>
            Circle(Round), // <def Circle>
            Square { side: Size }, // <def Square> <def side>
            Empty, // <def Empty>
        }
        use Shape::Empty; // <Shape> <Empty>
        impl Shape { // <Shape>
            pub fn name(&self) -> u8 { 1 } // <def name>
            pub fn area(&self) -> u8 {
                match self {
                    Shape::Circle(Round(size, ..)) if size.area() > 0 => 1, // <Shape> <Circle> <area>
                    Shape::Square { side } => side.area(), // <Shape> <Square> <side> <area>
                    Empty => 0, // <Empty>
                    _ => unreachable!(),
                }
            }
        }
        pub fn first(shape: Option<Shape>, round: Round) -> u8 { // <Shape>
            let Some(Shape::Square { side: Size { wide } }) = shape else { // <Shape> <Square> <side> <wide>
                return round.0.area() // <area>
            };
            let chosen = if wide > 1 { Empty } else { Shape::Circle(round) }; // <Shape> <Empty> <Circle>
            let size = unsafe { biggest() };
            size.area() + chosen.name() // <area> <name>
        }
        pub fn each(sizes: &[(u8, Size)]) -> u8 {
            for (_, size) in sizes { size.area(); } // <area>
            if let Some((_, size)) = sizes.first() { size.area() } else { 0 } // <area>
        }
        unsafe fn biggest() -> Size { Size { wide: 9 } } // <wide>
        """
    )
    for name in ("area", "wide", "Shape", "Circle", "Square", "side", "Empty", "name"):
        written.check(name)


def test_paths_inside_modules_of_a_file_begin_there_and_never_at_a_variable(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "tree"
        === src/lib.rs
        pub mod ast;
        pub fn walk(ast: &ast::Node) -> u8 { ast::depth(ast) + ast.depth } // <Node> <depth>
        === src/ast.rs
        pub struct Node { pub depth: u8 } // <def Node>
        pub fn depth(node: &Node) -> u8 { node.depth } // <def depth> <Node>
        mod inner {
            use super::{depth, Node}; // <depth> <Node>
            pub fn twice(node: &Node) -> u8 { depth(node) + super::depth(node) } // <def twice> <Node> <depth>
            mod deeper {
                use super::super::depth; // <depth>
                use super::twice; // <twice>
                fn all(node: &crate::ast::Node) -> u8 { depth(node) + twice(node) } // <Node> <depth> <twice>
            }
        }
        """
    )
    for name in ("Node", "depth", "twice"):
        written.check(name)


def test_modules_of_which_conditions_leave_one_are_all_meant(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "groups"
        === src/lib.rs
        mod group;
        pub fn load() -> u8 { group::Group::new().width() } // <wide> <narrow> <inside>
        === src/group/mod.rs
        cfg_if::cfg_if! {
            // The quick one { if it can be had.
            if #[cfg(all(target_arch = "x86_64", not(miri)))] {
                mod wide;
                use wide as imp;
            } else {
                mod narrow;
                use narrow as imp;
            }
        }
        pub use self::imp::Group;
        #[cfg(test)]
        mod imp {
            pub struct Group;
            impl Group {
                pub fn new() -> Self { Group }
                pub fn width(&self) -> u8 { 1 } // <def inside>
            }
        }
        === src/group/wide.rs
        pub struct Group;
        impl Group {
            pub fn new() -> Self { Group }
            pub fn width(&self) -> u8 { 16 } // <def wide>
        }
        === src/group/narrow.rs
        pub struct Group;
        impl Group {
            pub fn new() -> Self { Group }
            pub fn width(&self) -> u8 { // <def narrow>
                cfg_if! { if #[cfg(a)] { eight() } else { 4 } } // <eight>
            }
        }
        fn eight() -> u8 { 8 } // <def eight>
        """
    )
    for label in ("wide", "narrow", "inside"):
        written.check(label, "width")
    written.check("eight")


def test_methods_of_traits_on_foreign_types_where_the_trait_is_seen(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "ext"
        === src/lib.rs
        pub mod ext;
        pub mod blind;
        use ext::Distance as _;
        pub fn gap(a: *const u8, b: *const u8) -> usize { a.distance(b) + a.other() } // <distance>
        === src/ext.rs
        pub trait Distance { fn distance(self, from: Self) -> usize; } // <def distance>
        impl<T> Distance for *const T { fn distance(self, from: *const T) -> usize { 1 } }
        pub trait Other { fn other(self) -> usize; } // <def other>
        impl Other for Local { fn other(self) -> usize { 1 } }
        pub struct Local;
        === src/blind.rs
        pub fn gap(a: *const u8, b: *const u8) -> usize { a.distance(b) }
        """
    )
    written.check("distance")
    written.check("other")


def test_fields_of_a_generic_type_are_bound_by_the_block_that_implements_it(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "lanes"
        === src/lib.rs
        pub trait Vector { // <def Vector>
            type Mask: Bits; // <Bits>
            fn splat(b: u8) -> Self; // <def splat>
            fn equal(&self) -> bool; // <def equal>
            fn mask(&self) -> Self::Mask;
        }
        pub trait Bits { fn any(&self) -> bool; fn none() -> Self; } // <def Bits> <def any> <def none>
        pub trait Other { fn equal(&self) -> bool; fn any(&self) -> bool; fn none() -> Self; }
        pub struct One<V> { lane: V }
        impl<V: Vector> One<V> { // <Vector>
            pub fn new(b: u8) -> One<V> { One { lane: V::splat(b) } } // <splat>
            pub fn find(&self) -> bool { self.lane.equal() } // <equal>
            pub fn many(&self) -> bool { self.lane.mask().any() || V::Mask::none().any() } // <any> <none>
        }
        """
    )
    for name in ("Vector", "Bits", "splat", "equal", "any", "none"):
        written.check(name)


def test_builders_whose_methods_are_named_like_their_fields(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "builder"
        === src/lib.rs
        pub struct Arg { short: Option<char>, count: usize }
        impl Arg {
            pub fn new(letter: char) -> Self { Arg { short: Some(letter), count: 0 } }
            pub fn short(mut self, c: char) -> Self { self.short = Some(c); self } // <def short>
            pub fn count(mut self, n: usize) -> Self { self.count = n; self } // <def count>
            pub fn last(self) -> Self { self } // <def last>
        }
        pub fn build() -> Arg {
            Arg::new('a').short('b').count(1).last() // <short> <count> <last>
        }
        """
    )
    written.check("short")
    written.check("count")
    written.check("last")


def test_a_foreign_type_under_a_second_name_is_what_its_own_says(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "results"
        === src/lib.rs
        pub mod error;
        use crate::error::Result as Parsed;
        pub struct Matches;
        impl Matches { pub fn flag(&self) -> bool { true } } // <def flag>
        pub fn parse() -> Parsed<Matches> { Ok(Matches) }
        pub fn run() -> bool {
            let found = parse().unwrap();
            found.flag() // <flag>
        }
        === src/error.rs
        use std::result::Result as StdResult;
        pub struct Error;
        pub type Result<T, E = Error> = StdResult<T, E>;
        """
    )
    written.check("flag")


def test_a_crate_under_another_name_and_parts_of_tuples(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "tally"
        === src/lib.rs
        pub fn same(a: u8) {} // <def same>
        pub struct State { pub depth: u8 } // <def depth>
        fn deepen(states: &mut (State, State)) -> u8 {
            states.0.depth + states.1.depth // <depth>
        }
        === tests/all.rs
        use tally as t;
        #[test]
        fn works() {
            t::same(1); // <same>
        }
        """
    )
    written.check("same")
    written.check("depth")


def test_a_trait_for_every_type_gives_the_type_it_is_called_on(project: Project) -> None:
    written = project(
        """
        === Cargo.toml
        [package]
        name = "settings"
        === src/lib.rs
        pub struct Jobs { pub limit: u8 } // <def limit>
        pub struct Time { pub limit: u8 }
        pub trait Load: Sized {
            fn made() -> Self;
            fn load(text: &str) -> Self { Self::made() }
        }
        impl<T: Default> Load for T {
            fn made() -> Self { T::default() }
        }
        fn run() -> u8 {
            let jobs = Jobs::load("");
            let time = Time::load("");
            time.limit;
            jobs.limit // <limit>
        }
        """
    )
    written.check("limit")


def test_members_of_a_trait_that_a_type_is_taken_as(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub trait Input {
            type Item; // <def Item>
            fn run(&self) -> u8; // <def run>
        }
        pub struct Item;
        pub fn first<T: Input>(x: T, y: <T as Input>::Item) -> u8 // <Item>
        where
            <T as Input>::Item: Clone, // <Item>
        {
            <T as Input>::run(&x) // <run>
        }
        pub fn taken(x: impl Input<Item = u8>) {} // <Item>
        pub fn other() -> Item { Item }
        """
    )
    written.check("Item")
    written.check("run")


def test_iterators_of_the_project_are_walked_over(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub struct Node { id: u32 }
        impl Node {
            pub fn ready(&self) -> bool { true } // <def ready>
            pub fn children(&self) -> Children { Children { at: 0 } }
            pub fn all(&self) -> impl Iterator<Item = Node> + '_ { self.children() }
            pub fn list(&self) -> Vec<Node> { vec![] }
            pub fn near(&self) -> Option<Node> { None }
        }
        pub struct Children { at: u32 }
        impl Iterator for Children {
            type Item = Node;
            fn next(&mut self) -> Option<Self::Item> { None }
        }
        pub fn walk(node: &Node) {
            for a in node.children() { a.ready(); } // <ready>
            node.children().skip(1).find(|b| b.ready()); // <ready>
            for c in node.all() { c.ready(); } // <ready>
            for (_, d) in node.list().iter().enumerate() { d.ready(); } // <ready>
            for (e, f) in node.list().iter().zip(node.children()) {
                e.ready(); // <ready>
                f.ready(); // <ready>
            }
            node.list().iter().map(|g| g.near()).for_each(|h| h.unwrap().ready()); // <ready>
            node.list().iter().fold(0, |sum, i| if i.ready() { sum } else { 0 }); // <ready>
        }
        """
    )
    written.check("ready")


def test_what_a_value_stands_for_and_what_has_several_bounds(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub struct Shape;
        impl Shape {
            pub fn area(&self) -> u32 { 1 } // <def area>
        }
        pub trait Drawn {
            fn draw(&self); // <def draw>
        }
        pub struct Held { shape: Shape }
        impl std::ops::Deref for Held {
            type Target = Shape;
            fn deref(&self) -> &Shape { &self.shape }
        }
        pub fn use_both(held: Held, drawn: Box<dyn Drawn + Send>) {
            held.area(); // <area>
            drawn.draw(); // <draw>
        }
        """
    )
    written.check("area")
    written.check("draw")


def test_closures_take_what_the_function_type_of_a_parameter_says(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub struct Rng(u64);
        impl Rng {
            pub fn flip(&mut self) -> bool { true } // <def flip>
            pub fn fork(&self) -> Part { Part(0) }
        }
        pub struct Part(u64);
        impl Part {
            pub fn done(&self) {} // <def done>
        }
        fn within<R>(f: impl FnOnce(&mut Rng) -> R) -> R { f(&mut Rng(1)) }
        fn lent(f: &dyn Fn(u8, &Rng)) { f(1, &Rng(1)) }
        fn bound<F: FnMut(Rng)>(mut f: F) { f(Rng(1)) }
        fn after<F>(f: F) where F: Fn(&mut Rng) -> bool { f(&mut Rng(1)); }
        fn plain(f: fn(Rng) -> Part) { f(Rng(1)).done() } // <done>
        pub fn all() {
            within(|r| r.flip()); // <flip>
            lent(&|n, r| { r.fork().done(); }); // <done>
            bound(|mut r| { r.flip(); }); // <flip>
            after(|r| r.flip()); // <flip>
            within(|r| r.fork()).done(); // <done>
        }
        """
    )
    written.check("flip")
    written.check("done")


def test_a_module_stands_in_the_file_that_an_attribute_names(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        #[cfg(unix)]
        #[path = "sys/unix.rs"]
        mod imp;
        #[cfg(windows)]
        #[path = "sys/windows.rs"]
        mod imp; // <other>
        pub fn run() { imp::start(); } // <start>
        pub mod all {
            use super::imp::start as begin; // <start>
            pub fn go() { begin(); } // <start>
        }
        === src/sys/unix.rs
        pub fn start() {} // <def start>
        === src/sys/windows.rs
        pub fn start() {}
        """
    )
    written.check("start")
