"""Values as the text of Android resources: escaped for aapt first, for XML then."""

from __future__ import annotations

import re
from math import floor
from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.tokens import Color, Quantity, channel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal

UNREPRESENTABLE = re.compile("[\0\ud800-\udfff]")
"""What no string resource can hold: aapt's own ``\\u`` escapes carry the control characters that XML forbids."""

LARGEST_INTEGER = 2_147_483_647
"""Of an integer resource."""

_MILLISECONDS = {"ms": 1.0, "s": 1000.0}
_SPECIAL = re.compile(
    "[\0-\x1f\\\\'\"&<>\x7f-\x9f\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ud800-\udfff\ufeff\ufffe\uffff]"
    "|^[@? ]| (?= |\\Z)|(?<=\n) |(?<=\t) "
)
_NAMED = {"\n": "\\n", "\t": "\\t", "\\": "\\\\", "'": "\\'", '"': '\\"', "@": "\\@", "?": "\\?"}
_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def string(text: str) -> str:
    """A string resource that reads back as the text.

    aapt collapses white space, ends a string at a bare quote and takes a leading ``@`` or ``?`` for a reference.
    """
    return _SPECIAL.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if UNREPRESENTABLE.match(character):
        return "\ufffd"
    return _NAMED.get(character) or _XML.get(character) or f"\\u{ord(character):04x}"


def color(value: Literal) -> str | None:
    """``#AARRGGBB``."""
    if type(value) is not Color:
        return None
    return "#" + "".join(f"{channel(each):02X}" for each in (value.alpha, value.red, value.green, value.blue))


def dp(value: Literal) -> str | None:
    """A length in density-independent pixels."""
    text = scalars.pixels(value)
    return None if text is None else f"{text}dp"


def sp(value: Literal) -> str | None:
    """A length that follows the reader's font size."""
    text = scalars.pixels(value)
    return None if text is None else f"{text}sp"


def milliseconds(value: Literal) -> str | None:
    """A duration as whole milliseconds, which is how Android counts them."""
    if type(value) is not Quantity or value.unit not in _MILLISECONDS:
        return None
    number = value.number * _MILLISECONDS[value.unit]
    return str(floor(number + 0.5)) if abs(number) <= LARGEST_INTEGER else None


def text_or_families(value: Literal) -> str | None:
    """A text, or an array of font families, as a string resource."""
    text = scalars.listed(value)
    return None if text is None else string(text)


def boolean(value: Literal) -> str | None:
    """``true`` or ``false``."""
    return str(value).lower() if type(value) is bool else None


LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "dp": dp,
    "sp": sp,
    "number": scalars.decimal,
    "integer": scalars.decimal,
    "milliseconds": milliseconds,
    "percentage": scalars.share,
    "string": text_or_families,
    "boolean": boolean,
}
