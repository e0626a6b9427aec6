"""``@property``: each token's type told to the browser, which then checks values and can animate them.

An initial value has to say all by itself: no reference, and no length that depends on a font.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.tokens import Quantity, Unresolved, float32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.css.options import CssOptions
    from tokensync.targets.css.spelling import Spelling

SYNTAX = {
    "color": "<color>",
    "dimension": "<length>",
    "number": "<number>",
    "percentage": "<number>",
    "boolean": "<number>",
    "duration": "<time>",
}
"""By kind; what is not here has no syntax that a registration could tell: strings, families and composite values."""


def registrations(sheet: Sheet, options: CssOptions, spelling: Spelling) -> Iterator[tuple[int, str, str, str]]:
    """(place, name, syntax, initial value): the default theme's. A token without a value there has none."""
    shown = sheet.resolution.default
    for place in sheet.declared:
        kind = sheet.kinds[place]
        syntax = SYNTAX.get(kind or "")
        literal = sheet.literal(shown, place)
        if syntax is None or kind is None or isinstance(literal, Unresolved):
            continue
        if kind == "dimension":
            if isinstance(literal, Quantity):
                literal = float32(literal.number * (options.base if literal.unit == "rem" else 1.0))
            pixels = scalars.decimal(literal)
            initial = None if pixels is None else f"{pixels}px"
        else:
            initial = spelling.literals[kind](literal)
        if initial is not None:
            yield place, sheet.names[place], syntax, initial
