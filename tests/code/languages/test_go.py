"""References in Go projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_packages_aliases_dot_imports_and_other_names(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === price/go-price.go
        package money // the folder is called otherwise
        func Round() int { return 1 } // <def Round>
        === tax/tax.go
        package tax
        func Rate() int { return 2 } // <def Rate>
        === main.go
        package main
        import (
            "example.org/shop/price"
            t "example.org/shop/tax"
            . "example.org/shop/tax"
        )
        func Round() {}
        func main() { money.Round(); t.Rate() } // <Round> <Rate>
        var _ = Rate() // <Rate>
        """
    )
    written.check("Round")
    written.check("Rate")


def test_files_of_a_package_see_each_other_and_tests_outside_do_not(project: Project) -> None:
    written = project(
        """
        === a/one.go
        package a
        var shared = 1 // <def shared>
        === a/two.go
        package a
        func two() int { return shared } // <shared>
        === a/in_test.go
        package a
        var x = shared // <shared>
        === a/out_test.go
        package a_test
        var shared = 2
        var y = shared
        === b/b.go
        package b
        var shared = 3
        var z = shared
        """
    )
    written.check("shared")


def test_methods_embedding_interfaces_and_fields(project: Project) -> None:
    written = project(
        """
        === go.mod
        module m
        === base/base.go
        package base
        type Logger struct { Prefix string } // <def Prefix>
        func (l *Logger) Log(s string) { _ = l.Prefix } // <def Log> <Prefix>
        type Closer interface { Close() error } // <def Close>
        === app/app.go
        package app
        import "m/base"
        type App struct { *base.Logger; Closer base.Closer; Prefix2 string }
        func New() (*App, error) { return &App{Logger: &base.Logger{Prefix: "x"}}, nil } // <Prefix>
        === main.go
        package main
        import "m/app"
        func main() {
            a, err := app.New()
            _ = err
            a.Log("x") // <Log>
            a.Closer.Close() // <Close>
            _ = a.Prefix // <Prefix>
        }
        """
    )
    for mark in ("Prefix", "Log", "Close"):
        written.check(mark)


def test_elements_of_slices_maps_channels_and_tables(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type Item struct { Name string } // <def Name>
        type Items []Item
        const Key = "k" // <def Key>
        func f(items Items, m map[string]*Item, c chan Item, many ...Item) {
            for _, i := range items { _ = i.Name } // <Name>
            for _, i := range m { _ = i.Name } // <Name>
            _ = (<-c).Name // <Name>
            _ = many[0].Name // <Name>
            table := []struct{ in Item; Name string }{{in: Item{Name: "x"}, Name: "y"}} // <Name>
            for _, t := range table { _ = t.in } 
            _ = Items{{Name: "z"}} // <Name>
            _ = map[string]Item{Key: {Name: "q"}} // <Key> <Name>
            made := append(make([]Item, 0), *new(Item))
            _ = made[0].Name // <Name>
        }
        """
    )
    written.check("Key")
    written.check("Name")


def test_type_switches_assertions_and_function_types(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type Node struct{}
        func (n Node) Walk() {} // <def Walk>
        type Leaf struct{}
        func (l Leaf) Walk() {}
        type Maker func() Node
        func f(x any, m Maker) {
            switch v := x.(type) {
            case Node:
                v.Walk() // <Walk>
            case Leaf:
                v.Walk()
            }
            x.(Node).Walk() // <Walk>
            m().Walk() // <Walk>
            func() Node { return Node{} }().Walk() // <Walk>
        }
        """
    )
    written.check("Walk")


def test_a_variable_begins_after_its_declaration(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type row struct {
            name string // <def name>
        }
        func (r row) next() row { return r } // <def next>
        func use(rows []row, run func(func())) {
            for _, r := range rows {
                r := r
                run(func() { print(r.name) }) // <name>
                if r := r.next(); r.name != "" { // <next> <name>
                    r = r.next() // <next>
                }
            }
        }
        """
    )
    written.check("name")
    written.check("next")


def test_a_call_with_type_arguments_is_no_conversion(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type chain[T, R any] struct { value T }
        func Start[T, R any](value T) chain[T, R] { return chain[T, R]{value} } // <def Start>
        func (c chain[T, R]) Then(next R) chain[T, R] { return c } // <def Then>
        func use() {
            Start[int, string](1).Then("a").Then("b") // <Start> <Then>
            chain[int, string](other()).Then("c") // <Then>
        }
        """
    )
    written.check("Start")
    written.check("Then")


def test_a_type_parameter_has_the_methods_of_its_constraint(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type Clonable[T any] interface {
            Clone() T // <def Clone>
        }
        func Copy[T Clonable[T], S ~[]T](all S, one T) {
            one.Clone() // <Clone>
            for _, each := range all {
                each.Clone() // <Clone>
            }
        }
        """
    )
    written.check("Clone")


def test_one_result_with_a_name_is_the_result(project: Project) -> None:
    written = project(
        """
        === a.go
        package a
        type Group struct{}
        func (g *Group) Get() {} // <def Get>
        func (g *Group) Sub(prefix string) (sub *Group) { return g }
        func pair() (one *Group, err error) { return nil, nil }
        func use(g *Group) {
            sub := g.Sub("a")
            sub.Get() // <Get>
            g.Sub("b").Get() // <Get>
            one, _ := pair()
            one.Get() // <Get>
        }
        """
    )
    written.check("Get")


def test_types_satisfy_an_interface_by_their_methods(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === store/store.go
        package store
        type Closer interface { Close() error }
        type Store interface { // <def Store>
            Closer
            Get(key string, into Row) ([]Row, error)
        }
        type Row struct{}
        type Rows = Row
        === memory/memory.go
        package memory
        import "example.org/shop/store"
        type base struct{}
        func (b *base) Close() error { return nil }
        type Memory struct { *base } // <Store>
        func (Memory) Get(k string, r store.Rows) (found []store.Row, err error) { return }
        type Cached struct { Memory } // <Store>
        type Same interface { store.Store }
        type Wrapped struct { Same } // <Store>
        type Short struct { base }
        func (Short) Get(k string) ([]store.Row, error) { return nil, nil }
        type Other struct { base }
        func (Other) Get(k int, r store.Row) ([]store.Row, error) { return nil, nil }
        type Open struct{}
        func (Open) Get(k string, r store.Row) ([]store.Row, error) { return nil, nil }
        """
    )
    assert written.satisfying("Store") == written.marked("Store")


def test_foreign_and_empty_interfaces_and_methods_of_another_package(project: Project) -> None:
    written = project(
        """
        === a/a.go
        package a
        import (
            "example.org/other"
            "io"
        )
        type Foreign interface { other.Reader; Close() error } // <def Foreign>
        type Number interface { ~int | ~float64 } // <def Number>
        type Any interface {} // <def Any>
        type Hidden interface { hidden() } // <def Hidden>
        type File struct{}
        func (File) Close() error { return nil }
        func (File) Read(p []byte) (int, error) { return 0, nil }
        type Standard interface { io.ReadCloser; error } // <def Standard>
        type Failed struct { File } // <Standard>
        func (Failed) Error() string { return "" }
        === b/b.go
        package b
        type Outside struct{}
        func (Outside) hidden() {}
        """
    )
    for name in ("Foreign", "Number", "Any", "Hidden"):
        assert written.satisfying(name) == set()
    assert written.satisfying("Standard") == written.marked("Standard")


def test_values_that_come_with_whether_there_was_one(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.com/m
        === m/m.go
        package m
        type Info struct {
            ID string // <def ID>
        }
        type Key struct { Part string } // <def Part>
        type Done chan Info
        func f(infos map[Key]*Info, given any, in <-chan *Info, done Done, list []Info) {
            if info, ok := infos[Key{}]; !ok || info.ID == "" { // <ID>
            }
            one, ok := given.(Info)
            var two, is = <-in
            _, _, _ = one.ID, two.ID, ok // <ID>
            select {
            case three := <-done:
                _ = three.ID // <ID>
            case three, ok = <-in:
            }
            for four := range in {
                _ = four.ID // <ID>
            }
            for four := range done {
                _ = four.ID // <ID>
            }
            for key, five := range infos {
                _, _ = key.Part, five.ID // <ID> <Part>
            }
            for at := range list {
                _ = at.ID
            }
        }
        """
    )
    written.check("ID")
    written.check("Part")


def test_calls_that_are_told_their_types(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.com/m
        === model/model.go
        package model
        type Answer struct {
            Total int // <def Total>
        }
        === m/m.go
        package m
        import "example.com/m/model"
        type Page[T any] struct { Data T } // <def Data>
        func read[T any](times int, from string) T { var out T; return out }
        func f() {
            page := read[Page[model.Answer]](1, "")
            _ = page.Data.Total // <Data> <Total>
        }
        """
    )
    written.check("Total")
    written.check("Data")


def test_a_variable_that_is_called_like_its_type(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.com/app
        === main.go
        package main

        type reply struct{ Code int } // <def reply> <def Code>

        func ask() {
            var reply reply // <reply>
            reply.Code = 1 // <Code>
        }
        """
    )
    written.check("reply")
    written.check("Code")


def test_parameters_that_are_called_like_the_package_of_their_type(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.com/app
        === fs/fs.go
        package fs

        type FS interface { // <def FS>
            Clean(path string) string // <def Clean>
        }
        type Info struct{} // <def Info>
        === main.go
        package main

        import "example.com/app/fs"

        type Reject func(fs fs.FS, info *fs.Info) bool // <FS> <Info>

        type local struct{}

        func (fs *local) open(name string) (*fs.Info, error) { // <Info>
            return nil, nil
        }

        func clean(fs fs.FS, path string) *fs.Info { // <FS> <Info>
            fs.Clean(path) // <Clean>
            return nil
        }
        """
    )
    written.check("FS")
    written.check("Info")
    written.check("Clean")


def test_what_sequences_hand_to_a_loop(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.com/app
        === main.go
        package main

        import "iter"

        type item struct{ Name string } // <def Name>

        type items = iter.Seq[item]

        func list() items { return nil }

        func pairs() iter.Seq2[*item, *item] { return nil }

        func each() func(yield func(*item) bool) { return nil }

        func use() {
            for one := range list() {
                _ = one.Name // <Name>
            }
            for key, value := range pairs() {
                _ = key.Name // <Name>
                _ = value.Name // <Name>
            }
            for one := range each() {
                _ = one.Name // <Name>
            }
        }
        """
    )
    written.check("Name")


def test_methods_of_generic_types_give_what_the_type_was_told(project: Project) -> None:
    written = project(
        """
        === a/a.go
        package a
        type Item struct {
            Name string // <def Name>
        }
        type Pair[K comparable, V any] struct { key K; value V }
        func (p *Pair[_, E]) Get() E { return p.value }
        func (p *Pair[K, V]) All() []V { return nil }
        type Named[T any] struct { *Pair[string, T] }
        type Items struct { Named[*Item] }
        func use(pair *Pair[string, Item], items *Items) {
            _ = pair.Get().Name // <Name>
            _ = items.Get().Name // <Name>
            for _, each := range items.All() {
                _ = each.Name // <Name>
            }
        }
        """
    )
    written.check("Name")


def test_methods_that_builds_declare_instead_of_each_other(project: Project) -> None:
    written = project(
        """
        === a/a.go
        package a
        type Process struct{}
        func (p *Process) Name() string { return p.read() } // <read> <other>
        === a/a_linux.go
        package a
        func (p *Process) read() string { return "" } // <def read>
        === a/a_windows.go
        package a
        func (p *Process) read() string { return "" } // <def other>
        """
    )
    written.check("read")
    written.check("other", "read")


def test_modules_of_one_name_are_those_around_a_file(project: Project) -> None:
    written = project(
        """
        === one/go.mod
        module main
        === one/views/views.go
        package views
        func Index() {}
        === two/go.mod
        module main
        === two/views/views.go
        package views
        func Index() {} // <def Index>
        === two/main.go
        package main
        import "main/views"
        func main() { views.Index() } // <Index>
        """
    )
    written.check("Index")


def test_what_the_standard_library_hands_back(project: Project) -> None:
    written = project(
        """
        === a/a.go
        package a
        import (
            "maps"
            "slices"
            "sync"
            "sync/atomic"
        )
        type Item struct {
            Name string // <def Name>
        }
        type Table struct {
            current atomic.Pointer[Item]
            every []atomic.Pointer[Item]
        }
        var found = sync.OnceValue(func() Item { return Item{} })
        func use(t *Table, items []Item, named map[string]*Item) {
            now := t.current.Load()
            _ = now.Name // <Name>
            _ = t.every[1].Swap(nil).Name // <Name>
            _ = found().Name // <Name>
            _ = slices.Clone(items)[0].Name // <Name>
            _ = slices.MaxFunc(items, compare).Name // <Name>
            _ = slices.Concat(items, items)[0].Name // <Name>
            _ = maps.Clone(named)["a"].Name // <Name>
        }
        """
    )
    written.check("Name")


def test_constants_that_repeat_the_one_before(project: Project) -> None:
    written = project(
        """
        === a/a.go
        package a
        type Key int
        func (k Key) Byte() byte { return byte(k) } // <def Byte>
        const (
            Enter Key = iota
            Escape
        )
        const (
            First = Key(1 << iota)
            Second
            plain = 1
            after
        )
        var _ = Escape.Byte() + Second.Byte() // <Byte>
        var _ = after.Byte()
        """
    )
    written.check("Byte")


def test_a_package_is_seen_until_a_variable_takes_its_name(project: Project) -> None:
    written = project(
        """
        === go.mod
        module example.org/shop
        === store/store.go
        package store
        type Store struct{}
        func (s *Store) Close() {} // <def Close>
        func New() *Store { return nil } // <def New>
        === main.go
        package main
        import "example.org/shop/store"
        func open(first *store.Store) *store.Store {
            store.New() // <New>
            store := store.New() // <New>
            return store
        }
        func main() { open(nil).Close() } // <Close>
        """
    )
    written.check("Close")
    written.check("New")
