"""The dark counterpart of a collection's default mode, when there is exactly one that is plainly it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.naming import readable, words
from tokensync.problems import problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.problems import Problem
    from tokensync.tokens import Collection, Mode

LIGHT = frozenset(("light", "day"))
DARK = frozenset(("dark", "night"))


def dark_counterpart(family: Collection) -> int | None:
    """The index of the root collection's mode that is the dark counterpart of its default mode, or None."""
    modes = {index: words(each.name) for index, each in _root_modes(family)}
    default = modes.get(family.default_mode, ())
    if DARK.intersection(default):
        return None
    dark = {index: spelled for index, spelled in modes.items() if DARK.intersection(spelled)}
    if LIGHT.intersection(default):
        wanted = [tuple(word if each in LIGHT else each for each in default) for word in sorted(DARK)]
        found = [index for index, spelled in dark.items() if spelled in wanted]
    elif any(LIGHT.intersection(spelled) and index not in dark for index, spelled in modes.items()):
        return None  # the dark mode is that light one's counterpart, not the default's
    else:
        found = list(dark)
        if len(found) > 1:
            found = [index for index, spelled in dark.items() if len(spelled) == 1]
    return found[0] if len(found) == 1 else None


def night_theme(families: Iterable[Collection]) -> tuple[Theme, list[Problem]]:
    """The theme in which each of the families that has a dark counterpart is in it, and what stayed ambiguous."""
    chosen = []
    problems = []
    for family in families:
        index = dark_counterpart(family)
        if index is not None:
            chosen.append((family.key, index))
        elif len(family.modes) > 1 and any(DARK.intersection(words(each.name)) for _, each in _root_modes(family)):
            problems.append(_ambiguous(family))
    return Theme("night", tuple(chosen)), problems


def _root_modes(family: Collection) -> list[tuple[int, Mode]]:
    return [(index, each) for index, each in enumerate(family.modes) if each.collection == family.handle]


def _ambiguous(family: Collection) -> Problem:
    default = readable(family.modes[family.default_mode].name)
    dark = ", ".join(readable(each.name) for _, each in _root_modes(family) if DARK.intersection(words(each.name)))
    what = f"no mode is plainly the dark counterpart of the default mode {default} (dark by name: {dark})"
    what_to_do = "give exactly one mode the default mode's name with dark for light"
    return problem("dark-mode-ambiguous", readable(family.name), what, what_to_do)
