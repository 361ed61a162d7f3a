"""The command line: one module per command, no logic. This one imports nothing, so that help is instant."""

from __future__ import annotations

import os
import sys

# To add a command: a line here, and ``commands/<name>.py`` (dashes become underscores) with a click command
# named ``command``. See docs/cli.md.
SECTIONS: dict[str, dict[str, str]] = {
    "Start": {
        "init": "Create .cuedeck/ in this folder.",
        "connect": "Write an agent's MCP configuration.",
        "mcp": "Serve MCP over stdio.",
        "serve": "Serve MCP and the dashboard over HTTP.",
    },
    "Find": {
        "search": "Search documents and code.",
        "open": "Find a file, heading, card or symbol and open it.",
        "links": "What cites a symbol, file, memory, task, card or run.",
        "scene": "Write one snapshot of what an agent should know now.",
        "index": "Index code, on any branch.",
        "watch": "Keep the index and the scene current while files change.",
    },
    "Work": {
        "card": "Task cards in markdown.",
        "task": "Tasks that agents claim.",
        "todo": "The local user's to-do list.",
        "memory": "What was learned before.",
        "workflow": "List, run and inspect workflows.",
        "worker": "Run queued workflows.",
    },
    "Keep": {
        "doctor": "Check the workspace and say what to do.",
        "clean": "Remove the cache; nothing precious is in it.",
        "daemon": "The background process of this workspace.",
        "state": "Export or import the state of a workspace.",
        "prune-overlays": "Remove branch indexes nobody uses.",
        "token": "Issue a development token for HTTP.",
        "upgrade": "Ask the installer for a newer version.",
        "completion": "Print the shell's completion script.",
    },
}

# Commands that answer and end, which a standby may run (docs/standby.md): all of a group, or these of it.
AT_ONCE: dict[str, tuple[str, ...]] = {
    "search": (),
    "links": (),
    "scene": (),
    # Not `edit`, which opens an editor.
    "card": ("new", "list", "show", "deps", "graph", "validate", "archive", "board", "import"),
    "task": (),
    "todo": (),
    "memory": (),
    "workflow": ("list", "status", "history", "check"),
    "doctor": (),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the result is the exit code."""
    if arguments is not None:
        return _run(arguments)
    arguments = sys.argv[1:]
    standby = None
    if _completing() or _may_start_at_once(arguments):
        from cuedeck.cli.standby.client import find_standby

        standby = find_standby()
    if standby is None:
        return _ended(_run(arguments))
    try:
        standby.run()
    except KeyboardInterrupt as interrupt:
        return _failure(interrupt, arguments)
    code = _run(arguments)
    if standby.missing:
        from cuedeck.cli.standby.start import start_standby

        start_standby(standby.place, arguments)
    return _ended(code)


def _ended(code: int) -> int:
    if "threading" not in sys.modules:
        return code
    from cuedeck.cli.leaving import leave_threads_behind

    return leave_threads_behind(code)


def _may_start_at_once(arguments: list[str]) -> bool:
    match arguments:
        case ["help", _, *_]:
            return True
        case [name, "-h" | "--help"] | [name, _, "-h" | "--help"] if name in summaries():
            return True
        case [name, *rest] if name in AT_ONCE:
            return not AT_ONCE[name] or rest[:1] in ([word] for word in AT_ONCE[name])
    return False


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    _reopen_closed_streams()
    try:
        code = None if _completing() else _without_click(arguments)
        code = _with_click(arguments) if code is None else code
        sys.stdout.flush()
        return code
    except BaseException as error:  # noqa: BLE001 - each has its sentence and its exit code
        return _failure(error, arguments)


def _failure(error: BaseException, arguments: list[str]) -> int:
    from cuedeck.cli.failure import exit_code_for

    return exit_code_for(error, arguments)


def _reopen_closed_streams() -> None:
    """Lead streams that the caller closed nowhere; a file opened in their place would be written into."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115, PTH123


def _with_click(arguments: list[str]) -> int:
    from cuedeck.cli.root import run

    return run(arguments)


def _without_click(arguments: list[str]) -> int | None:
    if arguments and arguments[0] == "mcp":
        from cuedeck.daemon.entry import try_shim

        return try_shim(arguments[1:])
    from cuedeck.cli.quick import try_quick

    return try_quick(arguments)


def _completing() -> bool:
    return f"_{program_name().upper()}_COMPLETE" in os.environ


def program_name() -> str:
    """The name the user typed: ``cue``, ``cuedeck`` or ``cruxe``."""
    name = sys.argv[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    return name if name in ("cue", "cuedeck", "cruxe") else "cue"


def summaries() -> dict[str, str]:
    """Every command and its one line of help."""
    return {name: line for section in SECTIONS.values() for name, line in section.items()}


def help_text() -> str:
    """What ``cue --help`` prints."""
    name = program_name()
    lines = [
        f"Usage: {name} COMMAND [OPTIONS] [ARGUMENTS]...",
        "",
        "  Documents, code on every branch, memory, tasks, workflows for coding agents.",
    ]
    for title, commands in SECTIONS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {command:<16}{line}" for command, line in commands.items()]
    lines += [
        "",
        "Options:",
        "  --version       Show the version.",
        "  --help          Show this message.",
        "",
        f"Every command takes --workspace PATH and -v; `{name} COMMAND --help` explains it.",
    ]
    return "\n".join(lines) + "\n"
