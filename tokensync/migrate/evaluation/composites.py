"""Composite values: typography and borders become tokens for their members, the rest stays JSON for token files.

Variables cannot hold a composite. A shadow, gradient, transition, curve or stroke style whose members are all known is
kept as DTCG defines it (``Refused.kept``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.literals import composite, meant
from tokensync.dtcg.parse import BadToken
from tokensync.migrate.evaluation.colors import parts_between
from tokensync.migrate.evaluation.literals import COMPOSITES, UNKNOWN, kind_of, kind_of_word
from tokensync.migrate.evaluation.values import AliasTo, Members, Reading, Refused, refused
from tokensync.tokens.composites import fits, literal_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.migrate.source import SourceToken

Layer = dict[str, Reading]
"""The members of a composite, or of one of its layers, by their names as written."""

_KINDS_OF_MEMBERS = {
    "typography": {"fontWeight": "weightText", "fontFamily": "fontFamily"},
    "border": {"color": "color", "width": "dimension", "style": "string"},
    "shadow": {
        **dict.fromkeys(("x", "y", "offsetX", "offsetY", "blur", "spread", "radius"), "dimension"),
        "color": "color",
        "type": "string",
        "inset": "boolean",
    },
    "gradient": {"color": "color", "position": "number"},
    "transition": {"duration": "duration", "delay": "duration", "timingFunction": "cubicBezier"},
}
_LENGTH = re.compile(r"[-+.0-9{]|calc\(")
_NAMES = {"x": "offsetX", "y": "offsetY"}
_SHADOW_TYPES = {"dropShadow": False, "innerShadow": True}
_LIKELY = {
    "typography": {"fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing"},
    "shadow": {"color", "blur", "spread", "offsetX", "offsetY", "x", "y"},
    "border": {"color", "width", "style"},
}
"""The members that an object without a type is recognised by: at least three of them, and no others."""
_ARTICLES = {
    "typography": "a typography",
    "composition": "a composition",
    "cubicBezier": "a curve",
    "strokeStyle": "a stroke style",
}


def kind_of_value(token: SourceToken) -> str:
    """Return the kind of a token with a composite value; ``""`` for other values."""
    kind = kind_of(token)
    if kind in COMPOSITES:
        return kind
    value = token.value
    if kind != UNKNOWN or not isinstance(value, dict) or len(value) < 3:
        return ""
    return next((each for each, names in _LIKELY.items() if value.keys() <= names), "")


def kind_of_member(kind: str, name: str) -> str:
    """Return the kind of a member of a composite."""
    return _KINDS_OF_MEMBERS.get(kind, {}).get(name) or kind_of_word(name)


def is_kept(reading: Reading) -> bool:
    """Return whether the value is a composite that token files can hold, or an alias."""
    return isinstance(reading.value, AliasTo) or (isinstance(reading.value, Refused) and bool(reading.value.kept))


def unwrapped(member: Any) -> Any:
    """Return the value of a member that is written as a token, as in older versions of Tokens Studio."""
    is_token = isinstance(member, dict) and "value" in member and "unit" not in member
    return member["value"] if is_token else member


def members_of(kind: str, layer: Layer) -> Reading:
    """Return the reading of a composite that becomes a token for each member."""
    if not layer:
        return refused(f"the {kind} has no members")
    readings = tuple(layer.items())
    values = Members(tuple((name, each.type, each.value) for name, each in readings))
    return Reading(values, Refused(f"a {kind} has no literal; its members have"), kind, members=readings)


def shadow_layers(text: str) -> list[dict[str, Any]] | None:
    """Return the layers of a shadow in CSS, whose parts may be references; None for other texts.

    In CSS, a blur or spread that is not written is 0. A reference at the end is the colour.
    """
    layers: list[dict[str, Any]] = []
    for layer in parts_between(text, ","):
        items = parts_between(layer, " ")
        names = [item for item in items if item != "inset"]
        if names and not _LENGTH.match(names[0]):
            names.append(names.pop(0))
        *lengths, color = names or [""]
        if not 2 <= len(lengths) <= 4 or not all(map(_LENGTH.match, lengths)) or color[:1].isdigit():
            return None
        written = dict(
            zip(("offsetX", "offsetY", "blur", "spread"), (*lengths, *"00"[: 4 - len(lengths)]), strict=True)
        )
        layers.append({**written, "color": color, **({"inset": True} if "inset" in items else {})})
    return layers


def of_text(kind: str, text: str) -> Reading:
    """Return the reading of a composite that is written as a text, such as ``ease-in`` or a CSS gradient."""
    return of_json(kind, text.strip())


def of_json(kind: str, value: Any) -> Reading:
    """Return the reading of a composite without references, as DTCG or in a notation that tokensync knows."""
    if kind in _KEPT:
        try:
            found = meant(kind, value, None)
            return _not_a_variable(kind, composite(kind, value if found is None else found.value).json)
        except BadToken:
            return _not_a_variable(kind)
        except RecursionError:
            return refused("it is nested too deeply")
    return refused(f"it is not {_ARTICLES.get(kind, f'a {kind}')}")


_KEPT = ("shadow", "gradient", "transition", "cubicBezier", "strokeStyle", "border")


def kept(kind: str, value: Any, layers: Sequence[Layer | Reading]) -> Reading:
    """Return the reading of a composite with the JSON of its members; without it if a member has no value."""
    items: list[Any] = []
    for layer in layers:
        if isinstance(layer, Reading):
            if layer.type != kind:
                what = layer.value.reason if isinstance(layer.value, Refused) else f"a {layer.type} is no {kind}"
                return _not_a_variable(kind, reason=what)
            items.append(json_of(layer, kind))
            continue
        item: dict[str, Any] = {}
        for name, reading in layer.items():
            if isinstance(reading.literal, Refused) and not is_kept(reading):
                return _not_a_variable(kind, reason=f"{name[:40]}: {reading.literal.reason}")
            if kind == "shadow" and name == "type" and reading.literal in _SHADOW_TYPES:
                item |= {"inset": True} if _SHADOW_TYPES[str(reading.literal)] else {}
                continue
            part = kind_of_member(kind, name)
            if isinstance(reading.value, AliasTo) and not fits(part, reading.type):
                reason = f"{name[:40]}: {{{reading.value.path}}} is a {reading.type}, not a {part}"
                return _not_a_variable(kind, reason=reason)
            item[_NAMES.get(name, name) if kind == "shadow" else name] = json_of(reading, part)
        items.append(item)
    whole = items if isinstance(value, list) else items[0]
    try:
        return _not_a_variable(kind, composite(kind, whole).json)
    except BadToken as error:
        return _not_a_variable(kind, reason=error.what)


def _not_a_variable(kind: str, json: str = "", reason: str = "") -> Reading:
    what = f"variables cannot hold {_ARTICLES.get(kind, f'a {kind}')}"
    return refused(f"{what}; {reason}" if reason else what, json, kind)


def json_of(reading: Reading, kind: str) -> Any:
    """Return a member as the JSON of DTCG: a reference if it is one, else its literal."""
    if isinstance(reading.value, AliasTo):
        return f"{{{reading.value.path}}}"
    if isinstance(reading.value, Refused):
        from tokensync.tokens.composites import decoded

        return decoded(reading.value.kept)
    if isinstance(reading.literal, Refused):
        return None
    return literal_json(reading.literal, "dimension" if kind == "dimension" else reading.type)
