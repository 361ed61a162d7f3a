"""What is answered without click says the same as through it, and starts like Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cuedeck.daemon.location import Address

LISTED = "import sys; from cuedeck.cli import main; code = main({!r}); print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize("arguments", [["daemon", "status"], ["daemon", "stop"], ["clean"]])
def test_no_parser_is_imported(arguments: list[str], folder: Path, environ: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTED.format(arguments)],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.stdout and {"click", "typing", "re", "pathlib"}.isdisjoint(done.stderr.split())


@pytest.mark.parametrize("arguments", [("daemon", "status"), ("daemon", "stop"), ("clean",)])
def test_both_doors_answer_alike(arguments: tuple[str, ...], cue: Any, folder: Path) -> None:
    outside = {"cwd": folder.parent}
    for options in ([], ["--json"]):
        quick = cue(*arguments, "--workspace", str(folder), *options, **outside)
        through_click = cue(*arguments, f"--workspace={folder}", *options, **outside)
        assert (quick.returncode, quick.stdout) == (through_click.returncode, through_click.stdout)


def test_a_running_daemon_is_described_in_json_too(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck").mkdir()
    cue("mcp", input="")
    found = json.loads(cue("daemon", "status", "--json").stdout)
    assert found["running"] is True and found["workspace"] == str(folder)
    assert f"pid        {found['pid']}\n" in cue("daemon", "status").stdout
    assert json.loads(cue("daemon", "stop", "--json").stdout) == {
        "stopped": True,
        "pid": found["pid"],
        "standby": [],
    }


@pytest.mark.parametrize("verb", ["status", "stop"])
def test_a_daemon_that_cannot_be_reached_is_said_in_a_sentence(
    verb: str, cue: Any, folder: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", environ["XDG_RUNTIME_DIR"])
    socket = Path(Address(str(folder)).socket)
    socket.symlink_to(socket)
    done = cue("daemon", verb)
    socket.unlink()
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: The daemon cannot be asked: ") and " hint: " in done.stderr
