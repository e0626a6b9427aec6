"""When a request is sent again: the retry policy, rate limits, and the clock that waits are measured with."""

from __future__ import annotations

import math
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from tokensync.client.responses import Answer, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _fraction() -> float:
    """A random number from 0 up to 1; the module is loaded by the first retry only."""
    from random import random

    return random()  # noqa: S311 - jitter is no secret


class Clock(NamedTuple):
    """``now`` is seconds since 1970 (for dates), ``elapsed`` never goes back, ``random`` is from 0 up to 1."""

    now: Callable[[], float] = time.time
    elapsed: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = _fraction


_YEAR = 366 * 86400
_WORD = re.compile(r"[A-Za-z0-9_-]{1,30}")
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class RateLimit(NamedTuple):
    """The headers of a 429: the wait in seconds, the plan of the file, and ``low`` or ``high`` by the token's seat."""

    retry_after: int | None
    plan_tier: str | None
    limit_type: str | None


def read(headers: Mapping[str, str], now: float) -> RateLimit:
    """The rate limit that an answer's headers tell; what is missing or malformed is None."""
    return RateLimit(
        retry_after(headers, now),
        _word(headers.get("X-Figma-Plan-Tier")),
        _word(headers.get("X-Figma-Rate-Limit-Type")),
    )


def retry_after(headers: Mapping[str, str], now: float) -> int | None:
    """``Retry-After`` in seconds from ``now``, given as whole seconds or as an HTTP date; a past date is 0."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return int(text[:12]) if len(text) <= 12 else 10**12
    from email.utils import parsedate_to_datetime

    try:
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - now))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def explanation(limit: RateLimit) -> str:
    """Whose limit was reached, in brackets, or nothing where the headers do not tell."""
    told = [f"{name} {value}" for name, value in (("plan", limit.plan_tier), ("limit type", limit.limit_type)) if value]
    return f" ({', '.join(told)})" if told else ""


def advice(limit: RateLimit, now: float) -> str:
    """When to come back, and what else would help."""
    if limit.retry_after is None:
        when = "wait a minute or more, then try again"
    elif limit.retry_after > 10 * _YEAR:
        when = "the platform names no usable time to come back"
    else:
        clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(now + limit.retry_after + 59))
        when = f"come back in {duration(limit.retry_after)}, at {clock} local time"
    if limit.limit_type == "low":
        return f"{when}, or use the token of a Dev or Full seat, whose limits are higher"
    return when


def duration(seconds: float) -> str:
    """A wait in its two largest units, such as "4 days 14 hours" or "30 seconds"."""
    rest = max(1, round(seconds))
    words: list[str] = []
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            words.append(f"{count} {unit}{'' if count == 1 else 's'}")
        elif words:
            break
        if len(words) == 2:
            break
    return " ".join(words)


def _word(value: str | None) -> str | None:
    """A header's value where it is a plain word; anything else came from no rate limit."""
    return value if value and _WORD.fullmatch(value) else None


RATE_LIMITED = 429
PASSING = frozenset((RATE_LIMITED, 502, 503, 504))


class RetryPolicy(NamedTuple):
    """Exponential backoff with full jitter: before attempt n+1 a random wait up to ``first * 2**(n-1)``, in seconds.

    ``attempts`` counts all of them, the first included. ``longest_backoff`` caps the backoff, and
    ``longest_retry_after`` is the longest ``Retry-After`` that is waited out; past it the failure is reported at once.
    """

    attempts: int = 5
    first: float = 0.5
    longest_backoff: float = 20.0
    longest_retry_after: float = 60.0

    def backoff(self, attempt: int, fraction: float) -> float:
        """The wait after ``attempt`` failed ones, where ``fraction`` is random from 0 to 1."""
        return fraction * min(self.longest_backoff, self.first * 2.0 ** min(attempt - 1, 60))


class Wait(NamedTuple):
    """Told before each wait: how long, why, and which attempt of how many comes next."""

    seconds: float
    reason: str
    attempt: int
    attempts: int


def may_pass(outcome: Answer | Lost) -> bool:
    """Whether a failed attempt may succeed when repeated."""
    return outcome.passing if isinstance(outcome, Lost) else outcome.status in PASSING


def seconds_to_wait(
    policy: RetryPolicy, attempt: int, outcome: Answer | Lost, retry_after: int | None, fraction: float
) -> float | None:
    """The wait before a GET is sent again, or None where it is not.

    A ``Retry-After`` is a lower bound, so the jitter comes on top of it.
    """
    if attempt >= policy.attempts or not may_pass(outcome):
        return None
    if retry_after is None:
        return policy.backoff(attempt, fraction)
    if retry_after > policy.longest_retry_after:
        return None
    return retry_after + fraction * policy.first
