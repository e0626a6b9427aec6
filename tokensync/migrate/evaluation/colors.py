"""Colours in CSS notations, also with references in them: ``rgba({c}, .5)``, ``oklch({c} / {o})``, ``color-mix()``.

Colours of other spaces are converted to sRGB. One outside of sRGB becomes the closest one, with less chroma.
"""

from __future__ import annotations

import re
from colorsys import hls_to_rgb, rgb_to_hls
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from tokensync.code.literals import Number, measure, plain_color, srgb_color
from tokensync.dtcg import colors
from tokensync.dtcg.parse import BadToken
from tokensync.migrate.evaluation.expressions import BadExpression, evaluated
from tokensync.migrate.evaluation.values import (
    AliasTo,
    Composed,
    Flattened,
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
from tokensync.migrate.source import PARTS_OF_COLOR, SourceToken
from tokensync.system.wording import quoted
from tokensync.tokens import Color, float32, hexadecimal, shortest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.migrate.evaluation.values import Part


Components = tuple[float, float, float]

SPACES: Final = frozenset({"srgb", "display-p3", "hsl", "lch"})
"""The colour spaces of CSS that modifiers use. Saturation and lightness of hsl are from 0 to 1."""


def of_srgb(space: str, color: Components) -> Components:
    """Return the components of a colour in sRGB in another space."""
    if space == "hsl":  # exact at half of a channel, where coloraide's last digit decides about rounding
        hue, lightness, saturation = rgb_to_hls(*color)
        return hue * 360, saturation, lightness
    return _converted("srgb", space, color)


def to_srgb(space: str, components: Components) -> Components:
    """Return the components of a colour in sRGB, which are not from 0 to 1 outside of it."""
    if space == "hsl":
        hue, saturation, lightness = components
        return hls_to_rgb(hue % 360 / 360, lightness, saturation)
    return _converted(space, "srgb", components)


@lru_cache(maxsize=1 << 16)  # coloraide converts a few thousand colours a second, and a theme modifies all of a source
def _converted(space: str, target: str, components: Components) -> Components:
    from coloraide import Color

    first, second, third = Color(space, components).convert(target).coords(nans=False)
    return first, second, third


_TRIPLE = re.compile(r"(-?[0-9.]{1,20}(?:deg)?)[ ,]+([0-9.]{1,20}%)[ ,]+([0-9.]{1,20}%)(?:[ ,]*/[ ]*([0-9.]{1,20}%?))?")
_FUNCTION = re.compile(r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix)\(\s*(.*)\)", re.DOTALL | re.IGNORECASE)
_BEFORE = re.compile(r"\s*(rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(\s*", re.IGNORECASE)
_AFTER = re.compile(r"\s*[,/]\s*([0-9]{0,9}\.?[0-9]{1,20})(%?)\s*\)\s*")
_LONGEST = 2000
"""Characters of a colour with references."""
_KEYWORDS = frozenset({"inherit", "initial", "unset", "revert", "currentcolor", "none", "auto"})
_IN_GAMUT = 0.00005
"""The tolerance of channels outside of 0 to 1."""
_START, _END = "\ue000", "\ue001"
_PLACE = re.compile(f"{_START}([0-9]+){_END}")
_FROM = re.compile(r"from\s+(\S+|.*\))\s+([a-z])\s+([a-z])\s+([a-z])(?:\s*/\s*(.*))?", re.DOTALL)
_CHANNEL_NAMES = {"rgb": "rgb", "hsl": "hsl", "hwb": "hwb", "lab": "lab", "lch": "lch", "oklab": "lab", "oklch": "lch"}
_MIX = re.compile(r"in\s+([a-z0-9-]+)(?:\s+(shorter|longer|increasing|decreasing)\s+hue)?", re.IGNORECASE)
_MIXED = re.compile(r"(?:([0-9.]+)%\s+)?(.*?)(?:\s+([0-9.]+)%)?", re.DOTALL)


@lru_cache(maxsize=65_536)
def color(text: str) -> Reading | None:
    """Return the colour of a text without references; None if it is not one; a reason if it is no single value."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if (plain := plain_color(text)) is not None:
        return fixed(plain, "color")
    lowered = text.lower()
    if lowered in _KEYWORDS:
        return refused(f"{text} is a keyword that takes the colour from elsewhere, not a colour")
    if "gradient(" in lowered:
        return refused("variables cannot hold a gradient")
    triple = _TRIPLE.fullmatch(text)
    if triple is not None:
        hue, saturation, lightness, alpha = triple.groups()
        text = f"hsl({hue} {saturation} {lightness}{'' if alpha is None else f' / {alpha}'})"
        if (plain := plain_color(text)) is not None:
            return fixed(plain, "color")
    return _of_css(text) or (computed((text,)) if text.endswith(")") and _FUNCTION.match(text) else None)


def has_parts(token: SourceToken) -> bool:
    """Return whether the value of a colour is written as its parts, such as ``0 0% 100%`` for a use in ``hsl()``."""
    is_triple = type(token.value) is str and token.value[-1:] == "%" and _TRIPLE.fullmatch(token.value.strip())
    return bool(is_triple) or PARTS_OF_COLOR in token.extensions


def of_object(value: object) -> Reading | None:
    """Return the colour of an object with components, as DTCG defines it or similar; None if it is not one."""
    with suppress(BadToken):
        found = colors.meant_color(value, None)
        if found is None:
            return _read(value)
        reading = _read(found.value)
        return replace(reading, notes=(*reading.notes, *(note.what for note in found.notes if note.within)))
    return None


def of_space(space: str, components: Sequence[float], alpha: float) -> Reading:
    """Return the reading of a colour in a colour space of CSS, whose components may be out of range."""
    try:
        return _of_space(space, components, alpha)
    except OverflowError:
        return refused("the components of the colour are too large")


def _of_space(space: str, components: Sequence[float], alpha: float) -> Reading:
    first, second, third = components
    if space in SPACES:
        channels = to_srgb(space, (first, second, third))
        if all(-_IN_GAMUT <= channel <= 1 + _IN_GAMUT for channel in channels):
            return fixed(srgb_color(channels, alpha), "color")
    from coloraide import Color as Converted

    found = Converted(space, [first, second, third]).convert("srgb")
    if found.in_gamut(tolerance=_IN_GAMUT):
        return fixed(srgb_color(found[:3], alpha), "color")
    value = srgb_color(found.clone().fit("srgb", method="oklch-chroma")[:3], alpha)
    what = f"{found.to_string(fit=False, precision=4)} is outside of sRGB"
    return fixed(value, "color", OtherValue(f"{what}, so the closest colour, {hexadecimal(value)}"))


def computed(parts: Sequence[Part]) -> Reading | None:
    """Return the colour of a function with references or colours as arguments; None for other texts."""
    if len(parts) == 3 and (found := _with_literal_opacity(*parts)) is not None:
        return found
    resolved = [part for part in parts if isinstance(part, Resolved)]
    texts = [part for part in parts if isinstance(part, str)]
    if any(_START in text for text in texts) or sum(map(len, texts)) > _LONGEST:
        return None
    numbers = iter(range(len(resolved)))
    template = "".join(part if isinstance(part, str) else f"{_START}{next(numbers)}{_END}" for part in parts)
    try:
        return _Function(resolved).color(template.strip(), 0)
    except BadExpression as error:
        return refused(str(error))


def _with_literal_opacity(before: Part, base: Part, after: Part) -> Reading | None:
    """Return the colour of ``rgba({c}, 0.5)``, the most common form; None for others."""
    if not isinstance(before, str) or isinstance(base, str) or not isinstance(after, str):
        return None
    name, share = _function_before(before), _share_after(after)
    if not name or share is None or not isinstance(base.reading.literal, Color):
        return None
    return with_opacity(base.reading, share, f"{name}()", base.path)


@lru_cache(maxsize=1024)
def _function_before(text: str) -> str:
    match = _BEFORE.fullmatch(text)
    return "" if match is None else match[1].lower()


@lru_cache(maxsize=1024)
def _share_after(text: str) -> Share | None:
    match = _AFTER.fullmatch(text)
    if match is None:
        return None
    value = float(match[1]) / (100 if match[2] else 1)
    return Share(value) if value <= 1 else None


def with_opacity(base: Reading, share: Share, why: str, path: str = "") -> Reading:
    """Return a colour whose alpha is set: a composed colour if an alias remains and the base is opaque.

    ``path`` is that of the target if the base is a reference, ``why`` says what sets the alpha.
    """
    literal = base.literal
    if not isinstance(literal, Color):
        return refused(f"{why} needs a colour, and {shown(path) if path else 'the value'} is not one")
    result = replace(literal, alpha=float32(share.value))
    aliases = (1 if path else alias_count(base.value)) + share.aliases
    if not aliases:
        return fixed(result, "color", *base.notes)
    if literal.alpha != 1:
        of_what = shown(path) if path else "the colour"
        reason = f"{of_what} is not opaque, and {why} sets its opacity instead of multiplying it"
        return Reading(Flattened(result, aliases, reason), result, "color", base.notes)
    if isinstance(base.value, Flattened | Composed) and not path:
        return Reading(Flattened(result, aliases, f"{why} applies to a computed colour"), result, "color", base.notes)
    part = AliasTo(path) if path else base.value if isinstance(base.value, AliasTo) else literal
    if share.path:
        value = Composed(part, AliasTo(share.path))
    elif isinstance(part, AliasTo):
        value = Composed(part, float32(share.value * 100), share.aliases, share.reason)
    else:
        return Reading(Flattened(result, aliases, share.reason), result, "color", base.notes)
    return Reading(value, result, "color", base.notes)


class Share(NamedTuple):
    """An opacity from 0 to 1; ``path`` is that of a token that has it as a percentage.

    ``aliases`` is the number of references in it, and ``reason`` says why they become a literal, if they do.
    """

    value: float
    path: str = ""
    aliases: int = 0
    reason: str = ""


def share_of(parts: Sequence[Part]) -> Share:
    """Return the opacity that a number, a percentage, a reference or an expression means. Raises BadExpression."""
    given = [part for part in parts if not isinstance(part, str) or part.strip()]
    resolved = [each for each in given if isinstance(each, Resolved)]
    found = evaluated([each if isinstance(each, str) else _number_of(each) for each in given])
    if found is None or found.unit not in ("", "%"):
        text = "".join(part if isinstance(part, str) else shown(part.path) for part in parts)
        raise BadExpression(f"{quoted(text.strip())} is not an opacity")
    if len(given) == 1:  # not rounded as expressions are
        only = given[0]
        found = (measure(only) if isinstance(only, str) else _number_of(only)) or found
    value = found.value / 100 if found.unit else found.value
    if not 0 <= value <= 1:
        raise BadExpression(f"the opacity {shortest(value)} is not from 0 to 1")
    if len(given) == 1 and resolved and resolved[0].reading.is_percentage:
        return Share(value, resolved[0].path, 1)
    reason = ""
    if resolved:
        is_one = len(given) == 1
        reason = "the opacity is a fraction, not a percentage" if is_one else "the opacity is an expression"
    return Share(value, "", len(resolved), reason)


def factor_of(parts: Sequence[Part]) -> Share:
    """Return the amount of a modifier, which may be out of range. Raises BadExpression."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return Share(_constant_factor(parts[0]))
    found = evaluated([part if isinstance(part, str) else _number_of(part) for part in parts])
    return Share(_factor(found), "", sum(isinstance(part, Resolved) for part in parts))


@lru_cache(maxsize=1024)
def _constant_factor(text: str) -> float:
    return _factor(measure(text) or evaluated((text,)))


def _factor(number: Number | None) -> float:
    if number is None or number.unit not in ("", "%"):
        raise BadExpression("its amount is not a number")
    return number.value / 100 if number.unit else number.value


def number_of(each: Resolved) -> Number | None:
    """Return the number of a reference in an expression, a fraction for an opacity; None if it is not one."""
    literal = each.reading.literal
    if type(literal) is float:
        if each.reading.is_percentage:
            return Number(literal / 100)
        return Number(literal, "px" if each.reading.type == "dimension" else "")
    if isinstance(literal, str):
        with suppress(BadExpression):
            return evaluated((literal,))
    unit, number = getattr(literal, "unit", None), getattr(literal, "number", None)
    return Number(number, unit) if number is not None and unit is not None else None


def _number_of(each: Resolved) -> Number:
    found = number_of(each)
    if found is None:
        raise BadExpression(f"{shown(each.path)} is not a number")
    return found


class _Function:
    """The evaluation of a function of CSS in which ``resolved`` stand for their places."""

    def __init__(self, resolved: Sequence[Resolved]) -> None:
        self._resolved = resolved

    def color(self, text: str, depth: int) -> Reading | None:
        match = _FUNCTION.fullmatch(text) if depth < 8 else None
        if match is None or not _is_balanced(match[2]):
            return None
        name, body = match[1].lower(), match[2].strip()
        if name == "color-mix":
            return self._mix(parts_between(body, ","), depth)
        relative = _FROM.fullmatch(body)
        if relative is not None:
            return self._relative(name, relative, depth)
        if body.startswith("from"):
            return refused("it is computed from the channels of another colour")
        arguments = _arguments(body)
        if len(arguments) <= 2:
            base, path = self._base(arguments[0], depth)
            if base is not None:
                if len(arguments) == 1:
                    return Reading(AliasTo(path), base.literal, base.type, base.notes) if path else base
                return with_opacity(base, share_of(self._parts(arguments[1])), f"{name}()", path)
        return self._of_channels(text)

    def _base(self, text: str, depth: int) -> tuple[Reading | None, str]:
        """Return the colour of an argument, and the path of its target if it is a reference."""
        place = _PLACE.fullmatch(text)
        if place is not None:
            each = self._resolved[int(place[1])]
            return (each.reading, each.path) if isinstance(each.reading.literal, Color) else (None, "")
        found = color(text) if _START not in text else self.color(text, depth + 1)
        if found is None or isinstance(found.literal, Refused):
            return None, ""
        return found, ""

    def _parts(self, text: str) -> list[Part]:
        """Return a part of the text with its references."""
        pieces = _PLACE.split(text)
        return [self._resolved[int(each)] if index % 2 else each for index, each in enumerate(pieces) if each]

    def _of_channels(self, text: str) -> Reading | None:
        """Return the colour of a function whose channels are or contain references, which become literals."""
        parts = self._parts(text)
        aliases = sum(isinstance(part, Resolved) for part in parts)
        plain = "".join(part if isinstance(part, str) else _channel_text(part) for part in parts)
        found = _of_css(plain) if aliases else None
        if found is None:
            return refused(f"{quoted(plain)} is not a colour") if aliases else None
        literal = found.literal
        if not isinstance(literal, Color):
            return found
        return Reading(Flattened(literal, aliases, "a reference is a channel"), literal, "color", found.notes)

    def _relative(self, name: str, match: re.Match[str], depth: int) -> Reading:
        base, path = self._base(match[1], depth)
        if base is None:
            return refused(f"{name}(from ...) needs a colour")
        if "".join(match.group(2, 3, 4)) != _CHANNEL_NAMES.get(name.removesuffix("a"), ""):
            return refused("it is computed from the channels of another colour")
        if match[5] is None or match[5].strip() == "alpha":
            return Reading(AliasTo(path), base.literal, base.type, base.notes) if path else base
        return with_opacity(base, share_of(self._parts(match[5])), f"{name}()", path)

    def _mix(self, arguments: list[str], depth: int) -> Reading | None:
        method = _MIX.fullmatch(arguments[0].strip())
        if method is None or len(arguments) != 3:
            return None
        sides = [_MIXED.fullmatch(argument.strip()) for argument in arguments[1:]]
        bases = [(None, "") if side is None else self._base(side[2].strip(), depth) for side in sides]
        if sides[0] is None or sides[1] is None or bases[0][0] is None or bases[1][0] is None:
            return refused("color-mix() needs two colours")
        first, second = (match[1] or match[3] for match in (sides[0], sides[1]))
        shares = [
            float(first) if first else 100 - float(second) if second else 50.0,
            float(second) if second else 100 - float(first) if first else 50.0,
        ]
        if min(shares) < 0 or not sum(shares) or max(shares) > 100:
            return refused("the shares of color-mix() are not from 0 to 100 %")
        return _mixed(bases, shares, method[1].lower(), method[2] or "shorter")


def _mixed(bases: list[tuple[Reading | None, str]], shares: list[float], space: str, hue: str) -> Reading:
    """Return two colours mixed as CSS does: premultiplied, and less opaque if the shares are less than 100 %."""
    from coloraide import Color as Converted

    (first, first_path), (second, second_path) = bases
    literals = [each.literal for each in (first, second) if each is not None and isinstance(each.literal, Color)]
    if first is None or second is None or len(literals) != 2:
        return refused("color-mix() needs two colours")
    factor = min(sum(shares), 100) / 100
    if (clear := [literal.alpha == 0 for literal in literals]) != [False, False] and clear != [True, True]:
        index = clear.index(False)  # only the opacity changes
        share = Share(literals[index].alpha * shares[index] / sum(shares) * factor)
        if literals[index].alpha == 1 or not (first_path or second_path):
            return with_opacity((first, second)[index], share, "color-mix()", (first_path, second_path)[index])
    left, right = (Converted("srgb", [literal.red, literal.green, literal.blue], literal.alpha) for literal in literals)
    try:
        result = left.mix(right, shares[1] / sum(shares), space=space, hue=hue, premultiplied=True)
    except ValueError:
        return refused(f"color-mix() in the unknown colour space {space}")
    found = of_space("srgb", result.convert("srgb").coords(nans=False), result.alpha(nans=False) * factor)
    aliases = sum(
        alias_count(each.value) if not path else 1 for each, path in ((first, first_path), (second, second_path))
    )
    if not aliases or not isinstance(found.literal, Color):
        return found
    return Reading(Flattened(found.literal, aliases, "color-mix() of colours"), found.literal, "color", found.notes)


def _of_css(text: str) -> Reading | None:
    found = None if text.startswith("#") else colors.meant_color(text, lambda: None)
    if found is None:
        return None
    with suppress(BadToken):
        return _read(found.value, text)
    return None


def _read(value: object, text: str = "") -> Reading:
    """Return the reading of a DTCG colour value. Raises BadToken."""
    found = colors.color(value)
    wide = colors.exact(value) if isinstance(value, dict) else ""
    if not wide or wide.startswith("srgb "):
        return fixed(found, "color")
    what = text or f"{wide.partition(' ')[0]}({wide.partition(' ')[2]})"
    return fixed(found, "color", OtherValue(f"{what} is outside of sRGB, so the closest colour, {hexadecimal(found)}"))


def _channel_text(each: Resolved) -> str:
    literal = each.reading.literal
    if isinstance(literal, Refused):
        return ""
    return f"{text_of(literal)}%" if each.reading.is_percentage else text_of(literal)


def _arguments(body: str) -> list[str]:
    """Return the arguments of a function: between commas, or the part before a slash at blanks, and that after it."""
    if len(arguments := parts_between(body, ",")) > 1:
        return arguments
    channels, *alpha = parts_between(body, "/")
    return [*parts_between(channels, " "), *(["/".join(alpha).strip()] if alpha else [])]


def parts_between(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators outside of parentheses and braces, without blanks around them."""
    parts, depth, start = [], 0, 0
    for at, each in enumerate(text):
        if each in "({":
            depth += 1
        elif each in ")}":
            depth -= 1
        elif depth == 0 and (each == separator or (separator == " " and each.isspace())):
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part] or [""]


def _is_balanced(text: str) -> bool:
    depth = 0
    for each in text:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            return False
    return depth == 0
