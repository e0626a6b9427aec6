"""How many requests a minute or a month the platform takes, by tier, plan and seat (Figma REST API: Rate limits).

A leaky bucket for each of who asks, the plan and the tier: a request fills it by one, it empties at the rate that is
allowed, and what would overflow it is refused. Requests are counted in this process alone, since most of them only
read; an emulator that starts anew has empty buckets.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, people, teams, tokens
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
    """``requests`` at once, and as many again in ``seconds``."""

    requests: int
    seconds: float


_MONTHLY: Final = Rate(6, _MONTH)
LOW_RATES: Final[Mapping[int, Rate]] = {1: _MONTHLY, 2: Rate(5, _MINUTE), 3: Rate(10, _MINUTE)}
"""Of view and collab seats (and guests), by tier, whatever the plan."""
HIGH_RATES: Final[Mapping[str, Mapping[int, Rate]]] = {
    "starter": {1: _MONTHLY, 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "professional": {1: Rate(10, _MINUTE), 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "organization": {1: Rate(15, _MINUTE), 2: Rate(50, _MINUTE), 3: Rate(100, _MINUTE)},
    "enterprise": {1: Rate(20, _MINUTE), 2: Rate(100, _MINUTE), 3: Rate(150, _MINUTE)},
}
"""Of dev and full seats, by plan and tier. Of Starter only tier 1 is public; the others are taken as Professional's."""

PLAN_NAMES: Final[Mapping[str, str]] = {
    "starter": "starter",
    "professional": "pro",
    "organization": "org",
    "enterprise": "enterprise",
}
"""How X-Figma-Plan-Tier names the plans."""
_UPGRADE_LINK: Final = "https://upgrade.invalid/pricing"


class _Bucket(NamedTuple):
    """``level`` requests are in it ``since`` then, in Unix seconds; at ``empty`` it has run out."""

    level: float
    since: float
    empty: float


class RateLimits:
    """Counts requests and refuses those over the limit with 429. Safe to ask from several threads."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, str, int], _Bucket] = {}
        self._lock = threading.Lock()

    def take(self, token: Token, user: User, plan: str, tier: int, now: float) -> None:
        """Count a request, or refuse it: a Refusal with Retry-After and what the platform says beside it."""
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

    def _fill(self, who: tuple[str, str, int], rate: Rate, now: float) -> float:
        """Seconds until there is room for a request; 0 when there was, and it is counted."""
        leak = rate.requests / rate.seconds
        with self._lock:
            bucket = self._buckets.get(who, _Bucket(0.0, now, now))
            level = max(0.0, bucket.level - max(0.0, now - bucket.since) * leak)
            over = level + 1 - rate.requests
            if over > _ROUNDING:
                return over / leak
            self._forget(now)
            self._buckets[who] = _Bucket(level + 1, now, now + (level + 1) / leak)
            return 0.0

    def _forget(self, now: float) -> None:
        """Drop the buckets that have run out, once there are many."""
        if len(self._buckets) >= _FORGET_AT:
            self._buckets = {who: each for who, each in self._buckets.items() if each.empty > now}


_ROUNDING: Final = 1e-6


def seat_of(token: Token, user: User) -> str:
    """Return whether the limits are those of dev and full seats; a plan token has no seat, and the plan's own
    limits.
    """
    return HIGH if token.kind == tokens.PLAN or user.account in _SEATS_OF_HIGH else LOW


def plan_of(connection: sqlite3.Connection, parts: Mapping[str, str]) -> str:
    """Return the plan that a request counts on: its file's, its team's or its folder's team's, else the organization's.

    ``parts`` are those of the path.
    """
    for name in ("file_key", "library_file_key"):
        if name in parts:
            file = files.find(connection, parts[name])
            return _OWN_PLAN if file is None else file.plan
    team = parts.get("team_id")
    folder = teams.find_folder(connection, parts.get("folder_id") or parts.get("project_id") or "")
    if folder is not None:
        team = folder.team
    found = None if team is None else teams.find_team(connection, team)
    return _OWN_PLAN if found is None else found.plan


_OWN_PLAN: Final = people.ENTERPRISE


def _subject(token: Token) -> str:
    """Return who is counted: a user, a user of an app, or a plan token."""
    match token.kind:
        case tokens.PLAN:
            return f"token {token.secret}"
        case tokens.OAUTH:
            return f"user {token.user} app {token.app}"
        case _:
            return f"user {token.user}"
