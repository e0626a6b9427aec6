"""Values as JavaScript."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES, Typography, composite
from tokensync.generate.composites import pixels as in_pixels
from tokensync.generate.literals import comments, composites_css, css, numbers
from tokensync.tokens import Color, Quantity, channel, float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.composites import Length
    from tokensync.tokens import Literal

    Convert = Callable[[Literal], str | None]

_SPECIAL = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]|<(?=[/!])")
_AT = re.compile(r"(?<!\S)@")
_MILLISECONDS = {"ms": 1.0, "s": 1000.0}


def string(text: str) -> str:
    """A string in double quotes, as JSON has it too.

    Control characters, bidi marks, lone surrogates and the ``<`` of tags are escaped.
    """
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def key(name: str) -> str:
    """A name as the key of an object literal; ``__proto__`` in brackets, or it would be the object's prototype."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if name.isascii() and name.isidentifier() else string(name)


def comment(text: str) -> list[str]:
    """The lines of a JSDoc comment's text, which cannot end the comment, and in which nothing is a tag."""
    return [_AT.sub(r"\\@", line.replace("*/", "*\\/")) for line in comments.lines(text)]


def css_text(convert: Convert) -> Convert:
    """A function that gives what ``convert`` makes of a literal, a text in CSS, as a string."""

    def converted(value: Literal) -> str | None:
        made = convert(value)
        return None if made is None else string(made)

    return converted


def css_composite(dtcg_type: str) -> Convert:
    """A function that gives a composite of this type as CSS, in a string."""

    def converted(value: Literal) -> str | None:
        typed = composite(value, dtcg_type)
        return None if typed is None else string(composites_css.text(typed))

    return converted


def text_style(pixels: bool) -> Convert:
    """A function that gives a text style as an object whose members are called as the style properties are."""

    def length(value: Length) -> str:
        return shortest(float32(in_pixels(value))) if pixels else string(css.dimension(value) or "0px")

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
        return f"Object.freeze({{ {', '.join(f'{name}: {each}' for name, each in members.items())} }})"

    return converted


def hexadecimal(value: Literal) -> str | None:
    """``"#rrggbb"``, with two more digits when the colour is not opaque."""
    if type(value) is not Color:
        return None
    alpha = () if value.alpha == 1 else (value.alpha,)
    return f'"#{"".join(f"{channel(each):02x}" for each in (value.red, value.green, value.blue, *alpha))}"'


def milliseconds(value: Literal) -> str | None:
    """A duration as a number of milliseconds."""
    if type(value) is not Quantity or value.unit not in _MILLISECONDS or not isfinite(value.number):
        return None
    return shortest(float32(value.number * _MILLISECONDS[value.unit]))


def text(value: Literal) -> str | None:
    """A text as a string."""
    return string(value) if type(value) is str else None


def boolean(value: Literal) -> str | None:
    """``true`` or ``false``."""
    return str(value).lower() if type(value) is bool else None


def literals(*, hexadecimals: bool, pixels: bool, counted: bool) -> dict[str, Convert]:
    """By kind, what writes a literal: colours in hexadecimals, lengths in pixels, durations in milliseconds, or CSS."""
    return {
        "color": hexadecimal if hexadecimals else css_text(css.color),
        "dimension": numbers.pixels if pixels else css_text(css.dimension),
        "number": numbers.decimal,
        "percentage": numbers.share,
        "string": text,
        "family": css_text(css.font_family),
        "boolean": boolean,
        "duration": milliseconds if counted else css_text(css.duration),
        **{each: css_composite(each) for each in TYPES if each != "typography"},
        "typography": text_style(pixels),
    }
