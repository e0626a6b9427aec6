"""Published styles (platform-api.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.client import file_reference
from tokensync.client.published_items import LARGEST_PAGE, PublishedItem, Single, endpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session

TEAM, FILE, GET = ENDPOINTS = endpoints("styles", "styles", "styles", "style")


class Styles:
    """Reads published styles. Colour, text and effect styles are what a migration to variables starts from."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_team(self, team_id: str, *, page_size: int = LARGEST_PAGE) -> Iterator[PublishedItem]:
        """Every one that the team's files publish, asked for page by page as it is wanted."""
        return self._session.rows(TEAM, {"team_id": team_id, "page_size": page_size}, PublishedItem)

    def of_file(self, file: FileReference | str) -> Iterator[PublishedItem]:
        """Every one that a file publishes; of a branch, those of its main file."""
        reference = file_reference.parse(file) if isinstance(file, str) else file
        return self._session.rows(FILE, {"file_key": reference.main_key}, PublishedItem)

    def get(self, key: str) -> PublishedItem:
        """The one with this key. NotFoundError where nothing of it is published."""
        return self._session.read(GET.request({"key": key}), Single).meta
