from __future__ import annotations

import pytest

from cuedeck.config.sections import LimitsSection, ToolLimit
from cuedeck.mcp.limits import CONTRACT_RATES, RateLimits, rate_of
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal

ANNA, BEN = Principal("anna"), Principal("ben")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def take(limits: RateLimits, times: int, tool: str = "read_context", who: Principal = ANNA) -> int:
    passed = 0
    for _ in range(times):
        try:
            limits.take(who, tool, LimitsSection())
            passed += 1
        except CueError as refusal:
            assert refusal.code is ErrorCode.RATE_LIMITED
    return passed


@pytest.mark.parametrize(
    ("tool", "burst"), [("read_context", 15), ("read_doc", 50), ("list_tasks", 30), ("update_task", 15)]
)
def test_the_contract_table_is_the_default(tool: str, burst: int) -> None:
    assert take(RateLimits(Clock()), 100, tool) == burst


def test_a_refusal_carries_the_contract_data() -> None:
    limits = RateLimits(Clock())
    take(limits, 15)
    with pytest.raises(CueError) as refused:
        limits.take(ANNA, "read_context", LimitsSection())
    assert refused.value.data == {
        "retry_after_seconds": 6,
        "limit": 10,
        "window_seconds": 60,
        "current_count": 15,
    }


def test_waiting_as_told_is_enough_and_refusals_cost_nothing() -> None:
    clock = Clock()
    limits = RateLimits(clock)
    take(limits, 40)
    clock.now += 6
    assert take(limits, 5) == 1
    clock.now += 60
    assert take(limits, 50) == 10


def test_principals_and_tools_do_not_share_a_bucket() -> None:
    limits = RateLimits(Clock())
    assert take(limits, 20) == 15
    assert take(limits, 20, who=BEN) == 15
    assert take(limits, 60, "read_doc") == 50


def test_tools_without_a_row_are_unlimited() -> None:
    assert take(RateLimits(Clock()), 500, "create_task") == 500


def test_limits_are_configurable() -> None:
    assert rate_of("read_context", LimitsSection(enabled=False)) is None
    chosen = LimitsSection(tools={"read_context": ToolLimit(rate=100, burst=200)})
    assert rate_of("read_context", chosen).burst == 200  # type: ignore[union-attr]
    assert rate_of("read_doc", chosen) == CONTRACT_RATES["read_doc"]
    only_burst = LimitsSection(tools={"read_doc": ToolLimit(burst=5)})
    assert rate_of("read_doc", only_burst).limit == 30  # type: ignore[union-attr]
    assert rate_of("read_doc", LimitsSection(tools={"read_doc": ToolLimit()})) is None
    assert rate_of("create_task", LimitsSection(tools={"create_task": ToolLimit(rate=3)})).burst == 3  # type: ignore[union-attr]


def test_memory_stays_bounded_however_many_come() -> None:
    limits = RateLimits(Clock(), max_buckets=50)
    for number in range(1000):
        limits.take(Principal(str(number)), "read_context", LimitsSection())
    assert len(limits._buckets) == 50
