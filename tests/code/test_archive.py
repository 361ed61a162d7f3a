"""State archives: they carry a workspace over, and a bad one changes nothing."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
import zstandard

from cuedeck.code.engine import Code
from cuedeck.code.locating import locate
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store, todos
from cuedeck.store.archive import export_state, import_state
from cuedeck.store.schema import DatabaseName, Migration, migrations
from cuedeck.store.sqlite.store import SqliteStore

from .conftest import Repo

Members = list[tuple[tarfile.TarInfo, bytes]]


def indexed(repo: Repo) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    store = open_store(None, root=repo.root, workspace_id="t")
    code = Code(repo.root, store, workers=1)
    code.view()
    code.close()
    store.close()


def members(archive: Path) -> Members:
    with archive.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as packed:
        data = io.BytesIO(packed.read())
    with tarfile.open(fileobj=data) as tar:
        return [(m, found.read() if (found := tar.extractfile(m)) else b"") for m in tar]


def packed(path: Path, entries: Members) -> Path:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for info, data in entries:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    path.write_bytes(zstandard.ZstdCompressor().compress(buffer.getvalue()))
    return path


def digest(root: Path) -> dict[str, str]:
    return {
        str(f.relative_to(root)): hashlib.sha256(f.read_bytes()).hexdigest()
        for f in sorted((root / ".cuedeck").rglob("*.db"))
    }


def test_a_colleague_starts_with_the_index_of_another(repo: Repo, tmp_path: Path) -> None:
    indexed(repo)
    archive = tmp_path / "state.tar.zst"
    done = export_state(repo.root, repo.root, archive)
    assert set(done.files) == {"state.db", "index.db"}
    assert archive.stat().st_mode & 0o777 == 0o600
    assert members(archive)[0][0].name == "metadata.json"
    other = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.root), str(other))
    _, kept = import_state(other, other, archive, lock_timeout=5)
    assert kept is not None
    assert kept.exists()
    store = open_store(None, root=other, workspace_id="t")
    code = Code(other, store, workers=1)
    assert code.indexer().missing(code.checkout.files().values()) == []
    assert locate(code.view().snapshot, "one")
    code.close()
    store.close()


Change = Callable[[Members], Members]


def _described(change: Callable[[dict[str, object]], None]) -> Change:
    def apply(entries: Members) -> Members:
        found = json.loads(entries[0][1])
        change(found)
        return [(entries[0][0], json.dumps(found).encode()), *entries[1:]]

    return apply


def _link(entries: Members) -> Members:
    info = tarfile.TarInfo("state.db")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return [entries[0], (info, b"")]


def _outside(entries: Members) -> Members:
    return [*entries, (tarfile.TarInfo("../../escaped"), b"x")]


def _planted(entries: Members) -> Members:
    """A trigger that ours do not have, with the hash put right."""
    name, data = next((m.name, d) for m, d in entries if m.name == "state.db")
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", data)
    connection.execute("CREATE TRIGGER planted AFTER INSERT ON migrations BEGIN SELECT 1; END").fetchall()
    changed = bytes(connection.serialize("main"))
    description = json.loads(entries[0][1])
    description["files"][name] = {"size": len(changed), "sha256": hashlib.sha256(changed).hexdigest()}
    rest = [(m, changed if m.name == name else d) for m, d in entries[1:]]
    return [(entries[0][0], json.dumps(description).encode()), *rest]


HOSTILE: dict[str, tuple[Change, ErrorCode]] = {
    "a flipped byte": (lambda e: [e[0], (e[1][0], b"\0" + e[1][1][1:]), *e[2:]], ErrorCode.VALIDATION),
    "no description": (lambda e: e[1:], ErrorCode.VALIDATION),
    "a missing member": (lambda e: e[:-1], ErrorCode.VALIDATION),
    "a symlink": (_link, ErrorCode.VALIDATION),
    "a path outside": (_outside, ErrorCode.VALIDATION),
    "a member twice": (lambda e: [*e, e[-1]], ErrorCode.VALIDATION),
    "a trigger": (_planted, ErrorCode.VALIDATION),
    "a newer format": (_described(lambda d: d.update(format=99)), ErrorCode.SCHEMA_TOO_NEW),
    "a newer schema": (
        _described(lambda d: d["schema"]["state"].append("future/9")),
        ErrorCode.SCHEMA_TOO_NEW,
    ),
    "no format": (_described(lambda d: d.update(format=True)), ErrorCode.VALIDATION),
    "a time that would speak to the terminal": (
        _described(lambda d: d.update(created_at="\033[2J2026-01-01T00:00:00Z")),
        ErrorCode.VALIDATION,
    ),
    "a time in other digits than ours": (
        _described(lambda d: d.update(created_at="\u0662\u0660\u0662\u0666-01-01T00:00:00Z")),
        ErrorCode.VALIDATION,
    ),
    "no schema": (_described(lambda d: d.pop("schema")), ErrorCode.VALIDATION),
    "a schema without one database": (_described(lambda d: d["schema"].pop("index")), ErrorCode.VALIDATION),
    "a schema that is none": (_described(lambda d: d.update(schema=7)), ErrorCode.VALIDATION),
    "a description without end": (
        lambda e: [(e[0][0], b"[" * 100_000), *e[1:]],
        ErrorCode.VALIDATION,
    ),
    "a false description": (_described(lambda d: d.update(files=[1])), ErrorCode.VALIDATION),
}


def test_an_export_replaces_an_archive_and_nothing_else(repo: Repo, tmp_path: Path) -> None:
    indexed(repo)
    source = repo.root / "a.py"
    for target in (source, Path("/dev/null"), tmp_path):
        with pytest.raises(CueError) as refused:
            export_state(repo.root, repo.root, target)
        assert refused.value.code is ErrorCode.VALIDATION
    assert source.read_text() == "def one(): pass\n"
    empty = tmp_path / "state.tar.zst"
    empty.touch()
    for _ in range(2):
        export_state(repo.root, repo.root, empty)
    assert members(empty)[0][0].name == "metadata.json"


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_damaged_or_hostile_archive_changes_nothing(repo: Repo, tmp_path: Path, kind: str) -> None:
    indexed(repo)
    archive = tmp_path / "good.tar.zst"
    export_state(repo.root, repo.root, archive)
    change, code = HOSTILE[kind]
    bad = packed(tmp_path / "bad.tar.zst", change(members(archive)))
    before = digest(repo.root)
    with pytest.raises(CueError) as caught:
        import_state(repo.root, repo.root, bad, lock_timeout=5)
    assert caught.value.code is code
    assert digest(repo.root) == before
    assert not (tmp_path / "escaped").exists()


@pytest.mark.parametrize("more", [b"more", zstandard.ZstdCompressor().compress(b"more" * 5000)])
def test_an_archive_that_goes_on_behind_its_end_is_refused(repo: Repo, tmp_path: Path, more: bytes) -> None:
    indexed(repo)
    archive = tmp_path / "good.tar.zst"
    export_state(repo.root, repo.root, archive)
    archive.write_bytes(archive.read_bytes() + more)
    before = digest(repo.root)
    with pytest.raises(CueError):
        import_state(repo.root, repo.root, archive, lock_timeout=5)
    assert digest(repo.root) == before


@pytest.mark.parametrize(
    "data", [b"", b"not an archive", zstandard.ZstdCompressor().compress(b"\0" * 300_000_000)]
)
def test_noise_and_bombs_are_refused(repo: Repo, tmp_path: Path, data: bytes) -> None:
    indexed(repo)
    bad = tmp_path / "bad.tar.zst"
    bad.write_bytes(data)
    before = digest(repo.root)
    with pytest.raises(CueError):
        import_state(repo.root, repo.root, bad, lock_timeout=5)
    assert digest(repo.root) == before
    with pytest.raises(CueError):
        import_state(repo.root, repo.root, tmp_path / "missing", lock_timeout=5)


def test_an_import_that_ends_half_way_leaves_nothing_that_looks_like_a_backup(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(repo)
    archive = tmp_path / "state.tar.zst"
    export_state(repo.root, repo.root, archive)

    def killed(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:4096])
        raise KeyboardInterrupt

    monkeypatch.setattr("cuedeck.store.archive._copy_database", killed)
    with pytest.raises(KeyboardInterrupt):
        import_state(repo.root, repo.root, archive, lock_timeout=5)
    assert list((repo.root / ".cuedeck" / "backups").iterdir()) == []


def test_who_serves_while_a_state_is_imported_answers_for_the_files_and_refs_as_they_are(
    repo: Repo, tmp_path: Path
) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    store = open_store(None, root=repo.root, workspace_id="t")
    code = Code(repo.root, store, workers=1)
    code.view()
    archive = tmp_path / "state.tar.zst"
    export_state(repo.root, repo.root, archive)
    repo.put("a.py", "def edited(): pass\n")
    assert locate(code.view().snapshot, "edited")
    import_state(repo.root, repo.root, archive, lock_timeout=5)
    assert locate(code.view().snapshot, "edited")
    import_state(repo.root, repo.root, archive, lock_timeout=5)
    # Stored now, it gets the number that what was edited had before.
    repo.git("branch", "feat")
    repo.git("checkout", "-q", "-f", "feat")
    repo.put("b.py", "def other(): pass\n")
    repo.commit()
    assert locate(code.view("feat").snapshot, "other")
    code.close()
    store.close()


def early(database: DatabaseName) -> list[Migration]:
    """The schema as it was before the newest migration of each domain that has several."""
    newest = {made.domain: made.number for made in migrations(database)}
    return [m for m in migrations(database) if m.number == 1 or m.number < newest[m.domain]]


def test_an_archive_of_an_older_schema_is_brought_up_to_date(repo: Repo, tmp_path: Path) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    old = tmp_path / "old"
    repo.git("clone", "-q", str(repo.root), str(old))
    older = SqliteStore(root=old, state_root=old, busy_timeout=5, known=early)
    with older.state.write(actor="me") as session:
        todos.remember(session, "me", change_id="kept", what="add", before="{}", at=1)
    code = Code(old, older, workers=1)
    code.view()
    code.close()
    older.close()
    archive = packed(tmp_path / "old.tar.zst", _as_exported(old))
    import_state(repo.root, repo.root, archive, lock_timeout=5)
    store = open_store(None, root=repo.root, workspace_id="t")
    with store.state.read() as session:
        kept = todos.last_change(session, "me")
    assert kept is not None
    assert kept["id"] == "kept"
    code = Code(repo.root, store, workers=1)
    assert code.indexer().missing(code.checkout.files().values()) == []
    assert locate(code.view().snapshot, "one")
    code.close()
    store.close()
    for inner, database in (("state.db", "state"), (".cache/index.db", "index")):
        connection = apsw.Connection(str(repo.root / ".cuedeck" / inner))
        applied = set(connection.execute("SELECT domain, number FROM migrations"))
        assert applied == {(made.domain, made.number) for made in migrations(database)}
        connection.close()


def _as_exported(root: Path) -> Members:
    """What an earlier version would have written of a workspace."""
    entries: Members = []
    files: dict[str, object] = {}
    for inner in ("state.db", ".cache/index.db"):
        connection = apsw.Connection(str(root / ".cuedeck" / inner))
        data = bytes(connection.serialize("main"))
        connection.close()
        name = Path(inner).name
        files[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        entries.append((tarfile.TarInfo(name), data))
    schema = {name: [f"{m.domain}/{m.number}" for m in early(name)] for name in ("state", "index")}
    described = {"format": 1, "created_at": "2026-01-01T00:00:00Z", "schema": schema, "files": files}
    return [(tarfile.TarInfo("metadata.json"), json.dumps(described).encode()), *entries]
