"""Links that are attached to nodes of a file (Figma REST API: Dev resources)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.client import file_reference
from tokensync.client.endpoint import BODY, Endpoint, Parameter, path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


_FILE: Final = path("file_key", "key of a main file")

LIST: Final = Endpoint(
    "dev-resources",
    "list",
    "GET",
    "v1/files/{file_key}/dev_resources",
    "The links that are attached to nodes of a file.",
    ("file_dev_resources:read",),
    2,
    (_FILE, Parameter("node_ids", "ids of the only nodes to ask about", kind="list")),
    shape="plain",
    main_file_only=True,
)
CREATE: Final = Endpoint(
    "dev-resources",
    "create",
    "POST",
    "v1/dev_resources",
    "Attach links to nodes, of several files if need be; what failed is listed in errors.",
    ("file_dev_resources:write",),
    2,
    (
        Parameter(
            "dev_resources", "the links: objects with name, url, file_key, node_id", BODY, kind="json", required=True
        ),
    ),
    shape="plain",
    subject="dev resource",
)
UPDATE: Final = Endpoint(
    "dev-resources",
    "update",
    "PUT",
    "v1/dev_resources",
    "Change names or urls of links; what failed is listed in errors.",
    ("file_dev_resources:write",),
    2,
    (Parameter("dev_resources", "the changes: objects with id, name, url", BODY, kind="json", required=True),),
    shape="plain",
    subject="dev resource",
)
DELETE: Final = Endpoint(
    "dev-resources",
    "delete",
    "DELETE",
    "v1/files/{file_key}/dev_resources/{dev_resource_id}",
    "Remove a link.",
    ("file_dev_resources:write",),
    2,
    (_FILE, path("dev_resource_id", "id of the link")),
    shape="anything",
    subject="dev resource",
    main_file_only=True,
)
ENDPOINTS: Final = (LIST, CREATE, UPDATE, DELETE)


class DevResource(msgspec.Struct, frozen=True):
    """A link on a node of a main file."""

    id: str
    name: str
    url: str
    file_key: str
    node_id: str


class NewDevResource(msgspec.Struct, frozen=True):
    """A link to attach."""

    name: str
    url: str
    file_key: str
    node_id: str


class ChangedDevResource(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of a link; None leaves the member as it is."""

    id: str
    name: str | None = None
    url: str | None = None


class NotCreated(msgspec.Struct, frozen=True):
    """Why a link was not attached."""

    error: str
    file_key: str | None = None
    node_id: str | None = None


class NotUpdated(msgspec.Struct, frozen=True):
    """Why a link was not changed."""

    id: str
    error: str


class Created(msgspec.Struct, frozen=True):
    """What became of each link that was to be attached."""

    links_created: tuple[DevResource, ...] = ()
    errors: tuple[NotCreated, ...] = ()


class Updated(msgspec.Struct, frozen=True):
    """The ids of the links that were changed, and why the others were not."""

    links_updated: tuple[str, ...] = ()
    errors: tuple[NotUpdated, ...] = ()


class DevResources:
    """Reads, attaches and changes links. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self, file: FileReference | str, nodes: Sequence[str] | None = None) -> tuple[DevResource, ...]:
        """The links of a file, or those of some nodes; of a branch, those of its main file."""
        values = {"file_key": file_reference.of(file).main_key, "node_ids": nodes}
        return self._session.read(LIST.request(values), _Listed).dev_resources

    def create(self, links: Sequence[NewDevResource]) -> Created:
        """Attach links, each by itself."""
        return self._session.read(CREATE.request({"dev_resources": list(links)}), Created)

    def update(self, changes: Sequence[ChangedDevResource]) -> Updated:
        """Change links, each by itself."""
        # Ids by the documentation, whole links by the published types (github.com/figma/rest-api-spec).
        answer = self._session.read(UPDATE.request({"dev_resources": list(changes)}), _AnyUpdated)
        ids = tuple(each if isinstance(each, str) else str(each.get("id", "")) for each in answer.links_updated or ())
        return Updated(ids, answer.errors or ())


class _Listed(msgspec.Struct, frozen=True):
    dev_resources: tuple[DevResource, ...]


class _AnyUpdated(msgspec.Struct, frozen=True):
    links_updated: tuple[str | dict[str, Any], ...] | None = ()
    errors: tuple[NotUpdated, ...] | None = ()
