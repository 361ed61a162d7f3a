"""Classes in Python: the order of ancestors, what makes instances, what type variables stand for."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_an_ancestor_comes_after_all_its_heirs(project: Project) -> None:
    written = project(
        """
        === m.py
        class Dialect:
            name: str  # <def above>
        class Reflecting(Dialect): ...
        class Default(Dialect):
            name: str = "default"  # <def name>
        class Own(Reflecting, Default):
            def __init__(self):
                self.name = "own"  # <name>
        class Apart(Default, Dialect): ...
        class Odd(Dialect, Default): ...
        Own().name, Apart().name  # <name>
        Odd().name  # <above>
        """
    )
    written.check("name")
    written.check("above", "name")


def test_an_instance_is_made_without_its_constructor(project: Project) -> None:
    written = project(
        """
        === m.py
        class State:
            kept = 1  # <def kept>
            @classmethod
            def make(cls):
                self = cls.__new__(cls)
                self.kept  # <kept>
                return self
            def copied(self):
                other = object.__new__(self.__class__)
                other.kept  # <kept>
                return other
            def __new__(cls):
                made = super().__new__(cls)
                made.kept  # <kept>
                return made
        class Heir(State):
            kept = 2  # <def heir>
        State.make().kept  # <kept>
        State().copied().kept  # <kept>
        Heir.make().kept  # <heir>
        Heir().copied().kept  # <heir>
        """
    )
    written.check("kept")
    written.check("heir", "kept")


def test_the_constructor_that_accepts_a_call_tells_what_is_made(project: Project) -> None:
    written = project(
        """
        === variables.py
        from typing import TypeVar
        R = TypeVar("R")
        I = TypeVar("I")
        === m.py
        from typing import Generic, Iterator, overload
        from variables import I, R
        class Tree:
            meta = {}  # <def meta>
        class Shaper(Generic[R]): ...
        class Leaf:
            meta = {}  # <def leaf>
        class Match(Generic[R]):
            value: R
        class Parser(Generic[R]):
            @overload
            def __init__(self: "Parser[I]", grammar: str, *, shaper: Shaper[I]) -> None: ...
            @overload
            def __init__(self: "Parser[Tree]", grammar: str, **options) -> None: ...
            def __init__(self, grammar, **options): ...
            def parse(self) -> R: ...
            def scan(self) -> Iterator[Match[R]]: ...
        class Own(Parser[Leaf]): ...
        Parser("g").parse().meta  # <meta>
        for found in Parser("g", level=3).scan():
            found.value.meta  # <meta>
        Own("g").parse().meta  # <leaf>
        """
    )
    written.check("meta")
    written.check("leaf", "meta")


def test_a_slice_holds_what_its_sequence_holds(project: Project) -> None:
    written = project(
        """
        === m.py
        class Base:
            name = ""  # <def name>
            def __getitem__(self, key) -> "Entry": ...
        class Entry:
            name = ""  # <def entry>
        class Info:
            mro: list[Base]
        def f(info: Info, pair: tuple[Entry, Base], given: int):
            for base in info.mro[1:-1]:
                base.name  # <name>
            info.mro[given:][0].name  # <name>
            info.mro[0].name  # <name>
            info.mro[0][1:].name  # <entry>
            [each] = pair[1:]
            each.name  # <name> <entry>
        """
    )
    written.check("name")
    written.check("entry", "name")


def test_a_test_in_a_branch_that_raises_says_nothing_behind_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Old:
            run = 1  # <def old>
        class Key:
            @classmethod
            def create(cls, other=None):
                key = cls()
                if other:
                    if isinstance(key, Old):
                        key.run  # <old>
                        raise ValueError
                    other = 1
                return key
        class Own(Key):
            run = 2  # <def run>
        Own.create().run  # <run>
        """
    )
    written.check("old", "run")
    written.check("run")


def test_a_decorator_with_type_parameters_makes_what_the_function_gives(project: Project) -> None:
    written = project(
        """
        === reading.py
        from typing import Any, Callable, Generic, TypeVar, overload
        T = TypeVar("T")
        V = TypeVar("V")
        class setter(Generic[T, V]):
            def __init__(self, method: Callable[[T], V]): ...
            @overload
            def __get__(self, instance: None, owner: Any) -> "setter": ...
            @overload
            def __get__(self, instance: T, owner: Any) -> V: ...
        class Later(Generic[V]):
            def get(self) -> V: ...
        def later(function: Callable[..., V]) -> Later[V]: ...
        === use.py
        from reading import later, setter
        class Body:
            def close(self): ... # <def close>
        class Test:
            @setter
            def body(self) -> Body: ...
            def run(self):
                self.body.close() # <close>
        @later
        def opened() -> Body: ...
        opened.get().close() # <close>
        """
    )
    written.check("close")


def test_super_of_a_class_that_is_named(project: Project) -> None:
    written = project(
        """
        === base.py
        class Base:
            def __init__(self): ... # <def __init__>
            def close(self): ... # <def close>
        class Heir(Base):
            def __init__(self, kind):
                super().__init__() # <__init__>
                super(Heir, self).close() # <close>
                def patched(self):
                    super(kind, self).__init__()
        """
    )
    written.check("__init__")
    written.check("close")


def test_a_factory_of_an_ancestor_makes_heirs_whatever_it_makes_them_from(project: Project) -> None:
    written = project(
        """
        === m.py
        class Line: ...
        class Point:
            def __init__(self, name, line):
                self.name = name
                self.line = line
            @classmethod
            def of(cls, frame):
                return cls(frame.name, Line())
        class Wide(Point):
            @classmethod
            def of(cls, frame):
                made = super().of(frame)
                made.fill()  # <fill>
                return made
            def fill(self): ...  # <def fill>
        Wide.of(1).fill()  # <fill>
        """
    )
    written.check("fill")


def test_an_object_that_decorates_makes_what_calling_it_gives(project: Project) -> None:
    written = project(
        """
        === m.py
        class Graph:
            def invoke(self): ...  # <def invoke>
        class entrypoint:
            def __init__(self, *, keeps=None): ...
            def __call__(self, function) -> Graph: ...
        class retried:
            def __call__(self, function):
                def again(*args, **more):
                    return function(*args, **more)
                return again
        @entrypoint(keeps=1)
        def flow(state: dict) -> dict: ...
        @retried()
        def made() -> Graph: ...
        flow.invoke()  # <invoke>
        made().invoke()  # <invoke>
        """
    )
    written.check("invoke")


def test_what_is_called_though_its_decorator_made_nothing_that_runs_is_the_function(project: Project) -> None:
    written = project(
        """
        === m.py
        from functools import partial
        from typing import Callable
        class Graph:
            def nodes(self): ...  # <def nodes>
        class dispatched:
            def __new__(cls, function=None, *, returns=False):
                if function is None:
                    return partial(dispatched, returns=returns)
                return object.__new__(cls)
            def _plain(self): ...
            __call__: Callable = _plain
        class mapped:
            def __call__(self, function):
                def compiled(*args, __wrapper=None, **more):
                    return find(__wrapper)(*args, **more)
                return compiled
        @dispatched(returns=True)
        def path_graph():
            return Graph()
        @mapped()
        @dispatched
        def read_graph(path):
            return Graph()
        path_graph().nodes()  # <nodes>
        read_graph("a").nodes()
        """
    )
    written.check("nodes")


def test_a_class_below_a_class_as_decorator_is_an_object_that_keeps_it(project: Project) -> None:
    written = project(
        """
        === drive.py
        class Single:
            def __init__(self, decorated):
                self.decorated = decorated
            def instance(self): # <def instance>
                return self.decorated()

        @Single
        class Drive: # <def Drive>
            def open(self): ... # <def open>

        Drive.instance() # <instance> <Drive>
        def held(drive: Drive): # <Drive>
            drive.open() # <open>
        """
    )
    written.check("instance")
    written.check("open")
    written.check("Drive")


def test_a_variable_inside_a_constructor_is_not_one_of_its_parameters(project: Project) -> None:
    written = project(
        """
        === m.py
        class Error(Exception):
            def __init__(self, **given: object) -> None:
                for name, payload in given.items():
                    setattr(self, name, payload)
        class Indexed(Error):
            payload: dict[str, str]  # <def payload>
        Indexed(payload={"key": "value"})  # <payload>
        """
    )
    written.check("payload")


def test_keywords_of_an_instance_that_is_called_are_not_its_fields(project: Project) -> None:
    written = project(
        """
        === m.py
        class Field:
            def __init__(self):
                self.label = "name"  # <def label>
            def __call__(self, **attributes): ...
        class Form:
            name = Field()
        Form().name(label="other")
        print(Form().name.label)  # <label>
        """
    )
    written.check("label")


def test_what_a_bar_gives_is_what_its_method_says(project: Project) -> None:
    written = project(
        """
        === m.py
        class Step:
            def __or__(self, other) -> "Chain": ...
            def run(self): ...  # <def step>
        class Late:
            def __ror__(self, other) -> "Chain": ...
            def run(self): ...  # <def late>
        class Chain:
            def __or__(self, other) -> "Chain": ...
            def run(self): ...  # <def chain>
        class Flags:
            def run(self): ...  # <def flags>
        Any = Step | Late
        def f(unknown, step: Step, late: Late, one: Flags, two: Flags, either: Any):
            (step | step).run()  # <chain>
            (step | step | late).run()  # <chain>
            (unknown | late).run()  # <chain>
            (one | two).run()  # <flags>
            (unknown | one).run()  # <flags>
            either.run()  # <step> <late>
            (step or late).run()  # <step> <late>
        """
    )
    for mark in ("chain", "flags", "step", "late"):
        written.check(mark, "run")


def test_what_a_comparison_gives_is_what_its_method_says(project: Project) -> None:
    written = project(
        """
        === m.py
        class Field:
            def __eq__(self, other) -> "Condition": ...
            def __lt__(self, other) -> "Condition": ...
            def run(self): ...  # <def field>
        class Condition:
            def __and__(self, other) -> "Condition": ...
            def run(self): ...  # <def condition>
        class Plain:
            field = Field()
            def run(self): ...  # <def plain>
        def f(field: Field, plain: Plain):
            found = field == "a"
            found.run()  # <condition>
            named = plain.field == "a"
            named.run()  # <condition>
            both = (field < 1) & (field == 2)
            both.run()  # <condition>
            (field == 3).run()  # <condition>
            same = plain == plain
            same.run()  # <>
            chained = field < field < field
            chained.run()  # <>
            given(field).run()  # <condition>
        def given(field: Field):
            return field == 1
        """
    )
    for mark in ("condition", "field", "plain"):
        written.check(mark, "run")


def test_what_an_instance_that_cannot_be_called_is_given_by_name_is_no_field(project: Project) -> None:
    written = project(
        """
        === m.py
        class Worker:
            functions: list  # <def functions>
        def test(worker):
            worker: Worker = worker(functions=[])
            worker.functions  # <functions>
        """
    )
    written.check("functions")


def test_what_may_be_the_receiver_still_is_of_the_class_that_it_is_called_on(project: Project) -> None:
    written = project(
        """
        === m.py
        import copy
        class Effect:
            def apply(self, clip: "Clip") -> "Clip": ...
        class Clip:
            def copy(self):
                return copy.copy(self)
            def changed(self, effects: list[Effect]):
                new = self.copy()
                for effect in effects:
                    new = effect.apply(new)
                return new
            def replaced(self, effect: Effect):
                new = self.copy()
                new = effect.apply(new)
                return new
            def close(self): ...  # <def close>
        class Audio(Clip):
            def sound(self): ...  # <def sound>
        def f(audio: Audio, effect: Effect):
            audio.changed([]).sound()  # <sound>
            audio.changed([]).close()  # <close>
            audio.replaced(effect).sound()
            audio.replaced(effect).close()  # <close>
        """
    )
    written.check("sound")
    written.check("close")
