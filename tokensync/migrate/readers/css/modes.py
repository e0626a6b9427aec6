"""The dimensions of a stylesheet: the conditions that are modes, and the default modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.migrate.readers.css.conditions import DEFAULT_MODES, OPPOSITE
from tokensync.migrate.readers.css.stylesheet import Call, rendered, words_in
from tokensync.migrate.readers.modes import APPEARANCE, Combination, Modes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.migrate.readers.css.conditions import Condition, Place
    from tokensync.migrate.readers.css.files import Defined
    from tokensync.migrate.readers.modes import Pair

Placed = tuple["Defined", list["Place"]]


_LEAST_SHARE = 0.05
"""The share of a page's names that a theme changes at least."""


class Slot(NamedTuple):
    """Where a definition goes: the modes under which it holds, or the part of a page."""

    combination: Combination = frozenset()
    part: str = ""


class Dimensions:
    """The dimensions of all declarations."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        conditions = [each for _, places in placed for place in places for each in place.conditions]
        self._appearance_origins = {
            each.origin for each in conditions if each.dimension == "theme" and each.origin and each.mode in OPPOSITE
        }
        self._themes: set[Condition] = set()
        self._everything: set[Condition] = set()
        self._find_themes(placed)
        found = tuple(dict.fromkeys(dimension for each in conditions for dimension, _ in [self._pair(each)]))
        self.default_appearance = self._default_appearance(placed)
        order = found if APPEARANCE in found else (APPEARANCE, *found)
        self.modes = Modes(order, {APPEARANCE: self.default_appearance})

    def _find_themes(self, placed: Sequence[Placed]) -> None:
        """Find the classes and attributes of any name that declare mostly what is declared for the whole page, too."""
        names: dict[Condition, set[str]] = {}
        page: set[str] = set()
        for defined, places in placed:
            if any(_is_of_page(each) for each in places):
                page.add(defined.identifier.name)
                continue
            for place in places:
                if condition := _candidate(place):
                    names.setdefault(condition, set()).add(defined.identifier.name)
        for condition, own in names.items():
            others = page or set[str]().union(*(each for other, each in names.items() if other != condition))
            shared = len(own & others)
            if 2 * shared > len(own) and shared >= _LEAST_SHARE * len(others):
                self._themes.add(condition)
        if not page and names and not self._themes:
            self._everything.add(max(names, key=lambda each: len(names[each])))

    def _pair(self, condition: Condition) -> Pair:
        is_appearance = condition.mode in OPPOSITE or condition.origin in self._appearance_origins
        if condition.dimension == "theme" and condition.is_known and is_appearance:
            return APPEARANCE, condition.mode
        return condition.dimension, condition.mode

    def _default_appearance(self, placed: Sequence[Placed]) -> str:
        """Return the mode of declarations without a condition.

        It is ``light``, unless these equal those of an explicit ``dark`` more often, or only ``light`` is explicit.
        """
        texts: dict[str, dict[str, str]] = {}
        modes: set[str] = set()
        for defined, places in placed:
            value = defined.declaration.value
            if has_light_dark(defined):
                modes |= {"light", "dark"}
            for place in places:
                found = [mode for dimension, mode in map(self._pair, place.conditions) if dimension == APPEARANCE]
                modes.update(found)
                if not place.part and len(place.conditions) == len(found) <= 1:
                    texts.setdefault("".join(found), {})[str(defined.identifier)] = rendered(value)
        if "light" not in modes:
            return "light" if "dark" in modes else "default"
        if "dark" not in modes:
            return "dark"
        base, light, dark = (texts.get(each, {}) for each in ("", "light", "dark"))
        as_light = sum(light.get(name) == text for name, text in base.items())
        as_dark = sum(dark.get(name) == text for name, text in base.items())
        return "dark" if as_dark > as_light else "light"

    def slots(self, places: Sequence[Place], part: str) -> list[tuple[Place, Slot]]:
        """Return the slots of the alternatives of a declaration. Parts count only if no alternative is the page."""
        found = [(each, self.slot(each, part)) for each in places]
        of_page = [each for each in found if not each[1].part]
        return of_page or found[:1]

    def slot(self, place: Place, part: str) -> Slot:
        """Return the slot of a place. Of two modes of a dimension, the inner one holds."""
        is_page = _is_of_page(place) or _candidate(place) in self._themes | self._everything
        if not is_page:
            return Slot(part=part)
        pairs = dict(self._pair(each) for each in place.conditions if each not in self._everything)
        return Slot(self.without_defaults(pairs.items()))

    def without_defaults(self, pairs: Iterable[Pair]) -> Combination:
        """Return modes without those that hold by default."""
        return frozenset(
            (dimension, mode)
            for dimension, mode in pairs
            if mode not in DEFAULT_MODES and not (dimension == APPEARANCE and mode == self.default_appearance)
        )


def _is_of_page(place: Place) -> bool:
    return not place.part and all(each.is_known for each in place.conditions)


def _candidate(place: Place) -> Condition | None:
    """Return the one class or attribute of any name in a place, beside an appearance or media features."""
    unknown = [each for each in place.conditions if not each.is_known]
    others = [each for each in place.conditions if each.is_known and each.origin and each.dimension != APPEARANCE]
    return unknown[0] if len(unknown) == 1 and not others and not place.part else None


def has_light_dark(defined: Defined) -> bool:
    """Return whether a value differs by appearance in itself."""
    return any(
        isinstance(each, Call) and each.name.lower() == "light-dark" for each in words_in(defined.declaration.value)
    )
