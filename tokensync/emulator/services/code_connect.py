"""Code Connect: the code of components, as Figma's command line publishes it (figma/code-connect, cli/src/connect)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from tokensync.emulator import access, endpoints, store
from tokensync.emulator.endpoints import OF_PEOPLE, TEXT, Call, Query, Refusal, Route, array, envelope, invalid, members
from tokensync.emulator.services import documents, files, images

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.emulator.files import File


_PUBLISHED: Final = "code connect"
_DIMENSIONS: Final = 64


class _Node(NamedTuple):
    """A node that has code, in a language or framework (``label``)."""

    file_key: str
    id: str
    label: str


def publish(call: Call) -> bytes:
    """Publish the code of nodes. A node that is refused does not affect the others."""
    nodes = endpoints.read_json(call)
    endpoints.flag(call.query, "force")  # nothing is kept from before that it could overwrite

    def add(published: set[_Node], file: File, node: _Node) -> bool:
        if not documents.find(documents.of_file(call.connection, file.number).document, {node.id}):
            raise invalid("Node not found")
        published.add(node)
        return True

    return _apply(call, nodes, "published", add)


def unpublish(call: Call) -> bytes:
    """Remove the code of nodes. One that has none is neither deleted nor failed."""
    nodes = endpoints.read_object(call).get("nodes_to_delete")

    def remove(published: set[_Node], _: File, node: _Node) -> bool:
        is_there = node in published
        published.discard(node)
        return is_there

    return _apply(call, nodes, "deleted", remove)


def _apply(call: Call, nodes: Any, verb: str, change: Callable[[set[_Node], File, _Node], bool]) -> bytes:
    """Apply a change to each node, and return which succeeded and which failed."""
    if not isinstance(nodes, list) or not all(
        isinstance(node, dict) and all(isinstance(node.get(name), str) for name in _NODE) for node in nodes
    ):
        raise invalid(f"A list of objects with {' and '.join(_NODE)} is required")
    published = {_Node(*node) for node in json.loads(store.value_of(call.connection, _PUBLISHED) or "[]")}
    succeeded, failed = [], []
    for entry in ({name: node[name] for name in _NODE} for node in nodes):
        try:
            file = access.file_of(call, images.key_of(entry["figmaNode"]), edits=True)
            id_ = parse_qs(urlsplit(entry["figmaNode"]).query).get("node-id", [""])[0].replace("-", ":")
            if change(published, file, _Node(file.key, id_, entry["label"])):
                succeeded.append(entry)
        except Refusal as refusal:
            failed.append({**entry, "reason": refusal.message})
    store.set_value(call.connection, _PUBLISHED, json.dumps(sorted(published)))
    return endpoints.in_envelope(
        {
            "success": not failed,
            f"{verb}_count": len(succeeded),
            "failed_count": len(failed),
            f"{verb}_nodes": succeeded,
            "failed_nodes": failed,
        }
    )


def name_embeddings(call: Call) -> bytes:
    """Return a vector for each name, nearer to each other the more pairs of letters two names share."""
    access.file_of(call, call.query.get("file_key", ""))
    names = endpoints.read_json(call)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise invalid("Request body must be a list of names")
    return endpoints.in_envelope({"embeddings": [_vector(name.lower()) for name in names]})


def _vector(name: str) -> list[int]:
    vector = [0] * _DIMENSIONS
    for first, second in zip(f" {name}", f"{name} ", strict=True):
        vector[(31 * ord(first) + ord(second)) % _DIMENSIONS] += 1
    return vector


_NODE: Final = {"figmaNode": TEXT, "label": TEXT}
_WRITE: Final = ("file_code_connect:write",)
_NODES: Final = array(members(_NODE))
_COUNT: Final = {"type": "integer", "minimum": 0}


def _outcome(verb: str) -> endpoints.Schema:
    counts = {"success": endpoints.BOOLEAN, f"{verb}_count": _COUNT, "failed_count": _COUNT}
    failed = array(members(_NODE | {"reason": TEXT}))
    return envelope(members(counts | {f"{verb}_nodes": _NODES, "failed_nodes": failed}))


ROUTES: Final = (
    Route(
        "POST",
        "/v1/code_connect",
        publish,
        _WRITE,
        kinds=OF_PEOPLE,
        parameters=(Query("force", endpoints.BOOLEAN),),
        accepts=array({"type": "object", "required": [*_NODE], "additionalProperties": True}),
        returns=_outcome("published"),
    ),
    Route(
        "DELETE",
        "/v1/code_connect",
        unpublish,
        _WRITE,
        kinds=OF_PEOPLE,
        accepts=members({"nodes_to_delete": _NODES}),
        returns=_outcome("deleted"),
    ),
    files.ROUTES[0]._replace(path="/v1/code_connect/<file_key>/cli_data", tier=None),
    Route(
        "POST",
        "/v1/code_connect/name_embeddings",
        name_embeddings,
        _WRITE,
        kinds=OF_PEOPLE,
        parameters=(Query("file_key", TEXT, required=True),),
        accepts=array(TEXT),
        returns=envelope(members({"embeddings": array(array(endpoints.NUMBER))})),
    ),
)
