"""Discovery: which hours are asked for, and signed links to their files that expire (platform-api.md 4.9)."""

from __future__ import annotations

import hmac
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from tokensync.emulator.endpoints.parameters import between
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.limits import DISCOVERY_LINK_SECONDS, DISCOVERY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.emulator.state.identity import Identities

FOLDER: Final = "/v1/discovery/text_events/"
"""Where the files are downloaded from; the real service keeps them elsewhere, at addresses that it does not show."""
_HOUR_SECONDS: Final = 3600


def hours(query: Mapping[str, str], now: float) -> tuple[int, ...]:
    """The beginnings of the hours that a query asks for, in Unix seconds; what breaks a rule of 4.9 is refused."""
    if "start_date" not in query:
        raise invalid("start_date is required")
    start = _time(query["start_date"], "start_date")
    if start % _HOUR_SECONDS:
        raise invalid("start_date must be the beginning of an hour")
    if start > now - _HOUR_SECONDS:
        raise invalid("start_date must be at least 1 hour in the past")
    end = start + _HOUR_SECONDS
    if "end_date" in query:
        end = _time(query["end_date"], "end_date")
        if end <= start:
            raise invalid("end_date must be after start_date")
        if end - start > DISCOVERY_SECONDS:
            raise invalid("end_date must be at most 24 hours after start_date")
    return tuple(range(int(start), math.ceil(end), _HOUR_SECONDS))


def life_of_links(query: Mapping[str, str]) -> int:
    """How many seconds the download links are to live."""
    shortest, longest = DISCOVERY_LINK_SECONDS
    return between(query, "file_ttl_in_seconds", shortest, longest) or longest


def key_of(hour: int) -> str:
    """How answers name an hour: YYYY/MM/DD/HH in UTC."""
    return (_EPOCH + timedelta(seconds=hour)).strftime("%Y/%m/%d/%H").rjust(13, "0")


def link(root: str, identities: Identities, hour: int, expires: int) -> str:
    """The address of the file of an hour, good until ``expires`` in Unix seconds for whoever has it."""
    signed = {"expires": expires, "signature": _signature(identities, str(hour), str(expires))}
    return f"{root}{FOLDER}{hour}?{urlencode(signed)}"


def check_link(identities: Identities, hour: str, query: Mapping[str, str], now: float) -> int:
    """The hour of a link; one that was not made here, or not for this long, is refused."""
    expires = query.get("expires", "")
    signature = _signature(identities, hour, expires)
    if not hmac.compare_digest(signature.encode(), query.get("signature", "").encode("utf-8", "replace")):
        raise Refusal(403, "Invalid download link")
    if int(expires) <= now:
        raise Refusal(403, "Download link expired")
    return int(hour)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _signature(identities: Identities, hour: str, expires: str) -> str:
    return identities.key("discovery link", hour, expires)


def _time(text: str, name: str) -> float:
    """Unix seconds of an ISO 8601 time in UTC. Exact, so before 1970 and on every platform, too."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.utcoffset() != timedelta(0):
        raise invalid(f"{name} must be an ISO 8601 timestamp in UTC, such as 2026-01-31T09:00:00Z")
    return (time - _EPOCH).total_seconds()
