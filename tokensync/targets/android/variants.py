"""Theme variants: the themes of plain resources by their qualifiers, and those of the brands of an app.

Android chooses the mode of each collection family separately, by the qualifiers of its modes. A brand overrides the
choice for the families that it has modes of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.output import unknown_theme
from tokensync.generate.themes import Appearance, appearance_themes, axes_of, both
from tokensync.naming import readable
from tokensync.problems import problem
from tokensync.targets.android import NAMING
from tokensync.targets.android.qualifiers import ANY, Qualifiers, best, qualifiers
from tokensync.tokens import DEFAULT_THEME, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.output import Output
    from tokensync.generate.themes import Axis, Context
    from tokensync.problems import Problem
    from tokensync.targets.android import AndroidTheme
    from tokensync.tokens import FamilyKey

Variants = dict[Qualifiers, Theme]
"""Themes by their qualifiers; ``ANY`` has the theme of all other devices."""

NO_BRAND = ""
"""The brand of an axis when none is chosen."""

_NIGHT = {"dark": qualifiers("night"), "light": qualifiers("notnight")}
"""The qualifiers of a scheme; Android has none for more contrast."""
_APPEARANCES = {_NIGHT["dark"]: Appearance("dark", ""), _NIGHT["light"]: Appearance("light", "")}


class BrandAxis(NamedTuple):
    """Mutually exclusive brands by name; ``family`` is None for configured themes."""

    name: str
    family: FamilyKey | None
    brands: dict[str, Variants]

    def families(self) -> set[FamilyKey]:
        """Return the families that a brand has modes of."""
        return {family for theme in self.themes() for family, _ in theme.modes}

    def themes(self) -> Iterator[Theme]:
        """Yield the themes of all brands."""
        for variants in self.brands.values():
            yield from variants.values()


class ThemeVariants(NamedTuple):
    """The variants of plain resources by family, and the axes of brands in the order of their collections."""

    plain: dict[FamilyKey, Variants]
    axes: tuple[BrandAxis, ...]

    def chosen(self, brands: Mapping[int, str]) -> list[Variants]:
        """Return the variants that apply with these brands; later ones take precedence."""
        of_brands = [self.axes[at].brands[brand] for at, brand in brands.items() if brand]
        return [*self.plain.values(), *of_brands]

    def replacing(self, at: int) -> list[Theme]:
        """Return the themes of an axis's brands, and the plain ones that they replace."""
        axis = self.axes[at]
        plain = (self.plain[family] for family in axis.families() if family in self.plain)
        return [*axis.themes(), *(theme for variants in plain for theme in variants.values())]

    def themes(self, *, with_brands: bool) -> list[Theme]:
        """Return all themes of the plain resources, and with ``with_brands`` those of the brands."""
        plain = [theme for variants in self.plain.values() for theme in variants.values()]
        return [*plain, *(theme for axis in self.axes for theme in axis.themes() if with_brands)]


def theme_at(chosen: Iterable[Variants], device: Qualifiers) -> Theme:
    """Return the theme of a device; later variants take precedence."""
    theme = DEFAULT_THEME
    for variants in chosen:
        qualifiers_of_theme = best(variants, device)
        if qualifiers_of_theme is not None:
            theme = both(theme, variants[qualifiers_of_theme])
    return Theme(device.text, theme.modes)


def brand_words(name: str) -> tuple[str, ...]:
    """Return the words of a brand or an axis, at least one."""
    return tuple(NAMING.words(name)) or ("unnamed",)


def variants_of(output: Output, options: Mapping[str, AndroidTheme]) -> ThemeVariants:
    """Return the variants of an output; report options for unknown themes, and conflicting qualifiers."""
    by_name = {theme.name: theme for theme in output.themes}
    output.problems += [unknown_theme(name, output.themes, "android") for name in options if name not in by_name]
    assignment = _Assignment(output, {by_name[name]: each for name, each in options.items() if name in by_name})
    axes = [assignment.brands_of(axis) for axis in axes_of(output)]
    rank = {key: at for at, key in enumerate(output.graph.collections)}
    ordered = sorted((each for each in axes if each.brands), key=lambda each: rank[each.family] if each.family else -1)
    return ThemeVariants(assignment.plain, tuple(ordered))


class _Assignment:
    """The assignment of each theme: to its configured qualifier, else to a system appearance, else to a brand."""

    def __init__(self, output: Output, configured: Mapping[Theme, AndroidTheme]) -> None:
        self.output = output
        self.configured = configured
        self.plain: dict[FamilyKey, Variants] = {}
        self.assigned: set[tuple[tuple[FamilyKey, int], ...]] = {theme.modes for theme in configured}
        folder = {theme: qualifiers(each.qualifier) for theme, each in configured.items()}
        for theme, each in configured.items():
            if not each.brand and folder[theme] != ANY:
                self._add_plain(folder[theme], theme)
        fixed = [(theme, None if each.brand else _APPEARANCES.get(folder[theme])) for theme, each in configured.items()]
        self.system = dict(appearance_themes(output, fixed))
        for appearance, theme in self.system.items():
            if appearance.scheme and not appearance.contrast:
                self._add_plain(_NIGHT[appearance.scheme], theme, by_configuration=False)

    def brands_of(self, axis: Axis) -> BrandAxis:
        """Return the brands of an axis: its contexts that are not assigned otherwise."""
        contexts = {each.theme.modes: each for each in axis.contexts if not each.appearances}
        brands: dict[str, Variants] = {}
        for context in contexts.values():
            if context.theme in self.configured:
                self._add_configured(brands, context)
        for context in axis.contexts:
            if context.appearances and context.theme.modes not in self.assigned:
                self._add_following(brands, context.name, context.theme, dict(context.appearances))
        own = self._of_family(axis.family)
        contrast = own.get(Appearance("", "more"))
        if contrast is not None and contrast.modes in contexts and contrast.modes not in self.assigned:
            with_contrast = {Appearance(each.scheme, ""): theme for each, theme in own.items() if each.contrast}
            self._add_following(brands, contexts[contrast.modes].name, contrast, with_contrast)
        for context in contexts.values():
            if context.theme.modes not in self.assigned and not self._is_default(context.theme):
                brands.setdefault(context.name, {ANY: context.theme})
        return BrandAxis(axis.name, axis.family, brands)

    def _add_plain(self, folder: Qualifiers, theme: Theme, *, by_configuration: bool = True) -> None:
        """Add a theme's mode of each family separately; it does not affect families that it does not mention."""
        self.assigned.add(theme.modes)
        for family, mode in theme.modes:
            variants = self.plain.setdefault(family, {ANY: DEFAULT_THEME})
            own = Theme(theme.name, ((family, mode),))
            if folder not in variants:
                variants[folder] = own
                self.assigned.add(own.modes)
            elif by_configuration and variants[folder].modes != own.modes:
                self.output.problems.append(_conflict(theme.name, variants[folder].name, folder))

    def _add_configured(self, brands: dict[str, Variants], context: Context) -> None:
        configured = self.configured[context.theme]
        folder = qualifiers(configured.qualifier)
        if not configured.brand and folder != ANY:
            return
        variants = brands.setdefault(configured.brand or context.name, {})
        if folder in variants:
            self.output.problems.append(_conflict(context.theme.name, variants[folder].name, folder))
            return
        variants[folder] = context.theme

    def _add_following(
        self, brands: dict[str, Variants], name: str, theme: Theme, counterparts: Mapping[Appearance, Theme]
    ) -> None:
        variants = brands.setdefault(name, {ANY: theme})
        for appearance, other in counterparts.items():
            if appearance.scheme and not appearance.contrast and other.modes != theme.modes:
                variants[_NIGHT[appearance.scheme]] = other
        self.assigned.update(each.modes for each in variants.values())

    def _of_family(self, family: FamilyKey | None) -> dict[Appearance, Theme]:
        """Return the system's themes, each reduced to the mode of one family."""
        return {
            appearance: Theme(theme.name, ((family, mode),))
            for appearance, theme in self.system.items()
            for each, mode in theme.modes
            if family is not None and each == family
        }

    def _is_default(self, theme: Theme) -> bool:
        collections = self.output.graph.collections
        return all(collections[family].default_mode == mode for family, mode in theme.modes)


def _conflict(name: str, other: str, folder: Qualifiers) -> Problem:
    what = f"{readable(other)} already uses {f'the qualifier {folder.text}' if folder.text else 'no qualifier'}"
    return problem("theme-contested", readable(name), what, "give it another qualifier or brand")
