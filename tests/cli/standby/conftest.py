"""A standby of its own, and proof of who ran a command."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clean_environ import SWITCH, clean_environ
from short_folder import short_folder

CUE = str(Path(sys.executable).with_name("cue"))
USER = "123e4567-e89b-12d3-a456-426614174000"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a standby needs Linux")


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait for something to become true, and give it."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)
    return found


def lives(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def held(lock: Path) -> bool:
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class Ready:
    """A workspace, and the standby of an environment that nobody else uses."""

    def __init__(self, base: Path, program: str = CUE) -> None:
        self.program = program
        self.folder = base / "work"
        (self.folder / ".cuedeck").mkdir(parents=True)
        self.runtime = short_folder()
        self.socket = Path()
        kept = {name: value for name, value in clean_environ().items() if name != SWITCH}
        home = base / "home"
        home.mkdir()
        self.environ = {
            **kept,
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "HOME": str(home),
            "CUEDECK_USER": USER,
        }
        self.alone = {**self.environ, SWITCH: "false"}

    def cue(
        self, *arguments: str, alone: bool = False, **settings: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command, with the standby or in a process of its own."""
        environ = self.alone if alone else self.environ
        usual = {"cwd": self.folder, "env": environ, "capture_output": True, "timeout": 100}
        return subprocess.run([self.program, *arguments], **{**usual, **settings})

    def begin(self, *arguments: str, **settings: Any) -> subprocess.Popen[bytes]:
        """Start a command and do not wait for it."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        usual = {"cwd": self.folder, "env": self.environ, **pipes}
        return subprocess.Popen([self.program, *arguments], **{**usual, **settings})

    def sockets(self) -> list[Path]:
        return list(self.runtime.glob("cuedeck/*.cmd"))

    def start(self) -> int:
        """Run commands, and wait for the standby that follows them and for its first child."""
        for _ in range(2):  # the second one starts it
            assert self.cue("todo", "--help").returncode == 0
        (self.socket,) = until(self.sockets)
        return int(until(lambda: self.process and self.spare() and self.process))

    @property
    def process(self) -> int:
        said = Path(f"{self.socket}.lock").read_text()
        return int(said) if said.isdigit() else 0

    def children(self) -> list[int]:
        process = self.process
        told = Path(f"/proc/{process}/task/{process}/children").read_text()
        return [int(each) for each in told.split()]

    def spare(self) -> int | None:
        """The child that waits for the next command; one that learns pages comes before there is a socket."""
        try:
            opened = [str(each.readlink()) for each in Path(f"/proc/{self.process}/fd").iterdir()]
        except FileNotFoundError:
            return None  # one was closed meanwhile
        if not any(each.startswith("socket:") for each in opened):
            return None
        return max(filter(lives, self.children()), default=None)

    def served(self, run: Callable[[], Any]) -> tuple[bool, Any]:
        """Whether the standby ran what was run meanwhile, and its result."""
        until(self.spare)
        lock = Path(f"{self.socket}.lock")
        before = lock.stat().st_mtime_ns  # it notes when it was needed last
        result = run()
        return lock.stat().st_mtime_ns != before, result

    def stop(self) -> None:
        """End every standby that was started here, also one that is still loading."""
        until(
            lambda: (
                self.cue("daemon", "stop", cwd=self.runtime).returncode == 0
                and not any(map(held, self.locks()))
            )
        )

    def locks(self) -> list[Path]:
        return list(self.runtime.glob("cuedeck/*.cmd.lock"))


@pytest.fixture(scope="module", autouse=True)
def usual_signals() -> Iterator[None]:
    """Commands inherit no signal that the tests were told to ignore, as in the background or by nohup."""
    usual = {signal.SIGHUP: signal.SIG_DFL, signal.SIGQUIT: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    """One standby for all gentle tests of a module."""
    made = Ready(tmp_path_factory.mktemp("ready"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def ready(tmp_path: Path) -> Iterator[Ready]:
    """A standby for a test that is rough with it."""
    made = Ready(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def unstarted(tmp_path: Path) -> Iterator[Ready]:
    """Where no standby is yet."""
    made = Ready(tmp_path)
    yield made
    made.stop()
