"""The index says what the disk says, after any sequence of edits."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuedeck.documents.events import FileEvents
from cuedeck.documents.index import DocumentIndex, Refreshed
from cuedeck.documents.reading import Batch
from cuedeck.documents.workers import Crew
from cuedeck.search.analyser import query_terms
from cuedeck.store import documents as rows
from cuedeck.store import open_store
from cuedeck.store.protocol import Store, TextRecord
from cuedeck.store.schema.documents import DOCUMENT_TEXT
from cuedeck.store.vault import vault_links


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def found(store: Store, words: str) -> list[str]:
    with store.index.read() as session:
        hits = session.text(DOCUMENT_TEXT).match(query_terms(words))
        chunks = {row["rid"]: row["document"] for row in rows.chunks(session, [hit.id for hit in hits])}
        homes = rows.documents_by_id(session, set(chunks.values()))
    return list(dict.fromkeys(homes[chunks[hit.id]].path for hit in hits))


def test_no_text_is_too_long_for_either_store(root: Path, store: Store) -> None:
    chance = random.Random(5)

    def long(size: int = 4_000) -> str:
        return "".join(map(chr, chance.choices(range(0x4E00, 0x9FFF), k=size)))

    tag, alias = long(), long()
    front = f"---\ntype: {long()}\ntags: [{tag}, {tag}x]\naliases: [{alias}]\n---\n"
    put(root, "odd.md", f"{front}# {long()}\n\n[[{long()}]] [x]({long()}.md) #{long()}\n")
    put(root, "beside.md", f"# alpha\n\n[[{alias}]]\n")
    deep = "/".join(["d" * 200] * 12)
    put(root, f"{deep}/lost.md", "# alpha")
    DocumentIndex(root, store.index).refresh()
    assert found(store, "alpha") == ["beside.md"]
    with store.index.read() as session:
        assert (
            session.value(
                "SELECT resolved FROM document_links l JOIN documents d ON d.rid = l.document "
                "WHERE d.path = 'beside.md'"
            )
            == "odd.md"
        )
        assert session.value("SELECT count(*) FROM document_tags") == 2


def snapshot(store: Store) -> dict[str, Any]:
    """Everything the index says, without identities and times."""
    with store.index.read() as session:
        documents = {
            row["rid"]: row
            for row in session.rows(
                "SELECT rid, path, kind, vault, size, hash, type, frontmatter, anchors FROM documents"
            )
        }
        home = {rid: row["path"] for rid, row in documents.items()}
        text = session.text(DOCUMENT_TEXT)
        chunks = session.rows(
            "SELECT rid, document, ordinal, anchor, first_byte, last_byte, line, last_line, digest "
            "FROM document_chunks"
        )
        words = {
            word: sorted((hit.id, round(hit.score, 6)) for hit in text.match([word], limit=10_000))
            for word in ("alpha", "beta", "gamma", "delta", "titl")
        }
        place = {row["rid"]: (home[row["document"]], row["ordinal"]) for row in chunks}
        return {
            "documents": sorted(
                (str({k: v for k, v in row.items() if k != "rid"})) for row in documents.values()
            ),
            "chunks": sorted(
                str((place[c.pop("rid")], home[c.pop("document")], c)) for c in map(dict, chunks)
            ),
            "tags": sorted(
                (home[row["document"]], row["tag"])
                for row in session.rows("SELECT document, tag FROM document_tags")
            ),
            "links": sorted(
                str((home[row.pop("document")], row))
                for row in map(
                    dict,
                    session.rows(
                        "SELECT document, kind, target, anchor, line, times, resolved FROM document_links"
                    ),
                )
            ),
            "names": sorted(
                (home[row["document"]], row["name_key"], row["alias"])
                for row in session.rows("SELECT document, name_key, alias FROM document_names")
            ),
            "words": {
                word: sorted((place[rid], score) for rid, score in hits) for word, hits in words.items()
            },
        }


def test_files_come_change_and_go(store: Store, root: Path) -> None:
    index = DocumentIndex(root, store.index)
    put(root, "a.md", "# Alpha\nsome words about zebras")
    put(root, "sub/b.md", "# Beta\n[[a]]")
    assert sorted(index.refresh().added) == ["a.md", "sub/b.md"]
    assert found(store, "zebras") == ["a.md"]
    assert not index.refresh().anything
    put(root, "a.md", "# Alpha\nnow about lions")
    assert index.refresh().changed == ["a.md"]
    assert (found(store, "zebras"), found(store, "lions")) == ([], ["a.md"])
    (root / "a.md").rename(root / "sub" / "moved.md")
    moved = index.refresh()
    assert (moved.added, moved.removed) == (["sub/moved.md"], ["a.md"])
    assert found(store, "lions") == ["sub/moved.md"]
    (root / "sub" / "moved.md").unlink()
    assert index.refresh_paths(["sub/moved.md"]).removed == ["sub/moved.md"]
    assert found(store, "lions") == []


def test_a_file_that_is_back_before_the_look_ends_was_not_gone(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = DocumentIndex(root, store.index)
    put(root, "a.md", "# Alpha")
    index.refresh()
    put(root, "a.md", "# Beta")
    monkeypatch.setattr(
        Crew, "read", lambda _self, _root, paths, **_: [Batch([(p, None) for p in paths], [])]
    )
    seen = index.refresh_paths(["a.md"])
    assert (seen.changed, seen.removed, found(store, "beta")) == (["a.md"], [], ["a.md"])


def test_what_another_process_indexes_meanwhile_is_not_written_twice(
    store: Store, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(6):
        put(root, f"{n}.md", f"# Alpha\n\nbeta [[{n + 1}]]\n")
    monkeypatch.setattr("cuedeck.documents.index.WORTH_WHILE", 1)
    read = Crew.read

    def beside(*args: Any, **options: Any) -> Any:
        batches = list(read(*args, **options))
        monkeypatch.setattr(Crew, "read", read)
        put(root, "1.md", "# Gamma\n")
        DocumentIndex(root, store.index).refresh_paths(["0.md", "1.md"])
        return batches

    monkeypatch.setattr(Crew, "read", beside)
    index = DocumentIndex(root, store.index)
    index.refresh()
    index.refresh()
    fresh = open_store(None, root=tmp_path, workspace_id="x")
    DocumentIndex(root, fresh.index).refresh()
    assert snapshot(store) == snapshot(fresh)
    fresh.close()


def test_links_follow_their_target(store: Store, root: Path) -> None:
    index = DocumentIndex(root, store.index)
    put(root, "one.md", "[[target]] [[Other Name]]")
    put(root, "x/two.md", "[rel](../target.md)")
    index.refresh()

    def links(path: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        with store.index.read() as session:
            found = vault_links(session, path)
        return found.outgoing, found.incoming, found.unresolved

    assert links("one.md") == ((), (), ("target", "Other Name"))
    put(root, "deep/down/target.md", "---\naliases: [Other name]\n---\n")
    index.refresh()
    assert links("one.md") == (("deep/down/target.md",), (), ())
    assert links("x/two.md") == ((), (), ("../target.md",))
    put(root, "target.md", "nearer")
    index.refresh_paths(["target.md"])
    assert links("one.md") == (("deep/down/target.md", "target.md"), (), ())
    assert links("target.md")[1] == ("one.md", "x/two.md")
    (root / "target.md").unlink()
    put(root, "deep/down/target.md", "no alias any more")
    index.refresh()
    assert links("one.md") == (("deep/down/target.md",), (), ("Other Name",))
    assert links("deep/down/target.md")[1] == ("one.md",)


def test_nothing_leads_to_a_note_that_went_while_the_first_look_was_under_way(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gone.md", "deep/gone.md"):
        put(root, name, "# Alpha\n")
    put(root, "one.md", "[[gone]]")
    read = Crew.read

    def late(*args: Any, **options: Any) -> Any:
        (root / "gone.md").unlink()
        return read(*args, **options)

    monkeypatch.setattr(Crew, "read", late)
    DocumentIndex(root, store.index).refresh()
    with store.index.read() as session:
        assert vault_links(session, "one.md").outgoing == ("deep/gone.md",)


def test_notes_that_change_together_stay_linked(store: Store, root: Path) -> None:
    index = DocumentIndex(root, store.index)
    for text in ("first", "second"):
        put(root, "one.md", f"{text} [[one]] [[two]] [[Deux]]")
        put(root, "two.md", f"---\naliases: [Deux]\n---\n{text} [[one]]")
        index.refresh()
        with store.index.read() as session:
            one, two = vault_links(session, "one.md"), vault_links(session, "two.md")
        assert (one.outgoing, one.incoming, one.unresolved) == (
            ("one.md", "two.md"),
            ("one.md", "two.md"),
            (),
        )
        assert (two.outgoing, two.incoming, two.unresolved) == (("one.md",), ("one.md",), ())


def test_a_touched_file_is_not_a_change(root: Path, tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="x")
    index = DocumentIndex(root, store.index)
    put(root, "a.md", "words")
    index.refresh()
    os.utime(root / "a.md", ns=(1, 1))
    assert not index.refresh().anything
    time.sleep(0.06)
    assert not index.refresh().anything
    assert index.is_fresh("a.md")
    store.close()


def test_an_edit_that_keeps_size_and_time_is_seen(root: Path, tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="x")
    index = DocumentIndex(root, store.index)
    for word in ("zebra", "camel", "whale"):
        put(root, "a.md", word)
        os.utime(root / "a.md", ns=(10**18, 10**18))
        index.refresh()
        assert found(store, word) == ["a.md"]
    store.close()


def test_files_that_cannot_be_read_are_listed_with_a_note(root: Path, tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="x")
    index = DocumentIndex(root, store.index, max_bytes=5000)
    (root / "latin.md").write_bytes("café".encode("latin-1"))
    (root / "null.md").write_bytes(b"a\0b")
    put(root, "big.md", "x" * 6000)
    put(root, "broken.md", "---\na: [1\n---\nstill found words")
    put(root, "picture.png", "not text")
    index.refresh()
    with store.index.read() as session:
        notes = {row["path"]: row for row in rows.problems(session)}
    assert {path: row["skipped"] for path, row in notes.items()} == {
        "latin.md": "not UTF-8 at byte 3",
        "null.md": "binary",
        "big.md": "larger than 5000 bytes",
        "broken.md": None,
    }
    assert (notes["broken.md"]["frontmatter"], notes["broken.md"]["problem_line"]) == (None, 3)
    assert found(store, "still found") == ["broken.md"]
    store.close()


def test_events_are_in_order_and_the_first_look_gives_none(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, events = DocumentIndex(root, store.index), FileEvents(store.index)
    put(root, "a.md", "one")
    index.refresh()
    assert (events.latest(), events.after(0, 10)) == (0, ([], 0))
    put(root, "a.md", "two")
    put(root, "b.md", "new")
    index.refresh()
    (root / "a.md").unlink()
    index.refresh()
    monkeypatch.setattr("cuedeck.documents.events.QUIET_MS", -1000)
    seen = [(event.event, event.path) for event in events.after(0, 10)[0]]
    assert sorted(seen[:2]) == [("add", "b.md"), ("change", "a.md")]
    assert seen[2:] == [("unlink", "a.md")]
    monkeypatch.setattr("cuedeck.documents.events.QUIET_MS", 100_000)
    assert events.after(0, 10) == ([], 0)
    assert events.source() == FileEvents(store.index).source()


def test_what_is_written_once_the_workspace_is_open_is_news_even_to_the_first_look(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "old.md", "there before")
    opened = time.time_ns()
    os.utime(root / "old.md", ns=(opened - 10**9, opened - 10**9))
    put(root, "new.md", "written since")
    os.utime(root / "new.md", ns=(opened, opened))
    DocumentIndex(root, store.index, opened_ns=opened).refresh()
    monkeypatch.setattr("cuedeck.documents.events.QUIET_MS", -1000)
    events = FileEvents(store.index)
    seen, _ = events.after(0, 10)
    assert [(event.event, event.path) for event in seen] == [("add", "new.md")]
    assert (events.latest(), events.latest(opened // 1_000_000)) == (seen[0].seq, 0)


def test_an_edit_keeps_the_pieces_it_does_not_touch(root: Path, tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="x")
    index = DocumentIndex(root, store.index)

    def pieces() -> dict[str, int]:
        with store.index.read() as session:
            return {
                row["digest"]: row["rid"] for row in session.rows("SELECT digest, rid FROM document_chunks")
            }

    sections = [f"## Part {n}\ntext {n}\n" for n in range(6)]
    put(root, "a.md", "".join(sections))
    index.refresh()
    before = pieces()
    sections[3] = "## Part 3\nother\n"
    put(root, "a.md", "intro\n" + "".join(reversed(sections)))
    index.refresh()
    after = pieces()
    assert len(after) == 7
    assert sum(after.get(digest) == rid for digest, rid in before.items()) == 5
    store.close()


def test_an_index_that_was_read_otherwise_is_read_again_without_news(store: Store, root: Path) -> None:
    put(root, "a.md", "# A\n\nalpha [[b]] #tag\n\n## Part\n\nbeta\n")
    put(root, "b.md", "gamma [[a]]\n")
    DocumentIndex(root, store.index).refresh()
    fresh = snapshot(store)
    with store.index.write(actor="older version") as session:
        pieces = session.rows("SELECT rid, digest FROM document_chunks ORDER BY rid")
        session.run("DELETE FROM document_links")
        session.run("UPDATE documents SET shape = 'of old'")
        session.text(DOCUMENT_TEXT).put(
            [TextRecord(row["rid"], {"body": ["stale"]}, ["k_markdown"]) for row in pieces]
        )
        rows.set_meta(session, "reading", "1")
        rows.next_revision(session)
    put(root, "b.md", "gamma delta [[a]]\n")
    index = DocumentIndex(root, store.index)
    assert not index.complete
    seen = index.refresh()
    assert (seen.added, seen.changed, seen.removed) == ([], ["b.md"], [])
    assert index.complete
    assert index.refresh() == Refreshed()
    assert found(store, "stale") == []
    assert found(store, "delta") == ["b.md"]
    with store.index.read() as session:
        assert [event.path for event in rows.events_after(session, 0, 10)] == ["b.md"]
        again = session.rows("SELECT rid, digest FROM document_chunks ORDER BY rid")
    assert len([piece for piece in pieces if piece in again]) == 2
    put(root, "b.md", "gamma [[a]]\n")
    index.refresh()
    assert snapshot(store) == fresh


def test_an_index_from_before_readings_were_counted_is_read_again(store: Store, root: Path) -> None:
    put(root, "a.md", "alpha")
    DocumentIndex(root, store.index).refresh()
    with store.index.write(actor="older version") as session:
        session.run("DELETE FROM document_meta WHERE name = 'reading'")
        session.run("UPDATE documents SET type = 'stale', shape = 'of old'")
        rows.next_revision(session)
    index = DocumentIndex(root, store.index)
    assert not index.refresh().anything
    assert index.complete
    with store.index.read() as session:
        assert session.value("SELECT type FROM documents") is None
        assert rows.last_event(session) == 0


BODIES = [
    "# Alpha\n\nalpha [[b]] #tag\n",
    "---\naliases: [b, c d]\ntags: [x/y]\ntype: note\n---\n# Beta\nbeta ![[c]]\n## Gamma\ngamma\n",
    "beta gamma delta [x](a.md) [y](../sub/b.md) [[sub/b|z]]\n",
    "---\nbroken: [\n---\n[[A]]",
    "",
    "title [[a]] [[a]] [[a#x]]\n\n" + "alpha beta\n\n" * 300,
    "---\naliases: [AC/DC]\n---\n[[Book/Talk]] [[c?]]\n",
    "[[AC/DC]] [[ac/dc#x]] [[DC]]\n",
]


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_the_index_equals_a_fresh_one(
    root: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    store = open_store(None, root=tmp_path / "one", workspace_id="x")
    index = DocumentIndex(root, store.index)
    names = ["a.md", "b.md", "sub/a.md", "sub/b.md", "c d.md", "c.png", "sub/deep/e.md", "code.py"]
    names += ["sub/Book___Talk.md", "c%3F.md"]
    for _ in range(12):
        for _ in range(chance.randrange(1, 9)):
            _edit(root, chance, names)
        if chance.random() < 0.5:
            index.refresh()
        else:
            index.refresh_paths(chance.sample(names, 4))
    index.refresh()
    fresh = open_store(None, root=tmp_path / "two", workspace_id="x")
    # A large first index has its words folded where files are read.
    monkeypatch.setattr("cuedeck.documents.index.WORTH_WHILE", seed % 2 and 1000)
    DocumentIndex(root, fresh.index).refresh()
    assert snapshot(store) == snapshot(fresh)
    store.close()
    fresh.close()


def _edit(root: Path, chance: random.Random, names: list[str]) -> None:
    path = chance.choice(names)
    actions: list[Callable[[], object]] = [
        lambda: put(root, path, chance.choice(BODIES)),
        lambda: (root / path).unlink(missing_ok=True),
        lambda: (root / path).exists() and (root / path).rename(root / f"moved-{path.replace('/', '-')}"),
        lambda: put(root, ".gitignore", chance.choice(["", "sub/\n", "*.png\n"])),
    ]
    chance.choices(actions, [6, 2, 1, 1])[0]()
