"""The published components of a team and of a file, and one by its key (platform-api.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.endpoints.answers import in_envelope
from tokensync.emulator.endpoints.route import Route
from tokensync.emulator.libraries import listing, shapes
from tokensync.emulator.libraries.items import COMPONENT

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def list_of_team(call: Call, team_id: str) -> bytes:
    """A page of all that the team's files publish."""
    return in_envelope(listing.of_team(call, team_id, COMPONENT))


def list_of_file(call: Call, file_key: str) -> bytes:
    """A main file only."""
    return in_envelope(listing.of_file(call, file_key, COMPONENT))


def read(call: Call, key: str) -> bytes:
    """One component."""
    return in_envelope(listing.by_key(call, key, COMPONENT))


ROUTES: Final = (
    Route(
        "GET",
        "/v1/teams/<team_id>/components",
        list_of_team,
        scopes=("team_library_content:read", BROAD),
        tier=3,
        errors="err",
        parameters=shapes.PAGING,
        gives=shapes.listing(COMPONENT, paged=True),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/components",
        list_of_file,
        scopes=("library_content:read", BROAD),
        tier=3,
        errors="err",
        gives=shapes.listing(COMPONENT),
    ),
    Route(
        "GET",
        "/v1/components/<key>",
        read,
        scopes=("library_assets:read", BROAD),
        tier=3,
        errors="err",
        gives=shapes.single(COMPONENT),
    ),
)
