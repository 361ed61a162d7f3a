"""Python: names: classes by other ones, what a class body sees, and types that comments say."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_constructor_runs_where_its_class_is_called_by_another_name(project: Project) -> None:
    written = project(
        """
        === elements/table.py
        class Table:
            def __init__(self, rows): ... # <def __init__>
        === ui.py
        from elements.table import Table as table
        === use.py
        import ui
        from ui import table as grid
        ui.table(rows=[])
        grid(rows=[])
        table = ui.table
        """
    )
    written.check("__init__")
    assert written.possible("__init__") == {("use.py", 3), ("use.py", 4)}


def test_comments_that_say_types(project: Project) -> None:
    written = project(
        """
        === model.py
        class Model: # <def Model>
            def run(self): ... # <def run>
        === use.py
        from typing import List
        from model import Model # <Model>
        found = []  # type: List[Model]  # <Model>
        found[0].run() # <run>
        class User:
            def __init__(self):
                # type: () -> None
                self.model = None  # type: Model # <Model>
            def use(self, model, count=1):
                # type: (Model, int) -> Model # <Model>
                model.run() # <run>
                self.model.run() # <run>
                return model
        User().use(None).run() # <run>
        plain = Model()  # type: ignore[call-arg] # <Model>
        plain.run() # <run>
        """
    )
    written.check("Model")
    written.check("run")


def test_a_module_named_like_one_of_the_library_is_meant_only_where_python_would_find_it(
    project: Project,
) -> None:
    written = project(
        """
        === pkg/__init__.py
        === pkg/types/__init__.py
        === pkg/types/enum.py
        from enum import Enum as Foreign
        class Enum(Foreign): ... # <def Enum>
        === pkg/types/other.py
        from enum import Enum
        from .enum import Enum as Own # <Enum>
        class Colour(Enum): ...
        class Size(Own): ... # <Enum>
        === scripts/queue.py
        class Queue: ... # <def Queue>
        === scripts/run.py
        from queue import Queue # <Queue>
        Queue() # <Queue>
        === pkg/work.py
        from queue import Queue
        Queue()
        """
    )
    written.check("Enum")
    written.check("Queue")


def test_a_class_body_sees_what_it_names_later_as_it_is_outside(project: Project) -> None:
    written = project(
        """
        === days.py
        class date:
            def year(self): ... # <def year>
        class Base:
            def close(self): ... # <def close>
        === use.py
        import days
        from days import Base, date
        class Event:
            days: "days.date"
            date: date
            def first(self) -> date: ...
            class Base(Base): ...
        class Log:
            def first(self) -> date: ...
            def date(self, given: date) -> "date": # <def date>
                return given.year() # <year>
            later = date # <date>
            def __init__(self):
                self.Base = None
            other = Base
        def use(event: Event, log: Log):
            event.days.year() # <year>
            event.date.year() # <year>
            log.first().year() # <year>
            log.date().year() # <date> <year>
            event.Base().close() # <close>
            log.other().close() # <close>
        """
    )
    written.check("year")
    written.check("date")
    written.check("close")


def test_a_quoted_type_of_a_class_body_may_be_defined_later_in_it(project: Project) -> None:
    written = project(
        """
        === tree.py
        class Tree:
            def first(self) -> "Node": ... # <Node>
            class Node: # <def Node>
                def cut(self): ... # <def cut>
        Tree().first().cut() # <cut>
        """
    )
    written.check("Node")
    written.check("cut")


def test_what_a_stub_adds_to_the_names_that_modules_see(project: Project) -> None:
    written = project(
        """
        === plugins/__builtins__.pyi
        from traits import Traits
        traits: Traits # <def traits>
        === traits.py
        class Traits:
            def custom(self): ... # <def custom>
        === plugins/first.py
        def run():
            traits.custom() # <traits> <custom>
        === other.py
        def run():
            traits.custom()
        """
    )
    written.check("traits")
    written.check("custom")


def test_what_a_module_has_only_where_an_import_fails_is_not_what_others_import(project: Project) -> None:
    written = project(
        """
        === fast.py
        def difference(a): ... # <def fast>
        === plain.py
        def difference(a): ... # <def plain>
        === helpers.py
        try:
            from fast import difference # <fast>
        except ImportError:
            from plain import difference # <plain>
        difference(1) # <fast> <plain>
        === use.py
        from helpers import difference # <fast>
        difference(2) # <fast>
        """
    )
    written.check("fast", "difference")
    written.check("plain", "difference")


def test_a_substitute_for_an_import_is_of_what_it_stands_in_for(project: Project) -> None:
    written = project(
        """
        === fast.py
        class Reader: ... # <def Reader>
        def load(): ... # <def load>
        === use.py
        try:
            from fast import Reader, load # <Reader> <load>
        except ImportError:
            Reader = None # <Reader>
            def load(): ... # <load>
        Reader() # <Reader>
        load() # <load>
        === other.py
        from fast import Reader as R # <Reader>
        Reader = None
        """
    )
    written.check("Reader")
    written.check("load")


def test_a_substitute_for_what_no_package_may_have(project: Project) -> None:
    written = project(
        """
        === compat.py
        try:
            from missing import f, K # <f> <K>
        except ImportError:
            def f(): ... # <def f>
            class K: # <def K>
                def run(self): ... # <def run>
        try:
            import absent as js # <js>
        except ImportError:
            js = None # <def js>
        f(); K().run() # <f> <K> <run>
        === use.py
        import compat
        from compat import f, js, K # <js>
        f(); K().run()
        js.loads() # <js>
        compat.f() # <f>
        """
    )
    written.check("f")
    written.check("K")
    written.check("run")
    written.check("js")


def test_a_stub_and_the_module_beside_it_declare_one_thing(project: Project) -> None:
    written = project(
        """
        === fast.py
        def run(): ... # <def module>
        class Reader:
            def close(self): ...
        === fast.pyi
        def run() -> None: ... # <def run>
        class Reader:
            def close(self) -> None: ... # <def close>
        class Other:
            def close(self) -> None: ...
        === use.py
        from fast import Reader, run # <run> <module>
        run() # <run> <module>
        Reader().close() # <close>
        """
    )
    written.check("run")
    written.check("module", "run")
    written.check("close")


def test_what_only_instances_hold_is_no_name_in_the_body_of_the_class(project: Project) -> None:
    written = project(
        """
        === m.py
        class Stat:
            @property
            def one(self): ...
            def __init__(self, property):
                self.property = property  # <def property>
            @property
            def other(self):
                return self.property  # <property>
        """
    )
    written.check("property")


def test_a_second_name_of_a_built_in_generic_type_may_name_types_in_quotes(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Iterable
        Limits = tuple["Line", int]
        Lines = list["Line"]
        Some = Iterable["Line"]
        class Line:  # <def Line>
            def run(self): ...  # <def run>
        def use(limits: set[Limits], lines: Lines, some: Some):
            for line, end in limits:
                line.run()  # <run>
            lines[0].run()  # <run>
            [line.run() for line in some]  # <run>
        def other(dict):
            return dict["Line"]
        """
    )
    written.check("run")
    assert written.referring("m.py", 5, "Line") == {("m.py", 2), ("m.py", 3), ("m.py", 4)}


def test_a_package_and_another_may_try_to_import_one_name_from_each_other(project: Project) -> None:
    written = project(
        """
        === services/__init__.py
        try:
            from . import mail # <mail>
        except ImportError:
            mail = None # <mail>
        === services/mail.py
        def send(): ... # <def send>
        === one.py
        try:
            from two import shared
        except ImportError:
            shared = None
        === two.py
        try:
            from one import shared
        except ImportError:
            shared = None
        === use.py
        from services import mail # <mail>
        from one import shared
        mail.send() # <send> <mail>
        shared.send()
        """
    )
    written.check("send")


def test_a_star_import_gives_what_all_lists_else_what_is_public(project: Project) -> None:
    written = project(
        """
        === pkg/api.py
        class Base: ...
        === pkg/impl/__init__.py
        from pkg.impl.api import *
        from pkg.impl.plain import *
        from pkg.impl.grown import *
        === pkg/impl/api.py
        import typing
        from pkg import api
        __all__: typing.Sequence[str] = ("Made", "_kept")  # <Made> <kept>
        class Made(api.Base): ...  # <def Made>
        def _kept(): ...  # <def kept>
        def unlisted(): ...  # <def unlisted>
        === pkg/impl/plain.py
        def _private(): ...  # <def private>
        def public(): ...  # <def public>
        === pkg/impl/grown.py
        from pkg.impl import plain
        __all__ = ["first"]
        __all__ += plain.names()
        def first(): ...
        def second(): ...  # <def second>
        === user.py
        from pkg.impl import *
        from pkg.impl import _kept, _private, api, public, second, unlisted  # <kept> <public> <second>
        api.Made()  # <Made>
        """
    )
    written.check("Made", "Made")
    for mark in ("kept", "private"):
        written.check(mark, f"_{mark}")
    for mark in ("unlisted", "public", "second"):
        written.check(mark, mark)
