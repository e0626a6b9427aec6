"""Two axes at once: what comes out wrong where only the blocks of single contexts apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.css.rules import theme_of, themes_of
from tokensync.generate.css.views import View

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tokensync.generate.axes import Context, Pair
    from tokensync.generate.css.cascade import Cascade
    from tokensync.generate.css.rules import Reach
    from tokensync.generate.css.system import Layer
    from tokensync.tokens import FamilyKey

    Needed = dict[tuple[int, int], set[int]]


class Pairing:
    """The combinations of two axes' contexts over ``places``, the tokens that depend on both."""

    def __init__(self, cascade: Cascade, pair: Pair, first: Reach, second: Reach) -> None:
        self.cascade = cascade
        self.ones, self.others = pair.first.contexts, pair.second.contexts
        self.places = cascade.sheet.declared_among(pair.places)
        self._layers: tuple[Layer | None, ...] = (None, *cascade.layers)
        themes = [*themes_of(pair.first), *themes_of(pair.second), *(theme_of(each.modes) for each in cascade.layers)]
        self._varying = cascade.varying(themes)
        self._families = {pair.first.family, pair.second.family}
        self._families |= {
            family
            for layer in cascade.layers
            for family, mode in layer.modes.items()
            if not pair.places.isdisjoint(cascade.depending({family: mode}))
        }
        self._known: dict[tuple[tuple[FamilyKey, int], ...], View] = {}
        self._in_first = [self._declared(first, at) for at in range(len(self._layers))]
        self._in_second = [self._declared(second, at) for at in range(len(self._layers))]

    def combinations(self) -> Iterator[tuple[Context | None, Context | None, list[int]]]:
        """Two contexts, and the tokens (as indices of ``places``) that a block of the two together has to declare.

        None stands for any context of the axis: what is the same with each of them is declared once for all.
        """
        needed = self._needed()
        for b, other in enumerate(self.others):
            if same := self._same(needed, [(a, b) for a in range(len(self.ones))]):
                yield None, other, same
        for a, one in enumerate(self.ones):
            if same := self._same(needed, [(a, b) for b in range(len(self.others))]):
                yield one, None, same
        for (a, b), indices in needed.items():
            if indices:
                yield self.ones[a], self.others[b], sorted(indices)

    def views(self, one: Context, other: Context, indices: Sequence[int]) -> list[View]:
        """The two together, by default and in each layer."""
        return [_picked(self._view(layer, one, other), indices) for layer in self._layers]

    def _view(self, layer: Layer | None, *contexts: Context) -> View:
        """What tokens are written as where these are chosen; equal themes have one view."""
        collections = self.cascade.sheet.graph.collections
        modes = {
            family: mode
            for family, mode in self.cascade.system.modes(layer, *contexts).items()
            if family in self._families and mode != collections[family].default_mode
        }
        key = tuple(sorted(modes.items()))
        if key not in self._known:
            self._known[key] = self.cascade.views.of(modes, self.places, self._varying)
        return self._known[key]

    def _needed(self) -> Needed:
        """For each combination, what comes out wrong in some layer on one element or on one within the other."""
        needed: Needed = {(one, other): set() for one in range(len(self.ones)) for other in range(len(self.others))}
        seen: set[tuple[object, ...]] = set()
        for at, layer in enumerate(self._layers):
            plain = self._view(layer)
            ones = [self._view(layer, each) for each in self.ones]
            others = [self._view(layer, each) for each in self.others]
            in_first, in_second = self._in_first[at], self._in_second[at]
            state = (*(id(each) for each in (plain, *ones, *others)), *in_first, *in_second)
            if state in seen:
                continue
            seen.add(state)
            for one, other in needed:
                both = self._view(layer, self.ones[one], self.others[other])
                wrong = _wrong(both, ones[one], others[other], plain, in_first, in_second, in_layer=at > 0)
                needed[one, other].update(wrong)
        _spread(needed, self._always(self.ones, self._in_first[0]), self._always(self.others, self._in_second[0]))
        return needed

    def _always(self, contexts: Sequence[Context], declared: Sequence[bool]) -> list[bool]:
        """Whether each of an axis's contexts declares a token: where it has no value, it does not."""
        views = [self._view(None, each).values for each in contexts]
        return [has and all(values[at] is not None for values in views) for at, has in enumerate(declared)]

    def _declared(self, reach: Reach, at: int) -> list[bool]:
        """Whether the axis's own blocks declare each token in the layer of this number, 0 being none."""
        more: Collection[int] = reach.more[at - 1] if at else ()
        return [place in reach.varying or place in more for place in self.places]

    def _same(self, needed: Needed, combinations: Sequence[tuple[int, int]]) -> list[int]:
        """Take out of several combinations what one of them needs and all have alike, in every layer."""
        if len(combinations) < 2:
            return []
        same = set().union(*(needed[each] for each in combinations))
        for layer in self._layers:
            views = [self._view(layer, self.ones[a], self.others[b]) for a, b in combinations]
            first, *rest = {id(view): view.values for view in views}.values()
            for values in rest:
                same = {index for index in same if values[index] == first[index]}
        for each in combinations:
            needed[each] -= same
        return sorted(same)


def _wrong(
    both: View,
    one: View,
    other: View,
    plain: View,
    in_first: Sequence[bool],
    in_second: Sequence[bool],
    *,
    in_layer: bool,
) -> Iterator[int]:
    """The indices of tokens that an element with both contexts, or one within the other, would not show rightly.

    What the inner element declares has to read as for both; what it inherits has to be worth the same. Where one
    element has both, the second axis's block comes later, and what neither declares is inherited. What has no value in
    a layer keeps the one that it has without.
    """
    if both is one is other:
        return
    rows = zip(both.values, one.values, other.values, both.numbers, one.numbers, other.numbers, strict=True)
    for at, (value, by_one, by_other, number, number_one, number_other) in enumerate(rows):
        if value is None:  # nothing can be declared, but an element within inherits whatever is computed here
            if not (in_first[at] and in_second[at]):
                yield at
            continue
        has_one = in_first[at] and (by_one is not None or in_layer)
        has_other = in_second[at] and (by_other is not None or in_layer)
        if (
            (by_other != value if has_other else number != number_one)
            or (by_one != value if has_one else number != number_other)
            or not (has_one or has_other or number == plain.numbers[at])
        ):
            yield at


def _spread(needed: Needed, in_first: Sequence[bool], in_second: Sequence[bool]) -> None:
    """What an axis's own blocks do not declare is declared with each of its contexts, or with none.

    Else an element would inherit what an outer one of another context of the same axis declares.
    """
    loose = {at for at, has in enumerate(in_first) if not has}
    free = {at for at, has in enumerate(in_second) if not has}
    before = -1
    while before != (count := sum(map(len, needed.values()))):
        before = count
        by_one: dict[int, set[int]] = {}
        by_other: dict[int, set[int]] = {}
        for (one, other), indices in needed.items():
            by_one.setdefault(one, set()).update(indices & free)
            by_other.setdefault(other, set()).update(indices & loose)
        for (one, other), indices in needed.items():
            indices.update(by_one[one], by_other[other])


def _picked(view: View, indices: Sequence[int]) -> View:
    places = [view.places[at] for at in indices]
    values = [view.values[at] for at in indices]
    numbers = [view.numbers[at] for at in indices]
    return View(places, values, numbers, view.targets, view.is_rich)
