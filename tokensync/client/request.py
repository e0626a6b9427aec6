"""One call of the API, before it is sent."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
