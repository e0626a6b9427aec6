"""One call of the API, before it is sent."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Request(NamedTuple):
    """What to send, and what the error messages need to know about it.

    ``path`` is relative to the base URL and made of safe segments; ``scope`` is the one the endpoint requires;
    ``main_file_only`` marks endpoints that refuse a branch key.
    """

    method: Literal["GET", "POST"]
    path: str
    scope: str
    body: bytes | None = None
    main_file_only: bool = False
