"""Switches: inherited custom properties that tell which state of an axis an element shows.

Each context of an axis sets one to ``initial`` (on) and the others to nothing (off). In ``var(--_theme-dark, #000000)``
one that is on is invalid, so that the fallback stands; one that is off stands for nothing. So a text that differs by
state is ``var(--_theme-light, #ffffff) var(--_theme-dark, #000000)``, and one that differs on several axes nests them.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.css.texts import tiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tokensync.targets.css.texts import Cell, Property
    from tokensync.targets.css.themes import Themes

ON, OFF = "initial", ""
_REPEATED = re.compile(r"(?<![^-])([^\W\d_][^-]*)-(?=\1(?:-|$))")
"""A word before itself, such as the name of the axis before that of a state that begins with it."""
INVALID = "initial"
"""What an unregistered property is declared as where it has no value."""


class Branches(NamedTuple):
    """The text of each set of an axis's states: ``parts`` stand in the order of ``sets``."""

    axis: int
    sets: tuple[tuple[int, ...], ...]
    parts: tuple[Tree, ...]


Tree = str | Branches | None
"""A text by the states of axes; None for no value."""


class Switches:
    """The switches of an output: one for each state that a text is chosen by, and one for a set where it is shorter."""

    def __init__(self, themes: Themes, taken: set[str]) -> None:
        self.axes = themes.axes
        self.sizes = [len(axis.states) for axis in themes.axes]
        self._taken = taken
        self._saved: dict[tuple[int, tuple[int, ...]], int] = {}
        self._names: dict[tuple[int, tuple[int, ...]], str] = {}
        self._of_axis: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
        self._trees: dict[tuple[tuple[int, ...], tuple[str | None, ...]], Tree] = {}
        self._sets: dict[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] = {}

    def of_axis(self, axis: int) -> list[tuple[str, tuple[int, ...]]]:
        """Return the switches of an axis: the name of each, and the states in which it is on."""
        return self._of_axis.get(axis, [])

    def read(self, several: Iterable[Property]) -> None:
        """Take note of what switches would be used for."""
        for each in several:
            if each.axes:
                for _, text_in in tiers(each.cells):
                    self._measure(self._tree(each.axes, tuple(map(text_in, each.cells))))

    def name_used(self) -> None:
        """Name the switches that are used."""
        shared = {key for key, saved in self._saved.items() if len(key[1]) > 1 and saved > 32 * (len(key[1]) + 3)}
        used = {
            (axis, each)
            for axis, states in self._saved
            for each in ([states] if (axis, states) in shared else [(state,) for state in states])
        }
        for axis, states in sorted(used, key=lambda each: (each[0], len(each[1]), each[1])):
            name = self._names[axis, states] = self._name(axis, states)
            self._of_axis.setdefault(axis, []).append((name, states))

    def text(self, each: Property, text_in: Callable[[Cell], str | None]) -> str:
        """Return the text of a property, by the states of its axes."""
        if not each.axes:
            return text_in(each.cells[0]) or INVALID
        return self._written(self._tree(each.axes, tuple(map(text_in, each.cells)))) or INVALID

    def _tree(self, axes: tuple[int, ...], texts: tuple[str | None, ...]) -> Tree:
        if not axes or texts.count(texts[0]) == len(texts):
            return texts[0]
        if (axes, texts) in self._trees:
            return self._trees[axes, texts]
        axis, *rest = axes
        step = prod(self.sizes[each] for each in rest)
        states_of: dict[tuple[str | None, ...], list[int]] = {}
        for state in range(self.sizes[axis]):
            states_of.setdefault(texts[state * step : (state + 1) * step], []).append(state)
        sets = tuple(map(tuple, states_of.values()))
        parts = tuple(self._tree(tuple(rest), part) for part in states_of)
        # Few partitions of the states occur, in many trees: equal ones are one object.
        tree: Tree = parts[0] if len(parts) == 1 else Branches(axis, self._sets.setdefault(sets, sets), parts)
        self._trees[axes, texts] = tree
        return tree

    def _measure(self, tree: Tree) -> int:
        """Return about how many characters a text has; count what sets of states would save."""
        if not isinstance(tree, Branches):
            return len(tree or "")
        total = 0
        for states, part in zip(tree.sets, tree.parts, strict=True):
            length = self._measure(part) + 24
            key = (tree.axis, states)
            self._saved[key] = self._saved.get(key, 0) + (len(states) - 1) * length
            total += length
        return total

    def _written(self, tree: Tree) -> str | None:
        if not isinstance(tree, Branches):
            return tree
        parts: list[tuple[int, str]] = []
        for states, part in zip(tree.sets, tree.parts, strict=True):
            text = self._written(part)
            for each in [states] if (tree.axis, states) in self._names else [(state,) for state in states]:
                name = self._names[tree.axis, each]
                parts.append((each[0], f"var({name})" if text is None else f"var({name}, {text})"))
        return " ".join(text for _, text in sorted(parts))

    def _name(self, axis: int, states: tuple[int, ...]) -> str:
        """Return a readable name that no token has."""
        several = [self.axes[axis].states[state] for state in states]
        others = [each for state, each in enumerate(self.axes[axis].states) if state not in states]
        if len(several) <= 2:
            said = "-or-".join(several)
        elif len(others) <= 2:
            said = f"not-{'-or-'.join(others)}"
        else:
            said = f"{several[0]}-or-{len(several) - 1}-others"
        name = "--_" + _REPEATED.sub("", re.sub(r"[^\w-]+", "-", f"{self.axes[axis].name}-{said}"))
        number = 2
        unique = name
        while unique in self._taken:
            unique = f"{name}-{number}"
            number += 1
        self._taken.add(unique)
        return unique
