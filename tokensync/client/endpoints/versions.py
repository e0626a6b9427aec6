"""The history of a file (Figma REST API: Version history)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import msgspec

from tokensync.client import file_reference
from tokensync.client.endpoint import Endpoint, Page, Paging, Parameter, path, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


_LARGEST_PAGE: Final = 50
_OF_A_PAGE: Final = ("page_size", "before", "after")


def _following(page: Page) -> Mapping[str, Any] | None:
    """The parameters in the address of the next page. The address itself is not called: it may be of another host."""
    address = within(page, "pagination", "next_page")
    query = address.partition("#")[0].partition("?")[2] if isinstance(address, str) else ""
    given = {name: value for name, value in parse_qsl(query) if name in _OF_A_PAGE}
    return given or None


LIST: Final = Endpoint(
    "versions",
    "list",
    "GET",
    "v1/files/{file_key}/versions",
    "The versions of a file, the newest first.",
    ("file_versions:read", "files:read"),
    2,
    (
        path("file_key", "key of a file or branch"),
        Parameter("page_size", f"at most {_LARGEST_PAGE}", kind="number"),
        Parameter("before", "id of a version, for older ones"),
        Parameter("after", "id of a version, for newer ones"),
    ),
    shape="plain",
    paging=Paging(("versions",), _following),
)
ENDPOINTS: Final = (LIST,)


class Version(msgspec.Struct, frozen=True):
    """A version; without a ``label`` it was kept by the platform. ``created_at`` is ISO 8601."""

    id: str
    created_at: str = ""
    label: str | None = None
    description: str | None = None


class Versions:
    """Lists versions of files. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self, file: FileReference | str) -> Iterator[Version]:
        """Every version of a file, the newest first."""
        values = {"file_key": file_reference.of(file).working_key, "page_size": _LARGEST_PAGE}
        return self._session.rows(LIST, values, Version)
