"""Notes land in the notes section and nowhere else."""

from __future__ import annotations

from datetime import date

import pytest

from cuedeck.tasks.notes import append_note

DAY = date(2026, 3, 15)
HEAD = b"---\ntitle: x\n---\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"\n## Notes\n\n- 2026-03-15: hello\n"),
        (b"## Notes\n\nSetext\n===\n", b"## Notes\n\n- 2026-03-15: hello\n\nSetext\n===\n"),
        (b"Notes\n---\n\nold\n", b"Notes\n---\n\nold\n- 2026-03-15: hello\n"),
        (b"- item\n  ## Notes\n", b"- item\n  ## Notes\n\n## Notes\n\n- 2026-03-15: hello\n"),
        (b"body", b"body\n\n## Notes\n\n- 2026-03-15: hello\n"),
        (b"body\n\n\n", b"body\n\n\n## Notes\n\n- 2026-03-15: hello\n"),
        (b"## Notes\n", b"## Notes\n\n- 2026-03-15: hello\n"),
        (b"## notes ##\n- old\n", b"## notes ##\n- old\n- 2026-03-15: hello\n"),
        (
            b"# T\n\n## Notes\n\n- old\n\n## Later\ntext\n",
            b"# T\n\n## Notes\n\n- old\n- 2026-03-15: hello\n\n## Later\ntext\n",
        ),
        (
            b"## Notes\n- old\n### Deep\nmore\n# Top\n",
            b"## Notes\n- old\n### Deep\nmore\n- 2026-03-15: hello\n\n# Top\n",
        ),
        (
            b"```\n## Notes\n```\n",
            b"```\n## Notes\n```\n\n## Notes\n\n- 2026-03-15: hello\n",
        ),
        (b"## Notes\n- old  ", b"## Notes\n- old  \n- 2026-03-15: hello\n"),
    ],
)
def test_a_note_goes_to_the_end_of_the_section(before: bytes, after: bytes) -> None:
    assert append_note(HEAD + before, "hello", day=DAY) == HEAD + after


def test_windows_line_endings_stay() -> None:
    before = b"---\r\ntitle: x\r\n---\r\n## Notes\r\n- old\r\n"
    assert append_note(before, "a\nb", day=DAY) == before + b"- 2026-03-15: a\r\n  b\r\n"


def test_a_hostile_note_stays_inside_its_entry() -> None:
    once = append_note(HEAD, "```\n# Not a heading\n---\n\nend", day=DAY)
    twice = append_note(once, "second", day=DAY)
    assert twice.count(b"\n## Notes\n") == 1
    assert twice.endswith(b"  # Not a heading\n  ---\n\n  end\n- 2026-03-15: second\n")


def test_a_heading_like_line_in_the_frontmatter_does_not_count() -> None:
    before = b"---\ntitle: |\n  ## Notes\n---\nbody\n"
    assert append_note(before, "n", day=DAY) == before + b"\n## Notes\n\n- 2026-03-15: n\n"
