"""What stands in which resource folder, so that every device gets what the theme shows that is its own.

Android chooses a folder for each resource alone, among those that have it. So a token is written where its text is
another one than what would be chosen there; in folders of several qualifiers only where it depends on all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.android.matching import best, is_gradual, merged, weight
from tokensync.targets.android.qualifiers import ANY, Qualifiers
from tokensync.targets.android.showings import theme_at
from tokensync.tokens import DEFAULT_THEME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.showings import Variants
    from tokensync.tokens import Theme
    from tokensync.tokens.resolver import ResolvedTheme

Folders = dict[Qualifiers, dict[int, str]]
"""By the qualifiers of a folder, each token's text in it, in the order of the output."""


class Bearing(NamedTuple):
    """The qualifiers that an axis is asked under, and the tokens that bear upon it."""

    asked: Collection[Qualifiers]
    places: Collection[int]


class Cells:
    """The folders in which something could have to stand, the plainest first, and the tokens that it could be.

    ``gradual`` holds the tokens of which no folder may be left out.
    """

    def __init__(self, sheet: Sheet, axes: Iterable[Bearing]) -> None:
        self.gradual: set[int] = set()
        asked_of: dict[int, dict[Qualifiers, None]] = {}
        for axis in axes:
            for place in axis.places:
                asked_of.setdefault(place, {}).update(dict.fromkeys(axis.asked))
        groups: dict[tuple[Qualifiers, ...], list[int]] = {}
        for place, asked in asked_of.items():
            groups.setdefault(tuple(asked), []).append(place)
        found: dict[Qualifiers, set[int]] = {}
        for several, places in groups.items():
            for each in combinations(several):
                found.setdefault(each, set()).update(places)
            if any(map(is_gradual, several)):
                self.gradual.update(places)
        self.places = {each: sheet.declared_among(found[each]) for each in sorted(found, key=weight)}


def combinations(asked: Iterable[Qualifiers]) -> set[Qualifiers]:
    """The qualifiers, alone and several at once, as a device may have them."""
    found = {ANY}
    for each in asked:
        found |= {both for one in found if (both := merged(one, each)) is not None}
    return found


class Choice:
    """Android's choice of a folder for a resource, remembered: most resources stand in the same few folders."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[Qualifiers, ...], Qualifiers], Qualifiers | None] = {}

    def __call__(self, folders: tuple[Qualifiers, ...], device: Qualifiers) -> Qualifiers | None:
        """The one that the device takes it from."""
        known = self._known
        if (folders, device) not in known:
            known[folders, device] = best(folders, device)
        return known[folders, device]


class Layers:
    """Resources of several folders over each other, as Gradle merges source sets: the last one's text counts."""

    def __init__(self, *layers: Folders) -> None:
        self.layers = layers
        self.standing: dict[int, tuple[Qualifiers, ...]] = {}
        for layer in layers:
            for folder, texts in layer.items():
                for place in texts:
                    self._add(place, folder)
        self.choice = Choice()

    def chosen(self, place: int, device: Qualifiers) -> str | None:
        """The text that the device takes for a token; None when it finds none."""
        standing = self.standing.get(place, ())
        folder = standing[0] if len(standing) == 1 and standing[0] is ANY else self.choice(standing, device)
        if folder is None:
            return None
        return next(texts[folder][place] for texts in reversed(self.layers) if place in texts.get(folder, ()))

    def write(self, place: int, folder: Qualifiers, text: str) -> None:
        """Put a text into the last layer."""
        self.layers[-1].setdefault(folder, {})[place] = text
        self._add(place, folder)

    def _add(self, place: int, folder: Qualifiers) -> None:
        standing = self.standing.get(place, ())
        if folder not in standing:
            self.standing[place] = (*standing, folder)


def bearings(sheet: Sheet, shown: Iterable[Variants]) -> Iterator[Bearing]:
    """The axes that show several themes by qualifiers."""
    for variants in shown:
        if len(variants) > 1:
            places = sheet.resolution.depending(variants.values())
            yield Bearing(tuple(variants), [each for each in places if sheet.kinds[each] is not None])


def shown_at(sheet: Sheet, shown: Iterable[Variants], device: Qualifiers) -> tuple[Theme, ResolvedTheme]:
    """The theme that a device shows, and all values in it."""
    theme = theme_at(shown, device)
    return theme, sheet.resolution.in_theme(theme, sheet.resolution.varying((theme,)))


def folders_of(sheet: Sheet, shown: Sequence[Variants]) -> Folders:
    """Return the plain resources: all tokens in ``values``, and in the other folders what has to be there."""
    default = {place: text for place, text, _ in sheet.default_rows()}
    folders: Folders = {ANY: default}
    asked = {each for variants in shown for each in variants if each != ANY}
    if len(asked) == 1:  # nearly always the night: then what varies in that one theme is all there is to look at
        theme = theme_at(shown, *asked)
        axes = [Bearing(tuple(asked), sheet.declared_among(sheet.resolution.varying((theme,))))]
    else:
        axes = list(bearings(sheet, shown))
    fill(sheet, shown, Cells(sheet, axes), Layers(folders), default)
    return folders


def fill(sheet: Sheet, shown: Sequence[Variants], cells: Cells, layers: Layers, default: Collection[int]) -> None:
    """Write into the last layer what devices would not find in the folders that there are.

    A token that is not in ``default``, the resources of ``values``, is omitted: only that folder suits every device,
    and an app that asks for a resource crashes where no folder suits.
    """
    is_plain = len(layers.layers) == 1
    for device, candidates in cells.places.items():
        if is_plain and device == ANY:
            continue  # the defaults stand there already
        places = [place for place in candidates if place in default]
        theme, values = shown_at(sheet, shown, device)
        rows = sheet.rows(places, values, theme, default)
        for place, text, _ in rows:
            if place in cells.gradual or layers.chosen(place, device) != text:
                layers.write(place, device, text)
        if len(rows) < len(places):
            _break_circles(sheet, device, layers, {*places}.difference(place for place, _, _ in rows))


def _break_circles(sheet: Sheet, device: Qualifiers, layers: Layers, unresolved: Iterable[int]) -> None:
    """What has no value where several axes meet shows that of a plainer folder.

    Those of two tokens may lead to each other, when they come from different folders: then the default literal stands.
    """
    named = {sheet.names[place]: place for place in sheet.declared}
    for place in sorted(unresolved):
        seen: set[int] = set()
        at: int | None = place
        while at is not None and at not in seen:
            seen.add(at)
            text = layers.chosen(at, device) or ""
            at = named.get(text.partition("/")[2].rpartition(".")[2]) if text.startswith("@") else None
        if at is not None:
            for _, text, _ in sheet.rows((place,), sheet.resolution.default, DEFAULT_THEME, ()):
                layers.write(place, device, text)
