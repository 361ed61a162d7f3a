"""The agents CueDeck can be connected to: where their MCP configuration is, and its form."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuedeck.cli.jsonc import NotJson, parse, set_value
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import refused
from cuedeck.tracking import tracked_by_git

NAME = "cuedeck"


@dataclass(frozen=True, slots=True)
class AgentClient:
    """Where one client keeps its servers, per scope, and what it calls them."""

    title: str
    project: str | None
    user: str | None
    servers: str = "mcpServers"
    kind: str | None = None
    folder_variable: str | None = None

    def path(self, scope: str, root: Path) -> Path | None:
        """The configuration file of that scope."""
        if scope == "project":
            return self._inside(root, self.project) if self.project else None
        return Path(os.path.expandvars(self.user)).expanduser() if self.user else None

    @staticmethod
    def _inside(root: Path, name: str) -> Path:
        """A link of the user's own is followed; one that a clone brought may lead to the user's own files."""
        path = root / name
        if not path.resolve().is_relative_to(root.resolve()) and tracked_by_git(root, path):
            raise refused(name, "git tracks it as a link that leads outside the workspace")
        return path

    def entry(self, command: str, options: list[str], root: Path) -> dict[str, Any]:
        """The server's record in that file; a client that names no folder starts us in its project's."""
        folder = self.folder_variable or (None if self.project else str(root))
        where = ["--workspace", folder] if folder else []
        record = {"command": command, "args": ["mcp", *where, *options]}
        return {"type": self.kind, **record} if self.kind else record


def _vscode_user() -> str:
    if sys.platform == "darwin":
        return "~/Library/Application Support/Code/User/mcp.json"
    return "$APPDATA/Code/User/mcp.json" if sys.platform == "win32" else "~/.config/Code/User/mcp.json"


CLIENTS = {
    "claude-code": AgentClient("Claude Code", ".mcp.json", "~/.claude.json"),
    "cursor": AgentClient(
        "Cursor", ".cursor/mcp.json", "~/.cursor/mcp.json", folder_variable="${workspaceFolder}"
    ),
    "vscode": AgentClient(
        "VS Code",
        ".vscode/mcp.json",
        _vscode_user(),
        servers="servers",
        kind="stdio",
        folder_variable="${workspaceFolder}",
    ),
    "generic": AgentClient("any MCP client", None, None),
}


@dataclass(frozen=True, slots=True)
class Connection:
    """A configuration file as it is and as it will be."""

    path: Path | None
    before: str
    after: str


def connection(client: AgentClient, scope: str, root: Path, options: list[str]) -> Connection:
    """What connecting this client means for its file; nothing is written."""
    path = client.path(scope, root)
    before = _read(path) if path else ""
    entry = client.entry(our_command(), options, root)
    try:
        after = set_value(before, (client.servers, NAME), entry)
        if parse(after).value[client.servers][NAME] != entry:
            raise NotJson(after, 0, "the new entry")
    except NotJson as error:
        raise CueError(
            ErrorCode.VALIDATION,
            f"{path} cannot be changed safely: {error}",
            data={"file": str(path), "line": error.line},
            hint="Correct the file, or add the entry yourself: cue connect generic --print shows it.",
        ) from error
    return Connection(path, before, after)


def our_command() -> str:
    """How a client starts us: by name when that name on the PATH is this installation."""
    own = Path(sys.argv[0]).absolute()
    found = shutil.which("cue")
    if found and Path(found).resolve() == own.resolve():
        return "cue"
    beside = Path(sys.executable).with_name("cue")
    return str(beside) if beside.exists() else (found or "cue")


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise CueError(
            ErrorCode.VALIDATION,
            f"{path} is not UTF-8 text",
            data={"file": str(path)},
            hint="Save it as UTF-8, or add the entry yourself: cue connect generic --print shows it.",
        ) from error
