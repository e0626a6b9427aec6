"""Evaluate the written value of a token: a literal, one reference, or what is computed from several.

Typography and borders become tokens for their members. A shadow, gradient, transition, curve or stroke style, which no
variable can hold, is kept as DTCG defines it if all its members are known (``Refused.kept``).

Modifiers of colours are those of the extension ``studio.tokens`` of Tokens Studio. The formulas are exact. The plugin
and sd-transforms round the components of the colour space first, to three and five digits, so their colours can differ
by up to 5 of 255 steps.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tokensync.code.literals import Number, measure
from tokensync.dtcg.literals import composite, meant
from tokensync.dtcg.parse import BadToken
from tokensync.migrate.evaluation import colors
from tokensync.migrate.evaluation.colors import Share, of_space, of_srgb, parts_between, with_opacity
from tokensync.migrate.evaluation.expressions import BadExpression, evaluated
from tokensync.migrate.evaluation.literals import (
    COMPOSITES,
    CSS,
    NUMERIC,
    UNKNOWN,
    fixed_with,
    in_pixels,
    kind_of,
    kind_of_word,
    literal,
    measured,
    not_one,
)
from tokensync.migrate.evaluation.values import (
    AliasTo,
    Flattened,
    Members,
    OtherValue,
    Reading,
    Refused,
    Resolved,
    alias_count,
    fixed,
    refused,
    shown,
    text_of,
)
from tokensync.migrate.source import Pieces, Reference, SourceToken, only_reference, pieces, references_in
from tokensync.system.wording import quoted
from tokensync.tokens import Color, Quantity, shortest
from tokensync.tokens.composites import fits, font_list, literal_json

if TYPE_CHECKING:
    from tokensync.migrate.evaluation.values import Part


_SPACES = {"lch": "lch", "hsl": "hsl", "srgb": "srgb", "p3": "display-p3"}
"""The colour spaces of modifiers with their names in CSS."""
_KINDS = ("lighten", "darken", "mix", "alpha")


class _Modifier(NamedTuple):
    """A modifier as written: its amount and colour may contain references and expressions."""

    kind: str
    amount: Any
    space: str = ""
    color: Any = None

    def __str__(self) -> str:
        return f"the modifier {self.kind}"


def _modifier_of(token: SourceToken) -> _Modifier | Refused | None:
    """Return the modifier of a token, why it has no meaning, or None without one; an empty one does not count."""
    studio = token.extensions.get("studio.tokens")
    written = studio.get("modify") if isinstance(studio, dict) else None
    if written is None or written == {}:
        return None
    if not isinstance(written, dict):
        return Refused("its modifier is not an object")
    kind, space = written.get("type"), written.get("space")
    if not isinstance(kind, str) or kind not in _KINDS:
        return Refused(f"the modifier {quoted(kind)} is unknown")
    if kind != "alpha" and (not isinstance(space, str) or space not in _SPACES):
        return Refused(f"the modifier {kind} has the unknown colour space {quoted(space)}")
    if "value" not in written:
        return Refused(f"the modifier {kind} has no value")
    if kind == "mix" and "color" not in written:
        return Refused("the modifier mix has no colour")
    return _Modifier(kind, written["value"], space or "", written.get("color"))


def _modified(base: Reading, modifier: _Modifier, amount: Share, other: Reading | None) -> Reading:
    """Return a colour with a modifier applied. ``other`` is the colour to mix with."""
    if isinstance(base.literal, Refused):
        return base
    if not isinstance(base.literal, Color):
        return refused(f"{modifier} needs a colour, and the value is not one")
    if modifier.kind == "alpha":
        return with_opacity(base, amount, str(modifier))
    aliases = alias_count(base.value) + amount.aliases
    second = None
    if other is not None:
        if not isinstance(other.literal, Color):
            return refused(f"{modifier} needs a colour to mix with")
        aliases += alias_count(other.value)
        second = other.literal
    found = _modified_color(base.literal, modifier, amount.value, second)
    if not isinstance(found.literal, Color):
        return found
    why = f"{modifier} {amount.value:.4g} in {modifier.space}"
    if not aliases:
        return fixed(found.literal, "color", *base.notes, why, *found.notes)
    return Reading(Flattened(found.literal, aliases, why), found.literal, "color", (*base.notes, *found.notes))


def _modified_color(color: Color, modifier: _Modifier, amount: float, other: Color | None) -> Reading:
    space = _SPACES[modifier.space]
    if other is not None:
        return _mixed(color, other, min(max(amount, 0.0), 1.0), space)
    first, second, third = of_srgb(space, (color.red, color.green, color.blue))
    is_lighter = modifier.kind == "lighten"
    match space:
        case "lch":
            light = first + (100 - first) * amount if is_lighter else first - first * amount
            parts = [light, second - second * amount, third]
        case "hsl":
            parts = [first, second, third + (1 - third) * amount if is_lighter else third - third * amount]
        case _:
            channels = (first, second, third)
            parts = [each + (1 - each) * amount if is_lighter else each - each * amount for each in channels]
    return of_space(space, parts, color.alpha)


def _mixed(color: Color, other: Color, share: float, space: str) -> Reading:
    """Return two colours mixed, not premultiplied; a hue goes the shorter way, and that of a grey does not count."""
    from coloraide import Color as Converted

    start, end = (Converted("srgb", [each.red, each.green, each.blue], each.alpha) for each in (color, other))
    found = start.mix(end, share, space=space, out_space=space, hue="shorter", premultiplied=False)
    return of_space(space, found.coords(nans=False), found.alpha(nans=False))


_Layer = dict[str, Reading]
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


def _kind_of_value(token: SourceToken) -> str:
    """Return the kind of a token with a composite value; ``""`` for other values."""
    kind = kind_of(token)
    if kind in COMPOSITES:
        return kind
    value = token.value
    if kind != UNKNOWN or not isinstance(value, dict) or len(value) < 3:
        return ""
    return next((each for each, names in _LIKELY.items() if value.keys() <= names), "")


def _kind_of_member(kind: str, name: str) -> str:
    """Return the kind of a member of a composite."""
    return _KINDS_OF_MEMBERS.get(kind, {}).get(name) or kind_of_word(name)


def _is_kept(reading: Reading) -> bool:
    """Return whether the value is a composite that token files can hold, or an alias."""
    return isinstance(reading.value, AliasTo) or (isinstance(reading.value, Refused) and bool(reading.value.kept))


def _unwrapped(member: Any) -> Any:
    """Return the value of a member that is written as a token, as in older versions of Tokens Studio."""
    is_token = isinstance(member, dict) and "value" in member and "unit" not in member
    return member["value"] if is_token else member


def _members_of(kind: str, layer: _Layer) -> Reading:
    """Return the reading of a composite that becomes a token for each member."""
    if not layer:
        return refused(f"the {kind} has no members")
    readings = tuple(layer.items())
    values = Members(tuple((name, each.type, each.value) for name, each in readings))
    return Reading(values, Refused(f"a {kind} has no literal; its members have"), kind, members=readings)


def _shadow_layers(text: str) -> list[dict[str, Any]] | None:
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


def _of_json(kind: str, value: Any) -> Reading:
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


def _kept(kind: str, value: Any, layers: Sequence[_Layer | Reading]) -> Reading:
    """Return the reading of a composite with the JSON of its members; without it if a member has no value."""
    items: list[Any] = []
    for layer in layers:
        if isinstance(layer, Reading):
            if layer.type != kind:
                what = layer.value.reason if isinstance(layer.value, Refused) else f"a {layer.type} is no {kind}"
                return _not_a_variable(kind, reason=what)
            items.append(_json_of(layer, kind))
            continue
        item: dict[str, Any] = {}
        for name, reading in layer.items():
            if isinstance(reading.literal, Refused) and not _is_kept(reading):
                return _not_a_variable(kind, reason=f"{name[:40]}: {reading.literal.reason}")
            if kind == "shadow" and name == "type" and reading.literal in _SHADOW_TYPES:
                item |= {"inset": True} if _SHADOW_TYPES[str(reading.literal)] else {}
                continue
            part = _kind_of_member(kind, name)
            if isinstance(reading.value, AliasTo) and not fits(part, reading.type):
                reason = f"{name[:40]}: {{{reading.value.path}}} is a {reading.type}, not a {part}"
                return _not_a_variable(kind, reason=reason)
            item[_NAMES.get(name, name) if kind == "shadow" else name] = _json_of(reading, part)
        items.append(item)
    whole = items if isinstance(value, list) else items[0]
    try:
        return _not_a_variable(kind, composite(kind, whole).json)
    except BadToken as error:
        return _not_a_variable(kind, reason=error.what)


def _not_a_variable(kind: str, json: str = "", reason: str = "") -> Reading:
    what = f"variables cannot hold {_ARTICLES.get(kind, f'a {kind}')}"
    return refused(f"{what}; {reason}" if reason else what, json, kind)


def _json_of(reading: Reading, kind: str) -> Any:
    """Return a member as the JSON of DTCG: a reference if it is one, else its literal."""
    if isinstance(reading.value, AliasTo):
        return f"{{{reading.value.path}}}"
    if isinstance(reading.value, Refused):
        from tokensync.tokens.composites import decoded

        return decoded(reading.value.kept)
    if isinstance(reading.literal, Refused):
        return None
    return literal_json(reading.literal, "dimension" if kind == "dimension" else reading.type)


Evaluation = Generator[str, Reading, Reading]
"""Yields the path of each token, or member of a token, that it needs, receives its reading, and returns its own."""

_NEVER_PLAIN = COMPOSITES | {"opacity"}
"""The kinds whose references are not always kept as they are."""
_MEMBERED = frozenset({"typography", "border", "composition"})
"""The composites that become a token for each member."""
LONGEST_NAME = 4000
"""Characters of the path of a reference."""
_LONGEST_TEXT = 10_000
"""Characters of a text with the values of its references, which may contain those of others."""
_LONGEST_CHAIN = 100
"""References that lead from a composite to the one that has a member."""


class Target(NamedTuple):
    """The token that a reference names, and the steps to the member of its value that it names, if any."""

    path: str
    member: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the path, with the member."""
        return ".".join((self.path, *self.member))


class PlainReference(NamedTuple):
    """A value that is one reference, without a modifier, to a token whose path it has."""

    name: str
    is_color: bool


class Template(NamedTuple):
    """A text with references between other characters, without a modifier."""

    pieces: Pieces
    kind: str
    text: str


class Scope(Protocol):
    """A theme, in which an evaluation finds the targets of references."""

    @property
    def pixels_per_rem(self) -> float | Refused | None:
        """Return the base font size, why there is none, or None to keep lengths in rem."""

    def lookup(self, path: str) -> SourceToken | None:
        """Return the token with a path."""

    def target(self, name: str) -> Target | Refused:
        """Return the target of a reference without its braces, or why there is none."""


def reading_of(token: SourceToken) -> Reading | PlainReference | Template | None:
    """Return the reading of a token that is the same in every theme, or its plain reference or references.

    Return None for other values that depend on other tokens.
    """
    value, kind = token.value, kind_of(token)
    if token.is_text:
        return literal(kind, value)
    if isinstance(value, str):
        if "{" in value or "$" in value:
            if not token.extensions and kind not in _NEVER_PLAIN and (name := _plain_name(value)):
                return PlainReference(name, kind == "color")
            found = pieces(value)
            if any(not isinstance(each, str) for each in found):
                return Template(found, kind, value) if _is_template(token, kind, found) else None
    elif isinstance(value, dict | list) and (any(references_in(value)) or _kind_of_value(token)):
        return None
    if (token.extensions and _modifier_of(token) is not None) or kind == "shadow":
        return None
    return _of_json(kind, value.strip()) if kind in COMPOSITES and isinstance(value, str) else literal(kind, value)


def plain_alias(reference: PlainReference, target: Reading) -> Reading | None:
    """Return the reading of a plain reference to a token; None if it has to be evaluated."""
    if isinstance(target.literal, Refused) or target.members or (reference.is_color and target.type != "color"):
        return None
    return Reading(AliasTo(reference.name), target.literal, target.type, (), target.is_percentage)


def _is_template(token: SourceToken, kind: str, found: Pieces) -> bool:
    if token.extensions or kind in COMPOSITES or only_reference(str(token.value)) is not None:
        return False
    return not any(isinstance(each, Reference) and (each.parts or each.is_dollar) for each in found)


def _plain_name(value: str) -> str:
    """Return the name in a text that is one reference in braces, without others inside of it; else an empty text."""
    text = value.strip()
    return text[1:-1].strip() if text[-1] == "}" and text[0] == "{" and text.count("{") == text.count("}") == 1 else ""


def evaluation(token: SourceToken, scope: Scope) -> Evaluation:
    """Evaluate a token in a theme."""
    evaluator = _Evaluator(scope)
    reading = yield from evaluator.value(_kind(token), token.value, token.path)
    modifier = _modifier_of(token) if token.extensions else None
    if isinstance(modifier, Refused):
        return refused(modifier.reason)
    if modifier is not None:
        reading = yield from evaluator.modified(reading, modifier)
    return in_theme(reading, scope)


def member_evaluation(target: Target, scope: Scope) -> Evaluation:
    """Evaluate a member of the value of a token, which no path names."""
    evaluator = _Evaluator(scope)
    member = target.member
    token = scope.lookup(target.path)
    for _ in range(_LONGEST_CHAIN):
        if token is None or not isinstance(token.value, str):
            break
        reference = only_reference(token.value)
        found = None if reference is None else scope.target(reference.name)
        if found is None or isinstance(found, Refused):
            return refused(f"it refers to a member of {shown(target.path)}, which has none")
        member = (*found.member, *member)
        token = scope.lookup(found.path)
    value: Any = None if token is None else token.value
    for step in member:
        value = _step(value, step)
    if token is None or value is None:
        return refused(f"it refers to {shown(target.key)}, and {shown(target.path)} has no such member")
    reading = yield from evaluator.value(_kind_of_member(_kind(token), member[-1]), value, target.key)
    return in_theme(reading, scope)


def in_theme(reading: Reading, scope: Scope) -> Reading:
    """Return a reading with lengths in pixels if the theme has a base font size."""
    base = scope.pixels_per_rem if type(reading.literal) is Quantity and reading.literal.unit == "rem" else None
    if base is None or isinstance(reading.value, AliasTo):
        return reading
    if isinstance(base, Refused):
        return refused(base.reason)
    found = in_pixels(reading, base)
    if isinstance(reading.value, Flattened) and not isinstance(found.literal, Refused):
        value = Flattened(found.literal, reading.value.aliases, reading.value.reason)
        return Reading(value, found.literal, found.type, found.notes)
    return found


class _Evaluator:
    """Evaluates written values of a kind in a theme."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def value(self, kind: str, value: Any, path: str = "") -> Evaluation:
        """Evaluate a value; ``path`` is that of its token, or ends in the name of the member that it is."""
        if kind == "shadow" and isinstance(value, str) and (layers := _shadow_layers(value)):
            return (yield from self._composite(kind, layers if len(layers) > 1 else layers[0], path))
        if isinstance(value, str):
            found = pieces(value)
            if all(isinstance(each, str) for each in found):
                return _of_json(kind, value.strip()) if kind in COMPOSITES else literal(kind, value)
            reference = only_reference(value)
            if reference is not None:
                return (yield from self._alias(kind, reference))
            return (yield from self._text(kind, value))
        if kind in COMPOSITES:
            return (yield from self._composite(kind, value, path))
        if isinstance(value, dict | list) and any(references_in(value)):
            return (yield from self._object(kind, value))
        return literal(kind, value)

    def modified(self, reading: Reading, modifier: _Modifier) -> Evaluation:
        """Apply a modifier, whose amount and colour may contain references."""
        amount = yield from self._parts(modifier.amount)
        if isinstance(amount, Refused):
            return refused(f"{modifier}: {amount.reason}")
        other = None
        if modifier.color is not None:
            other = yield from self.value("color", modifier.color)
            if isinstance(other.literal, Refused):
                return refused(f"{modifier}: {other.literal.reason}")
        try:
            share = colors.share_of(amount) if modifier.kind == "alpha" else colors.factor_of(amount)
        except BadExpression as error:
            return refused(f"{modifier}: {error}")
        return _modified(reading, modifier, share, other)

    def _alias(self, kind: str, reference: Reference) -> Evaluation:
        found = yield from self._resolved(reference)
        if isinstance(found, str):
            return literal(kind, found)
        if isinstance(found, Refused):
            return Reading(found, found)
        reading, path = found.reading, found.path
        if reading.members and path:
            members = tuple((name, _through(f"{path}.{name}", each)) for name, each in reading.members)
            values = tuple((name, each.type, each.value) for name, each in members)
            return Reading(Members(values), reading.literal, reading.type, members=members)
        if isinstance(reading.literal, Refused):
            if path and _is_kept(reading):
                return Reading(AliasTo(path), reading.literal, reading.type)
            return refused(_root_reason(path, reading.literal.reason))
        return _aliased(kind, found)

    def _text(self, kind: str, text: str) -> Evaluation:
        """Evaluate a text with references in it."""
        parts = yield from self._parts(text, as_css=kind == CSS)
        if isinstance(parts, Refused):
            return Reading(parts, parts)
        return of_parts(kind, parts, text)

    def _parts(self, written: Any, *, as_css: bool = False) -> Generator[str, Reading, list[Part] | Refused]:
        """Return a text with the readings of its references, or why one of them has no literal."""
        if not isinstance(written, str):
            reading = literal("number", written)
            return [text_of(reading.literal)] if isinstance(reading.literal, float) else Refused("it is not a number")
        parts: list[Part] = []
        for piece in pieces(written):
            found = piece if isinstance(piece, str) else (yield from self._resolved(piece))
            if isinstance(found, Resolved) and isinstance(found.reading.literal, Refused):
                written = self._css(found) if as_css else self._measure(found.path)
                if written is None:
                    return Refused(_root_reason(found.path, found.reading.literal.reason))
                found = found._replace(reading=written)
            if isinstance(found, Refused):
                return found
            parts.append(found)
        return parts

    def _measure(self, path: str) -> Reading | None:
        """Return the text of a number with a unit, such as ``50%``: no variable holds it, but an expression may."""
        token = self._scope.lookup(path)
        text = token.value if token is not None else None
        return fixed(text.strip(), "string") if isinstance(text, str) and measure(text) is not None else None

    def _css(self, found: Resolved) -> Reading | None:
        """Return the text of a curve or a shadow without references, which a text of CSS may contain."""
        token = self._scope.lookup(found.path)
        for _ in range(_LONGEST_CHAIN):
            reference = only_reference(token.value) if token is not None and isinstance(token.value, str) else None
            target = None if reference is None else self._scope.target(reference.name)
            if not isinstance(target, Target):
                break
            token = self._scope.lookup(target.path)
        match token.value if token is not None else None:
            case [int() | float(), *_] as curve if found.reading.type == "cubicBezier":
                return fixed(f"cubic-bezier({', '.join(map(shortest, curve))})", CSS)
            case str() as text if not any(references_in(text)) and text.strip():
                return fixed(text.strip(), CSS)
        return None

    def _resolved(self, reference: Reference) -> Generator[str, Reading, Resolved | Refused | str]:
        """Return the target of a reference; a text if it is a dollar sign and not a reference."""
        name = reference.name
        if reference.parts:
            inner = yield from self._joined_name(reference)
            if isinstance(inner, Refused):
                return inner
            name = inner
        target = self._scope.target(name)
        if isinstance(target, Refused):
            return str(reference) if reference.is_dollar else target
        reading = yield target.key
        if not target.member or self._is_token(target):
            return Resolved(target.key, reading)
        return Resolved(reading.value.path if isinstance(reading.value, AliasTo) else "", reading)

    def _joined_name(self, reference: Reference) -> Generator[str, Reading, str | Refused]:
        names: list[str] = []
        for part in reference.parts:
            found = part if isinstance(part, str) else (yield from self._resolved(part))
            if isinstance(found, Resolved):
                if isinstance(found.reading.literal, Refused):
                    return Refused(_root_reason(found.path, found.reading.literal.reason))
                found = text_of(found.reading.literal)
            if isinstance(found, Refused):
                return found
            names.append(found)
        return "".join(names).strip()[: LONGEST_NAME + 1]

    def _is_token(self, target: Target) -> bool:
        """Return whether a member becomes a token of its own."""
        token = self._scope.lookup(target.path)
        if token is None or len(target.member) != 1:
            return False
        return _kind(token) in _MEMBERED

    def _composite(self, kind: str, value: Any, path: str) -> Evaluation:
        """Evaluate the members of a composite, and return them as tokens or as the JSON of a composite."""
        if kind == "strokeStyle":
            return (yield from self._dashes(value))
        layers = value if isinstance(value, list) else [value]
        read: list[_Layer | Reading] = []
        for layer in layers:
            if isinstance(layer, str) and (reference := only_reference(layer)) is not None:
                found = yield from self._alias(kind, reference)
                read.append(found)
            elif isinstance(layer, dict):
                members: dict[str, Reading] = {}
                for name, each in layer.items():
                    own_kind = _kind_of_member(kind, name)
                    reading = yield from self.value(own_kind, _unwrapped(each), f"{path}.{name}")
                    members[name] = in_theme(reading, self._scope)
                read.append(members)
            else:
                return _of_json(kind, value)
        if kind in _MEMBERED:
            only = read[0] if len(read) == 1 else None
            if only is None:
                return refused(f"it has {len(read)} values, and a {kind} has one")
            return only if isinstance(only, Reading) else _members_of(kind, only)
        return _kept(kind, value, read)

    def _dashes(self, value: Any) -> Evaluation:
        """Evaluate the lengths of a stroke style."""
        dashes = value.get("dashArray") if isinstance(value, dict) else None
        if not isinstance(dashes, list):
            return _of_json("strokeStyle", value)
        lengths: list[Any] = [None] * len(dashes)
        for index, each in enumerate(dashes):
            reading = yield from self.value("dimension", each)
            if isinstance(reading.literal, Refused):
                return refused(f"variables cannot hold a stroke style; {reading.literal.reason}")
            lengths[index] = _json_of(reading, "dimension")
        return _of_json("strokeStyle", {**value, "dashArray": lengths})

    def _object(self, kind: str, value: Any) -> Evaluation:
        """Evaluate an object or a list with references in it: of a colour, of a measure or of fonts."""
        if isinstance(value, list):
            if kind == "fontFamily" and isinstance(value[0], str) and (reference := only_reference(value[0])):
                found = yield from self._alias(kind, reference)
                return (
                    found
                    if len(value) == 1
                    else fixed_with(
                        found, OtherValue(f"it is the first of {len(value)} fonts; code does not get the others")
                    )
                )
            if len(value) == 1 and kind not in (UNKNOWN, "fontFamily"):
                return (yield from self.value(kind, value[0]))
            return literal(kind, value)
        if kind in ("color", UNKNOWN) and "components" in value:
            return (yield from self._color_object(value))
        if value.keys() <= {"value", "unit"} and "value" in value and isinstance(value.get("unit", ""), str):
            inner = yield from self.value(kind, f"{value['value']}")
            literal_of = inner.literal
            if type(literal_of) is float and inner.type == "number" and value.get("unit"):
                found = measured(kind, Number(literal_of, value["unit"]))
                return found if not found.type else _flattened(found, alias_count(inner.value), "it has no unit")
            return inner
        return literal(kind, value)

    def _color_object(self, value: dict[str, Any]) -> Evaluation:
        """Evaluate a colour of DTCG whose components are a reference to a colour, or contain references to numbers."""
        components = value["components"]
        if isinstance(components, str) and (reference := only_reference(components)) is not None:
            base = yield from self._resolved(reference)
            if not isinstance(base, Resolved) or not isinstance(base.reading.literal, Color):
                return Reading(base, base) if isinstance(base, Refused) else refused("its components are not a colour")
            if "alpha" not in value:
                return _aliased("color", base)
            amount = yield from self._parts(value["alpha"])
            if isinstance(amount, Refused):
                return Reading(amount, amount)
            try:
                return colors.with_opacity(base.reading, colors.share_of(amount), "alpha", base.path)
            except BadExpression as error:
                return refused(str(error))
        plain: dict[str, Any] = {}
        for name, each in value.items():
            plain[name] = yield from self._plain(each)
        found = literal("color", plain)
        return found if not found.type else _flattened(found, len([*references_in(value)]), "a reference is a channel")

    def _plain(self, value: Any) -> Generator[str, Reading, Any]:
        """Return JSON with the literals of references, which are numbers or texts."""
        if isinstance(value, list):
            items: list[Any] = [None] * len(value)
            for index, each in enumerate(value):
                items[index] = yield from self._plain(each)
            return items
        if isinstance(value, str) and any(references_in(value)):
            found = yield from self.value(UNKNOWN, value)
            if type(found.literal) is float and found.is_percentage:
                return found.literal / 100
            return found.literal if isinstance(found.literal, float | str) else None
        return value


def of_parts(kind: str, parts: Sequence[Part], text: str) -> Reading:
    """Return the reading of a text whose references have literals."""
    resolved = [part for part in parts if isinstance(part, Resolved)]
    if not resolved:
        return literal(kind, text)
    if kind == "fontFamily" and parts[0] is resolved[0] and isinstance(parts[1], str) and parts[1][0] == ",":
        return _first_family(resolved[0], text, len(resolved) - 1)
    found = colors.computed(parts) if kind in ("color", UNKNOWN, CSS) else None
    if found is None and (kind in NUMERIC or kind in (UNKNOWN, "weightText", CSS)):
        found = _calculated(kind, parts, text)
    if found is not None and not (kind == CSS and isinstance(found.literal, Refused)):
        return found
    plain = _joined(parts, as_css=kind == CSS)
    if len(plain) > _LONGEST_TEXT:
        return refused(f"the text is longer than {_LONGEST_TEXT:,} characters with the values of its references")
    found = _of_json(kind, plain.strip()) if kind in COMPOSITES else literal(kind, plain)
    if isinstance(found.literal, Refused):
        return found
    what = "the reference is a part" if len(resolved) == 1 else "the references are parts"
    return _flattened(found, len(resolved), f"{what} of the text {quoted(text)}")


def _through(path: str, reading: Reading) -> Reading:
    """Return the reading of an alias to a member."""
    if isinstance(reading.literal, Refused):
        return Reading(reading.literal, reading.literal, reading.type)
    return Reading(AliasTo(path), reading.literal, reading.type, is_percentage=reading.is_percentage)


def _aliased(kind: str, found: Resolved) -> Reading:
    """Return the reading of one reference to a token with a literal."""
    reading, path = found.reading, found.path
    if kind == "opacity" and reading.type == "number" and not reading.is_percentage:
        own = measured(kind, Number(reading.literal)) if isinstance(reading.literal, float) else reading
        if own.literal != reading.literal or not path:
            return _flattened(own, 1, f"{shown(path)} is a number, and an opacity a percentage")
        return Reading(AliasTo(path), own.literal, own.type, own.notes, own.is_percentage)
    if not path:
        return _flattened(reading, 1, "it refers to a member of a value that is no variable")
    notes = () if kind != "color" or reading.type == "color" else (f"{shown(path)} is no colour but a {reading.type}",)
    return Reading(AliasTo(path), reading.literal, reading.type, notes, reading.is_percentage)


def _flattened(reading: Reading, aliases: int, reason: str) -> Reading:
    """Return a literal that replaces references; a value that was refused stays so."""
    if isinstance(reading.literal, Refused):
        return reading
    value = Flattened(reading.literal, aliases, reason)
    return Reading(value, reading.literal, reading.type, reading.notes, reading.is_percentage)


def _calculated(kind: str, parts: Sequence[Part], text: str) -> Reading | None:
    """Return the result of an expression with references; None for other texts."""
    operands = [part if isinstance(part, str) else colors.number_of(part) for part in parts]
    if any(operand is None for operand in operands):
        return None
    try:
        number = evaluated([operand for operand in operands if operand is not None])
    except BadExpression as error:
        return refused(str(error))
    if number is None or (kind in (UNKNOWN, CSS) and not number.unit and measure(text) is not None):
        return None
    count = sum(isinstance(part, Resolved) for part in parts)
    return _flattened(measured(kind, number), count, f"the value is calculated from {quoted(text)}")


def _first_family(first: Resolved, text: str, others: int) -> Reading:
    if type(first.reading.literal) is not str and font_list(first.reading.literal) is None:
        return refused(not_one("fontFamily", text))
    note = OtherValue(f"it is the first of the fonts {text[:200]}; code does not get the others")
    if others or not first.path:
        reason = f"it is the first of the fonts {text[:200]}"
        return _flattened(
            Reading(first.reading.value, first.reading.literal, "fontFamily", (note,)), others + 1, reason
        )
    return Reading(AliasTo(first.path), first.reading.literal, "fontFamily", (note,))


def _joined(parts: Sequence[Part], *, as_css: bool) -> str:
    """Return a text with the literals of its references. CSS reads an opacity as a fraction."""
    texts: list[str] = []
    for index, each in enumerate(parts):
        if isinstance(each, str):
            texts.append(each)
        elif as_css and each.reading.is_percentage and isinstance(each.reading.literal, float):
            texts.append(shortest(each.reading.literal / 100))
        elif not isinstance(each.reading.literal, Refused):
            after = parts[index + 1] if index + 1 < len(parts) else ""
            is_length = each.reading.type == "dimension" and type(each.reading.literal) is float
            has_unit = isinstance(after, str) and (after[:1].isalpha() or after[:1] == "%")
            texts.append(text_of(each.reading.literal) + ("px" if is_length and not has_unit else ""))
    return _COLOR_WITH_OPACITY.sub(r"rgb(from \1 r g b / ", "".join(texts)) if as_css else "".join(texts)


_COLOR_WITH_OPACITY = re.compile(r"\brgba\((#[0-9a-f]{3,8}), ")
"""What readers write for a colour with another opacity; CSS has no such form."""


def _kind(token: SourceToken) -> str:
    return _kind_of_value(token) or kind_of(token)


def _step(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return _unwrapped(value.get(step))
    if isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 6 and int(step) < len(value):
        return value[int(step)]
    return None


def _root_reason(path: str, reason: str) -> str:
    """Return why a reference has no literal, with the first token on the way that has none."""
    return reason if reason.startswith("it refers to") or not path else f"it refers to {shown(path)}: {reason}"
