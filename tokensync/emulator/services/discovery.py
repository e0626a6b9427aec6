"""Discovery: the texts that users wrote, as files of one hour each (Figma REST API: Discovery)."""

from __future__ import annotations

import hmac
import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from tokensync.emulator import access, files
from tokensync.emulator.endpoints import (
    TEXT,
    TIME,
    Query,
    Refusal,
    Route,
    array,
    as_json,
    between,
    invalid,
    mapping,
    members,
    or_null,
    timestamp,
)
from tokensync.emulator.limits import DISCOVERY_LINK_SECONDS, DISCOVERY_REQUESTS_A_SECOND, DISCOVERY_SECONDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.store import Identities


_ABOUT: Final = (
    "The real service does not document the shape of these files; this one is the emulator's own (version 1)."
)


def of_hour(connection: sqlite3.Connection, identities: Identities, start: float) -> dict[str, Any]:
    """Return the text events of the hour that starts at ``start``, in Unix seconds."""
    query = "SELECT number, time, document FROM text_events WHERE time >= ? AND time < ? ORDER BY time, number"
    rows = connection.execute(query, (start, start + 3600)).fetchall()
    return {"about": _ABOUT, "hour": timestamp(start), "events": [_event(connection, identities, *row) for row in rows]}


def _event(
    connection: sqlite3.Connection, identities: Identities, number: int, time: float, document: bytes
) -> dict[str, Any]:
    event = json.loads(document)
    file = None if event["file_key"] is None else files.find(connection, event["file_key"])
    return {
        "id": identities.key("text event", str(number)),
        "timestamp": timestamp(time),
        "kind": event["kind"],
        "text": event["text"],
        "actor": {"id": event["user"], "name": event["name"], "email": event["email"]},
        "file": None if file is None else {"key": file.key, "name": file.name},
        "node_id": event["node_id"],
    }


FOLDER: Final = "/v1/discovery/text_events/"
"""The path of the downloads; those of the real service are undocumented."""
_HOUR_SECONDS: Final = 3600


def requested_hours(query: Mapping[str, str], now: float) -> tuple[int, ...]:
    """Return the starts of the requested hours in Unix seconds; refuse an invalid range."""
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


def link_lifetime(query: Mapping[str, str]) -> int:
    """Return the requested lifetime of the download links in seconds."""
    shortest, longest = DISCOVERY_LINK_SECONDS
    return between(query, "file_ttl_in_seconds", shortest, longest) or longest


def hour_name(hour: int) -> str:
    """Return an hour as YYYY/MM/DD/HH in UTC."""
    return (_EPOCH + timedelta(seconds=hour)).strftime("%Y/%m/%d/%H").rjust(13, "0")


def link(root: str, identities: Identities, hour: int, expires: int) -> str:
    """Return the download link of an hour, valid without a token until ``expires`` in Unix seconds."""
    parameters = {"expires": expires, "signature": _signature(identities, str(hour), str(expires))}
    return f"{root}{FOLDER}{hour}?{urlencode(parameters)}"


def check_link(identities: Identities, hour: str, query: Mapping[str, str], now: float) -> int:
    """Return the hour of a download link; refuse a forged or expired link."""
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
    """Return an ISO 8601 time in UTC as Unix seconds, computed without platform limits such as the year 1970."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.utcoffset() != timedelta(0):
        raise invalid(f"{name} must be an ISO 8601 timestamp in UTC, such as 2026-01-31T09:00:00Z")
    return (time - _EPOCH).total_seconds()


def read(call: Call) -> bytes:
    """Return a download link for every hour of the requested range, with or without text events."""
    access.check_organization(call, governance=True)
    hours = requested_hours(call.query, call.now)
    expires = int(call.now) + link_lifetime(call.query)
    urls = {hour_name(hour): [link(call.root, call.identities, hour, expires)] for hour in hours}
    return as_json({"status": 200, "error": False, "meta": {"urls": urls}, "i18n": None, "message": None})


def download(call: Call, hour: str) -> bytes:
    """Return the text events of an hour. The link's signature replaces an access token."""
    start = check_link(call.identities, hour, call.query, call.now)
    return as_json(of_hour(call.connection, call.identities, start))


_SHORTEST, _LONGEST = DISCOVERY_LINK_SECONDS

ROUTES: Final = (
    Route(
        "GET",
        "/v1/discovery",
        read,
        scopes=("org:discovery_read",),
        tier=2,
        per_second=DISCOVERY_REQUESTS_A_SECOND,
        parameters=(
            Query("start_date", TIME, required=True),
            Query("end_date", TIME),
            Query("file_ttl_in_seconds", {"type": "integer", "minimum": _SHORTEST, "maximum": _LONGEST}),
        ),
        returns=members(
            {
                "status": {"const": 200},
                "error": {"const": False},
                "meta": members({"urls": mapping(array(TEXT))}),
                "i18n": or_null(TEXT),
            },
            {"message": or_null(TEXT)},
        ),
    ),
    Route(
        "GET",
        FOLDER + "<hour>",
        download,
        parameters=(Query("expires", TEXT, required=True), Query("signature", TEXT, required=True)),
        returns=members({"about": TEXT, "hour": TIME, "events": array(members({"kind": TEXT, "text": TEXT}))}),
    ),
)
