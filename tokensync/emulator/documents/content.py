"""What a file's document is: the one that was set, else a sample page; and how one is set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.documents import library_pages, sample, tree
from tokensync.emulator.state import settings
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

Node = dict[str, Any]

_DEEPEST: Final = 200
_LARGEST: Final = "largest file answer"
LARGEST_BYTES: Final = 64 * 1024 * 1024
"""What an answer with layers may measure unless something else is set; the documentation gives no number."""


class Content(msgspec.Struct, frozen=True, rename="camel"):
    """The members of a file's answer that are of its document: the tree, and what its layers refer to by node id."""

    document: Node
    components: dict[str, Any] = {}
    component_sets: dict[str, Any] = {}
    styles: dict[str, Any] = {}
    schema_version: int = 0


_content = msgspec.json.Decoder(Content)


def of_file(connection: sqlite3.Connection, file: int) -> Content:
    """Return the document of a file, by its number."""
    row = connection.execute("SELECT content FROM documents WHERE file = ?", (file,)).fetchone()
    return _sample(connection, file) if row is None else _content.decode(row[0])


def _sample(connection: sqlite3.Connection, file: int) -> Content:
    """Return the pages of a file that has no document of its own: its variables, and then its library."""
    document = sample.document(connection, file)
    library = library_pages.of_file(connection, file, {each["id"] for each in tree.nodes(document)})
    (first,) = document["children"]
    onto_first = library.pages.pop(first["id"], None)
    if onto_first is not None:
        first["children"] += onto_first["children"]
    document["children"] += library.pages.values()
    return Content(document, library.components, library.component_sets, library.styles)


def decode(stored: bytes) -> Content:
    """Return a document as versions keep it."""
    return _content.decode(stored)


def put(connection: sqlite3.Connection, file: int, given: Node) -> None:
    """Set a file's document: a DOCUMENT node, or a whole saved answer that has one. Anything else is a UsageError."""
    try:
        content = msgspec.convert(given if "document" in given else {"document": given}, Content)
    except (msgspec.ValidationError, TypeError) as error:
        raise UsageError(f"document: not a document ({error}); give a DOCUMENT node or a saved answer") from None
    _check(content.document)
    connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?)", (file, msgspec.json.encode(content)))


def remove(connection: sqlite3.Connection, file: int) -> None:
    """From now on the file has the sample page again."""
    connection.execute("DELETE FROM documents WHERE file = ?", (file,))


def largest(connection: sqlite3.Connection) -> int:
    """Return the largest answer with layers that is given, in bytes."""
    return int(settings.value_of(connection, _LARGEST) or LARGEST_BYTES)


def set_largest(connection: sqlite3.Connection, size: int) -> None:
    """What ``largest`` says from now on, in bytes."""
    if size < 1:
        raise UsageError(f"largest answer: {size} bytes hold nothing; use more")
    settings.keep(connection, _LARGEST, str(size))


def _check(document: Node) -> None:
    """A tree of nodes that have an id each, none twice, with pages at the top."""
    if document.get("type") != "DOCUMENT":
        raise UsageError("document: its type is not DOCUMENT; give the DOCUMENT node, with its pages as children")
    seen: set[str] = set()
    pending: list[tuple[Any, int]] = [(document, 1)]
    while pending:
        node, depth = pending.pop()
        id_ = node.get("id") if isinstance(node, dict) else None
        if not isinstance(id_, str) or not isinstance(node.get("type"), str) or id_ in seen:
            raise UsageError(f"document: node {id_} lacks a type, or an id that no other node has; give it both")
        seen.add(id_)
        children = node.get("children", [])
        if depth > _DEEPEST or not isinstance(children, list):
            what = "its children are no array, or lie too deep"
            raise UsageError(f"document: node {id_}: {what}; use arrays, {_DEEPEST} deep at most")
        pending += [(each, depth + 1) for each in children]
