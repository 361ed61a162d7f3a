"""Who installed this program, and how that installer is asked for a newer version."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode

PACKAGE = "cuedeck"
SECONDS = 600

_UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectionError|ConnectTimeout|Connection (?:refused|reset|timed out)|"
    r"dns error|Name or service not known|Temporary failure in name resolution|nodename nor servname|"
    r"Network is unreachable|network connectivity is disabled|error sending request|ProxyError|"
    r"Failed to (?:fetch|connect|resolve)|Could not connect|timed out|No route to host",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Installer:
    """The program that owns this environment, and the command that upgrades us in it."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What asking the installer led to."""

    reached: bool
    succeeded: bool
    said: str


def find_installer(prefix: Path = Path(sys.prefix), found: Distribution | None = None) -> Installer:
    """The owner of the environment in ``prefix``; an error says what to do when nobody may be asked."""
    found = found or _installed()
    _refuse_checkout(found)
    if (prefix / "uv-receipt.toml").exists():
        return Installer("uv tool", (_program("uv"), "tool", "upgrade", PACKAGE))
    if (prefix / "pipx_metadata.json").exists():
        return Installer("pipx", (_program("pipx"), "upgrade", PACKAGE))
    _refuse_managed(prefix)
    if (found.read_text("INSTALLER") or "").strip() == "uv" and (uv := shutil.which("uv")):
        return Installer("uv", (uv, "pip", "install", "--python", sys.executable, "--upgrade", PACKAGE))
    options = ("--upgrade", "--retries", "1", "--timeout", "10", "--disable-pip-version-check")
    return Installer("pip", (sys.executable, "-m", "pip", "install", *options, PACKAGE))


def upgrade(installer: Installer) -> Upgrade:
    """Ask the installer; it alone changes files."""
    try:
        done = subprocess.run(
            installer.command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Upgrade(False, False, f"{installer.name} did not finish within {SECONDS} s")
    said = (done.stdout + done.stderr).strip()
    if done.returncode == 0:
        return Upgrade(True, True, said)
    return Upgrade(not _UNREACHABLE.search(said), False, said)


def version_now() -> str:
    """The version that a new process would run."""
    code = f"from importlib.metadata import version; print(version({PACKAGE!r}))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() or "unknown"


def _installed() -> Distribution:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError as error:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            "CueDeck runs from a source folder and is not installed",
            hint="Update the source folder instead.",
        ) from error


def _refuse_checkout(found: Distribution) -> None:
    origin = json.loads(found.read_text("direct_url.json") or "{}")
    if "url" in origin and ("dir_info" in origin or origin["url"].startswith("file:")):
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"CueDeck was installed from {origin['url'].removeprefix('file://')}, not from a package index",
            hint="Update that folder (git pull) and install it again.",
        )


def _refuse_managed(prefix: Path) -> None:
    marker = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    if prefix == Path(sys.base_prefix) and marker.exists():
        raise CueError(
            ErrorCode.UNAVAILABLE,
            "This Python belongs to the operating system",
            hint="Upgrade with the system's package manager, or install with: uv tool install cuedeck",
        )


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"CueDeck was installed by {name}, which is not on the PATH",
            hint=f"Put {name} on the PATH and run cue upgrade again.",
        )
    return found
