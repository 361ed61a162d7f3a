"""Python: which values of a name count where."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_an_assignment_ends_what_a_name_held_before_up_to_the_end_of_its_block(project: Project) -> None:
    written = project(
        """
        === m.py
        class First:
            def name(self): ...  # <def name>
        class Second:
            def name(self): ...
        class Third:
            def name(self): ...
        def in_order(unknown):
            x = First()
            x.name()  # <name>
            x = Second()
            x.name()
            x = unknown.call()
            x.name()
        def branches(flag):
            x = First()
            if flag:
                x = Second()
                x.name()
            x.name()  # <name>
            if flag:
                x = Second()
            elif not flag:
                raise ValueError(x.name())  # <name>
            else:
                with Third() as y:
                    x = Third()
                x.name()
            x.name()
        def loops(many: list[First]):
            x = Second()
            for x in many:
                x.name()  # <name>
                x = Third()
                x.name()
            x.name()  # <name>
        def changed(change):
            x = First()
            x = change(x)
            x.name()  # <name>
        def left(flag):
            x = Second()
            if flag:
                x = First()
                return x.name()  # <name>
            x.name()
            try:
                x = First()
            finally:
                x = Third()
            x.name()
        def declared():
            x: First = Second()
            x = Third()
            x.name()  # <name>
        """
    )
    written.check("name")


def test_exceptions_caught_under_one_name_are_kept_apart(project: Project) -> None:
    written = project(
        """
        === m.py
        class Wrong(Exception):
            code = 1  # <def code>
        class Late(Exception):
            code = 2
        def f():
            try:
                g()
            except Wrong as error:
                error.code  # <code>
            except Late as error:
                error.code
        """
    )
    written.check("code")


def test_what_a_test_affirms_does_not_hold_in_other_branches(project: Project) -> None:
    written = project(
        """
        === m.py
        class Kind: ...
        class First(Kind):
            name = ""  # <def name>
        class Second(Kind):
            name = ""
        def f(x: Kind, y: Kind, z: Kind, w: Kind):
            if isinstance(x, First) and not x.late:
                x.name  # <name>
            elif isinstance(x, Second):
                x.name
            x.name  # <name>
            if isinstance(y, First):
                return y.name  # <name>
            y.name
            if not isinstance(z, First) or z.name:  # <name>
                z.name
            else:
                z.name  # <name>
            match w:
                case First():
                    w.name  # <name>
                case Second():
                    w.name
        def g(x: Kind, y: Kind, z):
            if type(x) is First:
                x.name  # <name>
            elif Second == type(x) or type(x) == Second:
                x.name
            if type(y) is not First:
                raise y.name
            y.name  # <name>
            if z in (First, Second) or type(z.late) is None:
                z.name
        """
    )
    written.check("name")


def test_what_a_name_is_made_of_is_what_it_was_before(project: Project) -> None:
    written = project(
        """
        === m.py
        class Plan:
            def made(self): return House()
            def run(self): ...  # <def plan>
        class House:
            def made(self): return Garden()
            def run(self): ...  # <def run>
        class Garden:
            def run(self): ...  # <def garden>
        def build():
            plan = Plan()
            plan.run()  # <plan>
            plan = plan.made()
            plan.run()  # <run>
            plan = unknown(plan)
            plan.run()  # <run>
        def all_of(plan: Plan):
            house = plan.made()
            for house in [house.made()]:
                house.run()  # <garden>
        top = Plan()
        top.run()  # <plan>
        top = top.made()
        top.run()  # <plan> <run>
        """
    )
    written.check("run")
    written.check("plan", "run")
    written.check("garden", "run")


def test_what_is_known_of_classes_by_issubclass(project: Project) -> None:
    written = project(
        """
        === use.py
        class Node:
            @classmethod
            def make(cls): ...  # <def make>
        class Other:
            @classmethod
            def make(cls): ...  # <def other>
        class Field:
            def __init__(self, kind, holder):
                assert issubclass(kind, Node)
                self.kind = kind
                if issubclass(holder.kind, Other):
                    holder.kind.make()  # <other>
            def run(self):
                self.kind.make()  # <make>
        """
    )
    written.check("make")
    written.check("other", "make")


def test_a_member_is_what_it_was_given_last(project: Project) -> None:
    written = project(
        """
        === use.py
        class First:
            def run(self): ...  # <def first>
        class Second:
            def run(self): ...  # <def second>
        class Holder:
            held = None
            def __init__(self):
                self.held = First()
                self.held.run()  # <first>
                self.held = Second()
                self.held.run()  # <second>
                if self.held:
                    self.held.run()  # <second>
                    self.held = First()
                    self.held.run()  # <first>
                self.held.run()  # <first> <second>
            def again(self, other):
                self.held = First()
                for each in other:
                    self.held.run()  # <first> <second>
                    self.held = Second()
                self.held = First()
                try:
                    self.held = Second()
                    self.held.run()  # <second>
                finally:
                    self.held.run()  # <first> <second>
            @property
            def made(self) -> First: ...
            @made.setter
            def made(self, value): ...
            def make(self):
                self.made = Second()
                self.made.run()  # <first>
        def use(foreign, holder: Holder):
            foreign.user = First()
            foreign.user.run()  # <first>
            holder.held = Second()
            holder.held.run()  # <second>
            holder = Holder()
            holder.held.run()  # <first> <second>
            foreign = None
            foreign.user.run()
        def loops(holder: Holder, others, item):
            holder.held = First()
            for each in others:
                holder.held.run()  # <first>
                each.holder = holder.held == 1
            while item:
                holder.held.run()  # <first> <second>
                holder = others[0]
        """
    )
    written.check("first", "run")
    written.check("second", "run")


def test_functions_without_a_name_take_what_the_type_of_a_variable_says(project: Project) -> None:
    written = project(
        """
        === use.py
        from typing import Callable, ClassVar
        class Day:
            def name(self): ...  # <def name>
        first: Callable[[Day], str] = lambda day: day.name()  # <name>
        many: list[Callable[[int, Day], str]] = [lambda n, day: day.name()]  # <name>
        class Form:
            rules: ClassVar[dict[str, str | Callable[[Day], str] | None]] = {
                "plain": None,
                "long": lambda day: day.name(),  # <name>
            }
        other = {"long": lambda day: day.name()}
        def walk(days, key: Callable[[Day], str], *, each: Callable[[Day], None]): ...
        walk([], key=lambda day: day.name(), each=lambda day: day.name())  # <name>
        walk([], each=lambda day: (
            day.name()  # <name>
        ))
        sorted([Day()], key=lambda day: day.name())  # <name>
        """
    )
    written.check("name")


def test_what_has_passed_or_failed_a_test_is_nothing_else(project: Project) -> None:
    written = project(
        """
        === m.py
        class First:
            def run(self): ...  # <def first>
        class Second:
            def run(self): ...  # <def second>
        class Heir(First):
            def run(self): ...  # <def heir>
        def plain(x: First | Second):
            if isinstance(x, First):
                x.run()  # <first>
            else:
                x.run()  # <second>
            x.run()  # <first> <second>
        def leaving(x: First | Second, y: First):
            if not isinstance(x, First):
                x.run()  # <second>
                return
            x.run()  # <first>
            if isinstance((y := x), Heir) and y:
                y.run()  # <heir>
            else:
                y.run()  # <first>
        def several(x: First | Second, y):
            if isinstance(x, First) and y:
                x.run()  # <first>
            else:
                x.run()  # <first> <second>
            if isinstance(x, First) or y:
                x.run()  # <first> <second>
            else:
                x.run()  # <second>
            if isinstance(x, First):
                x = Second()
                x.run()  # <second>
        def asserted(x: First | Second, y: First | Second, z: First | Second):
            assert isinstance(x, First), x
            x.run()  # <first>
            isinstance(y, First) and y.run()  # <first>
            y.run()  # <first> <second>
            return (
                z.run()  # <second>
                if not isinstance(z, First)
                else z.run()  # <first>
            )
        def chain(x: First | Second, y):
            if y:
                pass
            elif isinstance(x, First):
                return
            x.run()  # <first> <second>
        """
    )
    written.check("first", "run")
    written.check("second", "run")
    written.check("heir", "run")


def test_a_declared_variable_is_the_heir_that_it_was_given(project: Project) -> None:
    written = project(
        """
        === use.py
        from typing import Any, Protocol
        class Base:
            def run(self): ... # <def base>
        class Heir(Base):
            def run(self): ... # <def heir>
        class Other:
            def run(self): ... # <def other>
        class Runs(Protocol):
            def run(self): ... # <def runs>
        def made() -> Base: ...
        def either(given: Base | str):
            given.run() # <base>
            given = Heir() if isinstance(given, str) else given
            given.run() # <base> <heir>
        def perhaps(given: Base | None = None):
            if given is None:
                given = Heir()
            given.run() # <base> <heir>
        def anything(given: Any):
            given = Heir()
            given.run() # <heir>
        def local():
            one: Base = Heir()
            one.run() # <heir>
            two: Heir = made()
            two.run() # <heir>
            three: Base = Other()
            three.run() # <base>
            four: Runs = Other()
            four.run() # <other>
            def later():
                one.run() # <base>
        kept: Base = Heir()
        kept.run() # <heir>
        def use():
            kept.run() # <base>
        """
    )
    written.check("base", "run")
    written.check("heir", "run")
    written.check("other", "run")
    written.check("runs", "run")


def test_a_loop_brings_back_what_was_given_further_down(project: Project) -> None:
    written = project(
        """
        === use.py
        class Row:
            def size(self): ... # <def size>
        def use(rows):
            last = None
            other = unknown()
            for row in rows:
                if last is not None:
                    last.size() # <size>
                other.size()
                last = other = Row()
        """
    )
    written.check("size")


def test_what_is_declared_as_a_plain_type_is_nothing_of_the_project_but_its_heirs(project: Project) -> None:
    written = project(
        """
        === m.py
        class Locale:
            def describe(self): ...  # <def describe>
        class Name(str):
            def parts(self): ...  # <def parts>
        def found(name: str) -> Locale: ...
        def use(locale: str, other: str | None = None, name: str = ""):
            locale = found(locale)
            locale.describe()
            other = found(other)
            other.describe()
            name = Name()
            name.parts()  # <parts>
            free = found("")
            free.describe()  # <describe>
        """
    )
    written.check("describe")
    written.check("parts")


def test_behind_branches_a_member_is_what_any_of_them_gave_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Base:
            def run(self): ...  # <def run>
        class One(Base):
            def run(self): ...  # <def one>
        class Two(Base):
            def run(self): ...  # <def two>
        class Holder:
            def __init__(self):
                self.part: Base | None = None
            def once(self, flag):
                try:
                    with flag:
                        if self.part is None:
                            if flag:
                                self.part = One()
                            else:
                                self.part = Two()
                except ValueError:
                    raise
                self.part.run()  # <run> <one> <two>
            def always(self, flag):
                if flag:
                    self.part = One()
                elif flag is None:
                    raise ValueError
                else:
                    self.part = Two()
                self.part.run()  # <one> <two>
            def tried(self):
                try:
                    self.part = One()
                except ValueError:
                    self.part = Two()
                finally:
                    self.part.run()  # <run>
                self.part.run()  # <one> <two>
            def looped(self, many):
                if many:
                    self.part = One()
                for each in many:
                    self.part.run()  # <run>
                    self.part = each
            def unknown(self, flag):
                if flag:
                    self.part = flag.part
                self.part.run()  # <run>
        """
    )
    written.check("run")
    written.check("one", "run")
    written.check("two", "run")


def test_functions_that_guard_a_type_tell_what_isinstance_does(project: Project) -> None:
    written = project(
        """
        === guards.py
        from typing_extensions import TypeGuard, TypeIs
        from kinds import First
        def is_first(x: object) -> TypeIs[First]: ...
        def _hasRun(x: object) -> TypeGuard["First"]: ...
        def is_plain(x) -> bool: ...
        def is_made(x): return First()
        === kinds.py
        class First:
            def run(self): ...  # <def run>
        class Second:
            def run(self): ...  # <def second>
        === use.py
        import guards
        from guards import _hasRun, is_first, is_made, is_plain
        from kinds import First, Second
        def use(any: object, both: First | Second, other: Second, many: list[object]):
            if guards.is_first(any):
                any.run()  # <run>
            if _hasRun(any):
                any.run()  # <run>
            if is_first(both):
                both.run()  # <run>
            else:
                both.run()  # <second>
            if is_plain(other) and is_made(other):
                other.run()  # <second>
            return [each.run() for each in many if is_first(each)]  # <run>
        def made(any: object):
            if is_made(any):
                any.run()
        class Holder:
            def use(self):
                told = self.held.run() if is_first(self.held) else self.held.run()  # <run>
                return None if not isinstance(self.held, First) else self.held.run()  # <run>
            def other(self):
                return self.held.run() if not isinstance(self.held, First) else None
        """
    )
    written.check("run")
    written.check("second", "run")


def test_what_a_branch_replaces_is_not_there_behind_it(project: Project) -> None:
    written = project(
        """
        === m.py
        class Draft:
            def show(self): ...  # <def draft>
        class Final:
            @classmethod
            def of(cls, draft) -> "Final": ...
            def show(self): ...  # <def final>
        class Last(Final):
            def show(self): ...  # <def last>
        def made(x: Final | Draft):
            if isinstance(x, Draft):
                x.show()  # <draft>
                x = Final.of(x)
            x.show()  # <final>
        def wrapped(x: Final | Draft):
            if not isinstance(x, Final):
                x = Last()
            x.show()  # <final> <last>
        def same(x: Final | Draft):
            if isinstance(x, Draft):
                x = Draft()
            x.show()  # <final> <draft>
        def unknown(x: Final | Draft, change):
            if isinstance(x, Draft):
                x = change(x)
            x.show()  # <final> <draft>
        def perhaps(x: Final | Draft, often):
            if isinstance(x, Draft):
                if often:
                    x = Final()
            x.show()  # <final> <draft>
        def elsewhere(x: Final | Draft):
            if isinstance(x, Draft):
                def inner():
                    x = Final()
            x.show()  # <final> <draft>
        def later(x: Final | Draft):
            if isinstance(x, Draft):
                x = Final()
            else:
                x.show()  # <final>
            x.show()  # <final>
            x = Draft()
            x.show()  # <draft>
        def twice(x: Final | Draft | Last, y: Final | Draft):
            if isinstance(x, Last):
                x = y
            if isinstance(x, Draft):
                raise ValueError
            x.show()  # <final>
        def untold(x):
            if isinstance(x, Draft):
                x = Final()
            x.show()  # <final>
        """
    )
    for mark in ("draft", "final", "last"):
        written.check(mark, "show")
