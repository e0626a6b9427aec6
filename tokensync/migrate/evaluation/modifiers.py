"""Modifiers of colours, the extension ``studio.tokens`` of Tokens Studio.

The formulas are exact. The plugin and sd-transforms round the components of the colour space first, to three and five
digits, so their colours can differ by up to 5 of 255 steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.migrate.evaluation.colors import Share, of_space, of_srgb, with_opacity
from tokensync.migrate.evaluation.values import Flattened, Reading, Refused, alias_count, fixed, refused
from tokensync.system.wording import quoted
from tokensync.tokens import Color

if TYPE_CHECKING:
    from tokensync.migrate.source import SourceToken

_SPACES = {"lch": "lch", "hsl": "hsl", "srgb": "srgb", "p3": "display-p3"}
"""The colour spaces of modifiers with their names in CSS."""
_KINDS = ("lighten", "darken", "mix", "alpha")


class Modifier(NamedTuple):
    """A modifier as written: its amount and colour may contain references and expressions."""

    kind: str
    amount: Any
    space: str = ""
    color: Any = None

    def __str__(self) -> str:
        return f"the modifier {self.kind}"


def modifier_of(token: SourceToken) -> Modifier | Refused | None:
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
    return Modifier(kind, written["value"], space or "", written.get("color"))


def modified(base: Reading, modifier: Modifier, amount: Share, other: Reading | None) -> Reading:
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
    found = _calculated(base.literal, modifier, amount.value, second)
    if not isinstance(found.literal, Color):
        return found
    why = f"{modifier} {amount.value:.4g} in {modifier.space}"
    if not aliases:
        return fixed(found.literal, "color", *base.notes, why, *found.notes)
    return Reading(Flattened(found.literal, aliases, why), found.literal, "color", (*base.notes, *found.notes))


def _calculated(color: Color, modifier: Modifier, amount: float, other: Color | None) -> Reading:
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
