"""Answers of the two GET endpoints: the stored documents, joined. No document is taken apart to be shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_VARIABLES = "SELECT id, document FROM variables WHERE file = ? ORDER BY number"
_COLLECTIONS = "SELECT id, document FROM collections WHERE file = ? ORDER BY number"
_PUBLISHED = "SELECT id, document FROM published WHERE file = ? AND kind = ? ORDER BY number"


def local(connection: sqlite3.Connection, file: int) -> bytes:
    """Return the body of GET local: the file's own variables and the remote ones that it uses."""
    row = connection.execute("SELECT envelope, extras FROM files WHERE number = ?", (file,)).fetchone()
    variables = connection.execute(_VARIABLES, (file,))
    collections = connection.execute(_COLLECTIONS, (file,))
    return _body(row, _map(variables), _map(collections))


def published(connection: sqlite3.Connection, file: int) -> bytes:
    """Return the body of GET published: the file's variables as they were last published, without modes and values."""
    sql = "SELECT published_envelope, published_extras FROM files WHERE number = ?"
    row = connection.execute(sql, (file,)).fetchone()
    variables = connection.execute(_PUBLISHED, (file, "variable"))
    collections = connection.execute(_PUBLISHED, (file, "collection"))
    return _body(row, _map(variables), _map(collections))


def _map(rows: sqlite3.Cursor) -> bytes:
    return b",".join([json.dumps(id_).encode() + b":" + document for id_, document in rows])


def _body(around: tuple[bytes, bytes], variables: bytes, collections: bytes) -> bytes:
    envelope, extras = around
    parts = (b'"meta":{', extras, b'"variables":{', variables, b'},"variableCollections":{', collections, b"}}}")
    return b"".join((b"{", envelope, b"," if envelope else b"", *parts))
