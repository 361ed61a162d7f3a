"""docs/tour.md, run as a newcomer runs it; ``CUEDECK_REFRESH_TOUR=1`` writes the outputs anew."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from outside import CUE, environment

TOUR = Path(__file__).parents[2] / "docs" / "tour.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
VOLATILE = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-01-01T00:00:00Z"),
    (r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?", "2026-01-01"),
    (r"wf_exec_\d{8}_\d{6}_\w+", "wf_exec_20260101_000000_0a1b2c3d4e5f"),
    (r"memory:[0-9a-z]{26}", "memory:01m0000000000000000000000a"),
    (r"\b[0-9a-f]{64}\b", "0" * 64),
    (r"\b[0-9a-f]{40}\b", "0" * 40),
    (r"\bsym_\w{26}", "sym_" + "0" * 26),
    (r"\bb3:[0-9a-f]{32}", "b3:" + "0" * 32),
    (r"cards/[a-z0-9]{6}\.md", "cards/a1b2c3.md"),
    (r"(?m)^[a-z0-9]{6}(?=  (\.cuedeck/cards|todo))", "a1b2c3"),
    (r"pid \d+", "pid 1"),
    (r"\b\d+(\.\d+)? (ms|s)\b", "1 s"),
    (r'"(executionTime|duration_ms|duration)":[\d.]+', r'"\1":1'),
    (r"(?m)[ \t]+$", ""),
    (r" {2,}", "  "),
)


def test_every_command_prints_what_the_tour_says(tmp_path: Path) -> None:
    text = TOUR.read_text()
    commands = [line[2:] for block in BLOCK.findall(text) for line in block.splitlines() if line[:2] == "$ "]
    outputs = iter(run(commands, tmp_path))
    shown = BLOCK.sub(lambda block: retold(block[1], outputs), text)
    if os.environ.get("CUEDECK_REFRESH_TOUR"):
        TOUR.write_text(shown)
    assert normal(shown) == normal(text), "CUEDECK_REFRESH_TOUR=1 accepts the change"


def retold(block: str, outputs: object) -> str:
    told = []
    for line in block.splitlines():
        if line.startswith("$ "):
            told.append(f"{line}\n{next(outputs)}")  # type: ignore[call-overload]
    return "```console\n" + "".join(told) + "```"


def run(commands: list[str], folder: Path) -> list[str]:
    """What each command printed; the first that fails ends the tour."""
    mark = "<<<end of output>>>"
    script = "\n".join(f"{{ {command}\n}} || exit 9\necho '{mark}'" for command in commands)
    identity = {
        "GIT_AUTHOR_NAME": "Ann",
        "GIT_AUTHOR_EMAIL": "ann@example.org",
        "GIT_COMMITTER_NAME": "Ann",
        "GIT_COMMITTER_EMAIL": "ann@example.org",
    }
    tools = f"{Path(CUE).parent}{os.pathsep}{os.environ['PATH']}"
    environ = environment(folder, **identity, PATH=tools, COLUMNS="100", CUEDECK_SEARCH__ENABLED="false")
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    pieces = done.stdout.replace(str(folder), "~").split(f"{mark}\n")
    assert len(pieces) == len(commands) + 1
    return pieces[:-1]


def normal(text: str) -> str:
    for pattern, plain in VOLATILE:
        text = re.sub(pattern, plain, text)
    return text
