"""Cards as a person, an agent and git see them: files that keep every byte nobody asked to change."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuedeck.graph import Cycle, DependencyGraph, find_cycle
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tasks.card import CardPriority, CardStatus
from cuedeck.tasks.card_folder import CardFolder
from cuedeck.tasks.card_query import card_query
from cuedeck.tasks.cards import CardChange, CardDraft, Cards

HOSTILE = [
    'Fix: "x" #1 @me [a]',
    "- dash: {a: b}",
    "---",
    "'single' \"double\" \\back\\slash",
    "🙂 emoji ‮ right-to-left",
    "%{yaml} !!python/object:os.system [ls]",
    "null",
    "2024-01-01",
    "1e5",
    "*alias &anchor",
    "> folded | literal",
    "tab\there",
    "line\nbreak",
    "  spaces  ",
    "\x7f\x01control",
    "x" * 200,
    "`rm -rf /` $(reboot) ${HOME} '; DROP TABLE cards; --",
]


@pytest.fixture
def cards(tmp_path: Path) -> Cards:
    return Cards(tmp_path)


def write(root: Path, card_id: str, text: str) -> Path:
    folder = root / ".cuedeck" / "cards"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card_id}.md"
    path.write_bytes(text.encode())
    return path


def test_a_new_card_is_a_file_people_can_edit(cards: Cards, tmp_path: Path) -> None:
    made = cards.create(
        CardDraft("Implement login", tags=("auth",), priority=CardPriority.HIGH, assignee="@d")
    )
    assert re.fullmatch("[a-z0-9]{6}", made.id)
    text = (tmp_path / made.path).read_text()
    assert text.startswith(
        "---\ntitle: Implement login\nstatus: todo\npriority: high\nassignee: '@d'\n"
        "tags: [auth]\ndepends_on: []\nrefs: []\ncreated: 20"
    )
    assert text.endswith("---\n\n# Implement login\n\n## Description\n")
    assert cards.get(made.id) == made


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_titles_tags_and_names_come_back_unchanged(cards: Cards, title: str) -> None:
    made = cards.create(CardDraft(title, tags=(title.strip(),), assignee=title))
    again = cards.get(made.id)
    assert (again.title, again.tags, again.assignee) == (title, (title.strip(),), title)
    updated = cards.update(made.id, CardChange(assignee=title + "!", notes=title))
    assert (updated.title, updated.assignee) == (title, title + "!")


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=200).filter(str.strip)
)
def test_any_title_comes_back(tmp_path: Path, title: str) -> None:
    cards = Cards(tmp_path)
    assert cards.get(cards.create(CardDraft(title)).id).title == title


@pytest.mark.parametrize("title", ["", "   ", "\n\t", "x" * 201, "nul\0", "\ud800"])
def test_a_title_that_says_nothing_or_too_much_is_refused(cards: Cards, title: str) -> None:
    with pytest.raises(CueError) as refusal:
        cards.create(CardDraft(title))
    assert refusal.value.code is ErrorCode.VALIDATION
    assert refusal.value.data["field"] == "title"


def test_a_card_that_could_not_be_read_again_is_not_written(cards: Cards, tmp_path: Path) -> None:
    crowded = CardDraft("a", tags=tuple(f"t{number}" for number in range(1001)))
    for draft in (crowded, CardDraft("a", description="x" * 2**21)):
        with pytest.raises(CueError) as refused:
            cards.create(draft)
        assert refused.value.code is ErrorCode.VALIDATION
    assert not list((tmp_path / ".cuedeck" / "cards").glob("*.md"))


def test_an_update_changes_its_field_and_no_other_byte(cards: Cards, tmp_path: Path) -> None:
    before = (
        "---\r\n# by hand\r\nowner: 'x'   # keep\r\ntitle: \"T\"\r\nstatus: todo # soon\r\n"
        "custom: {a: [1, 2]}\r\ntags: [ a,b ]\r\n---\r\n\r\n# Body\r\n\ttab  \r\nno newline at end"
    )
    path = write(tmp_path, "abc123", before)
    cards.update("abc123", CardChange(status=CardStatus.ACTIVE))
    after = path.read_bytes().decode()
    updated = re.search(r"updated: \S+\r\n", after)
    assert updated is not None
    assert after.replace(updated[0], "") == before.replace("status: todo", "status: active")


def test_order_is_urgency_then_newest(cards: Cards, tmp_path: Path) -> None:
    write(tmp_path, "aaaaaa", "---\ntitle: old\npriority: high\ncreated: 2025-01-01\n---\n")
    write(tmp_path, "bbbbbb", "---\ntitle: new\npriority: high\ncreated: 2025-02-01\n---\n")
    write(tmp_path, "cccccc", "---\ntitle: top\npriority: critical\ncreated: 2020-01-01\n---\n")
    write(tmp_path, "dddddd", "---\ntitle: low\npriority: low\n---\n")
    assert [card.title for card in cards.list()] == ["top", "new", "old", "low"]


def test_filters(cards: Cards, tmp_path: Path) -> None:
    write(
        tmp_path,
        "aaaaaa",
        "---\ntitle: a\nstatus: done\ntags: [Web, API]\nassignee: Ann\ncreated: 2026-01-10\n---\n",
    )
    write(tmp_path, "bbbbbb", "---\ntitle: b\ntags: [db]\nassignee: bob\nupdated: 2026-03-14\n---\n")
    now = datetime(2026, 3, 15, tzinfo=UTC)

    def titles(**wanted: object) -> list[str]:
        return [card.title for card in cards.list(card_query(now=now, **wanted))]  # type: ignore[arg-type]

    assert titles(status="done") == ["a"]
    assert titles(tags=["api", "none"]) == ["a"]
    assert titles(assignee="ANN") == ["a"]
    assert titles(assignee="an") == []
    assert titles(created="2026-01") == ["a"]
    assert titles(updated=">1w") == ["b"]
    assert titles(tags=[]) == ["a", "b"]


def test_what_changed_on_disk_shows_at_once(cards: Cards, tmp_path: Path) -> None:
    path = write(tmp_path, "abc123", "---\ntitle: one\n---\n")
    assert [card.title for card in cards.list()] == ["one"]
    for title in ("two", "six", "ten"):  # same size, within one clock tick
        path.write_text(f"---\ntitle: {title}\n---\n")
        assert [card.title for card in cards.list()] == [title]
    path.rename(path.with_name("xyz789.md"))
    assert list(cards.snapshot().cards) == ["xyz789"]
    path.with_name("xyz789.md").unlink()
    assert cards.list() == []


def test_dependencies_both_ways_and_missing_ones_apart(cards: Cards, tmp_path: Path) -> None:
    base = cards.create(CardDraft("base"))
    top = cards.create(CardDraft("top", depends_on=(base.id,)))
    write(tmp_path, "zzzzzz", f"---\ntitle: z\ndepends_on: [{top.id}, nosuch]\n---\n")
    assert cards.neighbours(base.id, reverse=True).cards == (top,)
    found = cards.neighbours("zzzzzz")
    assert (found.cards, found.missing) == ((top,), ("nosuch",))
    with pytest.raises(CueError) as refusal:
        cards.neighbours("nosuch")
    assert refusal.value.code is ErrorCode.NOT_FOUND


def test_a_dependency_must_exist(cards: Cards, tmp_path: Path) -> None:
    with pytest.raises(CueError) as refusal:
        cards.create(CardDraft("x", depends_on=("nosuch",)))
    assert refusal.value.code is ErrorCode.DEPENDENCY_NOT_FOUND
    assert refusal.value.message.startswith("DependencyNotFound")
    assert not list((tmp_path / ".cuedeck").glob("cards/*"))


def test_a_dependency_that_leads_into_a_cycle_is_refused(cards: Cards, tmp_path: Path) -> None:
    write(tmp_path, "aaaaaa", "---\ntitle: a\ndepends_on: [bbbbbb]\n---\n")
    write(tmp_path, "bbbbbb", "---\ntitle: b\ndepends_on: [aaaaaa]\n---\n")
    write(tmp_path, "cccccc", "---\ntitle: c\ndepends_on: [aaaaaa]\n---\n")
    with pytest.raises(CueError) as refusal:
        cards.create(CardDraft("x", depends_on=("cccccc",)))
    assert refusal.value.code is ErrorCode.CYCLE
    assert "CircularDependency" in refusal.value.message
    assert refusal.value.data["cycle_path"] == ["aaaaaa", "bbbbbb", "aaaaaa"]
    assert cards.cycle("cccccc") == ("aaaaaa", "bbbbbb", "aaaaaa")


def test_any_number_of_dependencies_is_one_look_at_the_graph(
    cards: Cards, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = tuple(
        card.id for card in cards.create_all({str(n): CardDraft(f"t{n}") for n in range(9)}).values()
    )
    looked: list[str] = []

    def counted(graph: DependencyGraph, start: str) -> Cycle | None:
        looked.append(start)
        return find_cycle(graph, start)

    monkeypatch.setattr("cuedeck.tasks.cards.find_cycle", counted)
    made = cards.create(CardDraft("waits", depends_on=needs))
    cards.update(made.id, CardChange(depends_on=needs[1:]))
    assert len(looked) == 2
    with pytest.raises(CueError) as refusal:
        cards.update(needs[3], CardChange(depends_on=(needs[0], made.id)))
    assert refusal.value.data["cycle_path"] == [*sorted([made.id, needs[3]]), min(made.id, needs[3])]


def test_an_edit_may_not_close_a_circle(cards: Cards) -> None:
    first = cards.create(CardDraft("first"))
    second = cards.create(CardDraft("second", depends_on=(first.id,)))
    with pytest.raises(CueError) as refusal:
        cards.update(first.id, CardChange(depends_on=(second.id,)))
    assert refusal.value.code is ErrorCode.CYCLE
    assert cards.get(first.id).depends_on == ()


def test_ready_cards_have_everything_they_need(cards: Cards) -> None:
    base = cards.create(CardDraft("base"))
    top = cards.create(CardDraft("top", depends_on=(base.id,)))
    assert [card.title for card in cards.snapshot().ready()] == ["base"]
    cards.update(base.id, CardChange(status=CardStatus.DONE))
    assert cards.snapshot().ready() == [top]


def test_a_retitled_card_keeps_its_heading_in_step(cards: Cards, tmp_path: Path) -> None:
    made = cards.create(CardDraft("Old name"))
    cards.update(made.id, CardChange(title=r"New \1 name"))
    assert "\n# New \\1 name\n" in (tmp_path / made.path).read_text()


def test_a_comment_that_repeats_the_title_is_not_taken_for_the_heading(cards: Cards, tmp_path: Path) -> None:
    made = cards.create(CardDraft("Old name"))
    path = tmp_path / made.path
    path.write_text(path.read_text().replace("---\n", "---\n# Old name\n", 1))
    cards.update(made.id, CardChange(title="New name"))
    text = path.read_text()
    assert text.startswith("---\n# Old name\n") and "\n\n# New name\n" in text


def test_an_empty_assignee_clears_it(cards: Cards) -> None:
    made = cards.create(CardDraft("x", assignee="ann"))
    assert cards.update(made.id, CardChange(assignee="")).assignee is None


def test_a_card_with_broken_frontmatter_is_named_and_never_written(cards: Cards, tmp_path: Path) -> None:
    path = write(tmp_path, "abc123", "---\ntitle: [\n---\nprecious\n")
    write(tmp_path, "README", "about these cards\n")
    before = path.read_bytes()
    assert cards.list() == []
    assert [item.name for item in cards.snapshot().broken] == ["README.md", "abc123.md"]
    for attempt in (
        lambda: cards.update("abc123", CardChange(status=CardStatus.DONE)),
        lambda: cards.cycle("abc123"),
    ):
        with pytest.raises(CueError) as refusal:
            attempt()
        assert refusal.value.code is ErrorCode.VALIDATION
        assert refusal.value.data["line"] in (2, 3)
    assert path.read_bytes() == before


def test_a_bare_handle_is_read_and_quoted_when_the_card_is_next_written(cards: Cards, tmp_path: Path) -> None:
    path = write(tmp_path, "abc123", "---\ntitle: x\nassignee: @ann # lead\ntags: [@a, b]\n---\nbody @ann\n")
    card = cards.get("abc123")
    assert (card.assignee, card.tags, len(card.problems)) == ("@ann", ("@a", "b"), 1)
    assert cards.update("abc123", CardChange(status=CardStatus.DONE)).assignee == "@ann"
    text = path.read_text()
    assert text.startswith("---\ntitle: x\nassignee: '@ann' # lead\ntags: ['@a', b]\nstatus: done\n")
    assert text.endswith("---\nbody @ann\n")


def test_links_out_of_the_workspace_are_not_followed(cards: Cards, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.md"
    outside.write_text("---\ntitle: secret\n---\n")
    folder = tmp_path / ".cuedeck" / "cards"
    folder.mkdir(parents=True)
    (folder / "abc123.md").symlink_to(outside)
    assert cards.list() == []
    with pytest.raises(CueError):
        cards.update("abc123", CardChange(status=CardStatus.DONE))
    assert outside.read_text() == "---\ntitle: secret\n---\n"


@pytest.mark.parametrize("card_id", ["", "ABC123", "../../x", "abc12", "abc1234", "abc123\n", "a\0b123"])
def test_what_is_no_id_names_no_card(cards: Cards, card_id: str) -> None:
    for attempt in (cards.get, cards.content, cards.neighbours):
        with pytest.raises(CueError) as refusal:
            attempt(card_id)
        assert refusal.value.code is ErrorCode.NOT_FOUND


def test_a_linked_cards_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    (root / ".cuedeck").mkdir(parents=True)
    (root / ".cuedeck" / "cards").symlink_to(elsewhere)
    with pytest.raises(CueError) as refusal:
        Cards(root).create(CardDraft("x"))
    assert refusal.value.code is ErrorCode.PATH_REFUSED
    assert not list(elsewhere.iterdir())


def test_a_folder_that_cannot_be_used_is_said_plainly(cards: Cards, tmp_path: Path) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / ".cuedeck" / "cards").write_text("not a folder")
    for attempt in (lambda: cards.list(), lambda: cards.create(CardDraft("x"))):
        with pytest.raises(CueError) as refusal:
            attempt()
        assert refusal.value.code is ErrorCode.UNAVAILABLE
        assert str(tmp_path) not in refusal.value.message


def test_an_edit_by_hand_during_an_update_is_merged(tmp_path: Path) -> None:
    path = write(tmp_path, "abc123", "---\ntitle: x\nstatus: todo\nassignee: ann\n---\nbody\n")
    folder = CardFolder(tmp_path, lock_timeout=1)
    rounds = 0

    def edit(_card: object, data: bytes) -> bytes:
        nonlocal rounds
        rounds += 1
        if rounds == 1:  # an editor without our lock saves now
            path.write_text("---\ntitle: x\nstatus: todo\nassignee: bob\n---\nbody and more\n")
        return data.replace(b"status: todo", b"status: done")

    card = folder.change("abc123", edit)
    assert (card.status, card.assignee, rounds) == ("done", "bob", 2)
    assert path.read_text() == "---\ntitle: x\nstatus: done\nassignee: bob\n---\nbody and more\n"


def test_a_card_that_never_holds_still_is_given_up(tmp_path: Path) -> None:
    path = write(tmp_path, "abc123", "---\ntitle: x\n---\n")
    rounds = 0

    def edit(_card: object, data: bytes) -> bytes:
        nonlocal rounds
        rounds += 1
        path.write_text(f"---\ntitle: x{rounds}\n---\n")
        return data + b"!"

    with pytest.raises(CueError) as refusal:
        CardFolder(tmp_path, lock_timeout=1).change("abc123", edit)
    assert refusal.value.code is ErrorCode.STALE_CACHE
    assert path.read_text() == f"---\ntitle: x{rounds}\n---\n"


WRITER = """
import sys
from pathlib import Path
from cuedeck.tasks.cards import CardChange, CardDraft, Cards
root, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cards = Cards(root, lock_timeout=60)
for turn in range(rounds):
    cards.create(CardDraft("same title"))
    cards.update("shared", CardChange(notes=f"{name}-{turn}"))
"""


def test_processes_writing_at_once_lose_nothing(cards: Cards, tmp_path: Path) -> None:
    write(tmp_path, "shared", "---\ntitle: shared\n---\n")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"w{number}", "5"], env=os.environ)
        for number in range(4)
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    assert len(cards.list()) == 21
    notes = (tmp_path / ".cuedeck/cards/shared.md").read_text()
    written = [f"w{writer}-{turn}" for writer in range(4) for turn in range(5)]
    assert sorted(re.findall(r"w\d-\d", notes)) == written
    assert not list((tmp_path / ".cuedeck/cards").glob("*.tmp"))
