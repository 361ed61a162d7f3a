"""The frame that every command shares: help, exit codes, and errors a person can read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from cuedeck import __version__
from cuedeck.cli import summaries
from cuedeck.cli.root import root

CUE = Path(sys.executable).with_name("cue")


def test_version_under_every_name(cue: Any) -> None:
    for name in ("cue", "cuedeck", "cruxe"):
        done = cue("--version", program=str(CUE.with_name(name)))
        assert (done.returncode, done.stdout) == (0, f"{name} {__version__}\n")


def test_the_package_runs_as_a_module(cue: Any) -> None:
    done = cue("-m", "cuedeck", "--version", program=sys.executable)
    assert (done.returncode, done.stdout) == (0, f"cue {__version__}\n")


def test_help_names_every_command_and_imports_none(cue: Any) -> None:
    done = cue("--help")
    assert done.returncode == 0
    assert all(f"  {name}" in done.stdout for name in summaries())
    assert done.stdout.startswith("Usage: cue COMMAND [OPTIONS] [ARGUMENTS]...\n\n  Documents, code on every")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert cue("help").stdout == cue().stdout == done.stdout
    code = "import sys; from cuedeck.cli import main; main(['--help']); print(*sys.modules)"
    loaded = cue("-c", code, program=sys.executable).stdout.splitlines()[-1].split()
    assert {"click", "typing", "re", "pathlib"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", sorted(summaries()))
def test_every_command_explains_itself(name: str) -> None:
    for path, command in _leaves(name, root.get_command(click.Context(root), name)):
        done = CliRunner().invoke(root, [*path.split(), "--help"])
        assert done.exit_code == 0, done.output
        assert command.help, path
        assert "--workspace PATH" in done.output and "-v, --verbose" in done.output, path


def _leaves(path: str, command: click.Command | None) -> Iterator[tuple[str, click.Command]]:
    assert command is not None
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _leaves(f"{path} {name}", inner)


def test_a_wrong_command_line_is_2_and_names_the_nearest(cue: Any) -> None:
    done = cue("serach")
    assert done.returncode == 2 and "Did you mean 'search'?" in done.stderr and done.stdout == ""
    done = cue("--workspace", ".", "search", "x")
    assert done.returncode == 2 and "cue COMMAND --workspace" in done.stderr
    assert cue("clean", "--nonsense").returncode == 2
    assert json.loads(cue("clean", "--nonsense", "--json").stderr)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    "arguments",
    [
        ("links", ""),
        ("workflow", "run", "markdown-analyzer"),
        ("card", "new", " "),
        ("search", "word", "--workspace", "missing"),
    ],
)
def test_a_value_that_cannot_be_is_2(cue: Any, arguments: tuple[str, ...]) -> None:
    done = cue(*arguments)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and done.stdout == ""


def test_words_need_no_quotes(cue: Any) -> None:
    mine = {**os.environ, "CUEDECK_USER": "11111111-1111-4111-8111-111111111111"}
    assert cue("todo", "add", "buy", "oat milk", env=mine).returncode == 0
    assert "buy oat milk" in cue("todo", "list", env=mine).stdout
    assert cue("todo", "delete", "buy", "oat", env=mine).stdout == "Deleted 'buy oat milk'.\n"
    assert cue("card", "new", "Fix", "the", "login").returncode == 0
    assert "Fix the login" in cue("open", "fix", "log").stdout


def test_a_wrong_configuration_is_101_and_names_the_line(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck").mkdir()
    (folder / ".cuedeck/config.toml").write_text("[core]\ntoken_limit = 'many'\n")
    for arguments in (["serve"], ["clean"], ["daemon", "status"], ["connect", "cursor"], ["init"]):
        done = cue(*arguments)
        assert done.returncode == 101, arguments
        assert "line 2" in done.stderr and "hint:" in done.stderr and "Traceback" not in done.stderr
    assert cue("init", "--force").returncode == 0
    assert cue("clean").returncode == 0


def test_a_missing_folder_is_said_plainly(cue: Any) -> None:
    done = cue("clean", "--workspace", "no/such")
    assert done.returncode == 2
    assert done.stderr.startswith("error: There is no folder ")
    done = cue("clean", "--workspace", "no/such", "--json")
    assert json.loads(done.stderr)["error"]["hint"] == "Give --workspace an existing folder."


@pytest.mark.parametrize("command", [("init",), ("search", "x"), ("mcp",), ("mcp", "--no-daemon")])
def test_the_root_of_the_file_system_is_refused(cue: Any, command: tuple[str, ...]) -> None:
    done = cue(*command, "--workspace", "/", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: / is the root of the file system, not a project")
    assert not Path("/.cuedeck").exists()


def test_an_id_that_does_not_exist_comes_with_the_way_to_those_that_do(cue: Any) -> None:
    for group in ("card", "task"):
        done = cue(group, "show", "nope")
        assert done.returncode == 1 and f"`cue {group} list`) shows the ids" in done.stderr


def test_a_folder_that_is_gone_is_said_plainly(cue: Any, folder: Path) -> None:
    command = f"mkdir x; cd x; rmdir ../x; {CUE} clean; {CUE} daemon status"
    done = cue("-c", command, program="/bin/sh")
    assert done.stderr.count("error: The current folder no longer exists: .") == 2
    assert "Traceback" not in done.stderr


def test_an_unexpected_failure_is_one_line_with_an_id_and_a_private_log(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck").mkdir()
    code = (
        "import sys, cuedeck.cli.setup as s; from cuedeck.cli import main;"
        "s.initialise = lambda *a, **k: 1 / 0; sys.exit(main(sys.argv[1:]))"
    )
    done = cue("-c", code, "init", program=sys.executable)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "(id " in done.stderr
    log = folder / ".cuedeck/.cache/logs/crash.log"
    identity = done.stderr.partition("(id ")[2][:8]
    assert identity in log.read_text() and "ZeroDivisionError" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    log.write_text("x" * 1_100_000)
    assert "ZeroDivisionError" in cue("-c", code, "init", "-v", program=sys.executable).stderr
    assert log.stat().st_size < 10_000 < log.with_name("crash.log.1").stat().st_size
    log.unlink()
    log.symlink_to(folder / "elsewhere")  # as a clone may bring it
    elsewhere = cue("-c", code, "init", program=sys.executable)
    assert "(id " in elsewhere.stderr and str(log) not in elsewhere.stderr
    assert not (folder / "elsewhere").exists()


def test_too_little_memory_is_said_plainly(cue: Any) -> None:
    code = (
        "import sys, cuedeck.cli.setup as s; from cuedeck.cli import main;"
        "s.initialise = lambda *a, **k: bytearray(1 << 62); sys.exit(main(['init']))"
    )
    done = cue("-c", code, program=sys.executable)
    assert done.returncode == 1 and done.stderr.startswith("error: There is not enough memory\n hint: ")


def test_an_interrupt_while_it_loads_is_one_line(cue: Any) -> None:
    code = """
import sys
from cuedeck.cli import main
class Interrupt:
    def find_spec(self, name, *_):
        if name == "click.core":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
sys.exit(main(["search", "x"]))
"""
    done = cue("-c", code, program=sys.executable)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize("command", ["--help", "completion bash"])
@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("| true", 0, ""),
        (">&-", 0, ""),
        ("<&- 2>&- >/dev/null", 0, ""),
        (">/dev/full", 1, "error: No space left on device\n"),
    ],
)
def test_output_that_nobody_takes_is_no_drama(
    cue: Any, command: str, output: str, code: int, said: str
) -> None:
    done = cue("-c", f"{CUE} {command} {output}", program="/bin/sh")
    assert done.returncode == code
    assert done.stderr.startswith(said) and done.stderr.count("\n") <= 2 and bool(done.stderr) == bool(said)


def test_help_is_a_word_too(cue: Any) -> None:
    assert cue("help").stdout == cue("--help").stdout
    assert cue("help", "card", "new").stdout == cue("card", "new", "--help").stdout


def test_completion_scripts_and_candidates(cue: Any, environ: dict[str, str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        script = cue("completion", shell)
        assert script.returncode == 0 and "_CUE_COMPLETE" in script.stdout
    asked = {**environ, "_CUE_COMPLETE": "bash_complete", "COMP_WORDS": "cue cl", "COMP_CWORD": "1"}
    assert cue(env=asked).stdout.split() == ["plain,clean"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_shows_candidates_with_their_whole_help(cue: Any) -> None:
    ask = f"{CUE} completion fish | source; complete -C 'cue wor'"
    offered = cue("-c", f"set -x PATH {Path(CUE).parent} $PATH; {ask}", program=shutil.which("fish"))
    assert offered.stdout == "worker\tRun queued workflows.\nworkflow\tList, run and inspect workflows.\n"


@pytest.mark.skipif(os.name == "nt", reason="measures processor time of a child")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["clean"], ["daemon", "stop"]])
def test_plain_commands_start_within_two_and_a_half_times_of_python(
    folder: Path, environ: dict[str, str], arguments: list[str]
) -> None:
    compiled = {**environ, "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}
    compiled.pop("PYTHONDONTWRITEBYTECODE", None)
    bare = _processor_time([sys.executable, "-c", "pass"], folder, compiled)
    ours = _processor_time([str(CUE), *arguments], folder, compiled)
    assert ours <= 2.5 * bare


def _processor_time(command: list[str], folder: Path, environ: dict[str, str]) -> float:
    best = float("inf")
    for _ in range(8):
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def test_a_group_understands_other_words_for_what_it_has(cue: Any, folder: Path) -> None:
    made = cue("memory", "store", "The kettle is on the left", "--json")
    assert made.returncode == 0, made.stderr
    assert "kettle" in cue("memory", "ls").stdout
    assert cue("card", "create", "Fill it").returncode == 0
    unknown = cue("card", "frobnicate")
    assert unknown.returncode == 2 and "No such command 'frobnicate'" in unknown.stderr
