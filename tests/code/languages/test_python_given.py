"""Python: what members, aliases, decorators and generators are given or give."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_container_that_a_member_is_given_says_what_the_member_holds(project: Project) -> None:
    written = project(
        """
        === m.py
        class Lamp:
            def light(self): ...  # <def light>
        class Torch(Lamp):
            def light(self): ...  # <def torch>
        class Room:
            lamps: list[Lamp]
            def enter(self): ...
        def untyped(room):
            room.lamps = [Lamp()]
            room.enter()
            room.lamps[0].light()  # <light>
            room.by_name = {"desk": Lamp(), "door": Lamp()}
            room.by_name["desk"].light()  # <light>
            room.pair = (1, Lamp())
            room.pair[1].light()  # <light>
            room.pair = 3
            room.pair[1].light()
        def declared(room: Room):
            room.lamps = [Torch()]
            room.lamps[0].light()  # <light>
        """
    )
    written.check("light", "light")
    written.check("torch", "light")


def test_a_declared_alias_of_a_class_is_that_class(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Any, Generic, TypeAlias, TypeVar
        import typing as t
        T = TypeVar("T")
        class Shelf(Generic[T]):
            @classmethod
            def build(cls) -> "Shelf[T]": ...  # <def build>
        Rack: TypeAlias = Shelf
        Wide: t.TypeAlias = Shelf[Any]
        === user.py
        from m import Rack, Wide
        Rack.build()  # <build>
        Wide.build().build()  # <build>
        def f(rack: Rack):
            rack.build()  # <build>
        """
    )
    written.check("build", "build")


def test_a_decorator_that_puts_into_a_class_what_nobody_knows_gives_that_class(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Callable, Generic, ParamSpec, TypeVar, overload
        P = ParamSpec("P")
        V = TypeVar("V")
        class Outcome(Generic[V]):
            def failed(self): ...  # <def failed>
        def guarded(function: Callable[P, V]) -> Callable[P, Outcome[V]]: ...
        def same(function: Callable[P, V]) -> Callable[P, V]: ...
        @overload
        def either(function: Callable[P, V], /) -> Callable[P, Outcome[V]]: ...
        @overload
        def either(*, only: int) -> Callable[[Callable[P, V]], Callable[P, Outcome[V]]]: ...
        def either(function=None, only=0): ...
        @guarded
        def ratio(n: int) -> float: ...
        @either
        def first(n: int) -> float: ...
        @either(only=3)
        def second(n: int) -> float: ...
        @same
        def third(n: int) -> float: ...
        ratio(1).failed()  # <failed>
        first(1).failed()  # <failed>
        second(1).failed()  # <failed>
        third(1).failed()
        """
    )
    written.check("failed", "failed")


def test_yield_from_gives_what_the_generator_gives_at_its_end(project: Project) -> None:
    written = project(
        """
        === m.py
        from collections.abc import Generator, Iterator
        class Page:
            def turn(self): ...  # <def turn>
            @classmethod
            def parse(cls) -> Generator[None, int, "Page"]: ...
        class Line:
            def turn(self): ...  # <def line>
        def told() -> Iterator[Page]: ...
        def untold():
            yield Line()
            return Page()
        def parts() -> Generator[Line, None, None]:
            page = yield from Page.parse()
            page.turn()  # <turn>
            page = yield from untold()
            page.turn()  # <turn>
            page = yield from told()
            page.turn()
            page = yield Line()
            page.turn()
        for part in parts():
            part.turn()  # <line>
        """
    )
    written.check("turn", "turn")
    written.check("line", "turn")


def test_a_stub_says_what_the_module_beside_it_leaves_open(project: Project) -> None:
    written = project(
        """
        === net.py
        from foreign import Session
        class Client(Session):
            def send(self, url, **kwargs): ...
        class Reply:
            def read(self): ...
        class _Hidden:
            def open(self): ...  # <def hidden>
            def shut(self): ...  # <def shut>
        door = _Hidden()
        === net.pyi
        from typing import TypedDict, Unpack
        from foreign import Session
        class Options(TypedDict, total=False):
            tries: int  # <def tries>
        class Client(Session):
            waits: float  # <def waits>
            def send(self, url: str, **kwargs: Unpack[Options]) -> Reply: ...  # <def send>
            def get(self, url: str) -> Reply: ...  # <def get>
        class Reply:
            def read(self) -> bytes: ...  # <def read>
        class Door:
            def open(self) -> Reply: ...  # <def open>
        door: Door
        === user.py
        from net import Client, door
        client = Client()
        client.send("u", tries=3).read()  # <send> <tries> <read>
        client.get("u").read()  # <get> <read>
        client.waits = 3  # <waits>
        door.open().read()  # <open> <hidden> <read>
        door.shut()  # <shut>
        """
    )
    for mark in ("send", "read", "tries", "waits", "get", "open", "shut"):
        written.check(mark, mark)
    written.check("hidden", "open")


def test_what_type_checkers_do_not_see_says_nothing_of_what_they_see(project: Project) -> None:
    written = project(
        """
        === shapes.py
        class Box:
            def open(self): ...  # <def open>
        class Crate:
            def open(self): ...  # <def crate>
        === m.py
        import typing
        from shapes import Box, Crate
        if typing.TYPE_CHECKING:
            Seen = Box
            def make(made): ...
        else:
            Seen = Crate
            Late = Crate
            def make(made):
                made = Crate()
                made.open()  # <crate>
        if not typing.TYPE_CHECKING:
            Other = Crate
        else:
            Other = Box
        def f(seen: Seen):
            seen.open()  # <open>
            Late().open()  # <crate>
            Other().open()  # <open> <crate>
        """
    )
    written.check("open")
    written.check("crate", "open")


def test_a_property_gives_what_the_type_of_its_receiver_says(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Generic, TypeVar
        T = TypeVar("T", bound="Model")
        class Query(Generic[T]):
            def first(self) -> T: ...
        class Meta(type):
            @property
            def objects(cls: type[T]) -> Query[T]: ...
        class Model(metaclass=Meta):
            @property
            def parents(self: T) -> list[T]: ...
            def count(self): ...  # <def all>
        class Album(Model):
            def count(self): ...  # <def count>
        def f(album: Album, model: Model):
            Album.objects.first().count()  # <count>
            Model.objects.first().count()  # <all>
            album.parents[0].count()  # <count>
            model.parents[0].count()  # <all>
        """
    )
    written.check("count")
    written.check("all", "count")


def test_the_stub_of_a_class_is_not_above_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Group:
            def __init__(self, **kwargs): ...  # <def made>
            def run(self): ...  # <def run>
        class Commands(Group):
            def __init__(self, name, **kwargs):
                super().__init__(**kwargs)  # <made>
            def run(self):
                super().run()  # <run>
        === m.pyi
        class Group:
            def __init__(self, *, rule: str = ...) -> None: ...
            def run(self) -> None: ...
        class Commands(Group):
            def __init__(self, name: str, *, rule: str = ...) -> None: ...
            def run(self) -> None: ...
        """
    )
    for mark, name in (("made", "__init__"), ("run", "run")):
        [(path, line)] = written.marked(f"def {mark}")
        assert written.marked(mark) <= written.referring(path, line, name)
