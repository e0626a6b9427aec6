"""Files: nodes, images, metadata, versions, oEmbed and comments (Figma REST API: Files, Version history, Comments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import msgspec

from tokensync.extract.client import file_reference
from tokensync.extract.client.endpoint import (
    BODY,
    Endpoint,
    Page,
    Paging,
    Parameter,
    next_page_of_pagination,
    path,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.extract.client.file_reference import FileReference
    from tokensync.extract.client.session import Session


_FILE: Final = path("file_key", "key of a file or branch")
_READ_COMMENTS: Final = ("file_comments:read", "files:read")
_WRITE_COMMENTS: Final = ("file_comments:write",)
_COMMENT: Final = path("comment_id", "id of a comment")
_EMOJI: Final = Parameter("emoji", "a shortcode such as :heart:", required=True)

LIST_COMMENTS: Final = Endpoint(
    "comments",
    "list",
    "GET",
    "v1/files/{file_key}/comments",
    "List the comments on a file.",
    _READ_COMMENTS,
    2,
    (_FILE, Parameter("as_md", "texts as Markdown", kind="boolean")),
    shape="plain",
)
POST_COMMENT: Final = Endpoint(
    "comments",
    "post",
    "POST",
    "v1/files/{file_key}/comments",
    "Comment on a file, or reply to a comment.",
    _WRITE_COMMENTS,
    2,
    (
        _FILE,
        Parameter("message", "the text", BODY, required=True),
        Parameter("comment_id", "id of the comment to reply to", BODY),
        Parameter("client_meta", "position: a point or region on the canvas or a node", BODY, "json"),
    ),
    shape="plain",
)
DELETE_COMMENT: Final = Endpoint(
    "comments",
    "delete",
    "DELETE",
    "v1/files/{file_key}/comments/{comment_id}",
    "Delete one of your comments.",
    _WRITE_COMMENTS,
    2,
    (_FILE, _COMMENT),
    shape="any",
    subject="comment",
)
LIST_REACTIONS: Final = Endpoint(
    "comments",
    "reactions",
    "GET",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "List the reactions to a comment.",
    _READ_COMMENTS,
    2,
    (_FILE, _COMMENT, Parameter("cursor", "cursor from the previous page")),
    shape="plain",
    paging=Paging(("reactions",), next_page_of_pagination),
    subject="comment",
)
REACT: Final = Endpoint(
    "comments",
    "react",
    "POST",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "React to a comment.",
    _WRITE_COMMENTS,
    2,
    (_FILE, _COMMENT, _EMOJI._replace(location=BODY)),
    shape="any",
    subject="comment",
)
TAKE_BACK: Final = Endpoint(
    "comments",
    "take-back",
    "DELETE",
    "v1/files/{file_key}/comments/{comment_id}/reactions",
    "Remove one of your reactions.",
    _WRITE_COMMENTS,
    2,
    (_FILE, _COMMENT, _EMOJI),
    shape="any",
    subject="comment",
)
COMMENTS: Final = (LIST_COMMENTS, POST_COMMENT, DELETE_COMMENT, LIST_REACTIONS, REACT, TAKE_BACK)


_SCOPES: Final = ("file_content:read", "files:read")
_VERSION: Final = Parameter("version", "id of a version; default: the current one")
_IDS: Final = Parameter("ids", "ids of nodes", kind="list")
_OPTIONS: Final = (
    Parameter("depth", "number of tree levels", kind="number"),
    Parameter("geometry", "paths: include vector data"),
    Parameter("plugin_data", "ids of plugins, or shared", kind="list"),
)

_VERSIONS_A_PAGE: Final = 50
_PAGE_PARAMETERS: Final = ("page_size", "before", "after")


def _following(page: Page) -> Mapping[str, Any] | None:
    """Return the parameters in the next page's URL. The URL itself may have another host, so it is never requested."""
    address = within(page, "pagination", "next_page")
    query = address.partition("#")[0].partition("?")[2] if isinstance(address, str) else ""
    parameters = {name: value for name, value in parse_qsl(query) if name in _PAGE_PARAMETERS}
    return parameters or None


CONTENT: Final = Endpoint(
    "files",
    "content",
    "GET",
    "v1/files/{file_key}",
    "Get the node tree of a file, or the parts that contain some nodes.",
    _SCOPES,
    1,
    (_FILE, _VERSION, _IDS, *_OPTIONS, Parameter("branch_data", "include branches", kind="boolean")),
    shape="plain",
)
NODES: Final = Endpoint(
    "files",
    "nodes",
    "GET",
    "v1/files/{file_key}/nodes",
    "Get nodes of a file by their ids.",
    _SCOPES,
    1,
    (_FILE, _IDS._replace(required=True), _VERSION, *_OPTIONS),
    shape="plain",
)
IMAGES: Final = Endpoint(
    "files",
    "images",
    "GET",
    "v1/images/{file_key}",
    "Render nodes as images and get their URLs.",
    _SCOPES,
    1,
    (
        _FILE,
        _IDS._replace(required=True),
        _VERSION,
        Parameter("scale", "0.01 to 4", kind="number"),
        Parameter("format", "jpg, png, svg or pdf"),
        Parameter("svg_outline_text", "text as outlines", kind="boolean"),
        Parameter("svg_include_id", "layer names as ids", kind="boolean"),
        Parameter("svg_include_node_id", "node ids as data attributes", kind="boolean"),
        Parameter("svg_simplify_stroke", "simpler strokes", kind="boolean"),
        Parameter("contents_only", "without overlapping content", kind="boolean"),
        Parameter("use_absolute_bounds", "use the full bounding box", kind="boolean"),
    ),
    shape="plain",
)
IMAGE_FILLS: Final = Endpoint(
    "files",
    "image-fills",
    "GET",
    "v1/files/{file_key}/images",
    "Get the URLs of images in fills.",
    _SCOPES,
    2,
    (_FILE,),
)
META: Final = Endpoint(
    "files",
    "meta",
    "GET",
    "v1/files/{file_key}/meta",
    "Get the metadata of a file: name, folder, editor, users.",
    ("file_metadata:read", "files:read"),
    3,
    (_FILE,),
    shape="plain",
)
LIST_VERSIONS: Final = Endpoint(
    "versions",
    "list",
    "GET",
    "v1/files/{file_key}/versions",
    "List the versions of a file, the newest first.",
    ("file_versions:read", "files:read"),
    2,
    (
        path("file_key", "key of a file or branch"),
        Parameter("page_size", f"versions per page; maximum: {_VERSIONS_A_PAGE}", kind="number"),
        Parameter("before", "id of a version: list older ones"),
        Parameter("after", "id of a version: list newer ones"),
    ),
    shape="plain",
    paging=Paging(("versions",), _following),
)
READ_OEMBED: Final = Endpoint(
    "oembed",
    "read",
    "GET",
    "v1/oembed",
    "Get the oEmbed description of a file.",
    ("file_metadata:read",),
    3,
    (
        Parameter("url", "URL of a file", required=True),
        Parameter("maxwidth", "pixels; default: 800", kind="number"),
        Parameter("maxheight", "pixels; default: 450", kind="number"),
    ),
    shape="plain",
)
ENDPOINTS: Final = (CONTENT, NODES, IMAGES, IMAGE_FILLS, META)
VERSIONS: Final = (LIST_VERSIONS,)
OEMBED: Final = (READ_OEMBED,)


class Node(msgspec.Struct, frozen=True, rename="camel"):
    """A node of a file. ``bound_variables`` and ``explicit_variable_modes`` are the platform's JSON.

    Only variable bindings are read from ``fills``, ``strokes`` and ``effects``.
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
    """The metadata of a file. ``editor_type`` is figma, figjam, slides, buzz, sites or make."""

    name: str
    editor_type: str = msgspec.field(name="editorType", default="")
    folder_name: str = ""
    last_touched_at: str = ""
    role: str = ""
    version: str = ""


class _Wrapped(msgspec.Struct, frozen=True):
    """The body. Older versions of the platform have the members of ``file`` at the top level."""

    file: Metadata | None = None
    name: str = ""
    editor_type: str = msgspec.field(name="editorType", default="")
    last_touched_at: str = ""


class Files:
    """Reads files. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def content(self, file: FileReference | str, *, depth: int | None = None) -> Content:
        """Return the tree of a file, or its first ``depth`` levels; 1 means only pages."""
        return self._session.read(CONTENT.request({"file_key": _key(file), "depth": depth}), Content)

    def nodes(self, file: FileReference | str, ids: Sequence[str], *, depth: int | None = None) -> dict[str, Node]:
        """Return nodes and their children by id; omit missing nodes."""
        request = NODES.request({"file_key": _key(file), "ids": tuple(ids), "depth": depth})
        nodes = self._session.read(request, _Nodes).nodes
        return {id_: single.document for id_, single in nodes.items() if single is not None}

    def metadata(self, file: FileReference | str) -> Metadata:
        """Return the metadata of a file."""
        body = self._session.read(META.request({"file_key": _key(file)}), _Wrapped)
        return body.file or Metadata(body.name, body.editor_type, last_touched_at=body.last_touched_at)


class Version(msgspec.Struct, frozen=True):
    """A version. One without a ``label`` was saved automatically. ``created_at`` is ISO 8601."""

    id: str
    created_at: str = ""
    label: str | None = None
    description: str | None = None


class Versions:
    """Lists versions of files. A file is a reference, a key or a URL."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(self, file: FileReference | str) -> Iterator[Version]:
        """Yield the versions of a file, the newest first."""
        values = {"file_key": _key(file), "page_size": _VERSIONS_A_PAGE}
        return self._session.rows(LIST_VERSIONS, values, Version)


def _key(file: FileReference | str) -> str:
    return file_reference.of(file).working_key
