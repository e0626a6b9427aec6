"""The contents of files: documents, nodes, metadata and images."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import access, documents, files, library_pages, nodes, people, schemas, sharing, teams
from tokensync.emulator.endpoints import Query, Refusal, Route, as_json, flag, in_envelope, invalid, positive, timestamp
from tokensync.emulator.services import folders, images, versions
from tokensync.emulator.services.folders import thumbnail
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.emulator.documents import Content
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.nodes import Node


_WITH_LAYERS: Final = ("figma", "figjam")
_TOO_LARGE: Final = "Request too large. If applicable, filter by query params."
_IN_LINKS: Final = re.compile(r"I?\d+-\d+(;\d+-\d+)*", re.ASCII)
_LARGEST_DEPTH: Final = 10_000


class Asked(NamedTuple):
    """A file at a version, and how much of each node is wanted: None is every level below it."""

    file: files.File
    version: str
    content: Content
    depth: int | None
    geometry: bool
    plugins: frozenset[str]

    def shown(self, node: Node) -> Node:
        """Return the node as it was asked for."""
        return nodes.trim(node, depth=self.depth, geometry=self.geometry, plugins=self.plugins)


def asked(call: Call, file_key: str) -> Asked:
    """Return the file and the layers that a request is about."""
    file = access.file_of(call, file_key)
    if file.editor not in _WITH_LAYERS:
        raise invalid("File type not supported by this endpoint")
    depth = positive(call.query, "depth", _LARGEST_DEPTH)
    if call.query.get("geometry") not in (None, "paths"):
        raise invalid("geometry must be paths")
    version = call.query.get("version") or str(file.version)
    found = versions.content_at(call.connection, file, version)
    if found is None:
        raise Refusal(404, "Version not found")
    plugins = frozenset(_listed(call.query.get("plugin_data", "")))
    return Asked(file, version, found, depth, "geometry" in call.query, plugins)


def ids(call: Call, *, required: bool) -> tuple[str, ...] | None:
    """Return the node ids that a request names, without repetitions; None where it names none.

    An id may be written as links to a layer write it, ``1-2``; answers have ``1:2``.
    """
    found = tuple(dict.fromkeys(map(_node_id, _listed(call.query.get("ids", ""))))) or None
    if required and found is None:
        raise invalid("ids is required: a comma-separated list of node ids")
    return found


def about(call: Call, request: Asked) -> dict[str, Any]:
    """Return the members that tell of the file itself."""
    file = request.file
    return {
        "name": file.name,
        "lastModified": timestamp(file.modified),
        "editorType": file.editor,
        "thumbnailUrl": thumbnail(call, file),
        "version": request.version,
        "role": sharing.permission_on(call.connection, call.user, file.key),
        "linkAccess": "inherit",
    }


def within(found: Mapping[str, Any], node: Node) -> dict[str, Any]:
    """Of what layers refer to by node id (components, styles), that which a part of the tree refers to."""
    if not found:
        return {}
    used: set[str] = set()
    for each in nodes.nodes(node):
        used.add(each["id"])
        used.update(_texts(each.get("componentId")), _texts(each.get("componentSetId")))
        styles = each.get("styles")
        if isinstance(styles, dict):
            used.update(style for style in styles.values() if isinstance(style, str))
    return {id_: document for id_, document in found.items() if id_ in used}


def no_larger(call: Call, document: Mapping[str, Any]) -> bytes:
    """Return the document as a body, unless that is larger than the platform gives."""
    body = as_json(document)
    if len(body) > documents.max_answer_bytes(call.connection):
        raise invalid(_TOO_LARGE)
    return body


def _listed(text: str) -> list[str]:
    return [each for each in (part.strip() for part in text.split(",")) if each]


def _node_id(written: str) -> str:
    return written.replace("-", ":") if _IN_LINKS.fullmatch(written) else written


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()


def read(call: Call, file_key: str) -> bytes:
    """The whole tree, or just the nodes of ``ids`` with what they are in; and what it refers to."""
    request = asked(call, file_key)
    wanted = ids(call, required=False)
    found = request.content
    root = found.document if wanted is None else nodes.prune(found.document, frozenset(wanted))
    document = request.shown(root)
    answer = about(call, request) | {
        "document": document,
        "components": within(found.components, document),
        "componentSets": within(found.component_sets, document),
        "schemaVersion": found.schema_version,
        "styles": within(found.styles, document),
    }
    main = files.by_number(call.connection, request.file.main)
    if main is not None:
        answer["mainFileKey"] = main.key
    if flag(call.query, "branch_data"):
        branches = files.branches(call.connection, request.file.number)
        answer["branches"] = [
            folders.listed(call, each) | {"link_access": "inherit"}
            for each in branches
            if sharing.permission_on(call.connection, call.user, each.key) is not None
        ]
    return no_larger(call, answer)


def read_nodes(call: Call, file_key: str) -> bytes:
    """Single nodes by their ids; one that is not there is null."""
    request = asked(call, file_key)
    wanted = ids(call, required=True) or ()
    content = request.content
    found = library_pages.find_nodes(call.connection, request.file.number, wanted)
    found |= nodes.find(content.document, frozenset(wanted))
    shown: dict[str, Any] = {}
    for id_ in wanted:
        shown[id_] = None
        if id_ in found:
            document = request.shown(found[id_])
            shown[id_] = {
                "document": document,
                "components": within(content.components, document),
                "componentSets": within(content.component_sets, document),
                "schemaVersion": content.schema_version,
                "styles": within(content.styles, document),
            }
    return no_larger(call, about(call, request) | {"nodes": shown})


def render(call: Call, file_key: str) -> bytes:
    """Where pictures of nodes are; null for one that is not there."""
    wanted = ids(call, required=True) or ()
    manner = images.manner(call)
    request = asked(call, file_key)
    found = nodes.find(request.content.document, frozenset(wanted))
    addresses = {id_: images.address(call, file_key, found[id_], manner) if id_ in found else None for id_ in wanted}
    return as_json({"err": None, "images": addresses})


def list_image_fills(call: Call, file_key: str) -> bytes:
    """Where the images are that layers are filled with, by their references."""
    request = asked(call, file_key)
    references = nodes.image_references(request.content.document)
    return in_envelope({"images": {each: images.fill_address(call, each) for each in references}})


def read_metadata(call: Call, file_key: str) -> bytes:
    """The file without its content; a branch or a file of any editor, too."""
    file = access.file_of(call, file_key)
    folder = teams.require_folder(call.connection, file.folder)
    creator = people.document(people.require(call.connection, people.FIRST))
    shown = {
        "name": file.name,
        "folder_name": folder.name,
        "last_touched_at": timestamp(file.modified),
        "creator": creator,
        "last_touched_by": creator,
        "thumbnail_url": thumbnail(call, file),
        "editorType": file.editor,
        "role": sharing.permission_on(call.connection, call.user, file.key),
        "link_access": "inherit",
        "url": address(file),
        "version": str(file.version),
    }
    return as_json({"file": shown})


def address(file: files.File) -> str:
    """Where a browser would open the file."""
    kind = _KINDS.get(file.editor, "design")
    return f"https://www.figma.com/{kind}/{file.key}/{re.sub(r'[^A-Za-z0-9]+', '-', file.name).strip('-')}"


_KINDS: Final = {"figjam": "board", "slides": "slides", "buzz": "buzz", "sites": "site", "make": "make"}

_IDS: Final = Query("ids", schemas.TEXT)
_VERSION: Final = Query("version", schemas.TEXT)
_DEPTH: Final = Query("depth", {"type": "integer", "minimum": 1})
_GEOMETRY: Final = Query("geometry", {"enum": ["paths"]})
_PLUGIN_DATA: Final = Query("plugin_data", schemas.TEXT)
_ROLE: Final = {"enum": ["owner", "editor", "viewer"]}
_ABOUT: Final = {
    "name": schemas.TEXT,
    "lastModified": schemas.TIME,
    "editorType": {"enum": ["figma", "figjam"]},
    "version": schemas.TEXT,
    "role": _ROLE,
}
_TREE: Final = {
    "document": schemas.members({"id": schemas.TEXT, "name": schemas.TEXT, "type": schemas.TEXT}),
    "components": schemas.OBJECT,
    "componentSets": schemas.OBJECT,
    "schemaVersion": {"type": "integer"},
    "styles": schemas.OBJECT,
}
_LISTED: Final = {
    "mainFileKey": schemas.TEXT,
    "branches": schemas.array(schemas.OBJECT),
    "thumbnailUrl": schemas.TEXT,
}
_IMAGES: Final = schemas.mapping(schemas.or_null(schemas.TEXT))
_META: Final = {
    "name": schemas.TEXT,
    "last_touched_at": schemas.TIME,
    "creator": schemas.USER,
    "editorType": {"enum": list(files.EDITORS)},
}
_CONTENT: Final = ("file_content:read", BROAD)

ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>",
        read,
        scopes=_CONTENT,
        tier=1,
        errors="err",
        parameters=(_VERSION, _IDS, _DEPTH, _GEOMETRY, _PLUGIN_DATA, Query("branch_data", schemas.BOOLEAN)),
        returns=schemas.members(_ABOUT | _TREE, _LISTED),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/nodes",
        read_nodes,
        scopes=_CONTENT,
        tier=1,
        errors="err",
        parameters=(_IDS._replace(required=True), _VERSION, _DEPTH, _GEOMETRY, _PLUGIN_DATA),
        returns=schemas.members(_ABOUT | {"nodes": schemas.mapping(schemas.or_null(schemas.members(_TREE)))}),
    ),
    Route(
        "GET",
        "/v1/images/<file_key>",
        render,
        scopes=_CONTENT,
        tier=1,
        errors="err",
        parameters=(_IDS._replace(required=True), _VERSION, *images.PARAMETERS),
        returns=schemas.members({"err": {"type": "null"}, "images": _IMAGES}),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/images",
        list_image_fills,
        scopes=_CONTENT,
        tier=2,
        errors="err",
        returns=schemas.envelope(schemas.members({"images": schemas.mapping(schemas.TEXT)})),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/meta",
        read_metadata,
        scopes=("file_metadata:read", BROAD),
        tier=3,
        errors="err",
        returns=schemas.members({"file": schemas.members(_META, {"folder_name": schemas.TEXT, "role": _ROLE})}),
    ),
)
