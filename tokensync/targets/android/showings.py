"""Which theme a device shows: plainly by resource qualifiers, and in brands that an app chooses.

Each collection decides for itself, as if it were the only one, by Android's own choice among the qualifiers that its
modes have. A brand comes over that, for the collections that it says something of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import Appearance, appearance_themes
from tokensync.generate.axes import axes_of, both
from tokensync.generate.left_out import unknown_theme
from tokensync.naming import readable
from tokensync.problems import problem
from tokensync.targets.android.matching import best
from tokensync.targets.android.qualifiers import ANY, Qualifiers, qualifiers
from tokensync.tokens import DEFAULT_THEME, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.axes import Axis, Context
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.targets.android.options import AndroidTheme
    from tokensync.tokens import FamilyKey

_NIGHT = {"dark": qualifiers("night"), "light": qualifiers("notnight")}
"""By scheme. A system that asks for more contrast has no qualifier."""
_APPEARANCES = {_NIGHT["dark"]: Appearance("dark", ""), _NIGHT["light"]: Appearance("light", "")}

Variants = dict[Qualifiers, Theme]
"""The themes that are shown under qualifiers; what ``ANY`` has is shown where no other is."""


class BrandAxis(NamedTuple):
    """Brands that exclude each other, by name; ``family`` is None for configured themes."""

    name: str
    family: FamilyKey | None
    brands: dict[str, Variants]

    def families(self) -> set[FamilyKey]:
        """The families that a brand says something of."""
        return {family for theme in self.themes() for family, _ in theme.modes}

    def themes(self) -> Iterator[Theme]:
        """What the brands show."""
        for variants in self.brands.values():
            yield from variants.values()


class Showings(NamedTuple):
    """What plain resources show, family by family, and the axes of brands, in the order of their collections."""

    plain: dict[FamilyKey, Variants]
    axes: tuple[BrandAxis, ...]

    def shown(self, brands: Mapping[int, str]) -> list[Variants]:
        """What is shown when these brands of the axes are chosen; the later one of the list holds."""
        chosen = [self.axes[at].brands[brand] for at, brand in brands.items() if brand]
        return [*self.plain.values(), *chosen]

    def bearing(self, at: int) -> list[Theme]:
        """The themes that an axis's brands show, and the plain ones that they stand instead of."""
        axis = self.axes[at]
        plain = (self.plain[family] for family in axis.families() if family in self.plain)
        return [*axis.themes(), *(theme for variants in plain for theme in variants.values())]


def theme_at(shown: Iterable[Variants], device: Qualifiers) -> Theme:
    """What all of them show together; where two disagree, the later one holds."""
    theme = DEFAULT_THEME
    for variants in shown:
        chosen = best(variants, device)
        if chosen is not None:
            theme = both(theme, variants[chosen])
    return Theme(device.text, theme.modes)


def showings_of(sheet: Sheet, options: Mapping[str, AndroidTheme]) -> Showings:
    """How an output's themes are shown; what the options say of themes that there are not, or twice, is reported."""
    by_name = {theme.name: theme for theme in sheet.themes}
    sheet.problems += [unknown_theme(name, sheet.themes, "android") for name in options if name not in by_name]
    told = {by_name[name]: said for name, said in options.items() if name in by_name}
    maker = _Maker(sheet, told)
    axes = [maker.made(axis) for axis in axes_of(sheet)]
    rank = {key: at for at, key in enumerate(sheet.graph.collections)}
    ordered = sorted((each for each in axes if each.brands), key=lambda each: rank[each.family] if each.family else -1)
    return Showings(maker.plain, tuple(ordered))


class _Maker:
    """An output at work: what is configured counts first, what the system asks for then, then what is left."""

    def __init__(self, sheet: Sheet, told: Mapping[Theme, AndroidTheme]) -> None:
        self.sheet = sheet
        self.told = told
        self.plain: dict[FamilyKey, Variants] = {}
        self.placed: set[tuple[tuple[FamilyKey, int], ...]] = {theme.modes for theme in told}
        under = {theme: qualifiers(said.qualifier) for theme, said in told.items()}
        for theme, said in told.items():
            if not said.brand and under[theme] != ANY:
                self._put_plain(under[theme], theme)
        known = [(theme, None if said.brand else _APPEARANCES.get(under[theme])) for theme, said in told.items()]
        self.system = dict(appearance_themes(sheet, known))
        for appearance, theme in self.system.items():
            if appearance.scheme and not appearance.contrast:
                self._put_plain(_NIGHT[appearance.scheme], theme, by_configuration=False)

    def made(self, axis: Axis) -> BrandAxis:
        """The axis's brands; each context is placed once."""
        contexts = {each.theme.modes: each for each in axis.contexts if not each.appearances}
        brands: dict[str, Variants] = {}
        for context in contexts.values():
            if context.theme in self.told:
                self._put_brand(brands, context)
        for context in axis.contexts:
            if context.appearances and context.theme.modes not in self.placed:
                self._put_following(brands, context.name, context.theme, dict(context.appearances))
        own = self._alone(axis.family)
        contrast = own.get(Appearance("", "more"))
        if contrast is not None and contrast.modes in contexts and contrast.modes not in self.placed:
            darker = {Appearance(each.scheme, ""): theme for each, theme in own.items() if each.contrast}
            self._put_following(brands, contexts[contrast.modes].name, contrast, darker)
        for context in contexts.values():
            if context.theme.modes not in self.placed and not self._is_default(context.theme):
                brands.setdefault(context.name, {ANY: context.theme})
        return BrandAxis(axis.name, axis.family, brands)

    def _put_plain(self, under: Qualifiers, theme: Theme, *, by_configuration: bool = True) -> None:
        """Each family by itself: a theme says nothing of those that it does not mention."""
        self.placed.add(theme.modes)
        for family, mode in theme.modes:
            variants = self.plain.setdefault(family, {ANY: DEFAULT_THEME})
            own = Theme(theme.name, ((family, mode),))
            if under not in variants:
                variants[under] = own
                self.placed.add(own.modes)
            elif by_configuration and variants[under].modes != own.modes:
                self.sheet.problems.append(_contested(theme.name, variants[under].name, under))

    def _put_brand(self, brands: dict[str, Variants], context: Context) -> None:
        said = self.told[context.theme]
        under = qualifiers(said.qualifier)
        if not said.brand and under != ANY:
            return
        variants = brands.setdefault(said.brand or context.name, {})
        if under in variants:
            self.sheet.problems.append(_contested(context.theme.name, variants[under].name, under))
            return
        variants[under] = context.theme

    def _put_following(
        self, brands: dict[str, Variants], name: str, theme: Theme, turned: Mapping[Appearance, Theme]
    ) -> None:
        """A brand that is light and dark as the system is."""
        variants = brands.setdefault(name, {ANY: theme})
        for appearance, other in turned.items():
            if appearance.scheme and not appearance.contrast and other.modes != theme.modes:
                variants[_NIGHT[appearance.scheme]] = other
        self.placed.update(each.modes for each in variants.values())

    def _alone(self, family: FamilyKey | None) -> dict[Appearance, Theme]:
        """The system's themes with one family's choice."""
        return {
            appearance: Theme(theme.name, ((family, mode),))
            for appearance, theme in self.system.items()
            for each, mode in theme.modes
            if family is not None and each == family
        }

    def _is_default(self, theme: Theme) -> bool:
        collections = self.sheet.graph.collections
        return all(collections[family].default_mode == mode for family, mode in theme.modes)


def shown_themes(showings: Showings, *, with_brands: bool) -> list[Theme]:
    """Return the themes that are shown somewhere, one at a time."""
    themes = [theme for variants in showings.plain.values() for theme in variants.values()]
    if with_brands:
        themes += [theme for axis in showings.axes for theme in axis.themes()]
    return themes


def _contested(name: str, other: str, under: Qualifiers) -> Problem:
    what = f"{readable(other)} is shown under {under.text or 'no qualifier'} already"
    return problem("theme-contested", readable(name), what, "give it another qualifier or brand")
