"""Published components, component sets and styles (Figma REST API: Components and styles)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.extract.client import file_reference
from tokensync.extract.client.endpoint import Endpoint, Paging, Parameter, path, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.extract.client.endpoint import Page
    from tokensync.extract.client.file_reference import FileReference
    from tokensync.extract.client.session import Session


LARGEST_PAGE: Final = 1000
"""The largest page of a team's items; the platform reduces a larger page_size."""

_PAGING: Final = (
    Parameter("page_size", "items per page; default: 30, maximum: 1000", kind="number"),
    Parameter("after", "cursor for the items after it; not with before", kind="number"),
    Parameter("before", "cursor for the items before it; not with after", kind="number"),
)


class Person(msgspec.Struct, frozen=True):
    """The user who published an item."""

    id: str = ""
    handle: str = ""
    img_url: str = ""


class Named(msgspec.Struct, frozen=True, rename="camel"):
    """The component set of a variant."""

    node_id: str = ""
    name: str = ""


class Frame(msgspec.Struct, frozen=True, rename="camel"):
    """The frame and page of a component. ``containing_state_group`` is the older name of its component set."""

    node_id: str = ""
    name: str = ""
    page_id: str = ""
    page_name: str = ""
    containing_component_set: Named | None = None
    containing_state_group: Named | None = None

    @property
    def component_set(self) -> Named | None:
        """Return the component set of a variant, or None."""
        return self.containing_component_set or self.containing_state_group


class PublishedItem(msgspec.Struct, frozen=True):
    """A published component, component set or style. Times are ISO 8601.

    Components and sets have ``containing_frame``; styles have ``style_type`` (FILL, TEXT, EFFECT, GRID) and
    ``sort_position``.
    """

    key: str
    file_key: str = ""
    node_id: str = ""
    thumbnail_url: str | None = None
    name: str = ""
    description: str = ""
    created_at: str = ""
    updated_at: str = ""
    user: Person | None = None
    containing_frame: Frame | None = None
    style_type: str = ""
    sort_position: str | None = None


class _Single(msgspec.Struct, frozen=True):
    meta: PublishedItem


class PublishedItems:
    """Reads published components, component sets or styles."""

    def __init__(self, session: Session, endpoints: tuple[Endpoint, Endpoint, Endpoint]) -> None:
        self._session = session
        self._of_team, self._of_file, self._by_key = endpoints

    def of_team(self, team_id: str, *, page_size: int = LARGEST_PAGE) -> Iterator[PublishedItem]:
        """Yield the published items of a team's files, one page at a time."""
        return self._session.rows(self._of_team, {"team_id": team_id, "page_size": page_size}, PublishedItem)

    def of_file(self, file: FileReference | str) -> Iterator[PublishedItem]:
        """Yield the published items of a file; for a branch, those of its main file."""
        return self._session.rows(self._of_file, {"file_key": file_reference.of(file).main_key}, PublishedItem)

    def get(self, key: str) -> PublishedItem:
        """Return the item with this key. Raise NotFoundError if it is not published."""
        return self._session.read(self._by_key.request({"key": key}), _Single).meta


def _endpoints(group: str, member: str, plural: str, item: str) -> tuple[Endpoint, Endpoint, Endpoint]:
    """Return the endpoints for a team, a file and a key. ``member`` is the plural in paths and responses."""
    return (
        Endpoint(
            group,
            "team",
            "GET",
            f"v1/teams/{{team_id}}/{member}",
            f"List the published {plural} of a team.",
            ("team_library_content:read", "files:read"),
            3,
            (path("team_id", "id of a team"), *_PAGING),
            paging=Paging(("meta", member), _following(member)),
            subject="team",
        ),
        Endpoint(
            group,
            "file",
            "GET",
            f"v1/files/{{file_key}}/{member}",
            f"List the published {plural} of a file.",
            ("library_content:read", "files:read"),
            3,
            (path("file_key", "key of a main file"),),
            paging=Paging(("meta", member), lambda page: None),
            main_file_only=True,
        ),
        Endpoint(
            group,
            "get",
            "GET",
            f"v1/{member}/{{key}}",
            f"Get a published {item}.",
            ("library_assets:read", "files:read"),
            3,
            (path("key", f"key of a {item}"),),
            subject=item,
        ),
    )


def _following(member: str) -> Callable[[Page], Mapping[str, Any] | None]:
    """Return the function for the next page's parameters. An empty page is the last, even if it has a cursor."""

    def following(page: Page) -> Mapping[str, Any] | None:
        after = within(page, "meta", "cursor", "after")
        return {"after": after, "before": None} if after is not None and within(page, "meta", member) else None

    return following


COMPONENTS: Final = _endpoints("components", "components", "components", "component")
COMPONENT_SETS: Final = _endpoints("component-sets", "component_sets", "component sets", "component set")
STYLES: Final = _endpoints("styles", "styles", "styles", "style")
