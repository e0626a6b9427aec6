"""Version history of files (Figma REST API: Version history)."""

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
_PAGE_PARAMETERS: Final = ("page_size", "before", "after")


def _following(page: Page) -> Mapping[str, Any] | None:
    """Return the parameters in the next page's URL. The URL itself may have another host, so it is never requested."""
    address = within(page, "pagination", "next_page")
    query = address.partition("#")[0].partition("?")[2] if isinstance(address, str) else ""
    parameters = {name: value for name, value in parse_qsl(query) if name in _PAGE_PARAMETERS}
    return parameters or None


LIST: Final = Endpoint(
    "versions",
    "list",
    "GET",
    "v1/files/{file_key}/versions",
    "List the versions of a file, the newest first.",
    ("file_versions:read", "files:read"),
    2,
    (
        path("file_key", "key of a file or branch"),
        Parameter("page_size", f"versions per page; maximum: {_LARGEST_PAGE}", kind="number"),
        Parameter("before", "id of a version: list older ones"),
        Parameter("after", "id of a version: list newer ones"),
    ),
    shape="plain",
    paging=Paging(("versions",), _following),
)
ENDPOINTS: Final = (LIST,)


class Version(msgspec.Struct, frozen=True):
    """A version. One without a ``label`` was saved automatically. ``created_at`` is ISO 8601."""

    id: str
    created_at: str = ""
    label: str | None = None
    description: str | None = None


class Versions:
    """Lists versions of files. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self, file: FileReference | str) -> Iterator[Version]:
        """Yield the versions of a file, the newest first."""
        values = {"file_key": file_reference.of(file).working_key, "page_size": _LARGEST_PAGE}
        return self._session.rows(LIST, values, Version)
