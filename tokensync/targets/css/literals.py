"""Values as CSS."""

from __future__ import annotations

import re
from math import floor
from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.tokens import Color, Quantity, channel, float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tokensync.tokens import Literal

UNREPRESENTABLE = re.compile("[\0\ud800-\udfff]")
"""What no CSS string can hold, even escaped."""

GENERIC_FAMILIES = frozenset(
    """
    serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji
    fangsong
    """.split()
)

_SPECIAL = re.compile('[\0-\x1f"\\\\<\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]')
_UNITS = frozenset("px rem em ms s % vh vw pt ch ex".split())


def string(text: str) -> str:
    """A CSS string. Quotes, line ends, control characters, bidi marks and ``<`` (of ``</style>``) are escaped."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in '"\\':
        return f"\\{character}"
    return "\ufffd" if UNREPRESENTABLE.match(character) else f"\\{ord(character):x} "


def identifier(text: str) -> str:
    """A CSS identifier, for the name of an attribute after ``data-``."""
    return re.sub(r"[^\w-]", lambda match: f"\\{ord(match[0]):x} " if match[0] != "\0" else "\ufffd", text)


def comment(text: str) -> str:
    """A comment, which its text cannot end."""
    safe = "".join(each if each.isprintable() else " " for each in text)
    return f"/* {safe.replace('*/', '* /').replace('</', '< /')} */"


def color(value: Literal) -> str | None:
    """``#rrggbb``, or ``rgb(r g b / a)`` when it is not opaque."""
    if type(value) is not Color:
        return None
    red, green, blue = channel(value.red), channel(value.green), channel(value.blue)
    if value.alpha == 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"rgb({red} {green} {blue} / {alpha(value.alpha)})"


def alpha(share: float) -> str:
    """An opacity with four decimals at most."""
    return f"{floor(share * 10_000 + 0.5) / 10_000:.4f}".rstrip("0").rstrip(".")


def dimension(value: Literal) -> str | None:
    """A plain number in px, or a quantity in its own unit."""
    if type(value) is Quantity:
        return f"{shortest(float32(value.number))}{value.unit}" if value.unit in _UNITS else None
    text = scalars.decimal(value)
    return None if text is None else f"{text}px"


def duration(value: Literal) -> str | None:
    """A quantity in ms or s."""
    return dimension(value) if type(value) is Quantity and value.unit in ("ms", "s") else None


def plain_string(value: Literal) -> str | None:
    """A text as a CSS string."""
    return string(value) if type(value) is str else None


def font_family(value: Literal) -> str | None:
    """A comma list of families: generic keywords bare, every other one a string."""
    families = scalars.families(value)
    if families is None:
        return None
    return family_list(families)


def family_list(names: Iterable[str]) -> str:
    """Families by comma: generic keywords bare, every other one a string."""
    return ", ".join(each.lower() if each.lower() in GENERIC_FAMILIES else string(each) for each in names) or '""'


def boolean(value: Literal) -> str | None:
    """1 or 0, which ``calc()`` can use."""
    return str(int(value)) if type(value) is bool else None


LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "dimension": dimension,
    "number": scalars.decimal,
    "percentage": scalars.share,
    "string": plain_string,
    "family": font_family,
    "boolean": boolean,
    "duration": duration,
}
