"""Go: what reaches a method through an interface."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_switch_over_types_leaves_what_it_does_not_tell_as_it_was(project: Project) -> None:
    written = project(
        """
        === m.go
        package m
        type Shape interface { Area() int } // <def Area>
        type Square struct{}
        func (Square) Area() int { return 1 } // <def Square>
        type Circle struct{}
        func (Circle) Area() int { return 3 }
        func Sum(given Shape) int {
            switch given := given.(type) {
            case Square:
                return given.Area() // <Square>
            case Circle, *Circle:
                return given.Area() // <Area>
            case nil:
                return given.Area() // <Area>
            default:
                return given.Area() // <Area>
            }
        }
        """
    )
    written.check("Area")
    written.check("Square", "Area")


def test_methods_are_reached_through_interfaces_that_their_types_satisfy(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === store/store.go
        package store
        type Closer interface { Close() error } // <def Closer>
        type Store interface {
            Closer
            Get(key string) int // <def Get>
        }
        type Getter interface { Get(key string) int } // <def Getter>
        func Use(s Store, g Getter) { s.Get("a"); s.Close() } // <Memory> <Getter> <base>
        func Take(g Getter) { g.Get("b") } // <Memory> <Get>
        === memory/memory.go
        package memory
        type base struct{}
        func (base) Close() error { return nil } // <def base>
        type Memory struct { base }
        func (*Memory) Get(key string) int { return 1 } // <def Memory>
        type Counted struct{}
        func (Counted) Get(key int) int { return 1 } // <def Counted>
        type Door struct{}
        func (Door) Close() {} // <def Door>
        func use(m *Memory, c Counted) { m.Get("c"); c.Get(1) } // <Get> <Getter>
        func end(b base) { b.Close() } // <Closer>
        """
    )
    for method, name in (
        ("Memory", "Get"),
        ("Get", "Get"),
        ("Getter", "Get"),
        ("Counted", "Get"),
        ("base", "Close"),
        ("Closer", "Close"),
        ("Door", "Close"),
    ):
        assert written.dispatched(method, name) == written.marked(method), method


def test_generic_interfaces_and_copies_of_other_projects_pass_methods_on(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === vendor/example.org/other/other.go
        package other
        type Sized interface { Len() int }
        func Use(s Sized) { s.Len() }
        === maps.go
        package shop
        import "fmt"
        type Container[T any] interface { Len() int } // <def Container>
        type Map[K comparable, V any] interface {
            fmt.GoStringer
            Container[V]
            Put(key K, value V) // <def Put>
        }
        type Tree[K comparable, V any] struct {}
        func (*Tree[K, V]) Len() int { return 1 } // <def Tree>
        func (*Tree[K, V]) GoString() string { return "" }
        func (*Tree[K, V]) Put(key K, value V) {}
        func use(t *Tree[int, string], m Map[int, string], c Container[int]) {
            t.Put(1, "") // <Put>
            m.Put(1, "")
            t.Len() // <Container>
            c.Len() // <Tree>
        }
        """
    )
    for method, name in (("Put", "Put"), ("Tree", "Len"), ("Container", "Len")):
        assert written.dispatched(method, name) == written.marked(method), method


def test_a_type_has_the_methods_of_what_it_embeds_however_that_is_written(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === parts/parts.go
        package parts
        type Opener struct{}
        func (*Opener) Open() {}
        type Shut[T any] struct{}
        func (Shut[T]) Close(T) {}
        === door.go
        package shop
        import "example.org/shop/parts"
        type Door interface {
            Open() // <def Open>
            Close(string) // <def Close>
        }
        type alike struct { *parts.Opener; parts.Shut[string] }
        func use(o *parts.Opener, s parts.Shut[string]) {
            o.Open() // <Open>
            s.Close("") // <Close>
        }
        """
    )
    for method, name in (("Open", "Open"), ("Close", "Close")):
        assert written.dispatched(method, name) == written.marked(method), method
