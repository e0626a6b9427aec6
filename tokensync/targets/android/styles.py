"""Brands as overlay styles: an attribute for each token that varies with a brand, and a style for each brand.

``?attr/accent`` then follows the theme of an app, a screen or a view. The base style of an axis maps each attribute to
its plain resource; a brand's style extends it with the differences. Values that depend on the brands of two axes are in
a third style for the two brands.
"""

from __future__ import annotations

from itertools import combinations as pairs
from typing import TYPE_CHECKING, NamedTuple

from tokensync.naming.rules import pascal
from tokensync.targets.android.folders import combinations, dependencies, values_at
from tokensync.targets.android.literals import ELEMENTS
from tokensync.targets.android.qualifiers import ANY, best, is_gradual, weight
from tokensync.targets.android.rows import Item, Style
from tokensync.targets.android.variants import NO_BRAND, brand_words
from tokensync.tokens.resolver import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.android.folders import Folders
    from tokensync.targets.android.qualifiers import Qualifiers
    from tokensync.targets.android.variants import BrandAxis, ThemeVariants, Variants
    from tokensync.tokens.resolver import LiteralIndex

Items = dict[TokenIndex, str]
"""The values of attributes by token index: an attribute, a resource or a literal."""


class Values(NamedTuple):
    """The items of a style on a device, and the literal indices of all tokens there."""

    items: Items
    literals: list[LiteralIndex]


class Overlay(NamedTuple):
    """A style with its items by folder; base styles (``is_first``) and styles of two brands have no parent."""

    name: str
    parent: Overlay | None
    folders: dict[Qualifiers, Items]
    is_first: bool = False

    def at(self, device: Qualifiers) -> Items:
        """Return the items of a device, with those of the parents."""
        folder = best(self.folders, device)
        own = {} if folder is None else self.folders[folder]
        return {**self.parent.at(device), **own} if self.parent else own

    def write(self, device: Qualifiers, items: Items, *, always: bool) -> None:
        """Write the items for a device unless another folder already has the same ones for it."""
        folder = best(self.folders, device)
        if always or folder is None or self.folders[folder] != items:
            self.folders[device] = items


class Overlays:
    """The attributes and overlay styles of an output, whose names begin with ``prefix``."""

    def __init__(self, output: Output, themes: ThemeVariants, plain: Folders, prefix: str) -> None:
        self.output = output
        self.axes = themes.axes
        self.themes = themes
        self.default = plain[ANY]
        self._prefix = prefix
        self._names: set[str] = set()
        self._affected = [output.resolution.depending(themes.replacing(at)) for at in range(len(themes.axes))]
        self.attributes = [
            each
            for each in output.declared_among(set().union(*self._affected))
            if each in self.default and ELEMENTS[output.kinds[each] or ""].format
        ]
        self._is_attribute = frozenset(self.attributes)
        self._owner = {index: self._owner_of(index) for index in self.attributes}

    def all(self) -> list[Overlay]:
        """Return the styles, each after its parent."""
        styles: list[Overlay] = []
        of_brand: dict[tuple[int, str], Overlay] = {}
        for at, axis in enumerate(self.axes):
            if at not in self._owner.values():
                continue
            first = self._unique_name(axis.name if axis.family else "default")
            of_brand[at, NO_BRAND] = self._of_brand(first, at, NO_BRAND, None)
            styles.append(of_brand[at, NO_BRAND])
            for brand in self._parents_first(axis):
                pieces = (axis.name, brand) if axis.family else (brand,)
                parent = of_brand[at, self._parent_of(axis, brand)]
                of_brand[at, brand] = self._of_brand(self._unique_name(*pieces), at, brand, parent)
                styles.append(of_brand[at, brand])
        return styles + list(self._of_pairs(of_brand))

    def rows(self, style_parent: str) -> dict[Qualifiers, list[Style]]:
        """Return the rows of ``styles.xml`` in each folder; ``style_parent`` is the parent of base styles."""
        names = self.output.names
        of_folder: dict[Qualifiers, list[Style]] = {}
        for style in self.all():
            parent = style.parent.name if style.parent else style_parent if style.is_first else ""
            for qualifiers, items in style.folders.items():
                of_items = [Item(names[index], text) for index, text in items.items()]
                of_folder.setdefault(qualifiers, []).append(Style(style.name, parent, of_items))
        return of_folder

    def _owner_of(self, index: TokenIndex) -> int:
        """Return the axis whose styles set an attribute: that of its own family if it is affected, else the first."""
        affecting = [at for at, tokens in enumerate(self._affected) if index in tokens]
        family = self.output.tokens[index].key[:2]
        return next((at for at in affecting if self.axes[at].family == family), affecting[0])

    def _unique_name(self, *pieces: str) -> str:
        """Return a name such as ``ThemeOverlay.ColorScheme.BrandB``, numbered if it exists.

        Names are also unique in the class R, where dots are underscores.
        """
        name = unique = ".".join((self._prefix, *(pascal(brand_words(each)) for each in pieces)))
        number = 1
        while name.replace(".", "_") in self._names:
            number += 1
            name = f"{unique}{number}"
        self._names.add(name.replace(".", "_"))
        return name

    def _parent_of(self, axis: BrandAxis, brand: str) -> str:
        """Return the brand of the nearest parent mode of a brand, or ``NO_BRAND``."""
        by_modes = {variants[ANY].modes: name for name, variants in axis.brands.items() if ANY in variants}
        own = axis.brands[brand].get(ANY)
        if axis.family is None or own is None or len(own.modes) != 1:
            return NO_BRAND
        family, index = own.modes[0]
        parent = self.output.graph.collections[family].modes[index].parent
        while parent is not None:
            ancestor = by_modes.get(((family, parent),))
            if ancestor is not None and ancestor != brand:
                return ancestor
            parent = self.output.graph.collections[family].modes[parent].parent
        return NO_BRAND

    def _parents_first(self, axis: BrandAxis) -> list[str]:
        ordered: dict[str, None] = {}
        for brand in axis.brands:
            chain = [brand]
            while (parent := self._parent_of(axis, chain[-1])) and parent not in ordered:
                chain.append(parent)
            ordered |= dict.fromkeys(reversed(chain))
        return list(ordered)

    def _of_brand(self, name: str, at: int, brand: str, parent: Overlay | None) -> Overlay:
        tokens = [each for each in self.attributes if self._owner[each] == at]
        chosen = self.themes.chosen({at: brand})
        inherited_text = [] if parent is None else self.themes.chosen({at: self._parent_of(self.axes[at], brand)})
        style = Overlay(name, parent, {}, is_first=parent is None)
        for device, always in self._devices((at,), chosen, tokens):
            values = self._values(chosen, device, tokens, is_first=brand == NO_BRAND)
            items = values.items
            if parent is not None:
                inherited = Values(parent.at(device), values_at(self.output, inherited_text, device)[1].literals)
                items = {index: text for index, text in values.items.items() if _differs(index, values, inherited)}
            style.write(device, items, always=always)
        return style

    def _of_pairs(self, of_brand: dict[tuple[int, str], Overlay]) -> Iterator[Overlay]:
        """Yield the styles of two brands with the values that differ from those of either brand's style."""
        for first, second in pairs(range(len(self.axes)), 2):
            both = self._affected[first] & self._affected[second]
            tokens = [each for each in self.attributes if each in both and self._owner[each] in (first, second)]
            if not tokens:
                continue
            for one in (NO_BRAND, *self.axes[first].brands):
                for other in (NO_BRAND, *self.axes[second].brands):
                    if one or other:
                        style = self._of_pair({first: one, second: other}, tokens, of_brand)
                        if any(style.folders.values()):
                            pieces = (self.axes[first].name, one, self.axes[second].name, other)
                            yield style._replace(name=self._unique_name(*filter(None, pieces)))

    def _of_pair(
        self, brands: dict[int, str], tokens: list[TokenIndex], of_brand: dict[tuple[int, str], Overlay]
    ) -> Overlay:
        chosen = self.themes.chosen(brands)
        style = Overlay("", None, {})
        owners = {self._owner[each] for each in tokens}
        for device, always in self._devices(brands, chosen, tokens):
            values = self._values(chosen, device, tokens)
            of_owner = {at: self._inherited(at, brands[at], device, of_brand) for at in owners}
            items: Items = {}
            for index in tokens:
                inherited = of_owner[self._owner[index]]
                if index in values.items and _differs(index, values, inherited):
                    items[index] = values.items[index]
                elif index not in values.items and inherited.items.get(index, "")[:1] == "?":
                    # The attributes of two brands can form a cycle.
                    items[index] = self._resource(index)
            style.write(device, items, always=always)
        return style

    def _inherited(self, at: int, brand: str, device: Qualifiers, of_brand: dict[tuple[int, str], Overlay]) -> Values:
        chosen = self.themes.chosen({at: brand})
        return Values(of_brand[at, brand].at(device), values_at(self.output, chosen, device)[1].literals)

    def _devices(
        self, axes: Iterable[int], chosen: Sequence[Variants], tokens: Iterable[TokenIndex]
    ) -> Iterator[tuple[Qualifiers, bool]]:
        """Yield the devices for which a style of these tokens may have other items, and whether each needs its own.

        Android chooses a style as a whole, so all qualifiers that its tokens depend on are combined. So are those of
        the other brands of its axes, because a style has the differences from its parent.
        """
        unique = set(tokens)
        qualifiers = {
            each: None
            for dependency in dependencies(self.output, chosen)
            if not unique.isdisjoint(dependency.tokens)
            for each in dependency.qualifiers
        }
        for at in axes:
            for variants in self.axes[at].brands.values():
                qualifiers |= dict.fromkeys(variants)
        always = any(map(is_gradual, qualifiers))
        for device in sorted(combinations(qualifiers), key=weight):
            yield device, always

    def _values(
        self, chosen: Sequence[Variants], device: Qualifiers, tokens: Sequence[TokenIndex], *, is_first: bool = False
    ) -> Values:
        """Return the items of tokens on a device: a reference to an attribute, a resource, or a literal.

        In the base style of an axis, a token that does not refer to an attribute has its own resource.
        """
        output = self.output
        theme, values = values_at(output, chosen, device)
        items: Items = {}
        for index, text, _ in output.rows(tokens, values, theme, self.default):
            target = values.codes[index]
            is_attribute = target in self._is_attribute and text == self._resource(target)
            items[index] = f"?attr/{output.names[target]}" if is_attribute else text or '""'
        if is_first:
            attributes = {index: text for index, text in items.items() if text[:1] == "?"}
            items = {index: attributes.get(index) or self._resource(index) for index in tokens}
        return Values(items, values.literals)

    def _resource(self, index: TokenIndex) -> str:
        return f"{ELEMENTS[self.output.kinds[index] or ''].reference}{self.output.names[index]}"


def _differs(index: TokenIndex, values: Values, inherited: Values) -> bool:
    """Return whether an attribute needs an item that overrides the inherited one.

    A literal and a resource are equal when they resolve to the same value; attributes are not, since another axis may
    change them.
    """
    text, inherited_text = values.items[index], inherited.items.get(index)
    if inherited_text is None:
        return True
    same = values.literals[index] == inherited.literals[index] and text[:1] != "?" and inherited_text[:1] != "?"
    return text != inherited_text and not same
