from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cuedeck.model.clock import iso


@pytest.mark.parametrize(
    "at",
    [0, -1, 999, 951_782_399_999, 951_868_800_000, 1_763_250_000_123, 4_107_542_399_001, -62_135_596_800_000],
)
def test_times_are_written_in_utc_to_the_millisecond(at: int) -> None:
    seconds, milliseconds = divmod(at, 1000)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=milliseconds * 1000)
    assert iso(at) == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
