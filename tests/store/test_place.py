"""Where the index lies when the workspace cannot be written: commands answer from a private folder."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clean_environ import clean_environ

from cuedeck.store.sqlite.place import index_file

CUE = str(Path(sys.executable).with_name("cue"))
# Without these rights root is bound by a folder's mode like anybody else.
AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "sealed"
    folder.mkdir()
    (folder / "auth.py").write_text("def check(token):\n    return bool(token)\n")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {**clean_environ(), "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}


def run(folder: Path, environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*AS_ANYBODY, CUE, *arguments], cwd=folder, env=environ, capture_output=True, text=True, timeout=100
    )


def ask(folder: Path, environ: dict[str, str], tool: str, **arguments: str) -> dict[str, object]:
    begin = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    done = subprocess.run(
        [*AS_ANYBODY, CUE, "mcp", "--decks", "code"],
        cwd=folder,
        env=environ,
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=100,
    )
    answer: dict[str, object] = json.loads(
        json.loads(done.stdout.splitlines()[-1])["result"]["content"][0]["text"]
    )
    return answer


def test_code_is_indexed_and_found_in_a_workspace_that_cannot_be_written(
    sealed: Path, environ: dict[str, str]
) -> None:
    indexed = run(sealed, environ, "index")
    assert (indexed.returncode, indexed.stdout) == (0, "main: 1 files, 2 symbols, 1 newly read.\n")
    found = ask(sealed, environ, "locate_symbol", name="check")
    assert [record["path"] for record in found["results"]] == ["auth.py"]  # type: ignore[index, attr-defined]
    run(sealed, environ, "daemon", "stop")
    assert not (sealed / ".cuedeck").exists()
    (kept,) = Path(environ["HOME"], ".cache", "cuedeck").iterdir()
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    told = run(sealed, environ, "doctor").stdout
    assert f"cannot be written by you; the index is kept in {kept}." in told
    assert run(sealed, environ, "clean").stdout == f"Removed {kept}; it is made again when needed.\n"
    assert not kept.exists()


def test_without_a_home_that_can_be_written_the_folder_for_temporary_files_serves(
    sealed: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    Path(environ["HOME"]).chmod(0o555)
    assert run(sealed, environ, "index").returncode == 0
    (kept,) = (tmp_path / f"cuedeck-{os.getuid()}").glob("sealed-*/index.db")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_what_must_be_kept_for_good_says_why_it_cannot_be(sealed: Path, environ: dict[str, str]) -> None:
    refused = run(sealed, environ, "memory", "add", "hello")
    assert refused.returncode == 1
    assert "Make the .cuedeck folder writable for this user" in refused.stderr


def test_a_folder_that_another_user_keeps_closed_is_told(sealed: Path, environ: dict[str, str]) -> None:
    sealed.chmod(0o755)
    (sealed / ".cuedeck").mkdir(mode=0o000)
    refused = run(sealed, environ, "index")
    (sealed / ".cuedeck").chmod(0o700)
    assert refused.returncode == 101
    assert "Have its owner open .cuedeck/ to you" in refused.stderr


def test_a_workspace_that_can_be_written_keeps_its_index(tmp_path: Path) -> None:
    assert index_file(tmp_path) == tmp_path / ".cuedeck" / ".cache" / "index.db"
    (tmp_path / ".cuedeck").write_text("in the way")
    assert index_file(tmp_path).is_relative_to(tmp_path)
