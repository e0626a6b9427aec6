"""Pictures of files and layers."""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from tokensync.emulator import files, schemas
from tokensync.emulator.endpoints import Answer, Query, Refusal, Route, flag, invalid

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.nodes import Node


FORMATS: Final = {"png": "image/png", "jpg": "image/jpeg", "svg": "image/svg+xml", "pdf": "application/pdf"}
FILLS: Final = "fill"
"""Stands in an address in place of a file's key."""
_SMALLEST, _LARGEST = 0.01, 4.0
_MOST_PIXELS: Final = 4096
_FLAGS: Final = (
    "svg_outline_text",
    "svg_include_id",
    "svg_include_node_id",
    "svg_simplify_stroke",
    "contents_only",
    "use_absolute_bounds",
)
PARAMETERS: Final = (
    Query("scale", {"type": "number", "minimum": _SMALLEST, "maximum": _LARGEST}),
    Query("format", {"enum": list(FORMATS)}),
    *(Query(name, schemas.BOOLEAN) for name in _FLAGS),
)


class Manner(NamedTuple):
    """How a picture is wanted: ``scale`` times as large as the layer."""

    format: str
    scale: float


def manner(call: Call) -> Manner:
    """Return how a request wants its pictures."""
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
    return Manner(format_, scale)


def address(call: Call, file_key: str, node: Node, wanted: Manner) -> str:
    """Return where the picture of a layer is."""
    width, height = (_pixels(each, wanted.scale) for each in _size(node))
    name = f"{node['id'].replace(':', '-')}-{width}x{height}.{wanted.format}"
    return f"{call.root}/pictures/{file_key}/{quote(name)}"


def fill_address(call: Call, reference: str) -> str:
    """Return where the image is that a layer is filled with."""
    return f"{call.root}/pictures/{FILLS}/{quote(reference, safe='')}.png"


def picture(name: str) -> tuple[bytes, str]:
    """Return the picture of this file name, and its type."""
    stem, _, format_ = name.rpartition(".")
    if format_ not in FORMATS:
        raise Refusal(404, "Picture not found")
    width, _, height = stem.rpartition("-")[2].partition("x")
    sizes = [int(each) if each.isascii() and each.isdigit() and len(each) < 5 else 100 for each in (width, height)]
    return _DRAWN[format_](*(min(max(each, 1), _MOST_PIXELS) for each in sizes)), FORMATS[format_]


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
    """Blocks of 8 by 8 pixels: both codes of each, the grey and the end, are one bit, 0."""
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
    """One empty page; the table of its objects is computed, since readers look them up by byte."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]>>" % (width, height),
    )
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj%b endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % each for each in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    return written + head + table + end


_DRAWN: Final = {"png": _png, "jpg": _jpeg, "svg": _svg, "pdf": _pdf}


def read(call: Call, of: str, name: str) -> Answer:
    """A picture of a file, or of what layers of any file are filled with."""
    if of != FILLS and files.find(call.connection, of) is None:
        raise Refusal(404, "Picture not found")
    content, content_type = picture(name)
    return Answer(content, content_type=content_type)


ROUTES: Final = (Route("GET", "/pictures/<of>/<name>", read),)
