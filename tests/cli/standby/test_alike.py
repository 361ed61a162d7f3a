"""A command that the standby runs says, does and returns what it does in a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Ready

ALIKE = [
    ("card", "--help"),
    ("card", "new", "--help"),
    ("help", "memory"),
    ("serve", "--help"),
    ("card", "list"),
    ("card", "list", "--json"),
    ("card", "show", "nope"),
    ("card", "show", "nope", "--json"),
    ("task", "frobnicate"),
    ("card", "list", "--nonsense"),
    ("card", "list", "--nonsense", "--json"),
    ("card", "list", "--workspace", "no/such"),
    ("card", "board"),
    ("card", "list", "-v"),
    ("task", "list"),
    ("task", "show", "nope"),
    ("todo", "list", "--json"),
    ("todo", "add"),
    ("memory", "list"),
    ("memory", "search", "kettle", "--json"),
    ("memory", "add", "-", "--project"),
    ("search", "kettle", "--mode", "keyword"),
    ("search", "kettle\udcff☃", "--mode", "keyword", "--json"),
    ("links", "nope"),
    ("workflow", "list"),
    ("workflow", "status", "nope"),
    ("search", "x", "--workspace", "/"),
]


@pytest.fixture(scope="module", autouse=True)
def filled(common: Ready) -> None:
    (common.folder / "guide.md").write_text("# Guide\n\n## Tea\n\nThe kettle is on the left.\n")
    for arguments in (["memory", "add", "The kettle whistles"], ["card", "new", "Fill the kettle"]):
        assert common.cue(*arguments, alone=True).returncode == 0
    common.cue("search", "kettle", "--mode", "keyword", alone=True)


def outcome(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", ALIKE, ids=" ".join)
def test_the_same_bytes_and_the_same_code(common: Ready, arguments: tuple[str, ...]) -> None:
    served, there = common.served(lambda: common.cue(*arguments))
    assert served
    assert outcome(there) == outcome(common.cue(*arguments, alone=True))


@pytest.mark.parametrize(
    "arguments",
    [
        ("clean",),
        ("init",),
        ("connect", "generic"),
        ("card", "edit", "nope"),
        ("workflow", "run", "x"),
        ("--version",),
        (),
    ],
)
def test_what_stays_in_a_process_of_its_own(common: Ready, arguments: tuple[str, ...]) -> None:
    served, done = common.served(lambda: common.cue(*arguments))
    assert not served
    assert done.stdout or done.stderr


def test_what_is_written_is_there_and_read_from_the_pipe(common: Ready) -> None:
    served, done = common.served(
        lambda: common.cue("memory", "add", "-", "--json", input=b"Milk first \xe2\x98\x83")
    )
    assert served and done.returncode == 0, done.stderr
    assert "Milk first ☃" in common.cue("memory", "list", "--json", alone=True).stdout.decode()


@pytest.mark.parametrize(
    "changed", [{"CUEDECK_USER": "somebody"}, {"NO_COLOR": "1"}, {"TZ": "Asia/Tokyo"}, {"COLUMNS": "40"}]
)
@pytest.mark.parametrize("arguments", [("todo", "list"), ("memory", "log"), ("card", "--help")])
def test_the_callers_variables_count(
    common: Ready, arguments: tuple[str, ...], changed: dict[str, str]
) -> None:
    served, there = common.served(lambda: common.cue(*arguments, env={**common.environ, **changed}))
    assert served
    assert outcome(there) == outcome(common.cue(*arguments, env={**common.alone, **changed}))


def test_a_variable_that_is_missing_is_missing_and_chance_is_chance(common: Ready) -> None:
    nobody = {name: value for name, value in common.environ.items() if name not in ("CUEDECK_USER", "PATH")}
    served, first = common.served(lambda: common.cue("todo", "list", env=nobody))
    second = common.cue("todo", "list", env=nobody)
    assert served and first.returncode == second.returncode == 1
    assert first.stderr.startswith(b"error: No user is known") and b"user.id = " in first.stderr
    assert first.stderr != second.stderr  # each proposes an id of its own


@pytest.mark.parametrize(
    "setting", [{"PYTHONPATH": "/nowhere"}, {"LC_ALL": "C"}, {"LD_PRELOAD": ""}, {"PYTHONUTF8": "0"}]
)
def test_who_loads_otherwise_is_not_served_by_this_standby(common: Ready, setting: dict[str, str]) -> None:
    served, done = common.served(lambda: common.cue("card", "list", env={**common.environ, **setting}))
    assert not served and done.returncode == 0


def test_the_folder_is_the_callers(common: Ready, tmp_path: Path) -> None:
    inner = common.folder / "deep" / "er"
    inner.mkdir(parents=True)
    listed = common.cue("card", "list").stdout
    assert listed and common.cue("card", "list", cwd=inner).stdout == listed
    assert common.cue("card", "list", "--workspace", "../..", cwd=inner).stdout == listed
    assert common.cue("card", "list", cwd=tmp_path).stdout != listed


def test_a_folder_that_is_gone_is_said_plainly(common: Ready) -> None:
    command = f"mkdir x; cd x; rmdir ../x; {common.program} card list"
    done = common.cue("-c", command, executable="/bin/sh")
    assert done.stderr.startswith(b"error: The current folder no longer exists")


@pytest.mark.parametrize("limit", ["umask 077", "ulimit -n 100", "renice -n $(($(nice) + 1)) $$"])
def test_what_is_inherited_otherwise_is_kept(common: Ready, limit: str) -> None:
    command = f"{limit} >/dev/null; {common.program} card new Private --json"
    served, done = common.served(lambda: common.cue("-c", command, executable="/bin/sh"))
    assert not served and done.returncode == 0, done.stderr
    newest = max((common.folder / ".cuedeck/cards").iterdir(), key=lambda card: card.stat().st_mtime_ns)
    assert (newest.stat().st_mode & 0o077 == 0) == (limit == "umask 077")


def test_a_file_of_the_callers_descriptors_is_read_by_the_caller(common: Ready) -> None:
    memories = common.cue("memory", "export", alone=True).stdout
    (common.folder / "memories").write_bytes(memories)
    command = f"{common.program} memory import /dev/fd/3 --json 3< memories"
    served, done = common.served(lambda: common.cue("-c", command, executable="/bin/sh"))
    assert not served and done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("| true", 0, b""),
        (">&-", 0, b""),
        ("<&- 2>&- >/dev/null", 0, b""),
        (">/dev/full", 1, b"error: No space left on device\n"),
    ],
)
def test_output_that_nobody_takes_is_no_drama(common: Ready, output: str, code: int, said: bytes) -> None:
    for command in ("card --help", "memory list"):
        done = common.cue("-c", f"{common.program} {command} {output}", executable="/bin/sh")
        assert (done.returncode, done.stderr.startswith(said)) == (code, True)
        assert done.stderr.count(b"\n") <= 2 and bool(done.stderr) == bool(said)


def on_a_terminal(
    common: Ready, arguments: tuple[str, ...], environ: dict[str, str], keys: bytes = b""
) -> tuple[int, bytes]:
    """A command's exit code and all that a terminal was told."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(common.folder)
        os.execve(common.program, [common.program, *arguments], environ)
    shown = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
        if keys and b"?" in shown:
            time.sleep(0.5)  # Python misses an interrupt between its last look and the read
            os.write(terminal, keys)
            keys = b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown


@pytest.mark.parametrize(
    "arguments",
    [("card", "--help"), ("card", "list"), ("card", "board"), ("search", "kettle", "--mode", "keyword")],
)
def test_a_terminal_is_a_terminal(common: Ready, arguments: tuple[str, ...]) -> None:
    colours = {"TERM": "xterm-256color"}
    served, there = common.served(lambda: on_a_terminal(common, arguments, {**common.environ, **colours}))
    assert served
    assert there == on_a_terminal(common, arguments, {**common.alone, **colours})


@pytest.mark.parametrize(("keys", "code"), [(b"n\n", 130), (b"\x03", 130), (b"\x04", 130)])
def test_a_question_is_asked_and_answered(common: Ready, keys: bytes, code: int) -> None:
    made: Any = common.cue("memory", "list", "--json", alone=True).stdout
    identity = made.decode().partition('"id": "')[2].partition('"')[0]
    arguments = ("memory", "forget", identity)
    served, there = common.served(lambda: on_a_terminal(common, arguments, common.environ, keys))
    assert served
    assert there == on_a_terminal(common, arguments, common.alone, keys)
    assert there[0] == code
