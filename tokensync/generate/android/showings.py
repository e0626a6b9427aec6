"""Which theme each axis shows on a device: plainly by resource qualifiers, or in a brand that an app chooses.

Each axis decides for itself, as if it were the only one, by Android's own choice among its qualifiers. What a device
shows is what all axes say together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.config.qualifiers import ANY, Qualifiers, qualifiers
from tokensync.generate.android.matching import best
from tokensync.generate.appearance import Appearance, appearance_themes
from tokensync.generate.axes import axes_of, both
from tokensync.generate.left_out import unknown_theme
from tokensync.naming import readable
from tokensync.problems import problem
from tokensync.tokens import DEFAULT_THEME, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.config.options.android import AndroidTheme
    from tokensync.generate.axes import Axis, Context
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey

_NIGHT = {"dark": qualifiers("night"), "light": qualifiers("notnight")}
"""By scheme. A system that asks for more contrast has no qualifier."""

Variants = dict[Qualifiers, Theme]
"""The themes that are shown under qualifiers; what ``ANY`` has is shown where no other is."""

System = dict[Appearance, Theme]


class AxisShowing(NamedTuple):
    """An axis: what plain resources show, and what each brand does, by its name."""

    name: str
    family: FamilyKey | None
    plain: Variants
    brands: dict[str, Variants]


def theme_at(shown: Iterable[Variants], device: Qualifiers) -> Theme:
    """What several axes show together."""
    theme = DEFAULT_THEME
    for variants in shown:
        chosen = best(variants, device)
        if chosen is not None:
            theme = both(theme, variants[chosen])
    return Theme(device.text, theme.modes)


def showings_of(sheet: Sheet, options: Mapping[str, AndroidTheme]) -> tuple[AxisShowing, ...]:
    """The axes of an output; what the options say of themes that there are not, or twice, is reported."""
    known = {theme.name for theme in sheet.themes}
    sheet.problems += [unknown_theme(name, sheet.themes, "android") for name in options if name not in known]
    system = dict(appearance_themes(sheet))
    axes = axes_of(sheet)
    showings = [_Maker(sheet, axis, options).made(system) for axis in axes]
    if not set(system.values()) & set(sheet.themes):
        # Configured themes that say nothing of night: the collections' own modes do.
        on_axes = {axis.family for axis in axes}
        families = dict.fromkeys(family for theme in system.values() for family, _ in theme.modes)
        for family in families:
            if family not in on_axes:
                plain = {ANY: DEFAULT_THEME} | {
                    _NIGHT[each.scheme]: theme for each, theme in _alone(system, family).items() if _is_plain(each)
                }
                showings.append(AxisShowing(family[1], family, plain, {}))
    return tuple(showings)


class _Maker:
    """One axis at work: what is configured counts first, what the system asks for then, then what is left."""

    def __init__(self, sheet: Sheet, axis: Axis, options: Mapping[str, AndroidTheme]) -> None:
        self.sheet = sheet
        self.axis = axis
        self.options = options
        self.contexts = {each.theme.modes: each for each in axis.contexts if not each.appearances}
        self.plain: Variants = {ANY: DEFAULT_THEME}
        self.brands: dict[str, Variants] = {}
        self.placed: set[str] = set()

    def made(self, system: System) -> AxisShowing:
        """The axis; ``system`` is what the system shows by itself."""
        for context in self.contexts.values():
            if context.theme.name in self.options:
                self._put_configured(context)
        own = system if self.axis.family is None else _alone(system, self.axis.family)
        self._put_night(own)
        for context in self.axis.contexts:
            if context.appearances and context.theme.name not in self.placed:
                self._put_following(context.name, context.theme, dict(context.appearances))
        contrast = own.get(Appearance("", "more"))
        if contrast is not None and contrast.modes in self.contexts:
            context = self.contexts[contrast.modes]
            if context.theme.name not in self.placed:
                darker = {Appearance(each.scheme, ""): theme for each, theme in own.items() if each.contrast}
                self._put_following(context.name, contrast, darker)
        for context in self.contexts.values():
            if context.theme.name not in self.placed and not self._is_default(context.theme):
                self.brands.setdefault(context.name, {ANY: context.theme})
        return AxisShowing(self.axis.name, self.axis.family, self.plain, self.brands)

    def _put_configured(self, context: Context) -> None:
        said = self.options[context.theme.name]
        self.placed.add(context.theme.name)
        under = qualifiers(said.qualifier)
        if not said.brand and under == ANY:
            self.brands[context.name] = {ANY: context.theme}
            return
        variants = self.brands.setdefault(said.brand, {ANY: DEFAULT_THEME}) if said.brand else self.plain
        if variants.get(under, DEFAULT_THEME) is not DEFAULT_THEME:
            self.sheet.problems.append(_contested(context.theme.name, variants[under].name, under))
            return
        variants[under] = context.theme

    def _put_night(self, own: System) -> None:
        for appearance, theme in own.items():
            context = self.contexts.get(theme.modes)
            if context is not None and _is_plain(appearance) and context.theme.name not in self.placed:
                self.placed.add(context.theme.name)
                self.plain.setdefault(_NIGHT[appearance.scheme], context.theme)

    def _put_following(self, name: str, theme: Theme, turned: Mapping[Appearance, Theme]) -> None:
        """A brand that is light and dark as the system is."""
        variants = self.brands.setdefault(name, {ANY: theme})
        for appearance, other in turned.items():
            if _is_plain(appearance) and other.modes != theme.modes:
                variants[_NIGHT[appearance.scheme]] = other
        for each in variants.values():
            if each.modes in self.contexts:
                self.placed.add(self.contexts[each.modes].theme.name)

    def _is_default(self, theme: Theme) -> bool:
        collections = self.sheet.graph.collections
        return all(collections[family].default_mode == mode for family, mode in theme.modes)


def _is_plain(appearance: Appearance) -> bool:
    return bool(appearance.scheme) and not appearance.contrast


def _alone(system: System, family: FamilyKey) -> System:
    """The system's themes with one family's choice."""
    return {
        appearance: Theme(theme.name, ((family, mode),))
        for appearance, theme in system.items()
        for each, mode in theme.modes
        if each == family
    }


def shown_modes(showings: Iterable[AxisShowing], *, with_brands: bool) -> Iterator[tuple[FamilyKey, int]]:
    """The modes that are shown somewhere, beside the default ones."""
    for showing in showings:
        for variants in (showing.plain, *(showing.brands.values() if with_brands else ())):
            for theme in variants.values():
                yield from theme.modes


def _contested(name: str, other: str, under: Qualifiers) -> Problem:
    what = f"{readable(other)} is shown under {under.text or 'no qualifier'} already"
    return problem("theme-contested", readable(name), what, "give it another qualifier or brand")
