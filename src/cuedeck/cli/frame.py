"""What every command shares: where it runs, ``--workspace``, ``-v``, ``--json``, and how it opens things."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cuedeck.cli.output import Output
from cuedeck.cli.quick import has_settings
from cuedeck.daemon.location import workspace_root
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.config import Config
    from cuedeck.daemon.answers import Answer
    from cuedeck.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Here:
    """Where a command runs and how it answers."""

    root: Path
    verbose: bool
    output: Output
    read_config: Callable[[], Config]

    @property
    def config(self) -> Config:
        """The validated settings; a mistake in them is exit code 101."""
        return self.read_config()

    def open(self) -> Workspace:
        """The workspace, as a context manager."""
        from cuedeck.workspace import Workspace

        return Workspace(self.root, self.config)

    def answer(self, ask: Callable[[str], Answer]) -> int:
        """Show what is also answered without click; the exit code."""
        value, text, code = ask(str(self.root))
        self.output.show(value, text)
        return code


def command(
    name: str | None = None, *, json: bool = False, config: bool = True, **settings: Any
) -> Callable[[F], click.Command]:
    """A click command with ``--workspace`` and ``-v`` whose first argument is ``Here``.

    ``json`` adds ``--json``. A wrong configuration ends every command before it begins, save those with
    ``config=False``, which must work to repair one or do not depend on it.
    """

    def decorate(function: F) -> click.Command:
        make: Callable[[F], click.Command] = click.command(name, **_spoken(settings))
        return make(_with_here(function, json, config))

    return decorate


# What people type when they guess; only the names in the help are documented.
SYNONYMS = {
    **dict.fromkeys(("create", "store", "new", "add"), ("add", "new", "create")),
    **dict.fromkeys(("ls", "all"), ("list",)),
    **dict.fromkeys(("rm", "remove", "delete"), ("delete", "remove", "forget", "rm")),
    **dict.fromkeys(("get", "view", "cat"), ("show",)),
    **dict.fromkeys(("update", "set"), ("edit", "update")),
    **dict.fromkeys(("find",), ("search",)),
    **dict.fromkeys(("start", "trigger"), ("run",)),
    **dict.fromkeys(("complete", "finish"), ("done", "complete")),
}


class Words(click.Group):
    """A group that also understands the nearest other word for a command it has."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, or of another word for it."""
        for word in (name, *SYNONYMS.get(name, ())):
            if (found := super().get_command(ctx, word)) is not None:
                return found
        return None


def words(name: str, *, required: bool = True, metavar: str | None = None) -> Callable[[F], F]:
    """An argument of several words, which need no quotes."""

    def joined(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str:
        return " ".join(value)

    return click.argument(name, nargs=-1, required=required, metavar=metavar, callback=joined)


def group(name: str, help: str, **settings: Any) -> click.Group:
    """A group of commands; add to it with ``@subcommand(group, ...)``."""
    return Words(name, help=help, **_spoken(settings))


def subcommand(parent: click.Group, name: str | None = None, **settings: Any) -> Callable[[F], click.Command]:
    """A command inside a group, with the same options as any other."""

    def decorate(function: F) -> click.Command:
        made = command(name, **settings)(function)
        parent.add_command(made)
        return made

    return decorate


def _spoken(settings: dict[str, Any]) -> dict[str, Any]:
    return {"context_settings": {"help_option_names": ["-h", "--help"]}, **settings}


def _with_here(function: F, json: bool, config: bool) -> F:
    @functools.wraps(function)
    def run(*args: Any, workspace: str | None, verbose: bool, as_json: bool = False, **values: Any) -> Any:
        root = _existing(workspace)
        here = Here(root, verbose, Output(as_json=as_json), functools.cache(lambda: _config(root)))
        if verbose:
            _log_to_stderr()
        if config and has_settings(str(root)):
            here.read_config()
        try:
            return function(here, *args, **values)
        except CueError as error:
            if error.code is ErrorCode.VALIDATION and (option := _option(error.data.get("field"))):
                error.data["option"] = option
            raise

    options = [
        click.option("--workspace", metavar="PATH", help="The workspace folder; else the nearest upwards."),
        click.option("-v", "--verbose", is_flag=True, help="Say more, and show tracebacks."),
    ]
    if json:
        options.append(click.option("--json", "as_json", is_flag=True, help="Answer in JSON."))
    for option in reversed(options):
        run = option(run)
    return run  # type: ignore[return-value]


def _option(field: object) -> str | None:
    """What was typed for the value that an engine refused, when it came from the command line."""
    if not isinstance(field, str):
        return None
    name = field.partition(".")[0]
    parameters = click.get_current_context().command.params
    return next((p.opts[-1] for p in parameters if p.name == name or f"--{name}" in p.opts), None)


def _config(root: Path) -> Config:
    from cuedeck.config import load_config

    return load_config(root)


def _existing(workspace: str | None) -> Path:
    root = Path(workspace_root(workspace))
    if not root.is_dir():
        raise CueError(
            ErrorCode.NOT_FOUND,
            f"There is no folder {root}",
            data={"path": str(root), "option": "--workspace"},
            hint="Give --workspace an existing folder.",
        )
    return root


def _log_to_stderr() -> None:
    import logging

    logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
