"""Python: what its library, descriptors, stubs and imports make of values and names."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_functions_of_the_library_give_what_they_are_given_or_what_that_holds(project: Project) -> None:
    written = project(
        """
        === m.py
        import asyncio
        import itertools
        import random
        import weakref
        from collections import defaultdict
        from dataclasses import replace
        from itertools import chain
        class Row:
            def name(self): ...  # <def name>
        class Other:
            def name(self): ...
        async def fetch() -> Row: ...
        async def other() -> Other: ...
        def use(rows: list[Row], table: dict[str, Row], lists: list[list[Row]], one: Row):
            for row in itertools.chain(rows, table.values()):
                row.name()  # <name>
            for row in chain.from_iterable(lists):
                row.name()  # <name>
            random.choice(rows).name()  # <name>
            replace(one, size=1).name()  # <name>
            weakref.ref(one)().name()  # <name>
            dict(sorted(table.items()))["x"].name()  # <name>
            for row in dict(table).values():
                row.name()  # <name>
            made = defaultdict(Row)
            made["x"].name()  # <name>
        async def together():
            row, another = await asyncio.gather(fetch(), other())
            row.name()  # <name>
            another.name()
            task = asyncio.create_task(fetch())
            (await task).name()  # <name>
        """
    )
    written.check("name")


def test_a_partial_call_names_the_parameters_of_the_function(project: Project) -> None:
    written = project(
        """
        === m.py
        import functools
        class Row:
            def name(self): ...  # <def name>
        def make(kind, *, size=1) -> Row:  # <def size>
            return Row()
        def other(size=1): ...
        later = functools.partial(make, "x", size=2)  # <size>
        later().name()  # <name>
        functools.partial(other, size=2)
        """
    )
    written.check("name")
    written.check("size")


def test_what_a_descriptor_gives_is_what_is_read(project: Project) -> None:
    written = project(
        """
        === options.py
        from typing import Generic, TypeVar, overload
        T = TypeVar("T")
        class Config: ...
        class Option(Generic[T]):
            @overload
            def __get__(self, obj: Config, type=None) -> T: ...
            @overload
            def __get__(self, obj, type=None) -> "Option": ...
            def __get__(self, obj, type=None):
                return self if obj is None else obj.held
            def check(self): ...  # <def check>
        class Themes(Option["Theme"]): ...
        class Theme:
            def show(self): ...  # <def show>
        class Sub(Option[T]):
            def __init__(self, made: type[T]) -> None: ...
        class Plain:
            def show(self): ...
        class Settings(Config):
            theme = Themes()
            sub = Sub(Theme)
            def __init__(self):
                self.own = Themes()
        === use.py
        from options import Settings
        def use(settings: Settings):
            settings.theme.show()  # <show>
            settings.sub.show()  # <show>
            settings.theme.check()
            Settings.theme.check()  # <check>
            Settings.theme.show()
            settings.own.check()  # <check>
        """
    )
    written.check("show")
    written.check("check")


def test_an_import_takes_what_the_module_made_of_the_name(project: Project) -> None:
    written = project(
        """
        === base.py
        logger = make()  # <def base>
        def plain(): ...  # <def plain>
        === part.py
        from base import logger  # <base>
        logger = logger.child("part")  # <base> <far>
        logger.info()  # <base> <far>
        try:
            from base import plain  # <plain>
        except ImportError:
            plain = None  # <plain>
        === use.py
        from part import logger, plain  # <far> <plain>
        logger.info()  # <far>
        plain()  # <plain>
        === far.py
        from part import logger  # <far>
        logger = logger.child("far")  # <def far>
        === direct.py
        from base import logger  # <base>
        logger.info()  # <base>
        """
    )
    written.check("base", "logger")
    written.check("far", "logger")
    written.check("plain")


def test_fields_that_heirs_of_a_transforming_class_declare_are_keywords(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import dataclass_transform
        class Parameter: ...
        @dataclass_transform(field_specifiers=(Parameter,))
        class Task:
            def __init__(self, *args, **kwargs): ...
        class Other:
            def __init__(self, *args, **kwargs): ...
        class Count(Task):
            stop = Parameter()  # <def stop>
        class Heir(Other):
            stop = Parameter()
        Count(stop=1)  # <stop>
        Heir(stop=1)
        """
    )
    written.check("stop")


def test_a_class_that_keeps_its_instance_gives_one_of_the_heir(project: Project) -> None:
    written = project(
        """
        === m.py
        class Base:
            one = None
            other = None
            @classmethod
            def instance(cls):
                if cls.one is None:
                    cls.one = cls()
                return cls.one
            @classmethod
            def fixed(cls):
                cls.other = Base()
                return cls.other
        class Heir(Base):
            def name(self): ...  # <def name>
        Heir.instance().name()  # <name>
        Heir.fixed().name()
        """
    )
    written.check("name")


def test_a_stub_says_what_its_module_gets_while_it_runs(project: Project) -> None:
    written = project(
        """
        === shapes/__init__.py
        import lazy
        __getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
        === shapes/__init__.pyi
        from .round import circle  # <circle>
        === shapes/round.py
        def circle(): ...  # <def circle>
        === use.py
        import shapes
        from shapes import circle  # <circle>
        circle()  # <circle>
        shapes.circle()  # <circle>
        """
    )
    written.check("circle")


def test_a_text_as_index_chooses_the_overload_that_names_it(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Literal, TypedDict, overload
        class Names:
            def sort(self): ...  # <def names>
        class Glyphs:
            def sort(self): ...
        class Any:
            def sort(self): ...  # <def any>
        class Font:
            @overload
            def __getitem__(self, tag: Literal["name", "names"]) -> Names: ...
            @overload
            def __getitem__(self, tag: Literal["glyf"]) -> Glyphs: ...
            @overload
            def __getitem__(self, tag: str) -> Any: ...
            def __getitem__(self, tag): ...
        class Record(TypedDict):
            first: Names
            second: Glyphs
        def use(font: Font, tag: str, record: Record):
            font["name"].sort()  # <names>
            font["names"].sort()  # <names>
            font["glyf"].sort()
            font[tag].sort()  # <any>
            font["other"].sort()  # <any>
            record["first"].sort()  # <names>
            record["second"].sort()
        """
    )
    written.check("names", "sort")
    written.check("any", "sort")


def test_a_literal_names_no_symbol(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Literal
        def run(): ...  # <def run>
        def use(mode: Literal["run", "stop"], other: "Literal['run']" = "run"): ...
        modes = list[Literal["run"]]
        run()  # <run>
        """
    )
    written.check("run")


def test_a_keyword_of_a_foreign_constructor_is_a_field_only_where_that_has_a_type(project: Project) -> None:
    written = project(
        """
        === m.py
        import attr
        from foreign import Column, Model
        from pydantic import BaseModel
        class Typed(BaseModel):
            size: int = 1  # <def typed>
        class Row(Model):
            width = Column()  # <def width>
        @attr.s
        class Old:
            depth = attr.ib()  # <def depth>
        Typed(size=1)  # <typed>
        Row(width=1)
        Old(depth=1)  # <depth>
        """
    )
    written.check("typed", "size")
    written.check("width")
    written.check("depth")
    assert ("m.py", 12) in written.possible("width")


def test_a_class_of_a_type_parameter_makes_what_that_is_bound_by(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import TypeVar
        class Master:
            def stop(self): ...  # <def stop>
            @classmethod
            def load(cls): ...  # <def load>
        class Heir(Master):
            def own(self): ...  # <def own>
        T = TypeVar("T", bound=Master)
        def run(made: type[T]) -> T:
            master = made()
            master.stop()  # <stop>
            made.load()  # <load>
            def later():
                master.stop()  # <stop>
            return master
        run(Heir).own()  # <own>
        """
    )
    written.check("stop")
    written.check("load")
    written.check("own")


def test_what_and_gives_the_least_of_several_and_a_dictionary_of_pairs(project: Project) -> None:
    written = project(
        """
        === m.py
        class First:
            def run(self): ...  # <def first>
            def __getitem__(self, at): return Second()
        class Second:
            def run(self): ...  # <def second>
        def use(one: First | None, two: Second | None):
            both = one and two
            both.run()  # <second>
            either = one or two
            either.run()  # <first> <second>
            min(First(), First()).run()  # <first>
            max(First(), First(), key=lambda each: each.run()).run()  # <first>
            made = dict([("a", First())])
            made["a"].run()  # <first>
        """
    )
    written.check("first", "run")
    written.check("second", "run")


def test_a_constructor_of_nothing_but_keywords_hands_them_to_the_foreign_one(project: Project) -> None:
    written = project(
        """
        === m.py
        from foreign import Model
        class Base(Model):
            key: str  # <def key>
        class Wallet(Base):
            name: str  # <def name>
            def __init__(self, **data):
                super().__init__(**data)
        class View(Model):
            columns: list[str]  # <def columns>
            def __init__(self, title, **options):
                super().__init__(title)
        class Plain:
            size: int  # <def size>
            def __init__(self, **options): ...
        Wallet(key="a", name="b")  # <key> <name>
        View("title", columns=[])
        Plain(size=1)
        """
    )
    for mark in ("key", "name", "columns", "size"):
        written.check(mark)


def test_a_sum_is_of_what_it_adds_up(project: Project) -> None:
    written = project(
        """
        === m.py
        class Pipe:
            def __add__(self, other: "Pipe") -> "Pipe": ...
            def run(self): ...  # <def run>
        class Empty(Pipe):
            def run(self): ...  # <def empty>
        def f(pipes: dict[str, Pipe]):
            sum(pipes.values()).run()  # <run>
            sum(pipes.values(), Empty()).run()  # <run> <empty>
        """
    )
    written.check("run")
    written.check("empty", "run")


def test_arguments_are_parsed_into_what_is_given_for_them(project: Project) -> None:
    written = project(
        """
        === m.py
        import argparse
        class Args(argparse.Namespace):
            debug: bool  # <def debug>
        class Mine:
            def parse_args(self, rest=(), namespace=None) -> str: ...
        def f(parser: argparse.ArgumentParser):
            parser.parse_args(namespace=Args()).debug  # <debug>
            args = argparse.ArgumentParser().parse_args(None, Args())
            args.debug  # <debug>
            Mine().parse_args(namespace=Args()).debug
            parser.parse_args().debug
        """
    )
    written.check("debug")


def test_a_method_with_some_arguments_given_is_that_method(project: Project) -> None:
    written = project(
        """
        === m.py
        from functools import partialmethod
        class Answer:
            def count(self): ...  # <def count>
        class Mock:
            def add(self, method: str, url: str) -> Answer: ...
            get = partialmethod(add, "GET")
        mock = Mock()
        get = mock.get
        get("/").count()  # <count>
        Mock().get("/").count()  # <count>
        """
    )
    written.check("count")


def test_a_model_is_made_by_checking_and_by_copying_it(project: Project) -> None:
    written = project(
        """
        === m.py
        from pydantic import BaseModel
        class Base(BaseModel): ...
        class Item(Base):
            label: str  # <def label>
        class Plain:
            label: str
        class Own(BaseModel):
            label: str
            @classmethod
            def model_validate(cls, data) -> str: ...
        def f(data):
            item = Item.model_validate(data)
            item.label  # <label>
            item.model_copy().label  # <label>
            Item.model_validate_json("{}").label  # <label>
            Plain.model_validate(data).label
            Own.model_validate(data).label
        """
    )
    written.check("label")
