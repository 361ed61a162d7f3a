"""Places to be rough with: a workspace, and a small disk of its own where we may mount one."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mixed_load import Ground


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder with a short path, as sockets want it."""
    with tempfile.TemporaryDirectory(prefix="cuedeck-f-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@pytest.fixture
def make_ground() -> Iterator[Callable[..., Ground]]:
    """Workspaces whose daemons are stopped afterwards."""
    made: list[Ground] = []

    def make(base: Path, **settings: str) -> Ground:
        made.append(Ground(base, **settings))
        return made[-1]

    yield make
    for ground in made:
        ground.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def ground(
    request: pytest.FixtureRequest, base: Path, make_ground: Callable[..., Ground], workspace_id: str
) -> Ground:
    """A workspace on each kind of store."""
    if request.param == "sqlite":
        return make_ground(base)
    url: str = request.getfixturevalue("postgres_url")
    return make_ground(base, CUEDECK_STORE__URL=url, CUEDECK_STORE__WORKSPACE=workspace_id)


@pytest.fixture
def small_disk(base: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of 24 MB of our own, or of as many as the test says."""
    disk = base / "disk"
    disk.mkdir()
    size = getattr(request, "param", 24)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(command, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield disk
    # Lazily: a daemon that is just ending may still hold its log.
    subprocess.run(["umount", "-l", str(disk)], capture_output=True)
