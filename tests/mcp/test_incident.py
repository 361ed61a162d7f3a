from __future__ import annotations

import errno

import pytest

from cuedeck.mcp.incident import unexpected
from cuedeck.model.errors import ErrorCode


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC, errno.EROFS, errno.EMFILE])
def test_what_the_system_refuses_is_said_without_its_path(number: int) -> None:
    told = unexpected("read_doc", OSError(number, "secret words", "/home/me/secret"))
    assert told.code is ErrorCode.UNAVAILABLE and told.hint
    assert told.message.startswith("The system refused: ") and "secret" not in told.message
    assert told.data.keys() == {"error_id"}


def test_other_failures_of_the_system_stay_an_id() -> None:
    assert unexpected("read_doc", OSError(errno.EBADF, "bad")).code is ErrorCode.INTERNAL


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "gone", "/home/me/secret"), OSError("from libgit2")]
)
def test_what_vanished_is_said_without_its_path(error: OSError) -> None:
    told = unexpected("search_code", error)
    assert told.code is ErrorCode.UNAVAILABLE and "vanished" in told.message and told.hint
    assert "secret" not in told.message and told.data.keys() == {"error_id"}
