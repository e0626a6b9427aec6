"""A file as a tree of layers, parts of it, pictures of them, and the file without its layers (platform-facts)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.accounts import people
from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.documents import file_answers, library_nodes, pictures, tree
from tokensync.emulator.endpoints import access, shapes
from tokensync.emulator.endpoints.answers import as_json, in_envelope, timestamp
from tokensync.emulator.endpoints.parameters import flag
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.filing import files, folders, places, sharing
from tokensync.emulator.filing.folders import thumbnail

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call, file_key: str) -> bytes:
    """The whole tree, or just the nodes of ``ids`` with what they are in; and what it refers to."""
    request = file_answers.asked(call, file_key)
    wanted = file_answers.ids(call, required=False)
    found = request.content
    root = found.document if wanted is None else tree.kept(found.document, frozenset(wanted))
    document = request.shown(root)
    answer = file_answers.about(call, request) | {
        "document": document,
        "components": file_answers.within(found.components, document),
        "componentSets": file_answers.within(found.component_sets, document),
        "schemaVersion": found.schema_version,
        "styles": file_answers.within(found.styles, document),
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
    return file_answers.no_larger(call, answer)


def read_nodes(call: Call, file_key: str) -> bytes:
    """Single nodes by their ids; one that is not there is null."""
    request = file_answers.asked(call, file_key)
    wanted = file_answers.ids(call, required=True) or ()
    content = request.content
    found = library_nodes.find(call.connection, request.file.number, wanted)
    found |= tree.find(content.document, frozenset(wanted))
    nodes: dict[str, Any] = {}
    for id_ in wanted:
        nodes[id_] = None
        if id_ in found:
            document = request.shown(found[id_])
            nodes[id_] = {
                "document": document,
                "components": file_answers.within(content.components, document),
                "componentSets": file_answers.within(content.component_sets, document),
                "schemaVersion": content.schema_version,
                "styles": file_answers.within(content.styles, document),
            }
    return file_answers.no_larger(call, file_answers.about(call, request) | {"nodes": nodes})


def render(call: Call, file_key: str) -> bytes:
    """Where pictures of nodes are; null for one that is not there."""
    wanted = file_answers.ids(call, required=True) or ()
    manner = pictures.manner(call)
    request = file_answers.asked(call, file_key)
    found = tree.find(request.content.document, frozenset(wanted))
    images = {id_: pictures.address(call, file_key, found[id_], manner) if id_ in found else None for id_ in wanted}
    return as_json({"err": None, "images": images})


def list_image_fills(call: Call, file_key: str) -> bytes:
    """Where the images are that layers are filled with, by their references."""
    request = file_answers.asked(call, file_key)
    references = tree.image_references(request.content.document)
    return in_envelope({"images": {each: pictures.fill_address(call, each) for each in references}})


def read_metadata(call: Call, file_key: str) -> bytes:
    """The file without its content; a branch or a file of any editor, too."""
    file = access.file_of(call, file_key)
    folder = places.known_folder(call.connection, file.folder)
    creator = people.document(people.known(call.connection, people.FIRST))
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

_IDS: Final = Query("ids", shapes.TEXT)
_VERSION: Final = Query("version", shapes.TEXT)
_DEPTH: Final = Query("depth", {"type": "integer", "minimum": 1})
_GEOMETRY: Final = Query("geometry", {"enum": ["paths"]})
_PLUGIN_DATA: Final = Query("plugin_data", shapes.TEXT)
_ROLE: Final = {"enum": ["owner", "editor", "viewer"]}
_ABOUT: Final = {
    "name": shapes.TEXT,
    "lastModified": shapes.TIME,
    "editorType": {"enum": ["figma", "figjam"]},
    "version": shapes.TEXT,
    "role": _ROLE,
}
_TREE: Final = {
    "document": shapes.members({"id": shapes.TEXT, "name": shapes.TEXT, "type": shapes.TEXT}),
    "components": shapes.SOMETHING,
    "componentSets": shapes.SOMETHING,
    "schemaVersion": {"type": "integer"},
    "styles": shapes.SOMETHING,
}
_LISTED: Final = {"mainFileKey": shapes.TEXT, "branches": shapes.array(shapes.SOMETHING), "thumbnailUrl": shapes.TEXT}
_IMAGES: Final = shapes.mapping(shapes.or_null(shapes.TEXT))
_META: Final = {
    "name": shapes.TEXT,
    "last_touched_at": shapes.TIME,
    "creator": shapes.USER,
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
        parameters=(_VERSION, _IDS, _DEPTH, _GEOMETRY, _PLUGIN_DATA, Query("branch_data", shapes.BOOLEAN)),
        gives=shapes.members(_ABOUT | _TREE, _LISTED),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/nodes",
        read_nodes,
        scopes=_CONTENT,
        tier=1,
        errors="err",
        parameters=(_IDS._replace(required=True), _VERSION, _DEPTH, _GEOMETRY, _PLUGIN_DATA),
        gives=shapes.members(_ABOUT | {"nodes": shapes.mapping(shapes.or_null(shapes.members(_TREE)))}),
    ),
    Route(
        "GET",
        "/v1/images/<file_key>",
        render,
        scopes=_CONTENT,
        tier=1,
        errors="err",
        parameters=(_IDS._replace(required=True), _VERSION, *pictures.PARAMETERS),
        gives=shapes.members({"err": {"type": "null"}, "images": _IMAGES}),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/images",
        list_image_fills,
        scopes=_CONTENT,
        tier=2,
        errors="err",
        gives=shapes.in_envelope(shapes.members({"images": shapes.mapping(shapes.TEXT)})),
    ),
    Route(
        "GET",
        "/v1/files/<file_key>/meta",
        read_metadata,
        scopes=("file_metadata:read", BROAD),
        tier=3,
        errors="err",
        gives=shapes.members({"file": shapes.members(_META, {"folder_name": shapes.TEXT, "role": _ROLE})}),
    ),
)
