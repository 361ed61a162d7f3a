"""Trust is for one file, exactly as it is, and only for files that would be loaded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.workflows.trust import TrustLedger


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work/.cuedeck/workflows"
    (folder / "deeper").mkdir(parents=True)
    for name in ("hello.py", "deeper/hello.py", "hello.toml"):
        (folder / name).write_text("x = 1\n")
    (tmp_path / "work/hello.py").write_text("x = 1\n")
    (tmp_path / "hello.py").write_text("x = 1\n")
    return tmp_path / "work"


@pytest.fixture
def ledger(tmp_path: Path) -> TrustLedger:
    return TrustLedger(tmp_path / "data/trusted.json")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("hello.py", ErrorCode.VALIDATION),
        (".cuedeck/workflows/hello.toml", ErrorCode.VALIDATION),
        (".cuedeck/workflows/deeper/hello.py", ErrorCode.VALIDATION),
        (".cuedeck/workflows/gone.py", ErrorCode.NOT_FOUND),
        ("../hello.py", ErrorCode.PATH_REFUSED),
    ],
)
def test_what_is_never_loaded_cannot_be_trusted(
    ledger: TrustLedger, root: Path, path: str, code: ErrorCode
) -> None:
    with pytest.raises(CueError) as caught:
        ledger.trust(root, path)
    assert caught.value.code is code


def test_a_file_may_be_named_from_the_root_from_here_or_in_full(
    ledger: TrustLedger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root / ".cuedeck/workflows/hello.py"
    monkeypatch.chdir(file.parent)
    for name in (".cuedeck/workflows/hello.py", str(file), "deeper/../hello.py"):
        ledger.trust(root, name)
        assert ledger.trusts(file, file.read_bytes())
        assert not ledger.trusts(file, b"x = 2\n")
        assert ledger.revoke(root, name)
        assert not ledger.trusts(file, file.read_bytes())
    assert not ledger.revoke(root, str(file))


def test_decisions_made_at_once_all_count(ledger: TrustLedger, root: Path) -> None:
    files = [root / f".cuedeck/workflows/{number}.py" for number in range(12)]
    for file in files:
        file.write_text("x = 1\n")
    with ThreadPoolExecutor(12) as people:
        list(people.map(lambda file: ledger.trust(root, str(file)), files))
        assert all(ledger.trusts(file, file.read_bytes()) for file in files)
        assert all(people.map(lambda file: ledger.revoke(root, str(file)), files))
    assert not any(ledger.trusts(file, file.read_bytes()) for file in files)
