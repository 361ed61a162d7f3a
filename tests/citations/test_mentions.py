from __future__ import annotations

import pytest

from cuedeck.citations.mentions import MOST, Kind, Mention, mentions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`TokenBucket.take` blocks", Mention(Kind.SYMBOL, "TokenBucket.take")),
        ("call `take(amount, wait=True)` first", Mention(Kind.SYMBOL, "take")),
        ("C: `queue->push(x)`", Mention(Kind.SYMBOL, "queue.push")),
        ("in `src/bucket.py::TokenBucket.take`", Mention(Kind.SYMBOL, "TokenBucket.take", "src/bucket.py")),
        ("see src/bucket.py:12:3.", Mention(Kind.FILE, "src/bucket.py")),
        ("(./docs/limits.md#L4)", Mention(Kind.FILE, "docs/limits.md")),
        ("`README.md`", Mention(Kind.FILE, "README.md")),
        ("parse_config() is slow", Mention(Kind.SYMBOL, "parse_config")),
        ("the TokenBucket, then", Mention(Kind.SYMBOL, "TokenBucket")),
        ("as in memory:01jd0abc.", Mention(Kind.MEMORY, "memory:01jd0abc")),
        ("run wf_exec_20261115_010203_ab12", Mention(Kind.RUN, "wf_exec_20261115_010203_ab12")),
        ("after web-api-TASK-012", Mention(Kind.TASK, "web-api-TASK-012")),
        ("Card ab12cd waits", Mention(Kind.CARD, "ab12cd")),
    ],
)
def test_names_as_people_and_agents_write_them(text: str, found: Mention) -> None:
    assert found in mentions(text)


@pytest.mark.parametrize(
    "text",
    ["A plain sentence about queues.", "It is done by hand; version 1.2.3.", "", "`", "``` ```", "a/b"],
)
def test_prose_names_no_files_and_no_ids(text: str) -> None:
    assert [found for found in mentions(text) if found.kind is not Kind.SYMBOL] == []


def test_each_once_and_not_without_end() -> None:
    assert mentions("`a_b` and `a_b`") == [Mention(Kind.SYMBOL, "a_b")]
    assert len(mentions(" ".join(f"`name_{number}`" for number in range(500)))) == MOST
