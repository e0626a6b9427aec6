"""Values for a team's own templates: as text that many languages read, and as data that a template can look into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.generate import scalars
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.targets.css import composites as composites_css
from tokensync.targets.css import literals as css
from tokensync.targets.json import literals as plain
from tokensync.tokens import Color, Quantity, Unresolved, hexadecimal
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Resolved

    Convert = Callable[[Literal], str | None]

_PLAIN = plain.literals(exact=False)


def data(kind: str, value: Resolved) -> Any:
    """Return a literal as data; None for what has no form.

    A colour is ``{hex, alpha}`` (and its exact components), a length or a duration ``{value, unit}``, a family a list,
    an opacity a share of one, a composite its parts.
    """
    match value:
        case Color(red=red, green=green, blue=blue, alpha=alpha) if kind == "color":
            opaque = hexadecimal(Color(red, green, blue))
            return {"hex": opaque, "alpha": plain.number(alpha), **plain.components(value)}
        case Quantity(number=number, unit=unit):
            return {"value": plain.number(number), "unit": unit}
        case float() if kind == "dimension":
            return {"value": plain.number(value), "unit": "px"}
        case float() if kind == "percentage":
            share = scalars.share(value)
            return None if share is None else float(share)
        case float():
            return plain.number(value)
        case Unresolved():
            return None
        case bool() | str() if kind != "family":
            return value
    if kind == "family":
        return scalars.families(value)
    written = _PLAIN[kind](value) if kind in _PLAIN else None
    return None if written is None else decoded(written)


def _as_json(kind: str) -> Convert:
    def converted(value: Literal) -> str | None:
        found = data(kind, value) if _PLAIN[kind](value) is not None else None
        return None if found is None else plain.text(found)

    return converted


LITERALS: dict[str, dict[str, Convert]] = {
    "css": {**css.LITERALS, **composites_css.LITERALS},
    "json": {each: _as_json(each) for each in PLAIN_KINDS.values()},
}
"""By the option ``values`` and by kind, what writes a literal."""

UNREPRESENTABLE = {"css": css.UNREPRESENTABLE, "json": plain.UNREPRESENTABLE}
