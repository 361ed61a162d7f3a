"""What needs no repository: ids of blobs, and the files that are them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuedeck.code.git.objects import blob_id, blob_on_disk

from .conftest import Repo


def test_ids_are_those_of_git(repo: Repo) -> None:
    repo.put("a.py", "größe = 1\n")
    repo.commit()
    assert blob_id("größe = 1\n".encode(), "0" * 40) == repo.git("rev-parse", "HEAD:a.py")
    # Of the empty blob, in a repository with the longer ids.
    assert blob_id(b"", "0" * 64) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"


def test_a_file_is_read_if_it_is_the_blob(tmp_path: Path) -> None:
    file, source = tmp_path / "a.py", b"x = 1\n" * 30_000
    oid = blob_id(source, "")
    assert blob_on_disk(str(file), oid) is None
    file.write_bytes(source)
    assert blob_on_disk(str(file), oid) == source
    file.write_bytes(source + b"\n")
    assert blob_on_disk(str(file), oid) is None
    assert blob_on_disk(str(tmp_path), blob_id(b"", "")) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_neither_a_link_nor_a_pipe_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "link.py").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe.py")
    oid = blob_id(b"x = 1\n", "")
    assert blob_on_disk(str(tmp_path / "a.py"), oid) == b"x = 1\n"
    assert blob_on_disk(str(tmp_path / "link.py"), oid) is None
    assert blob_on_disk(str(tmp_path / "pipe.py"), blob_id(b"", "")) is None
