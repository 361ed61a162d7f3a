"""What a card file says, however people wrote it."""

from __future__ import annotations

import pytest

from cuedeck.tasks.card import BrokenCard, Card, read_card


def card(text: str) -> Card:
    found = read_card("abc123", text.encode())
    assert isinstance(found, Card), found
    return found


def test_a_plain_card() -> None:
    found = card(
        "---\ntitle: Login\nstatus: active\npriority: high\nassignee: '@dev'\ntags: [auth, web]\n"
        "depends_on:\n  - def456\nrefs: [docs/a.md]\ncreated: 2026-01-02T10:43:00Z\n---\nbody\n"
    )
    assert (found.title, found.status, found.priority, found.assignee) == ("Login", "active", "high", "@dev")
    assert (found.tags, found.depends_on, found.refs) == (("auth", "web"), ("def456",), ("docs/a.md",))
    assert found.created is not None
    assert found.created.isoformat() == "2026-01-02T10:43:00+00:00"
    assert found.path == ".cuedeck/cards/abc123.md"


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("title: 2024", "title", "2024"),
        ("title: yes", "title", "yes"),
        ("title: 1.50", "title", "1.5"),
        ("status: DONE", "status", "done"),
        ("priority: ' High '", "priority", "high"),
        ("tags: one, two", "tags", ("one", "two")),
        ("tags: one", "tags", ("one",)),
        ("tags: [2024, one, one]", "tags", ("2024", "one")),
        ("tags:", "tags", ()),
        ("depends_on: def456", "depends_on", ("def456",)),
        ("depends_on: [012345, 7]", "depends_on", ("012345", "000007")),
        ("assignee: ''", "assignee", None),
        ("created: never", "created", None),
    ],
)
def test_values_as_people_write_them(line: str, field: str, value: object) -> None:
    assert getattr(card(f"---\n{line}\n---\n"), field) == value


def test_without_a_title_the_first_heading_counts() -> None:
    assert card("---\nstatus: todo\n---\n\n# The heading #\n").title == "The heading"


def test_a_hostile_heading_costs_its_length_only() -> None:
    assert card(f"---\nstatus: todo\n---\n# {'#' * 500_000}x\n").title.endswith("#x")
    assert card("---\nstatus: todo\n---\n").title == "abc123"


def test_words_outside_the_vocabulary_are_named_with_their_line() -> None:
    found = card("---\ntitle: x\nstatus: doing\npriority: urgent\ncreated: soon\n---\n")
    assert (found.status, found.priority) == ("todo", "medium")
    assert [(problem.line, problem.message.split()[0]) for problem in found.problems] == [
        (3, "status"),
        (4, "priority"),
        (5, "created"),
    ]


@pytest.mark.parametrize(
    ("data", "line", "why"),
    [
        (b"no frontmatter\n", 1, "no frontmatter"),
        (b"---\ntitle: [\n---\n", 2, ""),
        (b"---\n- a\n---\n", 2, "not a mapping"),
        (
            b"---\ntitle: x\n<<<<<<< HEAD\nstatus: todo\n=======\nstatus: done\n>>>>>>> b\n---\n",
            3,
            "merge conflict",
        ),
        (b"---\ntitle: \xff\n---\n", 2, "UTF-8"),
        (b"", 1, "no frontmatter"),
    ],
)
def test_what_cannot_be_used_says_why(data: bytes, line: int, why: str) -> None:
    found = read_card("abc123", data)
    assert isinstance(found, BrokenCard)
    assert why in found.problem.message
    assert abs(found.problem.line - line) <= 1


def test_a_byte_order_mark_and_windows_lines_are_fine() -> None:
    found = read_card("abc123", b"\xef\xbb\xbf---\r\ntitle: x\r\nstatus: done\r\n---\r\n")
    assert isinstance(found, Card)
    assert (found.title, found.status) == ("x", "done")
