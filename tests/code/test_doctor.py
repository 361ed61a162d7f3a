from __future__ import annotations

import subprocess
from pathlib import Path

from cuedeck import Workspace
from cuedeck.code.doctor import check
from cuedeck.model.finding import Status
from cuedeck.store import code as table


def test_refs_and_what_could_not_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    (tmp_path / "wide.js").write_text("x(" * 200_000)
    for command in (["init", "-q", "-b", "main"], ["add", "-A"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", tmp_path, *author, "commit", "-qm", "one"], check=True)
    with Workspace.open(tmp_path) as workspace:
        assert [finding.status for finding in check(workspace)] == [Status.PASS]
        workspace.code.index(workspace.code.wanted("main"))
        found = list(check(workspace))
        assert "main has" in found[0].message
        assert [(finding.file, finding.status) for finding in found[1:]] == [("wide.js", Status.WARN)]
        with workspace.store.index.write(actor="t") as session:
            table.put_ref(session, "main", version=1)
        assert "earlier version" in next(check(workspace)).message
