"""Values that DTCG has no word for, as the member ``value`` of our extension: both ways.

- ``{"alias": "color.accent.base"}``: to a token that no reader could follow; with ``"file"`` when it is elsewhere.
- ``{"dangling": "VariableID:1:2"}``: to something that is not there.
- ``{"color": {"alias": ...}, "opacity": 48}``: a composed colour; each part a literal, an alias or dangling.
- ``{"string": "{x}"}``: a string that a reader would take for a reference.
- ``{"composite": "...", "references": {"{a.b}": {"alias": "a.b"}}}``: a composite whose references no reader could
  follow, and what they lead to.
- ``{"boolean": true}``, ``{"number": 1}``, ``{"srgb": [1, 0, 0]}``, ``{"quantity": [1, "rem"]}``,
  ``{"composite": "..."}``: a literal that does not fit the token's type.
- ``null``: nothing.
"""

from __future__ import annotations

from typing import Any

from tokensync.formats.dtcg.text import Inline
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    TokenKey,
    Value,
    float32,
    shortest,
)
from tokensync.tokens.composites import is_number


class BadKept(Exception):
    """A kept value that is none of the forms above."""


def kept(value: Value | None, file: str) -> dict[str, Any] | None:
    """The form of a value of a token of this file."""
    match value:
        case None:
            return None
        case Alias(target=target):
            spelled = {"alias": f"{target.collection}.{target.path}"}
            return spelled if target.file == file else {**spelled, "file": target.file}
        case DanglingAlias(reference=reference):
            return {"dangling": reference}
        case ComposedColor(color=color, opacity=opacity):
            share = Inline(shortest(opacity)) if isinstance(opacity, float) else kept(opacity, file)
            return {"color": kept(color, file), "opacity": share}
        case bool():
            return {"boolean": value}
        case float():
            return {"number": Inline(shortest(value))}
        case str():
            return {"string": value}
        case Color(red=red, green=green, blue=blue, alpha=alpha):
            channels = (red, green, blue) if alpha == 1 else (red, green, blue, alpha)
            return {"srgb": [Inline(shortest(each)) for each in channels]}
        case Quantity(number=number, unit=unit):
            return {"quantity": [Inline(shortest(number)), unit]}
        case Composite(json=json, references=references):
            spelled = {"composite": json}
            return (
                {**spelled, "references": {text: kept(Alias(target), file) for text, target in references}}
                if references
                else spelled
            )


def value_of(form: Any, file: str) -> Value | None:
    """The value of a form. Raises BadKept."""
    match form:
        case None:
            return None
        case {"color": color, "opacity": opacity}:
            return _composed(color, opacity, file)
        case {"boolean": bool(truth)}:
            return truth
        case {"number": number} if is_number(number):
            return _single(number)
        case {"string": str(text)}:
            return text
        case {"quantity": [number, str(unit)]} if is_number(number):
            return Quantity(_single(number), unit)
        case {"composite": str(text), "references": dict(references)}:
            return Composite(text, tuple((each, _target(form, file)) for each, form in references.items()))
        case {"composite": str(text)}:
            return Composite(text)
        case {"srgb": _}:
            return _color(form)
        case _:
            return _reference(form, file)


def _reference(form: Any, file: str) -> Alias | DanglingAlias:
    match form:
        case {"alias": str(spelled)}:
            collection, _, path = spelled.partition(".")
            elsewhere = form.get("file", file)
            if collection and path and isinstance(elsewhere, str):
                return Alias(TokenKey(elsewhere, collection, path))
        case {"dangling": str(reference)}:
            return DanglingAlias(reference)
    raise BadKept("the value kept in org.tokensync has no known form")


def _target(form: Any, file: str) -> TokenKey:
    reference = _reference(form, file)
    if isinstance(reference, Alias):
        return reference.target
    raise BadKept("a reference of the composite kept in org.tokensync leads nowhere")


def _composed(color: Any, opacity: Any, file: str) -> ComposedColor:
    base = _color(color) if isinstance(color, dict) and "srgb" in color else _reference(color, file)
    share = _single(opacity) if is_number(opacity) else _reference(opacity, file)
    return ComposedColor(base, share)


def _color(form: dict[str, Any]) -> Color:
    channels = form["srgb"]
    if isinstance(channels, list) and len(channels) in (3, 4) and all(map(is_number, channels)):
        return Color(*map(_single, channels))
    raise BadKept("the colour kept in org.tokensync is not an array of three or four numbers")


def _single(number: Any) -> float:
    try:
        return float32(float(number))
    except OverflowError:
        raise BadKept("a number kept in org.tokensync is too large") from None
