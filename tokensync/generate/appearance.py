"""System appearances (light, dark, more contrast), and the modes whose names clearly stand for them.

Any common spelling of a mode's name counts: *Dark*, *Night*, *Brand dark*, *High contrast*, *Light HC*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.mapping import has_former_name
from tokensync.naming import collection_label, readable, words
from tokensync.problems import problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.output import Output
    from tokensync.problems import Problem
    from tokensync.tokens import Collection, FamilyKey, Mode, TokenGraph

_DAY = frozenset(("day", "daylight"))
LIGHT = frozenset(("light", "lightmode", *_DAY))
DARK = frozenset(("dark", "night", "darkmode", "nightmode"))
_CONTRAST = frozenset(("contrast", "hc", "highcontrast", "hicontrast"))
_MORE = frozenset(("high", "higher", "hi", "more", "increased", "enhanced", "max", "maximum"))
_LESS = frozenset(("low", "lower", "less", "reduced", "decreased", "min", "minimum", "normal", "standard"))

Scheme = Literal["light", "dark"]


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


def counterparts(family: Collection, handle: str | None = None) -> dict[Appearance, int]:
    """Return, by appearance, the index of the mode that is the clear counterpart of the default mode.

    The modes are those of the family's root collection, or of the extension with this ``handle``.
    """
    default, named = _modes_by_name(family, handle)
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
            modes[Appearance(other, "more")] = next(each for each in choices if each is not None)
    return modes


class SystemChoice(NamedTuple):
    """The system's choice: configured ``themes`` in ``ORDER``, or else ``modes`` by family."""

    themes: tuple[tuple[Appearance, Theme], ...]
    modes: dict[FamilyKey, dict[Appearance, int]]


def appearance_themes(
    output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = ()
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes that the system chooses for all families, in ``ORDER``; see ``system_choice``."""
    themes, modes = system_choice(output, fixed)
    return themes or combined(modes)


def system_choice(output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = ()) -> SystemChoice:
    """Return the configured themes or the modes that the system chooses; report ambiguous families.

    Configured themes are used when the name of one of them is an appearance. Themes that the request excludes are never
    chosen, nor modes that only excluded themes have. ``fixed`` maps themes to the appearance that the options set, or
    None to prevent the choice.
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
        modes = counterparts(family)
        if family.key not in fixed_families and _is_ambiguous(family, modes):
            output.problems.append(_ambiguous(output.graph, family))
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
    requested = {each for modes in of_family.values() for each in modes}
    if Appearance("", "more") in requested:
        requested |= {Appearance(each.scheme, "more") for each in requested}
    return tuple((each, Theme(label(each), tuple(_best(of_family, each)))) for each in ORDER if each in requested)


def label(appearance: Appearance) -> str:
    """Return the name of an appearance's theme: ``dark``, ``more contrast``, ``dark, more contrast``."""
    return ", ".join(filter(None, (appearance.scheme, "more contrast" if appearance.contrast else "")))


def name_in_code(mode: Mode) -> str:
    """Return the name of a mode; the former one if it was renamed on the platform only."""
    return mode.slug if mode.id and has_former_name(mode.name, mode.slug) else mode.name


def scheme_of(name: str) -> Literal["", "light", "dark"]:
    """Return the scheme that a mode's name states; an empty text when it states neither or both."""
    named = _named(name)
    return "" if named.light == named.dark else "dark" if named.dark else "light"


def _best(
    of_family: Mapping[FamilyKey, Mapping[Appearance, int]], requested: Appearance
) -> Iterator[tuple[FamilyKey, int]]:
    choices = (requested, Appearance("", requested.contrast), Appearance(requested.scheme, ""))
    for family, modes in of_family.items():
        index = next((modes[each] for each in choices if each in modes), None)
        if index is not None:
            yield family, index


def _configured(
    themes: Iterable[Theme], fixed: Iterable[tuple[Theme, Appearance | None]]
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes whose name consists of an appearance, or whose appearance is set by the options.

    *Day* means light only if another theme's name contains dark; otherwise it may be a time of day.
    """
    by_theme = dict(fixed)
    is_any_dark = any(each is not None and each.scheme == "dark" for each in by_theme.values())
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
    extension = next((each for each in family.extensions if each.handle == handle), None)
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
        tuple(each for each in spelled_words if each not in recognised),
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


def _is_ambiguous(family: Collection, appearances: Iterable[Appearance]) -> bool:
    """Return whether modes are dark by name but none of them is clearly the dark counterpart."""
    return not any(each.scheme for each in appearances) and any(
        each.dark for each in _modes_by_name(family, None)[1].values()
    )


def _ambiguous(graph: TokenGraph, family: Collection) -> Problem:
    default, named = _modes_by_name(family, None)
    default_name = readable(family.modes[default].name)
    dark = ", ".join(readable(family.modes[index].name) for index, each in named.items() if each.dark)
    what = f"no mode is clearly the dark counterpart of the default mode {default_name} (dark by name: {dark})"
    what_to_do = "give exactly one mode the default mode's name with dark for light"
    return problem("dark-mode-ambiguous", collection_label(graph, family), what, what_to_do)
