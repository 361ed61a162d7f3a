"""Source files as memories: chunked, skipped when unchanged, stable, brought up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuedeck.memory.files import Indexed, index_file
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Memory, MemoryType
from cuedeck.memory.query import Filters, Query
from cuedeck.model.errors import CueError, ErrorCode

from .conftest import ACTOR

SOURCES = {
    "shop.py": "class Cart:\n    def total(self):\n{body}\n\ndef checkout(cart):\n{body}\n",
    "shop.js": "class Cart {{\n  total() {{\n{body}\n  }}\n}}\n\nfunction checkout(cart) {{\n{body}\n}}\n",
    "shop.ts": "class Cart {{\n  total(): void {{\n{body}\n  }}\n}}\n\n"
    "function checkout(cart: Cart) {{\n{body}\n}}\n",
    "shop.c": "int total(void) {{\n{body}\n}}\n\nint checkout(int cart) {{\n{body}\n}}\n",
    "shop.cpp": "struct Cart {{ int total() {{\n{body}\n}} }};\n\nint checkout(Cart c) {{\n{body}\n}}\n",
    "shop.rs": "fn total() -> u32 {{\n{body}\n}}\n\nfn checkout(cart: u32) {{\n{body}\n}}\n",
    "shop.go": "package shop\n\nfunc Total() int {{\n{body}\n}}\n\nfunc Checkout(cart int) {{\n{body}\n}}\n",
    "shop.cs": "class Cart {{\n  int Total() {{\n{body}\n  }}\n}}\n\n"
    "class Till {{\n  void Checkout() {{\n{body}\n  }}\n}}\n",
    "shop.lua": "function total()\n{body}\nend\n\nfunction checkout(cart)\n{body}\nend\n",
    "shop.sh": "total() {{\n{body}\n}}\n\ncheckout() {{\n{body}\n}}\n",
}
BODY = {".py": "        log('line {n}')", ".lua": "  print('line {n}')", ".sh": "  echo 'line {n}'"}


def source(name: str, lines: int = 40, word: str = "line") -> str:
    statement = BODY.get(Path(name).suffix, '  print("line {n}");')
    body = "\n".join(statement.format(n=number).replace("line", word) for number in range(lines))
    return SOURCES[name].format(body=body)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def index(memories: Memories, root: Path, name: str, project: str = "") -> Indexed:
    return index_file(memories, root, name, project, actor=ACTOR)


def chunks(memories: Memories) -> dict[str, Memory]:
    found = memories.page(type=MemoryType.CODE_CHUNK, project=None, deleted=False, after="", limit=1000)
    return {memory.id: memory for memory in found}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_functions_become_chunks_with_their_facts(memories: Memories, root: Path, name: str) -> None:
    (root / name).write_text(source(name))
    done = index(memories, root, name, "shop")
    stored = chunks(memories)
    assert done.to_json()["chunks_created"] == len(stored) >= 2 and not done.skipped
    names = {str(memory.metadata["name"]).lower() for memory in stored.values()}
    assert any("checkout" in one or "till" in one for one in names)
    for memory in stored.values():
        facts = memory.metadata
        assert facts["file_path"] == name and memory.project == "shop"
        assert facts["language"] and facts["chunk_type"] and facts["file_hash"]
        first, last = facts["lines"]
        text = (root / name).read_text().splitlines()
        assert text[first - 1].strip() in memory.content and 1 <= first <= last <= len(text)


def test_chunks_of_a_file_that_is_gone_are_removed(memories: Memories, root: Path) -> None:
    (root / "shop.py").write_text(source("shop.py"))
    made = index(memories, root, "shop.py").created
    (root / "shop.py").unlink()
    assert set(index(memories, root, "shop.py").removed) == set(made)
    assert not chunks(memories)
    with pytest.raises(CueError) as caught:
        index(memories, root, "shop.py")
    assert caught.value.code is ErrorCode.NOT_FOUND
    (root / "shop.py").write_text(source("shop.py"))
    assert set(index(memories, root, "shop.py").created) == set(made) == set(chunks(memories))


def test_an_unchanged_file_is_skipped(memories: Memories, root: Path) -> None:
    (root / "shop.py").write_text(source("shop.py"))
    first = index(memories, root, "shop.py")
    again = index(memories, root, "shop.py")
    assert again.skipped and again.unchanged == len(first.created)
    assert index(memories, root, "shop.py", "other project").created


def test_ids_stay_when_the_rest_of_the_file_changes(memories: Memories, root: Path) -> None:
    (root / "shop.py").write_text(source("shop.py"))
    index(memories, root, "shop.py")
    before = chunks(memories)
    above = "def added():\n" + "\n".join(f"    log('new {number}')" for number in range(60)) + "\n\n\n"
    (root / "shop.py").write_text(above + source("shop.py"))
    done = index(memories, root, "shop.py")
    after = chunks(memories)
    assert before.keys() < after.keys() and len(done.created) == 1
    assert (done.updated, done.removed, done.unchanged) == ((), (), len(before))
    for id, old in before.items():
        assert after[id].content == old.content
        assert after[id].metadata["lines"][0] > old.metadata["lines"][0]


def test_changed_and_vanished_chunks_follow_the_file(memories: Memories, root: Path) -> None:
    (root / "shop.rs").write_text(source("shop.rs"))
    first = index(memories, root, "shop.rs")
    (root / "shop.rs").write_text(source("shop.rs").replace('print("line 3")', 'print("heron 3")', 1))
    changed = index(memories, root, "shop.rs")
    assert len(changed.updated) == 1 and not changed.created and not changed.removed
    assert (
        memories.search(Query("heron", Filters(type=MemoryType.CODE_CHUNK))).hits[0].memory.id
        in changed.updated
    )
    (root / "shop.rs").write_text(source("shop.rs").split("fn checkout")[0])
    shrunk = index(memories, root, "shop.rs")
    assert len(shrunk.removed) >= 1 and len(chunks(memories)) < len(first.created)
    (root / "shop.rs").write_text(source("shop.rs"))
    index(memories, root, "shop.rs")
    assert chunks(memories).keys() == set(first.created)


def test_chunks_are_found_by_meaning_when_ready(memories: Memories, root: Path) -> None:
    (root / "mail.py").write_text(
        "def send_mail(to, body):\n    smtp.deliver(to, body)\n" + "    pass\n" * 40
    )
    index(memories, root, "mail.py")
    assert memories.completion.drain(20) and memories.pending() == 0
    assert memories.search(Query("deliver an email message")).total == 1


def test_an_emptied_file_loses_its_chunks(memories: Memories, root: Path) -> None:
    (root / "shop.go").write_text(source("shop.go"))
    index(memories, root, "shop.go")
    (root / "shop.go").write_text("")
    assert index(memories, root, "shop.go").removed and chunks(memories) == {}


def test_secrets_in_source_are_masked(memories: Memories, root: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    (root / "shop.py").write_text(source("shop.py") + f"\nTOKEN = '{secret}'\n")
    assert index(memories, root, "shop.py").masked == 1
    assert all(secret not in memory.content for memory in chunks(memories).values())


def test_what_is_no_text_or_not_inside_is_refused(memories: Memories, root: Path) -> None:
    (root / "data.py").write_bytes(b"\x00\xff\xfe binary")
    (root / "latin.py").write_bytes("x = 'é'".encode("latin-1"))
    (root.parent / "outside.py").write_text("x = 1")
    (root / "link.py").symlink_to(root.parent / "outside.py")
    for path, code in (
        ("data.py", ErrorCode.VALIDATION),
        ("latin.py", ErrorCode.VALIDATION),
        ("link.py", ErrorCode.PATH_REFUSED),
        ("../outside.py", ErrorCode.PATH_REFUSED),
        ("missing.py", ErrorCode.NOT_FOUND),
        (".", ErrorCode.NOT_FOUND),
    ):
        with pytest.raises(CueError) as caught:
            index(memories, root, path)
        assert caught.value.code is code, path
    assert chunks(memories) == {}
