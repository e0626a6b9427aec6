"""Values as Swift, and colours as the components of an asset catalog."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.generate.literals import fonts, numbers
from tokensync.tokens import Color, float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal

UNREPRESENTABLE = re.compile("[\ud800-\udfff]")
"""What no Swift string can hold."""

_SPECIAL = re.compile('[\0-\x1f"\\\\\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]')
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def string(text: str) -> str:
    """A Swift string literal; a backslash is doubled, so that nothing is interpolated."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if UNREPRESENTABLE.match(character):
        return "\ufffd"
    return _NAMED.get(character) or f"\\u{{{ord(character):x}}}"


def components(color: Color) -> tuple[str, str, str, str]:
    """Red, green, blue and alpha as decimals from 0 to 1."""
    red, green, blue, alpha = (
        shortest(float32(min(max(each, 0.0), 1.0))) for each in (color.red, color.green, color.blue, color.alpha)
    )
    return red, green, blue, alpha


def color(value: Literal) -> str | None:
    """Any text for a colour: it is loaded from the catalog by its token's name."""
    return "" if type(value) is Color else None


def text_or_families(value: Literal) -> str | None:
    """A text, or an array of font families, as a Swift string."""
    text = fonts.listed(value)
    return None if text is None else string(text)


def boolean(value: Literal) -> str | None:
    """``true`` or ``false``."""
    return str(value).lower() if type(value) is bool else None


LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "number": numbers.pixels,
    "percentage": numbers.share,
    "string": text_or_families,
    "boolean": boolean,
}
