"""Values for a team's own templates: as text that many languages read, and as data that a template can look into."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.generate.composites import TYPES, composite
from tokensync.generate.literals import composites_css, css, fonts, numbers, plain
from tokensync.tokens import Color, Quantity, Unresolved
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Resolved

    Convert = Callable[[Literal], str | None]

KINDS = {
    "color": "color",
    "length": "dimension",
    "text-length": "dimension",
    "number": "number",
    "percentage": "percentage",
    "weight": "number",
    "string": "string",
    "family": "family",
    "boolean": "boolean",
    "duration": "duration",
    **{each: each for each in TYPES},
}

_PLAIN = plain.literals(exact=False)


def data(kind: str, value: Resolved) -> Any:
    """A literal as data; None for what has no form.

    A colour is ``{hex, alpha}`` (and its exact components), a length or a duration ``{value, unit}``, a family a list,
    an opacity a share of one, a composite its parts.
    """
    match value:
        case Color(red=red, green=green, blue=blue, alpha=alpha) if kind == "color":
            opaque = plain.hexadecimal(Color(red, green, blue))
            return {"hex": opaque, "alpha": plain.number(alpha), **plain.components(value)}
        case Quantity(number=number, unit=unit):
            return {"value": plain.number(number), "unit": unit}
        case float() if kind == "dimension":
            return {"value": plain.number(value), "unit": "px"}
        case float() if kind == "percentage":
            share = numbers.share(value)
            return None if share is None else float(share)
        case float():
            return plain.number(value)
        case Unresolved():
            return None
        case bool() | str() if kind != "family":
            return value
    if kind == "family":
        return fonts.families(value)
    written = _PLAIN[kind](value) if kind in _PLAIN else None
    return None if written is None else decoded(written)


def _as_json(kind: str) -> Convert:
    def converted(value: Literal) -> str | None:
        found = data(kind, value) if _PLAIN[kind](value) is not None else None
        return None if found is None else plain.text(found)

    return converted


def _as_css(kind: str) -> Convert:
    def converted(value: Literal) -> str | None:
        typed = composite(value, kind)
        return None if typed is None else composites_css.text(typed)

    return converted


LITERALS: dict[str, dict[str, Convert]] = {
    "css": {**css.LITERALS, **{each: _as_css(each) for each in TYPES}},
    "json": {each: _as_json(each) for each in KINDS.values()},
}
"""By the option ``values`` and by kind, what writes a literal."""

UNREPRESENTABLE = {"css": css.UNREPRESENTABLE, "json": re.compile("(?!)")}
