"""What both engines promise alike."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum

import pytest
from store_sample import TEXT, VECTORS

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import changes
from cuedeck.store.errors import Conflict
from cuedeck.store.protocol import Session, Store, TextRecord

OpenAgain = Callable[..., Store]


def add(session: Session, id: str, title: str = "a title", **more: object) -> int:
    return session.insert("notes", {"id": id, "title": title, **more})


def titles(store: Store) -> dict[str, str]:
    with store.state.read() as session:
        return {row["id"]: row["title"] for row in session.rows("SELECT id, title FROM notes")}


# Transactions


def test_a_committed_write_is_there_for_everyone(sample: Store, open_again: OpenAgain) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1", "first")
    assert titles(sample) == titles(open_again()) == {"n1": "first"}


def test_a_write_that_raises_leaves_nothing(sample: Store) -> None:
    with pytest.raises(ZeroDivisionError), sample.state.write(actor="me") as session:
        rid = add(session, "n1")
        session.text(TEXT).put([TextRecord(rid, {"title": ["word"]})])
        raise ZeroDivisionError
    assert titles(sample) == {}
    with sample.state.read() as session:
        assert session.text(TEXT).matching_ids(["word"]) == []
        assert session.text(TEXT).statistics(["word"]).documents == 0
    assert sample.state.changes(after=0) == []


def test_a_reader_keeps_its_view_while_others_write(sample: Store, open_again: OpenAgain) -> None:
    with sample.state.read() as reader:
        assert reader.value("SELECT count(*) FROM notes") == 0
        with open_again().state.write(actor="me") as writer:
            add(writer, "n1")
        assert reader.value("SELECT count(*) FROM notes") == 0
    assert list(titles(sample)) == ["n1"]


def test_a_reading_transaction_refuses_to_write(sample: Store) -> None:
    with pytest.raises(CueError) as caught, sample.state.read() as session:
        add(session, "n1")
    assert caught.value.code is ErrorCode.DATABASE
    assert titles(sample) == {}


def test_writers_in_threads_and_stores_lose_nothing(sample: Store, open_again: OpenAgain) -> None:
    stores = [sample, sample, open_again(), open_again()]

    def count_up(store: Store) -> None:
        for _ in range(15):
            with store.state.write(actor="me") as session:
                # Read, then write: only safe because writers are one at a time.
                seen = session.value("SELECT score FROM notes WHERE id = 'counter'")
                session.run("UPDATE notes SET score = :next WHERE id = 'counter'", next=seen + 1)

    with sample.state.write(actor="me") as session:
        add(session, "counter", score=0.0)
    threads = [threading.Thread(target=count_up, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sample.state.read() as session:
        assert session.value("SELECT score FROM notes WHERE id = 'counter'") == 60


def test_a_writer_that_does_not_finish_is_named(sample: Store, open_again: OpenAgain) -> None:
    impatient = open_again(busy_timeout=0.3)
    with sample.state.write(actor="me") as session:
        add(session, "n1")
        started = time.monotonic()
        with pytest.raises(CueError) as caught, impatient.state.write(actor="you"):
            pass
        assert 0.2 < time.monotonic() - started < 3
    assert caught.value.code is ErrorCode.LOCKED
    assert set(caught.value.data) == {"lock_file", "holder_pid", "suggestion"}
    assert isinstance(caught.value.data["holder_pid"], int)
    with impatient.state.write(actor="you") as session:
        add(session, "n2")
    assert sorted(titles(sample)) == ["n1", "n2"]


def test_a_write_inside_a_write_is_a_mistake_and_says_so(sample: Store) -> None:
    with (
        pytest.raises(RuntimeError, match="already inside"),
        sample.state.write(actor="me"),
        sample.state.write(actor="me"),
    ):
        pass
    with sample.state.write(actor="me") as session:
        add(session, "n1")


def test_state_and_index_are_written_independently(sample: Store) -> None:
    with sample.state.write(actor="me") as session, sample.index.write(actor="me") as cache:
        add(session, "n1")
        cache.insert("files", {"path": "a.py"})
    with sample.index.read() as cache:
        assert cache.rows("SELECT path FROM files") == [{"path": "a.py"}]


def test_an_undurable_write_is_seen_like_any_other(sample: Store, open_again: OpenAgain) -> None:
    with sample.state.write(actor="me", durable=False) as session:
        add(session, "n1")
    with sample.state.write(actor="me") as session:
        add(session, "n2")
    assert sorted(titles(open_again())) == ["n1", "n2"]


# Statements


def test_insert_gives_an_identity_that_is_never_reused(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        first, second = add(session, "n1"), add(session, "n2")
        session.run("DELETE FROM notes WHERE id = 'n2'")
        third = add(session, "n3")
        assert session.insert("note_tags", {"note_id": "n1", "tag": "x"}) == 0
    assert first < second < third


def test_upsert_overwrites_only_what_it_names(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1", "old", score=1.5)
        session.upsert("notes", {"id": "n1", "title": "new"}, key=["id"])
        session.upsert("note_tags", {"note_id": "n1", "tag": "x"}, key=["note_id", "tag"])
        session.upsert("note_tags", {"note_id": "n1", "tag": "x"}, key=["note_id", "tag"])
        assert session.row("SELECT title, score FROM notes") == {"title": "new", "score": 1.5}
        assert session.value("SELECT count(*) FROM note_tags") == 1


def test_many_rows_are_inserted_or_overwritten_in_order(sample: Store) -> None:
    columns = ("id", "title")
    with sample.state.write(actor="me") as session:
        session.insert_many("notes", columns, ((f"n{number}", "old") for number in range(50)))
        rows = session.rows("SELECT id FROM notes ORDER BY rid")
        session.insert_many("notes", columns, [("n3", "née"), ("n99", "new")], key=["id"])
    assert [row["id"] for row in rows] == [f"n{number}" for number in range(50)]
    found = titles(sample)
    assert (found["n2"], found["n3"], found["n99"], len(found)) == ("old", "née", "new", 51)


@pytest.mark.parametrize("value", ["a\x00b", "\ud800", 2**63])
def test_no_row_of_many_holds_what_one_engine_refuses(sample: Store, value: object) -> None:
    with pytest.raises(CueError) as caught, sample.state.write(actor="me") as session:
        session.insert_many("notes", ("id", "title"), [("n1", "fine"), ("n2", value)])
    assert caught.value.code is ErrorCode.VALIDATION
    assert titles(sample) == {}


def test_a_conflict_clause_written_by_hand_needs_no_workspace(sample: Store) -> None:
    sql = "INSERT INTO notes(id, title) VALUES(:id, :t) ON CONFLICT (id) DO UPDATE SET title = excluded.title"
    with sample.state.write(actor="me") as session:
        session.run(sql, id="n1", t="old")
        session.run(sql, id="n1", t="new")
        assert session.run("INSERT INTO notes(id, title) VALUES('n1', 'x') ON CONFLICT DO NOTHING") == 0
    assert titles(sample) == {"n1": "new"}


def test_lists_may_hold_anything_and_nothing(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        session.run_many(
            "INSERT INTO notes(id, title, created_at) VALUES(:id, :id, :at)",
            ({"id": name, "at": at} for at, name in enumerate(["a", "it's", 'q"', "ü"])),
        )
        ids = "SELECT id FROM notes WHERE id IN :ids ORDER BY id"
        assert [row["id"] for row in session.rows(ids, ids=["it's", "ü", "zz"])] == ["it's", "ü"]
        assert session.rows(ids, ids=[]) == []
        assert session.value("SELECT count(*) FROM notes WHERE id NOT IN :ids", ids=["a"]) == 3
        assert session.value("SELECT count(*) FROM notes WHERE id NOT IN :ids", ids=[]) == 4
        assert session.value("SELECT count(*) FROM notes WHERE created_at IN :at", at={1, 2}) == 2


def test_the_same_optional_filter_works_on_both(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1", "x", created_at=5)
        add(session, "n2", "y", created_at=9)
        sql = (
            "SELECT count(*) FROM notes WHERE (:title IS NULL OR title = :title) "
            "AND (:since IS NULL OR created_at >= :since)"
        )
        assert session.value(sql, title=None, since=None) == 2
        assert session.value(sql, title="x", since=None) == 1
        assert session.value(sql, title=None, since=9) == 1


def test_text_that_looks_like_sql_is_only_text(sample: Store) -> None:
    nasty = "'; DROP TABLE notes; -- :x %s %(y)s ::text \\ $1"
    with sample.state.write(actor="me") as session:
        add(session, "n1", nasty)
        found = session.value("SELECT id FROM notes WHERE title LIKE '%DROP%' AND title = :t", t=nasty)
        assert found == "n1"
        assert session.value("SELECT ':title' || '%' || CAST(:x AS text)", x="y") == ":title%y"


def test_values_come_back_as_they_went_in(sample: Store) -> None:
    class Colour(StrEnum):
        RED = "red-value"

    with sample.state.write(actor="me") as session:
        add(session, "n1", Colour.RED, done=True, score=0.1, created_at=2**62, picture=b"\x00\xff")
        row = session.row("SELECT * FROM notes")
    assert row is not None
    assert row.pop("rid") > 0
    assert row == {
        "id": "n1",
        "title": "red-value",
        "secret": None,
        "picture": b"\x00\xff",
        "done": 1,
        "score": 0.1,
        "created_at": 2**62,
        "deleted_at": None,
    }


def test_text_sorts_by_code_point(sample: Store) -> None:
    names = ["b", "A", "a", "B", "_", "é", "10", "9", "中", "🙂"]
    with sample.state.write(actor="me") as session:
        for name in names:
            add(session, name)
        assert [row["id"] for row in session.rows("SELECT id FROM notes ORDER BY id")] == sorted(names)


@pytest.mark.parametrize(
    "value", ["a\x00b", "\ud800", 2**63, -(2**63) - 1], ids=["nul", "surrogate", "big", "small"]
)
def test_what_one_engine_cannot_hold_both_refuse(sample: Store, value: object) -> None:
    with pytest.raises(CueError) as caught, sample.state.write(actor="me") as session:
        session.insert("notes", {"id": "n1", "title": "t", "created_at": value})
    assert caught.value.code is ErrorCode.VALIDATION
    assert titles(sample) == {}


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("INSERT INTO notes(id, title) VALUES('n1', 'again')", "unique"),
        ("INSERT INTO note_tags(note_id, tag) VALUES('nobody', 'x')", "foreign"),
        ("INSERT INTO notes(id, title) VALUES('n2', NULL)", "not_null"),
    ],
)
def test_a_broken_constraint_is_a_conflict_of_its_kind(sample: Store, sql: str, kind: str) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1")
    with pytest.raises(Conflict) as caught, sample.state.write(actor="me") as session:
        session.run(sql)
    assert caught.value.kind == kind
    assert titles(sample) == {"n1": "a title"}


def test_a_swallowed_error_never_passes_for_a_commit(url: str | None, sample: Store) -> None:
    """PostgreSQL gives the transaction up at the first error; SQLite keeps what went before."""

    def write() -> None:
        with sample.state.write(actor="me") as session:
            add(session, "n1")
            with suppress(Conflict):
                add(session, "n1")

    if url is None:
        write()
        assert list(titles(sample)) == ["n1"]
        return
    with pytest.raises(CueError, match="undone"):
        write()
    assert titles(sample) == {}


def test_rows_go_with_the_row_they_belong_to(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1")
        session.insert("note_tags", {"note_id": "n1", "tag": "x"})
        assert session.run("DELETE FROM notes WHERE id = 'n1'") == 1
        assert session.value("SELECT count(*) FROM note_tags") == 0


# Tenants


def test_workspaces_of_one_server_do_not_see_each_other(url: str | None, open_again: OpenAgain) -> None:
    if url is None:
        pytest.skip("a SQLite file holds one workspace")
    ours, theirs = open_again("tenant-a"), open_again("tenant-b")
    for store in (ours, theirs):
        with store.state.write(actor="me") as session:
            session.run("DELETE FROM notes")
            rid = add(session, "same-id", "tenant")
            session.text(TEXT).put([TextRecord(rid, {"title": ["word"]}, ["p_x"])])
    with theirs.state.write(actor="me") as session:
        assert session.run("UPDATE notes SET title = 'changed'") == 1
        session.run("DELETE FROM change_log")
        session.text(TEXT).drop(session.text(TEXT).matching_ids(["word"]))
    assert titles(ours) == {"same-id": "tenant"}
    with ours.state.read() as session:
        assert len(session.text(TEXT).match(["word"], scope=[["p_x"]])) == 1
        assert session.text(TEXT).statistics(["word"]).documents == 1
    assert ours.state.changes(after=0)


def test_the_servers_superuser_is_bound_by_the_policies_too(url: str | None, sample: Store) -> None:
    if url is None:
        pytest.skip("policies are PostgreSQL's")
    with pytest.raises(CueError), sample.state.write(actor="me") as session:
        session.run("INSERT INTO notes(workspace_id, id, title) VALUES('someone-else', 'x', 'x')")
    with sample.state.read() as session:
        assert session.value("SELECT current_user") == "cuedeck_app"


def test_rows_of_one_person_are_theirs(url: str | None, sample: Store) -> None:
    mine = "SELECT id FROM diaries WHERE user_id = :user"
    for user in ("ann", "bob"):
        with sample.state.write(actor=user, user=user) as session:
            session.insert("diaries", {"user_id": user, "id": f"of-{user}"})
    with sample.state.read(user="ann") as session:
        assert session.rows(mine, user="ann") == [{"id": "of-ann"}]
        if url is not None:
            assert session.rows("SELECT id FROM diaries") == [{"id": "of-ann"}]
    if url is not None:
        with sample.state.read() as session:
            assert session.rows("SELECT id FROM diaries") == []


# The change log


def test_every_change_is_logged_with_who_and_what(sample: Store) -> None:
    with sample.state.write(actor="ann") as session:
        add(session, "n1", "old", secret="hidden", picture=b"123")
        session.insert("note_tags", {"note_id": "n1", "tag": "x"})
    with sample.state.write(actor="bob") as session:
        session.run("UPDATE notes SET title = 'new' WHERE id = 'n1'")
        session.run("UPDATE notes SET deleted_at = 5 WHERE id = 'n1'")
        session.run("UPDATE notes SET deleted_at = NULL WHERE id = 'n1'")
        session.run("DELETE FROM notes WHERE id = 'n1'")
    log = sample.state.changes(after=0)
    told = [(c.actor, c.table, c.op, c.id) for c in log]
    assert told[:5] == [
        ("ann", "notes", "insert", "n1"),
        ("ann", "note_tags", "insert", "n1/x"),
        ("bob", "notes", "update", "n1"),
        ("bob", "notes", "delete", "n1"),
        ("bob", "notes", "restore", "n1"),
    ]
    # Which of a row and its dependants goes first is the engine's affair.
    assert sorted(told[5:]) == [("bob", "note_tags", "delete", "n1/x"), ("bob", "notes", "delete", "n1")]
    update = log[2]
    assert update.before is not None
    assert update.after is not None
    assert (update.before["title"], update.after["title"]) == ("old", "new")
    assert not {"secret", "picture", "workspace_id"} & set(update.after)
    assert abs(update.at - time.time() * 1000) < 60_000
    assert log[0].before is None
    tags = sample.state.changes(after=log[0].seq, tables=["note_tags"])
    assert [c.op for c in tags] == ["insert", "delete"]
    assert [c.seq for c in sample.state.changes(after=log[1].seq, limit=2)] == [log[2].seq, log[3].seq]


def test_the_log_names_who_wrote_whoever_else_did_in_between(sample: Store, open_again: OpenAgain) -> None:
    other = open_again()
    turns = [(sample, "me"), (sample, "me"), (other, "you"), (sample, "me"), (other, "me"), (sample, "me")]
    for number, (store, actor) in enumerate(turns):
        with store.state.write(actor=actor) as session:
            add(session, f"n{number}")
        with pytest.raises(ZeroDivisionError), store.state.write(actor="undone") as session:
            add(session, "gone")
            raise ZeroDivisionError
    assert [change.actor for change in sample.state.changes(after=0)] == [actor for _, actor in turns]


def test_a_follower_misses_no_change_of_concurrent_writers(sample: Store, open_again: OpenAgain) -> None:
    writers = [open_again() for _ in range(3)]
    finished = threading.Event()
    followed: list[str] = []

    def write(number: int, store: Store) -> None:
        for at in range(12):
            with store.state.write(actor="me") as session:
                add(session, f"{number}-{at}")
                add(session, f"{number}-{at}-b")

    def follow() -> None:
        last = 0
        while True:
            ending = finished.is_set()
            for change in sample.state.changes(after=last, limit=5):
                last = change.seq
                followed.append(change.id)
            if ending and not sample.state.changes(after=last, limit=1):
                return

    follower = threading.Thread(target=follow)
    threads = [threading.Thread(target=write, args=item) for item in enumerate(writers)]
    for thread in (follower, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    finished.set()
    follower.join()
    assert sorted(followed) == sorted(titles(sample))


def test_the_log_forgets_the_old_and_what_it_must(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        add(session, "n1")
        add(session, "n2")
    with sample.state.write(actor="me") as session:
        assert changes.forget(session, "notes", "n1") == 1
        assert changes.purge(session, before=0) == 0
    assert [c.id for c in sample.state.changes(after=0)] == ["n2"]
    with sample.state.write(actor="me") as session:
        assert changes.purge(session, before=int(time.time() * 1000) + 1000, limit=10) == 1
    assert sample.state.changes(after=0) == []


def test_the_version_moves_with_every_commit_of_anyone(sample: Store, open_again: OpenAgain) -> None:
    other = open_again()
    seen = [sample.state.version()]
    for store in (sample, other, sample):
        with store.state.write(actor="me") as session:
            session.run("DELETE FROM notes")
            add(session, "n1")
        seen.append(sample.state.version())
    assert len(set(seen)) == 4
    assert sample.state.version() == seen[-1]


def test_waiting_ends_with_the_next_commit(sample: Store, open_again: OpenAgain) -> None:
    other = open_again()
    since = sample.state.version()
    started = time.monotonic()
    assert sample.state.wait_for_change(since=since, timeout=0.2) == since
    assert time.monotonic() - started < 2

    def later() -> None:
        time.sleep(0.3)
        with other.state.write(actor="me") as session:
            add(session, "n1")

    writer = threading.Thread(target=later)
    writer.start()
    started = time.monotonic()
    assert sample.state.wait_for_change(since=since, timeout=20) != since
    assert time.monotonic() - started < 5
    writer.join()


def test_a_healthy_store_has_no_problems(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        rid = add(session, "n1")
        session.text(TEXT).put([TextRecord(rid, {"title": ["x"]})])
        assert session.vectors(VECTORS).count(model="m") == 0
    assert sample.state.check() == sample.index.check() == []


def test_a_closed_store_says_so(sample: Store) -> None:
    sample.close()
    with pytest.raises(CueError) as caught, sample.state.read():
        pass
    assert caught.value.code is ErrorCode.UNAVAILABLE
