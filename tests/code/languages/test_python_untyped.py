"""Python without types: classes are generic in what their constructors are given."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_instances_keep_what_their_constructor_was_given(project: Project) -> None:
    written = project(
        """
        === m.py
        class Part:
            def run(self): ...  # <def run>
        class Kept:
            def __init__(self, part, other, last=None):
                self.part = part
                self.other = other
                self.part.run()
                self.same = self.part
            def get(self): return self.part
            def __enter__(self): return self
            def __exit__(self, *raised): ...
        class Typed:
            def __init__(self, part, size: int):
                self.part = part
        class Heir(Kept): ...
        class Own(Kept):
            def __init__(self, part):
                super().__init__(part, None)
                self.own = part
        class Owner:
            def __init__(self):
                self.kept = Kept(Part(), 1)
            def use(self):
                self.kept.part.run()  # <run>
        def use(given: Kept):
            given.part.run()
            kept = Kept(Part(), 2)
            kept.part.run()  # <run>
            kept.other.run()
            kept.get().run()  # <run>
            kept.same.run()  # <run>
            with kept as entered:
                entered.part.run()  # <run>
            for each in [Kept(None, Part())]:
                each.other.run()  # <run>
            Typed(Part(), 1).part.run()
            Heir(Part(), 1).part.run()
            Own(Part()).part.run()
            Own(Part()).own.run()  # <run>
        """
    )
    written.check("run")


def test_arguments_given_by_name_tell_type_parameters(project: Project) -> None:
    written = project(
        """
        === m.py
        from typing import TypeVar
        M = TypeVar("M")
        class Part:
            def run(self): ...  # <def run>
        class Kept:
            def __init__(self, part, size):
                self.part = part
        def sent(to: str, *, size: int = 0, answer: type[M], last: bool = False) -> M: ...
        Kept(part=Part(), size=1).part.run()  # <run>
        Kept(Part(), size=1).part.run()  # <run>
        sent("a", answer=Part).run()  # <run>
        sent("a", answer=Part if True else None, last=not True).run()  # <run>
        sent("a", size=Part).run()
        """
    )
    written.check("run")
