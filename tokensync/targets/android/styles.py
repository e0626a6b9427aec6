"""Brands as styles: an attribute a token that varies with a brand, and a style a brand that says what it is there.

``?attr/accent`` then follows the theme that an app, a screen or a view has. The first style of an axis leads each
attribute to its plain resource; a brand's style has it as parent and only what differs. Where two axes are chosen at
once and a value depends on both, a third style over the two has it.
"""

from __future__ import annotations

from itertools import combinations as each_two
from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.android.brands import PLAIN, StyleNames, parent_of
from tokensync.targets.android.folders import bearings, combinations, shown_at
from tokensync.targets.android.matching import best, is_gradual, weight
from tokensync.targets.android.qualifiers import ANY
from tokensync.targets.android.resources import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.folders import Folders
    from tokensync.targets.android.qualifiers import Qualifiers
    from tokensync.targets.android.showings import BrandAxis, Showings, Variants
    from tokensync.tokens.resolver import ResolvedTheme


Items = dict[int, str]
"""What a style says of attributes, by their places: an attribute, a resource or a literal."""


class Told(NamedTuple):
    """What a device is told of attributes, and the numbers of the literals that they come to."""

    items: Items
    literals: list[int]


class Style(NamedTuple):
    """A style by the qualifiers of its folders: in each it is written whole.

    ``is_first`` tells the plain style of an axis, which has no parent of ours.
    """

    name: str
    parent: Style | None
    folders: dict[Qualifiers, Items]
    is_first: bool = False

    def at(self, device: Qualifiers) -> Items:
        """All that a device finds in it, from its parents on."""
        found = best(self.folders, device)
        own = {} if found is None else self.folders[found]
        return {**self.parent.at(device), **own} if self.parent else own


class Styles:
    """The attributes and styles of an output."""

    def __init__(self, sheet: Sheet, showings: Showings, plain: Folders, prefix: str) -> None:
        self.sheet = sheet
        self.showings = showings
        self.default = plain[ANY]
        self.names = StyleNames(prefix)
        self.bearing = [sheet.resolution.depending(showings.bearing(at)) for at in range(len(showings.axes))]
        every = set().union(*self.bearing)
        self.attributes = [
            each
            for each in sheet.declared_among(every)
            if each in self.default and ELEMENTS[sheet.kinds[each] or ""].format
        ]
        self.is_attribute = frozenset(self.attributes)
        self.owner = {place: self._owner(place) for place in self.attributes}
        self.owned = [[each for each in self.attributes if self.owner[each] == at] for at in range(len(showings.axes))]

    def made(self) -> list[Style]:
        """The styles, each after its parent."""
        made: list[Style] = []
        of_brand: dict[tuple[int, str], Style] = {}
        for at, axis in enumerate(self.showings.axes):
            if not self.owned[at]:
                continue
            first = self.names.named(axis.name if axis.family else "default")
            of_brand[at, PLAIN] = self._style(first, at, PLAIN, None)
            made.append(of_brand[at, PLAIN])
            for brand in _parents_first(self.sheet, axis):
                pieces = (axis.name, brand) if axis.family else (brand,)
                parent = of_brand[at, parent_of(self.sheet, axis, brand)]
                of_brand[at, brand] = self._style(self.names.named(*pieces), at, brand, parent)
                made.append(of_brand[at, brand])
        return made + list(self._pairs(of_brand))

    def _owner(self, place: int) -> int:
        """The axis whose styles tell an attribute: its own if that bears upon it, else the first one that does."""
        bearing = [at for at, places in enumerate(self.bearing) if place in places]
        family = self.sheet.tokens[place].key[:2]
        return next((at for at in bearing if self.showings.axes[at].family == family), bearing[0])

    def _style(self, name: str, at: int, brand: str, parent: Style | None) -> Style:
        axis, places = self.showings.axes[at], self.owned[at]
        shown = self.showings.shown({at: brand})
        usual = None if parent is None else self.showings.shown({at: parent_of(self.sheet, axis, brand)})
        style = Style(name, parent, {}, is_first=parent is None)
        for device, gradual in self._devices((at,), shown, places):
            told = self._told(shown, device, places, plain=brand == PLAIN)
            if parent is None or usual is None:
                items = told.items
            else:
                given = Told(parent.at(device), self._values(usual, device).literals)
                items = {place: text for place, text in told.items.items() if _tells(place, told, given)}
            _put(style, device, items, gradual=gradual)
        return style

    def _pairs(self, of_brand: dict[tuple[int, str], Style]) -> Iterator[Style]:
        """The styles of two brands at once, where one axis's own styles cannot say what both come to."""
        for first, second in each_two(range(len(self.showings.axes)), 2):
            both = self.bearing[first] & self.bearing[second]
            places = [each for each in self.attributes if each in both and self.owner[each] in (first, second)]
            if not places:
                continue
            for one, other in _choices(self.showings.axes[first], self.showings.axes[second]):
                name = self._name_of_pair(first, one, second, other)
                made = self._pair(name, {first: one, second: other}, places, of_brand)
                if any(made.folders.values()):
                    yield made

    def _name_of_pair(self, first: int, one: str, second: int, other: str) -> list[str]:
        one_axis, other_axis = self.showings.axes[first].name, self.showings.axes[second].name
        return [each for each in (one_axis, one, other_axis, other) if each]

    def _pair(
        self, pieces: list[str], brands: dict[int, str], places: list[int], of_brand: dict[tuple[int, str], Style]
    ) -> Style:
        shown = self.showings.shown(brands)
        style = Style("", None, {})
        for device, gradual in self._devices(brands, shown, places):
            told = self._told(shown, device, places, plain=False)
            given = {at: self._given(at, brands[at], device, of_brand) for at in {self.owner[each] for each in places}}
            items: Items = {}
            for place in places:
                usual = given[self.owner[place]]
                if place in told.items and _tells(place, told, usual):
                    items[place] = told.items[place]
                elif place not in told.items and usual.items.get(place, "")[:1] == "?":
                    # Two brands may lead two tokens to each other.
                    items[place] = self._resource(place)
            _put(style, device, items, gradual=gradual)
        return style._replace(name=self.names.named(*pieces)) if any(style.folders.values()) else style

    def _given(self, at: int, brand: str, device: Qualifiers, of_brand: dict[tuple[int, str], Style]) -> Told:
        """What a brand's own style tells a device."""
        return Told(of_brand[at, brand].at(device), self._values(self.showings.shown({at: brand}), device).literals)

    def _devices(
        self, axes: Iterable[int], shown: Sequence[Variants], places: Sequence[int]
    ) -> Iterator[tuple[Qualifiers, bool]]:
        """The devices that may find other items in a style of these tokens, and whether each needs one of its own.

        A style is chosen whole, so all that its tokens depend on counts together; and on the axes that it is of, so
        does what other brands are asked under, since a style is told apart from its parent.
        """
        wanted = set(places)
        asked = {
            each: None
            for bearing in bearings(self.sheet, shown)
            if not wanted.isdisjoint(bearing.places)
            for each in bearing.asked
        }
        for at in axes:
            for variants in self.showings.axes[at].brands.values():
                asked |= dict.fromkeys(variants)
        is_any_gradual = any(map(is_gradual, asked))
        for device in sorted(combinations(asked), key=weight):
            yield device, is_any_gradual

    def _values(self, shown: Sequence[Variants], device: Qualifiers) -> ResolvedTheme:
        return shown_at(self.sheet, shown, device)[1]

    def _told(self, shown: Sequence[Variants], device: Qualifiers, places: Sequence[int], *, plain: bool) -> Told:
        """What the tokens are on a device: an attribute where they refer to one, else a resource or a literal.

        In the ``plain`` style a token that refers to no attribute is its own resource.
        """
        sheet = self.sheet
        theme, values = shown_at(sheet, shown, device)
        found: Items = {}
        for place, text, _ in sheet.rows(places, values, theme, self.default):
            target = values.codes[place]
            if target in self.is_attribute and text == self._resource(target):
                found[place] = f"?attr/{sheet.names[target]}"
            else:
                found[place] = text or '""'
        if plain:
            attributes = {place: text for place, text in found.items() if text[:1] == "?"}
            found = {place: attributes.get(place) or self._resource(place) for place in places}
        return Told(found, values.literals)

    def _resource(self, place: int) -> str:
        return f"{ELEMENTS[self.sheet.kinds[place] or ''].reference}{self.sheet.names[place]}"


def _tells(place: int, told: Told, given: Told) -> bool:
    """Whether something else has to be said of an attribute than what is given.

    A literal and a resource may come to the same; an attribute does not, since another axis may turn it.
    """
    text, usual = told.items[place], given.items.get(place)
    if usual is None:
        return True
    same = told.literals[place] == given.literals[place] and text[:1] != "?" and usual[:1] != "?"
    return text != usual and not same


def _put(style: Style, device: Qualifiers, items: Items, *, gradual: bool) -> None:
    found = best(style.folders, device)
    if gradual or found is None or style.folders[found] != items:
        style.folders[device] = items


def _parents_first(sheet: Sheet, axis: BrandAxis) -> list[str]:
    """The brands, each after the one that it extends."""
    ordered: dict[str, None] = {}
    for brand in axis.brands:
        chain = [brand]
        while (parent := parent_of(sheet, axis, chain[-1])) and parent not in ordered:
            chain.append(parent)
        ordered |= dict.fromkeys(reversed(chain))
    return list(ordered)


def _choices(first: BrandAxis, second: BrandAxis) -> Iterator[tuple[str, str]]:
    """A brand of each, or the plain one of one of them."""
    for one in (PLAIN, *first.brands):
        for other in (PLAIN, *second.brands):
            if one or other:
                yield one, other
