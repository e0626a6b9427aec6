"""Themes of an output: the appearances that the system requests (light, dark, more contrast), and the axes of themes.

Any common spelling of a name counts as an appearance: *Dark*, *Night*, *Brand dark*, *High contrast*, *Light HC*.

Each collection family with several modes is an axis, which includes the modes of its extensions; configured themes
form one axis. A context can be chosen on every axis at once, so interacting axes also need values for pairs.

``overrides_of`` serves outputs that look values up by theme name. The value of a token in a theme is the theme's own,
else the default. With two themes chosen, it is that of the pair, else that of either theme, else the default.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from tokensync.generate.naming import collection_label
from tokensync.generate.naming.rules import words
from tokensync.normalize.mapping import MODE, is_slug_of
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Collection, FamilyKey, Mode, Theme, TokenGraph
from tokensync.tokens.algorithms import components
from tokensync.tokens.resolver import NEEDS_RESOLVER, LiteralIndex, ResolvedTheme, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from tokensync.generate.output import Output


_DAY = frozenset(("day", "daylight"))
LIGHT = frozenset(("light", "lightmode", *_DAY))
DARK = frozenset(("dark", "night", "darkmode", "nightmode"))
_CONTRAST = frozenset(("contrast", "hc", "highcontrast", "hicontrast"))
_MORE = frozenset(("high", "higher", "hi", "more", "increased", "enhanced", "max", "maximum"))
_MEDIUM = "medium"
_LESS = frozenset(("low", "lower", "less", "reduced", "decreased", "min", "minimum", "normal", "standard"))

Scheme = Literal["light", "dark"]
_Choice = TypeVar("_Choice")


class Appearance(NamedTuple):
    """An appearance that the system requests; an empty member applies to any scheme, or any contrast."""

    scheme: Literal["", "light", "dark"]
    contrast: Literal["", "more"]


ORDER = (
    Appearance("dark", ""),
    Appearance("light", ""),
    Appearance("", "more"),
    Appearance("dark", "more"),
    Appearance("light", "more"),
)
"""The appearances from the least to the most specific: the last one that applies takes precedence."""


class _Named(NamedTuple):
    """The name of a mode: its schemes, whether it has more contrast, and its remaining words."""

    light: bool
    dark: bool
    contrast: bool
    rest: tuple[str, ...]


def counterparts(family: Collection, handle: str | None = None, *, medium: bool = False) -> dict[Appearance, int]:
    """Return, by appearance, the index of the mode that is the clear counterpart of the default mode.

    The modes are those of the family's root collection, or of the extension with this ``handle``. With ``medium``,
    more contrast means the modes of medium contrast instead of those of high contrast, if there are both.
    """
    default, named = _modes_by_name(family, handle)
    of_medium = {index for index, appearance in named.items() if appearance.contrast and _MEDIUM in appearance.rest}
    if medium:
        named = {
            index: appearance._replace(rest=tuple(word for word in appearance.rest if word != _MEDIUM))
            for index, appearance in named.items()
            if index in of_medium or not appearance.contrast or index == default
        }
    elif any(appearance.contrast and index not in of_medium for index, appearance in named.items()):
        named = {index: appearance for index, appearance in named.items() if index not in of_medium or index == default}
    if default not in named:
        return {}
    own: Scheme = "dark" if named[default].dark else "light"
    other: Scheme = "light" if own == "dark" else "dark"
    modes: dict[Appearance, int] = {}
    contrast = {index: each for index, each in named.items() if each.contrast and index != default}
    opposite = _opposite(named, default, other)
    if opposite is not None:
        modes[Appearance(other, "")] = opposite
    if not named[default].contrast:
        plain_more = _single(index for index, each in contrast.items() if not each.light and not each.dark)
        own_more = _single(index for index in contrast if _fits(named, default, index, own))
        other_more = _single(index for index in contrast if _fits(named, default, index, other))
        more = own_more if own_more is not None else plain_more
        if more is not None:
            modes[Appearance("", "more")] = more
        if other_more is not None or (more is not None and opposite is not None):
            choices = (other_more, plain_more, opposite)
            modes[Appearance(other, "more")] = next(choice for choice in choices if choice is not None)
    return modes


class SystemChoice(NamedTuple):
    """The system's choice: configured ``themes`` in ``ORDER``, or else ``modes`` by family."""

    themes: tuple[tuple[Appearance, Theme], ...]
    modes: dict[FamilyKey, dict[Appearance, int]]


def appearance_themes(
    output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = (), *, medium: bool = False
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes that the system chooses for all families, in ``ORDER``; see ``system_choice``."""
    themes, modes = system_choice(output, fixed, medium=medium)
    return themes or combined(modes)


def system_choice(
    output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = (), *, medium: bool = False
) -> SystemChoice:
    """Return the configured themes or the modes that the system chooses; report ambiguous families.

    Configured themes are used when the name of one of them is an appearance. Themes that the request excludes are never
    chosen, nor modes that only excluded themes have. ``fixed`` maps themes to the appearance that the options set, or
    None to prevent the choice. ``medium`` is that of ``counterparts``.
    """
    fixed = tuple(fixed)
    configured = output.request.themes
    if configured:
        named = _configured(output.themes, fixed)
        if named or fixed or _configured(configured, ()):
            return SystemChoice(named, {})
    families = [each for each in output.graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
    picked = {pair for theme in output.themes for pair in theme.modes}
    excluded = {pair for theme in configured if theme not in output.themes for pair in theme.modes} - picked
    fixed_modes = {pair: appearance for theme, appearance in fixed for pair in theme.modes}
    fixed_families = {family for family, _ in fixed_modes}
    of_family: dict[FamilyKey, dict[Appearance, int]] = {}
    for family in families:
        modes = counterparts(family, medium=medium)
        if family.key not in fixed_families and not any(appearance.scheme for appearance in modes):
            output.problems += _ambiguous(output.graph, family)
        of_family[family.key] = {
            each: index
            for each, index in modes.items()
            if (pair := (family.key, index)) not in excluded
            and (configured or pair in picked)
            and pair not in fixed_modes
        }
    for (family_key, index), appearance in fixed_modes.items():
        if appearance is not None:
            of_family[family_key][appearance] = index
    return SystemChoice((), of_family)


def combined(of_family: Mapping[FamilyKey, Mapping[Appearance, int]]) -> tuple[tuple[Appearance, Theme], ...]:
    """Return one theme per appearance, each with the best-fitting counterpart of every family."""
    requested = {mode for modes in of_family.values() for mode in modes}
    if Appearance("", "more") in requested:
        requested |= {Appearance(appearance.scheme, "more") for appearance in requested}
    themes: list[tuple[Appearance, Theme]] = []
    for appearance in ORDER:
        if appearance in requested:
            fitting = ((family, best_fit(modes, appearance)) for family, modes in of_family.items())
            pairs = tuple((family, mode) for family, mode in fitting if mode is not None)
            themes.append((appearance, Theme(label(appearance), pairs)))
    return tuple(themes)


def label(appearance: Appearance) -> str:
    """Return the name of an appearance's theme: ``dark``, ``more contrast``, ``dark, more contrast``."""
    return ", ".join(filter(None, (appearance.scheme, "more contrast" if appearance.contrast else "")))


def name_in_code(mode: Mode) -> str:
    """Return the name of a mode; the former one if it was renamed on the platform only."""
    is_renamed = mode.id and not is_slug_of(mode.slug, mode.name, MODE)
    return mode.slug if is_renamed else mode.name


def scheme_of(name: str) -> Literal["", "light", "dark"]:
    """Return the scheme that a mode's name states; an empty text when it states neither or both."""
    named = _named(name)
    return "" if named.light == named.dark else "dark" if named.dark else "light"


def best_fit(choices: Mapping[Appearance, _Choice], requested: Appearance) -> _Choice | None:
    """Return the choice for an appearance: its own, else that of its contrast, else that of its scheme."""
    plainer = (requested, Appearance("", requested.contrast), Appearance(requested.scheme, ""))
    return next((choices[appearance] for appearance in plainer if appearance in choices), None)


def _configured(
    themes: Iterable[Theme], fixed: Iterable[tuple[Theme, Appearance | None]]
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes whose name consists of an appearance, or whose appearance is set by the options.

    *Day* means light only if another theme's name contains dark; otherwise it may be a time of day.
    """
    by_theme = dict(fixed)
    is_any_dark = any(appearance is not None and appearance.scheme == "dark" for appearance in by_theme.values())
    themes_of: dict[Appearance, list[Theme]] = {}
    for theme in themes:
        name = _named(theme.name)
        is_any_dark |= name.dark
        if theme not in by_theme and not name.rest and not (name.light and name.dark):
            scheme: Literal["", "light", "dark"] = "dark" if name.dark else "light" if name.light else ""
            themes_of.setdefault(Appearance(scheme, "more" if name.contrast else ""), []).append(theme)
    if not is_any_dark:
        themes_of = {
            each: [theme for theme in several if not _DAY.intersection(words(theme.name))]
            for each, several in themes_of.items()
        }
    themes_of |= {appearance: [theme] for theme, appearance in by_theme.items() if appearance is not None}
    return tuple((each, themes_of[each][0]) for each in ORDER if len(themes_of.get(each, ())) == 1)


def _modes_by_name(family: Collection, handle: str | None) -> tuple[int, dict[int, _Named]]:
    """Return the default mode of the root or of an extension, and each mode's parsed name in code."""
    extension = next((extension for extension in family.extensions if extension.handle == handle), None)
    of = family.handle if extension is None else extension.handle
    named = {index: _named(name_in_code(each)) for index, each in enumerate(family.modes) if each.collection == of}
    default = family.default_mode if extension is None else extension.default_mode
    return default if default in named else next(iter(named), default), named


def _named(name: str) -> _Named:
    spelled_words = words(name)
    contrast = bool(_CONTRAST.intersection(spelled_words)) and not _LESS.intersection(spelled_words)
    recognised = LIGHT | DARK | (_CONTRAST | _MORE if contrast else frozenset())
    return _Named(
        bool(LIGHT.intersection(spelled_words)),
        bool(DARK.intersection(spelled_words)),
        contrast,
        tuple(word for word in spelled_words if word not in recognised),
    )


def _opposite(named: Mapping[int, _Named], default: int, other: Scheme) -> int | None:
    """Return the counterpart of the default mode in the other scheme."""
    candidates = {
        index: each
        for index, each in named.items()
        if index != default and (each.dark if other == "dark" else each.light)
    }
    if named[default].light or named[default].dark:
        requested = (named[default].contrast, named[default].rest)
        return _single(index for index, each in candidates.items() if (each.contrast, each.rest) == requested)
    if other == "dark" and any(each.light and not each.dark for each in named.values()):
        return None  # the dark mode is the counterpart of that light mode, not of the default mode
    if len(candidates) > 1:
        return _single(index for index, each in candidates.items() if not each.rest and not each.contrast)
    return _single(candidates)


def _fits(named: Mapping[int, _Named], default: int, index: int, scheme: Scheme) -> bool:
    """Return whether a mode with more contrast is the counterpart of the default mode in this scheme."""
    each, default_name = named[index], named[default]
    if not (each.dark if scheme == "dark" else each.light):
        return False
    return each.rest == default_name.rest or (not each.rest and not default_name.light and not default_name.dark)


def _single(indices: Iterable[int]) -> int | None:
    several = list(indices)
    return several[0] if len(several) == 1 else None


def _ambiguous(graph: TokenGraph, family: Collection) -> Iterator[Problem]:
    """Yield the problem of modes that are dark by name, but none of which is clearly the dark counterpart."""
    default, named = _modes_by_name(family, None)
    default_name = readable(family.modes[default].name)
    dark = ", ".join(readable(family.modes[index].name) for index, each in named.items() if each.dark)
    if not dark:
        return
    what = f"no mode is clearly the dark counterpart of the default mode {default_name} (dark by name: {dark})"
    what_to_do = "give exactly one mode the default mode's name with dark for light"
    yield problem("dark-mode-ambiguous", collection_label(graph, family), what, what_to_do)


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
        for context in self.first.contexts:
            for other in self.second.contexts:
                yield context, other, both(context.theme, other.theme)


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
    return tuple(pair for pair in pairs if pair.indices)


def _brand_contexts(graph: TokenGraph, key: FamilyKey, contexts: list[Context]) -> Iterator[Context]:
    """Yield a context that follows the system for each extension (brand) whose default mode has counterparts."""
    family = graph.collections[key]
    names = {context.name for context in contexts}
    for extension in family.extensions:
        counterpart_modes = counterparts(family, extension.handle)
        default = next(
            (context for context in contexts if context.theme.modes == ((key, extension.default_mode),)), None
        )
        if counterpart_modes and default is not None and extension.handle not in names:
            yield Context(extension.handle, default.theme, combined({key: counterpart_modes}))


def _targets_first(graph: TokenGraph) -> list[FamilyKey]:
    """Return the families, each after the families that its tokens refer to, otherwise in their own order."""
    referred: dict[FamilyKey, dict[FamilyKey, None]] = {key: {} for key in graph.collections}
    table = graph.table
    for family, indices in table.of_family.items():
        rows = zip(indices, map(table.rows.__getitem__, indices), strict=True)
        codes = [row if NEEDS_RESOLVER not in row else table.targets_of(index) for index, row in rows]
        unique = dict.fromkeys(chain.from_iterable(codes))
        referred[family] = dict.fromkeys(table.families[target] for target in unique if target >= 0)
        referred[family].pop(family, None)
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


def lacking(
    override: Override, written: Container[TokenIndex], known: Mapping[str, Container[TokenIndex]]
) -> list[TokenIndex]:
    """Return the tokens without a value in an override that a lookup would take from what is below it.

    ``written`` are those with a value. ``known`` has those of each theme by name, and of the default under "".
    """
    below = [known[name] for name in ("", *override.parts)]
    return [index for index in override.indices if index not in written and any(index in each for each in below)]


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
        yield Override(theme, (), resolved, [index for index in indices if resolved.literals[index] != default[index]])


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
