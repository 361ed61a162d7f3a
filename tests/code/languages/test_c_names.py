"""What C says under other names, and through words that a build takes away."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_type_of_a_structure_whose_members_its_header_does_not_know(project: Project) -> None:
    written = project(
        """
        === api.h
        typedef struct parser parser; // <def type> <tag>
        parser *make(void); // <type>
        === inner.h
        #include "api.h"
        struct parser { // <def tag>
            int offset; // <def offset>
        };
        === other.h
        struct parser { int offset; };
        === use.c
        #include "inner.h"
        int at(parser *p) { return p->offset; } // <type> <offset>
        int twice(void) { return make()->offset; } // <offset>
        """
    )
    written.check("offset")
    written.check("type", "parser")


def test_a_macro_that_is_only_another_name(project: Project) -> None:
    written = project(
        """
        === modes.h
        struct fixed_state { int gain; }; // <def fixed gain>
        typedef struct { int gain; } float_state; // <def float gain>
        int start(void); // <def start>
        #ifdef FIXED
        #define state struct fixed_state // <state>
        #else
        #define state float_state /* the usual one */ // <def state>
        #endif
        #define begin start // <start>
        #define LOOP LOOP
        === use.c
        #include "modes.h"
        int gained(state *s) { return s->gain; } // <fixed gain> <float gain> <state>
        int begun(void) { return begin(); }
        """
    )
    written.check("fixed gain", "gain")
    written.check("float gain", "gain")
    written.check("state")
    written.check("start")


def test_words_around_declarations_that_are_macros(project: Project) -> None:
    written = project(
        """
        === words.h
        API WARNED int twice(int n); // <def twice>
        API int (*handler)(int n) QUIET; // <def handler>
        typedef struct {
            int left; // <def left>
        } ALIGNED pair;
        int sum(const pair * RESTRICT p, int * RESTRICT total); // <def sum>
        __attribute_cold__
        __attribute_nonnull__((1))
        int slow(pair *p); // <def slow>
        static __unused int spare(int n) { return n; } // <def spare>
        === use.c
        #include "words.h"
        int all(pair *p)
        {
            int total = twice(2) + handler(1); // <twice> <handler>
            return sum(p, &total) + slow(p) + spare(p->left); // <sum> <slow> <spare> <left>
        }
        """
    )
    for name in ("twice", "handler", "left", "sum", "slow", "spare"):
        written.check(name)


def test_branches_that_end_inside_a_statement(project: Project) -> None:
    written = project(
        """
        === torn.c
        int first(int n) { return n; } // <def first>
        int last(int n) { return n; } // <def last>
        int chosen(int n)
        {
        #ifdef QUICK
            switch (first(n)) // <first>
        #else
            switch (n)
        #endif
            {
            case 1:
                break;
            }
            if (n == 3)
                n = 2;
        #ifdef MORE
            else if (n)
                n = first(n); // <first>
        #endif
            return last(n); // <last>
        }
        int after(int n) { return chosen(last(n)); } // <last>
        """
    )
    written.check("first")
    written.check("last")


def test_branches_that_hold_the_head_of_a_body_below_them(project: Project) -> None:
    written = project(
        """
        === heads.c
        int used(int n) { return n; } // <def used>
        #if NUMBERED
        int chosen(const char *text, int line)
        #else
        int chosen(const char *text)
        #endif
        {
            return used(1); // <used>
        }
        #ifdef SHORT
        struct held
        #else
        struct kept
        #endif
        {
            int size; // <def size>
        };
        int after(struct held *one) { return used(one->size); } // <used> <size>
        """
    )
    written.check("used")
    written.check("size")
    outline = written.facts["heads.c"].outline
    assert [(each.name, each.signature, each.line_start, each.line_end) for each in outline.definitions] == [
        ("used", "int used(int n)", 1, 1),
        ("chosen", "int chosen(const char *text, int line)", 3, 9),
        ("held", "struct held", 11, 17),
        ("size", "int size", 16, 16),
        ("after", "int after(struct held *one)", 18, 18),
    ]


def test_what_no_compiler_reads_does_not_hide_what_is_around_it(project: Project) -> None:
    written = project(
        """
        === never.c
        int first(int n) { return n; } // <def first>
        int chosen(int n) // <def chosen>
        {
        #if 0
            if (n) {
        #endif
        #if 0
            while (n) {
        #elif MORE
            n = first(n); // <first>
        #endif
            return first(n); // <first>
        }
        int last(int n) { return chosen(first(n)); } // <first> <chosen>
        """
    )
    written.check("first")
    written.check("chosen")


def test_sizes_of_tables_of_functions_are_uses(project: Project) -> None:
    written = project(
        """
        === table.c
        #define COUNT 3 // <def COUNT>
        extern int (*const handlers[COUNT + 1])(int n); // <COUNT>
        """
    )
    written.check("COUNT")


def test_static_variables_are_for_their_file(project: Project) -> None:
    written = project(
        """
        === main.c
        static int vm = 0; // <def vm>
        int shared = 0; // <def shared>
        int main(void) { return vm; } // <vm>
        === core.c
        #define DEF(name) static int prim_##name(int vm)
        extern int shared; // <shared>
        DEF(first)
        {
            return vm + shared; // <shared>
        }
        """
    )
    written.check("vm")
    written.check("shared")


def test_a_macro_that_names_a_function_is_used_there(project: Project) -> None:
    written = project(
        """
        === check.h
        #define CHECKED(suite, name) void suite##name() // <def CHECKED>
        === check.cpp
        #include "check.h"
        CHECKED(Suite, first) { run(); } // <CHECKED>
        namespace inner {
        CHECKED(Suite, second) { run(); } // <CHECKED>
        }
        class CHECK {
          CHECK() {}
        };
        """
    )
    written.check("CHECKED")


def test_a_macro_before_the_type_of_a_literal(project: Project) -> None:
    written = project(
        """
        === vector.h
        #define MADE(T) (T)
        #define API static inline
        typedef struct Vec { float x, y; } Vec;
        API Vec left( Vec v )
        {
            return MADE( Vec ){ -v.y, v.x };
        }
        /// Get a vector to the right
        API Vec right( Vec v ) // <def right>
        {
            return MADE( Vec ){ v.y, -v.x };
        }
        /// Sum
        API Vec sum( Vec a, Vec b )
        {
            return MADE( Vec ){ a.x + b.x, a.y + b.y };
        }
        === use.c
        #include "vector.h"
        Vec turned( Vec v ) { return right( v ); } // <right>
        """
    )
    written.check("right")


def test_a_macro_before_a_variable(project: Project) -> None:
    written = project(
        """
        === counter.hpp
        struct Counter { int value = 0; }; // <def value>
        SHARED_VARIABLE constexpr Counter COUNTER{};
        === use.cpp
        #include "counter.hpp"
        void use() { log(COUNTER.value); } // <value>
        """
    )
    written.check("value")


def test_members_that_are_defined_outside_of_their_class(project: Project) -> None:
    written = project(
        """
        === counter.h
        class Counter { // <def Counter>
          static int total; // <def total>
          void add();
        };
        === counter.cpp
        #include "counter.h"
        int Counter::total = 0; // <Counter> <total>
        void Counter::add() { total += 1; } // <Counter> <total>
        """
    )
    written.check("Counter")
    written.check("total")


def test_types_that_a_pointer_to_a_function_takes(project: Project) -> None:
    written = project(
        """
        === world.c
        typedef struct { int number; } WorldId; // <def WorldId>
        static int each( void ( *build )( WorldId ), int count ) { return count; } // <WorldId>
        """
    )
    written.check("WorldId")
