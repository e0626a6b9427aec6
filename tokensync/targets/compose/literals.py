"""Values as Kotlin with Jetpack Compose's types."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.generate.composites import NO_REFERENCES, TYPES, composite
from tokensync.targets.compose import composites as composites_kotlin
from tokensync.tokens import Color, Quantity, channel, float32, shortest
from tokensync.tokens.weights import HEAVIEST, LIGHTEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.tokens import Literal
    from tokensync.tokens.composites import Path

UNREPRESENTABLE = re.compile(r"(?!)")
"""Kotlin's strings hold everything: even half a surrogate pair."""

_SPECIAL = re.compile(
    '[\0-\x1f"\\\\$\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]'
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"', "$": "\\$"}
_LONGEST = 10_000
"""Characters of one literal: a longer text is the sum of several, since the JVM takes 65,535 bytes at most."""
_NOT_IN_A_COMMENT = re.compile("[^\\S ]|[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def string(text: str) -> str:
    """A Kotlin string; nothing in it is a template."""
    parts = [text[at : at + _LONGEST] for at in range(0, len(text), _LONGEST)] or [""]
    return " + ".join(f'"{_SPECIAL.sub(_escaped, each)}"' for each in parts)


def _escaped(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or f"\\u{ord(match[0]):04x}"


def comment(text: str) -> str:
    """A text on one line of a documentation comment, which it cannot end and in which it names nothing."""
    plain = " ".join(_NOT_IN_A_COMMENT.sub(" ", text).split())
    return plain.replace("*/", "*&#47;").replace("/*", "/&#42;").replace("[", "&#91;")


def color(value: Literal) -> str | None:
    """``Color(0xAARRGGBB)``."""
    if type(value) is not Color:
        return None
    return f"Color(0x{''.join(f'{channel(each):02X}' for each in (value.alpha, value.red, value.green, value.blue))})"


def number(value: Literal) -> str | None:
    """A ``Float``."""
    return _float(scalars.decimal(value))


def share(value: Literal) -> str | None:
    """A percentage as a ``Float`` from 0 to 1."""
    return _float(scalars.share(value))


def dp(value: Literal) -> str | None:
    """A ``Dp``."""
    return _measure(scalars.pixels(value), "dp")


def sp(value: Literal) -> str | None:
    """A ``TextUnit`` that follows the reader's font size."""
    return _measure(scalars.pixels(value), "sp")


def font_weight(value: Literal) -> str | None:
    """A ``FontWeight``; only whole numbers of its range have one."""
    return f"FontWeight({int(value)})" if type(value) is float and is_font_weight(value) else None


def is_font_weight(value: float) -> bool:
    """Whether ``FontWeight`` takes the number."""
    return LIGHTEST <= value <= HEAVIEST and value == int(value)


def duration(value: Literal) -> str | None:
    """A ``kotlin.time.Duration``."""
    if type(value) is not Quantity or value.unit not in _DURATIONS:
        return None
    return _measure(shortest(float32(value.number)), _DURATIONS[value.unit])


def text_or_families(value: Literal) -> str | None:
    """A text, or an array of font families, as a string."""
    text = scalars.listed(value)
    return None if text is None else string(text)


def _float(decimal: str | None) -> str | None:
    return None if decimal is None else f"{decimal}f"


def _measure(decimal: str | None, unit: str) -> str | None:
    """A number with an extension property after it; one that no Int and no Double literal is, as a Float."""
    if decimal is None:
        return None
    plain = composites_kotlin.literal(decimal)
    return f"({plain}).{unit}" if plain.startswith("-") else f"{plain}.{unit}"


_DURATIONS = {"ms": "milliseconds", "s": "seconds"}


def composite_text(dtcg_type: str, value: Literal, references: Mapping[Path, str] = NO_REFERENCES) -> str | None:
    """A composite of this type; ``references`` are the expressions of parts that have a property of their own."""
    typed = composite(value, dtcg_type)
    return None if typed is None else composites_kotlin.text(typed, _SPELLING, references)


def _color_text(value: Color) -> str:
    return color(value) or ""


_SPELLING = composites_kotlin.Spelling(_color_text, string)

LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "dp": dp,
    "sp": sp,
    "number": number,
    "percentage": share,
    "weight": font_weight,
    "string": text_or_families,
    "boolean": scalars.boolean,
    "duration": duration,
    **{dtcg_type: partial(composite_text, dtcg_type) for dtcg_type in TYPES},
}
