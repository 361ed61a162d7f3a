"""C++ and C where a grammar of plain declarations knows too little: modules, macros in lists, odd names."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_module_is_no_variable_of_its_name(project: Project) -> None:
    written = project(
        """
        === kit.hpp
        namespace kit { struct Box { void open(); }; } // <def open>
        === use.cpp
        #ifdef WITH_MODULE
        import kit;
        #else
        #include "kit.hpp"
        #endif
        void f() { kit::Box box; box.open(); } // <open>
        """
    )
    written.check("open")
    assert [d.name for d in written.outline("use.cpp").definitions] == ["f"]


def test_what_a_module_exports_is_declared(project: Project) -> None:
    written = project(
        """
        === kit.cppm
        module;
        #include <vector>
        export module kit.core:part;
        import <string>;
        export namespace kit { class Box { int size; }; }
        export class Crate { int held; };
        export template <class T> T turn(T value) { return value; }
        """
    )
    outline = written.outline("kit.cppm")
    assert [d.name for d in outline.definitions] == ["kit", "Box", "size", "Crate", "held", "turn"]
    assert not outline.broken


def test_the_body_that_a_macro_makes_for_types(project: Project) -> None:
    written = project(
        """
        === box.hpp
        struct Box { void open(); }; // <def open>
        === test.cpp
        #include "box.hpp"
        TEMPLATE_CASE("opens" * suite("x"), T, signed char,
                      int) {
            Box box;
            SUBCASE("once") { box.open(); } // <open>
        }
        """
    )
    written.check("open")


def test_macros_that_go_on_with_a_list(project: Project) -> None:
    written = project(
        """
        === pool.c
        #ifdef THREADS
        #define MORE , struct state *state
        #define Given , state
        #else
        #define MORE
        #define Given
        #endif
        static int take(int size MORE) { return size; } // <def take>
        int twice(int n MORE)
        {
            int held = take(n Given); // <take>
            return held;
        }
        int last(void) { return 1; }
        """
    )
    written.check("take")
    assert [d.name for d in written.outline("pool.c").definitions if d.kind == "fn"] == [
        "take",
        "twice",
        "last",
    ]


def test_a_label_that_only_a_branch_has(project: Project) -> None:
    written = project(
        """
        === walk.c
        int walk(int n)
        {
        #ifndef SMALL
         again:
        #endif
            n--;
        #ifndef SMALL
            if (n) goto again;
        #endif
            return n;
        }
        int other(void) { return 2; }
        """
    )
    assert [d.name for d in written.outline("walk.c").definitions] == ["walk", "other"]


def test_names_of_conversions_and_of_friends(project: Project) -> None:
    written = project(
        """
        === box.hpp
        class Box {
         public:
          explicit operator bool() const { return true; }
          operator const char *() const;
          inline friend std::ostream &operator<<(std::ostream &out, Box const &box) { return out; }
        };
        Box::operator const char *() const { return ""; }
        """
    )
    names = [d.name for d in written.outline("box.hpp").definitions]
    assert names == ["Box", "operator bool", "operator const char *", "operator<<", "operator const char *"]


def test_constructors_are_asked_about_one_by_one(project: Project) -> None:
    written = project(
        """
        === pack.hpp
        class Pack {
         public:
          Pack(int size); // <def sized>
          Pack(const char *name) : Pack(3) {} // <def named> <sized>
          Pack(); // <def empty>
        };
        class Heir : public Pack {
          Heir() : Pack("x") {} // <named>
          Pack held;
        };
        === use.cpp
        #include "pack.hpp"
        Pack::Pack(int size) {}
        void use(Pack *other) {
          Pack one(3); // <sized>
          Pack two{"a"}; // <named>
          auto three = new Pack("b"); // <named>
          Pack four; // <empty>
          Pack *five = nullptr;
          Pack six();
          f(Pack(4)); // <sized>
        }
        """
    )
    written.check("sized", "Pack")
    written.check("named", "Pack")
    written.check("empty", "Pack")
