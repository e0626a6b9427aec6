"""Library analytics: insertions, detachments and usages (Figma REST API: Library analytics)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.extract.client import file_reference
from tokensync.extract.client.endpoint import Endpoint, Paging, Parameter, cursor_while, path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.extract.client.file_reference import FileReference
    from tokensync.extract.client.session import Session


_LIBRARY: Final = path("library_file_key", "key of a library's main file")
_CURSOR: Final = Parameter("cursor", "cursor from the previous page")
_DATES: Final = (
    Parameter("start_date", "YYYY-MM-DD, rounded back to a Sunday; default: a year ago"),
    Parameter("end_date", "YYYY-MM-DD, rounded up to the end of the week; default: the last full week"),
)


def _endpoint(asset: str, report: str, about: str, group: str, more: tuple[Parameter, ...] = ()) -> Endpoint:
    return Endpoint(
        "analytics",
        f"{asset}-{report}",
        "GET",
        f"v1/analytics/libraries/{{library_file_key}}/{asset}/{report}",
        about,
        ("library_analytics:read",),
        3,
        (_LIBRARY, Parameter("group_by", f"{asset} or {group}", required=True), *more, _CURSOR),
        shape="plain",
        paging=Paging(("rows",), cursor_while("next_page")),
        main_file_only=True,
    )


def _endpoints(asset: str) -> tuple[Endpoint, Endpoint]:
    return (
        _endpoint(asset, "actions", f"List insertions and detachments of {asset}s by week.", "team", _DATES),
        _endpoint(asset, "usages", f"List how often and where {asset}s are used.", "file"),
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
"""The name in the platform's row for all files that the token's user may not see."""


class VariableUsage(msgspec.Struct, frozen=True):
    """The number of usages of a variable, and of the teams and files that use it. Unused variables have no row."""

    variable_key: str
    usages: int = 0
    teams_using: int = 0
    files_using: int = 0
    variable_name: str = ""
    variable_type: str = ""
    collection_key: str = ""
    collection_name: str = ""


class VariableActions(msgspec.Struct, frozen=True):
    """The insertions and detachments of a variable in the week that starts on the Sunday ``week`` (YYYY-MM-DD)."""

    variable_key: str
    week: str = ""
    insertions: int = 0
    detachments: int = 0
    variable_name: str = ""


class FileUsage(msgspec.Struct, frozen=True):
    """The number of a file's usages of the library's variables. All files that the user may not see share one row."""

    usages: int = 0
    file_name: str | None = None
    team_name: str | None = None
    workspace_name: str | None = None


class TeamActions(msgspec.Struct, frozen=True):
    """A team's insertions and detachments of the library's variables in a week."""

    week: str = ""
    insertions: int = 0
    detachments: int = 0
    team_name: str | None = None
    workspace_name: str | None = None


class Analytics:
    """Reads the usage of a library's variables. A library is the reference, key or URL of its file."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def variable_usages(self, library: FileReference | str) -> Iterator[VariableUsage]:
        """Yield a row for each variable in use."""
        values = {"library_file_key": _key(library), "group_by": "variable"}
        return self._session.rows(VARIABLE_USAGES, values, VariableUsage)

    def variable_usages_by_file(self, library: FileReference | str) -> Iterator[FileUsage]:
        """Yield a row for each file that uses variables of the library."""
        values = {"library_file_key": _key(library), "group_by": "file"}
        return self._session.rows(VARIABLE_USAGES, values, FileUsage)

    def variable_actions(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[VariableActions]:
        """Yield a row for each variable and week, the latest first. Dates are YYYY-MM-DD; the default is one year."""
        values = {"group_by": "variable", "start_date": start_date, "end_date": end_date}
        return self._session.rows(VARIABLE_ACTIONS, {"library_file_key": _key(library), **values}, VariableActions)

    def variable_actions_by_team(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[TeamActions]:
        """Yield a row for each team and week, the latest first."""
        values = {"group_by": "team", "start_date": start_date, "end_date": end_date}
        return self._session.rows(VARIABLE_ACTIONS, {"library_file_key": _key(library), **values}, TeamActions)


def _key(library: FileReference | str) -> str:
    return file_reference.of(library).main_key
