"""What is kept of one file stays in proportion to it."""

from __future__ import annotations

from cuedeck.documents.extract import LONGEST_LABEL, MOST_FILTERS, extract

_TEXT = "\n\n".join(f"Paragraph {n}. " + "words and more words " * 60 for n in range(20))


def test_a_list_of_thousands_of_tags_is_not_repeated_with_every_piece() -> None:
    tags = [f"tag{n}" for n in range(5_000)]
    found = extract("a.md", f"{' '.join(f'#{tag}' for tag in tags)}\n\n{_TEXT}".encode(), max_bytes=2**21)
    assert len(found.scope) == MOST_FILTERS
    assert sorted(found.tags) == sorted(tags)


def test_neither_are_endless_headings_nor_names() -> None:
    front = f"---\naliases: [{', '.join(f'alias {n}' for n in range(3_000))}]\n---\n"
    heading = f"# {'long ' * 20_000}\n\n"
    found = extract("a.md", f"{front}{heading}{_TEXT}".encode(), max_bytes=2**21)
    assert len(found.aliases) == 3_000
    assert len(found.name_words) <= 2 * LONGEST_LABEL
    assert max(len(chunk.headings) for chunk in found.chunks) <= 2 * LONGEST_LABEL
