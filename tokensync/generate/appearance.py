"""What a system shows by itself: light or dark, and more contrast; which modes are plainly meant for that.

A mode says it by its name, in any common spelling: *Dark*, *Night*, *Brand dark*, *High contrast*, *Light HC*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.naming import readable, words
from tokensync.problems import problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.output import Output
    from tokensync.problems import Problem
    from tokensync.tokens import Collection, FamilyKey

_DAY = frozenset(("day", "daylight"))
LIGHT = frozenset(("light", "lightmode", *_DAY))
DARK = frozenset(("dark", "night", "darkmode", "nightmode"))
_CONTRAST = frozenset(("contrast", "hc", "highcontrast", "hicontrast"))
_MORE = frozenset(("high", "higher", "hi", "more", "increased", "enhanced", "max", "maximum"))
_LESS = frozenset(("low", "lower", "less", "reduced", "decreased", "min", "minimum", "normal", "standard"))

Scheme = Literal["light", "dark"]


class Appearance(NamedTuple):
    """What the system asks for; an empty member means whatever it is otherwise."""

    scheme: Literal["", "light", "dark"]
    contrast: Literal["", "more"]


ORDER = (
    Appearance("dark", ""),
    Appearance("light", ""),
    Appearance("", "more"),
    Appearance("dark", "more"),
    Appearance("light", "more"),
)
"""The appearances from the plainest on: of those that hold at once, the last one says it best."""


class _Named(NamedTuple):
    """What a mode's name says: schemes, whether it asks for more contrast, and the words that say neither."""

    light: bool
    dark: bool
    contrast: bool
    rest: tuple[str, ...]


def counterparts(family: Collection, handle: str | None = None) -> dict[Appearance, int]:
    """Return, by appearance, the index of the one mode that plainly stands for the default mode there.

    Of the family's root collection, or of the extension with this ``handle``.
    """
    default, named = _modes_by_name(family, handle)
    if default not in named:
        return {}
    own: Scheme = "dark" if named[default].dark else "light"
    other: Scheme = "light" if own == "dark" else "dark"
    found: dict[Appearance, int] = {}
    contrast = {index: each for index, each in named.items() if each.contrast and index != default}
    turned = _turned(named, default, other)
    if turned is not None:
        found[Appearance(other, "")] = turned
    if not named[default].contrast:
        either = _only(index for index, each in contrast.items() if not each.light and not each.dark)
        same = _only(index for index in contrast if _fits(named, default, index, own))
        both = _only(index for index in contrast if _fits(named, default, index, other))
        more = same if same is not None else either
        if more is not None:
            found[Appearance("", "more")] = more
        if both is not None or (more is not None and turned is not None):
            choices = (both, either, turned)
            found[Appearance(other, "more")] = next(each for each in choices if each is not None)
    return found


class SystemChoice(NamedTuple):
    """What the system chooses: configured ``themes`` in ``ORDER``, or ``modes`` of each family by themselves."""

    themes: tuple[tuple[Appearance, Theme], ...]
    modes: dict[FamilyKey, dict[Appearance, int]]


def appearance_themes(
    output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = ()
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes that the system chooses, all families at once, in ``ORDER``; see ``system_choice``."""
    themes, modes = system_choice(output, fixed)
    return themes or combined(modes)


def system_choice(output: Output, fixed: Iterable[tuple[Theme, Appearance | None]] = ()) -> SystemChoice:
    """Return what the system chooses; what is ambiguous is reported.

    Configured themes say it by their own names, when one of them does. A theme that the request excludes is never
    chosen, nor a mode that only excluded themes have. ``fixed`` are themes of the request for which the options name an
    appearance, or none (None).
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
        found = counterparts(family)
        if family.key not in fixed_families and _is_ambiguous(family, found):
            output.problems.append(_ambiguous(family))
        of_family[family.key] = {
            each: index
            for each, index in found.items()
            if (pair := (family.key, index)) not in excluded
            and (configured or pair in picked)
            and pair not in fixed_modes
        }
    for (family_key, index), appearance in fixed_modes.items():
        if appearance is not None:
            of_family[family_key][appearance] = index
    return SystemChoice((), of_family)


def combined(of_family: Mapping[FamilyKey, Mapping[Appearance, int]]) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes of several families' counterparts; each family shows the mode that fits an appearance best."""
    asked = {each for found in of_family.values() for each in found}
    if Appearance("", "more") in asked:
        asked |= {Appearance(each.scheme, "more") for each in asked}
    return tuple((each, Theme(label(each), tuple(_best(of_family, each)))) for each in ORDER if each in asked)


def label(appearance: Appearance) -> str:
    """Return the name of an appearance's theme: ``dark``, ``more contrast``, ``dark, more contrast``."""
    return ", ".join(filter(None, (appearance.scheme, "more contrast" if appearance.contrast else "")))


def scheme_of(name: str) -> Literal["", "light", "dark"]:
    """Return whether a mode of this name is light or dark; nothing when it says neither or both."""
    named = _named(name)
    return "" if named.light == named.dark else "dark" if named.dark else "light"


def _best(
    of_family: Mapping[FamilyKey, Mapping[Appearance, int]], wanted: Appearance
) -> Iterator[tuple[FamilyKey, int]]:
    choices = (wanted, Appearance("", wanted.contrast), Appearance(wanted.scheme, ""))
    for family, found in of_family.items():
        index = next((found[each] for each in choices if each in found), None)
        if index is not None:
            yield family, index


def _configured(
    themes: Iterable[Theme], fixed: Iterable[tuple[Theme, Appearance | None]]
) -> tuple[tuple[Appearance, Theme], ...]:
    """Return the themes whose name is one appearance and nothing else, or of which the options name one.

    *Day* is light where another theme is dark, whatever else that is; without one it may be any time of the day.
    """
    by_theme = dict(fixed)
    is_any_dark = any(each is not None and each.scheme == "dark" for each in by_theme.values())
    found: dict[Appearance, list[Theme]] = {}
    for theme in themes:
        name = _named(theme.name)
        is_any_dark |= name.dark
        if theme not in by_theme and not name.rest and not (name.light and name.dark):
            scheme: Literal["", "light", "dark"] = "dark" if name.dark else "light" if name.light else ""
            found.setdefault(Appearance(scheme, "more" if name.contrast else ""), []).append(theme)
    if not is_any_dark:
        found = {
            each: [theme for theme in several if not _DAY.intersection(words(theme.name))]
            for each, several in found.items()
        }
    found |= {appearance: [theme] for theme, appearance in by_theme.items() if appearance is not None}
    return tuple((each, found[each][0]) for each in ORDER if len(found.get(each, ())) == 1)


def _modes_by_name(family: Collection, handle: str | None) -> tuple[int, dict[int, _Named]]:
    """Return the default mode of the root or of an extension, and what each mode's name says."""
    extension = next((each for each in family.extensions if each.handle == handle), None)
    of = family.handle if extension is None else extension.handle
    named = {index: _named(each.name) for index, each in enumerate(family.modes) if each.collection == of}
    default = family.default_mode if extension is None else extension.default_mode
    return default if default in named else next(iter(named), default), named


def _named(name: str) -> _Named:
    spelled = words(name)
    contrast = bool(_CONTRAST.intersection(spelled)) and not _LESS.intersection(spelled)
    known = LIGHT | DARK | (_CONTRAST | _MORE if contrast else frozenset())
    return _Named(
        bool(LIGHT.intersection(spelled)),
        bool(DARK.intersection(spelled)),
        contrast,
        tuple(each for each in spelled if each not in known),
    )


def _turned(named: Mapping[int, _Named], default: int, other: Scheme) -> int | None:
    """Return the default mode in the other scheme."""
    candidates = {
        index: each
        for index, each in named.items()
        if index != default and (each.dark if other == "dark" else each.light)
    }
    if named[default].light or named[default].dark:
        wanted = (named[default].contrast, named[default].rest)
        return _only(index for index, each in candidates.items() if (each.contrast, each.rest) == wanted)
    if other == "dark" and any(each.light and not each.dark for each in named.values()):
        return None  # the dark mode is that light one's counterpart, not the default's
    if len(candidates) > 1:
        return _only(index for index, each in candidates.items() if not each.rest and not each.contrast)
    return _only(candidates)


def _fits(named: Mapping[int, _Named], default: int, index: int, scheme: Scheme) -> bool:
    """Return whether a mode of more contrast stands for the default one in the scheme that its name says."""
    each, usual = named[index], named[default]
    if not (each.dark if scheme == "dark" else each.light):
        return False
    return each.rest == usual.rest or (not each.rest and not usual.light and not usual.dark)


def _only(indices: Iterable[int]) -> int | None:
    found = list(indices)
    return found[0] if len(found) == 1 else None


def _is_ambiguous(family: Collection, found: Iterable[Appearance]) -> bool:
    """Return whether a mode is dark by its name, and none is plainly the dark one."""
    return not any(each.scheme for each in found) and any(
        each.dark for each in _modes_by_name(family, None)[1].values()
    )


def _ambiguous(family: Collection) -> Problem:
    default, named = _modes_by_name(family, None)
    usual = readable(family.modes[default].name)
    dark = ", ".join(readable(family.modes[index].name) for index, each in named.items() if each.dark)
    what = f"no mode is clearly the dark counterpart of the default mode {usual} (dark by name: {dark})"
    what_to_do = "give exactly one mode the default mode's name with dark for light"
    return problem("dark-mode-ambiguous", readable(family.name), what, what_to_do)
