"""What came back of one attempt: an answer, or nothing usable."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Answer(NamedTuple):
    """A whole HTTP answer; the body is decoded from its content encoding, the header names match in any case.

    Its repr shows no body: those of the OAuth endpoints are tokens.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def title(self) -> str:
        """The status with its standard phrase, such as "503 Service Unavailable"; never the server's own phrase."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)

    def __repr__(self) -> str:
        return f"Answer({self.title!r}, {len(self.body)} bytes)"


class Lost(NamedTuple):
    """No usable answer. ``passing``: another attempt may help. ``never_sent``: the request did not leave."""

    what: str
    what_to_do: str = "try again later"
    passing: bool = True
    never_sent: bool = False
