"""The platform's rate limits by tier, plan and seat (Figma REST API: Rate limits).

Each caller, plan and tier has a leaky bucket: a request adds one, the bucket drains at the allowed rate, and a request
that would overflow it is refused. Buckets live in memory only, since most requests only read.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, people, tokens
from tokensync.emulator.endpoints import Refusal

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.people import User
    from tokensync.emulator.tokens import Token


HIGH: Final = "high"
LOW: Final = "low"

_MINUTE: Final = 60.0
_MONTH: Final = 30 * 86400.0
_SEATS_OF_HIGH: Final = (people.FULL_MEMBER, people.DEVELOPER)
_FORGET_AT: Final = 10_000


class Rate(NamedTuple):
    """A bucket size in requests, and the seconds in which a full bucket drains."""

    requests: int
    seconds: float


_MONTHLY: Final = Rate(6, _MONTH)
LOW_RATES: Final[Mapping[int, Rate]] = {1: _MONTHLY, 2: Rate(5, _MINUTE), 3: Rate(10, _MINUTE)}
"""Rates of view and collab seats and guests by tier, on any plan."""
HIGH_RATES: Final[Mapping[str, Mapping[int, Rate]]] = {
    "starter": {1: _MONTHLY, 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "professional": {1: Rate(10, _MINUTE), 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "organization": {1: Rate(15, _MINUTE), 2: Rate(50, _MINUTE), 3: Rate(100, _MINUTE)},
    "enterprise": {1: Rate(20, _MINUTE), 2: Rate(100, _MINUTE), 3: Rate(150, _MINUTE)},
}
"""Rates of dev and full seats by plan and tier. Starter publishes tier 1 only; its other rates are Professional's."""

PLAN_NAMES: Final[Mapping[str, str]] = {
    "starter": "starter",
    "professional": "pro",
    "organization": "org",
    "enterprise": "enterprise",
}
"""Plan names in X-Figma-Plan-Tier."""
_UPGRADE_LINK: Final = "https://upgrade.invalid/pricing"


class _Bucket(NamedTuple):
    """A bucket with ``level`` requests at the time ``since`` that is empty at ``empty``, in Unix seconds."""

    level: float
    since: float
    empty: float


class RateLimits:
    """Counts requests and refuses those over the limit with 429. Thread-safe."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, str, int], _Bucket] = {}
        self._lock = threading.Lock()

    def take(self, token: Token, user: User, plan: str, tier: int, now: float) -> None:
        """Count a request, or refuse it with Retry-After and the platform's headers."""
        seat = seat_of(token, user)
        rate = LOW_RATES[tier] if seat == LOW else HIGH_RATES[plan][tier]
        wait = self._fill((_subject(token), plan, tier), rate, now)
        if wait > 0:
            headers = (
                ("Retry-After", str(math.ceil(wait))),
                ("X-Figma-Plan-Tier", PLAN_NAMES[plan]),
                ("X-Figma-Rate-Limit-Type", seat),
                ("X-Figma-Upgrade-Link", _UPGRADE_LINK),
            )
            raise Refusal(429, "Rate limit exceeded", headers)

    def _fill(self, key: tuple[str, str, int], rate: Rate, now: float) -> float:
        """Count a request and return 0, or return the seconds until the bucket has capacity."""
        leak = rate.requests / rate.seconds
        with self._lock:
            bucket = self._buckets.get(key, _Bucket(0.0, now, now))
            level = max(0.0, bucket.level - max(0.0, now - bucket.since) * leak)
            over = level + 1 - rate.requests
            if over > _ROUNDING:
                return over / leak
            if len(self._buckets) >= _FORGET_AT:
                self._buckets = {key: bucket for key, bucket in self._buckets.items() if bucket.empty > now}
            self._buckets[key] = _Bucket(level + 1, now, now + (level + 1) / leak)
            return 0.0


_ROUNDING: Final = 1e-6


def seat_of(token: Token, user: User) -> str:
    """Return HIGH for dev and full seats and for plan tokens, which have no seat; else LOW."""
    return HIGH if token.kind == tokens.PLAN or user.account in _SEATS_OF_HIGH else LOW


def plan_of(connection: sqlite3.Connection, parts: Mapping[str, str]) -> str:
    """Return the plan of the file, folder or team in the path parameters ``parts``, else the organization's plan."""
    for name in ("file_key", "library_file_key"):
        if name in parts:
            file = files.find(connection, parts[name])
            return _DEFAULT_PLAN if file is None else file.plan
    folder = files.find_folder(connection, parts.get("folder_id") or parts.get("project_id") or "")
    team_id = parts.get("team_id") if folder is None else folder.team
    team = None if team_id is None else files.find_team(connection, team_id)
    return _DEFAULT_PLAN if team is None else team.plan


_DEFAULT_PLAN: Final = people.ENTERPRISE


def _subject(token: Token) -> str:
    """Return the caller to count: a user, a user of an app, or a plan token."""
    match token.kind:
        case tokens.PLAN:
            return f"token {token.secret}"
        case tokens.OAUTH:
            return f"user {token.user} app {token.app}"
        case _:
            return f"user {token.user}"
