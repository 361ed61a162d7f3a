"""What values of Go are: parts of slices, loops, literals, type parameters."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_part_of_a_slice_holds_what_the_slice_holds(project: Project) -> None:
    written = project(
        """
        === parts.go
        package parts
        type Item struct {
            Name string // <def Name>
        }
        type List []*Item
        func parts(items []Item, list List, from int) {
            for _, item := range items[1:from] {
                _ = item.Name // <Name>
            }
            rest := list[from:]
            _ = rest[0].Name // <Name>
        }
        """
    )
    written.check("Name")


def test_what_functions_hand_to_a_loop(project: Project) -> None:
    written = project(
        """
        === loops.go
        package loops
        import (
            "maps"
            "slices"
        )
        type Item struct {
            Name string // <def Name>
        }
        func walk(yield func(int, Item) bool) {}
        func each(items []Item, byName map[string]Item) {
            own := func(yield func(string, *Item) bool) {}
            for _, a := range own {
                _ = a.Name // <Name>
            }
            for _, b := range walk {
                _ = b.Name // <Name>
            }
            for _, c := range slices.Backward(items) {
                _ = c.Name // <Name>
            }
            for d := range slices.Values(items) {
                _ = d.Name // <Name>
            }
            for e := range maps.Values(byName) {
                _ = e.Name // <Name>
            }
            for _, f := range slices.SortedFunc(maps.Values(byName), nil) {
                _ = f.Name // <Name>
            }
        }
        """
    )
    written.check("Name")


def test_several_results_fill_the_parameters_of_another_call(project: Project) -> None:
    written = project(
        """
        === fill.go
        package fill
        import "iter"
        type Item struct {
            Name string // <def Name>
        }
        func all() (iter.Seq[Item], func() error) { return nil, nil }
        func zip[T any](items iter.Seq[T], failed func() error) iter.Seq2[T, error] { return nil }
        func use() {
            for item, err := range zip(all()) {
                _, _ = item.Name, err // <Name>
            }
        }
        """
    )
    written.check("Name")


def test_a_receivers_type_parameter_is_bound_as_its_type_says(project: Project) -> None:
    written = project(
        """
        === held.go
        package held
        type Sized interface {
            Size() int // <def Size>
        }
        type Tree[K comparable, V any] struct{}
        func (t *Tree[K, V]) Get(key K) (V, bool) { panic(0) }
        type Box[K comparable, C Sized] struct {
            inner *Tree[K, C]
            make  func() C
            one   C
        }
        === more.go
        package held
        func (b *Box[Key, Kept]) Count(key Key) int {
            found, _ := b.inner.Get(key)
            var other Kept
            return found.Size() + other.Size() // <Size>
        }
        func (b *Box[K, C]) Made() int {
            return b.one.Size() + b.make().Size() // <Size>
        }
        """
    )
    written.check("Size")


def test_keys_of_a_literal_that_makes_a_named_container(project: Project) -> None:
    written = project(
        """
        === colors.go
        package colors
        type Name string
        type Colors map[Name]string
        type Pair struct{ Red, Blue string }
        const Red Name = "red" // <def Red>
        === use.go
        package colors
        var all = Colors{Red: "#f00"} // <Red>
        var several = []Colors{{Red: "#f00"}} // <Red>
        var pair = Pair{Red: "#f00"}
        var unknown = Others{Red: "#f00"}
        """
    )
    written.check("Red")


def test_functions_do_not_see_variables_that_are_declared_behind_them(project: Project) -> None:
    written = project(
        """
        === names.go
        package names
        var limit = 1 // <def limit>
        === use.go
        package names
        func use() int {
            first := limit // <limit>
            later := func() int { return limit } // <limit>
            limit := 2
            after := func() int { return limit }
            return first + later() + after() + limit
        }
        """
    )
    written.check("limit")


def test_keys_of_maps_and_what_is_taken_for_a_generic_type(project: Project) -> None:
    written = project(
        """
        === m.go
        package m
        type Spot struct { X, Y int } // <def X> <def Y>
        type Other struct { X int }
        var seen = map[Spot]Other{
            {X: 1, Y: 2}: {X: 3}, // <X> <Y>
        }
        var wide = map[Spot][]Spot{
            {Y: 1}: {{Y: 2}}, // <Y>
        }
        type Copier[T any] interface { Copy() T } // <def Copy>
        func Again[T any](value T) T {
            if _, ok := any(value).(Copier[T]); !ok {
                return value
            }
            return any(value).(Copier[T]).Copy() // <Copy>
        }
        func Spots(value any) int {
            return value.(Copier[Spot]).Copy().X // <Copy> <X>
        }
        """
    )
    for name in ("X", "Y", "Copy"):
        written.check(name)
