"""The click root: finds a command's module when it is named, and turns failures into exit codes."""

from __future__ import annotations

import importlib
from typing import Any

import click
from click.shell_completion import CompletionItem

from cuedeck import __version__
from cuedeck.cli import help_text, program_name, summaries


class Root(click.Group):
    """Knows every command's name and help; imports only the one that is run."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """All names, in the order of the help."""
        return list(summaries())

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Import the command's module."""
        if name not in summaries():
            return None
        found: Any = importlib.import_module(f"cuedeck.cli.commands.{name.replace('-', '_')}").command
        assert isinstance(found, click.Command)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say where the options belong that every command has."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name in ("--workspace", "--verbose", "-v", "--json"):
                ctx.fail(f"{error.option_name} stands behind the command: cue COMMAND {error.option_name} …")
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of that name."""
        if args and args[0] not in summaries() and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], summaries(), 1)
            meant = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"There is no command '{args[0]}'.{meant}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table, without importing a command."""
        found = [
            CompletionItem(name, help=line)
            for name, line in summaries().items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def get_help(self, _ctx: click.Context) -> str:
        """The same text that the quick path prints."""
        return help_text().rstrip("\n")


root = Root("cue", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
root.params.append(
    click.Option(
        ["-V", "--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=lambda ctx, _param, given: _show_version(ctx) if given else None,
        help="Show the version.",
    )
)


def _show_version(ctx: click.Context) -> None:
    click.echo(f"{program_name()} {__version__}")
    ctx.exit()


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code it chose."""
    result = root.main(args=arguments, prog_name=program_name(), standalone_mode=False)
    return result if isinstance(result, int) else 0
