"""Published components, component sets and styles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.client import file_reference
from tokensync.client.endpoint import Endpoint, Paging, Parameter, path, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.client.endpoint import Page
    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


LARGEST_PAGE: Final = 1000
"""Of team components; the platform cuts a larger page_size."""

_PAGING: Final = (
    Parameter("page_size", "things a page; 30 unless given, 1000 at most", kind="number"),
    Parameter("after", "cursor: what follows it; not with before", kind="number"),
    Parameter("before", "cursor: what comes before it; not with after", kind="number"),
)


class Person(msgspec.Struct, frozen=True):
    """Who published something."""

    id: str = ""
    handle: str = ""
    img_url: str = ""


class Named(msgspec.Struct, frozen=True, rename="camel"):
    """A component set around a variant."""

    node_id: str = ""
    name: str = ""


class Frame(msgspec.Struct, frozen=True, rename="camel"):
    """Where a component lies. ``containing_state_group`` is the older name of the set around it."""

    node_id: str = ""
    name: str = ""
    page_id: str = ""
    page_name: str = ""
    containing_component_set: Named | None = None
    containing_state_group: Named | None = None

    @property
    def component_set(self) -> Named | None:
        """The set that the component is a variant of."""
        return self.containing_component_set or self.containing_state_group


class PublishedItem(msgspec.Struct, frozen=True):
    """A published component, component set or style. Times are ISO 8601.

    ``containing_frame`` is of components and sets; ``style_type`` (FILL, TEXT, EFFECT, GRID) and ``sort_position`` are
    of styles.
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


class Single(msgspec.Struct, frozen=True):
    """The answer to a key."""

    meta: PublishedItem


class PublishedItems:
    """Reads the published things of one kind."""

    def __init__(self, session: Session, endpoints_of_kind: tuple[Endpoint, Endpoint, Endpoint]) -> None:
        self._session = session
        self._of_team, self._of_file, self._by_key = endpoints_of_kind

    def of_team(self, team_id: str, *, page_size: int = LARGEST_PAGE) -> Iterator[PublishedItem]:
        """Every one that the team's files publish, asked for page by page as it is wanted."""
        return self._session.rows(self._of_team, {"team_id": team_id, "page_size": page_size}, PublishedItem)

    def of_file(self, file: FileReference | str) -> Iterator[PublishedItem]:
        """Every one that a file publishes; of a branch, those of its main file."""
        return self._session.rows(self._of_file, {"file_key": file_reference.of(file).main_key}, PublishedItem)

    def get(self, key: str) -> PublishedItem:
        """The one with this key. NotFoundError where nothing of it is published."""
        return self._session.read(self._by_key.request({"key": key}), Single).meta


def _endpoints(group: str, member: str, things: str, thing: str) -> tuple[Endpoint, Endpoint, Endpoint]:
    """The three endpoints of a group: of a team, of a file, by key. ``member`` is the plural in paths and answers."""
    return (
        Endpoint(
            group,
            "team",
            "GET",
            f"v1/teams/{{team_id}}/{member}",
            f"The published {things} of a team, page by page.",
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
            f"The {things} that a file publishes.",
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
            f"One published {thing}.",
            ("library_assets:read", "files:read"),
            3,
            (path("key", f"key of a {thing}"),),
            subject=thing,
        ),
    )


def _following(member: str) -> Callable[[Page], Mapping[str, Any] | None]:
    """The next page begins after this one's cursor. After an empty page nothing comes, whatever the cursor says."""

    def following(page: Page) -> Mapping[str, Any] | None:
        after = within(page, "meta", "cursor", "after")
        return {"after": after, "before": None} if after is not None and within(page, "meta", member) else None

    return following


COMPONENTS: Final = _endpoints("components", "components", "components", "component")


COMPONENT_SETS: Final = _endpoints("component-sets", "component_sets", "component sets", "component set")


STYLES: Final = _endpoints("styles", "styles", "styles", "style")
