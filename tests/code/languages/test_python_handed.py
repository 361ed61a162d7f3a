"""Python: what functions of the library hand on, what lambdas are given, and what is unpacked."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_lambdas_take_what_their_place_says(project: Project) -> None:
    written = project(
        """
        === use.py
        from dataclasses import dataclass
        from functools import reduce
        from typing import Callable
        class Row:
            def size(self): ... # <def size>
        shown: Callable[[Row], str] = lambda row: row.size() # <size>
        tokens: dict[str, Callable[[Row], str]] = {
            "a": lambda row: row.size(), # <size>
        }
        steps: list[Callable[[Row, int], str]] = [
            lambda row, count: row.size(), # <size>
        ]
        def shower() -> Callable[[Row], str]:
            return lambda row: row.size() # <size>
        @dataclass
        class Column:
            shown: Callable[[Row], str]
        def show(rows, *, by: Callable[[Row], str]): ...
        Column(shown=lambda row: row.size()) # <size>
        show([], by=lambda row: row.size()) # <size>
        def all_of(rows: list[Row]):
            list(map(lambda row: row.size(), rows)) # <size>
            reduce(lambda one, other: other.size(), rows) # <size>
            [lambda row: row.size()]
        """
    )
    written.check("size")


def test_what_is_unpacked_holds_what_it_was_unpacked_from(project: Project) -> None:
    written = project(
        """
        === use.py
        from typing import Iterator
        class Row:
            def size(self): ... # <def size>
        def rows() -> Iterator[Row]: ...
        def more():
            yield from rows()
        def use(many: list[Row], named: dict[str, Row]):
            first, *rest, last = many
            rest[0].size() # <size>
            last.size() # <size>
            [*many, *rows()][0].size() # <size>
            {**named}["a"].size() # <size>
            for row in more():
                row.size() # <size>
            rest.size()
        """
    )
    written.check("size")


def test_what_will_be_there_later(project: Project) -> None:
    written = project(
        """
        === use.py
        import asyncio
        from concurrent.futures import Future, ThreadPoolExecutor
        class Row:
            def result(self): ...
            def size(self): ... # <def size>
            def cancel(self): ... # <def cancel>
        async def load() -> Row: ...
        def made() -> Row: ...
        async def use(one: asyncio.Future[Row], other: "Future[Row]", loop):
            (await one).size() # <size>
            other.result().size() # <size>
            task = asyncio.create_task(load())
            task.cancel()
            (await task).cancel() # <cancel>
            task.result().size() # <size>
            loop.create_task(load()).result().size() # <size>
            loop.run_until_complete(load()).size() # <size>
            first, second = await asyncio.gather(load(), task)
            second.size() # <size>
            several = await asyncio.gather(*[load() for _ in range(3)])
            several[0].size() # <size>
            (await asyncio.to_thread(made)).size() # <size>
            (await loop.run_in_executor(None, made)).size() # <size>
            with ThreadPoolExecutor() as pool:
                pool.submit(made).result().size() # <size>
        """
    )
    written.check("size")
    written.check("cancel")


def test_what_the_library_hands_on(project: Project) -> None:
    written = project(
        """
        === use.py
        import collections, contextlib, heapq, itertools, queue, weakref
        from functools import reduce
        class Row:
            def size(self): ... # <def size>
        @contextlib.contextmanager
        def opened():
            yield Row()
        def use(rows: list[Row], kept: "weakref.ref[Row]", waiting: queue.Queue[Row]):
            kept().size() # <size>
            waiting.get_nowait().size() # <size>
            queue.Queue[Row]().get().size() # <size>
            collections.OrderedDict[str, Row]()["a"].size() # <size>
            contextlib.ExitStack().enter_context(opened()).size() # <size>
            for name, group in itertools.groupby(rows):
                for row in group:
                    row.size() # <size>
            for one, other in itertools.combinations(rows, 2):
                other.size() # <size>
            for one, other in itertools.product(rows, rows):
                other.size() # <size>
            for row in itertools.takewhile(bool, rows):
                row.size() # <size>
            reduce(max, rows).size() # <size>
            for row in tuple(row for row in rows if row):
                row.size() # <size>
            for row in dict.fromkeys(rows):
                row.size() # <size>
            heapq.heappop(rows).size() # <size>
        """
    )
    written.check("size")


def test_waiting_for_what_says_itself_what_that_gives(project: Project) -> None:
    written = project(
        """
        === use.py
        from typing import Any, Generator, Generic, Protocol, Self, TypeVar
        T = TypeVar("T")
        M = TypeVar("M", bound="Model")
        class Single(Protocol[T]):
            def __await__(self) -> Generator[Any, None, T]: ...
        class Query(Generic[M]):
            def __await__(self) -> Generator[Any, None, list[M]]: ...
            def get(self) -> Single[M]: ...
        class Model:
            @classmethod
            def get(cls) -> Single[Self]: ...
            @classmethod
            def all(cls) -> Query[Self]: ...
            def __await__(self: M) -> Generator[Any, None, M]: ...
        class User(Model):
            def name(self): ... # <def name>
        class Later:
            async def load(self) -> User: ...
            def __await__(self):
                return self.load().__await__()
        async def use():
            (await User.get()).name() # <name>
            (await User.all())[0].name() # <name>
            (await User.all().get()).name() # <name>
            (await User()).name() # <name>
            (await Later()).name() # <name>
            User.get().name()
        """
    )
    written.check("name")


def test_a_decorator_may_say_that_calling_the_function_gives_something_else(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Callable, ParamSpec, TypeVar, overload
        P = ParamSpec("P")
        T = TypeVar("T")
        class Box(Generic[T]):
            def open(self) -> T: ...  # <def open>
        class Made:
            def run(self): ...  # <def run>
        def boxed(f: Callable[P, T]) -> Callable[P, Box[T]]: ...
        def later(name: str) -> Callable[[Callable[P, T]], Callable[P, Box[T]]]: ...
        def same(f: Callable[P, T]) -> Callable[P, T]: ...
        @overload
        def either(f: Callable[P, T]) -> Callable[P, T]: ...
        @overload
        def either(*, name: str) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
        def either(f=None, *, name=""): ...
        @boxed
        def one(
            given: int,  # <def given>
        ) -> Made: ...
        @later("two")
        async def two() -> Made: ...
        @same
        def three() -> Made: ...
        @either
        def four() -> Made: ...
        one(given=1).open().run()  # <given> <open> <run>
        one(given=1).run()  # <given>
        three().run()  # <run>
        four().run()  # <run>
        class Owner:
            @boxed
            def method(self) -> Made: ...
        def use(owner: Owner):
            two().open().run()  # <open> <run>
            owner.method().open().run()  # <open> <run>
        """
    )
    written.check("open")
    written.check("run")
    written.check("given")
