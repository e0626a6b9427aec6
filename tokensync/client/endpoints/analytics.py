"""Library analytics: what is inserted, detached and used of a library (Figma REST API: Library analytics)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.client import file_reference
from tokensync.client.endpoint import Endpoint, Paging, Parameter, cursor_while, path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


_LIBRARY: Final = path("library_file_key", "key of a library's main file")
_CURSOR: Final = Parameter("cursor", "from the previous answer, for the next page")
_DATES: Final = (
    Parameter("start_date", "YYYY-MM-DD, back to the Sunday before it; a year ago unless given"),
    Parameter("end_date", "YYYY-MM-DD, on to the end of its week; the last full week unless given"),
)


def _endpoint(thing: str, report: str, about: str, groups: str, more: tuple[Parameter, ...] = ()) -> Endpoint:
    return Endpoint(
        "analytics",
        f"{thing}-{report}",
        "GET",
        f"v1/analytics/libraries/{{library_file_key}}/{thing}/{report}",
        about,
        ("library_analytics:read",),
        3,
        (_LIBRARY, Parameter("group_by", f"{thing} or {groups}", required=True), *more, _CURSOR),
        shape="plain",
        paging=Paging(("rows",), cursor_while("next_page")),
        main_file_only=True,
    )


def _endpoints(thing: str) -> tuple[Endpoint, Endpoint]:
    return (
        _endpoint(thing, "actions", f"Insertions and detachments of {thing}s, week by week.", "team", _DATES),
        _endpoint(thing, "usages", f"Where and how often {thing}s are used.", "file"),
    )


COMPONENT_ACTIONS, COMPONENT_USAGES = _endpoints("component")
STYLE_ACTIONS, STYLE_USAGES = _endpoints("style")
VARIABLE_ACTIONS, VARIABLE_USAGES = _endpoints("variable")
ENDPOINTS: Final = (
    COMPONENT_ACTIONS,
    COMPONENT_USAGES,
    STYLE_ACTIONS,
    STYLE_USAGES,
    VARIABLE_ACTIONS,
    VARIABLE_USAGES,
)

NOT_VISIBLE: Final = "File not visible"
"""The name under which the platform counts all files that the token may not see."""


class VariableUsage(msgspec.Struct, frozen=True):
    """How often a variable is used, in how many files of how many teams; only variables that are used have a row."""

    variable_key: str
    usages: int = 0
    teams_using: int = 0
    files_using: int = 0
    variable_name: str = ""
    variable_type: str = ""
    collection_key: str = ""
    collection_name: str = ""


class VariableActions(msgspec.Struct, frozen=True):
    """What was done with a variable in the week that began on the Sunday ``week`` (YYYY-MM-DD)."""

    variable_key: str
    week: str = ""
    insertions: int = 0
    detachments: int = 0
    variable_name: str = ""


class FileUsage(msgspec.Struct, frozen=True):
    """How often a file uses variables of the library; the ones that nobody may see here are one row."""

    usages: int = 0
    file_name: str | None = None
    team_name: str | None = None
    workspace_name: str | None = None


class TeamActions(msgspec.Struct, frozen=True):
    """What a team did with variables of the library in a week."""

    week: str = ""
    insertions: int = 0
    detachments: int = 0
    team_name: str | None = None
    workspace_name: str | None = None


class Analytics:
    """Reads how the variables of a library are used. A library is the reference, key or URL of its file."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def variable_usages(self, library: FileReference | str) -> Iterator[VariableUsage]:
        """A row for each variable that is used."""
        values = {"library_file_key": _key(library), "group_by": "variable"}
        return self._session.rows(VARIABLE_USAGES, values, VariableUsage)

    def variable_usages_by_file(self, library: FileReference | str) -> Iterator[FileUsage]:
        """A row for each file that uses any."""
        values = {"library_file_key": _key(library), "group_by": "file"}
        return self._session.rows(VARIABLE_USAGES, values, FileUsage)

    def variable_actions(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[VariableActions]:
        """A row for each variable and week, the latest first; dates are YYYY-MM-DD, a year without them."""
        values = {"group_by": "variable", "start_date": start_date, "end_date": end_date}
        return self._session.rows(VARIABLE_ACTIONS, {"library_file_key": _key(library), **values}, VariableActions)

    def variable_actions_by_team(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[TeamActions]:
        """A row for each team and week, the latest first."""
        values = {"group_by": "team", "start_date": start_date, "end_date": end_date}
        return self._session.rows(VARIABLE_ACTIONS, {"library_file_key": _key(library), **values}, TeamActions)


def _key(library: FileReference | str) -> str:
    return file_reference.of(library).main_key
