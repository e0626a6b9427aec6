"""Resource folders and their tokens, so that every device finds the values of its theme.

Android chooses the folder of each resource separately, among the folders that contain it. So a token is written to a
folder where its text differs from the one that Android would choose otherwise; to folders with several qualifiers only
if it depends on all of them.

Brands can be folders too: Gradle merges a flavour's source set over the main one, folder by folder.
``<brand>/res/values...`` contains the resources that differ from ``main/res``. A value that depends on the brands of
two axes is in the source set of the combined flavours. The axes are in the order of the flavour dimensions, the first
of which has the highest priority.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations as pairs
from itertools import product
from typing import NamedTuple

from tokensync.generate.naming.rules import camel
from tokensync.generate.output import Output, unknown_theme
from tokensync.generate.targets.android import NAMING, AndroidTheme
from tokensync.generate.targets.android.qualifiers import ANY, Qualifiers, best, is_gradual, merged, qualifiers, weight
from tokensync.generate.themes import Appearance, Axis, Context, appearance_themes, axes_of, both, counterparts
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.tokens import DEFAULT_THEME, FamilyKey, Theme
from tokensync.tokens.resolver import ResolvedTheme, TokenIndex

Variants = dict[Qualifiers, Theme]
"""Themes by their qualifiers; ``ANY`` has the theme of all other devices."""

NO_BRAND = ""
"""The brand of an axis when none is chosen."""

_NIGHT = {"dark": qualifiers("night"), "light": qualifiers("notnight")}
"""The qualifiers of a scheme; Android has none for more contrast."""
_LEVELS = (False, True)
"""Whether contrast means medium contrast."""
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
    """The variants of plain resources by family, the axes of brands by collection, and high and medium contrast."""

    plain: dict[FamilyKey, Variants]
    axes: tuple[BrandAxis, ...]
    contrasts: tuple[Variants, ...]

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


def _theme_at(chosen: Iterable[Variants], device: Qualifiers) -> Theme:
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
    ordered = sorted((axis for axis in axes if axis.brands), key=lambda each: rank[each.family] if each.family else -1)
    contrasts = tuple(
        {_NIGHT.get(each.scheme, ANY): theme for each, theme in system.items() if each.contrast}
        for system in assignment.systems
    )
    return ThemeVariants(assignment.plain, tuple(ordered), contrasts)


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
        self.systems = [dict(appearance_themes(output, fixed, medium=medium)) for medium in _LEVELS]
        for appearance, theme in self.systems[0].items():
            if appearance.scheme and not appearance.contrast:
                self._add_plain(_NIGHT[appearance.scheme], theme, by_configuration=False)

    def brands_of(self, axis: Axis) -> BrandAxis:
        """Return the brands of an axis: its contexts that are not assigned otherwise."""
        contexts = {context.theme.modes: context for context in axis.contexts if not context.appearances}
        brands: dict[str, Variants] = {}
        for context in contexts.values():
            if context.theme in self.configured:
                self._add_configured(brands, context)
        for context in axis.contexts:
            if context.appearances and context.theme.modes not in self.assigned:
                self._add_following(brands, context.name, context.theme, dict(context.appearances))
        for own in self._contrasts_of(axis.family):
            contrast = own.get(Appearance("", "more"))
            if contrast is not None and contrast.modes in contexts and contrast.modes not in self.assigned:
                with_contrast = {
                    Appearance(appearance.scheme, ""): theme for appearance, theme in own.items() if appearance.contrast
                }
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
        self.assigned.update(variant.modes for variant in variants.values())

    def _contrasts_of(self, family: FamilyKey | None) -> Iterator[dict[Appearance, Theme]]:
        """Yield the themes with high and with medium contrast, of the root collection and of each brand."""
        for system in self.systems:
            yield self._of_family(family, system)
        if family is not None:
            collection = self.output.graph.collections[family]
            written = {theme.modes for theme in self.output.themes}
            for extension, medium in product(collection.extensions, _LEVELS):
                modes = counterparts(collection, extension.handle, medium=medium)
                themes = ((appearance, Theme("", ((family, mode),))) for appearance, mode in modes.items())
                yield {appearance: theme for appearance, theme in themes if theme.modes in written}

    def _of_family(self, family: FamilyKey | None, system: Mapping[Appearance, Theme]) -> dict[Appearance, Theme]:
        """Return the system's themes, each reduced to the mode of one family."""
        return {
            appearance: Theme(theme.name, ((family, mode),))
            for appearance, theme in system.items()
            for each, mode in theme.modes
            if family is not None and each == family
        }

    def _is_default(self, theme: Theme) -> bool:
        collections = self.output.graph.collections
        return all(collections[family].default_mode == mode for family, mode in theme.modes)


def _conflict(name: str, other: str, folder: Qualifiers) -> Problem:
    what = f"{readable(other)} already uses {f'the qualifier {folder.text}' if folder.text else 'no qualifier'}"
    return problem("theme-contested", readable(name), what, "give it another qualifier or brand")


Folders = dict[Qualifiers, dict[TokenIndex, str]]
"""The text of each token by token index, in the order of the output, by the qualifiers of the folder."""


class Dependency(NamedTuple):
    """The tokens that can differ under these qualifiers."""

    qualifiers: Collection[Qualifiers]
    tokens: Collection[TokenIndex]


class Candidates:
    """The tokens to consider for each folder, by its qualifiers, the least specific folder first.

    The tokens in ``gradual`` must be written to all of their folders.
    """

    def __init__(self, output: Output, dependencies: Sequence[Dependency]) -> None:
        self.gradual: set[TokenIndex] = set()
        masks = dict.fromkeys(dependencies[0].tokens, 1) if dependencies else {}
        for bit, dependency in enumerate(dependencies[1:], 1):
            for index in dependency.tokens:
                masks[index] = masks.get(index, 0) | 1 << bit
        groups: dict[int, list[TokenIndex]] = {}
        for index, mask in masks.items():
            groups.setdefault(mask, []).append(index)
        by_folder: dict[Qualifiers, set[TokenIndex]] = {}
        for mask, tokens in groups.items():
            qualifiers = {
                one: None for bit, each in enumerate(dependencies) if mask >> bit & 1 for one in each.qualifiers
            }
            for combination in combinations(qualifiers):
                by_folder.setdefault(combination, set()).update(tokens)
            if any(map(is_gradual, qualifiers)):
                self.gradual.update(tokens)
        self.tokens: dict[Qualifiers, list[TokenIndex]] = {}
        last: set[TokenIndex] = set()
        ordered: list[TokenIndex] = []
        for folder in sorted(by_folder, key=weight):
            if by_folder[folder] != last:  # mostly, all folders have the same
                last, ordered = by_folder[folder], output.declared_among(by_folder[folder])
            self.tokens[folder] = ordered


def combinations(qualifiers: Iterable[Qualifiers]) -> list[Qualifiers]:
    """Return all combinations of the qualifiers that a device can have, including none of them."""
    combined = {ANY: None}
    for qualifier in qualifiers:
        combined |= {both: None for qualifiers in combined if (both := merged(qualifiers, qualifier)) is not None}
    return list(combined)


class Layers:
    """Layered source sets, merged as Gradle does: the last text takes precedence.

    Every token is in the plain folder of the first layer.
    """

    def __init__(self, *layers: Folders) -> None:
        self.layers = layers
        self.default = layers[0][ANY]
        self._plain = self.default.copy()  # in all layers
        self._folders: dict[TokenIndex, tuple[Qualifiers, ...]] = {}
        """The folders of tokens that are not only in the plain one."""
        self._best: dict[tuple[tuple[Qualifiers, ...], Qualifiers], Qualifiers | None] = {}
        for layer in layers:
            self._plain |= layer.get(ANY, {})
            for folder, texts in layer.items():
                if folder != ANY:
                    for index in texts:
                        self._add(index, folder)

    def chosen(self, index: TokenIndex, device: Qualifiers) -> str | None:
        """Return the text that the device finds for a token, or None."""
        folders = self._folders.get(index)
        if folders is None:
            return self._plain.get(index)
        if (folders, device) not in self._best:  # most tokens are in the same few folders
            self._best[folders, device] = best(folders, device)
        folder = self._best[folders, device]
        if folder is None:
            return None
        return next(texts[folder][index] for texts in reversed(self.layers) if index in texts.get(folder, ()))

    def write(self, index: TokenIndex, folder: Qualifiers, text: str) -> None:
        """Write a text to the last layer."""
        self.layers[-1].setdefault(folder, {})[index] = text
        if folder == ANY:
            self._plain[index] = text
        else:
            self._add(index, folder)

    def _add(self, index: TokenIndex, folder: Qualifiers) -> None:
        folders = self._folders.get(index, (ANY,))
        if folder not in folders:
            self._folders[index] = (*folders, folder)


def dependencies(output: Output, chosen: Iterable[Variants]) -> Iterator[Dependency]:
    """Yield the tokens that depend on the qualifiers of each axis with several themes."""
    for variants in chosen:
        if len(variants) > 1:
            tokens = output.resolution.depending(variants.values())
            yield Dependency(tuple(variants), [token for token in tokens if output.kinds[token] is not None])


def values_at(
    output: Output, chosen: Iterable[Variants], device: Qualifiers, varying: Collection[TokenIndex] | None = None
) -> tuple[Theme, ResolvedTheme]:
    """Return the theme of a device, and all values in it; ``varying`` are the tokens that it can change."""
    theme = _theme_at(chosen, device)
    return theme, output.resolution.in_theme(theme, output.resolution.varying((theme,)) if varying is None else varying)


def folders_of(output: Output, chosen: Sequence[Variants]) -> Folders:
    """Return the plain resources: all tokens in ``values``, and those that differ in the other folders."""
    folders: Folders = {ANY: {index: text for index, text, _ in output.default_rows()}}
    qualifiers = {variant for variants in chosen for variant in variants if variant != ANY}
    if not qualifiers:
        return folders
    varying = None
    if len(qualifiers) == 1:  # usually night mode: only the tokens that vary in that theme are needed
        varying = output.resolution.varying((_theme_at(chosen, *qualifiers),))
        axes = [Dependency(tuple(qualifiers), output.declared_among(varying))]
    else:
        axes = list(dependencies(output, chosen))
    _fill(output, chosen, Candidates(output, axes), Layers(folders), varying)
    return folders


def _fill(
    output: Output,
    chosen: Sequence[Variants],
    candidates: Candidates,
    layers: Layers,
    varying: Collection[TokenIndex] | None = None,
) -> None:
    """Write the values that devices would not find in the existing folders to the last layer.

    A token without a resource in ``values`` is omitted: an app crashes when a device has no matching folder, and only
    ``values`` matches every device.
    """
    default = layers.default
    is_plain = len(layers.layers) == 1
    for device, tokens in candidates.tokens.items():
        if is_plain and device == ANY:
            continue  # it already contains the defaults
        written = [index for index in tokens if index in default]
        theme, values = values_at(output, chosen, device, varying)
        for index, text, _ in output.rows(written, values, theme, default):
            if index in candidates.gradual or layers.chosen(index, device) != text:
                layers.write(index, device, text)


def source_sets_of(output: Output, themes: ThemeVariants, plain: Folders) -> Iterator[tuple[str, Folders]]:
    """Yield (name, resources) of each source set except the main one."""
    names = _names_of_source_sets(themes.axes)
    of_brand: dict[tuple[int, str], Folders] = {}
    for at, axis in enumerate(themes.axes):
        for brand in axis.brands:
            of_brand[at, brand] = _source_set(output, themes, {at: brand}, (plain,))
            yield names[axis.name, brand], of_brand[at, brand]
    for (first, one_axis), (second, other_axis) in pairs(enumerate(themes.axes), 2):
        for one in one_axis.brands:
            for other in other_axis.brands:
                base = (plain, of_brand[second, other], of_brand[first, one])
                both = _source_set(output, themes, {first: one, second: other}, base)
                if any(both.values()):
                    name, after = names[one_axis.name, one], names[other_axis.name, other]
                    yield f"{name}{after[:1].upper()}{after[1:]}", both  # as Gradle names combined flavours


def _source_set(output: Output, themes: ThemeVariants, brands: Mapping[int, str], base: Sequence[Folders]) -> Folders:
    """Return the resources that override those of ``base`` where these brands are chosen."""
    chosen = themes.chosen(brands)
    concerned = set.intersection(*(output.resolution.depending(themes.replacing(at)) for at in brands))
    folders: Folders = {}
    own = [Dependency(each.qualifiers, concerned.intersection(each.tokens)) for each in dependencies(output, chosen)]
    candidates = Candidates(output, [*own, Dependency((ANY,), concerned)])
    _fill(output, chosen, candidates, Layers(*base, folders))
    return folders


_RESERVED = frozenset(("main", "test", "androidtest", "testfixtures", "debug", "release", "lint", "all", "res"))
"""Gradle's own source sets, build types and tasks, in lower case."""


def _names_of_source_sets(axes: Iterable[BrandAxis]) -> dict[tuple[str, str], str]:
    """Return the source set of each (axis, brand); names differ by more than case, which file systems may ignore."""
    names: dict[tuple[str, str], str] = {}
    used = set(_RESERVED)
    for axis in axes:
        for brand in axis.brands:
            own = brand_words(brand)
            candidates = (own, (*brand_words(axis.name), *own))
            choices = [camel(each) for each in candidates if not each[0][0].isdigit()] or [camel(("brand", *own))]
            name = next((choice for choice in choices if choice.lower() not in used), choices[-1])
            number = 1
            while name.lower() in used:
                number += 1
                name = f"{choices[-1]}{number}"
            used.add(name.lower())
            names[axis.name, brand] = name
    return names
