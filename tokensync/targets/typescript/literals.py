"""Values as JavaScript."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import TYPE_CHECKING

from tokensync.generate import notation
from tokensync.generate.composites import Typography, composite
from tokensync.generate.composites import pixels as in_pixels
from tokensync.targets.css import literals as css
from tokensync.tokens import Color, Quantity, hexadecimal, normalized, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.composites import Length
    from tokensync.tokens import Literal

    Convert = Callable[[Literal], str | None]

_SPECIAL = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]|<(?=[/!])")
UNREPRESENTABLE = re.compile("(?!)")
"""A pattern without matches: JavaScript strings can contain any text."""

_AT = re.compile(r"(?<!\S)@")
_MILLISECONDS = {"ms": 1.0, "s": 1000.0}


def string(text: str) -> str:
    """Return a string in double quotes, which is valid JSON too.

    Control characters, bidi marks, lone surrogates and the ``<`` of tags are escaped.
    """
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def key(name: str) -> str:
    """Return a name as the key of an object literal; ``__proto__`` needs brackets to be an ordinary key."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if name.isascii() and name.isidentifier() else string(name)


def comment(text: str) -> list[str]:
    """Return the lines of a JSDoc comment, which cannot end it or contain a tag."""
    return [_AT.sub(r"\\@", line.replace("*/", "*\\/")) for line in notation.printable_lines(text)]


def css_text(convert: Convert) -> Convert:
    """Return a function that writes the CSS text of ``convert`` as a string."""

    def converted(value: Literal) -> str | None:
        content = convert(value)
        return None if content is None else string(content)

    return converted


def text_style(numeric_lengths: bool) -> Convert:
    """Return a function that writes a text style as an object of style properties, one per line."""

    def length(value: Length) -> str:
        return shortest(normalized(in_pixels(value))) if numeric_lengths else string(css.dimension(value) or "0px")

    def converted(value: Literal) -> str | None:
        typed = composite(value, "typography")
        if not isinstance(typed, Typography):
            return None
        members = {
            "fontFamily": string(css.family_list(typed.families)),
            "fontSize": length(typed.size),
            "fontWeight": shortest(typed.weight),
            "letterSpacing": length(typed.letter_spacing),
            "lineHeight": shortest(typed.line_height),
        }
        lines = "".join(f"\n  {name}: {each}," for name, each in members.items())
        return f"Object.freeze({{{lines}\n}})"

    return converted


def hex_color(value: Literal) -> str | None:
    """Return ``"#rrggbb"``, or ``"#rrggbbaa"`` when the colour is not opaque."""
    return string(hexadecimal(value)) if type(value) is Color else None


def milliseconds(value: Literal) -> str | None:
    """Return a duration as a number of milliseconds."""
    if type(value) is not Quantity or value.unit not in _MILLISECONDS or not isfinite(value.number):
        return None
    return shortest(normalized(value.number * _MILLISECONDS[value.unit]))


def text(value: Literal) -> str | None:
    """Return a text as a string."""
    return string(value) if type(value) is str else None


def literals(*, hex_colors: bool, numeric_lengths: bool, numeric_durations: bool) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; without these options, colours and measures are CSS texts."""
    return {
        "color": hex_color if hex_colors else css_text(css.color),
        "dimension": notation.pixels if numeric_lengths else css_text(css.dimension),
        "number": notation.decimal,
        "percentage": notation.share,
        "string": text,
        "family": css_text(css.font_family),
        "boolean": notation.boolean,
        "duration": milliseconds if numeric_durations else css_text(css.duration),
        **{each: css_text(convert) for each, convert in css.COMPOSITES.items()},
        "typography": text_style(numeric_lengths),
    }
