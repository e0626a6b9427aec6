"""Theme axes: sets of mutually exclusive contexts, the pairs of axes that interact, and the overrides of each theme.

Each collection family with several modes is an axis, which includes the modes of its extensions; configured themes
form one axis. A context can be chosen on every axis at once, so interacting axes also need values for pairs.

``overrides_of`` serves outputs that look values up by theme name. The value of a token in a theme is the theme's own,
else the default. With two themes chosen, it is that of the pair, else that of either theme, else the default.
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
"""The name of the axis of the configured themes."""


class Context(NamedTuple):
    """A choice on an axis; ``appearances`` are the themes to show instead when the system requests that appearance."""

    name: str
    theme: Theme
    appearances: tuple[tuple[Appearance, Theme], ...] = ()


class Axis(NamedTuple):
    """An axis; its name is unique in the output, and ``family`` is None for the configured themes."""

    name: str
    family: FamilyKey | None
    contexts: tuple[Context, ...]


class Pair(NamedTuple):
    """Two interacting axes, and the indices of the tokens whose values can depend on both."""

    first: Axis
    second: Axis
    indices: frozenset[TokenIndex]

    def combinations(self) -> Iterator[tuple[Context, Context, Theme]]:
        """Yield each pair of contexts with the theme that combines them."""
        for one in self.first.contexts:
            for other in self.second.contexts:
                yield one, other, both(one.theme, other.theme)


def both(one: Theme, other: Theme) -> Theme:
    """Return the combination of two themes; the second one takes precedence."""
    return Theme(f"{one.name} + {other.name}", tuple((dict(one.modes) | dict(other.modes)).items()))


def axes_of(output: Output) -> tuple[Axis, ...]:
    """Return the output's axes; an axis comes before those that refer to its tokens."""
    if output.request.themes:
        contexts = tuple(Context(theme.name, theme) for theme in output.themes)
        return (Axis(CONFIGURED, None, contexts),) if contexts else ()
    return _family_axes(output)


def _family_axes(output: Output) -> tuple[Axis, ...]:
    of_family: dict[FamilyKey, list[Context]] = {}
    for theme in output.themes:
        ((family, mode),) = theme.modes
        name = output.graph.collections[family].modes[mode].context
        of_family.setdefault(family, []).append(Context(name, theme))
    for family, contexts in of_family.items():
        contexts.extend(list(_brand_contexts(output.graph, family, contexts)))
    handles = Counter(handle for _, handle in of_family)
    return tuple(
        Axis(handle if handles[handle] == 1 else f"{file}-{handle}", (file, handle), tuple(of_family[file, handle]))
        for file, handle in _targets_first(output.graph)
        if (file, handle) in of_family
    )


def pairs_of(output: Output, axes: tuple[Axis, ...]) -> tuple[Pair, ...]:
    """Return the pairs of axes that interact, in the order of the axes."""
    if len(axes) < 2:
        return ()
    declared = frozenset(output.declared)
    # Intersect with the declared tokens once per axis, not once per pair: most pairs share no token.
    depending = [declared & output.resolution.depending(context.theme for context in axis.contexts) for axis in axes]
    pairs = (
        Pair(axes[one], axes[other], depending[one] & depending[other])
        for one, other in combinations(range(len(axes)), 2)
    )
    return tuple(each for each in pairs if each.indices)


def _brand_contexts(graph: TokenGraph, key: FamilyKey, contexts: list[Context]) -> Iterator[Context]:
    """Yield a context that follows the system for each extension (brand) whose default mode has counterparts."""
    family = graph.collections[key]
    names = {each.name for each in contexts}
    for extension in family.extensions:
        counterpart_modes = counterparts(family, extension.handle)
        default = next(
            (each for each in contexts if each.theme.modes == ((key, extension.default_mode),)),
            None,
        )
        if counterpart_modes and default is not None and extension.handle not in names:
            yield Context(extension.handle, default.theme, combined({key: counterpart_modes}))


def _targets_first(graph: TokenGraph) -> list[FamilyKey]:
    """Return the families, each after the families that its tokens refer to, otherwise in their own order."""
    referred: dict[FamilyKey, dict[FamilyKey, None]] = {key: {} for key in graph.collections}
    for key, token in graph.tokens.items():
        for target in token.references:
            if target[:2] != key[:2]:
                referred[key[:2]][target[:2]] = None
    return [key for members in components(referred, referred.__getitem__) for key in reversed(members)]


class Override(NamedTuple):
    """The values that one theme changes, or a combination of two, whose names are then ``parts``.

    ``indices`` are the declared tokens, in order, whose values a lookup would get wrong without this override.
    """

    theme: Theme
    parts: tuple[str, ...]
    resolved: ResolvedTheme
    indices: list[TokenIndex]

    @property
    def name(self) -> str:
        """The theme's name: ``color-scheme/dark``, or ``color-scheme/dark + density/dense``."""
        return self.theme.name


Differing = dict[TokenIndex, LiteralIndex]
"""The literals that a theme changes, by token index."""


def overrides_of(output: Output) -> Iterator[Override]:
    """Yield every theme, then every pair of themes of interacting axes that changes a value further.

    Axes, and so the themes of a pair, have the order of the collections.
    """
    families = list(output.graph.collections)
    axes = tuple(sorted(axes_of(output), key=lambda axis: families.index(axis.family) if axis.family else 0))
    differing: dict[str, Differing] = {}
    for axis in axes:
        for override in _axis_overrides(output, axis):
            if override.name not in differing:
                literals = override.resolved.literals
                differing[override.name] = {index: literals[index] for index in override.indices}
                yield override
    yielded: set[str] = set()
    for pair in pairs_of(output, axes):
        for override in _pair_overrides(output, pair, differing):
            if override.indices and override.name not in yielded:
                yielded.add(override.name)
                yield override


def _axis_overrides(output: Output, axis: Axis) -> Iterator[Override]:
    default = output.resolution.default.literals
    themes = [context.theme for context in axis.contexts if not context.appearances]
    varying = output.resolution.varying(themes)
    indices = output.declared_among(varying)
    for theme in themes:
        resolved = output.resolution.in_theme(theme, varying)
        yield Override(theme, (), resolved, _changed(indices, resolved.literals, default))


def _pair_overrides(output: Output, pair: Pair, differing: dict[str, Differing]) -> Iterator[Override]:
    """Yield each combination of two axes, with the values that differ from both themes in either lookup order."""
    default = output.resolution.default.literals
    combinations = [each for each in pair.combinations() if not each[0].appearances and not each[1].appearances]
    varying = output.resolution.varying(theme for _, _, theme in combinations)
    indices = output.declared_among(pair.indices)
    for one, other, theme in combinations:
        resolved = output.resolution.in_theme(theme, varying)
        literals = resolved.literals
        of_one, of_other = differing[one.theme.name], differing[other.theme.name]
        changed = [
            index
            for index in indices
            if not literals[index]
            == of_one.get(index, of_other.get(index, default[index]))
            == of_other.get(index, of_one.get(index, default[index]))
        ]
        yield Override(theme, (one.theme.name, other.theme.name), resolved, changed)


def _changed(
    indices: Iterable[TokenIndex], literals: list[LiteralIndex], default: list[LiteralIndex]
) -> list[TokenIndex]:
    return [index for index in indices if literals[index] != default[index]]
