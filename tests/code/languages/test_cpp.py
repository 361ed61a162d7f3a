"""What C++ has beyond C, and sources that only parse without some of their lines."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_constructors_and_destructors_say_their_class(project: Project) -> None:
    written = project(
        """
        === shape.h
        class Shape { // <def Shape>
        public:
            explicit Shape(int size); // <Shape>
            Shape() : Shape(1) {} // <Shape>
            virtual ~Shape(); // <Shape>
            static Shape *make(); // <Shape>
        };
        class Round : public Shape { // <Shape>
        public:
            Round(int size) : Shape(size), size(size) {} // <Shape> <size>
            int size; // <def size>
        };
        === shape.cc
        #include "shape.h"
        Shape::Shape(int size) {} // <Shape>
        Shape *Shape::make() { return new Shape(2); } // <Shape>
        """
    )
    written.check("Shape")
    written.check("size")


def test_a_namespace_hides_what_others_call_the_same(project: Project) -> None:
    written = project(
        """
        === log.h
        namespace base { namespace log {
        class Writer { public: void add(); }; // <def Writer> <def add>
        } }
        === text.h
        namespace base { class Writer { public: void add(); }; }
        === log.cc
        #include "text.h"
        #include "log.h"
        namespace base { namespace log {
        void first(Writer *w) { w->add(); } // <Writer> <add>
        } }
        === text.cc
        #include "text.h"
        #include "log.h"
        namespace base {
        void second(Writer *w) { w->add(); }
        void third(log::Writer *w) { w->add(); } // <Writer> <add>
        }
        """
    )
    written.check("Writer")
    written.check("add")


def test_a_variable_that_is_made_of_arguments(project: Project) -> None:
    written = project(
        """
        === log.h
        namespace log { // <def log>
        class Writer { public: Writer(int n); void add(); }; // <def add>
        }
        === use.cc
        #include "log.h"
        void use(int file) {
            log::Writer log(file); // <log>
            log.add(); // <add>
        }
        """
    )
    written.check("log")
    written.check("add")


def test_macros_behind_fields_and_methods(project: Project) -> None:
    written = project(
        """
        === pool.h
        #define GUARDED_BY(x) // <def GUARDED_BY>
        class Pool {
        public:
            void drain() GUARDED_BY(lock_); // <GUARDED_BY> <def drain>
            int count() const { return total_; } // <total_>
        private:
            int lock_;
            int total_ GUARDED_BY(lock_); // <GUARDED_BY> <def total_>
            Pool *next_ GUARDED_BY(lock_) = nullptr; // <GUARDED_BY> <def next_>
        };
        === pool.cc
        #include "pool.h"
        void Pool::drain() { next_->drain(); } // <drain> <next_>
        """
    )
    for name in ("GUARDED_BY", "drain", "total_", "next_"):
        written.check(name)


def test_branches_that_are_torn_do_not_hide_what_follows(project: Project) -> None:
    written = project(
        """
        === torn.c
        #define QUICK 1 // <def QUICK>
        int measured(int n) { return n; } // <def measured>
        int torn(int n) // <def torn>
        {
        #ifdef QUICK // <QUICK>
            if (n > 1) {
        #else
            if (measured(n)) { // <measured>
        #endif
                return 1;
            }
            return 0;
        }
        static int after(void) // <def after>
        {
            return torn(2); // <torn>
        }
        int last(void) { return after(); } // <after>
        """
    )
    for name in ("QUICK", "measured", "torn", "after"):
        written.check(name)


def test_parameters_of_pointers_to_functions_that_types_are_named_for(project: Project) -> None:
    written = project(
        """
        === session.h
        typedef struct session session; // <def session>
        typedef int (*handler)(session *s, int n); // <session>
        """
    )
    written.check("session")


def test_classes_behind_several_macros(project: Project) -> None:
    written = project(
        """
        === bench/state.h
        #include <string>
        namespace bench {
        class BENCH_EXPORT BENCH_CACHELINE_ALIGNED State {
         public:
          BENCH_DEPRECATED("use range(1)")
          int range_y() const { return range(1); }
          BENCH_INLINE
          int iterations() const { return count_; } // <def iterations>
          int range(int at) const { return at; }
         private:
          int count_;
        };
        class BENCH_EXPORT BENCH_DEPRECATED_MSG(
            "not for long") Reporter : public State {
         public:
          bool report(const State& state); // <def report>
        };
        }
        === use.cc
        #include "bench/state.h"
        int use(bench::State& state, bench::Reporter& reporter) {
          reporter.report(state); // <report>
          return state.iterations() + reporter.iterations(); // <iterations>
        }
        """
    )
    written.check("iterations")
    written.check("report")


def test_a_macro_above_comments_and_a_namespace_ends_there(project: Project) -> None:
    written = project(
        """
        === ui.h
        #pragma once
        CHECKS_RESTORE

        //--------
        // Functions
        //--------

        namespace Ui
        {
            UI_API void EndPart(); // <EndPart>
            UI_API int  CountParts(int from = 0);
        }
        === ui.cpp
        #include "ui.h"
        void Ui::EndPart() {} // <def EndPart>
        void Ui::Other() { EndPart(); } // <EndPart>
        === use.cpp
        #include "ui.h"
        void use() { Ui::EndPart(); } // <EndPart>
        """
    )
    written.check("EndPart")
    assert written.referring("ui.h", 10, "EndPart") >= {("ui.cpp", 3), ("use.cpp", 2)}
    assert not any(d.name == "namespace" for d in written.outline("ui.h").definitions)


def test_a_case_sees_the_members_of_its_fixture(project: Project) -> None:
    written = project(
        """
        === app.hpp
        class App { public: void run() {} }; // <def run>
        class Fixture { public: App app; }; // <def app>
        === test.cpp
        #include "app.hpp"
        TEST_CASE_METHOD(Fixture, "It runs", "[all]") {
            app.run(); // <app> <run>
        }
        TEST_CASE("Alone") {
            app.run();
        }
        """
    )
    written.check("run")
    written.check("app")
