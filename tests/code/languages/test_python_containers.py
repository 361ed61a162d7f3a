"""What Python's containers hold that are written out, taken apart or asked for items."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_what_is_unpacked_into_a_container_is_held_by_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Part:
            def run(self): ...  # <def run>
        def use(parts: list[Part], named: dict[str, Part]):
            [*parts][0].run()  # <run>
            (*parts, 1)[0].run()  # <run>
            {**named}["a"].run()  # <run>
            {"b": 1, **named}["a"].run()  # <run>
            first, *others = parts
            first.run()  # <run>
            others.run()
            others[0].run()  # <run>
        """
    )
    written.check("run")


def test_a_dictionary_knows_its_keys(project: Project) -> None:
    written = project(
        """
        === m.py
        class Part:
            def run(self): ...  # <def run>
        def use(parts: list[Part]):
            for part in {part: 1 for part in parts}:
                part.run()  # <run>
            for part, count in {parts[0]: 1, Part(): 2}.items():
                part.run()  # <run>
                count.run()
        """
    )
    written.check("run")


def test_a_number_as_index_is_one_place_of_a_tuple(project: Project) -> None:
    written = project(
        """
        === m.py
        class Part:
            def run(self): ...  # <def run>
        class Other:
            def run(self): ...  # <def other>
        def use(pair: tuple[Part, Other], parts: list[Part], at: int):
            pair[0].run()  # <run>
            pair[1].run()  # <other>
            pair[at].run()  # <run> <other>
            parts[0].run()  # <run>
            [Part(), Other()][0].run()  # <run> <other>
            (Part(), Other())[0].run()  # <run>
            first, second = [Part(), Other()]
            first.run()  # <run> <other>
            third, fourth = Part(), Other()
            third.run()  # <run>
        """
    )
    written.check("run")
    written.check("other", "run")


def test_a_test_in_a_comprehension_tells_what_its_names_are(project: Project) -> None:
    written = project(
        """
        === m.py
        class Part:
            def run(self): ...  # <def run>
        def use(things):
            [thing.run() for thing in things if isinstance(thing, Part)]  # <run>
            any(isinstance(thing, Part) and thing.run() for thing in things)  # <run>
            [thing.run() for thing in things]
        """
    )
    written.check("run")


def test_items_by_a_constant_are_what_they_were_given_last(project: Project) -> None:
    written = project(
        """
        === m.py
        class First:
            def run(self): ...  # <def run>
        class Second:
            def run(self): ...  # <def second>
        def use(unknown, key):
            held = unknown()
            held["a"] = First()
            held["a"].run()  # <run>
            held["b"].run()
            held['a'].run()
            held[key] = First()
            held[key].run()
            held["a"] = Second()
            held["a"].run()  # <second>
            if key:
                held["a"] = First()
            held["a"].run()  # <run> <second>
            held = unknown()
            held["a"].run()
        class Holder:
            def use(self):
                self.held[0] = First()
                self.held[0].run()  # <run>
                self.held = {}
                self.held[0].run()
        def named(unknown):
            held = dict(one=First(), other=unknown)
            held["one"].run()  # <run>
            dict(held)["one"].run()  # <run>
        """
    )
    written.check("run")
    written.check("second", "run")


def test_a_slice_and_an_index_give_what_their_overloads_say(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Generic, TypeVar, overload
        T = TypeVar("T", bound="Node")
        class Node:
            def run(self): ...  # <def run>
        class Nodes(list[T]):
            @overload
            def __getitem__(self, at: int) -> T: ...
            @overload
            def __getitem__(self, at: slice) -> "Nodes[T]": ...
            def __getitem__(self, at): ...
            def run(self):  # <def all>
                return [node.run() for node in self]  # <run>
        class Row(Generic[T]):
            @overload
            def __getitem__(self, at: slice) -> Nodes[T]: ...
            @overload
            def __getitem__(self, at: int) -> T: ...
            def __getitem__(self, at): ...
        def f(nodes: Nodes[Node], row: Row[Node], at):
            nodes[at].run()  # <run>
            nodes[1:].run()  # <all>
            row[0].run()  # <run>
            row[:at].run()  # <all>
            for node in nodes:
                node.run()  # <run>
            for node in row:
                node.run()  # <run>
        """
    )
    written.check("run")
    written.check("all", "run")


def test_the_tests_of_a_comprehension_hold_for_what_it_collects(project: Project) -> None:
    written = project(
        """
        === m.py
        class A:
            def out(self): ...  # <def out>
        class B:
            items: list[A]
            def out(self): ...  # <def other>
        def f(xs: list[A | B], x: A | B):
            [x.out() for x in xs if isinstance(x, A)]  # <out>
            [x.out() for x in xs if not isinstance(x, A)]  # <other>
            [x.out() for x in xs if isinstance(x, A) and x.out()]  # <out>
            {x.out(): x for x in xs if not x or isinstance(x, A)}  # <out> <other>
            [x.out() if isinstance(x, A) else x.items[0].out() for x in xs]  # <out>
            [y.out() for x in xs if isinstance(x, B) for y in x.items]  # <out>
            [
                x.out()  # <other>
                for x in xs
                if isinstance(x, B)
                if x.out()  # <other>
            ]
            if any(isinstance(x, A) for x in xs):
                x.out()  # <out> <other>
            collected = [x for x in xs if isinstance(x, B)]
            collected[0].out()  # <other>
        """
    )
    written.check("out")
    written.check("other", "out")


def test_a_name_for_a_type_with_type_variables_takes_their_types(project: Project) -> None:
    written = project(
        """
        === names.py
        from typing import Dict, Generic, Optional, TypeVar, Union
        K = TypeVar("K")
        V = TypeVar("V")
        class Box(Generic[V]):
            held: V
        Many = tuple[V, ...]
        One = Union[V, list[V]]
        Table = Dict[K, list[V]]
        Boxed = Optional[Box[V]]
        === m.py
        from names import Boxed, Many, One, Table
        class A:
            def run(self): ...  # <def run>
        class B:
            def run(self): ...  # <def other>
        def f(many: Many[A], one: One[A], table: Table[B, A], boxed: Boxed[A], plain: Many):
            many[0].run()  # <run>
            for each in many:
                each.run()  # <run>
            one.run()  # <run>
            table["x"][0].run()  # <run>
            for key in table:
                key.run()  # <other>
            boxed.held.run()  # <run>
            plain[0].run()
        """
    )
    written.check("run")
    written.check("other", "run")
