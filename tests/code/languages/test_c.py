"""What C and C++ write in their own ways."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_macros_around_declarations_of_cpp(project: Project) -> None:
    written = project(
        """
        === macros.h
        #define API // <def API>
        #define QUIET // <def QUIET>
        #define BEGIN // <def BEGIN>
        === shown.h
        #include "macros.h"
        BEGIN // <BEGIN>
        namespace shown {
        class Shown { // <def Shown>
        public:
            API explicit Shown(int size) : size_(size) { check(); } // <API> <check>
            const char *what() const QUIET override { return ""; } // <QUIET> <def what>
            void API check(); // <API> <def check>
        private:
            int size_;
        };
        }
        === use.cpp
        #include "shown.h"
        API shown::Shown::Shown() : size_(1) { what(); } // <API> <what> <Shown>
        int plain(shown::Shown &s) { return *s.what(); } // <Shown> <what>
        """
    )
    for name in ("API", "QUIET", "BEGIN", "what", "check"):
        written.check(name)


def test_c_follows_casts_and_subscripts(project: Project) -> None:
    written = project(
        """
        === reply.h
        typedef struct reply {
            int type; // <def type>
            struct reply **element; // <def element>
        } reply;
        typedef struct other { int type; } other;
        void *command(void);
        === use.c
        #include "reply.h"
        int held(reply *r) { return r->element[0]->type; } // <type> <element>
        int cast(void) { return ((reply *) command())->type; } // <type>
        int many(reply **t) { return t[0]->type + (*t)->type; } // <type>
        int unlike(other *t) { return t[0].type; }
        """
    )
    written.check("type")
    written.check("element")


def test_a_structure_and_a_type_of_its_name_are_two_things(project: Project) -> None:
    written = project(
        """
        === node.h
        typedef struct node node; // <def type> <tag>
        struct node { // <def tag>
            struct node *next; // <tag>
            node *other; // <type>
        };
        struct stat { int size; }; // <def stat tag>
        int stat(struct stat *of); // <def stat> <stat tag>
        === use.c
        #include "node.h"
        static node *walk(struct node *first) { return (node *) first; } // <type> <tag>
        int held(void) {
            struct stat found; // <stat tag>
            return stat(&found); // <stat>
        }
        === use.cpp
        #include "node.h"
        stat &first(node *of); // <type> <stat>
        """
    )
    written.check("type", "node")
    written.check("tag", "node")
    written.check("stat tag", "stat")
    written.check("stat")


def test_cpp_names_a_structure_of_c_without_the_keyword(project: Project) -> None:
    written = project(
        """
        === point.h
        struct point { int x; }; // <def point> <def x>
        === use.cpp
        #include "point.h"
        int left(point *p) { return p->x; } // <point>
        """
    )
    written.check("point")


def test_bodies_of_macros_use_names(project: Project) -> None:
    written = project(
        """
        === grow.h
        void *grow_(void *block, int size); // <def grow_>
        #define LIMIT 10 // <def LIMIT>
        #define SIZE(of) ((of) * LIMIT) // <LIMIT> <def SIZE>
        #define grow(block, size) \\
            do { \\
                int LIMIT_ = SIZE(size); /* SIZE */ \\
                if (LIMIT_ < LIMIT) \\
                    (block)->data = grow_(block, SIZE(sizeof(struct held))); \\
            } while (0)
        #define NAMED(x) "LIMIT" #x LIMIT##x
        struct held { void *data; }; // <def held> <def data>
        === use.c
        #include "grow.h"
        int LIMIT_; // <def LIMIT_>
        void *more(void *of) { return grow_(of, SIZE(LIMIT)); } // <grow_> <LIMIT> <SIZE>
        """
    )
    inside = {"LIMIT": {7}, "SIZE": {6, 8}, "grow_": {8}, "held": {8}, "LIMIT_": set[int]()}
    for name, lines in inside.items():
        [(path, line)] = written.marked(f"def {name}")
        found = written.referring(path, line, name) - {(path, line)}
        assert found == {("grow.h", number) for number in lines} | (written.marked(name) - {(path, line)}), (
            name
        )
    assert ("grow.h", 8) in written.possible("data")


def test_designators_name_members(project: Project) -> None:
    written = project(
        """
        === parts.h
        typedef struct { int width; } size; // <def width>
        typedef struct shape { size of; int width; } shape; // <def of>
        === use.c
        #include "parts.h"
        static shape one = { .of = { .width = 1 } }; // <of> <width>
        static shape many[] = { [0] = { .of.width = 2 }, { .of = { 3 } } }; // <of> <width>
        shape made(void) { return (shape) { .of = (size) { .width = 4 } }; } // <of> <width>
        """
    )
    written.check("of")
    written.check("width")


def test_constants_that_a_source_defines_by_itself(project: Project) -> None:
    written = project(
        """
        === use.c
        #define true 1 // <def true>
        int held(void) { return true; } // <true>
        """
    )
    written.check("true")


def test_methods_defined_outside_their_class_are_those_declared_inside(project: Project) -> None:
    written = project(
        """
        === shape.h
        namespace shapes {
        class Shape {
        public:
            int area() const; // <area>
        };
        class Other { public: int area() const; };
        }
        === shape.cc
        #include "shape.h"
        namespace shapes {
        int Shape::area() const { return 1; } // <def area>
        int Other::area() const { return 2; }
        }
        === use.cc
        #include "shape.h"
        int all(const std::vector<shapes::Shape> &many, shapes::Shape *one) {
            int sum = one->area(); // <area>
            for (const shapes::Shape &each : many) sum += each.area(); // <area>
            return sum;
        }
        """
    )
    written.check("area")


def test_overloads_of_cpp_are_told_apart_by_what_they_take(project: Project) -> None:
    written = project(
        """
        === form.h
        class Form {
        public:
            void set(const char *name, int value); // <set int>
            void set(const char *name, double value); // <def set double>
            void set(const char *name, const char *value, bool quoted = true); // <def set text>
            void set(const Form &other); // <def set form>
        };
        int sum(int, int);
        === form.cc
        #include "form.h"
        void Form::set(const char *name, int value) {} // <def set int>
        void Form::set(const char *name, double value) { set(name, "a", false); } // <set double> <set text>
        void fill(Form *form, const Form &other, int count) {
            form->set("a", count); // <set int>
            form->set("a", 1.5); // <set double>
            form->set("a", "b"); // <set text>
            form->set(other); // <set form>
        }
        """
    )
    for kind in ("int", "text", "form"):
        [(path, line)] = written.marked(f"def set {kind}")
        assert written.referring(path, line, "set") == {
            place for place in written.marked(f"set {kind}") if place != ("form.h", 3)
        }


def test_a_namespace_is_one_in_all_files_that_open_it(project: Project) -> None:
    written = project(
        """
        === inner.h
        namespace outer {
        namespace inner {
        enum { SMALL = 1 }; // <def SMALL>
        int limit(); // <def limit>
        }
        }
        namespace other { namespace inner { int limit(); } }
        === use.cc
        #include "inner.h"
        namespace outer {
        namespace inner {
        int more() { return limit(); } // <limit>
        }
        using inner::SMALL; // <SMALL>
        int all() { return inner::limit() + SMALL; } // <limit> <SMALL>
        }
        """
    )
    written.check("SMALL")
    [(path, line)] = written.marked("def limit")
    assert ("use.cc", 7) in written.referring(path, line, "limit")


def test_the_guard_of_a_header_is_no_symbol(project: Project) -> None:
    written = project(
        """
        === held.h
        // What is held.
        #ifndef HELD_H
        #define HELD_H
        #define HELD 1
        #ifndef QUIET
        #define QUIET
        #endif
        #endif
        """
    )
    assert [d.name for d in written.outline("held.h").definitions] == ["HELD", "QUIET"]


def test_a_test_that_a_macro_makes_of_a_fixture_sees_its_members(project: Project) -> None:
    written = project(
        """
        === store_test.cc
        class StoreTest { // <def StoreTest>
        public:
            int count(); // <def count>
            int held; // <def held>
        };
        TEST_F(StoreTest, IsEmpty) { // <StoreTest>
            EXPECT_EQ(0, count() + held); // <count> <held>
        }
        TEST(Plain, Sees) { EXPECT_EQ(0, count()); }
        """
    )
    for name in ("StoreTest", "count", "held"):
        written.check(name)


def test_a_name_without_linkage_is_the_one_that_a_file_includes(project: Project) -> None:
    written = project(
        """
        === left/modes.h
        enum mode { HEAD, TABLE }; // <def TABLE>
        typedef struct { int left; } state; // <def state>
        === right/modes.h
        enum mode { TABLE, TREE };
        typedef struct { int right; } state;
        === left/use.c
        #include "modes.h"
        int left(state *s) { return s->left + TABLE; } // <TABLE> <state>
        === right/use.c
        #include "modes.h"
        int right(state *s) { return s->right + TABLE; }
        === alone.c
        enum { TABLE = 3 };
        int alone(void) { return TABLE; }
        """
    )
    written.check("TABLE")
    written.check("state")


def test_what_a_source_declares_as_another_ones_is_that(project: Project) -> None:
    written = project(
        """
        === entry.c
        struct entry { int size; };
        const struct entry first = { 1 }; // <def first>
        int helped(int n) { return n; } // <def helped>
        === table.c
        struct entry;
        extern const struct entry first; // <first>
        int helped(int n); // <helped>
        const struct entry *table[] = { &first }; // <first>
        int all(void) { return helped(2); } // <helped>
        === other.c
        static int first;
        static int helped(int n) { return n + first; }
        int other(void) { return helped(first); }
        === foreign.c
        int foreign(void) { return unlinked(1); }
        === declares.c
        int unlinked(int n); // <def unlinked>
        """
    )
    for name in ("first", "helped", "unlinked"):
        written.check(name)


def test_constants_of_an_enumeration_inside_a_structure_are_the_files(project: Project) -> None:
    written = project(
        """
        === lock.c
        typedef struct {
            enum { HELD, FREE } status; // <def HELD>
        } lock;
        int held(lock *l) { return l->status == HELD; } // <HELD>
        """
    )
    written.check("HELD")


def test_calls_of_macros_between_declarations(project: Project) -> None:
    written = project(
        """
        === made.c
        #define MAKE(name) int is_##name(int c) { return c == name; } // <def MAKE>
        MAKE(ALPHA) // <MAKE>
        MAKE(SPACE) // <MAKE>
        MAKE(DIGIT) // <MAKE>

        static int after(void) // <def after>
        {
            return 1;
        }
        #undef MAKE // <MAKE>
        int more(void) { return after(); } // <after>
        """
    )
    written.check("MAKE")
    written.check("after")


def test_a_name_outside_of_all_namespaces_of_cpp(project: Project) -> None:
    written = project(
        """
        === write.h
        int write(int n); // <def write>
        === use.cc
        #include "write.h"
        namespace files {
        struct File { int write(int n) { return ::write(n); } }; // <write>
        }
        """
    )
    written.check("write")


def test_a_macro_of_a_source_is_not_the_one_of_the_header_that_it_reads(project: Project) -> None:
    written = project(
        """
        === unit.h
        #ifndef RUN
        #define RUN(test) test() // <def shared>
        #endif
        === own.c
        #define RUN(test) (test() + 1) // <def own>
        #include "unit.h"
        int own(void) { return RUN(one); } // <own>
        === use.c
        #include "unit.h"
        int use(void) { return RUN(two); } // <shared>
        """
    )
    written.check("own", "RUN")
