"""Which attempts are repeated, and after how long.

Only a GET is repeated. A POST has no idempotency guarantee (platform-facts section 3), so after any failure the one who
sent it reads the platform back and decides; that holds for 429 too, whose place among the POST's answers the
specification does not state.
"""

from __future__ import annotations

from typing import NamedTuple

from tokensync.client.answers import Answer, Lost

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
