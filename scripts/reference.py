"""Write docs/reference/ from the code: commands, tools, settings and errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from cuedeck.cli import SECTIONS
from cuedeck.config.sections import Config
from cuedeck.config.setting import Rule
from cuedeck.mcp import rendering
from cuedeck.mcp.registry import product
from cuedeck.mcp.schema import input_schema
from cuedeck.model.deck import Deck
from cuedeck.model.errors import ErrorCode

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
WIDTH = 100
NOTE = "<!-- Written by `make docs`; edit the code instead. -->\n\n"


def commands() -> str:
    from cuedeck.cli.root import Root

    root = Root(name="cue")
    # click remembers a command's help option from the first context it sees: let it be the real one.
    context = click.Context(root, info_name="cue", terminal_width=WIDTH, help_option_names=["-h", "--help"])
    parts = ["# Commands\n"]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        for name in names:
            found = root.get_command(context, name)
            if found is not None:
                parts += _command(
                    found, click.Context(found, info_name=name, parent=context, terminal_width=WIDTH)
                )
    return NOTE + "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"### `{context.command_path}`\n\n```\n{command.get_help(context).strip()}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _command(
                    child, click.Context(child, info_name=name, parent=context, terminal_width=WIDTH)
                )


def tools() -> str:
    parts = ["# Tools\n", "`●` is in the default set, `r` only reads, `!` may destroy.\n"]
    for deck in Deck:
        parts.append(f"## {deck}\n")
        for tool in product().tools:
            if tool.deck is deck:
                parts.append(_tool(tool))
    return NOTE + "\n".join(parts)


def _tool(tool: Any) -> str:
    marks = ("●" if tool.in_default_set else "") + ("r" if tool.effects.read_only else "")
    marks += "!" if tool.effects.destructive else ""
    schema = input_schema(tool.arguments)
    required = set(schema.get("required", ()))
    lines = [f"### `{tool.name}` {marks}\n", f"{tool.description}\n"]
    rows = [
        f"| `{name}` | {_type(value)} | {_default(value, name in required)} | {_cell(value)} |"
        for name, value in schema.get("properties", {}).items()
    ]
    if rows:
        lines += ["| argument | type | default | |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _type(value: dict[str, Any]) -> str:
    if "enum" in value:
        return ", ".join(f"`{item}`" for item in value["enum"])
    kind = value.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _default(value: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    return f"`{value['default']}`" if value.get("default") not in (None, [], {}) else ""


def _cell(value: dict[str, Any]) -> str:
    return str(value.get("description", "")).replace("|", "\\|")


def settings() -> str:
    parts = [
        "# Settings\n",
        "`.cuedeck/config.toml` in the workspace wins over the user's `config.toml` in the XDG configuration "
        "folder; `CUEDECK_SECTION__KEY` over both; flags over all.\n",
    ]
    for section in fields(Config):
        kind: Any = section.default_factory
        parts.append(f"## `[{section.name}]`\n\n{kind.__doc__}\n")
        parts += ["| key | default | |", "|---|---|---|", *_settings(kind, ""), ""]
    return NOTE + "\n".join(parts)


def _settings(section: Any, prefix: str) -> Iterator[str]:
    for item in fields(section):
        rule: Rule = item.metadata["rule"]
        if rule.rest:
            yield from _settings(rule.kind, f"<name>.{prefix}")
            continue
        words = f"{rule.doc} ({rule.expected()})"
        yield f"| `{prefix}{item.name}` | {_shown(item.default)} | {words} |"


def _shown(default: Any) -> str:
    if default is None:
        return "unset"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{list(default) if isinstance(default, tuple) else default}`"


def errors() -> str:
    lines = [
        "# Errors\n",
        "Every failure has one of these codes inside; each deck words it as its contract says.\n",
        "| code | " + " | ".join(deck.value for deck in Deck) + " |",
        "|---|" + "---|" * len(Deck),
    ]
    tables: dict[Deck, Any] = {
        Deck.CONTEXT: {code: number for code, (number, _) in rendering._CONTEXT.items()},
        Deck.CODE: rendering._CODE,
        Deck.TODO: rendering._TODO,
        Deck.MEMORY: rendering._MEMORY,
        Deck.VAULT: rendering._VAULT,
    }
    for code in ErrorCode:
        lines.append(f"| `{code}` | " + " | ".join(str(tables[deck].get(code, "")) for deck in Deck) + " |")
    return NOTE + "\n".join(lines) + "\n"


PAGES = {"commands.md": commands, "tools.md": tools, "settings.md": settings, "errors.md": errors}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {len(PAGES)} pages\n")


if __name__ == "__main__":
    main()
