"""Overloads in Python: which of them accept a call, and what is known where none does."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_call_that_no_overload_accepts_gives_nothing_certain(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Any, Literal, overload
        class Engine:
            def connect(self): ...  # <def connect>
        @overload
        def make(url: str = ..., *, later: Literal[False]) -> Engine: ...
        @overload
        def make(url: str = None, *, later: Literal[True], echo: bool = False) -> Engine: ...
        def make(url=None, *, later=False, echo=False):
            return Engine()
        def f(given: Any):
            make().connect()  # <possible>
            make("url").connect()  # <possible>
            make(later=False, size=3).connect()  # <possible>
            make("url", False, True, None).connect()  # <possible>
            make(later=False).connect()  # <connect>
            make("url", later=True, echo=True).connect()  # <connect>
            make(**given).connect()  # <connect>
            make(*given).connect()  # <connect>
        """
    )
    written.check("connect")
    assert written.possible("connect") == written.marked("possible")


def test_overloads_that_do_not_accept_a_call_say_nothing_about_it(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import overload
        class One:
            def run(self): ...  # <def run>
        class Many:
            def run(self): ...  # <def many>
        class Store:
            @overload
            def get(self, key: str) -> One: ...
            @overload
            def get(self, key: str, *keys: str) -> Many: ...
            @overload
            def get(self, key: str, *, default: int, **options) -> Many: ...
            def get(self, key, *keys, default=0, **options): ...
        def f(store: Store):
            store.get(  # a remark is no argument
                # nor is another
                "key", default=3
            ).run()  # <many>
            store.get("key", default=3, level=1).run()  # <many>
            store.get("a", "b", "c").run()  # <many>
            Store.get(store, "key", default=3).run()  # <many>
        """
    )
    written.check("many", "run")
    written.check("run")


def test_a_literal_chooses_the_first_overload_that_takes_it(project: Project) -> None:
    written = project(
        """
        === m.py
        from datetime import date, datetime
        from typing import Any, Optional, Sequence, Union, overload
        class Yes:
            def show(self): ...  # <def yes>
        class Number:
            def show(self): ...  # <def number>
        class Text:
            def show(self): ...  # <def text>
        class Raw:
            def show(self): ...  # <def raw>
        class Moment:
            def show(self): ...  # <def moment>
        class Table:
            def show(self): ...  # <def table>
        class Row:
            def show(self): ...  # <def row>
        Words = Union[str, None]
        @overload
        def item(value: bool, parent: Optional[Row] = ...) -> Yes: ...
        @overload
        def item(value: float, parent: Optional[Row] = ...) -> Number: ...
        @overload
        def item(value: Words, parent: Row | None = ...) -> Text: ...
        @overload
        def item(value: bytes) -> Raw: ...
        @overload
        def item(value: datetime) -> Moment: ...
        @overload
        def item(value: dict) -> Table: ...
        @overload
        def item(value: Sequence) -> Row: ...
        def item(value: Any, parent=None): ...
        def f(unknown, flag: bool, size: int = 0):
            item(True).show()  # <yes>
            item(3).show()  # <number>
            item(1.5, None).show()  # <number>
            item("word").show()  # <text>
            item("two" " words").show()  # <text>
            item(None).show()  # <text>
            item(rb"raw").show()  # <raw>
            item(b"raw").show()  # <raw>
            item(datetime(2000, 1, 1)).show()  # <moment>
            item({"a": 1}).show()  # <table>
            item([1, 2]).show()  # <row>
            item((1, 2)).show()  # <row>
            item(flag).show()  # <yes>
            item(size).show()  # <number>
            item(str(unknown)).show()  # <text>
            entries = {}
            item(entries).show()  # <table>
            item(unknown).show()  # <yes> <number> <text> <raw> <moment> <table> <row>
            item("word", unknown).show()  # <text>
            item(*unknown).show()  # <yes> <number> <text> <raw> <moment> <table> <row>
        """
    )
    for mark in ("yes", "number", "text", "raw", "moment", "table", "row"):
        written.check(mark, "show")


def test_an_instance_chooses_the_overload_for_its_class(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Protocol, TypeVar, overload
        class Node: ...
        class Leaf(Node): ...
        class Other: ...
        class Name(str): ...
        class Named(Protocol):
            name: str
        class A:
            def run(self): ...  # <def a>
        class B:
            def run(self): ...  # <def b>
        class C:
            def run(self): ...  # <def c>
        N = TypeVar("N", bound=Node)
        class Visitor:
            @overload
            def visit(self, node: str) -> C: ...
            @overload
            def visit(self, node: type[Node]) -> C: ...
            @overload
            def visit(self, node: Leaf, *more: Other) -> A: ...
            @overload
            def visit(self, node: N, more: Other = ...) -> B: ...
            @overload
            def visit(self, node: Other | None, *, more: Node) -> C: ...
            def visit(self, node, more=None): ...
        @overload
        def named(thing: Named) -> A: ...
        @overload
        def named(thing: Other) -> B: ...
        def named(thing): ...
        def f(visitor: Visitor, either: Node | Other):
            visitor.visit(Leaf()).run()  # <a>
            visitor.visit(Leaf(), Other(), Other()).run()  # <a>
            visitor.visit(Node()).run()  # <b>
            visitor.visit(Node(), Other()).run()  # <b>
            visitor.visit(Other(), more=Leaf()).run()  # <c>
            visitor.visit(Name("n")).run()  # <c>
            visitor.visit("n").run()  # <c>
            visitor.visit(Leaf).run()  # <c>
            named(Other()).run()  # <a> <b>
            named("text").run()  # <a>
        """
    )
    for mark in ("a", "b", "c"):
        written.check(mark, "run")


def test_a_call_that_no_overload_takes_by_its_types_may_mean_any(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import overload
        class A:
            def run(self): ...  # <def a>
        class B:
            def run(self): ...  # <def b>
        @overload
        def make(size: int) -> A: ...
        @overload
        def make(size: float) -> B: ...
        def make(size): ...
        make("large").run()  # <a> <b>
        """
    )
    written.check("a", "run")
    written.check("b", "run")


def test_a_maker_that_is_declared_to_give_heirs_gives_those(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Literal, overload
        from typing_extensions import Self
        class File:
            @overload
            def __new__(cls, name: str) -> "Reader": ...
            @overload
            def __new__(cls, name: str, mode: Literal["w"], rate: int) -> "Writer": ...
            def __new__(cls, name, mode="r", rate=0):
                return super().__new__(Reader if mode == "r" else Writer)
            def close(self): ...  # <def close>
        class Reader(File):
            def __new__(cls, name: str) -> "Reader": ...
            def frames(self): ...  # <def frames>
            def close(self): ...  # <def closed>
        class Writer(File):
            def __new__(cls, name: str) -> Self: ...
            def frames(self): ...  # <def written>
            def close(self): ...
        class Late(Writer):
            def frames(self): ...  # <def late>
        def f():
            File("x").frames()  # <frames>
            File("x", "w", 3).frames()  # <written>
            File("x").close()  # <closed>
            Writer("x").frames()  # <written>
            Late("x").frames()  # <late>
        """
    )
    written.check("frames")
    written.check("written", "frames")
    written.check("late", "frames")
    written.check("close")
    written.check("closed", "close")
