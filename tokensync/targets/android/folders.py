"""What stands in which resource folder, so that every device shows the values of its theme.

Android chooses a folder for each resource alone, among those that have it. So a token is written where its text differs
from what would be chosen there; in folders of several qualifiers only where it depends on all of them.

Brands may be folders, too: Gradle puts a flavour's source set over the main one, folder by folder. The resources of
``<brand>/res/values...`` are those that differ from ``main/res``. Where a value depends on the brands of two axes, the
source set of the two flavours together has it; the order of the axes is that of the flavour dimensions, the first of
which counts most.
"""

from __future__ import annotations

from itertools import combinations as each_two
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
"""By the qualifiers of a folder, the text of each token in it by token index, in the order of the output."""


class Dependence(NamedTuple):
    """The tokens that may differ under some qualifiers."""

    asked: Collection[Qualifiers]
    tokens: Collection[TokenIndex]


class Candidates:
    """The tokens that may have to be written into a folder, by its qualifiers, the plainest folder first.

    ``gradual`` holds the tokens that may be omitted from none of their folders.
    """

    def __init__(self, output: Output, dependences: Sequence[Dependence]) -> None:
        self.gradual: set[TokenIndex] = set()
        masks: dict[TokenIndex, int] = {}
        for bit, dependence in enumerate(dependences):
            for index in dependence.tokens:
                masks[index] = masks.get(index, 0) | 1 << bit
        groups: dict[int, list[TokenIndex]] = {}
        for index, mask in masks.items():
            groups.setdefault(mask, []).append(index)
        found: dict[Qualifiers, set[TokenIndex]] = {}
        for mask, tokens in groups.items():
            asked = {one: None for bit, each in enumerate(dependences) if mask >> bit & 1 for one in each.asked}
            for each in combinations(asked):
                found.setdefault(each, set()).update(tokens)
            if any(map(is_gradual, asked)):
                self.gradual.update(tokens)
        self.tokens = {each: output.declared_among(found[each]) for each in sorted(found, key=weight)}


def combinations(asked: Iterable[Qualifiers]) -> list[Qualifiers]:
    """Return the qualifiers, alone and several at once, as a device may have them."""
    found = {ANY: None}
    for each in asked:
        found |= {both: None for one in found if (both := merged(one, each)) is not None}
    return list(found)


class Layers:
    """Resources of source sets over each other, as Gradle merges them: the text of the last one counts.

    Every token of them stands in the plain folder of the first.
    """

    def __init__(self, *layers: Folders) -> None:
        self.layers = layers
        self.default = layers[0][ANY]
        self._plain = self.default.copy()  # in all layers
        self._folders: dict[TokenIndex, tuple[Qualifiers, ...]] = {}
        """Of tokens that stand in others than the plain one."""
        self._best: dict[tuple[tuple[Qualifiers, ...], Qualifiers], Qualifiers | None] = {}
        for layer in layers:
            self._plain |= layer.get(ANY, {})
            for folder, texts in layer.items():
                if folder != ANY:
                    for index in texts:
                        self._add(index, folder)

    def chosen(self, index: TokenIndex, device: Qualifiers) -> str | None:
        """Return the text that the device shows for a token; None when it finds none."""
        folders = self._folders.get(index)
        if folders is None:
            return self._plain.get(index)
        if (folders, device) not in self._best:  # most tokens stand in the same few folders
            self._best[folders, device] = best(folders, device)
        folder = self._best[folders, device]
        if folder is None:
            return None
        return next(texts[folder][index] for texts in reversed(self.layers) if index in texts.get(folder, ()))

    def write(self, index: TokenIndex, folder: Qualifiers, text: str) -> None:
        """Put a text into the last layer."""
        self.layers[-1].setdefault(folder, {})[index] = text
        if folder == ANY:
            self._plain[index] = text
        else:
            self._add(index, folder)

    def _add(self, index: TokenIndex, folder: Qualifiers) -> None:
        folders = self._folders.get(index, (ANY,))
        if folder not in folders:
            self._folders[index] = (*folders, folder)


def dependences(output: Output, shown: Iterable[Variants]) -> Iterator[Dependence]:
    """Yield the tokens of each axis that shows several themes by qualifiers."""
    for variants in shown:
        if len(variants) > 1:
            found = output.resolution.depending(variants.values())
            yield Dependence(tuple(variants), [each for each in found if output.kinds[each] is not None])


def values_at(
    output: Output, shown: Iterable[Variants], device: Qualifiers, varying: Collection[TokenIndex] | None = None
) -> tuple[Theme, ResolvedTheme]:
    """Return the theme that a device shows, and all values in it; ``varying`` are the tokens that it may change."""
    theme = theme_at(shown, device)
    return theme, output.resolution.in_theme(theme, output.resolution.varying((theme,)) if varying is None else varying)


def folders_of(output: Output, shown: Sequence[Variants]) -> Folders:
    """Return the plain resources: all tokens in ``values``, and in the other folders those that differ there."""
    folders: Folders = {ANY: {index: text for index, text, _ in output.default_rows()}}
    asked = {each for variants in shown for each in variants if each != ANY}
    if not asked:
        return folders
    varying = None
    if len(asked) == 1:  # nearly always the night: then the tokens that vary in that one theme are enough
        varying = output.resolution.varying((theme_at(shown, *asked),))
        axes = [Dependence(tuple(asked), output.declared_among(varying))]
    else:
        axes = list(dependences(output, shown))
    _fill(output, shown, Candidates(output, axes), Layers(folders), varying)
    return folders


def _fill(
    output: Output,
    shown: Sequence[Variants],
    candidates: Candidates,
    layers: Layers,
    varying: Collection[TokenIndex] | None = None,
) -> None:
    """Write into the last layer the values that devices would not find in the present folders.

    A token without a resource in ``values`` is omitted: only that folder suits every device, and an app that asks for a
    resource crashes where no folder suits.
    """
    default = layers.default
    is_plain = len(layers.layers) == 1
    for device, tokens in candidates.tokens.items():
        if is_plain and device == ANY:
            continue  # the defaults stand there already
        written = [index for index in tokens if index in default]
        theme, values = values_at(output, shown, device, varying)
        rows = output.rows(written, values, theme, default)
        for index, text, _ in rows:
            if index in candidates.gradual or layers.chosen(index, device) != text:
                layers.write(index, device, text)
        if len(rows) < len(written):
            _break_cycles(output, device, layers, {*written}.difference(index for index, _, _ in rows))


def _break_cycles(output: Output, device: Qualifiers, layers: Layers, unresolved: Iterable[TokenIndex]) -> None:
    """Write the default literal of a token whose references, taken from different folders, form a cycle on a device.

    A token without a value where several axes meet shows that of a plainer folder, which may lead back to it.
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
    """Yield (name, resources) of each source set beside the main one."""
    names = _names_of_source_sets(themes.axes)
    of_brand: dict[tuple[int, str], Folders] = {}
    for at, axis in enumerate(themes.axes):
        for brand in axis.brands:
            of_brand[at, brand] = _source_set(output, themes, {at: brand}, (plain,))
            yield names[axis.name, brand], of_brand[at, brand]
    for (first, one_axis), (second, other_axis) in each_two(enumerate(themes.axes), 2):
        for one in one_axis.brands:
            for other in other_axis.brands:
                under = (plain, of_brand[second, other], of_brand[first, one])
                both = _source_set(output, themes, {first: one, second: other}, under)
                if any(both.values()):
                    name, after = names[one_axis.name, one], names[other_axis.name, other]
                    yield f"{name}{after[:1].upper()}{after[1:]}", both  # as Gradle calls two flavours together


def _source_set(output: Output, themes: ThemeVariants, brands: Mapping[int, str], under: Sequence[Folders]) -> Folders:
    """Return the resources that have to stand over others where these brands are chosen."""
    shown = themes.chosen(brands)
    concerned = set.intersection(*(output.resolution.depending(themes.replacing(at)) for at in brands))
    folders: Folders = {}
    own = [Dependence(each.asked, concerned.intersection(each.tokens)) for each in dependences(output, shown)]
    candidates = Candidates(output, [*own, Dependence((ANY,), concerned)])
    _fill(output, shown, candidates, Layers(*under, folders))
    return folders


_RESERVED = frozenset(("main", "test", "androidtest", "testfixtures", "debug", "release", "lint", "all", "res"))
"""Source sets, build types and tasks of Gradle's own, in lower case."""


def _names_of_source_sets(axes: Iterable[BrandAxis]) -> dict[tuple[str, str], str]:
    """Return the source set of each (axis, brand); no two differ by case alone, since disks may ignore it."""
    names: dict[tuple[str, str], str] = {}
    taken = set(_RESERVED)
    for axis in axes:
        for brand in axis.brands:
            own = brand_words(brand)
            wanted = (own, (*brand_words(axis.name), *own))
            choices = [camel(each) for each in wanted if not each[0][0].isdigit()] or [camel(("brand", *own))]
            name = next((each for each in choices if each.lower() not in taken), choices[-1])
            number = 1
            while name.lower() in taken:
                number += 1
                name = f"{choices[-1]}{number}"
            taken.add(name.lower())
            names[axis.name, brand] = name
    return names
