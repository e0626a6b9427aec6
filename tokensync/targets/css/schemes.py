"""``light-dark()`` instead of a media query: for colours that one axis alone makes light or dark.

The property ``color-scheme`` says which of the two an element shows. One axis can set it, so the colours of any other
stay under media queries, and so do those that depend on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import Appearance, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.targets.css.cascade import Cascade
    from tokensync.targets.css.rules import Choice, Rule, Tier
    from tokensync.tokens import Collection, FamilyKey

BOTH = "light dark"


class Schemes(NamedTuple):
    """The layer that light-dark() stands for, whether that is the dark one, its axis, and the colours that it suits."""

    layer: int
    is_dark: bool
    family: FamilyKey | None
    places: frozenset[int]

    def merged(self, rule: Rule) -> Rule:
        """The rule with light-dark() for what the layer shows otherwise."""
        return rule._replace(tiers=[self._merged(each) for each in rule.tiers])

    def _merged(self, tier: Tier) -> Tier:
        usual, variant = dict(tier.usual), dict(tier.variants[self.layer])
        for place in self.places & variant.keys() & usual.keys():
            pair = (usual[place], variant.pop(place))
            light, dark = pair if self.is_dark else reversed(pair)
            usual[place] = f"light-dark({light}, {dark})"
        variants = [variant if at == self.layer else each for at, each in enumerate(tier.variants)]
        return tier._replace(usual=usual, variants=variants)

    def declared(self, cascade: Cascade, chosen: tuple[Choice, ...]) -> str:
        """What ``color-scheme`` has to be where these contexts are chosen; nothing for what they are no matter to."""
        if not chosen:
            return BOTH
        if len(chosen) > 1 or chosen[0].axis.family != self.family:
            return ""
        context = chosen[0].context
        if context is None or context.appearances:
            return BOTH
        layer = cascade.layers[self.layer]
        own, other = ("dark", "light") if self.is_dark else ("light", "dark")
        if self.family is None:
            return own if dict(context.theme.modes) == layer.modes else BOTH
        family = cascade.sheet.graph.collections[self.family]
        mode = dict(context.theme.modes)[self.family]
        return own if mode == layer.modes[self.family] else _scheme(family, mode, other)


def schemes_of(cascade: Cascade) -> Schemes | None:
    """The axis with the most colours that are light or dark by the system; None where there is none."""
    found: list[Schemes] = []
    for at, layer in enumerate(cascade.layers):
        if len(layer.queries) == 1 and layer.appearance in (Appearance("dark", ""), Appearance("light", "")):
            is_dark = layer.appearance.scheme == "dark"
            if cascade.system.whole:
                found.append(Schemes(at, is_dark, None, _colors(cascade, cascade.depending(layer.modes))))
            for axis in cascade.axes:
                if axis.family in layer.modes and not cascade.system.whole:
                    rest = layer.modes.keys() - {axis.family}
                    own = cascade.depending([axis.family]) - cascade.depending(rest)
                    found.append(Schemes(at, is_dark, axis.family, _colors(cascade, own)))
    return max(found, key=lambda each: len(each.places), default=None)


def _colors(cascade: Cascade, places: Iterable[int]) -> frozenset[int]:
    kinds = cascade.sheet.kinds
    return frozenset(place for place in places if kinds[place] == "color")


def _scheme(family: Collection, mode: int, usual: str) -> str:
    """The scheme of a mode by its name, else by its parent's; the default one's is ``usual``."""
    at: int | None = mode
    while at is not None:
        told = scheme_of(family.modes[at].name)
        if told or at == family.default_mode:
            return told or usual
        at = family.modes[at].parent
    return BOTH
