"""Unions whose types say by a text which of them a value is of."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821

_EVENTS = """
        === events.py
        from typing import Literal, Union
        class Added:
            type: Literal["added"]
            index: int  # <def added>
        class Done:
            type: Literal["done", "finished"] = "done"
            index: int  # <def done>
        class Other:
            type: str
            index: int  # <def other>
        Event = Union[Added, Done, Other]
"""


def _check(project: Project, source: str) -> None:
    written = project(_EVENTS + source)
    for mark in ("added", "done", "other"):
        written.check(mark, "index")


def test_a_text_tells_which_of_several_types_a_value_is_of(project: Project) -> None:
    _check(
        project,
        """
        === m.py
        from events import Event
        def branches(event: Event):
            if event.type == "added":
                event.index  # <added> <other>
            elif event.type in ("done", "finished"):
                event.index  # <done> <other>
            else:
                event.index  # <other>
            event.index  # <added> <done> <other>
        def behind(event: Event):
            if event.type != "added":
                return event.index  # <done> <other>
            event.index  # <added> <other>
        def asserted(event: Event):
            assert event.type == "done"
            event.index  # <done> <other>
        def collected(events: list[Event]):
            return [event.index for event in events if event.type == "added"]  # <added> <other>
        """,
    )


def test_what_is_no_text_or_need_not_hold_tells_nothing(project: Project) -> None:
    _check(
        project,
        """
        === m.py
        from events import Event
        def f(event: Event, kind: str, ready: bool):
            if event.type == kind:
                event.index  # <added> <done> <other>
            if event.type == f"{kind}":
                event.index  # <added> <done> <other>
            if event.type == "added" or ready:
                event.index  # <added> <done> <other>
            if event.type in ("added", kind):
                event.index  # <added> <done> <other>
            if event.type == "added":
                event = next_event()
                event.index  # <added> <done> <other>
        def next_event(): ...
        """,
    )
