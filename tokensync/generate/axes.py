"""Themes as axes: sets of contexts that exclude each other, and which axes bear upon the same tokens.

Each collection family of several modes is an axis, an extended collection's modes among its root's; configured themes
are one axis. A team may choose a context on every axis at once, so where two axes interact, pairs count.

Outputs that look a theme's values up by its name need what themes change in the default one (``overrides_of``). A
token's value in a theme is the theme's own, else the default one. Where two themes are chosen at once, it is that of
the two together, else that of either of them, else the default one.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import Appearance, combined, counterparts
from tokensync.tokens import Theme
from tokensync.tokens.algorithms import components
from tokensync.tokens.resolver import LiteralIndex, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.generate.output import Output
    from tokensync.tokens import FamilyKey, TokenGraph
    from tokensync.tokens.resolver import ResolvedTheme

CONFIGURED = "theme"
"""The name of the axis that the configured themes are."""


class Context(NamedTuple):
    """One choice on an axis.

    ``appearances`` are the themes that it shows when the system asks for one; without them it is always the same.
    """

    name: str
    theme: Theme
    appearances: tuple[tuple[Appearance, Theme], ...] = ()


class Axis(NamedTuple):
    """``name`` is unique among the axes of an output; ``family`` is None for the configured themes."""

    name: str
    family: FamilyKey | None
    contexts: tuple[Context, ...]


class Pair(NamedTuple):
    """Two axes that interact, and the indices of the tokens whose values may depend on both."""

    first: Axis
    second: Axis
    indices: frozenset[TokenIndex]

    def combinations(self) -> Iterator[tuple[Context, Context, Theme]]:
        """Yield a context of each, and the theme that both make."""
        for one in self.first.contexts:
            for other in self.second.contexts:
                yield one, other, both(one.theme, other.theme)


def both(one: Theme, other: Theme) -> Theme:
    """Return two themes at once; where they disagree, the second one holds."""
    return Theme(f"{one.name} + {other.name}", tuple((dict(one.modes) | dict(other.modes)).items()))


def axes_of(output: Output) -> tuple[Axis, ...]:
    """Return the output's axes; those that others refer to come first."""
    if output.request.themes:
        contexts = tuple(Context(theme.name, theme) for theme in output.themes)
        return (Axis(CONFIGURED, None, contexts),) if contexts else ()
    return _of_families(output)


def _of_families(output: Output) -> tuple[Axis, ...]:
    of_family: dict[FamilyKey, list[Context]] = {}
    for theme in output.themes:
        ((family, mode),) = theme.modes
        name = output.graph.collections[family].modes[mode].context
        of_family.setdefault(family, []).append(Context(name, theme))
    for family, contexts in of_family.items():
        contexts.extend(list(_following(output.graph, family, contexts)))
    handles = Counter(handle for _, handle in of_family)
    return tuple(
        Axis(handle if handles[handle] == 1 else f"{file}-{handle}", (file, handle), tuple(of_family[file, handle]))
        for file, handle in _targets_first(output.graph)
        if (file, handle) in of_family
    )


def pairs_of(output: Output, axes: tuple[Axis, ...]) -> tuple[Pair, ...]:
    """Return the axes that interact, each pair once, in the order of the axes."""
    if len(axes) < 2:
        return ()
    declared = frozenset(output.declared)
    # What is declared is asked once an axis, not once a pair: most pairs of many axes have nothing in common.
    depending = [declared & output.resolution.depending(context.theme for context in axis.contexts) for axis in axes]
    found = (
        Pair(axes[one], axes[other], depending[one] & depending[other])
        for one, other in combinations(range(len(axes)), 2)
    )
    return tuple(each for each in found if each.indices)


def _following(graph: TokenGraph, key: FamilyKey, contexts: list[Context]) -> Iterator[Context]:
    """Yield a context for each extension whose default mode has counterparts: the brand, following the system."""
    family = graph.collections[key]
    names = {each.name for each in contexts}
    for extension in family.extensions:
        found = counterparts(family, extension.handle)
        default = next(
            (each for each in contexts if each.theme.modes == ((key, extension.default_mode),)),
            None,
        )
        if found and default is not None and extension.handle not in names:
            yield Context(extension.handle, default.theme, combined({key: found}))


def _targets_first(graph: TokenGraph) -> list[FamilyKey]:
    """Return the families, each after those that its tokens refer to, else in their own order."""
    referred: dict[FamilyKey, dict[FamilyKey, None]] = {key: {} for key in graph.collections}
    for key, token in graph.tokens.items():
        for target in token.references:
            if target[:2] != key[:2]:
                referred[key[:2]][target[:2]] = None
    return [key for members in components(referred, referred.__getitem__) for key in reversed(members)]


class Override(NamedTuple):
    """One theme, or two at once: ``parts`` are the names of the two, and empty for one.

    ``indices`` are the declared tokens, in order, whose value is not what a look-up finds without this override.
    """

    theme: Theme
    parts: tuple[str, ...]
    shown: ResolvedTheme
    indices: list[TokenIndex]

    @property
    def name(self) -> str:
        """Return the name: ``color-scheme/dark``, or ``color-scheme/dark + density/dense``."""
        return self.theme.name


Differing = dict[TokenIndex, LiteralIndex]
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


def _changed(indices: Iterable[TokenIndex], numbers: list[LiteralIndex], usual: list[LiteralIndex]) -> list[TokenIndex]:
    return [index for index in indices if numbers[index] != usual[index]]
