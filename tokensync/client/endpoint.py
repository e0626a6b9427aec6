"""Endpoints and requests: the table that the client, `tokensync api` and its help are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Method = Literal["GET", "POST", "PUT", "DELETE"]
Shape = Literal["meta", "plain", "anything"]
"""What a success has to look like: an object with a ``meta`` object, a JSON object, or nothing in particular."""


class Request(NamedTuple):
    """What to send, and what the error messages need to know about it.

    ``path`` is relative to the base URL, made of safe segments, with its query; ``scope`` is the one the endpoint
    requires; ``subject`` is what it is asked about; ``main_file_only`` marks endpoints that refuse a branch key.
    ``basic`` is sent as Basic authorization in place of the access token (the OAuth endpoints); ``reads`` marks a POST
    that only asks. Its repr is method and address: what is sent besides may be secret.
    """

    method: Method
    path: str
    scope: str
    body: bytes | None = None
    main_file_only: bool = False
    subject: str = "file"
    shape: Shape = "meta"
    content_type: str = "application/json"
    basic: tuple[str, str] | None = None
    reads: bool = False

    @property
    def changes(self) -> bool:
        """Whether it may change something, so that it is not sent again without knowing what became of it."""
        return self.method != "GET" and not self.reads

    @property
    def address(self) -> str:
        """The path without its query, for messages: a query may hold what nobody else should read."""
        return self.path.partition("?")[0]

    def __repr__(self) -> str:
        return f"Request({self.method!r}, {self.address!r})"


Place = Literal["path", "query", "body", "basic"]
Kind = Literal["text", "number", "boolean", "list", "json"]
"""``list`` is texts, joined by commas in a query; ``json`` is any JSON value, in a body."""

PATH: Final[Place] = "path"
BODY: Final[Place] = "body"
BASIC: Final[Place] = "basic"
"""Of the two that are sent, in order, as Basic authorization in place of the access token."""

_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"

PathId = Annotated[str, msgspec.Meta(pattern=r"^(?!\.{0,2}$)")]
"""An id or a key of an answer, which can stand in the path of the next request."""

Page = dict[str, Any]
"""The decoded body of a success."""


class Parameter(NamedTuple):
    """A parameter by the name that the platform gives it."""

    name: str
    about: str
    place: Place = "query"
    kind: Kind = "text"
    required: bool = False


class Paging(NamedTuple):
    """``items`` leads to a page's rows; ``following`` gives the parameters of the next page, None after the last."""

    items: tuple[str, ...]
    following: Callable[[Page], Mapping[str, Any] | None]


class Endpoint(NamedTuple):
    """An endpoint. ``path`` has its path parameters in braces and no slash in front.

    A token needs one of ``scopes``, the first of which is named in messages. ``tier`` is that of the rate limits.
    ``replaced_by`` is "GROUP OPERATION" of the endpoint to use instead of a deprecated one.
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
    """The whole body is the one ``body`` parameter."""
    reads: bool = False
    """It changes nothing, whatever its method."""
    form: bool = False
    """The body is a URL-encoded form."""
    for_browsers: bool = False
    """It is a page for people, which is not asked from here."""

    @property
    def name(self) -> str:
        """``variables local``."""
        return f"{self.group} {self.operation}"

    def request(self, values: Mapping[str, Any]) -> Request:
        """The request with these parameters; None stands for a parameter that is not given.

        Values have the parameters' kinds; bytes for a ``json`` one are sent as they are. A parameter that is missing or
        that the endpoint does not have is a UsageError.
        """
        self._check(values)
        if self.for_browsers:
            raise UsageError(f"{self.name}: it is a page for people; open it in a browser, or use tokensync auth login")
        given = {each.name: values[each.name] for each in self.parameters if values.get(each.name) is not None}
        by_place: dict[Place, dict[str, Any]] = {"path": {}, "query": {}, "body": {}, "basic": {}}
        for each in self.parameters:
            if each.name in given:
                by_place[each.place][each.name] = given[each.name]
        path = self.path.format_map({name: quote(str(value), safe="") for name, value in by_place["path"].items()})
        if by_place["query"]:
            path += "?" + urlencode({name: _in_query(value) for name, value in by_place["query"].items()})
        return Request(
            self.method,
            path,
            self.scopes[0] if self.scopes else "",
            self._body(by_place["body"]),
            self.main_file_only,
            self.subject,
            self.shape,
            _FORM if self.form else _JSON,
            self._basic(by_place["basic"]),
            self.reads,
        )

    def _body(self, members: dict[str, Any]) -> bytes | None:
        if not any(each.place == "body" for each in self.parameters):
            return None
        if self.raw_body:
            (value,) = members.values()
            return value if isinstance(value, bytes) else msgspec.json.encode(value)
        return urlencode(members).encode() if self.form else msgspec.json.encode(members)

    def _basic(self, members: dict[str, Any]) -> tuple[str, str] | None:
        if not members:
            return None
        user, password = members.values()
        return str(user), str(password)

    def _check(self, values: Mapping[str, Any]) -> None:
        known = {each.name for each in self.parameters}
        wrong = [
            f"{name}: {self.name} has no such parameter; it has {_list(known)}" for name in values if name not in known
        ]
        wrong += [
            f"{each.name}: {self.name} needs it ({each.about}); give it"
            for each in self.parameters
            if each.required and values.get(each.name) is None
        ]
        wrong += [
            f"{each.name}: it has a dot segment or nothing in it; give the {each.about}"
            for each in self.parameters
            if each.place == "path" and values.get(each.name) in ("", ".", "..")
        ]
        if wrong:
            raise UsageError("\n".join(wrong))


def path(name: str, about: str) -> Parameter:
    """A parameter that is a segment of the path."""
    return Parameter(name, about, PATH, required=True)


def within(page: Page, *members: str) -> Any:
    """What a page has at the end of these members; None where anything on the way there is no object."""
    found: Any = page
    for member in members:
        found = found.get(member) if isinstance(found, dict) else None
    return found


def next_page_of_pagination(page: Page) -> Mapping[str, Any] | None:
    """What ``pagination`` names as the next page is a cursor."""
    cursor = within(page, "pagination", "next_page")
    return {"cursor": cursor} if cursor else None


def cursor_while(more: str, *around: str) -> Callable[[Page], Mapping[str, Any] | None]:
    """The next page begins at ``cursor`` as long as the member ``more`` is true; both are at the end of ``around``."""

    def following(page: Page) -> Mapping[str, Any] | None:
        cursor = within(page, *around, "cursor")
        return {"cursor": cursor} if within(page, *around, more) and cursor else None

    return following


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
