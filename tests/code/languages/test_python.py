"""References in Python projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_class_method_that_takes_type_of_t_gives_an_instance_of_the_heir(project: Project) -> None:
    written = project(
        """
        === base.py
        from typing import TypeVar
        T = TypeVar("T", bound="Base")
        class Base:
            @classmethod
            def parse(cls: type[T], text: str) -> T:
                return cls()
        class Heir(Base):
            def allows(self): pass  # <def allows>
        === use.py
        from base import Base, Heir
        Heir.parse("x").allows()  # <allows>
        Base.parse("x").allows()
        """
    )
    written.check("allows")


def test_heirs_of_tuples_and_callables_with_any_arguments(project: Project) -> None:
    written = project(
        """
        === channels.py
        from collections.abc import Callable
        from contextlib import AbstractContextManager
        from typing import TypeAlias
        class channel(tuple["Sender", "Receiver"]): pass
        class Sender:
            def close(self): pass  # <def send>
        class Receiver:
            def close(self): pass  # <def receive>
        Opener: TypeAlias = Callable[  # a remark
            ...,
            AbstractContextManager[Sender],
        ]
        def use(open: Opener):
            first, second = channel()
            first.close()  # <send>
            second.close()  # <receive>
            with open(1) as third:
                third.close()  # <send>
        """
    )
    written.check("send", "close")
    written.check("receive", "close")


def test_a_substitute_for_an_import_has_the_uses_of_what_it_stands_in_for(project: Project) -> None:
    written = project(
        """
        === real.py
        class Thing: pass  # <Thing>
        === routes.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from real import Thing  # <Thing>
        else:
            Thing = None  # <def Thing>
        def f(x: Thing): pass  # <Thing>
        === client.py
        try:
            from ssl import Context  # <Context>
        except ImportError:
            Context = object  # <def Context>
        Context()  # <Context>
        === other.py
        import ssl
        from ssl import Context  # <Context>
        from real import Thing  # <Thing>
        from lss import Context as Else
        Context(), ssl.Context, Thing()  # <Context> <Thing>
        """
    )
    written.check("Thing")
    written.check("Context")


def test_a_substitute_for_a_module_has_the_uses_of_that_module(project: Project) -> None:
    written = project(
        """
        === types.py
        try:
            import extensions  # <extensions>
        except ImportError:
            extensions = None  # <def extensions>
        if extensions is not None:  # <extensions>
            extensions.Self  # <extensions>
        === other.py
        from extensions import Self  # <extensions>
        import extensions.deep as deep  # <extensions>
        import changed as extended
        def f(extensions):
            return extensions.Self
        """
    )
    written.check("extensions")


def test_of_several_star_imports_the_last_one_gives_the_name(project: Project) -> None:
    written = project(
        """
        === first.py
        def make(): pass
        === second.py
        def make(): pass  # <def make>
        === app.py
        from first import *
        from second import *
        make()  # <make>
        """
    )
    written.check("make")


def test_operators_give_what_their_method_gives(project: Project) -> None:
    written = project(
        """
        === paths.py
        class Node:
            def name(self): pass  # <def name>
        class Path:
            def __truediv__(self, other) -> Node: ...
            def __add__(self, other): return self
            def __invert__(self) -> Node: ...
            def name(self): pass  # <def own>
        class Meta(type):
            def __and__(cls, other): ...
        class Rule(metaclass=Meta):
            def allow(self): pass  # <def allow>
        (Path() / "x").name()  # <name>
        (Path() + "x").name()  # <own>
        (Path() - "x").name()  # <own>
        (~Path()).name()  # <name>
        (-Path()).name()  # <own>
        (Rule & Rule)().allow()
        Rule().allow()  # <allow>
        """
    )
    written.check("name")
    written.check("own", "name")
    written.check("allow")


def test_self_may_be_named_through_its_module(project: Project) -> None:
    written = project(
        """
        === a.py
        import typing_extensions as te
        class Base:
            @classmethod
            def make(cls) -> te.Self: ...
            def items(self: te.Self):
                return self.held()  # <held>
            def held(self): pass  # <def held>
        class Heir(Base):
            def own(self): pass  # <def own>
        Heir.make().own()  # <own>
        Base.make().held()  # <held>
        """
    )
    written.check("held")
    written.check("own")


def test_a_class_that_imports_a_method(project: Project) -> None:
    written = project(
        """
        === parts.py
        class Made:
            size = 1  # <def size>
        def make(self) -> Made: ...  # <def make>
        === whole.py
        class Whole:
            from parts import make  # <make>
        Whole().make().size  # <make> <size>
        """
    )
    written.check("make")
    written.check("size")


def test_patterns_name_constants_classes_and_members(project: Project) -> None:
    written = project(
        """
        === m.py
        from enum import Enum
        class Field:
            class Type(Enum):
                DATE = 1  # <def date>
        class Circle:
            radius: "Length"  # <def radius>
            def area(self): ...  # <def area>
        class Square:
            def area(self): ...
        class Length:
            def metres(self): ...  # <def metres>
        def f(kind, shape):
            match kind:
                case Field.Type.DATE | 3:  # <date>
                    pass
                case [Field.Type.DATE, *rest]:  # <date>
                    pass
            match shape:
                case Circle(radius=long) as round:  # <radius>
                    long.metres()  # <metres>
                    round.area()  # <area>
                    shape.area()  # <area>
        """
    )
    written.check("date", "DATE")
    for name in ("radius", "metres", "area"):
        written.check(name)


def test_classes_have_the_members_of_their_metaclass(project: Project) -> None:
    written = project(
        """
        === m.py
        class Meta(type):
            flags: dict  # <def flags>
        class Base(metaclass=Meta): ...
        class Heir(Base):
            @classmethod
            def all(cls):
                return cls.flags  # <flags>
        Heir.flags  # <flags>
        Heir().flags
        """
    )
    written.check("flags")


def test_a_key_is_handed_the_elements(project: Project) -> None:
    written = project(
        """
        === m.py
        class Tag:
            name = ""  # <def name>
        def f(tags: list[Tag], other):
            tags.sort(key=lambda t: t.name)  # <name>
            max(tags, key=lambda t: t.name)  # <name>
            other(tags, key=lambda t: t.name)
            return sorted(tags, key=lambda t: t.name)  # <name>
        """
    )
    written.check("name")


def test_a_test_of_the_type_hides_nothing(project: Project) -> None:
    written = project(
        """
        === m.py
        from http import Refusal
        class Found:
            body = ""  # <def body>
        def find():
            return Found() or Refusal()
        def f():
            found = find()
            if isinstance(found, Refusal):
                return found
            return found.body  # <body>
        """
    )
    written.check("body")


def test_keywords_name_the_fields_that_a_constructor_collects(project: Project) -> None:
    written = project(
        """
        === model.py
        from typing import Any, Generic, TypeVar
        T = TypeVar("T")
        class Model:
            def __init__(self, **data: Any): ...  # <def __init__>
        class Page(Model, Generic[T]):
            title: str  # <def title>
            limit = 3
        Page[int](title="a", limit=2)  # <title>
        Model[int](title="b")
        """
    )
    written.check("title")
    assert written.possible("__init__") == {("model.py", 9), ("model.py", 8)}


def test_global_classes_and_functions_are_the_modules(project: Project) -> None:
    written = project(
        """
        === m.py
        def setup():
            global Product, make  # <Product> <make>
            class Product:  # <def Product>
                def sell(self): ...  # <def sell>
            def make():  # <def make>
                return Product()  # <Product>
        def use():
            Product()  # <Product>
            make().sell()  # <make> <sell>
        """
    )
    written.check("Product")
    written.check("make")
    written.check("sell")


def test_undeclared_members_are_what_getattr_gives(project: Project) -> None:
    written = project(
        """
        === m.py
        class Expression:
            name = ""  # <def name>
            def __getattr__(self, key) -> "Expression": ...
        class Table(Expression):
            rows = 1
        Table().frame.name  # <name>
        Table().rows.name
        """
    )
    written.check("name")


def test_what_a_method_gives_of_itself_is_of_the_class_it_is_called_on(project: Project) -> None:
    written = project(
        """
        === m.py
        class Base:
            def __enter__(self):
                return self
            def copied(self):
                made = self.__class__()
                made.note = 1
                return made
            def changed(self):
                return self.copied()
            def other(self):
                return type(self)() if self else self
            @classmethod
            def read(cls, path):
                key = cls()
                return key
            @classmethod
            def find(cls):
                return cls.read("")
            def base(self):
                return Base()
            def name(self): ...
        class Heir(Base):
            def name(self): ...  # <def name>
            def copied(self):
                return super().copied()
        with Heir() as entered:
            entered.name()  # <name>
        Heir.read("").name()  # <name>
        Heir.find().name()  # <name>
        Heir().copied().name()  # <name>
        Heir().changed().name()  # <name>
        Heir().other().name()  # <name>
        Heir().base().name()
        Base.find().name()
        """
    )
    written.check("name")


def test_of_modules_with_one_name_the_nearest_is_meant(project: Project) -> None:
    written = project(
        """
        === first/app/__init__.py
        def main(): ...
        === first/tests/test_app.py
        from app import main
        === second/app/__init__.py
        def main(): ...  # <def main>
        === second/tests/test_app.py
        from app import main  # <main>
        main()  # <main>
        === util/names.py
        def clean(): ...  # <def clean>
        === second/util/__init__.py
        === second/util/names.py
        def clean(): ...
        === util/__init__.py
        === second/tests/test_names.py
        from util.names import clean  # <clean>
        """
    )
    written.check("main")
    written.check("clean")


def test_a_name_that_a_class_takes_from_outside(project: Project) -> None:
    written = project(
        """
        === m.py
        def describe(): ...  # <def describe>
        class Config:
            describe = staticmethod(describe)  # <describe>
            again = describe
        """
    )
    written.check("describe")


def test_one_slot_is_named_by_a_string(project: Project) -> None:
    written = project(
        """
        === m.py
        class Options:
            __slots__ = "_owner"  # <owner>
            def __init__(self, owner):
                self._owner = owner  # <def owner>
        """
    )
    written.check("owner", "_owner")


def test_members_are_what_a_test_says_in_its_branch_or_after_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Kind: ...
        class Named(Kind):
            name = ""  # <def name>
        class Other(Kind):
            name = ""
        class Visitor:
            kind: Kind
            def visit(self, items: list[Kind]):
                if isinstance(self.kind, Named) and self.kind.name:  # <name>
                    self.kind.name  # <name>
                elif isinstance(self.kind, Other):
                    self.kind.name
                else:
                    self.kind.name
                self.kind.name
                if not isinstance(items[0], (Named, Visitor)):
                    return
                items[0].name  # <name>
                assert isinstance(self.kind, Named)
                self.kind.name  # <name>
                self.kind = Other()
                self.kind.name
            def later(self):
                self.kind.name
                if isinstance(found := self.kind, Named):
                    found.name  # <name>
        """
    )
    written.check("name")


def test_a_dictionary_holds_any_of_its_values(project: Project) -> None:
    written = project(
        """
        === m.py
        class First:
            def name(self): ...
        class Second:
            def name(self): ...  # <def name>
        KINDS = {"first": First, "second": Second, **{}}
        KINDS["x"]().name()  # <name>
        for kind in KINDS.values():
            kind.name  # <name>
        """
    )
    written.check("name")


def test_a_default_is_of_the_member_that_an_ancestor_declares_with_a_type(project: Project) -> None:
    written = project(
        """
        === m.py
        class Context:
            inserts: bool  # <def inserts>
            plain = None
            def run(self): ...  # <def run>
        class Default(Context):
            inserts = False
            plain = 1  # <def plain>
            run = print
            def go(self):
                self.inserts  # <inserts>
                self.plain  # <plain>
                self.run()  # <run>
        class Heir(Default):
            inserts: bool = True
            def go(self):
                self.inserts
                self.plain  # <plain>
        """
    )
    for mark in ("inserts", "plain", "run"):
        written.check(mark)


def test_a_constructor_below_collects_no_keywords_for_fields_above(project: Project) -> None:
    written = project(
        """
        === m.py
        class View:
            columns: list[str] = []  # <def columns>
            def __init__(self, name): ...
        class Custom(View):
            def __init__(self, name, **kwargs: object):
                super().__init__(name)
        Custom("name", columns=["a"])
        Custom("name").columns  # <columns>
        """
    )
    written.check("columns")


def test_overloads_say_what_a_call_gives_whatever_carries_them_out(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import overload
        class Plan:
            def run(self): ...  # <def run>
        class Filtered(Plan):
            def run(self): ...
        @overload
        def make(count: int) -> Plan: ...
        @overload
        def make(count: str) -> list[Plan]: ...
        def make(count):
            return Filtered()
        make(1).run()  # <run>
        """
    )
    written.check("run")


def test_a_generator_gives_what_it_yields_when_it_is_sent_something(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import Generator
        class Request:
            headers = {}  # <def headers>
        def flow(request: Request) -> Generator[Request, str, None]:
            yield request
        def f():
            request = Request()
            started = flow(request)
            request = next(started)
            request.headers  # <headers>
            request = started.send("answer")
            request.headers  # <headers>
            request = started.__next__()
            request.headers  # <headers>
        """
    )
    written.check("headers")
