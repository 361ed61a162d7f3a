"""Which blobs use and define a name."""

from __future__ import annotations

from cuedeck.store.code_names import naming, pack_numbers, put_names, segments, unpack_numbers
from cuedeck.store.protocol import Session, Store


def blob(session: Session, oid: str) -> int:
    row = {"oid": oid, "language": "python", "version": 1, "size": 1, "symbols": 0, "searchable": 1}
    return session.insert("code_blobs", {**row, "problem": None, "facts": b""})


def forget(session: Session, rid: int) -> None:
    session.run("DELETE FROM code_blobs WHERE rid = :rid", rid=rid)


def test_ascending_numbers_survive_packing() -> None:
    numbers = [0, 1, 127, 128, 129, 16_384, 2**40]
    assert unpack_numbers(pack_numbers(numbers)) == numbers
    assert unpack_numbers(pack_numbers([])) == []


def test_a_name_is_found_in_every_batch_that_used_it(store: Store) -> None:
    with store.index.write(actor="test") as session:
        many = [blob(session, f"a{n}") for n in range(40)]
        put_names(session, {"get": many}, {"get": many[:1]}, len(many))
        edited = blob(session, "edited")
        put_names(session, {"get": [edited], "set": [edited]}, {}, 1)
    with store.index.read() as session:
        assert naming(session, "get") == ([*many, edited], many[:1])
        assert naming(session, "set") == ([edited], [])
        assert naming(session, "never") == ([], [])


def test_a_thousand_edits_leave_one_row_that_lists_only_what_is_stored(store: Store) -> None:
    with store.index.write(actor="test") as session:
        last = 0
        for n in range(60):
            if last:
                forget(session, last)
            last = blob(session, f"edit{n}")
            put_names(session, {"get": [last]}, {"get": [last]}, 1)
        assert len(segments(session)) == 1
        rows = session.rows("SELECT uses FROM code_names WHERE name = 'get'")
        assert [unpack_numbers(bytes(row["uses"])) for row in rows] == [[last]]
        assert naming(session, "get") == ([last], [last])


def test_many_large_batches_are_folded_without_losing_a_blob(store: Store) -> None:
    with store.index.write(actor="test") as session:
        kept: list[int] = []
        for batch in range(26):
            rids = [blob(session, f"{batch}-{n}") for n in range(33)]
            put_names(session, {"get": rids, f"only{batch}": rids[:1]}, {}, len(rids))
            kept += rids
            if batch == 3:
                forget(session, kept.pop())
        assert len(segments(session)) < 24
        assert naming(session, "get")[0] == kept
        assert naming(session, "only7")[0] == [kept[7 * 33 - 1]]
