"""What a token's values are for an output: its type, told apart by role where the written form depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens import Token

Kind = Literal[
    "color",
    "length",
    "text-length",
    "number",
    "percentage",
    "weight",
    "string",
    "family",
    "boolean",
    "duration",
    "shadow",
    "border",
    "typography",
    "gradient",
    "transition",
    "cubicBezier",
    "strokeStyle",
    "",
]
"""``percentage`` counts from 0 to 100 and is written as a share of one; ``text-length`` is a length that belongs to
text; the empty kind is a type that no output has a form for. Those of ``composites.TYPES`` are called as they are."""

PLAIN_KINDS: dict[str, str] = {each: each for each in get_args(Kind) if each} | {
    "length": "dimension",
    "text-length": "dimension",
    "weight": "number",
}
"""The kinds of outputs to which a length is a length, whatever it measures, and a weight is a number."""

_OF_TYPE: dict[str, Kind] = {
    "color": "color",
    "dimension": "length",
    "number": "number",
    "fontWeight": "weight",
    AS_TEXT: "weight",
    "string": "string",
    "fontFamily": "family",
    "boolean": "boolean",
    "duration": "duration",
    "shadow": "shadow",
    "border": "border",
    "typography": "typography",
    "gradient": "gradient",
    "transition": "transition",
    "cubicBezier": "cubicBezier",
    "strokeStyle": "strokeStyle",
}


def kinds_of(tokens: Iterable[Token]) -> list[Kind]:
    """Return each token's kind."""
    known: dict[tuple[str, tuple[str, ...]], Kind] = {}
    kinds: list[Kind] = []
    for token in tokens:
        told_by = (token.type, token.scopes)
        kind = known.get(told_by)
        if kind is None:
            kind = known[told_by] = _kind(token)
        kinds.append(kind)
    return kinds


def _kind(token: Token) -> Kind:
    if token.is_percentage:
        return "percentage"
    if token.is_text_measure:
        return "text-length"
    return _OF_TYPE.get(token.type, "")
