"""Composite values, which variables do not support: their shapes and references (DTCG 2025.10 Format, Composite types).

A composite is kept as JSON. Each check of a shape tells what is wrong, or None; a reference passes wherever a whole
part may be one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import color
from tokensync.dtcg.document import without_pointers
from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import ROOT, path_of_pointer
from tokensync.tokens import Composite
from tokensync.tokens.composites import CAPS, STROKES, canonical, decoded, fits, is_number, parts_of, reference_of
from tokensync.tokens.values import HEAVIEST, LIGHTEST, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.dtcg.document import Document, Targets
    from tokensync.tokens import TokenKey

    Check = Callable[[Any], "str | None"]


_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_DEEPEST_VALUE = 64
_LARGEST = 3.4e38  # a little below the largest float32


def fault_of(token_type: str, value: Any) -> str | None:
    """Return what keeps a value from being one of this composite type, or None."""
    if _depth(value) > _DEEPEST_VALUE:
        return "it is nested too deep"
    return COMPOSITE_TYPES[token_type](value)


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level and depth <= _DEEPEST_VALUE:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _members(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    known = {**required, **(optional or {})}

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"an object with {', '.join(required)} is expected"
        if missing := [each for each in required if each not in value]:
            return f"it lacks {', '.join(missing)}"
        for name, part in value.items():
            if name not in known:
                return f"it has an unknown member {name[:40]!r}"
            if (fault := known[name](part)) is not None:
                return f"{name}: {fault}"
        return None

    return check


def _parts(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """Members of which each may be a reference."""
    return _members(
        {name: _or_reference(check) for name, check in required.items()},
        {name: _or_reference(check) for name, check in (optional or {}).items()},
    )


def _or_reference(check: Check) -> Check:
    return lambda value: None if reference_of(value) is not None else check(value)


def _number(value: Any) -> str | None:
    if not is_number(value):
        return "a number is expected"
    return None if -_LARGEST <= value <= _LARGEST else "a number up to 3.4e38 is expected"


def _share(value: Any) -> str | None:
    return None if is_number(value) and 0 <= value <= 1 else "a number from 0 to 1 is expected"


def _truth(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false is expected"


def _one_of(*words: str) -> Check:
    return lambda value: None if value in words and isinstance(value, str) else f"one of {', '.join(words)} is expected"


def _hex(value: Any) -> str | None:
    return None if isinstance(value, str) and _HEX.fullmatch(value) else "six hex digits after # are expected"


def _list_of(check: Check, length: int | None = None) -> Check:
    def check_all(value: Any) -> str | None:
        if not isinstance(value, list) or (length is not None and len(value) != length) or not value:
            return f"an array of {length} is expected" if length else "an array with something in it is expected"
        return next((fault for each in value if (fault := check(each)) is not None), None)

    return check_all


def _component(value: Any) -> str | None:
    return None if value == "none" or is_number(value) else 'a number or "none" is expected'


def _weight(value: Any) -> str | None:
    fits = (isinstance(value, str) and value in WEIGHTS) or (is_number(value) and LIGHTEST <= value <= HEAVIEST)
    return None if fits else "a weight from 1 to 1000 or its name is expected"


def _families(value: Any) -> str | None:
    if isinstance(value, str):
        return None
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return "a font name or an array of font names is expected"
    if any(reference_of(each) is not None for each in value):
        return "a reference stands for all of the fonts, not for one in an array"
    return None


def _bezier(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) != 4 or any(_number(each) is not None for each in value):
        return "four numbers are expected"
    return None if 0 <= value[0] <= 1 and 0 <= value[2] <= 1 else "both x are to be from 0 to 1"


def _one_or_many(check: Check) -> Check:
    many = _list_of(_or_reference(check))
    return lambda value: many(value) if isinstance(value, list) else check(value)


def _stop(value: Any) -> str | None:
    if reference_of(value) is not None:  # DTCG says both that it is one stop and that a gradient is an array
        return "a reference cannot stand for a stop, only for its color and its position"
    return _STOP(value)


def _stroke(value: Any) -> str | None:
    return _DASHES(value) if isinstance(value, dict) else _one_of(*STROKES)(value)


_COLOR = _members(
    {"colorSpace": _one_of("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz-d65",
                           "xyz-d50", "hsl", "hwb", "lab", "lch", "oklab", "oklch"),
     "components": _list_of(_component, 3)},
    {"alpha": _share, "hex": _hex},
)  # fmt: skip
_DIMENSION = _members({"value": _number, "unit": _one_of("px", "rem")})
_DURATION = _members({"value": _number, "unit": _one_of("ms", "s")})
_DASHES = _members({"dashArray": _list_of(_or_reference(_DIMENSION)), "lineCap": _one_of(*CAPS)})
_STOP = _parts({"color": _COLOR, "position": _number})
_SHADOW = _parts(
    {"color": _COLOR, "offsetX": _DIMENSION, "offsetY": _DIMENSION, "blur": _DIMENSION, "spread": _DIMENSION},
    {"inset": _truth},
)

COMPOSITE_TYPES: dict[str, Check] = {
    "fontFamily": lambda value: _families(value) if isinstance(value, list) else "an array of font names is expected",
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    "border": _parts({"color": _COLOR, "width": _DIMENSION, "style": _stroke}),
    "transition": _parts({"duration": _DURATION, "delay": _DURATION, "timingFunction": _bezier}),
    "shadow": _one_or_many(_SHADOW),
    "gradient": _list_of(_stop),
    "typography": _parts(
        {
            "fontFamily": _families,
            "fontSize": _DIMENSION,
            "fontWeight": _weight,
            "letterSpacing": _DIMENSION,
            "lineHeight": _number,
        }
    ),
}
"""What checks each type whose values are kept as JSON; ``fontFamily`` is one when it is an array."""


def composite(token_type: str, value: Any) -> Composite:
    """Return a composite whose references, if it has any, lead nowhere yet. Raises BadToken with what does not fit."""
    fault = fault_of(token_type, value)
    if fault is not None:
        what = f"this is not a valid {token_type}: {fault}"
        raise BadToken("token-value", what, "complete it as the DTCG format has it", ("$value",))
    for part in parts_of(token_type, value):
        if part.type == "color" and part.reference is None:
            try:
                color(part.json)
            except BadToken as refusal:
                refusal.within = ("$value", *part.path, *refusal.within[1:])
                raise
    return Composite(canonical(_plain_numbers(value)))


def with_targets(
    token_type: str, read: Composite, targets: Targets, type_of: Callable[[TokenKey], str | None]
) -> Composite:
    """Return the composite with the tokens that its references lead to. Raises BadToken for one that does not fit its
    place.

    ``type_of`` tells a token's type, None where it has none (which is told where it is).
    """
    found: dict[str, TokenKey] = {}
    for part in parts_of(token_type, decoded(read.json)):
        if part.reference is None:
            continue
        within = ("$value", *part.path)
        try:
            alias = targets.of_reference(part.reference)
        except BadToken as refusal:
            refusal.within = within
            raise
        if alias is None:  # such a pointer is gone by now, unless it stands where a reference cannot
            what = f"{part.reference[:120]!r} refers to a part of a value"
            raise BadToken("token-reference", what, "refer to a token", within)
        target_type = type_of(alias.target)
        if target_type is not None and not fits(part.type, target_type):
            what = f"there is a {target_type} in place of a {part.type}"
            raise BadToken("token-reference-type", what, f"refer to a {part.type}", within)
        found[part.reference] = alias.target
    return Composite(read.json, tuple(found.items())) if found else read


def without_inner_pointers(token_type: str, value: Any, documents: Iterable[Document], targets: Targets) -> Any:
    """Return the value in which each ``$ref`` that is no part as a whole has become what it points at. Raises
    BadToken.
    """
    documents = tuple(documents)
    near = without_pointers(value, documents, lambda node: _names_token(node, targets))
    whole = {id(part.json) for part in parts_of(token_type, near) if part.reference is not None}
    return without_pointers(near, documents, lambda node: id(node) in whole)


def composite_text(token_type: str, value: Composite) -> Inline | None:
    """Return the ``$value`` text of a composite; None when it is not canonical, or not of this type.

    It has to have a target for each reference in it, and no other ones.
    """
    try:
        tree = decoded(value.json)
        again = composite(token_type, tree)
    except (ValueError, RecursionError, BadToken):
        return None
    if again.json != value.json:
        return None
    spelled = {part.reference: None for part in parts_of(token_type, tree) if part.reference is not None}
    return Inline(inline(tree)) if list(spelled) == [text for text, _ in value.references] else None


def leads_to(reference: str, target: TokenKey, *, is_root: bool) -> bool:
    """Return whether readers take this spelling for the token; ``is_root`` tells that it is the ``$root`` of a
    group.
    """
    if reference[:1] == "{":
        address = reference[1:-1]
    else:
        steps = path_of_pointer(reference) or ()
        address = ".".join(steps[:-1] if steps[-1:] == ("$value",) else steps)
    return address == f"{target.collection}.{target.path}" + (f".{ROOT}" if is_root else "")


def have_fitting_types(token_type: str, value: Composite, types: Mapping[str, str]) -> bool:
    """Return whether each reference leads to a type that fits its place; ``types`` are those of the targets, by
    reference.
    """
    parts = parts_of(token_type, decoded(value.json))
    return all(fits(each.type, types[each.reference]) for each in parts if each.reference is not None)


def _names_token(node: dict[str, Any], targets: Targets) -> bool:
    pointer = reference_of(node)
    try:
        return pointer is not None and targets.of_pointer(pointer) is not None
    except BadToken:
        return False


def _plain_numbers(value: Any) -> Any:
    """Return the value with 4 for 4.0, so that equal values are one text."""
    if isinstance(value, dict):
        return {name: _plain_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(each) for each in value]
    return int(value) if is_number(value) and value == int(value) and abs(value) < 2**53 else value
