from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from cuedeck.model.errors import CueError
from cuedeck.workflows.model import CronTrigger
from cuedeck.workflows.schedule import check_cron, day_of, latest_tick, next_tick

BERLIN = ZoneInfo("Europe/Berlin")


def ms(*parts: int, fold: int = 0) -> int:
    return int(datetime(*parts, tzinfo=BERLIN, fold=fold).timestamp() * 1000)  # type: ignore[arg-type,misc]


def cron(expression: str) -> CronTrigger:
    return CronTrigger(expression, "Europe/Berlin")


def test_a_tick_is_due_at_its_minute_and_once() -> None:
    trigger = cron("*/5 * * * *")
    tick = ms(2026, 3, 1, 12, 5)
    assert latest_tick(trigger, after_ms=tick - 1, now_ms=tick) == tick
    assert latest_tick(trigger, after_ms=tick, now_ms=tick + 60_000) is None
    assert next_tick(trigger, now_ms=tick) == tick + 300_000


def test_of_many_missed_ticks_only_the_last_is_due() -> None:
    now = ms(2026, 3, 1, 12, 7)
    assert latest_tick(cron("*/5 * * * *"), after_ms=0, now_ms=now) == ms(2026, 3, 1, 12, 5)


def test_a_time_skipped_by_summer_time_still_happens_that_day() -> None:
    tick = latest_tick(cron("30 2 * * *"), after_ms=ms(2026, 3, 28, 12), now_ms=ms(2026, 3, 29, 12))
    assert tick is not None
    assert datetime.fromtimestamp(tick / 1000, BERLIN).date().isoformat() == "2026-03-29"


def test_a_time_repeated_by_winter_time_happens_once() -> None:
    before = ms(2026, 10, 25, 0, 0)
    trigger = cron("30 2 * * *")
    first = latest_tick(trigger, after_ms=before, now_ms=ms(2026, 10, 25, 2, 45))
    assert first is not None
    assert latest_tick(trigger, after_ms=first, now_ms=ms(2026, 10, 25, 12)) is None


@pytest.mark.parametrize(
    "trigger",
    [
        CronTrigger("61 * * * *"),
        CronTrigger("nope"),
        CronTrigger("0 0 31 2 *"),
        CronTrigger("* * * * *", "Mars/X"),
    ],
)
def test_what_cannot_be_understood_is_refused(trigger: CronTrigger) -> None:
    with pytest.raises(CueError):
        check_cron(trigger)


@pytest.mark.parametrize("by", ["TZ", "localtime"])
def test_the_night_the_local_clocks_change_repeats_no_tick(monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    if by == "TZ":
        monkeypatch.setenv("TZ", "Europe/Berlin")
    else:
        monkeypatch.delenv("TZ", raising=False)
        rules = next((Path(place, BERLIN.key) for place in TZPATH if Path(place, BERLIN.key).is_file()), None)
        if rules is None:
            pytest.skip("no zone files on this machine")
        monkeypatch.setattr("cuedeck.workflows.schedule.LOCAL_RULES", rules)
    digest = CronTrigger("55 23 * * *")
    evening = ms(2026, 10, 24, 23, 55)
    assert latest_tick(digest, after_ms=evening - 1, now_ms=evening) == evening
    assert latest_tick(digest, after_ms=evening, now_ms=ms(2026, 10, 25, 12)) is None
    assert next_tick(digest, now_ms=evening) == ms(2026, 10, 25, 23, 55)


def test_a_zone_that_is_no_name_leaves_the_distance_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-3")
    assert next_tick(CronTrigger("* * * * *"), now_ms=0) == 60_000


def test_the_day_of_a_tick_is_the_day_where_its_trigger_lives() -> None:
    tick = ms(2026, 3, 1, 12, 0)
    assert day_of(CronTrigger("0 0 * * *", "Pacific/Kiritimati"), tick).isoformat() == "2026-03-02"
