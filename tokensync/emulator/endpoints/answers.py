"""What a route answers: JSON as bytes, or an answer that is anything else but a success with JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

JSON: Final = "application/json; charset=utf-8"


class Answer(NamedTuple):
    """A whole answer. ``headers`` are added to those that every answer has."""

    body: bytes = b""
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


def as_json(document: Any) -> bytes:
    """Return a document at top level, without the envelope."""
    return msgspec.json.encode(document)


def in_envelope(meta: Any) -> bytes:
    """Return a document as the ``meta`` of the envelope (platform-api.md 2.1)."""
    return msgspec.json.encode({"status": 200, "error": False, "meta": meta})


def timestamp(seconds: float) -> str:
    """Unix seconds as the platform writes times: ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
