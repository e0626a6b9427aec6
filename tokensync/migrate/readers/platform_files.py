"""Groups and modes of platform files: of style sheets, Android resources and asset catalogs.

Such files have neither groups of names nor collections. They tell under which conditions a value holds: a dimension and
a mode each. ``grouped`` divides names; ``Modes`` makes sets and themes of the modes.

A token is in the group of the dimensions that change it: one dimension, or, for tokens that several change, all of
them; then the modes are the combinations that the files have, not all that are possible. Tokens that nothing changes
are in the group ``base``. Each group has a set for each combination, and a theme that enables the sets that hold in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from tokensync.migrate.source import SetRole, SourceTheme

BASE = "base"
"""The group of tokens that no condition changes, and the name of their set."""

APPEARANCE = "appearance"

Pair = tuple[str, str]
"""A dimension and its mode."""

Combination = frozenset[Pair]
Group = tuple[str, ...]
"""The dimensions that change a token."""

CUMULATIVE = {"api", "height", "smallest width", "width"}
"""Dimensions whose modes are limits: several hold at the same time."""

_LEAST_SHARED = 3
"""The names that share a beginning, at least, if it is a group."""
_LIMIT = re.compile(r"(min-width: |max-width: |min-height: |max-height: |v|sw|w|h)([\d.]+)(px|rem|em|dp)?")


def grouped(names: Iterable[str], separator: str) -> dict[str, tuple[str, ...]]:
    """Return each name divided into groups at single separators.

    A beginning becomes a group if three or more names share it and none of them is this beginning as a whole:
    ``card`` and ``card-title`` stay as they are.
    """
    border = re.compile(rf"(?<=[^{separator}]){separator}(?=[^{separator}])")
    paths: dict[str, tuple[str, ...]] = {}
    unique = dict.fromkeys(names)
    pending: list[tuple[tuple[str, ...], list[tuple[str, str]]]] = [((), [(each, each) for each in unique])]
    while pending:
        groups, members = pending.pop()
        buckets: dict[str, list[tuple[str, str]]] = {}
        for whole, rest in members:
            found = border.search(rest)
            buckets.setdefault(rest[: found.start()] if found else rest, []).append((whole, rest))
        for word, bucket in buckets.items():
            if len(bucket) >= _LEAST_SHARED and all(rest != word for _, rest in bucket):
                pending.append(((*groups, word), [(whole, rest[len(word) + 1 :]) for whole, rest in bucket]))
            else:
                paths.update((whole, (*groups, rest)) for whole, rest in bucket)
    return paths


class Modes:
    """Names and themes of the combinations of modes.

    ``order`` has the dimensions. ``defaults`` has the names of default modes, for dimensions whose default has one.
    ``precedence`` orders the combinations that hold at the same time; the later ones replace the earlier.
    """

    def __init__(
        self,
        order: Iterable[str],
        defaults: Mapping[str, str],
        precedence: Callable[[Combination], tuple[int, ...]] = lambda combination: (len(combination),),
    ) -> None:
        self._order = tuple(order)
        self._defaults = defaults
        self._precedence = precedence

    def group(self, combinations: Iterable[Combination]) -> Group:
        """Return the dimensions that change a token, by all combinations that it is declared in."""
        changed = {dimension for combination in combinations for dimension, _ in combination}
        return tuple(each for each in self._order if each in changed)

    def mode_name(self, group: Group, combination: Combination) -> str:
        """Return the name of a mode: those of its dimensions, or that of the default."""
        modes = dict(combination)
        named = [modes[each] for each in group if each in modes]
        if not named:
            named = [self._defaults[each] for each in group if each in self._defaults][:1]
        return " ".join(named) or "default"

    def set_name(self, group: Group, combination: Combination) -> str:
        """Return the name of the set of the tokens of a group in a combination of modes."""
        return f"{_group_name(group)}/{self.mode_name(group, combination)}" if group else BASE

    def themes(
        self, groups: Mapping[Group, Iterable[Combination]], guesses: Mapping[Pair, str] = MappingProxyType({})
    ) -> tuple[SourceTheme, ...]:
        """Return the themes of each group, the default first. The sets of other groups resolve references.

        ``guesses`` has the modes that are guessed, with the reason.
        """
        ordered = {group: _Combinations(sorted(each, key=self._precedence)) for group, each in groups.items()}
        themes = []
        for group, combinations in groups.items():
            in_order = sorted(combinations, key=len)
            for combination in in_order:
                sets: dict[str, SetRole] = {}
                for other in (*(each for each in ordered if each != group), group):
                    # What no mode declares can still be computed from what modes change.
                    role: SetRole = "enabled" if other in (group, ()) else "source"
                    sets |= {self.set_name(other, each): role for each in ordered[other].holding(combination)}
                name, is_default = self.mode_name(group, combination), combination == in_order[0]
                guess = next((guesses[each] for each in sorted(combination) if each in guesses), "")
                themes.append(SourceTheme(name, sets, _group_name(group), is_default, guess=guess))
        return tuple(themes)


def _group_name(group: Group) -> str:
    return " + ".join(group) or BASE


class _Combinations:
    """The combinations of modes of a group, found by one mode of each: a group can have thousands."""

    def __init__(self, combinations: Sequence[Combination]) -> None:
        self._all = combinations
        self._of_mode: dict[Pair | None, list[int]] = {}
        for at, each in enumerate(combinations):
            mode = min((pair for pair in each if pair[0] not in CUMULATIVE), default=None)
            self._of_mode.setdefault(mode, []).append(at)

    def holding(self, theirs: Combination) -> list[Combination]:
        """Return those that hold in a combination of modes.

        If the group has no default, its first combination that contradicts no mode holds, too.
        """
        held = self._implied(theirs)
        if held:
            return held
        modes = dict(theirs)
        free = (each for each in self._all if all(modes.get(name, mode) == mode for name, mode in each))
        return self._implied(theirs | next(free, frozenset()))

    def _implied(self, theirs: Combination) -> list[Combination]:
        found = (self._of_mode.get(mode, ()) for mode in (None, *theirs))
        return [
            self._all[at]
            for at in sorted(at for each in found for at in each)
            if all(_is_implied(pair, theirs) for pair in self._all[at])
        ]


def _is_implied(pair: Pair, combination: Combination) -> bool:
    """Return whether a mode holds in a combination: a width of at least 800px is one of at least 600px."""
    if pair in combination:
        return True
    if pair[0] not in CUMULATIVE:
        return False
    one, other = _LIMIT.fullmatch(pair[1]), _LIMIT.fullmatch(dict(combination).get(pair[0], ""))
    if one is None or other is None or one[1] != other[1]:
        return False
    limit, actual = (float(match[2]) * (16 if match[3] in {"rem", "em"} else 1) for match in (one, other))
    return limit >= actual if one[1].startswith("max") else limit <= actual
