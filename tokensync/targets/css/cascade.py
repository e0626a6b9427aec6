"""What a style sheet declares where, so that each element shows its theme's values, however elements are nested.

``:root`` has all tokens. A block of an axis has every token that differs between the axis's contexts, and everything
that refers to one, because a custom property is computed where it is declared; so a context's block always declares
the same tokens as any other of its axis, and one element within another is right. Blocks of two axes weigh the same and
know of each other's defaults only: where a token depends on both, a block of the two together declares what they
get wrong. Right after each block come its variants under media queries, with what differs there. So an attribute always
wins over the system.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.axes import axes_of, pairs_of
from tokensync.targets.css.pairing import Pairing
from tokensync.targets.css.rules import NOTHING, Choice, Reach, Rule, rule_of, theme_of, themes_of
from tokensync.targets.css.system import following, system_of
from tokensync.targets.css.views import Views, is_reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.axes import Axis, Context, Pair
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.css.options import CssOptions
    from tokensync.targets.css.spelling import Spelling
    from tokensync.targets.css.system import Layer, Modes
    from tokensync.targets.css.views import View
    from tokensync.tokens import FamilyKey


class Cascade:
    """The rules of one output."""

    def __init__(self, sheet: Sheet, options: CssOptions, spelling: Spelling) -> None:
        self.sheet = sheet
        self.resolution = sheet.resolution
        self.views = Views(sheet, options, spelling)
        self.axes = axes_of(sheet)
        self.system = system_of(sheet, self.axes, options.themes)
        self.layers = self.system.layers
        self._depending: dict[FamilyKey, set[int]] = {}

    def rules(self) -> Iterator[Rule]:
        """The defaults, each context's, then those of two contexts at once; one at a time, let go when written."""
        yield self._defaults()
        reaches = {axis.name: self._reach(axis) for axis in self.axes}
        for reach in reaches.values():
            for context in reach.axis.contexts:
                yield self._of_context(reach, context)
        for pair in pairs_of(self.sheet, self.axes):
            yield from self._of_pair(pair, reaches[pair.first.name], reaches[pair.second.name])

    def depending(self, families: Iterable[FamilyKey]) -> set[int]:
        """The tokens that the modes of these families bear upon, whatever modes the others are in."""
        found: set[int] = set()
        for family in families:
            if family not in self._depending:
                modes = range(len(self.sheet.graph.collections[family].modes))
                self._depending[family] = self.resolution.depending(theme_of({family: mode}) for mode in modes)
            found |= self._depending[family]
        return found

    @cached_property
    def varying(self) -> set[int]:
        """The tokens that may differ between the default theme and any that an element may show."""
        themes = [theme for axis in self.axes for theme in themes_of(axis)]
        return self.resolution.varying([*themes, *(theme_of(layer.modes) for layer in self.layers)])

    def _defaults(self) -> Rule:
        layered: list[View] = []
        for layer in self.layers:
            chosen = (theme_of(each.modes) for each in self.beside(layer))
            places = self.sheet.declared_among(self.resolution.varying(chosen))
            layered.append(self._view(layer.modes, places))
        return rule_of((), self.layers, self.views.default(self.sheet.declared), layered)

    def _view(self, modes: Modes, places: Sequence[int]) -> View:
        return self.views.of(modes, places, self.varying) if places else NOTHING

    def beside(self, layer: Layer) -> list[Layer]:
        """The layer and those before it that may hold with it."""
        return [layer, *(self.layers[at] for at in (*layer.certain, *layer.rivals))]

    def _of_context(self, reach: Reach, context: Context) -> Rule:
        usual = self._view(dict(context.theme.modes), reach.places)
        tokens = self.sheet.tokens
        steady = {place for place, value in zip(usual.places, usual.values, strict=True) if is_reference(value)}
        layered: list[View] = []
        for at, layer in enumerate(self.layers):
            if following(context, layer) != context.theme:
                places = self.sheet.declared_among({*reach.places, *reach.more[at]})
            else:
                families = {family for each in self.beside(layer) for family in each.modes}
                places = [
                    each for each in reach.in_layers[at] if each not in steady or tokens[each].key[:2] in families
                ]
            layered.append(self._view(self.system.modes(layer, context), places))
        return rule_of((Choice(reach.axis, context),), self.layers, usual, layered)

    def _reach(self, axis: Axis) -> Reach:
        themes = themes_of(axis)
        varying = self.resolution.varying(themes)
        places = self.sheet.declared_among(varying)
        own = self.depending({family for theme in themes for family, _ in theme.modes}) if self.layers else set()
        in_layers: list[list[int]] = []
        more: list[set[int]] = []
        for layer in self.layers:
            rest = {family for beside in self.beside(layer) for family in beside.modes} - {axis.family}
            candidates = [] if self.system.whole else self.sheet.declared_among(self.depending(rest) & own)
            beneath = set().union(*(more[at] for at in (*layer.certain, *layer.rivals)))
            more.append(beneath | self._differing(axis, layer, [each for each in candidates if each not in varying]))
            in_layers.append([each for each in candidates if each in varying or each in more[-1]])
        return Reach(axis, places, varying, in_layers, more)

    def _differing(self, axis: Axis, layer: Layer, places: list[int]) -> set[int]:
        """The tokens that show different values in some contexts of an axis, in this layer."""
        found: set[int] = set()
        if not places:
            return found
        usual = self.views.numbers(layer.modes, places, self.varying)
        for context in axis.contexts:
            numbers = self.views.numbers(self.system.modes(layer, context), places, self.varying)
            found.update(place for place, one, other in zip(places, usual, numbers, strict=True) if one != other)
        return found

    def _of_pair(self, pair: Pair, first: Reach, second: Reach) -> Iterator[Rule]:
        """Combinations of contexts that the simple blocks get wrong, with the tokens that they get wrong."""
        pairing = Pairing(self, pair, first, second)
        for one, other, places in pairing.combinations():
            usual, *layered = pairing.views(one or pair.first.contexts[0], other or pair.second.contexts[0], places)
            chosen = (Choice(pair.first, one), Choice(pair.second, other))
            yield rule_of(chosen, self.layers, usual, layered)
