"""The interactive finder: a line to type in, the matches, and a look at the chosen one."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style

from cuedeck.cli.finder.candidates import Candidate
from cuedeck.cli.finder.preview import preview
from cuedeck.cli.finder.scoring import Ranking

STYLE = Style.from_dict(
    {"chosen": "reverse", "kind": "ansicyan", "dim": "ansibrightblack", "line": "reverse", "prompt": "bold"}
)
BATCH = 500


class Picker:
    """Lets a person choose one candidate; candidates may still arrive while they type."""

    def __init__(self, root: Path, query: str) -> None:
        self._root = root
        self._ranking = Ranking()
        self._found: list[Candidate] = []
        self._chosen = 0
        self._gathering = True
        self._query = Buffer(multiline=False, on_text_changed=lambda _: self._search())
        self._query.text = query
        self._query.cursor_position = len(query)

    def run(
        self, candidates: Iterable[Candidate], *, input: Input | None = None, output: Output | None = None
    ) -> Candidate | None:
        """The chosen candidate; None when the user left."""
        app: Application[Candidate | None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=STYLE,
            full_screen=True,
            mouse_support=False,
            input=input,
            output=output,
        )
        gathering = threading.Thread(target=self._gather, args=(candidates, app), daemon=True)
        return app.run(pre_run=gathering.start)

    def _gather(self, candidates: Iterable[Candidate], app: Application[Any]) -> None:
        loop = app.loop
        assert loop is not None
        try:
            for batch in _batches(candidates):
                self._ranking.candidates.extend(batch)
                loop.call_soon_threadsafe(self._take_in)
                app.invalidate()
        except Exception as error:  # noqa: BLE001 - raised again where the application runs
            if app.is_running:
                loop.call_soon_threadsafe(partial(app.exit, exception=error))
        self._gathering = False
        app.invalidate()

    def _search(self) -> None:
        self._found = self._ranking.best(self._query.text, 200)
        self._chosen = 0

    def _take_in(self) -> None:
        """Rank what has arrived; what the user moved to stays chosen."""
        before = self._choice() if self._chosen else None
        self._search()
        if before in self._found:
            self._chosen = self._found.index(before)

    def _layout(self) -> Layout:
        typed = Window(
            BufferControl(self._query, input_processors=[BeforeInput("> ", style="class:prompt")]), height=1
        )
        found = Window(FormattedTextControl(self._list), wrap_lines=False)
        look = Window(FormattedTextControl(self._look), wrap_lines=False)
        body = VSplit([found, Window(width=1, char="│", style="class:dim"), look])
        foot = Window(FormattedTextControl(self._foot), height=1, style="class:dim")
        return Layout(HSplit([typed, body, foot]), focused_element=typed)

    def _list(self) -> StyleAndTextTuples:
        height = max(1, get_app().output.get_size().rows - 2)
        first = max(0, self._chosen - height + 1)
        lines: StyleAndTextTuples = []
        for number, candidate in enumerate(self._found[first : first + height], first):
            style = "class:chosen" if number == self._chosen else ""
            lines.append((style, f"{candidate.shown}\n"))
        return lines

    def _look(self) -> StyleAndTextTuples:
        candidate = self._choice()
        if candidate is None:
            return []
        height = max(1, get_app().output.get_size().rows - 2)
        return [
            ("class:line" if number == candidate.line else "", f"{number or '':>5} {text}\n")
            for number, text in preview(self._root, candidate.path, candidate.line, height)
        ]

    def _foot(self) -> str:
        more = "…" if self._gathering else ""
        count = f"{len(self._found)} of {len(self._ranking.candidates)}{more}"
        return f"{count}   Enter opens, arrows choose, Esc leaves"

    def _choice(self) -> Candidate | None:
        return self._found[self._chosen] if self._chosen < len(self._found) else None

    def _move(self, by: int) -> None:
        self._chosen = max(0, min(self._chosen + by, len(self._found) - 1))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for names, by in ((("up", "c-p"), -1), (("down", "c-n"), 1), (("pageup",), -20), (("pagedown",), 20)):
            for name in names:
                keys.add(name)(lambda _event, by=by: self._move(by))
        keys.add("enter")(lambda event: event.app.exit(result=self._choice()))
        for name in ("escape", "c-c", "c-g"):
            keys.add(name, eager=True)(lambda event: event.app.exit(result=None))
        return keys


def _batches(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    source = iter(candidates)
    while batch := list(islice(source, BATCH)):
        yield batch
