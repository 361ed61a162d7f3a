"""Which blobs use and define a name."""

from __future__ import annotations

from cuedeck.store.code_names import (
    BlobNames,
    defined,
    drop_names,
    merge_segments,
    naming,
    put_names,
    segments,
    stored_until,
    unpack_numbers,
)
from cuedeck.store.protocol import Session, Store


def blob(session: Session, oid: str) -> int:
    row = {"oid": oid, "language": "python", "version": 1, "size": 1, "symbols": 0, "searchable": 1}
    return session.insert("code_blobs", {**row, "problem": None, "facts": b""})


def forget(session: Session, rid: int) -> None:
    session.run("DELETE FROM code_blobs WHERE rid = :rid", rid=rid)
    drop_names(session, [rid])


def test_a_blob_that_is_gone_is_missing_though_another_came(store: Store) -> None:
    with store.index.write(actor="test") as session:
        rids = [blob(session, oid) for oid in "abc"]
        assert stored_until(session, rids[-1]) == 3
        forget(session, rids[-1])
        blob(session, "d")
        assert stored_until(session, rids[-1]) == 2


def test_a_name_is_found_in_every_batch_that_used_it(store: Store) -> None:
    with store.index.write(actor="test") as session:
        many = [blob(session, f"a{n}") for n in range(40)]
        put_names(session, [BlobNames(rid, ["get"], ["get"] * (rid == many[0])) for rid in many])
        edited = blob(session, "edited")
        put_names(session, [BlobNames(edited, ["get", "set", "größe"], [])])
    with store.index.read() as session:
        assert naming(session, "get") == ([*many, edited], many[:1])
        assert naming(session, "set") == ([edited], [])
        assert naming(session, "größe") == ([edited], [])
        for never in ("never", "se", "et", "", "get\nset"):
            assert naming(session, never) == ([], [])


def test_a_thousand_edits_leave_one_row(store: Store) -> None:
    with store.index.write(actor="test") as session:
        last = 0
        for n in range(60):
            if last:
                forget(session, last)
            last = blob(session, f"edit{n}")
            put_names(session, [BlobNames(last, ["get", "set"], ["get"])])
        assert session.value("SELECT count(*) FROM code_names") == 1
        assert naming(session, "get") == ([last], [last])


def test_names_of_many_single_blobs_are_kept_by_name(store: Store) -> None:
    with store.index.write(actor="test") as session:
        rids = []
        for n in range(100):
            rids.append(blob(session, f"edit{n}"))
            put_names(session, [BlobNames(rids[-1], ["get"], [f"name{n}"])])
            if n % 3 == 1:
                forget(session, rids.pop())
        assert segments(session) == [0]
        assert session.value("SELECT count(*) FROM code_names WHERE name = 'get'") == 1
        living = set(naming(session, "get")[0])
        assert living >= set(rids)
        assert naming(session, "name0") == ([], [rids[0]])
        assert naming(session, "name99") == ([], [rids[-1]])
        for n in range(33):
            rids.append(blob(session, f"more{n}"))
        put_names(session, [BlobNames(rid, ["get"], []) for rid in rids[-33:]])
        assert set(naming(session, "get")[0]) >= set(rids)
        rows = session.rows("SELECT uses FROM code_names WHERE name = 'get' AND segment = 0")
        assert len(unpack_numbers(bytes(rows[0]["uses"]))) <= len(rids)


def test_many_large_batches_are_folded_without_losing_a_blob(store: Store) -> None:
    with store.index.write(actor="test") as session:
        kept: list[int] = []
        for batch in range(26):
            rids = [blob(session, f"{batch}-{n}") for n in range(33)]
            only = {rids[0]: [f"only{batch}"]}
            put_names(session, [BlobNames(rid, ["get", *only.get(rid, ())], []) for rid in rids])
            kept += rids
            if batch == 3:
                forget(session, kept.pop())
        assert len(segments(session)) < 24
        assert naming(session, "get")[0] == kept
        assert naming(session, "only7")[0] == [kept[7 * 33 - 1]]


def test_lists_written_anew_lose_blobs_that_are_gone_and_names_nobody_has(store: Store) -> None:
    with store.index.write(actor="test") as session:
        rids = [blob(session, f"a{n}") for n in range(40)]
        put_names(session, [BlobNames(rid, ["get"], [f"own{rid}"]) for rid in reversed(rids)])
        edited = blob(session, "edited")
        put_names(session, [BlobNames(edited, ["get"], ["set"])])
        assert naming(session, "get") == ([*rids, edited], [])
        forget(session, rids[3])
        assert merge_segments(session, most=0)
        assert segments(session) == [rids[-1]]
        assert naming(session, "get")[0] == [*rids[:3], *rids[4:], edited]
        assert naming(session, "set") == ([], [edited])
        gone = session.value("SELECT count(*) FROM code_names WHERE name = :name", name=f"own{rids[3]}")
        assert gone == 0


def test_names_that_are_defined_are_listed_by_their_length(store: Store) -> None:
    with store.index.write(actor="test") as session:
        many = [blob(session, f"a{n}") for n in range(40)]
        put_names(session, [BlobNames(rid, ["used"], [f"name{rid}"]) for rid in many])
        put_names(session, [BlobNames(blob(session, "b"), ["also"], ["naïve", "x"])])
        assert defined(session, 4, 6) == {f"name{rid}" for rid in many if len(f"name{rid}") <= 6} | {"naïve"}
