"""Days and weeks of the reports: a day is a number of days since 1970-01-01 in UTC, a week begins on a Sunday."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.limits import ANALYTICS_DAYS

DAY_SECONDS: Final = 86400
_EPOCH: Final = date(1970, 1, 1).toordinal()
_SUNDAY_TO_THURSDAY: Final = 4  # day 0 was a Thursday
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Span(NamedTuple):
    """The first and the last day of what is asked for, both of them in it."""

    first: int
    last: int


def day_of(now: float) -> int:
    """The day of a time in Unix seconds."""
    return int(now // DAY_SECONDS)


def week_of(day: int) -> int:
    """The Sunday that the day's week began with."""
    return day - (day + _SUNDAY_TO_THURSDAY) % 7


def written(day: int) -> str:
    """YYYY-MM-DD."""
    return date.fromordinal(day + _EPOCH).isoformat()


def parsed(text: str, name: str) -> int:
    """The day of a YYYY-MM-DD; anything else is refused."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        pass
    raise invalid(f"{name} must be a date, YYYY-MM-DD")


def span(start_date: str | None, end_date: str | None, now: float) -> Span:
    """Whole weeks, from the Sunday before ``start_date`` (a year ago) to the end of the week of ``end_date``.

    Without an end it is that of the last full week. There is nothing older than a year, and nothing of today: data is
    refreshed daily.
    """
    today = day_of(now)
    oldest = week_of(today - ANALYTICS_DAYS)
    first = oldest if start_date is None else week_of(parsed(start_date, "start_date"))
    last = week_of(today) - 1 if end_date is None else week_of(parsed(end_date, "end_date")) + 6
    if start_date is not None and end_date is not None and start_date > end_date:
        raise invalid("start_date must not be after end_date")
    return Span(max(first, oldest), min(last, today - 1))
