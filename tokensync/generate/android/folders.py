"""What stands in which resource folder, so that every device gets what the theme shows that is its own.

Android chooses a folder for each resource alone, among those that have it. So a token is written where its text is
another one than what would be chosen there; in folders of several qualifiers only where it depends on all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.config.qualifiers import ANY, Qualifiers
from tokensync.generate.android.matching import best, is_gradual, merged, weight
from tokensync.generate.android.showings import Variants, theme_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.generate.sheet import Sheet

Folders = dict[Qualifiers, dict[int, str]]
"""By the qualifiers of a folder, each token's text in it, in the order of the output."""


class Cells:
    """The folders in which something could have to stand, and the tokens that it could be.

    ``gradual`` holds the tokens of which no folder may be left out.
    """

    def __init__(self, sheet: Sheet, shown: Sequence[Variants]) -> None:
        self.gradual: set[int] = set()
        groups: dict[int, list[int]] = {}
        for place, axes in _axes_of_tokens(sheet, shown).items():
            groups.setdefault(axes, []).append(place)
        found: dict[Qualifiers, set[int]] = {}
        for axes, places in groups.items():
            asked = [each for at, variants in enumerate(shown) if axes >> at & 1 for each in variants]
            for each in combinations(asked):
                found.setdefault(each, set()).update(places)
            if any(map(is_gradual, asked)):
                self.gradual.update(places)
        self.places = {each: sheet.declared_among(found[each]) for each in sorted(found, key=weight)}


def combinations(asked: Iterable[Qualifiers]) -> set[Qualifiers]:
    """The qualifiers, alone and several at once, as a device may have them."""
    found = {ANY}
    for each in dict.fromkeys(asked):
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


def folders_of(sheet: Sheet, shown: Sequence[Variants]) -> Folders:
    """The plain resources: all tokens in ``values``, and in the other folders what has to be there.

    A token without a value by default has its resources elsewhere alone, which aapt drops: it is not referred to.
    """
    default = {place: text for place, text, _ in sheet.default_rows()}
    folders: Folders = {ANY: default}
    standing: dict[int, tuple[Qualifiers, ...]] = dict.fromkeys(default, (ANY,))
    cells, choice = Cells(sheet, shown), Choice()
    for device, places in cells.places.items():
        if device == ANY:
            continue
        theme = theme_at(shown, device)
        values = sheet.resolution.in_theme(theme, sheet.resolution.varying((theme,)))
        written = folders[device] = {}
        for place, text, _ in sheet.rows(places, values, theme, default):
            chosen = choice(standing.get(place, ()), device)
            if chosen is None or folders[chosen][place] != text or place in cells.gradual:
                written[place] = text
                standing[place] = (*standing.get(place, ()), device)
    return folders


def _axes_of_tokens(sheet: Sheet, shown: Sequence[Variants]) -> dict[int, int]:
    """The declared tokens that depend on an axis of several variants, and on which, as bits."""
    axes: dict[int, int] = {}
    for at, variants in enumerate(shown):
        if len(variants) > 1:
            for place in sheet.resolution.depending(variants.values()):
                axes[place] = axes.get(place, 0) | 1 << at
    return {place: bits for place, bits in axes.items() if sheet.kinds[place] is not None}
