"""References in projects of the languages that are linked by name, package or module."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

PROJECTS = {
    "c": """
        === list.h
        struct list { int size; }; // <def size>
        int list_add(struct list *l); // <add>
        enum mode { FAST }; // <def FAST>
        === list.c
        #include "list.h"
        static int helper(void) { return 1; } // <def helper>
        int list_add(struct list *l) { return l->size + helper(); } // <def add> <size> <helper>
        === main.c
        #include "list.h"
        static int helper(void) { return 2; }
        int main(void) { struct list l; helper();
            return list_add(&l) + l.size + FAST; } // <add> <size> <FAST>
        """,
    "cpp": """
        === shape.hpp
        namespace geo {
        class Shape { public: int area(); int width; }; // <def width>
        }
        === shape.cpp
        #include "shape.hpp"
        int geo::Shape::area() { return width; } // <width>
        === main.cpp
        #include "shape.hpp"
        int main() { geo::Shape s; return s.width; } // <width>
        """,
    "rust": """
        === Cargo.toml
        [package]
        name = "zoo"
        === src/lib.rs
        pub mod animals;
        use crate::animals::Dog; // <Dog>
        pub fn run() { let d = Dog::new(); d.bark(); } // <Dog> <bark>
        === src/animals.rs
        pub struct Dog { pub age: u32 } // <def Dog> <def age>
        impl Dog { // <Dog>
            pub fn new() -> Self { Dog { age: 1 } } // <Dog> <age>
            pub fn bark(&self) -> u32 { self.age } // <def bark> <age>
        }
        === src/main.rs
        use zoo::animals; // other crate, same package
        fn main() { animals::Dog::new().bark(); } // <Dog> <bark>
        struct Cat; impl Cat { fn bark(&self) {} }
        """,
    "java": """
        === src/main/java/org/shop/Item.java
        package org.shop;
        public class Item { // <def Item>
          private int price;
          public int price() { return price; } // <def price2>
        }
        === src/main/java/org/app/Main.java
        package org.app;
        import org.shop.Item; // <Item>
        class Main { int f(Item i) { return i.price() + new Item().price(); } } // <Item> <price2>
        """,
    "csharp": """
        === Model/Item.cs
        namespace Shop.Model;
        public class Item { public int Price { get; set; } } // <def Item> <def Price>
        === App/Main.cs
        using Shop.Model;
        namespace Shop.App { class Main { int F(Item i) { return i.Price; } } } // <Item> <Price>
        """,
    "ruby": """
        === lib/item.rb
        class Item # <def Item>
          def cost; 1; end # <def cost>
          def twice; cost * 2; end # <cost>
        end
        === app.rb
        require_relative "lib/item"
        item = Item.new # <Item>
        item.cost # <cost>
        """,
    "php": """
        === src/Item.php
        <?php
        namespace Shop;
        class Item { public function cost() { return 1; } } // <def Item> <def cost>
        === app.php
        <?php
        use Shop\\Item; // <Item>
        $item = new Item(); // <Item>
        $item->cost(); // <cost>
        """,
    "kotlin": """
        === shop/Item.kt
        package shop
        class Item { fun cost(): Int = 1 } // <def Item> <def cost>
        === app/Main.kt
        package app
        import shop.Item // <Item>
        fun main() { val i = Item(); i.cost() } // <Item> <cost>
        """,
    "swift": """
        === Sources/Item.swift
        class Item { func cost() -> Int { return 1 } } // <def Item> <def cost>
        extension Item { func twice() -> Int { return cost() } } // <Item> <cost>
        === Sources/main.swift
        let item = Item() // <Item>
        print(item.cost()) // <cost>
        """,
    "bash": """
        === lib.sh
        greet() { echo hi; } # <def greet>
        === main.sh
        . ./lib.sh
        greet # <greet>
        """,
}
MARKS = {
    "c": {"size": "size", "add": "list_add", "helper": "helper", "FAST": "FAST"},
    "cpp": {"width": "width"},
    "rust": {"Dog": "Dog", "bark": "bark", "age": "age"},
    "java": {"Item": "Item", "price2": "price"},
    "csharp": {"Item": "Item", "Price": "Price"},
    "ruby": {"Item": "Item", "cost": "cost"},
    "php": {"Item": "Item", "cost": "cost"},
    "kotlin": {"Item": "Item", "cost": "cost"},
    "swift": {"Item": "Item", "cost": "cost"},
    "bash": {"greet": "greet"},
}


@pytest.mark.parametrize(
    ("language", "mark", "name"),
    [(language, mark, name) for language, marks in MARKS.items() for mark, name in marks.items()],
)
def test_references_across_files(project: Project, language: str, mark: str, name: str) -> None:
    project(PROJECTS[language]).check(mark, name)


def test_c_keeps_structures_apart_from_functions_of_the_same_name(project: Project) -> None:
    written = project(
        """
        === types.h
        struct entry { int size; }; // <def tag>
        === tmux.h
        #include "types.h"
        int entry(struct entry *); // <tag> <function>
        === entry.c
        #include "tmux.h"
        int entry(struct entry *e) { return e->size; } // <def function> <tag>
        int use(void) { struct entry e; return entry(&e); } // <tag> <function>
        """
    )
    written.check("tag", "entry")
    written.check("function", "entry")


def test_c_macros_and_static_functions_are_for_files_that_see_them(project: Project) -> None:
    written = project(
        """
        === unit.h
        #define RUN(test) test() // <def RUN>
        static int twice(int n) { return 2 * n; } // <def twice>
        === a.c
        #include "unit.h"
        int a(void) { return RUN(b) + twice(1) + step(); } // <RUN> <twice>
        === b.c
        #define RUN(test) other(test) // <def other>
        static int step(void) { return RUN(a); } // <def step> <other>
        int b(void) { return step(); } // <step>
        === whole.c
        static int part(void) { return 1; } // <def part>
        === all.c
        #include "whole.c"
        int all(void) { return part(); } // <part>
        """
    )
    for name in ("RUN", "twice", "step", "part"):
        written.check(name)
    written.check("other", "RUN")


def test_php_static_properties_and_inherited_constructors(project: Project) -> None:
    written = project(
        """
        === a.php
        <?php
        class Base {
            protected static $count = 0; // <def count>
            public function __construct() { static::$count++; } // <def make> <count>
        }
        class Heir extends Base {
            public function f() { return self::$count; } // <count>
        }
        class Other extends Base {
            public function __construct() {}
        }
        new Base(); // <make>
        new Heir(); // <make>
        new Other();
        """
    )
    written.check("count")
    written.check("make", "__construct")


def test_lua_assignments_tables_and_modules(project: Project) -> None:
    written = project(
        """
        === lua/pl/text.lua
        local text = {}
        local function tag() end
        function text.trim(s) -- <def trim>
          local count = 1 -- <def count>
          local function step()
            count = count + 1 -- <count>
          end
          step()
          return count -- <count>
        end
        text.trim('') -- <trim>
        return text
        === lua/pl/other.lua
        local text = {}
        function text.trim() end
        text.trim()
        return text
        === spec/text_spec.lua
        local text = require 'pl.text'
        local cut = text.trim -- <trim>
        local trim = 1
        """
    )
    written.check("trim")
    written.check("count")


def test_ruby_modules_that_several_files_open(project: Project) -> None:
    written = project(
        """
        === lib/kit/constants.rb
        module Kit
          LIMIT = 1 # <def LIMIT>
          module Mime
            TYPES = {} # <def TYPES>
          end
        end
        module Other
          LIMIT = 2
        end
        === lib/kit/request.rb
        module Kit
          class Request
            def size
              LIMIT # <LIMIT>
            end
            def type
              Mime::TYPES # <TYPES>
            end
          end
        end
        === test/kit_test.rb
        Kit::LIMIT # <LIMIT>
        Other::LIMIT
        """
    )
    written.check("LIMIT")
    written.check("TYPES")


def test_a_macro_before_the_name_of_a_class_of_cpp(project: Project) -> None:
    written = project(
        """
        === include/store.h
        #define EXPORTED
        namespace store {
        class EXPORTED Cursor { // <def Cursor>
         public:
          int position(); // <def position>
        };
        }
        === src/use.cc
        #include "store.h"
        namespace store {
        int use(Cursor* cursor) { return cursor->position(); } // <Cursor> <position>
        }
        """
    )
    written.check("Cursor")
    written.check("position")


def test_swift_members_of_the_expected_type(project: Project) -> None:
    written = project(
        """
        === Sources/Reason.swift
        enum Reason {
            case missing(host: String) // <def missing>
            case same
        }
        enum Other { case same }
        func fail(_ reason: Reason) {}
        === Sources/Use.swift
        func use(reason: Reason) {
            fail(.missing(host: "")) // <missing>
            switch reason {
            case .missing: break // <missing>
            case .same: break
            }
            let missing = 1
            print(missing)
        }
        """
    )
    written.check("missing")


def test_a_kotlin_constructor_below_the_name_of_its_class(project: Project) -> None:
    written = project(
        """
        === Spec.kt
        package kit
        class Spec
        private constructor(
          builder: Builder,
          private val names: List<String> = emptyList(),
        ) {
          fun size() = LIMIT // <LIMIT>
        }
        const val LIMIT = 3 // <def LIMIT>
        """
    )
    written.check("LIMIT")
    assert not written.outline("Spec.kt").broken


def test_initializers_of_csharp_set_members_of_what_is_made(project: Project) -> None:
    written = project(
        """
        === Options.cs
        namespace Kit {
          class Options {
            public int Limit { get; set; } // <def Limit>
            public Options Inner;
          }
          class Other { public int Limit; }
        }
        === Use.cs
        namespace Kit {
          class Use {
            int Limit;
            void F() {
              var a = new Options { Limit = 1 }; // <Limit>
              Options b = new() { Limit = 2 }; // <Limit>
              var c = new Options { Inner = new Options { Limit = 3 } }; // <Limit>
              var d = new Other { Limit = 4 };
              Limit = 5;
            }
          }
        }
        """
    )
    written.check("Limit")


def test_a_csharp_call_that_no_overload_takes_means_the_nearest(project: Project) -> None:
    written = project(
        """
        === Basket.cs
        class Basket {
            void Add(int item) { } // <def Add>
            void Fill() { this.Add(1, 2, 3); } // <Add>
        }
        """
    )
    written.check("Add")


def test_csharp_finds_members_by_this_in_parts_and_in_extensions(project: Project) -> None:
    written = project(
        """
        === Post.cs
        namespace Blog {
        public partial class Post { // <def Post>
            partial void OnChanged(); // <def OnChanged>
            private string _text; // <def _text>
            public string Text { set { this._text = value; this.OnChanged(); } } // <_text> <OnChanged>
            public Post Saved() { Check(this); return this; } // <Post>
        }
        public class Box { public int Id; }
        public class Box<T> { void Open() { Show(Id); } }
        }
        === Parts.cs
        namespace Blog {
        public partial class Post { // <Post>
            public int Id; // <def Id>
            void Later() { OnChanged(); } // <OnChanged>
        }
        public static class Extensions {
            public static IEnumerable<T> Query<T>(this IConnection c, string sql) => null; // <def Query>
            public static Task<T> OneAsync<T>(this IConnection c, string sql) => null; // <def OneAsync>
            public static void Touch(this Post post) {} // <def Touch> <Post>
        }
        class Use {
            async Task Run(IConnection c, string text) {
                var first = c.Query<Post>("x").First(); // <Post> <Query>
                var id = first.Saved().Id; // <Id>
                foreach (var post in c.Query<Post>("y")) { Show(post.Id); } // <Post> <Query> <Id>
                var one = await c.OneAsync<Post>("z").ConfigureAwait(false); // <Post> <OneAsync>
                one.Touch(); // <Touch>
                text.Touch();
                c?.Query<Post>("w"); // <Post> <Query>
            }
        }
        }
        """
    )
    for name in ("Post", "OnChanged", "_text", "Id", "Query", "OneAsync"):
        written.check(name)


def test_ruby_modules_opened_in_several_files_are_one(project: Project) -> None:
    written = project(
        """
        === lib/guard.rb
        module Guard # <def Guard>
          class Base; end
        end
        === lib/guard/token.rb
        module Guard # <Guard>
          class Token < Base # <def Token>
          end
        end
        === lib/other.rb
        module Other
          module Guard; end
          use ::Guard::Token # <Guard> <Token>
        end
        === test/guard_test.rb
        Guard::Token.new # <Guard> <Token>
        """
    )
    written.check("Guard")
    written.check("Token")


def test_lua_classes_that_a_library_makes(project: Project) -> None:
    written = project(
        """
        === shapes.lua
        local class = require("middleclass")
        local helpers = require("helpers")
        local Shape = class("Shape")
        function Shape:area() return self:side() end -- <side>
        function Shape:side() return 1 end -- <def side>
        local Square = class("Square", Shape)
        function Square:twice() return 2 * self:side() end -- <side>
        local Cube = Shape:extend()
        function Cube:volume() return self:side() end -- <side>
        local Other = class("Other")
        function Other:side() return 3 end
        function Other:use() return self:side() end
        function helpers.more() end
        helpers.help() -- <help>
        === helpers.lua
        local M = {}
        function M.help() end -- <def help>
        return M
        """
    )
    written.check("side")
    written.check("help")


def test_a_ruby_module_that_very_many_files_open(project: Project) -> None:
    files = "".join(
        f"\n        === lib/part{n}.rb\n        module Big\n          class Part{n}; end\n        end"
        for n in range(80)
    )
    written = project(
        files
        + """
        === lib/zebra.rb
        module Big
          class Zebra # <def Zebra>
            def self.make; end # <def make>
          end
        end
        === use.rb
        Big::Zebra.make # <Zebra> <make>
        """
    )
    written.check("Zebra")
    written.check("make")


def test_what_the_cases_of_a_swift_enum_carry(project: Project) -> None:
    written = project(
        """
        === Failure.swift
        enum Failure {
            enum Reason { case late } // <def Reason>
            struct Place {} // <def Place>
            case failed(reason: Reason) // <Reason>
            case lost(Place, why: [Reason]?) // <Place> <Reason>
        }
        === Use.swift
        func tell(reason: Failure.Reason, places: Array<Failure.Place>) {} // <Reason> <Place>
        """
    )
    written.check("Reason")
    written.check("Place")


def test_functions_that_extend_a_type_of_kotlin(project: Project) -> None:
    written = project(
        """
        === lib.kt
        package lib

        class Shape {
            fun area() = 1 // <def area>
        }

        class Other {
            fun grow() {}
        }

        fun Shape.grow() { // <def grow>
            this.area() // <area>
        }

        fun String.shout() = 1 // <def shout>

        fun <T : Any> T.same(): T = this // <def same>
        === use.kt
        package use

        import lib.*

        fun main(shape: Shape, other: Other, unknown: Foreign) {
            shape.grow() // <grow>
            other.grow()
            unknown.grow()
            "a".shout() // <shout>
            unknown.names().map { it.shout() } // <shout>
            shape.same() // <same>
        }
        """
    )
    for mark in ("area", "grow", "shout", "same"):
        written.check(mark)


def test_a_macro_around_the_name_of_a_function_of_c(project: Project) -> None:
    written = project(
        """
        === lock.h
        void in_ram(lock_enter)(int *lock); // <lock_enter>
        === lock.c
        #include "lock.h"
        void in_ram(lock_enter)(int *lock) { *lock = 1; } // <def lock_enter>
        void (*handler(int number))(int) { return 0; } // <def handler>
        void use(int *lock) { lock_enter(lock); handler(1); } // <lock_enter> <handler>
        """
    )
    written.check("lock_enter")
    written.check("handler")
