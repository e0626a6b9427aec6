"""Texts in JSON, TOML and HTML, whose readers get them back unchanged."""

from __future__ import annotations

import json
from typing import NewType

from tokensync.outlet.characters import escaped, visible
from tokensync.outlet.commands import broken, broken_in_prose

Json = NewType("Json", str)
"""A JSON text in which everything prints; only ``in_json`` makes it."""
Html = NewType("Html", str)
"""An HTML page without commands; only ``page`` makes it."""


def in_json(document: str) -> Json:
    """Return an equivalent JSON text with commands and unprintable characters escaped."""
    return Json(broken(escaped(document, _utf_16_escape), "json"))


def in_toml(text: str) -> str:
    """Return a basic string of TOML that is exact when copied, and can stand in a block of Markdown.

    Everything is escaped that cannot be seen, that a forge or a CI runner reads, and that ends the block.
    """
    quoted = broken(json.dumps(text, ensure_ascii=False), "json")
    return escaped(broken_in_prose(quoted, _code_point_escape), _code_point_escape).replace("`", "\\u0060")


def page(rendered: bytes) -> Html:
    """Return a page that a template rendered; its escapes do not change what a browser shows."""
    lines = broken(rendered.decode("utf-8"), "html").split("\n")
    return Html("\n".join(map(visible, lines)))


def _utf_16_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _code_point_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
