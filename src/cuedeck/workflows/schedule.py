"""Cron: which tick is due, with one run for any number of ticks missed while nothing was running."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cuedeck.model.errors import invalid
from cuedeck.workflows.model import CronTrigger

LOCAL_RULES = Path("/etc/localtime")


def check_cron(trigger: CronTrigger) -> None:
    """Refuse an expression or a zone that cannot be understood."""
    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(trigger.expression, datetime.now(_zone(trigger))))
    except (CronSimError, StopIteration) as error:
        raise invalid("cron", "five fields: minute, hour, day, month, weekday", trigger.expression) from error


def latest_tick(trigger: CronTrigger, *, after_ms: int, now_ms: int) -> int | None:
    """The last tick in (after, now], in milliseconds; missed ticks before it are not made up for."""
    from cronsim import CronSim

    now = datetime.fromtimestamp(now_ms / 1000, _zone(trigger))
    # The backward search excludes its start, and a tick is never due before its whole minute.
    tick: datetime | None = next(CronSim(trigger.expression, now + timedelta(minutes=1), reverse=True), None)
    while tick is not None and tick > now:
        tick = next(CronSim(trigger.expression, tick, reverse=True), None)
    if tick is None or int(tick.timestamp() * 1000) <= after_ms:
        return None
    return int(tick.timestamp() * 1000)


def next_tick(trigger: CronTrigger, *, now_ms: int) -> int:
    """When it is due next, in milliseconds."""
    from cronsim import CronSim

    tick: datetime = next(CronSim(trigger.expression, datetime.fromtimestamp(now_ms / 1000, _zone(trigger))))
    return int(tick.timestamp() * 1000)


def day_of(trigger: CronTrigger, tick_ms: int) -> date:
    """The date of a tick where the trigger lives."""
    return datetime.fromtimestamp(tick_ms / 1000, _zone(trigger)).date()


def _zone(trigger: CronTrigger) -> tzinfo:
    if trigger.timezone is None:
        return _local_zone()
    try:
        return ZoneInfo(trigger.timezone)
    except (OSError, ZoneInfoNotFoundError, ValueError) as error:
        raise invalid("timezone", "a zone such as Europe/Berlin", trigger.timezone) from error


def _local_zone() -> tzinfo:
    """The machine's zone with its rules, so that the night the clocks change repeats no tick."""
    name = os.environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        with LOCAL_RULES.open("rb") as rules:
            return ZoneInfo.from_file(rules)
    except (OSError, ZoneInfoNotFoundError, ValueError):
        # Not a zone of the database: only today's distance from UTC is known.
        return datetime.now().astimezone().tzinfo or UTC
