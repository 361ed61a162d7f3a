from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuedeck import Workspace
from cuedeck.code import doctor
from cuedeck.code.doctor import check
from cuedeck.model.finding import Finding, Status
from cuedeck.store import code as table


def test_refs_and_what_could_not_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    (tmp_path / "wide.js").write_text("x(" * 200_000)
    for command in (["init", "-q", "-b", "main"], ["add", "-A"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", tmp_path, *author, "commit", "-qm", "one"], check=True)
    with Workspace.open(tmp_path) as workspace:
        assert [finding.status for finding in _of_index(workspace)] == [Status.PASS]
        workspace.code.index(workspace.code.wanted("main"))
        found = _of_index(workspace)
        assert "main has" in found[0].message
        assert [(finding.file, finding.status) for finding in found[1:]] == [("wide.js", Status.WARN)]
        with workspace.store.index.write(actor="t") as session:
            table.put_ref(session, "main", version=1)
        assert "earlier version" in _of_index(workspace)[0].message


def _of_index(workspace: Workspace) -> list[Finding]:
    return [finding for finding in check(workspace) if finding.check != "accelerator"]


def test_the_accelerator_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class OfAnotherVersion:
        @staticmethod
        def is_made_from(_package: Path) -> bool:
            return False

    def told() -> tuple[Status, str]:
        with Workspace.open(tmp_path) as workspace:
            [found] = [finding for finding in check(workspace) if finding.check == "accelerator"]
        return found.status, found.message

    monkeypatch.delenv("CUEDECK_NATIVE", raising=False)
    monkeypatch.setattr(doctor, "native", lambda: object())
    assert told() == (Status.PASS, "Code is read by compiled parts (cuedeck-native).")
    monkeypatch.setattr(doctor, "native", lambda: None)
    monkeypatch.setattr(doctor, "installed", lambda: None)
    assert told()[0] == Status.PASS
    assert "not installed" in told()[1]
    monkeypatch.setattr(doctor, "installed", OfAnotherVersion)
    assert told()[0] == Status.WARN
    assert "another version" in told()[1]
    monkeypatch.setenv("CUEDECK_NATIVE", "off")
    assert told()[0] == Status.PASS
    assert "Switched off" in told()[1]
