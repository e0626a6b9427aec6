"""The dimensions of a stylesheet: the conditions that are modes, the default modes, and the themes of each group."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.migrate.css_conditions import APPEARANCE, DEFAULT_MODES, OPPOSITE
from tokensync.migrate.source import SourceTheme
from tokensync.migrate.stylesheet import Call, rendered, words_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.migrate.css_conditions import Condition, Place
    from tokensync.migrate.css_files import Defined
    from tokensync.migrate.source import SetRole

BASE = "base"
"""The group of tokens that no condition changes, and the set of their definitions."""

_WIDTH = re.compile(r"(min|max)-width: ([\d.]+)(px|rem|em)?")

Pair = tuple[str, str]
"""A dimension and its mode."""

Combination = frozenset[Pair]
Group = tuple[str, ...]
"""The dimensions that change a token."""

Placed = tuple["Defined", list["Place"]]


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
        self.order = tuple(dict.fromkeys(dimension for each in conditions for dimension, _ in [self._pair(each)]))
        self.default_appearance = self._default_appearance(placed)
        if APPEARANCE not in self.order:
            self.order = (APPEARANCE, *self.order)

    def _find_themes(self, placed: Sequence[Placed]) -> None:
        """Find the classes and attributes of any name that declare mostly what is declared for the whole page, too."""
        names: dict[Condition, set[str]] = {}
        page: set[str] = set()
        for defined, places in placed:
            for place in places:
                unknown = [each for each in place.conditions if not each.is_known]
                if not place.part and len(unknown) == 1:
                    names.setdefault(unknown[0], set()).add(defined.identifier.name)
                elif not place.part and not unknown:
                    page.add(defined.identifier.name)
        for condition, own in names.items():
            others = page or set[str]().union(*(each for other, each in names.items() if other != condition))
            if 2 * len(own & others) > len(own):
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

    def slot(self, place: Place, part: str) -> Slot:
        """Return the slot of a place. Of two modes of a dimension, the inner one holds."""
        unknown = [each for each in place.conditions if not each.is_known]
        if place.part or any(each not in self._themes | self._everything for each in unknown):
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

    def group(self, combinations: Iterable[Combination]) -> Group:
        """Return the dimensions that change a token, by all combinations that it is declared in."""
        changed = {dimension for each in combinations for dimension, _ in each}
        return tuple(each for each in self.order if each in changed)

    def mode_name(self, group: Group, combination: Combination) -> str:
        """Return the name of a mode: those of its dimensions, or that of the default."""
        modes = dict(combination)
        named = [modes[each] for each in group if each in modes]
        if not named and APPEARANCE in group:
            named = [self.default_appearance]
        return " ".join(named) or "default"

    def set_name(self, group: Group, combination: Combination) -> str:
        """Return the name of the set of the tokens of a group in a combination of modes."""
        return f"{_group_name(group)}/{self.mode_name(group, combination)}" if group else BASE

    def themes(self, groups: Mapping[Group, Sequence[Combination]]) -> list[SourceTheme]:
        """Return the themes of each group, the default first. The sets of other groups resolve references."""
        ordered = {group: sorted(each, key=len) for group, each in groups.items() if each}
        themes = []
        for group, combinations in ordered.items():
            for combination in combinations:
                sets: dict[str, SetRole] = {}
                for other in (*(each for each in ordered if each != group), group):
                    role: SetRole = "enabled" if other == group else "source"
                    sets |= {self.set_name(other, each): role for each in _holding(ordered[other], combination)}
                is_default = combination is combinations[0]
                themes.append(SourceTheme(self.mode_name(group, combination), sets, _group_name(group), is_default))
        return themes


def _holding(combinations: list[Combination], theirs: Combination) -> list[Combination]:
    """Return those of a group's combinations that hold in a combination of modes, or else its first one."""
    found = [each for each in combinations if all(_is_implied(pair, theirs) for pair in each)]
    return found or combinations[:1]


def has_light_dark(defined: Defined) -> bool:
    """Return whether a value differs by appearance in itself."""
    return any(
        isinstance(each, Call) and each.name.lower() == "light-dark" for each in words_in(defined.declaration.value)
    )


def _group_name(group: Group) -> str:
    return " + ".join(group) or BASE


def _is_implied(pair: Pair, combination: Combination) -> bool:
    """Return whether a mode holds in a combination: a width of at least 800px is one of at least 600px."""
    if pair in combination:
        return True
    other = dict(combination).get(pair[0], "")
    one, two = _WIDTH.fullmatch(pair[1]), _WIDTH.fullmatch(other)
    if one is None or two is None or one[1] != two[1]:
        return False
    limit, actual = (float(each[2]) * (1 if each[3] in {None, "px"} else 16) for each in (one, two))
    return limit <= actual if one[1] == "min" else limit >= actual
