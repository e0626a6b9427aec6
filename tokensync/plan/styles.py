"""Convert what token files have changed in text and effect styles to members that a plugin can set.

Only members that differ between the tokens of the platform and the merged ones are converted: a token does not hold
everything that a style has, such as hidden effects and the unit of a letter spacing, which so stay as they are.
"""

from __future__ import annotations

from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES, name_of_path
from tokensync.plan.desired import Inexpressible
from tokensync.plan.state import ALIAS, StyleState, is_alias, temporary
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens import Alias, Composite, Quantity
from tokensync.tokens.collection import OF_STYLE, STYLES
from tokensync.tokens.composites import decoded, is_number, parts_of
from tokensync.tokens.values import PIXELS_PER_REM, RELATIVE_UNITS, json_number, normalized, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.plan.state import Ref, Refs
    from tokensync.tokens import Token, TokenGraph, TokenKey

_KINDS: Final[dict[str, Literal["TEXT", "EFFECT"]]] = {f"{STYLES}TEXT": "TEXT", f"{STYLES}EFFECT": "EFFECT"}
_AUTO: Final = {"unit": "AUTO"}
_NEW_TEXT: Final[dict[str, Any]] = {
    "fontWeight": 400,
    "fontStyle": None,
    "slant": "normal",
    "letterSpacing": {"unit": "PIXELS", "value": 0},
    "lineHeight": _AUTO,
    "textCase": "ORIGINAL",
    "textDecoration": "NONE",
    "paragraphSpacing": 0,
    "paragraphIndent": 0,
}
_NEW: Final[dict[str, dict[str, Any]]] = {"TEXT": _NEW_TEXT, "EFFECT": {"effects": []}}
_WORDS: Final = {
    "textCase": {"uppercase": "UPPER", "lowercase": "LOWER", "capitalize": "TITLE", "none": "ORIGINAL"},
    "textDecoration": {"underline": "UNDERLINE", "line-through": "STRIKETHROUGH", "none": "NONE"},
}
_OF_LAYER: Final = {"offsetX": "offsetX", "offsetY": "offsetY", "blur": "radius", "spread": "spread"}
_SHADOWS: Final = ("DROP_SHADOW", "INNER_SHADOW")


class DesiredStyles(NamedTuple):
    """The styles of a file after a plan, with the labels of their refs, and problems."""

    styles: Mapping[Ref, StyleState]
    labels: Mapping[Ref, str]
    problems: tuple[Problem, ...]


def desired_styles(
    before: Mapping[Ref, StyleState],
    theirs: tuple[TokenGraph, Refs],
    merged: TokenGraph,
    desired: tuple[TokenGraph, Refs],
    location_of: Callable[[TokenKey, str | None], str],
) -> DesiredStyles:
    """Return the styles that the token files ask for. ``before`` are those of the platform, ``theirs`` as tokens.

    ``desired`` has the variables after the plan, to which ``merged`` styles may refer.
    """
    graph, refs = desired
    types = {refs.tokens[key]: RESOLVED_TYPES.get(token.type, "") for key, token in graph.tokens.items()}
    known = {token.id: token for token in theirs[0].tokens.values() if token.id in before}
    styles, used = dict(before), {*before, *types}
    labels: dict[Ref, str] = {}
    problems: list[Problem] = []
    refused: set[tuple[str, str]] = set()
    for key, token in merged.tokens.items():
        kind = _KINDS.get(merged.collections[key[:2]].id)
        if kind is None:
            continue
        name = name_of_path(key.path)
        was = known.pop(token.id, None)
        if (number := len(merged.collections[key[:2]].modes)) > 1:
            if key[:2] not in refused:
                what = f"styles have one mode, and {key.collection} has {number} in the token files"
                problems.append(problem("token-inexpressible", location_of(key, None), what, "remove the other files"))
            refused.add(key[:2])
            continue
        ref = temporary(f"style:{name}", used) if was is None else token.id
        labels[ref] = f"{key.collection} / {name}"
        present = styles[ref] if was is not None else StyleState(ref=ref, type=kind, name=name, members=_NEW[kind])
        parts = _Parts(types, {} if was is None else _parts(was, theirs[1]), _parts(token, refs))
        try:
            members = parts.members(present.members, kind)
        except Inexpressible as error:
            problems.append(problem("token-inexpressible", location_of(key, None), error.what, error.what_to_do))
            continue
        texts = {} if was is None or was.key.path == key.path else {"name": name}
        if token.description != ("" if was is None else was.description):
            texts["description"] = token.description
        if members or texts or was is None:
            styles[ref] = replace(present, members={**present.members, **members}, **texts)
    for ref, token in known.items():
        del styles[ref]
        labels[ref] = f"{token.key.collection} / {name_of_path(token.key.path)}"
    return DesiredStyles(styles, labels, tuple(problems))


def _parts(token: Token, refs: Refs) -> dict[str, Any]:
    """Return the members of a style's token, with aliases to refs."""
    value = token.values[0]
    own: dict[str, Any] = decoded(token.extensions).get(OF_STYLE, {}) if token.extensions else {}
    match value:
        case Composite():
            tree, targets = decoded(value.json), dict(value.references)
            for part in tuple(parts_of(token.type, tree)):
                if part.reference is not None and part.path:
                    node: Any = reduce(getitem, part.path[:-1], tree)
                    node[part.path[-1]] = _alias(targets[part.reference], refs)
            if token.type == "typography":
                return {**own, **tree}
            return {"layers": tree if isinstance(tree, list) else [tree], OF_STYLE: own}
        case Alias(target=target):
            return {"radius": _alias(target, refs), OF_STYLE: own}
        case Quantity(number=number, unit=unit):
            return {"radius": {"value": json_number(number), "unit": unit}, OF_STYLE: own}
        case float():
            return {"radius": {"value": json_number(value), "unit": "px"}, OF_STYLE: own}
    return {}


def _alias(target: TokenKey, refs: Refs) -> dict[str, str]:
    return {"type": ALIAS, "id": refs.tokens.get(target, str(target))}


class _Parts(NamedTuple):
    """The parts of a token before (none of a new style) and after. ``types`` are those of variables, by ref."""

    types: Mapping[Ref, str]
    before: dict[str, Any]
    after: dict[str, Any]

    def members(self, present: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """Return the changed members of a style, which has the members ``present``. Raises Inexpressible."""
        before, after = self.before, self.after
        changed = [name for name in before | after if before.get(name) != after.get(name)]
        if kind == "TEXT":
            if not before and not {"fontFamily", "fontSize"} <= after.keys():
                raise Inexpressible("a text style needs fontFamily and fontSize", "add them")
            return {member: value for name in changed for member, value in self._of_text(name).items()}
        if before and (OF_STYLE in changed or before.keys() != after.keys()):
            what = "only shadows, and the radius of a blur, can be written of an effect style"
            raise Inexpressible(what, "edit the others in Figma")
        if "radius" in changed:
            if not before:
                raise Inexpressible("a new effect style needs shadows", "write a shadow, or make the style in Figma")
            radius, effects = self._length("radius", after["radius"]), present["effects"]
            return {"effects": [{**effect, "radius": radius} if effect["visible"] else effect for effect in effects]}
        return {"effects": self._effects(present["effects"])} if "layers" in changed else {}

    def _of_text(self, name: str) -> dict[str, Any]:
        """Return the members of a text style for a changed part."""
        value: Any = self.after.get(name)
        match name:
            case "fontStyle" if value in (None, "normal", "italic", "oblique"):
                return {"slant": value or "normal"}
            case _ if value is None and name in _NEW_TEXT:
                return {name: _NEW_TEXT[name]}
            case "fontFamily":
                family = value[0] if isinstance(value, list) and value else value
                return {name: self._bound(name, value, "STRING") if is_alias(value) else family}
            case "fontWeight":
                return self._weight(value)
            case "fontSize":
                return {name: self._length(name, value)}
            case "lineHeight" if is_number(value):
                return {name: {"unit": "PERCENT", "value": json_number(value * 100)}}
            case "letterSpacing" | "lineHeight" if isinstance(value, dict) and value.get("unit") in RELATIVE_UNITS:
                share = value["value"] * RELATIVE_UNITS[value["unit"]] * 100
                return {name: {"unit": "PERCENT", "value": json_number(normalized(share))}}
            case "letterSpacing" | "lineHeight":
                length = self._length(name, value)
                return {name: length if is_alias(length) else {"unit": "PIXELS", "value": length}}
            case "textCase" | "textDecoration" if isinstance(value, str):
                return {name: _WORDS[name].get(value, value)}
            case "paragraphSpacing" | "paragraphIndent" if is_number(value):
                return {name: value}
        raise Inexpressible(f"a text style cannot have this {shortened(name)}", "correct or remove it")

    def _weight(self, value: Any) -> dict[str, Any]:
        if is_alias(value):  # a text variable has the name of a font's style
            is_text = self.types.get(value["id"]) == "STRING"
            field = "fontStyle" if is_text else "fontWeight"
            return {"fontStyle": None, field: self._bound("fontWeight", value, "STRING" if is_text else "FLOAT")}
        weight = weight_of(value if isinstance(value, str) else float(value))
        if weight is None:
            raise Inexpressible(f"{shortened(str(value))} is no weight", "write a number from 1 to 1000")
        return {"fontStyle": None, "fontWeight": json_number(weight)}

    def _effects(self, present: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the effects with the layers of the token, which has the highest one first, in place of shadows."""
        layers = [self._layer(layer) for layer in reversed(self.after["layers"])]
        old = [self._layer(layer) for layer in reversed(self.before.get("layers", ()))]
        shown = [effect for effect in present if effect["visible"] and effect["type"] in _SHADOWS]
        fresh: list[dict[str, Any]] = []
        for at, layer in enumerate(layers):
            if at >= len(shown):
                fresh.append({"visible": True, "blendMode": "NORMAL", **layer})
                continue
            known = old[at] if len(old) == len(shown) else {}
            changed = {name: part for name, part in layer.items() if known.get(name) != part}
            fresh.append({**shown[at], **changed})
            if fresh[-1]["type"] == "INNER_SHADOW":
                fresh[-1].pop("showShadowBehindNode", None)
        last = present.index(shown[-1]) + 1 if shown else 0
        result: list[dict[str, Any]] = []
        for effect in (*present[:last], None, *present[last:]):
            if effect is None:
                result += fresh
                fresh = []
            elif effect not in shown:
                result.append(effect)
            elif fresh:
                result.append(fresh.pop(0))
        return result

    def _layer(self, layer: Any) -> dict[str, Any]:
        """Return a layer of a shadow as an effect."""
        if is_alias(layer):
            raise Inexpressible("a layer of a style cannot refer to a shadow", "write its members")
        effect = {"type": "INNER_SHADOW" if layer.get("inset") else "DROP_SHADOW"}
        effect |= {member: self._length(name, layer[name]) for name, member in _OF_LAYER.items() if name in layer}
        match layer.get("color"):
            case {"type": "VARIABLE_ALIAS"} as alias:
                return {**effect, "color": self._bound("color", alias, "COLOR")}
            case {"colorSpace": "srgb", "components": [int() | float() as red, int() | float() as green, blue], **rest}:
                return {**effect, "color": {"r": red, "g": green, "b": blue, "a": rest.get("alpha", 1)}}
        raise Inexpressible("the colour of a shadow is not in sRGB", 'write it with "colorSpace": "srgb"')

    def _length(self, name: str, value: Any) -> Any:
        """Return the pixels of a length, or its alias."""
        if is_alias(value):
            return self._bound(name, value, "FLOAT")
        unit = value.get("unit") if isinstance(value, dict) else None
        if unit not in ("px", "rem"):
            raise Inexpressible(f"the {name} of a style is a length", 'write {"value": 16, "unit": "px"}')
        return json_number(value["value"] * (PIXELS_PER_REM if unit == "rem" else 1))

    def _bound(self, name: str, alias: dict[str, str], kind: str) -> dict[str, str]:
        if (present := self.types.get(alias["id"])) != kind:
            other = f"a {present}" if present else "no variable of this file"
            what = f"its {name} refers to {shortened(alias['id'])}, which is {other}"
            raise Inexpressible(what, f"refer to a variable that is a {kind}")
        return alias
