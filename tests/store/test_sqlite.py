"""The SQLite files: private, current, and honest about what is wrong with them."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from store_sample import NOTES, VECTORS, open_sample, opened, sample_schema

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store
from cuedeck.store.ddl import add_column, table
from cuedeck.store.errors import Conflict
from cuedeck.store.protocol import Session, Store, VectorRecord
from cuedeck.store.schema import DatabaseName, Migration, migration
from cuedeck.store.sqlite.store import SqliteStore


@pytest.fixture
def open_here(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    opened: list[Store] = []

    def open_it() -> Store:
        opened.append(open_sample(None, tmp_path, "w", busy_timeout=2.0))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


def add(store: Store, id: str) -> None:
    with store.state.write(actor="me") as session:
        session.insert("notes", {"id": id, "title": "t"})


def ids(store: Store) -> list[str]:
    with store.state.read() as session:
        return [row["id"] for row in session.rows("SELECT id FROM notes ORDER BY id")]


def cache(store: Store, path: str) -> None:
    with store.index.write(actor="me") as session:
        session.insert("files", {"path": path})


def cached(store: Store) -> int:
    with store.index.read() as session:
        return int(session.value("SELECT count(*) FROM files"))


def test_files_and_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    before = os.umask(0)
    try:
        store = open_sample(None, root, "w")
        add(store, "n1")
        found = list((root / ".cuedeck").rglob("*"))
        assert {"state.db", "state.db-wal", "state.db-shm", "index.db"} <= {path.name for path in found}
        for path in [root / ".cuedeck", *found]:
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        store.close()
    finally:
        os.umask(before)


def test_git_does_not_see_databases_of_a_workspace_nobody_set_up(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    def untracked() -> str:
        command = ["git", "status", "--porcelain", "-uall"]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    store = open_here()
    add(store, "n1")
    cache(store, "a.py")
    assert untracked() == ""
    (tmp_path / ".cuedeck" / "cards").mkdir()
    (tmp_path / ".cuedeck" / "cards" / "a.md").write_text("# A card is shared")
    assert untracked() == "?? .cuedeck/cards/a.md\n"


def test_what_a_person_wrote_for_git_stays(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / ".cuedeck" / ".gitignore").write_text("mine\n")
    add(open_here(), "n1")
    assert (tmp_path / ".cuedeck" / ".gitignore").read_text() == "mine\n"


def test_rights_given_away_are_taken_back(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    open_here().close()
    (tmp_path / ".cuedeck" / "state.db").chmod(0o644)
    open_here()
    assert stat.S_IMODE((tmp_path / ".cuedeck" / "state.db").stat().st_mode) == 0o600


def test_state_survives_and_index_may_be_deleted_while_open(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    store, other = open_here(), open_here()
    add(store, "n1")
    cache(store, "a.py")
    version = store.index.version()
    for path in (tmp_path / ".cuedeck" / ".cache").glob("index.db*"):
        path.unlink()
    assert cached(other) == cached(store) == 0
    assert store.index.version() != version
    cache(other, "b.py")
    assert cached(store) == 1
    assert ids(store) == ["n1"]


def test_a_damaged_index_is_set_aside_and_built_anew(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    store = open_here()
    cache(store, "a.py")
    store.close()
    path = tmp_path / ".cuedeck" / ".cache" / "index.db"
    path.write_bytes(b"this is not a database at all" * 200)
    assert cached(open_here()) == 0
    assert [p for p in path.parent.glob("index.db.damaged-*") if p.read_bytes().startswith(b"this is not")]


def test_an_index_damaged_while_in_use_heals_at_the_next_call(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    store = open_here()
    with store.index.write(actor="me") as session:
        session.run_many("INSERT INTO files VALUES(:p)", ({"p": "x" * 200 + str(n)} for n in range(2000)))
    store.close()
    path = tmp_path / ".cuedeck" / ".cache" / "index.db"
    content = bytearray(path.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    path.write_bytes(bytes(content))
    store = open_here()
    with pytest.raises(CueError) as caught, store.index.read() as session:
        session.rows("SELECT * FROM files")
    assert caught.value.code is ErrorCode.DATABASE
    assert "cue clean" in (caught.value.hint or "")
    assert cached(store) == 0


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 8176])
def test_a_damaged_state_is_reported_and_never_touched(
    tmp_path: Path, open_here: Callable[[], Store], content: bytes
) -> None:
    path = tmp_path / ".cuedeck" / "state.db"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.DATABASE
    assert "backup" in (caught.value.hint or "")
    assert path.read_bytes() == content


def test_damage_inside_is_found_by_the_check(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    store = open_here()
    with store.state.write(actor="me") as session:
        for number in range(500):
            session.insert("notes", {"id": f"n{number}", "title": "t" * 300})
    assert store.state.check() == []
    store.close()
    path = tmp_path / ".cuedeck" / "state.db"
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    path.write_bytes(bytes(content))
    assert open_here().state.check() != []


def test_a_newer_schema_is_refused_and_kept(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    future = Migration("state", "future", 1, (table("flying_cars", ["id text not null"], key=["id"]),))

    def newer(database: DatabaseName) -> list[Migration]:
        return [*sample_schema(database), *([future] if database == "state" else [])]

    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=newer)
    add(store, "n1")
    store.close()
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.SCHEMA_TOO_NEW
    assert caught.value.data["unknown_migration"] == "future/1"
    again = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=newer)
    assert ids(again) == ["n1"]
    again.close()


def other_build(database: DatabaseName) -> list[Migration]:
    """The same numbers, another content."""
    files = Migration("index", "sample", 1, (table("files", ["path text not null", "n text"], key=["path"]),))
    notes = Migration("state", "sample", 1, (*NOTES.steps, table("more", ["id text not null"], key=["id"])))
    changed = {"index": files, "state": notes}[database]
    return [*(m for m in sample_schema(database) if m.domain != "sample"), changed]


def test_an_index_of_another_build_is_built_anew_at_the_start(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    def newer(database: DatabaseName) -> list[Migration]:
        return other_build(database) if database == "index" else list(sample_schema(database))

    old = open_here()
    cache(old, "a.py")
    add(old, "n1")
    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=newer)
    with store.index.write(actor="me") as session:
        session.insert("files", {"path": "b.py", "n": "x"})
    assert ids(store) == ["n1"]
    # The older build still runs, and must not throw away what the newer one has made.
    with pytest.raises(CueError) as caught:
        cached(old)
    assert caught.value.code is ErrorCode.SCHEMA_TOO_NEW
    assert cached(store) == 1
    store.close()


def test_a_state_of_another_build_is_refused_and_kept(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    store = open_here()
    add(store, "n1")
    store.close()
    with pytest.raises(CueError) as caught:
        opened(SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=other_build))
    assert caught.value.code is ErrorCode.SCHEMA_TOO_NEW
    assert caught.value.data["differing_migration"] == "sample/1"
    assert ids(open_here()) == ["n1"]


def test_a_migration_keeps_data_and_the_log_knows_the_new_column(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    store = open_here()
    add(store, "n1")
    store.close()
    second = Migration("state", "sample", 2, (add_column("notes", "colour text"),))

    def later(database: DatabaseName) -> list[Migration]:
        return [*sample_schema(database), *([second] if database == "state" else [])]

    store = SqliteStore(root=tmp_path, state_root=tmp_path, busy_timeout=1, known=later)
    with store.state.write(actor="me") as session:
        session.run("UPDATE notes SET colour = 'red'")
    change = store.state.changes(after=0)[-1]
    assert change.before is not None
    assert change.after is not None
    assert (change.before["colour"], change.after["colour"]) == (None, "red")
    store.close()


def test_a_migration_that_fails_leaves_the_old_schema(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    store = open_here()
    add(store, "n1")
    store.close()
    broken = Migration(
        "state",
        "broken",
        1,
        (table("half", ["id text not null"], key=["id"]), add_column("no_such_table", "x text")),
    )
    with pytest.raises(CueError):
        opened(
            SqliteStore(
                root=tmp_path,
                state_root=tmp_path,
                busy_timeout=1,
                known=lambda d: [*sample_schema(d), broken],
            )
        )
    store = open_here()
    assert ids(store) == ["n1"]
    with pytest.raises(CueError), store.state.read() as session:
        session.rows("SELECT * FROM half")


def test_many_processes_may_create_one_workspace(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from store_sample import open_sample\n"
        "store = open_sample(None, Path(sys.argv[1]), 'w')\n"
        "with store.state.write(actor='me') as s: s.insert('notes', {'id': sys.argv[2], 'title': 't'})\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), f"n{number}"], env=environment)
        for number in range(4)
    ]
    assert [process.wait(timeout=60) for process in started] == [0] * 4
    store = open_sample(None, tmp_path, "w")
    assert ids(store) == ["n0", "n1", "n2", "n3"]
    store.close()


def test_a_full_disk_loses_nothing_that_was_there(open_here: Callable[[], Store]) -> None:
    store = open_here()
    add(store, "n1")
    with store.state.write(actor="me") as session:
        pages = session.value("PRAGMA page_count")
        session.value(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(CueError) as caught, store.state.write(actor="me") as session:
        session.insert("notes", {"id": "n2", "title": "x" * 100_000})
    assert caught.value.code is ErrorCode.DATABASE
    assert "space" in caught.value.message
    assert ids(store) == ["n1"]


GOING_ON: list[Callable[[Session], object]] = [
    lambda session: session.insert("notes", {"id": "n2", "title": "t"}),
    lambda session: session.insert_many("notes", ("id", "title"), [("n2", "t")]),
    lambda session: session.run_many(
        "INSERT INTO notes(id, title) VALUES(:id, :t)", [{"id": "n2", "t": "t"}]
    ),
    lambda session: session.vectors(VECTORS).put([VectorRecord(1, "m", np.ones(VECTORS.dimensions))]),
]


@pytest.mark.parametrize("go_on", GOING_ON)
def test_going_on_after_sqlite_gave_the_transaction_up_commits_nothing(
    open_here: Callable[[], Store], go_on: Callable[[Session], object]
) -> None:
    store = open_here()
    with pytest.raises(CueError, match="undone"), store.state.write(actor="me") as session:
        session.insert("notes", {"id": "n1", "title": "t"})
        with pytest.raises(Conflict):
            session.run("INSERT OR ROLLBACK INTO notes(id, title) VALUES('n1', 't')")
        go_on(session)
    assert ids(store) == []
    with store.state.read() as session:
        assert session.vectors(VECTORS).count(model="m") == 0


def test_a_folder_that_cannot_be_written_is_named() -> None:
    # The kernel's own file system refuses even the superuser.
    with pytest.raises(CueError) as caught:
        opened(open_store(None, root=Path("/proc/self"), workspace_id="w"))
    assert caught.value.code in (ErrorCode.DATABASE, ErrorCode.PATH_REFUSED)
    assert caught.value.hint


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_folder_that_sqlite_has_no_name_for_is_refused_in_a_sentence(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    odd.mkdir()
    with pytest.raises(CueError, match="is not UTF-8") as caught:
        opened(open_store(None, root=odd, workspace_id="w"))
    assert caught.value.code is ErrorCode.DATABASE and caught.value.hint


def test_a_path_that_is_too_long_for_sqlite_is_refused_in_a_sentence(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 100] * 5)
    deep.mkdir(parents=True)
    with pytest.raises(CueError, match="is too long: SQLite opens files of at most 504 bytes"):
        opened(open_store(None, root=deep, workspace_id="w"))


def test_a_lock_is_named_from_the_workspace_on(tmp_path: Path) -> None:
    impatient = open_sample(None, tmp_path, "w", busy_timeout=0.2)
    holding = apsw.Connection(str(tmp_path / ".cuedeck/.cache/index.db"))
    holding.execute("BEGIN IMMEDIATE")
    with pytest.raises(CueError) as caught, impatient.index.write(actor="me"):
        pass
    assert caught.value.data["lock_file"] == ".cuedeck/.cache/index.db-lock"
    holding.execute("ROLLBACK")
    holding.close()
    impatient.close()


def test_a_lock_that_cannot_be_made_is_named_and_leaks_nothing(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    (tmp_path / ".cuedeck" / "state.db-lock").mkdir(parents=True)
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.DATABASE
    assert "state.db-lock" in caught.value.message
    (tmp_path / ".cuedeck" / "state.db-lock").rmdir()
    (tmp_path / ".cuedeck" / "state.db").write_bytes(b"garbage" * 1000)
    descriptors = Path("/dev/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    for _ in range(20):
        with pytest.raises(CueError):
            open_here()
    gc.collect()
    if before:
        assert len(list(descriptors.iterdir())) <= before + 2


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


def test_a_state_that_came_with_a_clone_is_refused(tmp_path: Path, open_here: Callable[[], Store]) -> None:
    store = open_here()
    add(store, "planted")
    store.close()
    git(tmp_path, "init")
    git(tmp_path, "add", "-f", ".cuedeck/state.db")
    git(tmp_path, "commit", "-m", "planted")
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.CONFIGURATION
    assert "git" in caught.value.message
    git(tmp_path, "rm", "--cached", ".cuedeck/state.db")
    assert ids(open_here()) == ["planted"]


@pytest.mark.parametrize("option", ["index.version=4", "core.splitIndex=true"])
def test_a_planted_state_is_found_in_every_kind_of_index(
    tmp_path: Path, open_here: Callable[[], Store], option: str
) -> None:
    open_here().close()
    git(tmp_path, "init")
    (tmp_path / ".cue").touch()
    git(tmp_path, "add", ".cue")
    open_here().close()
    git(tmp_path, "-c", option, "add", "-f", ".cuedeck/state.db")
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.CONFIGURATION


def test_a_folder_that_is_a_repository_of_its_own_is_refused(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    open_here().close()
    (tmp_path / ".cuedeck" / ".git").mkdir()
    with pytest.raises(CueError) as caught:
        open_here()
    assert caught.value.code is ErrorCode.CONFIGURATION


def test_a_worktree_is_checked_by_its_own_index(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git(main, "init")
    (main / "a").touch()
    git(main, "add", "a")
    git(main, "commit", "-m", "one")
    git(main, "worktree", "add", str(tree))
    open_sample(None, tree, "w").close()
    open_sample(None, tree, "w").close()
    git(tree, "add", "-f", ".cuedeck/state.db")
    with pytest.raises(CueError):
        open_sample(None, tree, "w")


def test_a_link_out_of_the_workspace_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "clone", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".cuedeck").symlink_to(outside)
    with pytest.raises(CueError) as caught:
        open_sample(None, root, "w")
    assert caught.value.code is ErrorCode.PATH_REFUSED
    assert list(outside.iterdir()) == []


def test_a_database_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").mkdir()
    target = tmp_path / "elsewhere.db"
    target.touch()
    (tmp_path / ".cuedeck" / "state.db").symlink_to(target)
    with pytest.raises(CueError) as caught:
        open_sample(None, tmp_path, "w")
    assert caught.value.code is ErrorCode.DATABASE
    assert target.read_bytes() == b""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_uses_connections_of_its_own(open_here: Callable[[], Store]) -> None:
    store = open_here()
    add(store, "parent")
    with store.state.read() as session:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                add(store, "child")
                code = 0 if ids(store) == ["child", "parent"] else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert session.value("SELECT count(*) FROM notes") == 1
    assert ids(store) == ["child", "parent"]
    add(store, "again")
    assert store.state.check() == []


def test_every_connection_has_its_settings(open_here: Callable[[], Store]) -> None:
    store = open_here()
    expected = {"journal_mode": "wal", "foreign_keys": 1, "trusted_schema": 0}
    for database, level, mapped in ((store.state, 2, 0), (store.index, 1, 1 << 30)):
        own = expected | {"synchronous": level, "mmap_size": mapped}
        with database.write(actor="me") as session:
            assert {name: session.value(f"PRAGMA {name}") for name in own} == own
        with database.read() as session:
            assert session.value("PRAGMA query_only") == 1
    with store.state.write(actor="me", durable=False) as session:
        assert session.value("PRAGMA synchronous") == 1
    with store.state.write(actor="me") as session:
        assert session.value("PRAGMA synchronous") == 2


def test_an_unknown_url_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(CueError) as caught:
        open_store("mysql://localhost/x", root=tmp_path, workspace_id="w")
    assert caught.value.code is ErrorCode.CONFIGURATION


def test_an_audited_table_needs_the_state_database() -> None:
    with pytest.raises(ValueError, match="change log"):
        migration("index", "wrong", 1)(
            lambda: [table("wrong", ["id text not null"], key=["id"], audited=True)]
        )


def test_the_bundled_sqlite_has_the_fix_for_lost_wal_frames() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3)


def test_a_table_that_another_version_took_away_is_said(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    store = open_here()
    other = apsw.Connection(str(tmp_path / ".cuedeck" / "state.db"))
    other.execute("DROP TABLE notes")
    other.close()
    with pytest.raises(CueError, match="changed by another version"):
        ids(store)


def test_what_only_the_log_holds_survives_its_file_being_moved_away(
    tmp_path: Path, open_here: Callable[[], Store]
) -> None:
    store = open_here()
    add(store, "n1")
    path = tmp_path / ".cuedeck" / "state.db"
    path.rename(tmp_path / "kept.db")
    assert ids(store) == []
    (log,) = path.parent.glob("state.db-wal.left-*")
    log.rename(tmp_path / "kept.db-wal")
    kept = apsw.Connection(str(tmp_path / "kept.db"))
    assert kept.execute("SELECT id FROM notes").fetchall() == [("n1",)]
    kept.close()


def test_a_workspace_that_was_moved_away_is_not_made_anew(tmp_path: Path) -> None:
    root, away = tmp_path / "work", tmp_path / "away"
    root.mkdir()
    store = open_sample(None, root, "w")
    add(store, "n1")
    root.rename(away)
    with pytest.raises(CueError) as caught:
        add(store, "n2")
    assert caught.value.code is ErrorCode.DATABASE
    assert not root.exists()
    away.rename(root)
    add(store, "n3")
    assert ids(store) == ["n1", "n3"]
    store.close()


def test_a_foreign_program_that_holds_the_lock_is_not_taken_for_one_of_us_that_has_ended(
    tmp_path: Path,
) -> None:
    store = open_sample(None, tmp_path, "w", busy_timeout=0.2)
    code = "import os; print(os.getpid())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    try:
        add(store, "n1")
        (gate,) = tmp_path.rglob("*state*-lock")
        gate.write_text(f"{int(ended):<20}")
        file = gate.with_name(gate.name.removesuffix("-lock"))
        foreign = apsw.Connection(str(file))
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(CueError) as caught:
            add(store, "n2")
        assert (caught.value.code, caught.value.data["holder_pid"]) == (ErrorCode.LOCKED, None)
        assert "another program" in str(caught.value.hint)
        foreign.close()
        add(store, "n2")
        assert ids(store) == ["n1", "n2"]
    finally:
        store.close()
