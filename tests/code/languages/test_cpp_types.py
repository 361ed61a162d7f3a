"""What C++ says of values through pointers that are objects, containers and templates."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

_EDGE = """
=== edge.h
#include <memory>
#include <vector>
namespace app {
struct Edge {
    int cost() const; // <def cost>
    Edge* next() { return this; }
};
struct Other { int cost() const; };
using EdgePtr = std::shared_ptr<Edge>;
typedef std::vector<Edge*> Edges;
std::unique_ptr<Edge> build();
}
"""


def _written(project: Project, text: str) -> Written:  # type: ignore[name-defined]  # noqa: F821
    return project(_EDGE + text)


def test_what_containers_and_pointers_of_the_library_hold(project: Project) -> None:
    written = _written(
        project,
        """
=== use.cc
#include "edge.h"
using namespace app;
struct Holder {
    std::vector<Edge*> edges;
    std::map<int, Edge> by;
    std::unique_ptr<Edge> one;
    Edges many;
    EdgePtr shared;
    const std::vector<std::unique_ptr<Edge>>& all() const;
    std::vector<Other> others;
};
void use(Holder& h) {
    h.edges[0]->cost(); // <cost>
    h.by[1].cost(); // <cost>
    h.one->cost(); // <cost>
    h.many.back()->next()->cost(); // <cost>
    h.shared.get()->cost(); // <cost>
    (*h.shared).cost(); // <cost>
    h.others[0].cost();
    for (auto& e : h.all()) e->cost(); // <cost>
    for (auto& o : h.others) o.cost();
    for (auto it = h.edges.begin(); it != h.edges.end(); ++it) (*it)->cost(); // <cost>
    for (std::vector<Edge*>::iterator it = h.edges.begin(); it != h.edges.end(); ++it)
        (*it)->cost(); // <cost>
    for (const auto& [key, value] : h.by) value.cost(); // <cost>
    for (auto& entry : h.by) entry.second.cost(); // <cost>
    auto found = h.by.find(3);
    found->second.cost(); // <cost>
    auto made = std::make_unique<Edge>();
    made->cost(); // <cost>
    auto built = build();
    auto moved = std::move(built);
    moved->cost(); // <cost>
    if (auto* cast = static_cast<Edge*>(nullptr)) cast->cost(); // <cost>
}
""",
    )
    written.check("cost")


def test_members_of_templates_are_those_of_what_they_are_told(project: Project) -> None:
    written = _written(
        project,
        """
=== box.h
#include "edge.h"
template <typename T> class Box {
public:
    T* operator->() { return held; } // <held>
    T& get() { return *held; } // <held>
    T* held; // <def held>
};
template <typename T> class Crate : public Box<T> {};
template <typename T> T first(const std::vector<T>& of) { return of[0]; }
=== use.cc
#include "box.h"
int use(Box<app::Edge>& box, Box<app::Other>& other, Crate<app::Edge> crate, std::vector<app::Edge>& v) {
    int sum = box->cost() + other->cost(); // <cost>
    sum += box.get().cost(); // <cost>
    sum += box.held->cost() + other.held->cost(); // <cost> <held>
    sum += crate.get().cost(); // <cost>
    return sum + first<app::Edge>(v).cost(); // <cost>
}
""",
    )
    written.check("cost")
    written.check("held")


def test_members_of_what_has_no_name_belong_to_the_structure_around(project: Project) -> None:
    written = project(
        """
        === value.h
        struct value {
            int kind;
            union {
                int number; // <def number>
                struct { float real; }; // <def real>
            };
        };
        === use.c
        #include "value.h"
        int as_number(struct value *v) { return v->number; } // <number>
        float as_real(struct value v) { return v.real; } // <real>
        === use.cc
        #include "value.h"
        int both(value& v) { return v.number + (int)v.real; } // <number> <real>
        """
    )
    written.check("number")
    written.check("real")


def test_a_header_that_uses_the_library_of_cpp_is_cpp(project: Project) -> None:
    written = project(
        """
        === piece.h
        #include <string>
        struct Piece {
            Piece(const std::string& text) : text_(text.data()) {} // <text_>
            bool empty() const { return !text_; } // <text_> <def empty>
            const char* text_; // <def text_>
        };
        === use.cc
        #include "piece.h"
        bool none(const Piece& p) { return p.empty(); } // <empty>
        """
    )
    written.check("text_")
    written.check("empty")
