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

from itertools import combinations as pairs
from typing import TYPE_CHECKING, NamedTuple

from tokensync.naming.rules import camel
from tokensync.targets.android.qualifiers import ANY, Qualifiers, best, is_gradual, merged, weight
from tokensync.targets.android.variants import brand_words, theme_at
from tokensync.tokens import DEFAULT_THEME
from tokensync.tokens.resolver import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.android.variants import BrandAxis, ThemeVariants, Variants
    from tokensync.tokens import Theme
    from tokensync.tokens.resolver import ResolvedTheme

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
        masks: dict[TokenIndex, int] = {}
        for bit, dependency in enumerate(dependencies):
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
            for each in combinations(qualifiers):
                by_folder.setdefault(each, set()).update(tokens)
            if any(map(is_gradual, qualifiers)):
                self.gradual.update(tokens)
        self.tokens = {each: output.declared_among(by_folder[each]) for each in sorted(by_folder, key=weight)}


def combinations(qualifiers: Iterable[Qualifiers]) -> list[Qualifiers]:
    """Return all combinations of the qualifiers that a device can have, including none of them."""
    combined = {ANY: None}
    for each in qualifiers:
        combined |= {both: None for one in combined if (both := merged(one, each)) is not None}
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
            yield Dependency(tuple(variants), [each for each in tokens if output.kinds[each] is not None])


def values_at(
    output: Output, chosen: Iterable[Variants], device: Qualifiers, varying: Collection[TokenIndex] | None = None
) -> tuple[Theme, ResolvedTheme]:
    """Return the theme of a device, and all values in it; ``varying`` are the tokens that it can change."""
    theme = theme_at(chosen, device)
    return theme, output.resolution.in_theme(theme, output.resolution.varying((theme,)) if varying is None else varying)


def folders_of(output: Output, chosen: Sequence[Variants]) -> Folders:
    """Return the plain resources: all tokens in ``values``, and those that differ in the other folders."""
    folders: Folders = {ANY: {index: text for index, text, _ in output.default_rows()}}
    qualifiers = {each for variants in chosen for each in variants if each != ANY}
    if not qualifiers:
        return folders
    varying = None
    if len(qualifiers) == 1:  # usually night mode: only the tokens that vary in that theme are needed
        varying = output.resolution.varying((theme_at(chosen, *qualifiers),))
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
        rows = output.rows(written, values, theme, default)
        for index, text, _ in rows:
            if index in candidates.gradual or layers.chosen(index, device) != text:
                layers.write(index, device, text)
        if len(rows) < len(written):
            _break_cycles(output, device, layers, {*written}.difference(index for index, _, _ in rows))


def _break_cycles(output: Output, device: Qualifiers, layers: Layers, unresolved: Iterable[TokenIndex]) -> None:
    """Write default literals for tokens whose references in different folders form a cycle on a device.

    A token without a value for a combination of axes has that of a less specific folder, which may refer back to it.
    """
    named = {output.names[index]: index for index in output.declared}
    for index in sorted(unresolved):
        seen: set[TokenIndex] = set()
        at: TokenIndex | None = index
        while at is not None and at not in seen:
            seen.add(at)
            text = layers.chosen(at, device) or ""
            at = named.get(text.partition("/")[2].rpartition(".")[2]) if text.startswith("@") else None
        if at is not None:
            for _, text, _ in output.rows((index,), output.resolution.default, DEFAULT_THEME, ()):
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
            name = next((each for each in choices if each.lower() not in used), choices[-1])
            number = 1
            while name.lower() in used:
                number += 1
                name = f"{choices[-1]}{number}"
            used.add(name.lower())
            names[axis.name, brand] = name
    return names
