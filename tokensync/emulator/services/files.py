"""Files: documents, nodes, images, metadata and versions (Figma REST API: Files, Version history)."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from tokensync.emulator import access, endpoints, files, people, webhooks
from tokensync.emulator.endpoints import (
    VERSIONS_TURNED,
    Query,
    Route,
    as_json,
    existing,
    flag,
    in_envelope,
    invalid,
    positive,
    timestamp,
    whole_number,
)
from tokensync.emulator.services import documents, folders, images
from tokensync.emulator.services.folders import thumbnail
from tokensync.emulator.store import StateActions, rows, value_of
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.files import File
    from tokensync.emulator.services.documents import Content, Node


PAGE_OF_VERSIONS: Final = 30
LARGEST_PAGE_OF_VERSIONS: Final = 50


class Version(NamedTuple):
    """A saved version. ``id`` is the file's version at that time; ``created`` is Unix seconds; ``user`` is an id."""

    id: str
    created: float
    label: str | None
    description: str | None
    user: str


class Versions(StateActions):
    """Saves versions of files."""

    def save(
        self, file_key: str, label: str | None = None, description: str | None = None, *, user: str = people.FIRST
    ) -> str:
        """Save a file's state as a version and return its id. A label triggers FILE_VERSION_UPDATE."""
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            author = people.require(connection, user)
            now = self._clock()
            files.touch(connection, file.number, now)
            id_ = str(file.version + 1)
            content = msgspec.json.encode(documents.of_file(connection, file.number))
            connection.execute(
                "INSERT INTO versions (file, id, created, label, description, user, content)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (file.number, id_, now, label, description, user, content),
            )
            if label is not None:
                fields = {"created_at": timestamp(now), "version_id": id_, "description": description}
                webhooks.queue(connection, now, webhooks.FILE_VERSION_UPDATE, file, author, **fields)
            return id_


def of_file(connection: sqlite3.Connection, file: File) -> tuple[Version, ...]:
    """Return every version, the newest first. Later edits are an additional version without a label."""
    saved = tuple(rows(connection, Version, "versions WHERE file = ? ORDER BY created DESC, number DESC", file.number))
    current = str(file.version)
    if saved and saved[0].id == current:
        return saved
    return (Version(current, file.modified, None, None, people.FIRST), *saved)


def content_at(connection: sqlite3.Connection, file: File, id_: str) -> Content | None:
    """Return the document at a version, or None if there is no such version."""
    if id_ == str(file.version):
        return documents.of_file(connection, file.number)
    row = connection.execute("SELECT content FROM versions WHERE file = ? AND id = ?", (file.number, id_)).fetchone()
    return None if row is None else documents.decode(row[0])


def document(connection: sqlite3.Connection, version: Version) -> dict[str, Any]:
    """Return a version as in answers."""
    return {
        "id": version.id,
        "created_at": timestamp(version.created),
        "label": version.label,
        "description": version.description,
        "user": people.document(people.require(connection, version.user)),
    }


def list_versions(call: Call, file_key: str) -> bytes:
    """Return a page of a file's versions, the newest first.

    ``before`` and ``after`` are version ids, and select older and newer versions; with a quirk, the other way round.
    """
    file = access.file_of(call, file_key)
    size = min(positive(call.query, "page_size") or PAGE_OF_VERSIONS, LARGEST_PAGE_OF_VERSIONS)
    versions = of_file(call.connection, file)
    start, end = 0, len(versions)
    if "before" in call.query and "after" in call.query:
        raise invalid("before and after cannot be used together")
    older, newer = ("after", "before") if VERSIONS_TURNED in call.quirks else ("before", "after")
    if older in call.query:
        start = _index(versions, call.query[older], older) + 1
        end = min(end, start + size)
    elif newer in call.query:
        end = _index(versions, call.query[newer], newer)
        start = max(0, end - size)
    else:
        end = min(end, size)
    page = versions[start:end]
    pagination = {}
    if page and start > 0:
        pagination["prev_page"] = _address(call, file_key, size, newer, page[0])
    if page and end < len(versions):
        pagination["next_page"] = _address(call, file_key, size, older, page[-1])
    return as_json({"versions": [document(call.connection, version) for version in page], "pagination": pagination})


def _index(versions: tuple[Version, ...], id_: str, name: str) -> int:
    index = next((index for index, version in enumerate(versions) if version.id == id_), None)
    if index is None:
        raise invalid(f"{name} must be the id of a version of the file")
    return index


def _address(call: Call, file_key: str, size: int, name: str, version: Version) -> str:
    return f"{call.root}/v1/files/{file_key}/versions?{urlencode({'page_size': size, name: version.id})}"


_LISTED_VERSION: Final = endpoints.members(
    {
        "id": endpoints.TEXT,
        "created_at": endpoints.TIME,
        "label": endpoints.or_null(endpoints.TEXT),
        "description": endpoints.or_null(endpoints.TEXT),
        "user": endpoints.USER,
    }
)

VERSIONS: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/versions",
        list_versions,
        scopes=("file_versions:read", BROAD),
        tier=2,
        errors="err",
        parameters=(
            Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_VERSIONS}),
            Query("before", endpoints.TEXT),
            Query("after", endpoints.TEXT),
        ),
        returns=endpoints.members(
            {
                "versions": endpoints.array(_LISTED_VERSION),
                "pagination": endpoints.members({}, {"prev_page": endpoints.TEXT, "next_page": endpoints.TEXT}),
            }
        ),
    ),
)


_WITH_LAYERS: Final = ("figma", "figjam")
_TOO_LARGE: Final = "Request too large. If applicable, filter by query params."
_IN_LINKS: Final = re.compile(r"I?\d+-\d+(;\d+-\d+)*", re.ASCII)
_LARGEST_DEPTH: Final = 10_000


class FileRequest(NamedTuple):
    """The content of a file at a version, and the requested detail; a ``depth`` of None is unlimited."""

    file: files.File
    version: str
    content: Content
    depth: int | None
    geometry: bool
    plugins: frozenset[str]

    def tree(self, root: Node) -> dict[str, Any]:
        """Return a node in the requested detail, with the items that it contains or refers to."""
        document = documents.trim(root, depth=self.depth, geometry=self.geometry, plugins=self.plugins)
        return {
            "document": document,
            "components": _referenced(self.content.components, document),
            "componentSets": _referenced(self.content.component_sets, document),
            "schemaVersion": self.content.schema_version,
            "styles": _referenced(self.content.styles, document),
        }


def file_request(call: Call, file_key: str) -> FileRequest:
    """Return the requested content of a file; refuse invalid parameters."""
    file = access.file_of(call, file_key)
    if file.editor not in _WITH_LAYERS:
        raise invalid("File type not supported by this endpoint")
    depth = whole_number(call.query, "depth", maximum=_LARGEST_DEPTH)  # 0: the nodes without children
    if call.query.get("geometry") not in (None, "paths"):
        raise invalid("geometry must be paths")
    version = call.query.get("version") or str(file.version)
    content = existing(content_at(call.connection, file, version), "Version")
    plugins = frozenset(_split(call.query.get("plugin_data", "")))
    return FileRequest(file, version, content, depth, "geometry" in call.query, plugins)


def node_ids(call: Call, *, required: bool) -> tuple[str, ...] | None:
    """Return the unique node ids in ``ids``, or None if there are none.

    The form in links to a layer, ``1-2``, is accepted for ``1:2``.
    """
    unique = tuple(dict.fromkeys(map(_node_id, _split(call.query.get("ids", ""))))) or None
    if required and unique is None:
        raise invalid("ids is required: a comma-separated list of node ids")
    return unique


def file_members(call: Call, request: FileRequest) -> dict[str, Any]:
    """Return the members of an answer that describe the file."""
    file = request.file
    return {
        "name": file.name,
        "lastModified": timestamp(file.modified, "seconds"),
        "editorType": file.editor,
        "thumbnailUrl": thumbnail(call, file),
        "version": request.version,
        "role": access.permission_on(call.connection, call.user, file.key),
        "linkAccess": "inherit",
    }


def _referenced(items: Mapping[str, Any], root: Node) -> dict[str, Any]:
    """Return the items (components, sets or styles by node id) that a subtree contains or refers to."""
    if not items:
        return {}
    used: set[str] = set()
    for node in documents.nodes(root):
        used.add(node["id"])
        used.update(id_ for id_ in (node.get("componentId"), node.get("componentSetId")) if isinstance(id_, str))
        styles = node.get("styles")
        if isinstance(styles, dict):
            used.update(style for style in styles.values() if isinstance(style, str))
    return {id_: document for id_, document in items.items() if id_ in used}


def limited(call: Call, document: Mapping[str, Any]) -> bytes:
    """Return a document as a body; refuse one that is too large."""
    body = as_json(document)
    if len(body) > int(value_of(call.connection, documents.LARGEST_ANSWER) or documents.MAX_ANSWER_BYTES):
        raise invalid(_TOO_LARGE)
    return body


def _split(text: str) -> list[str]:
    return [each for each in (part.strip() for part in text.split(",")) if each]


def _node_id(text: str) -> str:
    return text.replace("-", ":") if _IN_LINKS.fullmatch(text) else text


def read(call: Call, file_key: str) -> bytes:
    """Return the document of a file, with the components, component sets and styles that it refers to.

    ``ids`` reduces the document to these nodes, their ancestors and their descendants.
    """
    request = file_request(call, file_key)
    requested_ids = node_ids(call, required=False)
    root = request.content.document
    if requested_ids is not None:
        root = documents.prune(root, frozenset(requested_ids))
    answer = file_members(call, request) | request.tree(root)
    main = files.by_number(call.connection, request.file.main)
    if main is not None:
        answer["mainFileKey"] = main.key
    if flag(call.query, "branch_data"):
        branches = files.branches(call.connection, request.file.number)
        answer["branches"] = [
            folders.file_entry(call, branch) | {"link_access": "inherit"}
            for branch in branches
            if access.permission_on(call.connection, call.user, branch.key) is not None
        ]
    return limited(call, answer)


def read_nodes(call: Call, file_key: str) -> bytes:
    """Return nodes of a file by id, with the components and styles that they refer to; null for a missing node."""
    request = file_request(call, file_key)
    requested_ids = node_ids(call, required=True) or ()
    by_id = documents.find_nodes(call.connection, request.file.number, requested_ids)
    by_id |= documents.find(request.content.document, frozenset(requested_ids))
    trees = {id_: request.tree(by_id[id_]) if id_ in by_id else None for id_ in requested_ids}
    return limited(call, file_members(call, request) | {"nodes": trees})


def render(call: Call, file_key: str) -> bytes:
    """Return the URLs of rendered nodes by id; null for a missing node."""
    requested_ids = node_ids(call, required=True) or ()
    options = images.render_options(call)
    request = file_request(call, file_key)
    by_id = documents.find(request.content.document, frozenset(requested_ids))
    urls = {id_: images.address(call, file_key, by_id[id_], options) if id_ in by_id else None for id_ in requested_ids}
    return as_json({"err": None, "images": urls})


def list_image_fills(call: Call, file_key: str) -> bytes:
    """Return the URLs of the images that fill layers, by their references."""
    request = file_request(call, file_key)
    references = documents.image_references(request.content.document)
    return in_envelope({"images": {reference: images.fill_address(call, reference) for reference in references}})


def read_metadata(call: Call, file_key: str) -> bytes:
    """Return the metadata of a file, of any editor, or of a branch."""
    file = access.file_of(call, file_key)
    folder = files.require_folder(call.connection, file.folder)
    creator = people.document(people.require(call.connection, people.FIRST))
    metadata = {
        "name": file.name,
        "folder_name": folder.name,
        "last_touched_at": timestamp(file.modified),
        "creator": creator,
        "last_touched_by": creator,
        "thumbnail_url": thumbnail(call, file),
        "editorType": file.editor,
        "role": access.permission_on(call.connection, call.user, file.key),
        "link_access": "inherit",
        "url": address(file),
        "version": str(file.version),
    }
    return as_json({"file": metadata})


def address(file: files.File) -> str:
    """Return the URL of a file in a browser."""
    kind = _KINDS.get(file.editor, "design")
    return f"https://www.figma.com/{kind}/{file.key}/{re.sub(r'[^A-Za-z0-9]+', '-', file.name).strip('-')}"


_KINDS: Final = {"figjam": "board", "slides": "slides", "buzz": "buzz", "sites": "site", "make": "make"}

_IDS: Final = Query("ids", endpoints.TEXT)
_VERSION: Final = Query("version", endpoints.TEXT)
_DEPTH: Final = Query("depth", {"type": "integer", "minimum": 0})
_GEOMETRY: Final = Query("geometry", {"enum": ["paths"]})
_PLUGIN_DATA: Final = Query("plugin_data", endpoints.TEXT)
_ROLE: Final = {"enum": ["owner", "editor", "viewer"]}
_ABOUT: Final = {
    "name": endpoints.TEXT,
    "lastModified": endpoints.TIME,
    "editorType": {"enum": ["figma", "figjam"]},
    "version": endpoints.TEXT,
    "role": _ROLE,
}
_TREE: Final = {
    "document": endpoints.members({"id": endpoints.TEXT, "name": endpoints.TEXT, "type": endpoints.TEXT}),
    "components": endpoints.OBJECT,
    "componentSets": endpoints.OBJECT,
    "schemaVersion": {"type": "integer"},
    "styles": endpoints.OBJECT,
}
_LISTED: Final = {
    "mainFileKey": endpoints.TEXT,
    "branches": endpoints.array(endpoints.OBJECT),
    "thumbnailUrl": endpoints.TEXT,
}
_IMAGES: Final = endpoints.mapping(endpoints.or_null(endpoints.TEXT))
_META: Final = {
    "name": endpoints.TEXT,
    "last_touched_at": endpoints.TIME,
    "creator": endpoints.USER,
    "editorType": {"enum": list(files.EDITORS)},
}
_OPTIONAL_META: Final = {
    **dict.fromkeys(("folder_name", "thumbnail_url", "link_access", "url", "version"), endpoints.TEXT),
    "last_touched_by": endpoints.USER,
    "role": _ROLE,
}
_CONTENT: Final = ("file_content:read", BROAD)

_content: Final = partial(Route, scopes=_CONTENT, errors="err")

ROUTES: Final = (
    _content(
        "GET",
        "/v1/files/<file_key>",
        read,
        tier=1,
        parameters=(_VERSION, _IDS, _DEPTH, _GEOMETRY, _PLUGIN_DATA, Query("branch_data", endpoints.BOOLEAN)),
        returns=endpoints.members(_ABOUT | _TREE, _LISTED),
    ),
    _content(
        "GET",
        "/v1/files/<file_key>/nodes",
        read_nodes,
        tier=1,
        parameters=(_IDS._replace(required=True), _VERSION, _DEPTH, _GEOMETRY, _PLUGIN_DATA),
        returns=endpoints.members(_ABOUT | {"nodes": endpoints.mapping(endpoints.or_null(endpoints.members(_TREE)))}),
    ),
    _content(
        "GET",
        "/v1/images/<file_key>",
        render,
        tier=1,
        parameters=(_IDS._replace(required=True), _VERSION, *images.PARAMETERS),
        returns=endpoints.members({"err": {"type": "null"}, "images": _IMAGES}),
    ),
    _content(
        "GET",
        "/v1/files/<file_key>/images",
        list_image_fills,
        tier=2,
        returns=endpoints.envelope(endpoints.members({"images": endpoints.mapping(endpoints.TEXT)})),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/meta",
        read_metadata,
        scopes=("file_metadata:read", BROAD),
        tier=3,
        errors="err",
        returns=endpoints.members({"file": endpoints.members(_META, _OPTIONAL_META)}),
    ),
)
