"""Reading git's index file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.git.gitindex import read_index

from .conftest import Repo


def test_the_time_is_that_of_the_index_that_was_read(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("a.py", "x = 1\n")
    repo.commit()
    index = repo.root / ".git" / "index"
    later = index.with_name("later")
    later.write_bytes(index.read_bytes())
    os.utime(index, ns=(10**18, 10**18))
    opened = Path.open

    def open_and_be_replaced(path: Path, *rest: Any, **options: Any) -> Any:
        file = opened(path, *rest, **options)
        later.replace(index)
        return file

    monkeypatch.setattr(Path, "open", open_and_be_replaced)
    tracked, written = read_index(index.parent)
    assert list(tracked) == ["a.py"]
    assert written == 10**18


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_split_index_is_read_whole(repo: Repo, version: str) -> None:
    names = [f"{number:03}.py" for number in range(200)]
    for name in names:
        repo.put(name, "x = 1\n")
    repo.commit()
    repo.git("update-index", "--index-version", version)
    repo.git("update-index", "--split-index")
    for name in (*names[:3], names[70], names[199]):
        repo.put(name, "x = 2\n")
    repo.put("new.py", "x = 3\n")
    repo.git("add", "-A")
    repo.git("rm", "-q", "--cached", *names[60:70], names[130])
    assert list((repo.root / ".git").glob("sharedindex.*"))
    staged = {line.split()[3]: line.split()[1] for line in repo.git("ls-files", "-s").splitlines()}
    tracked, _ = read_index(repo.root / ".git")
    assert {path: entry.oid for path, entry in tracked.items()} == staged
