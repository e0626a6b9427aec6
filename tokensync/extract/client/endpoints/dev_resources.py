"""Dev resources: links attached to nodes of a file (Figma REST API: Dev resources)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.extract.client import file_reference
from tokensync.extract.client.endpoint import BODY, Endpoint, Parameter, path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.extract.client.file_reference import FileReference
    from tokensync.extract.client.session import Session


_FILE: Final = path("file_key", "key of a main file")

LIST: Final = Endpoint(
    "dev-resources",
    "list",
    "GET",
    "v1/files/{file_key}/dev_resources",
    "List the links attached to nodes of a file.",
    ("file_dev_resources:read",),
    2,
    (_FILE, Parameter("node_ids", "ids of nodes; default: all", kind="list")),
    shape="plain",
    main_file_only=True,
)
CREATE: Final = Endpoint(
    "dev-resources",
    "create",
    "POST",
    "v1/dev_resources",
    "Attach links to nodes of one or several files. Failures are listed in errors.",
    ("file_dev_resources:write",),
    2,
    (Parameter("dev_resources", "links: objects with name, url, file_key, node_id", BODY, kind="json", required=True),),
    shape="plain",
    subject="dev resource",
)
UPDATE: Final = Endpoint(
    "dev-resources",
    "update",
    "PUT",
    "v1/dev_resources",
    "Change the names or URLs of links. Failures are listed in errors.",
    ("file_dev_resources:write",),
    2,
    (Parameter("dev_resources", "changes: objects with id, name, url", BODY, kind="json", required=True),),
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
    (_FILE, path("dev_resource_id", "id of a link")),
    shape="any",
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
    """A change to a link; None leaves a member unchanged."""

    id: str
    name: str | None = None
    url: str | None = None


class NotCreated(msgspec.Struct, frozen=True):
    """The reason why a link was not attached."""

    error: str
    file_key: str | None = None
    node_id: str | None = None


class NotUpdated(msgspec.Struct, frozen=True):
    """The reason why a link was not changed."""

    id: str
    error: str


class Created(msgspec.Struct, frozen=True):
    """The created links, and the failures."""

    links_created: tuple[DevResource, ...] = ()
    errors: tuple[NotCreated, ...] = ()


class Updated(msgspec.Struct, frozen=True):
    """The ids of the changed links, and the failures."""

    links_updated: tuple[str, ...] = ()
    errors: tuple[NotUpdated, ...] = ()


class DevResources:
    """Reads, attaches and changes links. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self, file: FileReference | str, nodes: Sequence[str] | None = None) -> tuple[DevResource, ...]:
        """Return the links of a file or of some of its nodes; for a branch, those of its main file."""
        values = {"file_key": file_reference.of(file).main_key, "node_ids": nodes}
        return self._session.read(LIST.request(values), _Listed).dev_resources

    def create(self, links: Sequence[NewDevResource]) -> Created:
        """Attach links. Each succeeds or fails separately."""
        return self._session.read(CREATE.request({"dev_resources": list(links)}), Created)

    def update(self, changes: Sequence[ChangedDevResource]) -> Updated:
        """Change links. Each succeeds or fails separately."""
        # Ids according to the documentation, links according to the types of github.com/figma/rest-api-spec.
        answer = self._session.read(UPDATE.request({"dev_resources": list(changes)}), _AnyUpdated)
        ids = tuple(each if isinstance(each, str) else str(each.get("id", "")) for each in answer.links_updated or ())
        return Updated(ids, answer.errors or ())


class _Listed(msgspec.Struct, frozen=True):
    dev_resources: tuple[DevResource, ...]


class _AnyUpdated(msgspec.Struct, frozen=True):
    links_updated: tuple[str | dict[str, Any], ...] | None = ()
    errors: tuple[NotUpdated, ...] | None = ()
