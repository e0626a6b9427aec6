"""What shows a token best: a swatch, a bar, a word in its typeface. Told by type, else by scopes, else by name."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tokensync.naming import words
from tokensync.tokens.paths import names
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens import Token

OF_SCOPE = {
    "CORNER_RADIUS": "radius",
    "FONT_FAMILY": "font",
    "FONT_SIZE": "font-size",
    "FONT_STYLE": "string",
    "FONT_WEIGHT": "weight",
    "GAP": "length",
    "LETTER_SPACING": "letter-spacing",
    "LINE_HEIGHT": "line-height",
    "OPACITY": "opacity",
    "PARAGRAPH_INDENT": "length",
    "PARAGRAPH_SPACING": "length",
    "STROKE_FLOAT": "stroke",
    "WIDTH_HEIGHT": "length",
}
OF_WORD = {
    "corner": "radius",
    "corners": "radius",
    "radii": "radius",
    "radius": "radius",
    "rounded": "radius",
    "stroke": "stroke",
    "border": "stroke",
    "outline": "stroke",
    "leading": "line-height",
    "tracking": "letter-spacing",
}
OF_WORDS = {
    ("font", "size"): "font-size",
    ("text", "size"): "font-size",
    ("line", "height"): "line-height",
    ("letter", "spacing"): "letter-spacing",
}
OF_TYPE = {
    "border": "border",
    "boolean": "boolean",
    "color": "color",
    "cubicBezier": "curve",
    "duration": "duration",
    "fontFamily": "font",
    "fontWeight": "weight",
    AS_TEXT: "weight",
    "gradient": "gradient",
    "shadow": "shadow",
    "string": "string",
    "strokeStyle": "stroke-style",
    "transition": "transition",
    "typography": "typography",
}

SPECIMENS = tuple(dict.fromkeys((*OF_TYPE.values(), *OF_SCOPE.values(), "length", "number", "none")))
"""Every specimen that the page can draw."""

_LENGTHS = frozenset(("font-size", "letter-spacing", "line-height", "length", "radius", "stroke"))
_NUMBERS = frozenset(("letter-spacing", "line-height", "opacity"))


def specimens_of(tokens: Iterable[Token]) -> list[str]:
    """Return the specimen of each token."""
    return [_specimen(each) for each in tokens]


def _specimen(token: Token) -> str:
    of_type = OF_TYPE.get(token.type)
    if of_type is not None:
        return of_type
    if token.is_percentage:
        return "opacity"
    possible = {"dimension": _LENGTHS, "number": _NUMBERS}.get(token.type, frozenset())
    of_scopes = {OF_SCOPE.get(each, "") for each in token.scopes}
    if len(of_scopes) == 1 and (found := of_scopes.pop()) in possible:
        return found
    spelled = [word for name in names(token.key.path) for word in words(name)]
    told = (*(OF_WORDS.get(pair) for pair in pairwise(spelled)), *(OF_WORD.get(each) for each in spelled))
    for by_name in told:
        if by_name in possible:
            return by_name
    return {"dimension": "length", "number": "number"}.get(token.type, "none")
