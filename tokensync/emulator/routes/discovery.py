"""GET discovery, and the files that its links lead to (platform-api.md 4.9, 2.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts import organization
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import TEXT, TIME, array, mapping, members, or_null
from tokensync.emulator.limits import DISCOVERY_LINK_SECONDS, DISCOVERY_REQUESTS_A_SECOND
from tokensync.emulator.records import discovery, text_events

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call) -> bytes:
    """A link for every hour, whether or not somebody wrote something in it."""
    organization.check(call, governance=True)
    hours = discovery.hours(call.query, call.now)
    expires = int(call.now) + discovery.life_of_links(call.query)
    urls = {discovery.key_of(hour): [discovery.link(call.root, call.identities, hour, expires)] for hour in hours}
    return as_json({"status": 200, "error": False, "meta": {"urls": urls}, "i18n": None, "message": None})


def download(call: Call, hour: str) -> bytes:
    """The text events of an hour, for whoever has a link that has not expired."""
    start = discovery.check_link(call.identities, hour, call.query, call.now)
    return as_json(text_events.of_hour(call.connection, call.identities, start))


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
        gives=members(
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
        discovery.FOLDER + "<hour>",
        download,
        parameters=(Query("expires", TEXT, required=True), Query("signature", TEXT, required=True)),
        gives=members({"about": TEXT, "hour": TIME, "events": array(members({"kind": TEXT, "text": TEXT}))}),
    ),
)
