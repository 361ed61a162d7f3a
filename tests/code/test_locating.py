"""Names of symbols as callers spell them."""

from __future__ import annotations

import pytest

from cuedeck.code.locating import name_parts


@pytest.mark.parametrize(
    ("spelled", "parts"),
    [
        ("lib/core.py::helper", ["lib", "core", "py", "helper"]),
        ("String#trim", ["String", "trim"]),
        ("#init", ["#init"]),
        ("Response.#init", ["Response", "#init"]),
        ("response::Response::#init", ["response", "Response", "#init"]),
        ("App\\Kernel", ["App", "Kernel"]),
        ("trailing#", ["trailing"]),
    ],
)
def test_a_private_member_keeps_its_mark(spelled: str, parts: list[str]) -> None:
    assert name_parts(spelled) == parts
