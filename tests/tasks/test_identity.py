"""Whose todos they are is proven, never claimed."""

from __future__ import annotations

import pytest

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import ANONYMOUS, Principal
from cuedeck.tasks.identity import owner

ME = "123e4567-e89b-12d3-a456-426614174000"
OTHER = "123e4567-e89b-12d3-a456-426614174001"


def test_the_claim_may_repeat_who_one_is() -> None:
    assert owner(Principal(ME), ME) == ME
    assert owner(Principal(ME), ME.upper()) == ME
    assert owner(Principal(ME.upper()), ME) == ME
    assert owner(Principal(ME)) == ME


@pytest.mark.parametrize("claimed", [OTHER, OTHER.upper()])
def test_a_claim_to_be_somebody_else_is_unauthorized(claimed: str) -> None:
    with pytest.raises(CueError) as refusal:
        owner(Principal(ME), claimed)
    assert refusal.value.code is ErrorCode.UNAUTHORIZED
    assert ME not in refusal.value.message
    assert refusal.value.data == {}


@pytest.mark.parametrize(
    "claimed", ["", "alice", "' OR '1'='1", ME + " ", f"{{{ME}}}", ME.replace("-", ""), f"urn:uuid:{ME}"]
)
def test_a_claim_that_is_no_uuid_is_invalid(claimed: str) -> None:
    with pytest.raises(CueError) as refusal:
        owner(Principal(ME), claimed)
    assert refusal.value.code is ErrorCode.VALIDATION


@pytest.mark.parametrize("claimed", [ME, "nonsense", None])
def test_without_a_user_the_message_says_how_to_set_one(claimed: str | None) -> None:
    with pytest.raises(CueError) as refusal:
        owner(ANONYMOUS, claimed)
    assert refusal.value.code is ErrorCode.UNAUTHORIZED
    assert "CUEDECK_USER" in refusal.value.message


def test_a_subject_that_is_no_uuid_is_a_user_too() -> None:
    assert owner(Principal("auth0|17"), "auth0|17") == "auth0|17"
    with pytest.raises(CueError):
        owner(Principal("auth0|17"), "auth0|18")
