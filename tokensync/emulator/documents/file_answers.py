"""What answers about files are made of: the file at a version, and its layers as they are asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.documents import content, tree, versions
from tokensync.emulator.endpoints import access
from tokensync.emulator.endpoints.answers import as_json, timestamp
from tokensync.emulator.endpoints.parameters import positive
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.filing import sharing
from tokensync.emulator.filing.folders import thumbnail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.emulator.documents.content import Content, Node
    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.filing import files

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
        return tree.as_asked(node, depth=self.depth, geometry=self.geometry, plugins=self.plugins)


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
    for each in tree.nodes(node):
        used.add(each["id"])
        used.update(_texts(each.get("componentId")), _texts(each.get("componentSetId")))
        styles = each.get("styles")
        if isinstance(styles, dict):
            used.update(style for style in styles.values() if isinstance(style, str))
    return {id_: document for id_, document in found.items() if id_ in used}


def no_larger(call: Call, document: Mapping[str, Any]) -> bytes:
    """Return the document as a body, unless that is larger than the platform gives (platform-api.md 7)."""
    body = as_json(document)
    if len(body) > content.largest(call.connection):
        raise invalid(_TOO_LARGE)
    return body


def _listed(text: str) -> list[str]:
    return [each for each in (part.strip() for part in text.split(",")) if each]


def _node_id(written: str) -> str:
    return written.replace("-", ":") if _IN_LINKS.fullmatch(written) else written


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()
