"""``cue init`` creates what is missing and breaks nothing that is there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cuedeck.cli.atomic import write_atomically
from cuedeck.cli.setup import IGNORED, with_ignored


def test_a_fresh_folder(cue: Any, folder: Path) -> None:
    done = cue("init")
    assert done.returncode == 0
    assert (folder / ".cuedeck/cards").is_dir() and (folder / ".cuedeck/docs").is_dir()
    assert (folder / ".cuedeck/config.toml").is_file()
    assert done.stdout == (
        f"Workspace {folder}\n"
        "  .cuedeck/cards/       created\n"
        "  .cuedeck/docs/        created\n"
        "  .cuedeck/config.toml  created\n"
        "  .gitignore            created\n"
        "\n"
        "Next: cue connect claude-code (or cursor, vscode), then ask your agent.\n"
    )


def test_a_second_time_changes_nothing(cue: Any, folder: Path) -> None:
    cue("init")
    (folder / ".cuedeck/config.toml").write_text("[core]\ntoken_limit = 500\n")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    steps = json.loads(cue("init", "--json").stdout)["steps"]
    assert set(steps.values()) == {"kept"}
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_force_puts_the_default_settings_back_and_keeps_the_old(cue: Any, folder: Path) -> None:
    cue("init")
    default = (folder / ".cuedeck/config.toml").read_bytes()
    (folder / ".cuedeck/config.toml").write_text("broken [")
    (folder / ".cuedeck/cards/abc123.md").write_text("precious")
    assert cue("init", "--force").returncode == 0
    assert (folder / ".cuedeck/config.toml").read_bytes() == default
    assert (folder / ".cuedeck/config.toml.old").read_text() == "broken ["
    (folder / ".cuedeck/config.toml").write_text("broken again [")
    assert "the old one is config.toml.old.2" in cue("init", "--force").stdout
    assert (folder / ".cuedeck/config.toml.old").read_text() == "broken ["
    assert (folder / ".cuedeck/config.toml.old.2").read_text() == "broken again ["
    assert (folder / ".cuedeck/cards/abc123.md").read_text() == "precious"


@pytest.mark.parametrize(
    ("before", "newline"),
    [(b"", b"\n"), (b"*.pyc\n", b"\n"), (b"*.pyc", b"\n"), (b"a\r\nb", b"\r\n"), (b"\xff\xfe odd \n", b"\n")],
)
def test_git_ignore_is_appended_to_in_its_own_line_endings(before: bytes, newline: bytes) -> None:
    after = with_ignored(before)
    assert after.startswith(before)
    assert [line.encode() for line in IGNORED] == after.split(newline)[-1 - len(IGNORED) : -1]
    assert with_ignored(after) == after


def test_a_git_ignore_that_leads_elsewhere_is_refused(cue: Any, folder: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (folder / ".gitignore").symlink_to(precious)
    assert cue("init").returncode == 1
    assert precious.read_text() == "kept"


def test_git_ignore_that_already_covers_it_stays() -> None:
    for text in (
        b".cuedeck/\n",
        b"/.cuedeck\r\n",
        b"x\n/.cuedeck/.cache/\n.cuedeck/backups/\n.cuedeck/state.db*\n.cuedeck/SCENE.md",
    ):
        assert with_ignored(text) == text


def test_git_sees_cards_and_not_the_state(cue: Any, folder: Path) -> None:
    (folder / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    cue("init")
    for name in ("cards/a.md", "state.db", "state.db-wal", ".cache/index.db", "SCENE.md"):
        path = folder / ".cuedeck" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard"], cwd=folder, capture_output=True, text=True
    ).stdout.split()
    assert sorted(listed) == [".cuedeck/cards/a.md", ".cuedeck/config.toml", ".gitignore"]


def test_a_folder_that_cannot_be_written_is_explained(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck").write_text("a file in the way")
    done = cue("init")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and "hint:" in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_cannot_be_written_is_named_as_the_user_knows_it() -> None:
    place = Path("/proc/self/fdinfo/.mcp.json")  # the kernel refuses even the superuser
    with pytest.raises(OSError) as caught:
        write_atomically(place, b"{}")
    assert caught.value.filename == str(place)
