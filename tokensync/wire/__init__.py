"""The API's JSON as typed data; no I/O, no policy."""

from tokensync.wire.reading import json_parts, read_local, read_published
from tokensync.wire.snapshot import Snapshot, snapshot
from tokensync.wire.variables import (
    ALIAS,
    EXPRESSION,
    VALUE_TYPES,
    LocalMeta,
    PublishedCollection,
    PublishedMeta,
    PublishedVariable,
    WireCollection,
    WireMode,
    WireObject,
    WireValue,
    WireVariable,
)

__all__ = [
    "ALIAS",
    "EXPRESSION",
    "VALUE_TYPES",
    "LocalMeta",
    "PublishedCollection",
    "PublishedMeta",
    "PublishedVariable",
    "Snapshot",
    "WireCollection",
    "WireMode",
    "WireObject",
    "WireValue",
    "WireVariable",
    "json_parts",
    "read_local",
    "read_published",
    "snapshot",
]
