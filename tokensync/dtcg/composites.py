"""Composite values: their shapes and references (DTCG 2025.10 Format, Composite types).

Variables do not support composites, so they are stored as JSON. A ``Check`` returns what is wrong with a value, or
None. A part may be a reference if it is replaced as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import color
from tokensync.dtcg.document import without_pointers
from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import ROOT, path_of_pointer
from tokensync.system.wording import mistyped
from tokensync.tokens import Composite
from tokensync.tokens.composites import (
    CAPS,
    GRADIENT,
    MEMBERS,
    OPTIONAL,
    RELATIVE_UNITS,
    STROKES,
    canonical,
    decoded,
    fits,
    is_number,
    parts_of,
    reference_of,
)
from tokensync.tokens.values import HEAVIEST, LIGHTEST, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.dtcg.document import Targets
    from tokensync.system.positions import Pointer
    from tokensync.tokens import TokenKey

    Check = Callable[[Any], "str | None"]


_DEEPEST_VALUE = 64
_LARGEST = 3.4e38  # a little below the largest float32


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


def _members(known: dict[str, Check]) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or value.keys() != known.keys():
            return f"it must be an object with {', '.join(known)}"
        return next(
            (f"{name}: {text}" for name, part in value.items() if (text := known[name](part)) is not None), None
        )

    return check


def _parts(checks: dict[str, Check]) -> Check:
    """Return a check of an object whose members may each be a reference; ``omissions`` reports the missing ones."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or not value.keys() & checks.keys():
            return f"it must be an object with {', '.join(checks)}"
        pairs = ((name, part) for name, part in value.items() if name in checks and reference_of(part) is None)
        return next((f"{name}: {text}" for name, part in pairs if (text := checks[name](part)) is not None), None)

    return check


def _or_reference(check: Check) -> Check:
    return lambda value: None if reference_of(value) is not None else check(value)


def _number(value: Any) -> str | None:
    if not is_number(value):
        return "it must be a number"
    return None if -_LARGEST <= value <= _LARGEST else "it must be a number from -3.4e38 to 3.4e38"


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "it must be true or false"


def _one_of(*words: str) -> Check:
    return lambda value: None if value in words and isinstance(value, str) else f"it must be one of {', '.join(words)}"


def _list_of(check: Check) -> Check:
    def check_all(value: Any) -> str | None:
        if not isinstance(value, list) or not value:
            return "it must be a non-empty array"
        return next((problem for each in value if (problem := check(each)) is not None), None)

    return check_all


def _color(value: Any) -> str | None:
    return None if isinstance(value, dict) else "it must be a color"  # ``composite`` checks its members


def _weight(value: Any) -> str | None:
    is_valid = (isinstance(value, str) and value in WEIGHTS) or (is_number(value) and LIGHTEST <= value <= HEAVIEST)
    return None if is_valid else "it must be a weight from 1 to 1000, or the name of a weight"


def _families(value: Any) -> str | None:
    if isinstance(value, str):
        return None
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return "it must be a font name or an array of font names"
    if any(reference_of(each) is not None for each in value):
        return "a reference can replace the whole array, not one font in it"
    return None


def _bezier(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) != 4 or any(_number(each) is not None for each in value):
        return "it must be an array of four numbers"
    return None if 0 <= value[0] <= 1 and 0 <= value[2] <= 1 else "the first and third number must be from 0 to 1"


def _one_or_many(check: Check) -> Check:
    many = _list_of(_or_reference(check))
    return lambda value: many(value) if isinstance(value, list) else check(value)


def _stroke(value: Any) -> str | None:
    return _DASHES(value) if isinstance(value, dict) else _one_of(*STROKES)(value)


_DIMENSION = _members({"value": _number, "unit": _one_of("px", "rem", *RELATIVE_UNITS)})
_DURATION = _members({"value": _number, "unit": _one_of("ms", "s")})
_DASHES = _members({"dashArray": _list_of(_or_reference(_DIMENSION)), "lineCap": _one_of(*CAPS)})
_CHECKS = {"color": _color, "dimension": _DIMENSION, "duration": _DURATION, "boolean": _boolean, "number": _number,
           "cubicBezier": _bezier, "strokeStyle": _stroke, "fontFamily": _families, "fontWeight": _weight}  # fmt: skip
_OF_PARTS = {each: _parts({name: _CHECKS[part] for name, part in types.items()}) for each, types in MEMBERS.items()}

COMPOSITE_TYPES: dict[str, Check] = {
    "fontFamily": lambda value: _families(value) if isinstance(value, list) else "it must be an array of font names",
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    **_OF_PARTS,
    "shadow": _one_or_many(_OF_PARTS["shadow"]),
    "gradient": _list_of(_or_reference(_OF_PARTS["gradient"])),
}
"""The check of each type whose values are stored as JSON; a ``fontFamily`` is a composite if it is an array."""


def composite(token_type: str, value: Any) -> Composite:
    """Return a composite, without the targets of its references. Raises BadToken if the value is invalid."""
    too_deep = _depth(value) > _DEEPEST_VALUE
    problem = "it is nested too deeply" if too_deep else COMPOSITE_TYPES[token_type](value)
    if problem is not None:
        what = f"invalid {token_type}: {problem}"
        raise BadToken("token-value", what, f"write the {token_type} as DTCG 2025.10 defines it", ("$value",))
    for part in parts_of(token_type, value):
        if part.type == "color" and part.reference is None:
            try:
                color(part.json)
            except BadToken as error:
                error.within = ("$value", *part.path, *error.within[1:])
                raise
    return Composite(canonical(_plain_numbers(value)))


def omissions(token_type: str, value: Any) -> Iterator[tuple[Pointer, str, str, str]]:
    """Yield the pointer, code, problem and remedy of what outputs may have to omit, and of mistyped members."""
    types = MEMBERS.get(token_type, {})
    layers = enumerate(value) if isinstance(value, list) else ((None, value),)
    for index, layer in layers if types else ():
        at: Pointer = () if index is None else (index,)
        if reference_of(layer) is not None:
            if token_type == GRADIENT:
                what = "a stop refers to a gradient, and DTCG does not define which of its stops it means"
                yield at, "composite-incomplete", what, "write the stop itself; outputs omit it"
            continue
        missing = [name for name in types if name not in layer and name != OPTIONAL]
        for name in [name for name in layer if name not in types]:
            what = f"a {token_type} has no member {name[:40]!r}"
            if likely := mistyped(name, missing):
                missing.remove(likely)
                yield (*at, name), "tokens-member-mistyped", what, f"write {likely!r}"
            else:
                yield (*at, name), "composite-incomplete", what, "move it into $extensions; outputs omit it"
        if missing:
            what = f"it lacks {', '.join(missing)}"
            yield at, "composite-incomplete", what, "add what is missing; outputs omit what they cannot write"
    for part in parts_of(token_type, value):
        if isinstance(part.json, dict) and part.json.get("unit") in RELATIVE_UNITS:
            what = f"DTCG has no {part.json['unit']}, which depends on the font size"
            yield part.path, "composite-incomplete", what, "write px or rem; outputs omit what they cannot convert"


def with_targets(
    token_type: str, value: Composite, targets: Targets, type_of: Callable[[TokenKey], str | None]
) -> Composite:
    """Return the composite with the targets of its references. Raises BadToken for a target of the wrong type.

    ``type_of`` returns a token's type, or None if it has no valid type, which is reported elsewhere.
    """
    keys: dict[str, TokenKey] = {}
    for part in parts_of(token_type, decoded(value.json)):
        if part.reference is None:
            continue
        within = ("$value", *part.path)
        try:
            alias = targets.of_reference(part.reference)
        except BadToken as error:
            error.within = within
            raise
        if alias is None:  # other pointers to a part of a value were replaced before
            what = f"{part.reference[:120]!r} refers to a part of a value"
            raise BadToken("token-reference", what, "refer to a token", within)
        target_type = type_of(alias.target)
        if target_type is not None and not fits(part.type, target_type):
            what = f"it refers to a {target_type}"
            raise BadToken("token-reference-type", what, f"refer to a {part.type}", within)
        keys[part.reference] = alias.target
    return Composite(value.json, tuple(keys.items())) if keys else value


def without_inner_pointers(token_type: str, value: Any, trees: Iterable[dict[str, Any]], targets: Targets) -> Any:
    """Return the value with each ``$ref`` replaced by its target, except those that replace a whole part.

    Raises BadToken.
    """
    trees = tuple(trees)
    with_token_pointers = without_pointers(value, trees, lambda node: _names_token(node, targets))
    parts = {id(part.json) for part in parts_of(token_type, with_token_pointers) if part.reference is not None}
    return without_pointers(with_token_pointers, trees, lambda node: id(node) in parts)


def composite_text(token_type: str, value: Composite) -> Inline | None:
    """Return the ``$value`` text of a composite.

    Return None if it is not canonical or not of this type, or if its targets do not match its references.
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
    """Return whether the reference addresses the token; ``is_root`` is true for the ``$root`` of a group."""
    if reference[:1] == "{":
        address = reference[1:-1]
    else:
        steps = path_of_pointer(reference) or ()
        address = ".".join(steps[:-1] if steps[-1:] == ("$value",) else steps)
    return address == f"{target.collection}.{target.path}" + (f".{ROOT}" if is_root else "")


def have_fitting_types(token_type: str, value: Composite, types: Mapping[str, str]) -> bool:
    """Return whether each part accepts its target's type; ``types`` maps references to the types of their targets."""
    parts = parts_of(token_type, decoded(value.json))
    return all(fits(each.type, types[each.reference]) for each in parts if each.reference is not None)


def _names_token(node: dict[str, Any], targets: Targets) -> bool:
    pointer = reference_of(node)
    try:
        return pointer is not None and targets.of_pointer(pointer) is not None
    except BadToken:
        return False


def _plain_numbers(value: Any) -> Any:
    """Return the value with 4 instead of 4.0, so that equal values have equal texts."""
    if isinstance(value, dict):
        return {name: _plain_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(each) for each in value]
    return int(value) if is_number(value) and value == int(value) and abs(value) < 2**53 else value
