"""Rendered images of nodes, image fills and thumbnails: grey placeholders with the right size and format."""

from __future__ import annotations

import html
import math
import re
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from tokensync.emulator import access, endpoints, files, people
from tokensync.emulator.endpoints import (
    OF_PEOPLE,
    Answer,
    Query,
    Refusal,
    Route,
    as_json,
    existing,
    flag,
    invalid,
    positive,
)
from tokensync.emulator.services.folders import picture_url, thumbnail

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.services.documents import Node


FORMATS: Final = {"png": "image/png", "jpg": "image/jpeg", "svg": "image/svg+xml", "pdf": "application/pdf"}
FILLS: Final = "fill"
"""Takes the place of a file key in the URLs of image fills."""
_SMALLEST, _LARGEST = 0.01, 4.0
_MOST_PIXELS: Final = 4096
_FLAGS: Final = (
    *(f"svg_{name}" for name in ("outline_text", "include_id", "include_node_id", "simplify_stroke")),
    *("contents_only", "use_absolute_bounds"),
)
PARAMETERS: Final = (
    Query("scale", {"type": "number", "minimum": _SMALLEST, "maximum": _LARGEST}),
    Query("format", {"enum": list(FORMATS)}),
    *(Query(name, endpoints.BOOLEAN) for name in _FLAGS),
)


class RenderOptions(NamedTuple):
    """The format of an image, and its size relative to the node."""

    format: str
    scale: float


def render_options(call: Call) -> RenderOptions:
    """Return the render options of a request."""
    format_ = call.query.get("format", "png")
    if format_ not in FORMATS:
        raise invalid(f"format must be one of {', '.join(FORMATS)}")
    try:
        scale = float(call.query.get("scale", "1"))
    except ValueError:
        scale = math.nan
    if not _SMALLEST <= scale <= _LARGEST:
        raise invalid(f"scale must be a number from {_SMALLEST} to {_LARGEST:g}")
    for name in _FLAGS:
        flag(call.query, name)
    return RenderOptions(format_, scale)


def address(call: Call, file_key: str, node: Node, options: RenderOptions) -> str:
    """Return the URL of a node's image."""
    width, height = (_pixels(length, options.scale) for length in _size(node))
    name = f"{node['id'].replace(':', '-')}-{width}x{height}.{options.format}"
    return picture_url(call, file_key, quote(name))


def fill_address(call: Call, reference: str) -> str:
    """Return the URL of an image fill."""
    return picture_url(call, FILLS, f"{quote(reference, safe='')}.png")


def picture(name: str) -> tuple[bytes, str]:
    """Return the image with this file name and its media type."""
    stem, _, format_ = name.rpartition(".")
    if format_ not in FORMATS:
        raise Refusal(404, "Picture not found")
    width, _, height = stem.rpartition("-")[2].partition("x")
    sizes = [int(each) if each.isascii() and each.isdigit() and len(each) < 5 else 100 for each in (width, height)]
    return _DRAWN[format_](*(min(max(size, 1), _MOST_PIXELS) for size in sizes)), FORMATS[format_]


def _size(node: Node) -> tuple[float, float]:
    box: Any = node.get("absoluteBoundingBox")
    if not isinstance(box, dict):
        return 100.0, 100.0
    width, height = (box.get(each) for each in ("width", "height"))
    return (
        float(width) if isinstance(width, int | float) else 100.0,
        float(height) if isinstance(height, int | float) else 100.0,
    )


def _pixels(length: float, scale: float) -> int:
    return min(max(round(length * scale), 1), _MOST_PIXELS)


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # eight bits of grey
    lines = (b"\0" + b"\xc0" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def _jpeg(width: int, height: int) -> bytes:
    """Return a grey JPEG. Each block of 8 by 8 pixels is two codes, the grey and the end, of one zero bit each."""
    table = bytes((1, *(0,) * 15, 0))
    blocks = -(-width // 8) * -(-height // 8)
    bits, spare = divmod(blocks * 2, 8)
    return b"".join(
        (
            b"\xff\xd8\xff\xdb\0\x43\0" + b"\x01" * 64,
            b"\xff\xc0\0\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0",
            b"\xff\xc4\0\x14\0" + table + b"\xff\xc4\0\x14\x10" + table,
            b"\xff\xda\0\x08\x01\x01\0\0\x3f\0",
            bytes(bits) + (bytes((0xFF >> spare,)) if spare else b""),
            b"\xff\xd9",
        )
    )


def _svg(width: int, height: int) -> bytes:
    size = f'width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect {size} fill="#c0c0c0"/></svg>'.encode()


def _pdf(width: int, height: int) -> bytes:
    """Return one empty page. Its cross-reference table has the byte offsets of the objects."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]>>" % (width, height),
    )
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj%b endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))
    return body + head + table + end


_DRAWN: Final = {"png": _png, "jpg": _jpeg, "svg": _svg, "pdf": _pdf}


def read(call: Call, source: str, name: str) -> Answer:
    """Return an image of the file with the key ``source``, or an image fill of any file.

    Its URL is signed, as those of the service's storage: it expires, and refuses a request with another authorization.
    """
    if any(name in call.headers for name in ("X-Figma-Token", "Authorization")):
        raise invalid("Only one authorization is allowed: send no token to the URL of a picture")
    if call.now >= (endpoints.whole_number(call.query, "expires") or 0):
        raise Refusal(403, "Request has expired")
    if source != FILLS:
        existing(files.find(call.connection, source), "Picture")
    content, content_type = picture(name)
    return Answer(content, content_type=content_type)


ROUTES: Final = (
    Route("GET", "/pictures/<source>/<name>", read, parameters=(Query("expires", endpoints.NUMBER, required=True),)),
)


_WIDTH, _HEIGHT = 800, 450  # pixels
_LARGEST_FRAME: Final = 10_000
_CACHE_SECONDS: Final = 3600
_PATH: Final = re.compile(
    r"/(?:design|file|proto|board|slides|deck|make|buzz|site|figjam)/([A-Za-z0-9_-]+)(?:/branch/([A-Za-z0-9_-]+))?"
)


def read_oembed(call: Call) -> bytes:
    """Return the HTML that embeds the file at a URL, and its metadata."""
    url = call.query.get("url")
    if not url:
        raise invalid("url is required")
    if call.query.get("format", "json") != "json":
        raise Refusal(501, "Only format=json is supported")
    file = access.file_of(call, key_of(url))
    width = min(_WIDTH, positive(call.query, "maxwidth", _LARGEST_FRAME) or _WIDTH)
    height = min(_HEIGHT, positive(call.query, "maxheight", _LARGEST_FRAME) or _HEIGHT)
    source = f"https://embed.figma.com/{quote(urlsplit(url).path.strip('/'))}"
    frame = f'<iframe src="{html.escape(source)}" width="{width}" height="{height}" allowfullscreen></iframe>'
    return as_json(
        {
            "type": "rich",
            "version": "1.0",
            "title": file.name,
            "key": file.key,
            "url": f"https://www.figma.com/design/{file.key}",
            "author_name": people.require(call.connection, people.FIRST).handle,
            "provider_name": "Figma",
            "provider_url": "https://www.figma.com",
            "cache_age": _CACHE_SECONDS,
            "thumbnail_url": thumbnail(call, file),
            "thumbnail_width": width,
            "thumbnail_height": height,
            "width": width,
            "height": height,
            "html": frame,
        }
    )


def key_of(url: str) -> str:
    """Return the key of the file or branch at a URL."""
    try:
        parts = urlsplit(url)
        match = _PATH.match(parts.path) if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        match = None
    if match is None:
        raise invalid("url must be the URL of a file")
    return match[2] or match[1]


_SIZE: Final = {"type": "integer", "minimum": 1}

OEMBED: Final = (
    Route(
        "GET",
        "/v1/oembed",
        read_oembed,
        scopes=("file_metadata:read",),
        kinds=OF_PEOPLE,
        tier=3,
        errors="err",
        parameters=(
            Query("url", endpoints.TEXT, required=True),
            Query("maxwidth", _SIZE | {"default": _WIDTH}),
            Query("maxheight", _SIZE | {"default": _HEIGHT}),
        ),
        returns=endpoints.members(
            {"type": {"const": "rich"}, "version": {"const": "1.0"}, "width": _SIZE, "height": _SIZE},
            {
                "title": endpoints.TEXT,
                "html": endpoints.TEXT,
                "url": endpoints.TEXT,
                "cache_age": {"const": _CACHE_SECONDS},
            },
        ),
    ),
)
