"""Files as trees of layers, pictures of layers, and files without their layers (Figma REST API: Files)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.client import file_reference
from tokensync.client.endpoint import Endpoint, Parameter, path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.client.file_reference import FileReference
    from tokensync.client.session import Session


_SCOPES: Final = ("file_content:read", "files:read")
_FILE: Final = path("file_key", "key of a file or branch")
_VERSION: Final = Parameter("version", "id of a version; without it the current one")
_IDS: Final = Parameter("ids", "ids of nodes", kind="list")
_MANNER: Final = (
    Parameter("depth", "how many levels of the tree", kind="number"),
    Parameter("geometry", "paths, to have vector data"),
    Parameter("plugin_data", "ids of plugins, and the word shared", kind="list"),
)

CONTENT: Final = Endpoint(
    "files",
    "content",
    "GET",
    "v1/files/{file_key}",
    "A file's tree of layers, or the part of it around some nodes.",
    _SCOPES,
    1,
    (_FILE, _VERSION, _IDS, *_MANNER, Parameter("branch_data", "also the file's branches", kind="boolean")),
    shape="plain",
)
NODES: Final = Endpoint(
    "files",
    "nodes",
    "GET",
    "v1/files/{file_key}/nodes",
    "Single nodes of a file, by their ids.",
    _SCOPES,
    1,
    (_FILE, _IDS._replace(required=True), _VERSION, *_MANNER),
    shape="plain",
)
IMAGES: Final = Endpoint(
    "files",
    "images",
    "GET",
    "v1/images/{file_key}",
    "Addresses of pictures of nodes.",
    _SCOPES,
    1,
    (
        _FILE,
        _IDS._replace(required=True),
        _VERSION,
        Parameter("scale", "0.01 to 4 times the size", kind="number"),
        Parameter("format", "jpg, png, svg or pdf"),
        Parameter("svg_outline_text", "text as outlines", kind="boolean"),
        Parameter("svg_include_id", "names of layers as ids", kind="boolean"),
        Parameter("svg_include_node_id", "ids of nodes as data", kind="boolean"),
        Parameter("svg_simplify_stroke", "simpler strokes", kind="boolean"),
        Parameter("contents_only", "without what lies over it", kind="boolean"),
        Parameter("use_absolute_bounds", "the whole bounding box", kind="boolean"),
    ),
    shape="plain",
)
IMAGE_FILLS: Final = Endpoint(
    "files",
    "image-fills",
    "GET",
    "v1/files/{file_key}/images",
    "Addresses of the images that layers are filled with.",
    _SCOPES,
    2,
    (_FILE,),
)
META: Final = Endpoint(
    "files",
    "meta",
    "GET",
    "v1/files/{file_key}/meta",
    "A file without its content: name, folder, editor, people.",
    ("file_metadata:read", "files:read"),
    3,
    (_FILE,),
    shape="plain",
)
ENDPOINTS: Final = (CONTENT, NODES, IMAGES, IMAGE_FILLS, META)


class Node(msgspec.Struct, frozen=True, rename="camel"):
    """A layer, or another node of a file. ``bound_variables`` and ``explicit_variable_modes`` are as the platform says.

    Of a ``style`` only what is bound to variables is read, and of paints and effects too.
    """

    id: str
    name: str = ""
    type: str = ""
    children: tuple[Node, ...] = ()
    bound_variables: dict[str, Any] = {}
    explicit_variable_modes: dict[str, str] = {}
    fills: Any = None
    strokes: Any = None
    effects: Any = None


class Content(msgspec.Struct, frozen=True, rename="camel"):
    """A file with its tree; ``last_modified`` is ISO 8601."""

    document: Node
    name: str = ""
    version: str = ""
    last_modified: str = ""


class _Single(msgspec.Struct, frozen=True):
    document: Node


class _Nodes(msgspec.Struct, frozen=True):
    nodes: dict[str, _Single | None] = {}


class Metadata(msgspec.Struct, frozen=True):
    """A file without its content. ``editor_type`` is figma, figjam, slides, buzz, sites or make."""

    name: str
    editor_type: str = msgspec.field(name="editorType", default="")
    folder_name: str = ""
    last_touched_at: str = ""
    role: str = ""
    version: str = ""


class _Wrapped(msgspec.Struct, frozen=True):
    """The body; older versions of the platform had the members of ``file`` at top level."""

    file: Metadata | None = None
    name: str = ""
    editor_type: str = msgspec.field(name="editorType", default="")
    last_touched_at: str = ""


class Files:
    """Reads files. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def content(self, file: FileReference | str, *, depth: int | None = None) -> Content:
        """The tree of a file, or its first ``depth`` levels: with 1 just the pages."""
        return self._session.read(CONTENT.request({"file_key": _key(file), "depth": depth}), Content)

    def nodes(self, file: FileReference | str, ids: Sequence[str], *, depth: int | None = None) -> dict[str, Node]:
        """The nodes of these ids with what is in them; one that the file does not have is left out."""
        request = NODES.request({"file_key": _key(file), "ids": tuple(ids), "depth": depth})
        found = self._session.read(request, _Nodes).nodes
        return {id_: single.document for id_, single in found.items() if single is not None}

    def metadata(self, file: FileReference | str) -> Metadata:
        """The file without its content."""
        body = self._session.read(META.request({"file_key": _key(file)}), _Wrapped)
        return body.file or Metadata(body.name, body.editor_type, last_touched_at=body.last_touched_at)


def _key(file: FileReference | str) -> str:
    return file_reference.of(file).working_key
