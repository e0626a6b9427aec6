"""Which rule declares which property, so that each element shows its theme's values, however elements are nested.

A custom property is computed where it is declared, and its computed value is inherited. So a value that depends on axes
is declared again wherever one of them is chosen:

- one that depends on no axis, on the root only;
- one whose text differs on one axis, and that depends on no other, in a plain block for each context;
- any other one in a single rule for the root and for every element that chooses a state of one of its axes. What its
  text refers to is computed on the same element or inherited, by the same rule. Where its own text differs, switches
  tell the state.

Media queries choose states on the root only, and come before the contexts: an attribute always wins.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.css.spelling import registrations
from tokensync.targets.css.texts import ABSENT, TIERS, Cell, Property, Texts, comment, tiers
from tokensync.targets.css.themes import axes_in, by_axis, themes_of
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.css import CssOptions
    from tokensync.targets.css.spelling import Spelling
    from tokensync.targets.css.themes import Choice, Scheme, Themes
    from tokensync.tokens.resolver import TokenIndex


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


_OUTERMOST = frozenset((":root", "html"))
"""Selectors of the root that no other element can be around."""
_FEW_SWITCHES = 4
"""Switches of an axis that each context sets all by itself."""


class Row(NamedTuple):
    """A declaration: the index of its token (``NO_TOKEN`` for none), and a comment with a space before it.

    ``usual`` is the text that ``value`` comes to where nothing is chosen.
    """

    token: TokenIndex
    name: str
    value: str
    note: str
    usual: str


class Block(NamedTuple):
    """``conditions`` are the at-rules around it, the outermost first. ``path`` is its file in a split by theme.

    ``is_default`` tells the block of the root that always holds.
    """

    conditions: tuple[str, ...]
    selector: str
    rows: list[Row]
    path: str = ""
    is_default: bool = False


class Cascade:
    """The rules of one output; ``registered`` has (index, name, syntax, initial value) of each registered property."""

    def __init__(self, output: Output, options: CssOptions, spelling: Spelling) -> None:
        self.output = output
        self.root = options.root
        self.themes = themes_of(output, options)
        texts = self.texts = Texts(output, options, spelling, self.themes)
        self.registered = list(registrations(output, options, spelling, texts.may_lack)) if options.property else []
        self.scheme = self._scheme()
        pinned: dict[TokenIndex, int] = {}
        if options.light_dark and self.scheme:
            pinned = schemed(texts, self.scheme, {index: name for index, name, _, _ in self.registered})
        self.on_root: list[Property] = []
        self.plain: dict[int, list[Property]] = {axis: [] for axis in range(len(self.themes.axes))}
        self.anew: dict[int, list[Property]] = {}
        """By the bits of the axes, what is declared again wherever one of them is chosen."""
        self._part(texts.depending(pinned))
        self.switches = self._switches_of_all()
        if self._move_to_blocks():
            self.switches = self._switches_of_all()

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in their order, one at a time; none is empty."""
        everywhere: dict[int, int] = dict.fromkeys(self.plain, 0)
        first = [self._color_scheme(None), *self._switches(everywhere, are_all=True)]
        # A root within another one, such as the host of a shadow tree, would inherit what it does not declare.
        is_inside = not _OUTERMOST.issuperset(each.strip() for each in self.root.split(","))
        usual = [(each, each.cells[0]) for each in self.on_root if is_inside or each.cells[0].text is not None]
        yield from self._tiers((), self.root, [each for each in first if each], usual, is_default=True)
        yield from self._of_system()
        for bits, several in self.anew.items():
            yield from self._anew(bits, several)
        yield from self._switched_off()
        for choice in self.themes.contexts:
            own = [self._color_scheme(choice), *self._switches(choice.states)]
            cells = [(each, each.cells[state]) for axis, state in choice.states.items() for each in self.plain[axis]]
            yield from self._tiers((), ",\n".join(choice.selectors), [each for each in own if each], cells, choice.path)

    def _part(self, depending: dict[TokenIndex, int]) -> None:
        """Sort the properties by what they depend on."""
        themes = self.themes
        for each in self.texts.properties():
            bits = depending.get(each.token, 0)
            if not bits:
                self.on_root.append(each)
                continue
            axis = bits.bit_length() - 1
            if bits == 1 << axis and each.axes and themes.axes[axis].has_blocks:
                self.on_root.append(each)
                self.plain[axis].append(each)
            else:
                self.anew.setdefault(bits, []).append(each)

    def _switches_of_all(self) -> Switches:
        switches = Switches(self.themes, {each.name for each in self.texts.properties()})
        for several in self.anew.values():
            switches.read(several)
        switches.name_used()
        return switches

    def _move_to_blocks(self) -> bool:
        """Move what is shorter in plain blocks there, of what depends on one axis; return whether anything is."""
        moved: list[Property] = []
        choices = by_axis((*self.themes.contexts, *self.themes.system))
        for axis, plain in self.plain.items():
            several = self.anew.get(1 << axis, [])
            states = [0, *(each.states[axis] for each in choices.get(axis, ()))]
            found = [
                each
                for each in several
                if each.axes
                and sum(len(each.name) + 5 + len(each.cells[state].text or INVALID) for state in states)
                < len(each.name) + len(self.switches.text(each, Cell.of_any))
            ]
            if found:
                plain.extend(found)
                moved += found
                names = {each.name for each in found}
                self.anew[1 << axis] = [each for each in several if each.name not in names]
                if not self.anew[1 << axis]:
                    del self.anew[1 << axis]
        if moved:
            names = {each.name for each in (*self.on_root, *moved)}
            self.on_root = [each for each in self.texts.properties() if each.name in names]
        return bool(moved)

    def _scheme(self) -> Scheme | None:
        """Return the scheme of the axis with the most colours, of one that is not ambiguous if there is any."""
        counts = dict.fromkeys(range(len(self.themes.axes)), 0)
        for each in self.texts.properties():
            if self.output.kinds[each.token] == "color":
                for axis in each.axes:
                    counts[axis] += 1
        found = [each for each in self.themes.schemes if counts[each.axis]]
        return max(found, key=lambda each: (not each.is_ambiguous, counts[each.axis]), default=None)

    def _color_scheme(self, choice: Choice | None) -> Row | None:
        """Return the declaration of ``color-scheme`` for a choice (None for the root), if it makes one."""
        scheme = self.scheme
        if scheme is None or (choice is not None and scheme.axis not in choice.states):
            return None
        if choice is None:
            value = "light dark" if scheme.follows_system else scheme.schemes[0]
        elif choice.appearance and scheme.follows_system:
            return None
        else:
            value = scheme.schemes[choice.states[scheme.axis]]
        return Row(NO_TOKEN, "color-scheme", value, "", value)

    def _of_system(self) -> Iterator[Block]:
        """Yield what media queries choose on the root: what differs from the default and from those before."""
        before: dict[int, set[int]] = {axis: {0} for axis in self.plain}
        for choice in self.themes.system:
            rows = [each for each in [self._color_scheme(choice)] if each]
            cells: list[tuple[Property, Cell]] = []
            for axis, state in choice.states.items():
                rows += [
                    _switch(name, is_on=state in on)
                    for name, on in self.switches.of_axis(axis)
                    if any((state in on) != (each in on) for each in before[axis])
                ]
                cells += [
                    (each, each.cells[state])
                    for each in self.plain[axis]
                    if any(each.cells[state] != each.cells[other] for other in before[axis])
                ]
                before[axis].add(state)
            yield from self._tiers((f"@media {choice.media}",), self.root, rows, cells)

    def _switches(self, states: dict[int, int], *, are_all: bool = False) -> Iterator[Row]:
        """Yield the declarations of switches where states are chosen: those that are on, and where few, the others."""
        for axis, state in states.items():
            several = self.switches.of_axis(axis)
            for name, on in several:
                if are_all or state in on or len(several) <= _FEW_SWITCHES:
                    yield _switch(name, is_on=state in on)

    def _switched_off(self) -> Iterator[Block]:
        """Yield the rules that switch off what each context does not set by itself; they come after the root's."""
        choices = by_axis(self.themes.contexts)
        for axis in self.plain:
            several = self.switches.of_axis(axis)
            contexts = [each.selectors for each in choices.get(axis, ())]
            if contexts and len(several) > _FEW_SWITCHES:
                selector = ",\n".join(dict.fromkeys(one for each in contexts for one in each))
                yield Block((), selector, [_switch(name, is_on=False) for name, _ in several])

    def _anew(self, bits: int, several: Sequence[Property]) -> Iterator[Block]:
        """Yield the rule of properties that depend on these axes."""
        axes = [self.themes.axes[each] for each in axes_in(bits)]
        selector = ",\n".join(dict.fromkeys([self.root, *(one for axis in axes for one in axis.selectors)]))
        rows: dict[tuple[str, ...], list[Row]] = {conditions: [] for conditions, _ in TIERS}
        for each in several:
            note = comment(*(cell.note for cell in each.cells)) if each.cells[0].note or len(each.cells) > 1 else ""
            for conditions, text_in in tiers(each.cells):
                value, usual = self.switches.text(each, text_in), text_in(each.cells[0]) or INVALID
                rows[conditions].append(Row(each.token, each.name, value, "" if conditions else note, usual))
        yield from (Block(conditions, selector, some) for conditions, some in rows.items() if some)

    def _tiers(
        self,
        media: tuple[str, ...],
        selector: str,
        first: list[Row],
        cells: Iterable[tuple[Property, Cell]],
        path: str = "",
        *,
        is_default: bool = False,
    ) -> Iterator[Block]:
        """Yield a block, and right after it what browsers and screens that can more take instead."""
        rows: dict[tuple[str, ...], list[Row]] = {conditions: [] for conditions, _ in TIERS}
        rows[()] = first
        for (index, name, _, _), cell in cells:
            text = INVALID if cell.text is None else cell.text
            first.append(Row(index, name, text, comment(cell.note) if cell.note else "", text))
            for conditions, text_in in tiers((cell,))[1:] if cell.wide or cell.mixed else ():
                text = text_in(cell) or INVALID
                rows[conditions].append(Row(index, name, text, "", text))
        for conditions, some in rows.items():
            if some:
                yield Block((*conditions, *media), selector, some, path, is_default and not conditions)


def _switch(name: str, *, is_on: bool) -> Row:
    value = ON if is_on else OFF
    return Row(NO_TOKEN, name, value, "", value)


def schemed(texts: Texts, scheme: Scheme, pinned: Mapping[TokenIndex, str]) -> dict[TokenIndex, int]:
    """Write light-dark() for each colour whose texts only tell light from dark on the axis of the scheme.

    Such a colour does not depend on the axis any more, since browsers resolve light-dark() where a property is used. A
    registered one (``pinned``) is resolved where it is declared: the bits of the axis are returned for it.
    """
    axis, schemes = scheme.axis, scheme.schemes
    bits: dict[TokenIndex, int] = {}
    for index, several in texts.of.items():
        if texts.output.kinds[index] != "color" or axis not in several[0].axes:
            continue
        if index in texts.may_lack:  # one invalid argument of light-dark() would make both of them invalid
            continue
        (one,) = several
        at = one.axes.index(axis)
        stride = prod(texts.sizes[each] for each in one.axes[at + 1 :])
        span = stride * texts.sizes[axis]
        cells: list[Cell] = []
        for start in (first for first in range(len(one.cells)) if first % span < stride):
            of = {"light": set[Cell](), "dark": set[Cell]()}
            for state, each in enumerate(schemes):
                of[each].add(one.cells[start + state * stride])
            if any(len(each) != 1 or ABSENT in each for each in of.values()):
                break
            cells.append(_light_dark(*of["light"], *of["dark"]))
        else:
            texts.of[index] = [Property(index, one.name, (*one.axes[:at], *one.axes[at + 1 :]), tuple(cells))]
            if index in pinned:
                bits[index] = 1 << axis
    return bits


def _light_dark(light: Cell, dark: Cell) -> Cell:
    if light == dark:
        return light

    pairs = ((text_in(light) or "", text_in(dark) or "") for _, text_in in TIERS)
    text, wide, mixed, both = (one if one == other else f"light-dark({one}, {other})" for one, other in pairs)
    return Cell(text, wide, mixed, both, note=", ".join(filter(None, dict.fromkeys((light.note, dark.note)))))
