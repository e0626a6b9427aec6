"""Endpoints and requests. The client, `tokensync api` and its help all use this description."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Method = Literal["GET", "POST", "PUT", "DELETE"]
Shape = Literal["meta", "plain", "any"]
"""The body of a success: an object with a ``meta`` object, a JSON object, or any body, even an empty one."""


class Request(NamedTuple):
    """A request, with the details that error messages use.

    ``path`` is relative to the base URL and includes the query. ``scope`` is the required scope, ``subject`` the noun
    for the requested object. ``main_file_only`` marks endpoints that refuse branch keys. ``basic`` is the encoded Basic
    authorization of an OAuth app, which is sent in place of the access token. ``reads`` marks a POST that changes
    nothing. ``secrets`` are the secrets in the request besides the token, which messages hide. The repr shows method
    and address only: the rest may be secret.
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

PATH: Final[Location] = "path"
BODY: Final[Location] = "body"
BASIC: Final[Location] = "basic"
"""The user name or password, in this order, of Basic authorization in place of the access token."""

_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"

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
        basic = self._basic(by_location["basic"])
        return Request(
            self.method,
            path,
            self.scopes[0] if self.scopes else "",
            self._body(by_location["body"]),
            self.main_file_only,
            self.subject,
            self.shape,
            _FORM if self.form else _JSON,
            basic,
            self.reads,
            tuple(filter(None, [basic, *(values.get(each.name) for each in self.parameters if each.secret)])),
        )

    def _body(self, members: dict[str, Any]) -> bytes | None:
        if not any(each.location == "body" for each in self.parameters):
            return None
        if self.raw_body:
            (value,) = members.values()
            return value if isinstance(value, bytes) else msgspec.json.encode(value)
        return urlencode(members).encode() if self.form else msgspec.json.encode(members)

    def _basic(self, members: dict[str, Any]) -> str | None:
        return b64encode(":".join(members.values()).encode()).decode() if members else None

    def _check(self, values: Mapping[str, Any]) -> None:
        known = {each.name for each in self.parameters}
        mistakes = [
            f"{name}: {self.name} has no such parameter; it has {_list(known)}" for name in values if name not in known
        ]
        mistakes += [
            f"{each.name}: {self.name} requires it ({each.about}); add it"
            for each in self.parameters
            if each.required and values.get(each.name) is None
        ]
        mistakes += [
            f"{each.name}: empty or a dot segment; use the {each.about}"
            for each in self.parameters
            if each.location == "path" and values.get(each.name) in ("", ".", "..")
        ]
        if mistakes:
            raise UsageError("\n".join(mistakes))


def path(name: str, about: str) -> Parameter:
    """Return a required parameter that is a segment of the path."""
    return Parameter(name, about, PATH, required=True)


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


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
