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
