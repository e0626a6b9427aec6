"""The groups of endpoints as methods of a ``Client``, with typed responses; times are ISO 8601 unless stated.

A file or library is a reference, a key or a URL. Lists that the platform divides into pages are requested as they are
read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec

from tokensync.extract.client.addresses import FileReference, reference_of
from tokensync.extract.client.endpoints import BY_NAME, PathId
from tokensync.system.errors import NotFoundError, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.extract.client.authorization import Authorization
    from tokensync.extract.client.session import Session


_Kind = TypeVar("_Kind")


class _Group:
    """The endpoints of a group, which are named as in ``tokensync api``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def _read(self, name: str, kind: type[_Kind], /, **values: Any) -> _Kind:
        return self._session.read(BY_NAME[name].request(values), kind)

    def _rows(self, name: str, kind: type[_Kind], /, **values: Any) -> Iterator[_Kind]:
        return self._session.rows(BY_NAME[name], values, kind)


LARGEST_BODY = 4_000_000
"""The largest body in bytes: "4 MB", in the reading that the platform certainly accepts."""


class Variables(_Group):
    """Reads and writes the variables of a file (Figma REST API: Variables)."""

    def local(self, file: FileReference | str) -> bytes:
        """Return the JSON of a file's or branch's local variables and the remote ones in use."""
        return self._session.send(BY_NAME["variables local"].request({"file_key": reference_of(file).working_key}))

    def published(self, file: FileReference | str) -> bytes:
        """Return the JSON of the published variables of the main file, also for a branch."""
        return self._session.send(BY_NAME["variables published"].request({"file_key": reference_of(file).main_key}))

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Send an atomic batch of changes once. Return JSON that maps temporary ids to real ones.

        After an error with ``outcome_unknown``, the platform may have applied the batch: read the file first. It is not
        sent again with a renewed token either (``token_renewed``).
        """
        request = BY_NAME["variables post"].request({"file_key": reference_of(file).working_key, "body": body})
        if len(body) > LARGEST_BODY:
            raise RequestError(
                f"{self._session.where(request)}: the batch has {len(body):,} bytes, and Figma accepts "
                f"{LARGEST_BODY:,}; send smaller batches",
                413,
            )
        return self._session.send(request, once=True)


class Node(msgspec.Struct, frozen=True, rename="camel"):
    """A node of a file. ``bound_variables`` and ``explicit_variable_modes`` are the platform's JSON.

    Only variable bindings are read from ``fills``, ``strokes`` and ``effects``.
    """

    id: str
    name: str = ""
    type: str = ""
    children: tuple[Node, ...] = ()
    bound_variables: dict[str, Any] = {}
    explicit_variable_modes: dict[str, str] = {}
    fills: Any = None
    strokes: Any = None
    effects: Any = None


class Content(msgspec.Struct, frozen=True, rename="camel"):
    """A file with its tree; ``last_modified`` is ISO 8601."""

    document: Node
    name: str = ""
    version: str = ""
    last_modified: str = ""


class _Single(msgspec.Struct, frozen=True):
    document: Node


class _Nodes(msgspec.Struct, frozen=True):
    nodes: dict[str, _Single | None] = {}


class Files(_Group):
    """Reads files (Figma REST API: Files)."""

    def content(self, file: FileReference | str, *, depth: int | None = None) -> Content:
        """Return the tree of a file, or its first ``depth`` levels; 1 means only pages."""
        return self._read("files content", Content, file_key=reference_of(file).working_key, depth=depth)

    def nodes(self, file: FileReference | str, ids: Sequence[str], *, depth: int | None = None) -> dict[str, Node]:
        """Return nodes and their children by id; omit missing nodes."""
        key = reference_of(file).working_key
        nodes = self._read("files nodes", _Nodes, file_key=key, ids=tuple(ids), depth=depth).nodes
        return {id_: single.document for id_, single in nodes.items() if single is not None}


class Folder(msgspec.Struct, frozen=True):
    """A folder; ``parent_folder_id`` is None for a top-level one."""

    id: PathId
    name: str = ""
    parent_folder_id: str | None = None


class Branch(msgspec.Struct, frozen=True):
    """A branch of a file."""

    key: PathId
    name: str = ""


class FolderFile(msgspec.Struct, frozen=True):
    """A file in a folder. Branches are listed only on request."""

    key: PathId
    name: str = ""
    last_modified: str = ""
    branches: tuple[Branch, ...] = ()


class FolderList(msgspec.Struct, frozen=True):
    """Folders, and the name of their team or parent folder."""

    name: str = ""
    folders: tuple[Folder, ...] = ()


class ProjectList(msgspec.Struct, frozen=True):
    """Top-level folders of a team, under their older name, and the name of the team."""

    name: str = ""
    projects: tuple[Folder, ...] = ()


class FileList(msgspec.Struct, frozen=True):
    """Files, and the name of their folder."""

    name: str = ""
    files: tuple[FolderFile, ...] = ()


class Folders(_Group):
    """Lists folders and files that the token's user can see (Figma REST API: Folders)."""

    def of_team(self, team_id: str) -> FolderList:
        """Return the top-level folders of a team."""
        return self._read("folders team", FolderList, team_id=team_id)

    def subfolders(self, folder_id: str) -> tuple[Folder, ...]:
        """Return the direct subfolders of a folder."""
        return self._read("folders subfolders", FolderList, folder_id=folder_id).folders

    def files(self, folder_id: str, *, branches: bool = False) -> tuple[FolderFile, ...]:
        """Return the files directly in a folder, with their branches on request."""
        return self._read("folders files", FileList, folder_id=folder_id, branch_data=branches or None).files


class Projects(_Group):
    """Lists projects and files that the token's user can see. ``Folders`` replaces it."""

    def of_team(self, team_id: str) -> ProjectList:
        """Return the projects of a team."""
        return self._read("projects team", ProjectList, team_id=team_id)

    def files(self, project_id: str, *, branches: bool = False) -> tuple[FolderFile, ...]:
        """Return the files directly in a project, with their branches on request."""
        return self._read("projects files", FileList, project_id=project_id, branch_data=branches or None).files


class PublishedItem(msgspec.Struct, frozen=True):
    """A published style. ``style_type`` is FILL, TEXT, EFFECT or GRID."""

    key: str
    node_id: str = ""
    name: str = ""
    description: str = ""
    updated_at: str = ""
    style_type: str = ""


class NewDevResource(msgspec.Struct, frozen=True):
    """A link to attach to a node of a main file."""

    name: str
    url: str
    file_key: str
    node_id: str


class DevResource(NewDevResource, frozen=True):
    """A link on a node of a main file."""

    id: str


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


class _Listed(msgspec.Struct, frozen=True):
    dev_resources: tuple[DevResource, ...]


class _AnyUpdated(msgspec.Struct, frozen=True):
    links_updated: tuple[str | dict[str, Any], ...] | None = ()
    errors: tuple[NotUpdated, ...] | None = ()


class DevResources(_Group):
    """Reads, attaches and changes links (Figma REST API: Dev resources)."""

    def list(self, file: FileReference | str, nodes: Sequence[str] | None = None) -> tuple[DevResource, ...]:
        """Return the links of a file or of some of its nodes; for a branch, those of its main file."""
        key = reference_of(file).main_key
        return self._read("dev-resources list", _Listed, file_key=key, node_ids=nodes).dev_resources

    def create(self, links: Sequence[NewDevResource]) -> Created:
        """Attach links. Each succeeds or fails separately."""
        return self._read("dev-resources create", Created, dev_resources=[*links])

    def update(self, changes: Sequence[ChangedDevResource]) -> Updated:
        """Change links. Each succeeds or fails separately."""
        # Ids according to the documentation, links according to the types of github.com/figma/rest-api-spec.
        answer = self._read("dev-resources update", _AnyUpdated, dev_resources=[*changes])
        ids = tuple(each if isinstance(each, str) else str(each.get("id", "")) for each in answer.links_updated or ())
        return Updated(ids, answer.errors or ())


class User(msgspec.Struct, frozen=True):
    """A user; ``email`` is visible only to the user."""

    id: str
    handle: str = ""
    img_url: str = ""
    email: str = ""


class Users(_Group):
    """Identifies the user of the token."""

    def me(self) -> User:
        """Return the user of the access token."""
        return self._read("users me", User)


class Action(msgspec.Struct, frozen=True):
    """The action: the path of an endpoint, or the tool of an MCP server."""

    event_name: str = ""
    event_source: str = ""


class Actor(msgspec.Struct, frozen=True):
    """The token and its user."""

    user_id: str = ""
    user_name: str = ""
    token_name: str = ""
    token_type: str = ""
    user_email: str = ""


class Resource(msgspec.Struct, frozen=True):
    """The requested resource; members are None if there is no particular one."""

    org_id: str = ""
    id_or_key: str | None = None
    name: str | None = None
    type: str | None = None


class Origin(msgspec.Struct, frozen=True):
    """The origin of the request."""

    ip_address: str = ""
    city: str = ""
    country_region: str = ""
    country: str = ""


class DeveloperLogItem(msgspec.Struct, frozen=True):
    """A request of a token."""

    uuid: str
    timestamp: str
    action: Action = Action()
    actor: Actor = Actor()
    resource: Resource = Resource()
    context: Origin = Origin()


class DeveloperLogs(_Group):
    """Searches the requests of the organization's tokens."""

    def search(self, **filters: str | None) -> Iterator[DeveloperLogItem]:
        """Yield the requests that match all filters (parameters of the endpoint, or None), the latest first."""
        return self._rows("developer-logs search", DeveloperLogItem, **filters, limit=100)


class _Urls(msgspec.Struct, frozen=True):
    urls: dict[str, tuple[str, ...]]


class _Links(msgspec.Struct, frozen=True):
    meta: _Urls


class Discovery(_Group):
    """Finds and downloads the texts that users wrote."""

    def urls(
        self, start_date: str, end_date: str | None = None, *, link_seconds: int | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Return the download links by hour (``YYYY/MM/DD/HH``), valid for ``link_seconds``."""
        period = {"start_date": start_date, "end_date": end_date}
        return self._read("discovery text-events", _Links, **period, file_ttl_in_seconds=link_seconds).meta.urls

    def download(self, url: str) -> bytes:
        """Return the content of a link: JSON in an undocumented format."""
        return self._session.download(url, BY_NAME["discovery text-events"].request({"start_date": ""}))


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


class Analytics(_Group):
    """Reads the usage of a library's variables (Figma REST API: Library analytics). Dates are YYYY-MM-DD."""

    def variable_usages(self, library: FileReference | str) -> Iterator[VariableUsage]:
        """Yield a row for each variable in use."""
        return self._by("usages", "variable", VariableUsage, library)

    def variable_usages_by_file(self, library: FileReference | str) -> Iterator[FileUsage]:
        """Yield a row for each file that uses variables of the library."""
        return self._by("usages", "file", FileUsage, library)

    def variable_actions(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[VariableActions]:
        """Yield a row for each variable and week, the latest first; by default those of one year."""
        return self._by("actions", "variable", VariableActions, library, start_date=start_date, end_date=end_date)

    def variable_actions_by_team(
        self, library: FileReference | str, *, start_date: str | None = None, end_date: str | None = None
    ) -> Iterator[TeamActions]:
        """Yield a row for each team and week, the latest first."""
        return self._by("actions", "team", TeamActions, library, start_date=start_date, end_date=end_date)

    def _by(
        self, report: str, group: str, kind: type[_Kind], library: FileReference | str, **dates: str | None
    ) -> Iterator[_Kind]:
        key = reference_of(library).main_key
        return self._rows(f"analytics variable-{report}", kind, library_file_key=key, group_by=group, **dates)


_URL: Final = re.compile(
    r"([a-z]+://)([^/?#]*@)?([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]*)?(/[^?#@]*)?([?#].*)?", re.IGNORECASE | re.DOTALL
)
_MASK: Final = "***"


def shown_endpoint(endpoint: str) -> str:
    """Return the URL of an endpoint for people and logs, without user, password, query and fragment.

    Any of them may be the receiver's secret. If a text may contain them elsewhere, only the scheme
    remains.
    """
    match = _URL.fullmatch(endpoint)
    if match is None:
        scheme, separator, _ = endpoint.partition("://")
        secret = any(each in endpoint for each in "@?#")
        return f"{scheme}{separator}{_MASK}" if secret and separator else _MASK if secret else endpoint
    scheme, user, host, port, path, query = match.groups("")
    return f"{scheme}{_MASK + '@' if user else ''}{host}{port}{path}{query[:1] + _MASK if query else ''}"


class Webhook(msgspec.Struct, frozen=True):
    """A webhook. ``context`` is TEAM, PROJECT or FILE. Responses to GET omit the passcode; the repr hides it."""

    id: PathId | int
    event_type: str = ""
    context: str | None = None
    context_id: str | None = None
    status: str = ""
    endpoint: str = ""
    passcode: str = ""
    description: str | None = None

    @property
    def shown_endpoint(self) -> str:
        """Return the endpoint without its secrets, for people and logs."""
        return shown_endpoint(self.endpoint)

    def __repr__(self) -> str:
        return f"Webhook({self.id!r}, {self.event_type!r}, {self.status!r}, {self.shown_endpoint!r})"


class RequestInfo(msgspec.Struct, frozen=True):
    """A request to an endpoint."""

    id: str | int = ""
    sent_at: str = ""
    payload: Any = None


class ResponseInfo(msgspec.Struct, frozen=True):
    """The response of an endpoint."""

    status: str | int = ""


class SentRequest(msgspec.Struct, frozen=True):
    """A request to a webhook's endpoint. ``response_info`` is None without a response so far."""

    request_info: RequestInfo = RequestInfo()
    response_info: ResponseInfo | None = None
    error_msg: str | None = None

    @property
    def event_type(self) -> str:
        """Return the event type, or an empty text if unknown."""
        payload = self.request_info.payload
        kind = payload.get("event_type") if isinstance(payload, dict) else None
        return kind if isinstance(kind, str) else ""


class _Page(msgspec.Struct, frozen=True):
    webhooks: tuple[Webhook, ...] = ()


class _Requests(msgspec.Struct, frozen=True):
    requests: tuple[SentRequest, ...] = ()


class Webhooks(_Group):
    """Creates, lists, changes and deletes subscriptions to events (Figma REST API: Webhooks v2)."""

    def create(
        self,
        event_type: str,
        context: str,
        context_id: str,
        endpoint: str,
        passcode: str,
        *,
        paused: bool = False,
        description: str | None = None,
    ) -> Webhook:
        """Create a webhook; ``context`` is team, project or file."""
        return self._read(
            "webhooks create",
            Webhook,
            event_type=event_type,
            context=context,
            context_id=context_id,
            endpoint=endpoint,
            passcode=passcode,
            status="PAUSED" if paused else None,
            description=description,
        )

    def get(self, webhook_id: str) -> Webhook:
        """Return a webhook."""
        return self._read("webhooks get", Webhook, webhook_id=webhook_id)

    def of_context(self, context: str, context_id: str) -> tuple[Webhook, ...]:
        """Return the webhooks of a team, project or file."""
        return self._read("webhooks list", _Page, context=context, context_id=context_id).webhooks

    def of_plan(self, plan_api_id: str) -> Iterator[Webhook]:
        """Yield the webhooks in all contexts of a plan that the token's user has access to."""
        return self._rows("webhooks list", Webhook, plan_api_id=plan_api_id)

    def set_status(self, webhook_id: str, status: str) -> Webhook:
        """Pause (PAUSED) or resume (ACTIVE) a webhook."""
        return self._read("webhooks update", Webhook, webhook_id=webhook_id, status=status)

    def delete(self, webhook_id: str) -> Webhook:
        """Delete a webhook permanently, and return it."""
        return self._read("webhooks delete", Webhook, webhook_id=webhook_id)

    def requests(self, webhook_id: str) -> tuple[SentRequest, ...]:
        """Return the requests to the webhook's endpoint in the last seven days."""
        return self._read("webhooks requests", _Requests, webhook_id=webhook_id).requests


class Grant(msgspec.Struct, frozen=True):
    """A response of the token endpoints. ``expires_in`` is in seconds. A refresh returns no refresh token and no user.

    Tokens that no header can carry and expiries centuries away are invalid. The numeric user_id is not read, since it
    may exceed the integers that JSON can carry safely.
    """

    access_token: Annotated[str, msgspec.Meta(pattern=r"^[!-~]+\Z")]
    expires_in: Annotated[int, msgspec.Meta(ge=0, le=10_000_000_000)]
    refresh_token: str = ""
    user_id_string: str = ""

    def __repr__(self) -> str:
        return f"Grant(expires_in={self.expires_in!r}, user_id_string={self.user_id_string!r})"


class OAuth(_Group):
    """Gets access tokens for an app. The client's credential is the app's secret."""

    def exchange(self, authorization: Authorization, code: str, client_secret: str) -> Grant:
        """Exchange a code, which is valid once and for 30 seconds, for tokens."""
        return self._read(
            "oauth token",
            Grant,
            client_id=authorization.client_id,
            client_secret=client_secret,
            grant_type="authorization_code",
            code=code,
            redirect_uri=authorization.redirect_url,
            code_verifier=authorization.verifier,
        )

    def refresh(self, client_id: str, client_secret: str, refresh_token: str) -> Grant:
        """Return a new access token; the previous one becomes invalid.

        The fields of the newer endpoint are not documented, so the older one is the fallback.
        """
        values = {"client_id": client_id, "client_secret": client_secret, "refresh_token": refresh_token}
        try:
            return self._read("oauth token", Grant, **values, grant_type="refresh_token")
        except (RequestError, NotFoundError):
            return self._read("oauth refresh", Grant, **values)
