"""The hello survives any value, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.daemon.protocol import BadHello, decode_body, decode_head, encode_hello

names = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1)
values = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))


@given(st.dictionaries(names, values), st.dictionaries(names, values))
def test_what_is_sent_arrives(fields: dict[str, str], environment: dict[str, str]) -> None:
    head, _, body = encode_hello("session", fields, environment).partition(b"\n")
    assert decode_head(head) == ("session", len(body))
    assert decode_body(body) == (fields, environment)


def test_undecodable_paths_survive() -> None:
    _, _, body = encode_hello("session", {"root": "/tmp/\udcff"}).partition(b"\n")
    assert decode_body(body) == ({"root": "/tmp/\udcff"}, {})


@pytest.mark.parametrize(
    "line",
    [b"", b"GET / HTTP/1.1", b"cuedeck/2 session 5", b"cuedeck/1 dance 5", b"cuedeck/1 session -5",
     b"cuedeck/1 session 99999999999", b"cuedeck/1 session 5 6", b"cuedeck/1 \xff 5"],
)  # fmt: skip
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(BadHello):
        decode_head(line)


def test_a_field_without_a_value_is_refused() -> None:
    with pytest.raises(BadHello):
        decode_body(b"a=1\0b")
