"""Databases of an earlier form open, keep what they hold, and are filled with words again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import psycopg
import pytest
from store_sample import TEXT, VECTORS, open_sample

from cuedeck.store import vectors
from cuedeck.store.postgres.migrate import FORM
from cuedeck.store.protocol import Session, Store, TextRecord, VectorRecord

VECTOR = np.eye(1, VECTORS.dimensions, dtype=np.float32)[0]


@pytest.fixture(autouse=True)
def sketched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SKETCHED", 1)


def fill(store: Store) -> None:
    with store.state.write(actor="me") as session:
        session.insert("notes", {"id": "n1", "title": "kept"})
        session.text(TEXT).put([TextRecord(1, {"title": ["word"]})])
        session.vectors(VECTORS).put([VectorRecord(1, "m", VECTOR, ["p_a"])])


def check(session: Session) -> None:
    assert session.value("SELECT title FROM notes WHERE id = 'n1'") == "kept"
    assert session.text(TEXT).untouched()
    for scope, found in (("p_a", [1]), ("p_b", [])):
        hits = session.vectors(VECTORS).nearest(VECTOR, model="m", scope=[[scope]])
        assert [hit.id for hit in hits] == found


def put_back(path: Path) -> None:
    """Give a database the form it had."""
    text = TEXT.name
    connection = apsw.Connection(str(path))
    for part in ("stamp", "fresh", "pieces", "directories", "postings"):
        connection.execute(f"DROP TABLE {text}_{part}").fetchall()
    connection.execute(f"CREATE VIRTUAL TABLE {text} USING fts5(scope, f_title, content='')").fetchall()
    connection.execute(f"CREATE VIRTUAL TABLE {text}_terms USING fts5vocab({text}, row)").fetchall()
    connection.execute(f"ALTER TABLE {VECTORS.name} DROP COLUMN scope").fetchall()
    connection.close()


def test_a_sqlite_state_of_the_former_form_is_brought_up_to_date(tmp_path: Path) -> None:
    store = open_sample(None, tmp_path, "w")
    fill(store)
    store.close()
    put_back(tmp_path / ".cuedeck" / "state.db")
    for _ in range(2):
        store = open_sample(None, tmp_path, "w")
        with store.state.read() as session:
            check(session)
        assert store.state.check() == []
        store.close()


def test_a_postgres_state_of_the_former_form_is_brought_up_to_date(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> None:
    url = make_database("former")
    store = open_sample(url, tmp_path, workspace_id)
    fill(store)
    store.close()
    with psycopg.connect(url) as server:
        server.execute("SET search_path TO cuedeck, public")
        server.execute("UPDATE migrations SET digest = replace(digest, %s, '/pieces')", (FORM,))
        server.execute(f"DROP TABLE {TEXT.name}_directories, {TEXT.name}_postings")
        server.execute(f"ALTER TABLE {VECTORS.name} DROP COLUMN scope")
    store = open_sample(url, tmp_path, workspace_id)
    with store.state.read() as session:
        check(session)
    store.close()
