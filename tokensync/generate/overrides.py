"""What themes change in the default one: for outputs that look a theme's values up by its name.

A token's value in a theme is the theme's own, else the default one. Where two themes are chosen at once, it is that of
the two together, else that of either of them, else the default one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.axes import axes_of, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.generate.axes import Axis, Pair
    from tokensync.generate.output import Output
    from tokensync.tokens import Theme
    from tokensync.tokens.resolver import ResolvedTheme


class Override(NamedTuple):
    """One theme, or two at once: ``parts`` are the names of the two, and empty for one.

    ``indices`` are the declared tokens, in order, whose value is not what a look-up finds without this override.
    """

    theme: Theme
    parts: tuple[str, ...]
    shown: ResolvedTheme
    indices: list[int]

    @property
    def name(self) -> str:
        """Return the name: ``color-scheme/dark``, or ``color-scheme/dark + density/dense``."""
        return self.theme.name


Differing = dict[int, int]
"""The literals that a theme changes, by the indices of their tokens."""


def overrides_of(output: Output) -> Iterator[Override]:
    """Yield each theme, even one that changes nothing; then each two of interacting axes that change something."""
    axes = axes_of(output)
    differing: dict[str, Differing] = {}
    for axis in axes:
        for override in _of_axis(output, axis):
            if override.name not in differing:
                numbers = override.shown.literals
                differing[override.name] = {index: numbers[index] for index in override.indices}
                yield override
    made: set[str] = set()
    for pair in pairs_of(output, axes):
        for override in _of_pair(output, pair, differing):
            if override.indices and override.name not in made:
                made.add(override.name)
                yield override


def _of_axis(output: Output, axis: Axis) -> Iterator[Override]:
    usual = output.resolution.default.literals
    themes = [context.theme for context in axis.contexts if not context.appearances]
    varying = output.resolution.varying(themes)
    indices = output.declared_among(varying)
    for theme in themes:
        shown = output.resolution.in_theme(theme, varying)
        yield Override(theme, (), shown, _changed(indices, shown.literals, usual))


def _of_pair(output: Output, pair: Pair, differing: dict[str, Differing]) -> Iterator[Override]:
    """Yield each combination of two axes, with the values that neither of its themes gives in either order."""
    usual = output.resolution.default.literals
    combinations = [each for each in pair.combinations() if not each[0].appearances and not each[1].appearances]
    varying = output.resolution.varying(theme for _, _, theme in combinations)
    indices = output.declared_among(pair.indices)
    for one, other, theme in combinations:
        shown = output.resolution.in_theme(theme, varying)
        numbers = shown.literals
        of_one, of_other = differing[one.theme.name], differing[other.theme.name]
        changed = [
            index
            for index in indices
            if not numbers[index]
            == of_one.get(index, of_other.get(index, usual[index]))
            == of_other.get(index, of_one.get(index, usual[index]))
        ]
        yield Override(theme, (one.theme.name, other.theme.name), shown, changed)


def _changed(indices: Iterable[int], numbers: list[int], usual: list[int]) -> list[int]:
    return [index for index in indices if numbers[index] != usual[index]]
