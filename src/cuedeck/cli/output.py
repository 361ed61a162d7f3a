"""How a command speaks: plain lines or JSON, progress only on a terminal, colour only where wanted."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from rich.console import Console

PROGRESS_AFTER_SECONDS = 0.7
_STEERING = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")


class Progress(Protocol):
    """Told how far a long piece of work is."""

    def __call__(self, done: float, total: float | None = None, note: str = "") -> None:
        """``done`` of ``total`` units, and what is being worked on."""


@dataclass(frozen=True, slots=True)
class Output:
    """One command's answer, for a person or for a program."""

    as_json: bool = False

    def show(self, value: Any, human: Callable[[], str] | str) -> None:
        """Print the value as JSON, or its human form."""
        if self.as_json:
            self.json(value)
        else:
            self.line(human if isinstance(human, str) else human())

    def json(self, value: Any) -> None:
        """Print a value as JSON."""
        self.line(json.dumps(value, ensure_ascii=False, indent=2, default=str))

    def line(self, text: str = "") -> None:
        """Print a line of the answer."""
        sys.stdout.write(printable(text, sys.stdout) + "\n")
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """Say something beside the answer, on stderr; silent with ``--json``."""
        if not self.as_json:
            sys.stderr.write(printable(text, sys.stderr) + "\n")

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress]:
        """A progress bar once the work has taken a moment, on a terminal; silence otherwise."""
        if self.as_json or not sys.stderr.isatty():
            yield _silent
            return
        bar = _Bar(title)
        try:
            yield bar
        finally:
            bar.close()


def coloured() -> bool:
    """Whether stdout is a terminal whose user has not declined colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def console(*, stderr: bool = False) -> Console:
    """A rich console that follows the same rules."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # rich writes letters that the stream may not have
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Console(stderr=stderr, no_color=plain, highlight=False, soft_wrap=not sys.stdout.isatty())


def printable(text: str, stream: TextIO) -> str:
    """A text as the stream can take it; on a terminal nothing that could steer it, our colours apart."""
    encoding = stream.encoding or "utf-8"
    shown = text.encode(encoding, "replace").decode(encoding)
    return _STEERING.sub("?", shown) if stream.isatty() else shown


def _silent(done: float, total: float | None = None, note: str = "") -> None:
    return None


class _Bar:
    """A rich progress bar that only appears after a moment."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = time.monotonic()
        self._rich: Any = None
        self._task: Any = None

    def __call__(self, done: float, total: float | None = None, note: str = "") -> None:
        if self._rich is None and time.monotonic() - self._started < PROGRESS_AFTER_SECONDS:
            return
        if self._rich is None:
            self._open()
        self._rich.update(self._task, completed=done, total=total, note=note)

    def _open(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._rich = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=console(stderr=True),
            transient=True,
        )
        self._rich.start()
        self._task = self._rich.add_task(self._title, total=None, note="")

    def close(self) -> None:
        if self._rich is not None:
            self._rich.stop()
