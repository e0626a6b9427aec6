"""The API's JSON as typed data; no I/O, no policy."""

from tokensync.wire.reading import read_local, read_published
from tokensync.wire.snapshot import Snapshot, snapshot
from tokensync.wire.variables import (
    ALIAS,
    EXPRESSION,
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
    "read_local",
    "read_published",
    "snapshot",
]
