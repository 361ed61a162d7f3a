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
