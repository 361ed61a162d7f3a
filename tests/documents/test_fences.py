from __future__ import annotations

import pytest

from cuedeck.documents.fences import with_fences_closed, without_fenced_code


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n```py\nb\n```\nc\n", "a\n\n\n\nc\n"),
        ("a\n~~~~\n~~~\nb\n~~~~\nc", "a\n\n\n\n\nc"),
        ("a\n```\nnever closed\n", "a\n\n\n"),
        ("``` not `a` fence\nb", "``` not `a` fence\nb"),
        ("    ```\nindented\n", "    ```\nindented\n"),
    ],
)
def test_fenced_code_is_blanked_line_for_line(text: str, left: str) -> None:
    assert without_fenced_code(text) == left
    assert without_fenced_code(text).count("\n") == text.count("\n")


def test_an_open_fence_is_closed_with_its_like() -> None:
    assert with_fences_closed("a\n~~~~ sh\nb") == "a\n~~~~ sh\nb\n~~~~"
    assert with_fences_closed("```\na\n```\n") == "```\na\n```\n"


def test_hostile_fences_cost_their_length_only() -> None:
    assert without_fenced_code("```a\n" * 200_000).strip() == ""
