from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_what_cites_a_symbol_and_a_name_that_is_not_there(cue: Run, folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "bucket.py").write_text("class TokenBucket:\n    pass\n")
    (folder / "notes.md").write_text("# Notes\n\n`TokenBucket` holds tokens.\n")
    assert cue("index").returncode == 0
    said = cue("links", "TokenBucket")
    assert said.returncode == 0, said.stderr
    assert "notes.md" in said.stdout
    value = json.loads(cue("links", "notes.md", "--json").stdout)
    assert value["cites"] == [{"kind": "symbol", "name": "bucket::TokenBucket", "path": "bucket.py"}]
    missing = cue("links", "NoSuchThing")
    assert missing.returncode != 0
    assert "NoSuchThing" in missing.stderr
