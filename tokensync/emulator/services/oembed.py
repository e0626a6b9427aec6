"""oEmbed 1.0 for files and published Make projects (https://oembed.com)."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from tokensync.emulator import access, endpoints, people
from tokensync.emulator.endpoints import Query, Refusal, Route, as_json, invalid, positive
from tokensync.emulator.services.folders import thumbnail
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call


_WIDTH, _HEIGHT = 800, 450  # pixels
_LARGEST: Final = 10_000
_CACHE_SECONDS: Final = 3600
_PATH: Final = re.compile(
    r"/(?:design|file|proto|board|slides|deck|make|buzz|site|figjam)/([A-Za-z0-9_-]+)(?:/branch/([A-Za-z0-9_-]+))?"
)


def read(call: Call) -> bytes:
    """Return the HTML that embeds the file at a URL, and its metadata."""
    url = call.query.get("url")
    if not url:
        raise invalid("url is required")
    if call.query.get("format", "json") != "json":
        raise Refusal(501, "Only format=json is supported")
    file = access.file_of(call, _key(url))
    width = min(_WIDTH, positive(call.query, "maxwidth", _LARGEST) or _WIDTH)
    height = min(_HEIGHT, positive(call.query, "maxheight", _LARGEST) or _HEIGHT)
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


def _key(url: str) -> str:
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

ROUTES: Final = (
    Route(
        "GET",
        "/v1/oembed",
        read,
        scopes=("file_metadata:read", BROAD),
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
