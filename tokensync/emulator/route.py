"""What a file of routes declares, and what its functions get."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.access import Credentials
    from tokensync.emulator.identity import Identities


class Call(NamedTuple):
    """A request at work, in the transaction of ``connection``.

    ``now`` is Unix seconds; ``body`` is None when it is longer than any body may be.
    """

    connection: sqlite3.Connection
    credentials: Credentials
    now: float
    identities: Identities
    body: bytes | None


class Route(NamedTuple):
    """An endpoint. ``answer`` gets the call and the parts of the path, and returns a JSON body or raises Refusal."""

    method: str
    path: str
    answer: Callable[..., bytes]

    @property
    def writes(self) -> bool:
        """Whether the endpoint may change the state: all but GET."""
        return self.method != "GET"
