"""Retries: the policy, rate limits and the clock."""

from __future__ import annotations

import math
import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from tokensync.extract.client.responses import Answer, Lost
from tokensync.system.disk import content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _fraction() -> float:
    from random import random  # loaded by the first retry only

    return random()  # noqa: S311 - jitter is no secret


def boot_id() -> str:
    """Return what identifies the time scale of ``time.monotonic``: the boot of this machine, and its namespace.

    Return an empty string where that is unknown.
    """
    try:
        boot = content_of("/proc/sys/kernel/random/boot_id") or b""
        return f"{boot.decode('ascii').strip()} {os.readlink('/proc/self/ns/time')}"
    except (OSError, ValueError):
        return ""


class Clock(NamedTuple):
    """A replaceable clock. ``now`` is Unix seconds, ``elapsed`` is monotonic, ``random`` is in [0, 1).

    Processes with the same ``boot``, unless it is empty, share the scale of ``elapsed``. It stops while the machine
    sleeps, as its connections do, and setting the time does not move it: it never shows more time than has passed.
    """

    now: Callable[[], float] = time.time
    elapsed: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = _fraction
    boot: Callable[[], str] = boot_id


_YEAR = 366 * 86400
_WORD = re.compile(r"[A-Za-z0-9_-]{1,30}")
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class RateLimit(NamedTuple):
    """The headers of a 429: the wait in seconds, the plan of the file, and ``low`` or ``high`` for the user's seat."""

    retry_after: float | None
    plan_tier: str | None
    limit_type: str | None


def rate_limit(headers: Mapping[str, str], now: float) -> RateLimit:
    """Return the rate limit in response headers; missing and malformed values are None."""
    return RateLimit(
        retry_after(headers, now),
        _word(headers.get("X-Figma-Plan-Tier")),
        _word(headers.get("X-Figma-Rate-Limit-Type")),
    )


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return ``Retry-After`` in seconds from ``now``; it may be in seconds or an HTTP date. A past date is 0."""
    text = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(text):  # RFC 9110 has whole seconds only; some proxies send a fraction
        return min(float(text), 1e12)
    from email.utils import parsedate_to_datetime

    try:
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - now))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def explanation(limit: RateLimit) -> str:
    """Return the plan and limit type in brackets, or an empty text if unknown."""
    details = [
        f"{name} {value}" for name, value in (("plan", limit.plan_tier), ("limit type", limit.limit_type)) if value
    ]
    return f" ({', '.join(details)})" if details else ""


def advice(limit: RateLimit, now: float) -> str:
    """Return when to try again, and other advice."""
    if limit.retry_after is None:
        when = "wait a minute or more, then try again"
    elif limit.retry_after > 10 * _YEAR:
        when = "the platform gives no usable time to retry"
    else:
        clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(now + limit.retry_after + 59))
        when = f"try again in {duration(limit.retry_after)}, at {clock} local time"
    if limit.limit_type == "low":
        return f"{when}, or use the token of a Dev or Full seat, whose limits are higher"
    return when


def duration(seconds: float) -> str:
    """Return a wait in its two largest units, such as "4 days 14 hours" or "30 seconds"."""
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
    return value if value and _WORD.fullmatch(value) else None


RATE_LIMITED = 429
PASSING = frozenset((RATE_LIMITED, 500, 502, 503, 504))


class RetryPolicy(NamedTuple):
    """Exponential backoff with full jitter: before attempt n+1 a random wait up to ``first * 2**(n-1)`` seconds.

    ``attempts`` includes the first one. ``longest_backoff`` caps the backoff. A ``Retry-After`` longer than
    ``longest_retry_after`` is a failure.
    """

    attempts: int = 5
    first: float = 0.5
    longest_backoff: float = 20.0
    longest_retry_after: float = 60.0

    def backoff(self, attempt: int, fraction: float) -> float:
        """Return the wait after ``attempt`` failed attempts; ``fraction`` is random in [0, 1)."""
        return fraction * min(self.longest_backoff, self.first * 2.0 ** min(attempt - 1, 60))


class Wait(NamedTuple):
    """A wait before a retry: its length, the reason, the next attempt and the number of attempts."""

    seconds: float
    reason: str
    attempt: int
    attempts: int


def may_pass(outcome: Answer | Lost) -> bool:
    """Return whether a retry may succeed."""
    return outcome.passing if isinstance(outcome, Lost) else outcome.status in PASSING


def seconds_to_wait(
    policy: RetryPolicy, attempt: int, outcome: Answer | Lost, retry_after: float | None, fraction: float
) -> float | None:
    """Return the wait before a retry, or None for no retry.

    ``Retry-After`` is a lower bound, so jitter is added to it.
    """
    if attempt >= policy.attempts or not may_pass(outcome):
        return None
    if retry_after is None:
        return policy.backoff(attempt, fraction)
    if retry_after > policy.longest_retry_after:
        return None
    return retry_after + fraction * policy.first
