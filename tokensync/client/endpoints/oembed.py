"""oEmbed 1.0 of files and published Make projects (https://oembed.com)."""

from __future__ import annotations

from typing import Final

from tokensync.client.endpoint import Endpoint, Parameter

READ: Final = Endpoint(
    "oembed",
    "read",
    "GET",
    "v1/oembed",
    "Get the oEmbed description of a file.",
    ("file_metadata:read", "files:read"),
    3,
    (
        Parameter("url", "URL of a file", required=True),
        Parameter("maxwidth", "pixels; default: 800", kind="number"),
        Parameter("maxheight", "pixels; default: 450", kind="number"),
    ),
    shape="plain",
)
ENDPOINTS: Final = (READ,)
