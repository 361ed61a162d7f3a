"""Facts of blobs as stored."""

from __future__ import annotations

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.store.code import compact, drop_blobs, known_blobs, put_blobs
from cuedeck.store.code_names import naming
from cuedeck.store.code_words import read_words, texts
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


def test_compacting_leaves_nothing_of_blobs_that_are_gone(store: Store) -> None:
    sources = [f"def greet{n}():\n    return hello{n}()\n".encode() for n in range(40)]
    with store.index.write(actor="test") as session:
        blobs = [analyse_blob(f"{n:040x}", "a.py", "python", source) for n, source in enumerate(sources)]
        made = put_blobs(session, blobs, searchable=True)
        late = analyse_blob("f" * 40, "a.py", "python", b"def greet_late():\n    pass\n")
        made |= put_blobs(session, [late], searchable=True)
        gone = [row.rid for row in made.values() if row.oid < f"{39:040x}"]
        drop_blobs(session, gone)
        compact(session)
        assert naming(session, "greet39")[1] == [made[f"{39:040x}", "python"].rid]
        assert naming(session, "greet_late")[1] == [made["f" * 40, "python"].rid]
        assert session.value("SELECT count(*) FROM code_names WHERE name = 'greet5'") == 0
        assert session.value("SELECT count(*) FROM code_segments") == 1
        numbers, _ = read_words(session, ["greet"])["greet"]
        kept = texts(session, [row.rid for row in made.values()])
        ranges = [range(text.first, text.first + len(text.lengths)) for text in kept.values()]
        assert len(kept) == 2
        assert all(any(number in each for each in ranges) for number in numbers.tolist())
        assert len(numbers) == 2
        drop_blobs(session, [row.rid for row in made.values()])
        compact(session)
        assert read_words(session, ["greet"]) == {}
        assert naming(session, "greet39") == ([], [])
        again = put_blobs(session, [late], searchable=True)
        fresh = texts(session, [row.rid for row in again.values()])
        assert min(text.first for text in fresh.values()) > max(numbers.tolist())
