"""Facts of blobs as stored."""

from __future__ import annotations

from cuedeck.code.analysis import analyse_blob
from cuedeck.store.code import known_blobs, put_blobs
from cuedeck.store.code_names import naming
from cuedeck.store.protocol import Store


def test_a_blob_is_stored_once_however_often_it_is_given(store: Store) -> None:
    blob = analyse_blob("a" * 40, "a.py", "python", b"def greet():\n    pass\n")
    for _ in range(2):
        with store.index.write(actor="test") as session:
            made = put_blobs(session, [blob, blob], searchable=True)
        with store.index.read() as session:
            assert known_blobs(session, blob.version, {blob.oid}) == made
            assert naming(session, "greet")[1] == [made[blob.oid, "python"].rid]
            assert session.value("SELECT count(*) FROM code_blobs") == 1
