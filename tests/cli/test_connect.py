"""``cue connect`` adds one entry to a client's configuration."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("client", "path", "servers"),
    [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
    ],
)
def test_project_scope(cue: Any, folder: Path, client: str, path: str, servers: str) -> None:
    done = cue("connect", client, "--decks", "todo,memory")
    assert done.returncode == 0 and '+    "cuedeck": {' in done.stdout
    entry = json.loads((folder / path).read_text())[servers]["cuedeck"]
    assert entry["args"][0] == "mcp" and entry["args"][-2:] == ["--decks", "todo,memory"]
    assert "was connected already" in cue("connect", client, "--decks", "todo,memory").stdout


def test_a_link_that_a_clone_brought_is_not_written_through(cue: Any, folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text("{}")
    (folder / ".mcp.json").symlink_to(own)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", ".mcp.json"], cwd=folder, check=True)
    done = cue("connect", "claude-code")
    assert done.returncode != 0 and "leads outside the workspace" in done.stderr
    assert own.read_text() == "{}"


def test_a_deck_that_does_not_exist_is_not_written(cue: Any, folder: Path) -> None:
    done = cue("connect", "claude-code", "--decks", "todo,valt")
    assert done.returncode == 2 and "there is no deck 'valt'" in done.stderr
    assert not (folder / ".mcp.json").exists()


def test_the_written_command_answers(cue: Any, folder: Path, environ: dict[str, str]) -> None:
    cue("connect", "claude-code")
    entry = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["cuedeck"]
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["id"] == 1


def test_user_scope_keeps_what_is_there(cue: Any, environ: dict[str, str]) -> None:
    path = Path(environ["HOME"]) / ".claude.json"
    path.write_text('{\n    "numStartups": 7,  // mine\n    "mcpServers": {"other": {"command": "x"}}\n}\n')
    path.chmod(0o600)
    assert cue("connect", "claude-code", "--scope", "user").returncode == 0
    text = path.read_text()
    assert '    "numStartups": 7,  // mine\n' in text and '"other": {"command": "x"}' in text
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_keys_of_other_servers_are_not_shown(cue: Any, folder: Path) -> None:
    token = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7c"
    theirs = {"mcpServers": {"github": {"command": "x", "env": {"GITHUB_TOKEN": token}}}}
    for indent in (None, 2):
        (folder / ".mcp.json").write_text(json.dumps(theirs, indent=indent))
        said = cue("connect", "claude-code").stdout
        assert "cuedeck" in said and token not in said
        kept = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["github"]
        assert kept["env"] == {"GITHUB_TOKEN": token}


def test_print_and_generic_write_nothing(cue: Any, folder: Path) -> None:
    before = sorted(folder.iterdir())
    printed = json.loads(cue("connect", "cursor", "--print").stdout)
    assert printed["mcpServers"]["cuedeck"]["args"] == ["mcp", "--workspace", "${workspaceFolder}"]
    generic = json.loads(cue("connect", "generic", "--read-only").stdout)
    assert generic["mcpServers"]["cuedeck"]["args"] == ["mcp", "--workspace", str(folder), "--read-only"]
    assert sorted(folder.iterdir()) == before


def test_a_file_that_is_not_json_is_left_alone(cue: Any, folder: Path) -> None:
    (folder / ".mcp.json").write_text('{\n  "mcpServers": {,\n}\n')
    done = cue("connect", "claude-code")
    assert done.returncode == 1 and "line 2" in done.stderr and "hint:" in done.stderr
    assert (folder / ".mcp.json").read_text() == '{\n  "mcpServers": {,\n}\n'


def test_a_symlinked_file_stays_a_symlink(cue: Any, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    (folder / ".mcp.json").symlink_to(target)
    assert cue("connect", "claude-code").returncode == 0
    assert (folder / ".mcp.json").is_symlink() and "cuedeck" in target.read_text()
