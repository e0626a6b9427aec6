"""Two axes at once: what comes out wrong where only the blocks of single contexts apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.targets.css.views import View, is_reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.generate.axes import Context, Pair
    from tokensync.targets.css.cascade import Cascade
    from tokensync.targets.css.rules import Reach
    from tokensync.targets.css.system import Layer, Modes
    from tokensync.targets.css.views import Written
    from tokensync.tokens import FamilyKey

    Needed = dict[tuple[int, int], set[int]]


class Pairing:
    """The combinations of two axes' contexts, over the tokens that depend on both.

    Most of those are references wherever they are declared, and each context declares them: they read as their own
    family's mode says, whatever the other axis shows. Only the rest is worked out for each combination, and only what
    may read otherwise in a layer for that layer.
    """

    def __init__(self, cascade: Cascade, pair: Pair, first: Reach, second: Reach) -> None:
        self.cascade = cascade
        self.ones, self.others = pair.first.contexts, pair.second.contexts
        self._first, self._second = first, second
        self._pair = pair
        self._families = {pair.first.family, pair.second.family}
        self._families |= {
            family
            for layer in cascade.layers
            for family in layer.modes
            if not pair.places.isdisjoint(cascade.depending([family]))
        }
        self._views: dict[tuple[int, tuple[tuple[FamilyKey, int], ...]], View] = {}
        self._read: dict[int, dict[int, Written | None]] = {}
        self._layers: list[tuple[Layer | None, list[int]]] = [(None, cascade.sheet.declared_among(pair.places))]
        self._steady = self._references()
        self._rest = [each for each in self._layers[0][1] if each not in self._steady]
        for at, layer in enumerate(cascade.layers):
            places = self._otherwise(at)
            self._layers.append((layer, next((each for _, each in self._layers if each == places), places)))

    def combinations(self) -> Iterator[tuple[Context | None, Context | None, set[int]]]:
        """Two contexts, and the tokens that a block of the two together has to declare.

        None stands for any context of the axis: what is the same with each of them is declared once for all.
        """
        needed = self._needed()
        for b, other in enumerate(self.others):
            if same := self._same(needed, [(a, b) for a in range(len(self.ones))]):
                yield None, other, same
        for a, one in enumerate(self.ones):
            if same := self._same(needed, [(a, b) for b in range(len(self.others))]):
                yield one, None, same
        for (a, b), places in needed.items():
            if places:
                yield self.ones[a], self.others[b], places

    def views(self, one: Context, other: Context, places: set[int]) -> list[View]:
        """The two together, by default and in each layer."""
        return [_picked(self._view(at, one, other), places) for at in range(len(self._layers))]

    def _view(self, at: int, *contexts: Context) -> View:
        """What tokens are written as in a layer (0 is none) where these are chosen; equal themes have one view."""
        layer, places = self._layers[at]
        collections = self.cascade.sheet.graph.collections
        modes = {
            family: mode
            for family, mode in self.cascade.system.modes(layer, *contexts).items()
            if family in self._families and mode != collections[family].default_mode
        }
        key = (id(places), tuple(sorted(modes.items())))
        if key not in self._views:
            if at == 0 and len(contexts) > 1:
                self._views[key] = self._put_together(modes, *contexts)
            else:
                self._views[key] = self.cascade.views.of(modes, places, self.cascade.varying)
        return self._views[key]

    def _put_together(self, modes: Modes, one: Context, other: Context) -> View:
        """The view of two contexts: the rest as worked out, references as their own family's context has them."""
        rest = self.cascade.views.of(modes, self._rest, self.cascade.varying)
        known = dict(zip(rest.places, rest.values, strict=True))
        by_one, by_other = self._view(0, one).values, self._view(0, other).values
        first, tokens, places = self._pair.first.family, self.cascade.sheet.tokens, self._layers[0][1]
        values = [
            known[place] if place in known else by_one[at] if tokens[place].key[:2] == first else by_other[at]
            for at, place in enumerate(places)
        ]
        return View(places, values, rest.literals, rest.targets, rest.is_rich)

    def _references(self) -> set[int]:
        """The tokens that each context of both axes declares as a reference."""
        places = self._layers[0][1]
        always = self._always(self.ones, self._first) & self._always(self.others, self._second)
        views = [self._view(0, each).values for each in (*self.ones, *self.others)]
        return {
            place
            for place, *values in zip(places, *views, strict=True)
            if place in always and all(map(is_reference, values))
        }

    def _otherwise(self, at: int) -> list[int]:
        """The tokens that may read otherwise in the layer of this number."""
        families = {family for each in self.cascade.beside(self.cascade.layers[at]) for family in each.modes}
        families |= self._following()
        tokens = self.cascade.sheet.tokens
        steady = {each for each in self._steady if tokens[each].key[:2] not in families}
        return [place for place in self._layers[0][1] if place not in steady]

    def _following(self) -> set[FamilyKey]:
        """The families of contexts that follow the system themselves."""
        return {
            family
            for context in (*self.ones, *self.others)
            for _, theme in context.appearances
            for family, _ in theme.modes
        }

    def _always(self, contexts: Sequence[Context], reach: Reach) -> set[int]:
        """The tokens that each of an axis's contexts declares; where one has no value, it does not."""
        views = [self._view(0, each).values for each in contexts]
        return {
            place
            for place, *values in zip(self._layers[0][1], *views, strict=True)
            if place in reach.varying and None not in values
        }

    def _needed(self) -> Needed:
        """For each combination, what comes out wrong in some layer on one element or on one within the other."""
        needed: Needed = {(a, b): set() for a in range(len(self.ones)) for b in range(len(self.others))}
        for at, (_, places) in enumerate(self._layers):
            if not places:
                continue
            plain = self._view(at)
            ones = [self._view(at, each) for each in self.ones]
            others = [self._view(at, each) for each in self.others]
            in_first = self._first.varying | self._first.more[at - 1] if at else self._first.varying
            in_second = self._second.varying | self._second.more[at - 1] if at else self._second.varying
            for a, b in needed:
                both = self._view(at, self.ones[a], self.others[b])
                wrong = _wrong(both, ones[a], others[b], plain, in_first, in_second)
                needed[a, b].update(wrong)
        _spread(needed, self._always(self.ones, self._first), self._always(self.others, self._second))
        return needed

    def _same(self, needed: Needed, combinations: Sequence[tuple[int, int]]) -> set[int]:
        """Take out of several combinations what one of them needs and all have alike, in every layer."""
        if len(combinations) < 2:
            return set()
        same = set().union(*(needed[each] for each in combinations))
        for at in range(len(self._layers)):
            views = [self._view(at, self.ones[a], self.others[b]) for a, b in combinations]
            first, *rest = (self._by_place(each) for each in {id(view): view for view in views}.values())
            for values in rest:
                same = {place for place in same if values.get(place) == first.get(place)}
        for each in combinations:
            needed[each] -= same
        return same

    def _by_place(self, view: View) -> dict[int, Written | None]:
        if id(view) not in self._read:
            self._read[id(view)] = dict(zip(view.places, view.values, strict=True))
        return self._read[id(view)]


def _wrong(both: View, one: View, other: View, plain: View, in_first: set[int], in_second: set[int]) -> Iterator[int]:
    """The tokens that an element with both contexts, or one within the other, would not show rightly.

    What the inner element declares has to read as for both; what it inherits has to be worth the same. Where one
    element has both, the second axis's block comes later, and what neither declares is inherited. A block that should
    declare a token and cannot, because it has no value there, is wrong wherever the token has one.
    """
    if both is one is other:
        return
    numbers, numbers_one, numbers_other = both.literals, one.literals, other.literals
    for place, value, by_one, by_other in zip(both.places, both.values, one.values, other.values, strict=True):
        has_one, has_other = place in in_first, place in in_second
        if value is None:  # nothing can be declared, but an element within inherits whatever is computed here
            if not (has_one and has_other):
                yield place
            continue
        if (
            (by_other != value if has_other else numbers[place] != numbers_one[place])
            or (by_one != value if has_one else numbers[place] != numbers_other[place])
            or not (has_one or has_other or numbers[place] == plain.literals[place])
        ):
            yield place


def _spread(needed: Needed, first: set[int], second: set[int]) -> None:
    """What an axis's own blocks do not all declare is declared with each of its contexts, or with none.

    Else an element would inherit what an outer one of another context of the same axis declares.
    """
    before = -1
    while before != (count := sum(map(len, needed.values()))):
        before = count
        by_one: dict[int, set[int]] = {}
        by_other: dict[int, set[int]] = {}
        for (one, other), places in needed.items():
            by_one.setdefault(one, set()).update(places - second)
            by_other.setdefault(other, set()).update(places - first)
        for (one, other), places in needed.items():
            places.update(by_one[one], by_other[other])


def _picked(view: View, places: set[int]) -> View:
    pairs = [pair for pair in zip(view.places, view.values, strict=True) if pair[0] in places]
    return View([place for place, _ in pairs], [value for _, value in pairs], view.literals, view.targets, view.is_rich)
