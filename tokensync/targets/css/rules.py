"""What is declared where, before it is text: contexts that are chosen, and values by the places of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.css.mixing import SUPPORTS
from tokensync.targets.css.views import Cell, View
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.generate.axes import Axis, Context
    from tokensync.targets.css.system import Layer, Modes


class Choice(NamedTuple):
    """One context that is chosen, or any of the axis's (None)."""

    axis: Axis
    context: Context | None


Texts = dict[int, "str | Cell"]
"""What is declared, by the places of tokens: a text, or a cell where a composite token has parts."""


class Tier(NamedTuple):
    """What browsers that can something (``condition``, empty for all of them) take: by default, and in each layer.

    A layer has only what it shows otherwise.
    """

    condition: str
    usual: Texts
    variants: list[Texts]


class Rule(NamedTuple):
    """What an element declares on which these contexts are chosen, tier by tier.

    ``outside`` has, for the default and for each layer, the tokens whose literals stand for references to them.
    """

    chosen: tuple[Choice, ...]
    tiers: list[Tier]
    outside: list[Mapping[int, int]]


class Reach(NamedTuple):
    """What an axis's blocks declare: ``places`` always; in a layer, those of ``in_layers`` may be otherwise.

    ``more`` are tokens that are declared in a layer only, because there alone the contexts differ in them.
    """

    axis: Axis
    places: list[int]
    varying: set[int]
    in_layers: list[list[int]]
    more: list[set[int]]


NOTHING = View((), [], [], {})
WIDE = "@media (color-gamut: p3)"


def rule_of(chosen: tuple[Choice, ...], layers: Sequence[Layer], usual: View, layered: Sequence[View]) -> Rule:
    """The rule of an element that shows one view by default and others in layers.

    A layer's view has to have all that the layers have that may hold with it.
    """
    values = [_plain(each) for each in (usual, *layered)]
    tiers = [Tier("", values[0], _varied(layers, values[0], values[1:]))]
    for condition, told in ((WIDE, _wide), (SUPPORTS, _mixed)):
        special = [told(each) for each in (usual, *layered)]
        if any(special):
            first, *rest = special
            tiers.append(Tier(condition, first, _varied(layers, first, rest, values[1:])))
    return Rule(chosen, tiers, [usual.targets, *(each.targets for each in layered)])


def _varied(
    layers: Sequence[Layer], usual: Texts, layered: Sequence[Texts], otherwise: Sequence[Texts] = ()
) -> list[Texts]:
    """What each layer declares: what the default and the layers that hold with certainty do not have so.

    Also what a layer that may hold or not would change. ``otherwise`` has what a token shows in a layer that says
    nothing of it here, which matters where the default or another layer does.
    """
    variants: list[Texts] = []
    for at, (layer, values) in enumerate(zip(layers, layered, strict=True)):
        certain = [usual, *(variants[each] for each in layer.certain if variants[each])]
        rivals = [variants[each] for each in layer.rivals if variants[each]]
        shown = values
        if otherwise:
            held = set().union(*certain, *rivals)
            shown = {
                place: values.get(place, text)
                for place, text in otherwise[at].items()
                if place in values or place in held
            }
        mine: Texts = {}
        for place, value in shown.items():
            effective = None
            for each in certain:
                effective = each.get(place, effective)
            if value != effective or any(each.get(place, value) != value for each in rivals):
                mine[place] = value
        variants.append(mine)
    return variants


def _plain(view: View) -> Texts:
    if not view.is_rich:
        return {place: value for place, value in zip(view.places, view.values, strict=True) if value is not None}
    return {
        place: value.text if isinstance(value, Cell) and not value.parts else value
        for place, value in zip(view.places, view.values, strict=True)
        if value is not None
    }


def _wide(view: View) -> Texts:
    if not view.is_rich:
        return {}
    return {p: each.wide for p, each in zip(view.places, view.values, strict=True) if type(each) is Cell and each.wide}


def _mixed(view: View) -> Texts:
    if not view.is_rich:
        return {}
    return {
        p: each.mixed for p, each in zip(view.places, view.values, strict=True) if type(each) is Cell and each.mixed
    }


def themes_of(axis: Axis) -> list[Theme]:
    """The themes of an axis's contexts, in every appearance."""
    return [theme for each in axis.contexts for theme in (each.theme, *(one for _, one in each.appearances))]


def theme_of(modes: Modes) -> Theme:
    """The theme of these modes, whose name is no matter."""
    return Theme("", tuple(modes.items()))
