"""Python classes that foreign ancestors make special, and types made of others."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_what_an_enumeration_lists_are_its_instances(project: Project) -> None:
    written = project(
        """
        === m.py
        import enum
        from enum import IntFlag
        class Colour(enum.Enum):
            RED = 1
            GREEN = 2
            def mix(self): ...  # <def mix>
            def other(self):
                return self.RED.mix()  # <mix>
        class Plain:
            RED = 1
        class Shade(Colour):
            pass
        class Bits(IntFlag):
            A = 1
            def mix(self): ...  # <def bits>
        def use():
            Colour.RED.mix()  # <mix>
            for colour in Colour:
                colour.mix()  # <mix>
            [each.mix() for each in Shade]  # <mix>
            list(Colour)[0].mix()  # <mix>
            Colour.__members__["RED"].mix()  # <mix>
            for name, found in Colour.__members__.items():
                found.mix()  # <mix>
            Plain.RED.mix()
            Bits.A.mix()  # <bits>
        """
    )
    written.check("mix")
    written.check("bits", "mix")


def test_a_named_tuple_is_a_tuple_of_its_fields(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import NamedTuple
        class Part:
            def run(self): ...  # <def run>
        class Pair(NamedTuple):
            part: Part
            size: int = 0
            def total(self): ...
        class Rows(list[Part]):
            pass
        def use(pair: Pair, pairs: list[Pair], rows: Rows):
            part, size = pair
            part.run()  # <run>
            pair[0].run()  # <run>
            pair._replace(size=2).part.run()  # <run>
            for each, size in pairs:
                each.run()  # <run>
                size.run()
            rows[0].run()  # <run>
        """
    )
    written.check("run")


def test_a_foreign_parent_may_have_another_name(project: Project) -> None:
    written = project(
        """
        === base.py
        from typing import NamedTuple
        from enum import Enum as Listed
        State = NamedTuple
        === m.py
        import base
        from base import Listed
        class Mean(base.State):
            count: int  # <def count>
        class Colour(Listed):
            RED = 1
            def mix(self): ...  # <def mix>
        Mean(count=1)  # <count>
        Colour.RED.mix()  # <mix>
        """
    )
    written.check("count")
    written.check("mix")


def test_a_new_type_is_the_one_that_it_is_made_of(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import NewType
        class Key:
            def run(self): ...  # <def run>
        Own = NewType("Own", Key)
        def use(own: Own):
            own.run()  # <run>
            Own(Key()).run()  # <run>
        """
    )
    written.check("run")


def test_what_gives_itself_keeps_what_it_holds(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Generic, TypeVar
        K = TypeVar("K")
        class Part:
            def run(self): ...  # <def run>
        class Shelf(Generic[K]):
            def __init__(self, kind: type[K]): ...
            def get(self) -> K: ...
            def __enter__(self): return self
            def __exit__(self, *raised): ...
            def again(self): return self
        def use(shelf: Shelf[Part]):
            with Shelf(Part) as opened:
                opened.get().run()  # <run>
            shelf.again().get().run()  # <run>
        """
    )
    written.check("run")


def test_an_import_may_begin_at_a_folder_around_the_file(project: Project) -> None:
    written = project(
        """
        === libs/graph/graph/parts/one.py
        class One: ...  # <def One>
        === libs/graph/graph/use.py
        from graph.parts.one import One  # <One>
        One()  # <One>
        === libs/graph/tests/test_one.py
        from graph.parts import one
        one.One()  # <One>
        """
    )
    written.check("One")


def test_that_a_member_is_of_its_class_declares_no_type(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import ClassVar
        class Struct:
            schema: ClassVar = None  # <def above>
            size: ClassVar[int] = 0  # <def size>
        class First(Struct):
            schema = (1,)  # <def schema>
            size = 1
        class Second(Struct):
            schema = First.schema  # <schema>
            size = First.size  # <size>
        Struct.schema  # <above>
        """
    )
    written.check("schema")
    written.check("above", "schema")
    written.check("size")
