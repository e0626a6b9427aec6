"""All endpoints of the REST API, and requests to them. The client, `tokensync api` and its help use these rows."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

import msgspec

from tokensync.system.errors import UsageError

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Shape = Literal["meta", "plain", "any"]
"""The body of a success: an object with a ``meta`` object, a JSON object, or any body, even an empty one."""


class Request(NamedTuple):
    """A request, with the details that error messages use.

    ``path`` is relative to the base URL and includes the query. ``scope`` is the required scope, ``subject`` the noun
    for the requested object. ``main_file_only`` marks endpoints that refuse branch keys. ``basic`` is the encoded Basic
    authorization of an OAuth app, which is sent in place of the access token. ``reads`` marks a POST that changes
    nothing. ``secrets`` are the secrets in the request besides the token, which messages hide. ``tier`` is the rate
    limit tier. The repr shows method and address only: the rest may be secret.
    """

    method: Method
    path: str
    scope: str
    body: bytes | None = None
    main_file_only: bool = False
    subject: str = "file"
    shape: Shape = "meta"
    content_type: str = "application/json"
    basic: str | None = None
    reads: bool = False
    secrets: tuple[str, ...] = ()
    tier: int | None = None

    @property
    def changes(self) -> bool:
        """Return whether the request may change data, and so must not be repeated while its outcome is unknown."""
        return self.method != "GET" and not self.reads

    @property
    def address(self) -> str:
        """Return the path without its query, for messages: a query may be confidential."""
        return self.path.partition("?")[0]

    def __repr__(self) -> str:
        return f"Request({self.method!r}, {self.address!r})"


Location = Literal["path", "query", "body", "basic"]
Kind = Literal["text", "number", "boolean", "list", "json"]
"""``list`` is a list of strings, comma-separated in a query; ``json`` is any JSON value, in a body."""

BODY: Final[Location] = "body"
_BASIC: Final[Location] = "basic"
"""The user name or password, in this order, of Basic authorization in place of the access token."""

PathId = Annotated[str, msgspec.Meta(pattern=r"^(?!\.{0,2}$)")]
"""An id or key in a response that is safe in the path of another request."""

Page = dict[str, Any]
"""The decoded body of a success."""


class Parameter(NamedTuple):
    """A parameter of an endpoint. ``secret``: messages hide its value, and a command line should not show it."""

    name: str
    about: str
    location: Location = "query"
    kind: Kind = "text"
    required: bool = False
    secret: bool = False


class Paging(NamedTuple):
    """``items`` is the path to a page's rows. ``following`` returns the parameters of the next page, or None."""

    items: tuple[str, ...]
    following: Callable[[Page], Mapping[str, Any] | None]


class Endpoint(NamedTuple):
    """An endpoint. ``path`` has path parameters in braces and no leading slash.

    A token needs one of ``scopes``; messages name the first. ``tier`` is the rate limit tier. ``replaced_by`` is the
    "GROUP OPERATION" that replaces a deprecated endpoint.
    """

    group: str
    operation: str
    method: Method
    path: str
    about: str
    scopes: tuple[str, ...]
    tier: int | None = None
    parameters: tuple[Parameter, ...] = ()
    shape: Shape = "meta"
    paging: Paging | None = None
    subject: str = "file"
    main_file_only: bool = False
    replaced_by: str | None = None
    raw_body: bool = False
    """The only body parameter is the whole body."""
    reads: bool = False
    """The endpoint changes nothing, whatever its method."""
    form: bool = False
    """The body is a URL-encoded form."""
    for_browsers: bool = False
    """The endpoint is a web page, which the client does not request."""

    @property
    def name(self) -> str:
        """Return the group and operation, such as ``variables local``."""
        return f"{self.group} {self.operation}"

    def request(self, values: Mapping[str, Any]) -> Request:
        """Return a request with these parameters; a None value omits one. Bytes for ``json`` are sent unchanged.

        Raises UsageError for missing and unknown parameters.
        """
        self._check(values)
        if self.for_browsers:
            raise UsageError(f"{self.name}: this is a web page; open it in a browser, or use tokensync auth login")
        by_location: dict[Location, dict[str, Any]] = {"path": {}, "query": {}, "body": {}, "basic": {}}
        for parameter in self.parameters:
            if (value := values.get(parameter.name)) is not None:
                by_location[parameter.location][parameter.name] = value
        path = self.path.format_map({name: quote(str(value), safe="") for name, value in by_location["path"].items()})
        if by_location["query"]:
            path += "?" + urlencode({name: _in_query(value) for name, value in by_location["query"].items()})
        app = by_location["basic"]
        basic = b64encode(":".join(app.values()).encode()).decode() if app else None
        return Request(
            self.method,
            path,
            self.scopes[0] if self.scopes else "",
            self._body(by_location["body"]),
            self.main_file_only,
            self.subject,
            self.shape,
            "application/x-www-form-urlencoded" if self.form else "application/json",
            basic,
            self.reads,
            tuple(filter(None, [basic, *(values.get(each.name) for each in self.parameters if each.secret)])),
            self.tier,
        )

    def _body(self, members: dict[str, Any]) -> bytes | None:
        if not any(parameter.location == "body" for parameter in self.parameters):
            return None
        if self.raw_body:
            (value,) = members.values()
            return value if isinstance(value, bytes) else msgspec.json.encode(value)
        return urlencode(members).encode() if self.form else msgspec.json.encode(members)

    def _check(self, values: Mapping[str, Any]) -> None:
        known = {parameter.name for parameter in self.parameters}
        mistakes = [
            f"{name}: {self.name} has no such parameter; it has {', '.join(sorted(known)) or 'none'}"
            for name in values
            if name not in known
        ]
        mistakes += [
            f"{parameter.name}: {self.name} requires it ({parameter.about}); add it"
            for parameter in self.parameters
            if parameter.required and values.get(parameter.name) is None
        ]
        mistakes += [
            f"{parameter.name}: empty or a dot segment; use the {parameter.about}"
            for parameter in self.parameters
            if parameter.location == "path" and values.get(parameter.name) in ("", ".", "..")
        ]
        if mistakes:
            raise UsageError("\n".join(mistakes))


def path(name: str, about: str) -> Parameter:
    """Return a required parameter that is a segment of the path."""
    return Parameter(name, about, "path", required=True)


def within(page: Page, *members: str) -> Any:
    """Return the value at a path of members, or None if a member is missing."""
    value: Any = page
    for member in members:
        value = value.get(member) if isinstance(value, dict) else None
    return value


def next_page_of_pagination(page: Page) -> Mapping[str, Any] | None:
    """Return the cursor in ``pagination.next_page``."""
    cursor = within(page, "pagination", "next_page")
    return {"cursor": cursor} if cursor else None


def single_page(page: Page) -> None:
    """Return no next page."""


def cursor_while(more: str, *parents: str) -> Callable[[Page], Mapping[str, Any] | None]:
    """Return a function that reads the next page's ``cursor`` while ``more`` is true; both are in ``parents``."""

    def following(page: Page) -> Mapping[str, Any] | None:
        cursor = within(page, *parents, "cursor")
        return {"cursor": cursor} if within(page, *parents, more) and cursor else None

    return following


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


_KEYS: Final = {
    "file_key": "key of a file or branch",
    "library_file_key": "key of a library's main file",
    "team_id": "id of a team",
    "folder_id": "id of a folder",
    "project_id": "id of a project, which is a folder",
    "comment_id": "id of a comment",
    "dev_resource_id": "id of a link",
    "webhook_id": "id of a webhook",
}
"""What the parameters of paths are."""


def _group(name: str, **common: Any) -> Callable[..., Endpoint]:
    """Return a function for the endpoints of a group.

    It takes an operation, a method, a path, a description and the parameters apart from those of the path, and by name
    what differs from ``common`` and the defaults: JSON without an envelope, and the rate limit tier of most endpoints.
    """

    def endpoint(
        operation: str, method: Method, path_: str, about: str, *parameters: Parameter, **members: Any
    ) -> Endpoint:
        members = {"shape": "plain", "tier": 2, **common, **members}
        abouts = {**_KEYS, "key": f"key of a {members.get('subject')}"}
        if members.get("main_file_only"):
            abouts["file_key"] = "key of a main file"
        keys = [path(key, abouts[key]) for key in re.findall(r"\{(\w+)\}", path_)]
        return Endpoint(name, operation, method, path_, about, parameters=(*keys, *parameters), **members)

    return endpoint


EVENTS: Final = (
    "LIBRARY_PUBLISH",
    "FILE_UPDATE",
    "FILE_DELETE",
    "FILE_VERSION_UPDATE",
    "FILE_COMMENT",
    "DEV_MODE_STATUS_UPDATE",
)
"""The event types of webhooks. The platform also sends PING when a webhook is created."""

_CURSOR: Final = Parameter("cursor", "cursor from the previous page")
_READ_FILES: Final = "files:read"
"""The older scope, which includes most scopes for reading."""


def _oauth() -> Iterator[Endpoint]:
    """Yield the endpoints of logins. Apps authenticate with Basic authorization (RFC 6749, section 2.3.1)."""
    endpoint = _group("oauth", scopes=(), tier=None, subject="OAuth app")
    app = (
        Parameter("client_id", "client id of the app", _BASIC, required=True),
        Parameter("client_secret", "client secret of the app", _BASIC, required=True, secret=True),
    )
    yield endpoint(
        "authorize",
        "GET",
        "oauth",
        "Open the page on which a user allows an app access (in a browser; see tokensync auth login).",
        Parameter("client_id", "client id of the app", required=True),
        Parameter("redirect_uri", "one of the app's registered redirect URLs", required=True),
        Parameter("scope", "scopes, separated by spaces or commas", required=True),
        Parameter("state", "a random string that is returned unchanged", required=True),
        Parameter("response_type", "code", required=True),
        Parameter("code_challenge", "SHA-256 of the code_verifier, in base64url"),
        shape="meta",
        for_browsers=True,
    )
    yield endpoint(
        "token",
        "POST",
        "v1/oauth/token",
        "Exchange a code or refresh token for an access token.",
        *app,
        Parameter("grant_type", "authorization_code or refresh_token", BODY, required=True),
        Parameter("code", "the code from the callback", BODY, secret=True),
        Parameter("redirect_uri", "the redirect_uri of the authorization request", BODY),
        Parameter("code_verifier", "the secret of the code_challenge", BODY, secret=True),
        Parameter("refresh_token", "the refresh token, instead of a code", BODY, secret=True),
        form=True,
    )
    yield endpoint(
        "refresh",
        "POST",
        "v1/oauth/refresh",
        "Exchange a refresh token for an access token.",
        *app,
        Parameter("refresh_token", "the refresh token", BODY, required=True, secret=True),
        form=True,
        replaced_by="oauth token",
    )


def _published(group: str, member: str, item: str) -> Iterator[Endpoint]:
    """Yield the endpoints for a team, a file and a key. ``member`` is the plural in paths and responses."""
    endpoint = _group(group, shape="meta", tier=3)
    plural = f"{item}s"

    def following(page: Page) -> Mapping[str, Any] | None:
        # An empty page is the last, even if it has a cursor.
        after = within(page, "meta", "cursor", "after")
        return {"after": after, "before": None} if after is not None and within(page, "meta", member) else None

    yield endpoint(
        "team",
        "GET",
        f"v1/teams/{{team_id}}/{member}",
        f"List the published {plural} of a team.",
        Parameter("page_size", "items per page; default: 30, maximum: 1000", kind="number"),
        Parameter("after", "cursor for the items after it; not with before", kind="number"),
        Parameter("before", "cursor for the items before it; not with after", kind="number"),
        scopes=("team_library_content:read", _READ_FILES),
        paging=Paging(("meta", member), following),
        subject="team",
    )
    yield endpoint(
        "file",
        "GET",
        f"v1/files/{{file_key}}/{member}",
        f"List the published {plural} of a file.",
        scopes=("library_content:read", _READ_FILES),
        paging=Paging(("meta", member), single_page),
        main_file_only=True,
    )
    scopes = ("library_assets:read", _READ_FILES)
    yield endpoint("get", "GET", f"v1/{member}/{{key}}", f"Get a published {item}.", scopes=scopes, subject=item)


def _variables() -> Iterator[Endpoint]:
    endpoint = _group("variables", shape="meta", scopes=("file_variables:read",))
    about = "List the local variables of a file and the remote ones in use."
    yield endpoint("local", "GET", "v1/files/{file_key}/variables/local", about)
    about = "List the variables that a file publishes."
    yield endpoint("published", "GET", "v1/files/{file_key}/variables/published", about, main_file_only=True)
    yield endpoint(
        "post",
        "POST",
        "v1/files/{file_key}/variables",
        "Create, update and delete collections, modes, variables and values in one atomic batch.",
        Parameter("body", "changes, in up to four arrays", BODY, "json", required=True),
        scopes=("file_variables:write",),
        tier=3,
        raw_body=True,
    )


def _analytics() -> Iterator[Endpoint]:
    endpoint = _group(
        "analytics",
        scopes=("library_analytics:read",),
        tier=3,
        paging=Paging(("rows",), cursor_while("next_page")),
        main_file_only=True,
    )
    dates = (
        Parameter("start_date", "YYYY-MM-DD, rounded back to a Sunday; default: a year ago"),
        Parameter("end_date", "YYYY-MM-DD, rounded up to the end of the week; default: the last full week"),
    )
    for asset in ("component", "style", "variable"):
        path_ = f"v1/analytics/libraries/{{library_file_key}}/{asset}"
        about = f"List insertions and detachments of {asset}s by week."
        group_by = Parameter("group_by", f"{asset} or team", required=True)
        yield endpoint(f"{asset}-actions", "GET", f"{path_}/actions", about, group_by, *dates, _CURSOR)
        about = f"List how often and where {asset}s are used."
        group_by = Parameter("group_by", f"{asset} or file", required=True)
        yield endpoint(f"{asset}-usages", "GET", f"{path_}/usages", about, group_by, _CURSOR)


def _folders() -> Iterator[Endpoint]:
    """Yield the endpoints of folders, and those of projects for servers and tokens without folders."""
    branches = Parameter("branch_data", "include the branches of each file", kind="boolean")

    endpoint = _group("projects", scopes=("projects:read", _READ_FILES), subject="project")
    of_team = {"subject": "team", "replaced_by": "folders team"}
    yield endpoint("team", "GET", "v1/teams/{team_id}/projects", "List the projects of a team.", **of_team)
    path_, about = "v1/projects/{project_id}/files", "List the files in a project."
    yield endpoint("files", "GET", path_, about, branches, replaced_by="folders files")
    path_, about = "v1/projects/{project_id}/meta", "Get a project's name, times and number of files."
    meta = {"scopes": ("project_metadata:read",), "tier": 3, "replaced_by": "folders meta"}
    yield endpoint("meta", "GET", path_, about, **meta)

    endpoint = _group("folders", scopes=("folders:read",), subject="folder")
    about = "List the top-level folders of a team."
    yield endpoint("team", "GET", "v2/teams/{team_id}/folders", about, subject="team")
    yield endpoint("subfolders", "GET", "v2/folders/{folder_id}/folders", "List the subfolders of a folder.")
    about = "List the files in a folder, without subfolders."
    yield endpoint("files", "GET", "v2/folders/{folder_id}/files", about, branches)
    path_, about = "v2/folders/{folder_id}/meta", "Get a folder's name, times and number of files."
    yield endpoint("meta", "GET", path_, about, scopes=("folder_metadata:read",), tier=3)


def _dev_resources() -> Iterator[Endpoint]:
    endpoint = _group("dev-resources", scopes=("file_dev_resources:write",), subject="dev resource")
    yield endpoint(
        "list",
        "GET",
        "v1/files/{file_key}/dev_resources",
        "List the links attached to nodes of a file.",
        Parameter("node_ids", "ids of nodes; default: all", kind="list"),
        scopes=("file_dev_resources:read",),
        subject="file",
        main_file_only=True,
    )
    about = "Attach links to nodes of one or several files. Failures are listed in errors."
    links = "links: objects with name, url, file_key, node_id"
    rows = Parameter("dev_resources", links, BODY, kind="json", required=True)
    yield endpoint("create", "POST", "v1/dev_resources", about, rows)
    about = "Change the names or URLs of links. Failures are listed in errors."
    yield endpoint(
        "update", "PUT", "v1/dev_resources", about, rows._replace(about="changes: objects with id, name, url")
    )
    path_ = "v1/files/{file_key}/dev_resources/{dev_resource_id}"
    yield endpoint("delete", "DELETE", path_, "Remove a link.", shape="any", main_file_only=True)


def _organization() -> Iterator[Endpoint]:
    """Yield the endpoints of an organization's logs and texts (Developer logs, Activity logs, Discovery)."""
    yield _group("developer-logs", shape="meta", tier=3)(
        "search",
        "POST",
        "v1/developer_logs",
        "Search the requests of the organization's tokens, the latest first. Requires a plan access token.",
        Parameter("token", "a token's secret, to find its requests", BODY, secret=True),
        Parameter("token_name", "names of tokens or apps, or prefixes, comma-separated", BODY),
        Parameter("user_email", "email addresses, or prefixes, comma-separated", BODY),
        Parameter("ip_address", "IP addresses, or prefixes, comma-separated", BODY),
        Parameter("token_type", "PLAN_ACCESS_TOKEN, PERSONAL_ACCESS_TOKEN or OAUTH_TOKEN", BODY),
        Parameter("event_source", "REST_API or MCP_SERVER", BODY),
        Parameter("date_range", "LAST_24H, LAST_7D or LAST_30D", BODY),
        Parameter("limit", "items per page; default: 25, maximum: 100", BODY, "number"),
        _CURSOR._replace(location=BODY),
        scopes=("org:developer_log_read",),
        paging=Paging(("meta", "items"), cursor_while("has_more", "meta")),
        subject="developer logs",
        reads=True,
    )
    yield _group("activity-logs", shape="meta", tier=3)(
        "list",
        "GET",
        "v1/activity_logs",
        "List what users did in the organization. Requires the token of an admin.",
        Parameter("events", "event types to include", kind="list"),
        Parameter("start_time", "start of the period in Unix seconds; default: a year ago", kind="number"),
        Parameter("end_time", "end of the period in Unix seconds; default: now", kind="number"),
        Parameter("limit", "events per page; default and maximum: 1000", kind="number"),
        Parameter("order", "asc (earliest first) or desc"),
        _CURSOR,
        scopes=("org:activity_log_read",),
        paging=Paging(("meta", "activity_logs"), cursor_while("next_page", "meta")),
        subject="activity log",
    )
    yield _group("discovery", shape="meta")(
        "text-events",
        "GET",
        "v1/discovery",
        "List download links for the texts that users wrote in each hour. Requires the token of an admin.",
        Parameter("start_date", "the first hour, such as 2026-01-31T09:00:00Z", required=True),
        Parameter("end_date", "end, at most 24 hours later; default: one hour"),
        Parameter("file_ttl_in_seconds", "lifetime of the links, 60 to 86400; default: 86400", kind="number"),
        scopes=("org:discovery_read",),
        subject="text events",
    )


def _webhooks() -> Iterator[Endpoint]:
    read, one = ("webhooks:read", _READ_FILES), "v2/webhooks/{webhook_id}"
    endpoint = _group("webhooks", scopes=("webhooks:write",), subject="webhook")
    context = Parameter("context", "team, project (a folder) or file")
    context_id = Parameter("context_id", "id of the team or folder, or key of the file")
    event_type = Parameter("event_type", f"one of {', '.join(EVENTS)}", BODY)
    receiver = Parameter("endpoint", "URL that receives events, at most 2048 characters", BODY)
    passcode = Parameter("passcode", "included in every event, at most 100 characters", BODY, secret=True)
    status = Parameter("status", "ACTIVE or PAUSED", BODY)
    yield endpoint(
        "create",
        "POST",
        "v2/webhooks",
        "Create a webhook. Unless it is PAUSED, its endpoint receives a PING.",
        event_type._replace(required=True),
        context._replace(location=BODY, required=True),
        context_id._replace(location=BODY, required=True),
        receiver._replace(required=True),
        passcode._replace(required=True),
        status,
        Parameter("description", "at most 150 characters", BODY),
    )
    yield endpoint("get", "GET", one, "Get a webhook, without its passcode.", scopes=read)
    yield endpoint(
        "list",
        "GET",
        "v2/webhooks",
        "List the webhooks of a team, folder, file or plan.",
        context,
        context_id._replace(about=f"{context_id.about}; not with plan_api_id"),
        Parameter("plan_api_id", "team-ID or organization-ID; not with context"),
        Parameter("cursor", "cursor for a page of a plan's webhooks"),
        scopes=("webhooks:read",),
        paging=Paging(("webhooks",), next_page_of_pagination),
    )
    description = Parameter("description", "at most 140 characters; an empty text deletes it", BODY)
    about = "Change a webhook. Omitted parameters keep their values."
    yield endpoint("update", "PUT", one, about, event_type, receiver, passcode, status, description)
    yield endpoint("delete", "DELETE", one, "Delete a webhook permanently.")
    of_team = {"scopes": read, "paging": Paging(("webhooks",), single_page), "subject": "team"}
    about = "List the webhooks of a team."
    yield endpoint("team", "GET", "v2/teams/{team_id}/webhooks", about, replaced_by="webhooks list", **of_team)
    about = "List the requests to a webhook's endpoint in the last seven days."
    paging = Paging(("requests",), single_page)
    yield endpoint("requests", "GET", f"{one}/requests", about, scopes=read, paging=paging)


def _files() -> Iterator[Endpoint]:
    endpoint = _group("files", scopes=("file_content:read", _READ_FILES))
    version = Parameter("version", "id of a version; default: the current one")
    ids = Parameter("ids", "ids of nodes", kind="list")
    tree = (
        Parameter("depth", "number of tree levels", kind="number"),
        Parameter("geometry", "paths: include vector data"),
        Parameter("plugin_data", "ids of plugins, or shared", kind="list"),
    )
    about = "Get the node tree of a file, or the parts that contain some nodes."
    branches = Parameter("branch_data", "include branches", kind="boolean")
    yield endpoint("content", "GET", "v1/files/{file_key}", about, version, ids, *tree, branches, tier=1)
    about, ids = "Get nodes of a file by their ids.", ids._replace(required=True)
    yield endpoint("nodes", "GET", "v1/files/{file_key}/nodes", about, ids, version, *tree, tier=1)
    yield endpoint(
        "images",
        "GET",
        "v1/images/{file_key}",
        "Render nodes as images and get their URLs.",
        ids,
        version,
        Parameter("scale", "0.01 to 4", kind="number"),
        Parameter("format", "jpg, png, svg or pdf"),
        Parameter("svg_outline_text", "text as outlines", kind="boolean"),
        Parameter("svg_include_id", "layer names as ids", kind="boolean"),
        Parameter("svg_include_node_id", "node ids as data attributes", kind="boolean"),
        Parameter("svg_simplify_stroke", "simpler strokes", kind="boolean"),
        Parameter("contents_only", "without overlapping content", kind="boolean"),
        Parameter("use_absolute_bounds", "use the full bounding box", kind="boolean"),
        tier=1,
    )
    yield endpoint("image-fills", "GET", "v1/files/{file_key}/images", "Get the URLs of images in fills.", shape="meta")
    about = "Get the metadata of a file: name, folder, editor, users."
    scopes = ("file_metadata:read", _READ_FILES)
    yield endpoint("meta", "GET", "v1/files/{file_key}/meta", about, scopes=scopes, tier=3)


def _comments() -> Iterator[Endpoint]:
    read, write = ("file_comments:read", _READ_FILES), ("file_comments:write",)
    endpoint = _group("comments", scopes=write, subject="comment")
    comments = "v1/files/{file_key}/comments"
    reactions = f"{comments}/{{comment_id}}/reactions"
    as_md = Parameter("as_md", "texts as Markdown", kind="boolean")
    yield endpoint("list", "GET", comments, "List the comments on a file.", as_md, scopes=read, subject="file")
    yield endpoint(
        "post",
        "POST",
        comments,
        "Comment on a file, or reply to a comment.",
        Parameter("message", "the text", BODY, required=True),
        Parameter("comment_id", "id of the comment to reply to", BODY),
        Parameter("client_meta", "position: a point or region on the canvas or a node", BODY, "json"),
        subject="file",
    )
    yield endpoint("delete", "DELETE", f"{comments}/{{comment_id}}", "Delete one of your comments.", shape="any")
    paging = Paging(("reactions",), next_page_of_pagination)
    about = "List the reactions to a comment."
    yield endpoint("reactions", "GET", reactions, about, _CURSOR, scopes=read, paging=paging)
    emoji = Parameter("emoji", "a shortcode such as :heart:", required=True)
    yield endpoint("react", "POST", reactions, "React to a comment.", emoji._replace(location=BODY), shape="any")
    yield endpoint("take-back", "DELETE", reactions, "Remove one of your reactions.", emoji, shape="any")


def _versions_users_oembed() -> Iterator[Endpoint]:
    def following(page: Page) -> Mapping[str, Any] | None:
        # The URL of the next page may have another host, so it is never requested: only its parameters are used.
        address = within(page, "pagination", "next_page")
        query = address.partition("#")[0].partition("?")[2] if isinstance(address, str) else ""
        parameters = {name: value for name, value in parse_qsl(query) if name in ("page_size", "before", "after")}
        return parameters or None

    yield _group("versions")(
        "list",
        "GET",
        "v1/files/{file_key}/versions",
        "List the versions of a file, the newest first.",
        Parameter("page_size", "versions per page; maximum: 50", kind="number"),
        Parameter("before", "id of a version: list older ones (users see newer ones)"),
        Parameter("after", "id of a version: list newer ones (users see older ones)"),
        scopes=("file_versions:read", _READ_FILES),
        paging=Paging(("versions",), following),
    )
    user = {"scopes": ("current_user:read", _READ_FILES), "tier": 3, "subject": "user"}
    yield _group("users")("me", "GET", "v1/me", "Get the user of the access token.", **user)
    yield _group("oembed")(
        "read",
        "GET",
        "v1/oembed",
        "Get the oEmbed description of a file.",
        Parameter("url", "URL of a file", required=True),
        Parameter("maxwidth", "pixels; default: 800", kind="number"),
        Parameter("maxheight", "pixels; default: 450", kind="number"),
        scopes=("file_metadata:read",),
        tier=3,
    )


ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *_oauth(),
    *_published("components", "components", "component"),
    *_published("component-sets", "component_sets", "component set"),
    *_published("styles", "styles", "style"),
    *_variables(),
    *_analytics(),
    *_folders(),
    *_dev_resources(),
    *_organization(),
    *_webhooks(),
    *_files(),
    *_comments(),
    *_versions_users_oembed(),
)
BY_NAME: Final = {endpoint.name: endpoint for endpoint in ENDPOINTS}
