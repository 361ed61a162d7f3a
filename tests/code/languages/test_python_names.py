"""Python: classes by other names, and types that comments say."""

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
        ui.table(rows=[]) # <__init__>
        grid(rows=[]) # <__init__>
        table = ui.table
        """
    )
    written.check("__init__")


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
