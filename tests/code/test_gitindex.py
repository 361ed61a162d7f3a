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
