"""What each property of a style sheet is written as, by the states of the axes that its text depends on.

Nearly every token is a literal or a reference in each mode of its collection: its texts come from one column a mode.
What comes to a literal by references (a composed colour, a composite, an alias of a token that is not declared) is
resolved in each combination of the states that it can depend on.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import TYPES
from tokensync.targets.css import literals as css
from tokensync.targets.css.composites import Composites, mix_of, mixed
from tokensync.tokens import Color, ComposedColor, Theme, targets
from tokensync.tokens.algorithms import closure, on_cycles, spread
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import NEEDS_RESOLVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.targets.css.composites import Mix
    from tokensync.targets.css.options import CssOptions
    from tokensync.targets.css.spelling import Spelling
    from tokensync.targets.css.themes import States, Themes
    from tokensync.tokens import FamilyKey, Value
    from tokensync.tokens.resolver import ResolvedTheme

NO_PLACE = -1
_MOST = 64
"""Combinations of states of which a composed colour's literal is written, for browsers without ``color-mix()``."""
_VAR = re.compile(r"var\((--[^\s,)]+)")


class Cell(NamedTuple):
    """One value of a token: ``text`` is what every browser takes.

    ``wide`` is for screens with more colours than sRGB has, ``mixed`` for browsers that know color-mix(); both are
    empty where they would say nothing else. ``note`` is a comment.
    """

    text: str | None
    wide: str = ""
    mixed: str = ""
    note: str = ""


ABSENT = Cell(None)
"""What a token is written as where it has no value."""


class Property(NamedTuple):
    """A declared property, with one cell for each combination of the states of its axes, the last axis fastest.

    ``place`` is the token that it shows or is a part of.
    """

    place: int
    name: str
    axes: tuple[int, ...]
    cells: tuple[Cell, ...]


class Texts:
    """The properties of one output in the order of their tokens, and the axes that their values depend on."""

    def __init__(self, output: Output, options: CssOptions, spelling: Spelling, themes: Themes) -> None:
        self.output = output
        self.resolution = output.resolution
        self.themes = themes
        self.colors = spelling.colors
        self.composites = Composites(output, spelling.of_parts)
        self.wide = options.profile != "srgb"
        self.mixes = options.composed == "color-mix"
        self.sizes = tuple(len(axis.states) for axis in themes.axes)
        self.referring: dict[int, list[int]] = {}
        """By the place of a token, the tokens whose texts refer to it."""
        self.of: dict[int, list[Property]] = {}
        self._mixes_of: dict[tuple[int, int], tuple[Value | None, Mix | None]] = {}
        self._cells: dict[str | None, Cell] = {None: ABSENT}
        resolved: list[int] = []
        for key in output.graph.collections:
            resolved += self._read(key)
        self._resolve(resolved)
        cyclic = on_cycles(self.referring)
        self.may_lack = self._without_values({*resolved}, cyclic)
        self._break_cycles(cyclic)

    def properties(self) -> Iterator[Property]:
        """Yield all properties, those of a token together."""
        for place in self.output.declared:
            yield from self.of.get(place, ())

    def depending(self, pinned: Mapping[int, int] | None = None) -> dict[int, int]:
        """Return, by place, the bits of the axes that a token's value depends on; ``pinned`` are bits to begin with."""
        marks = dict(pinned or {})
        for place, several in self.of.items():
            for each in several:
                for axis in each.axes:
                    marks[place] = marks.get(place, 0) | 1 << axis
        return spread(marks, lambda place: self.referring.get(place, ()))

    def _read(self, key: FamilyKey) -> list[int]:
        """Read a family's columns; return the tokens that have to be resolved."""
        columns, kinds = self.resolution.columns, self.output.kinds
        at = [index for index, place in enumerate(columns.of_family[key]) if kinds[place] is not None]
        places = [columns.of_family[key][index] for index in at]
        if not places:
            return []
        default = self.output.graph.collections[key].default_mode
        family = self.themes.families.get(key)
        axes, states = ((), [default]) if family is None else (family.axes, list(family.modes.values()))
        usual = columns.column(key, default)
        columns_of: dict[int, list[Cell | None]] = {}
        columns_of[default] = self._column(places, [usual[index] for index in at], (key, default))
        for mode in dict.fromkeys(states):
            if mode != default:
                codes = columns.column(key, mode)
                other = [index for index, where in enumerate(at) if codes[where] != usual[where]]
                cells = self._column([places[each] for each in other], [codes[at[each]] for each in other], (key, mode))
                column = columns_of[mode] = columns_of[default].copy()
                for index, cell in zip(other, cells, strict=True):
                    column[index] = cell
        resolved: list[int] = []
        if not axes:
            for place, cell in zip(places, columns_of[default], strict=True):
                if cell is None:
                    resolved.append(place)
                else:
                    self.of[place] = [Property(place, self.output.names[place], (), (cell,))]
            return resolved
        for place, several in zip(places, zip(*(columns_of[mode] for mode in states), strict=True), strict=True):
            if None in several:
                resolved.append(place)
            else:
                self.of[place] = [self._property(place, self.output.names[place], axes, several)]
        return resolved

    def _column(self, places: Sequence[int], codes: Sequence[int], chosen: tuple[FamilyKey, int]) -> list[Cell | None]:
        """Write tokens in one mode; None stands for what has to be resolved."""
        output, columns, cells, referring = self.output, self.resolution.columns, self._cells, self.referring
        texts, references, kinds = output.texts, output.references, output.kinds
        column: list[Cell | None] = []
        for place, code in zip(places, codes, strict=True):
            of_kind = texts[place]
            if code == NEEDS_RESOLVER or kinds[place] in TYPES:
                column.append(None)
            elif code >= 0:
                if texts[code] is of_kind and references[code]:
                    text: str | None = references[code]
                    referring.setdefault(code, []).append(place)
                    cell = cells.get(text)
                    column.append(cell or cells.setdefault(text, Cell(text)))
                else:
                    column.append(None)
            else:
                number = NEEDS_RESOLVER - 1 - code
                if not columns.fits(place, number):
                    column.append(None)
                    continue
                text = of_kind[number]  # type: ignore[index]
                if text is None:
                    output.report_omitted(place, number, Theme("", (chosen,)))
                elif number in output.suspects:
                    output.report_unrepresentable(place, output.suspects[number])
                if self.wide and kinds[place] == "color" and text is not None:
                    column.append(Cell(text, self.colors.wide(columns.values[number])))
                else:
                    cell = cells.get(text)
                    column.append(cell or cells.setdefault(text, Cell(text)))
        return column

    def _property(self, place: int, name: str, axes: tuple[int, ...], cells: tuple[Cell, ...]) -> Property:
        """Return a property with only the axes that make a difference."""
        if cells.count(cells[0]) == len(cells):
            return Property(place, name, (), cells[:1])
        if len(axes) > 1:
            for at, axis in enumerate(axes):
                stride = prod(self.sizes[each] for each in axes[at + 1 :])
                span = stride * self.sizes[axis]
                if all(cell == cells[index - index % span + index % stride] for index, cell in enumerate(cells)):
                    left = tuple(cell for index, cell in enumerate(cells) if index % span < stride)
                    return self._property(place, name, (*axes[:at], *axes[at + 1 :]), left)
        return Property(place, name, axes, cells)

    @cached_property
    def _reach(self) -> dict[int, int]:
        """Return the bits of the axes that each token's literal can depend on, whatever way its references go."""
        marks: dict[int, int] = {}
        for key, family in self.themes.families.items():
            bits = sum(1 << axis for axis in family.axes)
            for mode in dict.fromkeys(family.modes.values()):
                for place in self.resolution.written_otherwise(key, mode):
                    marks[place] = bits
        return self.resolution.spread(marks)

    @cached_property
    def _varying(self) -> set[int]:
        several = (
            Theme("", ((key, mode),))
            for key, family in self.themes.families.items()
            for mode in dict.fromkeys(family.modes.values())
        )
        return self.resolution.varying(several)

    def _axes_of(self, place: int) -> tuple[int, ...]:
        bits = self._reach.get(place, 0)
        return tuple(axis for axis in range(len(self.sizes)) if bits >> axis & 1)

    def _resolve(self, places: Iterable[int], referable: set[int] | None = None) -> None:
        """Write tokens in each combination of the states that they can depend on."""
        groups: dict[tuple[int, ...], list[int]] = {}
        only_mixed: list[int] = []
        for place in places:
            axes = self._axes_of(place)
            if prod(self.sizes[axis] for axis in axes) > _MOST and self._always_mixed(place):
                self.of[place] = [self._only_mixed(place)]
                only_mixed.append(place)
            else:
                groups.setdefault(axes, []).append(place)
        owners = {name: place for place in self.output.declared if (name := self.output.names[place])}
        for axes, several in groups.items():
            found: dict[int, list[Mapping[str, Cell]]] = {place: [] for place in several}
            for states in product(*(range(self.sizes[axis]) for axis in axes)):
                shown = self._written(several, dict(zip(axes, states, strict=True)), referable)
                for place in several:
                    found[place].append(shown.get(place, {}))
            for place, combinations in found.items():
                name = self.output.names[place]
                suffixes = {"": None} | {suffix: None for each in combinations for suffix in each}
                properties = [
                    self._property(
                        place,
                        f"{name}-{suffix}" if suffix else name,
                        axes,
                        tuple(each.get(suffix, ABSENT) for each in combinations),
                    )
                    for suffix in suffixes
                ]
                self.of[place] = properties
                owners |= {each.name: place for each in properties}
        for place in (*only_mixed, *(place for several in groups.values() for place in several)):
            for target in self._referred(place, owners):
                self.referring.setdefault(target, []).append(place)

    def _referred(self, place: int, owners: Mapping[str, int]) -> set[int]:
        """Return the tokens that the texts of one refer to."""
        found: set[int] = set()
        for each in self.of[place]:
            for cell in each.cells:
                for text in (cell.text, cell.mixed):
                    if text and "var(" in text:
                        found |= {owners[name] for name in _VAR.findall(text) if name in owners}
        return found

    def _written(self, places: Sequence[int], states: States, referable: set[int] | None) -> dict[int, dict[str, Cell]]:
        """Write tokens where these states are chosen: by suffix, the token itself and its parts."""
        theme = self.themes.theme(states)
        needed = {each for place in places for each in self._needed.get(place, ())}
        shown = self.resolution.in_theme(theme, self._varying, [*needed, *places])
        written: dict[int, dict[str, Cell]] = {}
        modes = dict(theme.modes)
        for place, text, outside in self.output.rows(places, shown, theme, referable):
            kind = self.output.kinds[place]
            note = self._note(outside) if outside >= 0 else ""
            if kind == "color" and not text.startswith("var("):
                written[place] = {"": self._color(place, text, note, shown, modes)}
            elif kind in TYPES:
                literal = self.output.literal(shown, place)
                value, _ = self._value(place, modes)
                whole, parts = self.composites.written(place, text, literal, value, shown.codes[place])
                written[place] = {"": Cell(whole, note=note), **{suffix: Cell(part) for suffix, part in parts}}
            else:
                written[place] = {"": Cell(text, note=note)}
        return written

    @cached_property
    def _needed(self) -> dict[int, list[int]]:
        """Return what composed colours and composites refer to in any mode: its literal may have to be written."""
        tokens, kinds, known = self.output.tokens, self.output.kinds, self.resolution.columns.places
        return {
            place: [known[each] for value in tokens[place].values for each in targets(value) if each in known]
            for place in self.output.declared
            if kinds[place] in TYPES or any(type(value) is ComposedColor for value in tokens[place].values)
        }

    def _color(self, place: int, text: str, note: str, shown: ResolvedTheme, modes: Mapping[FamilyKey, int]) -> Cell:
        literal = self.output.literal(shown, place)
        over = ""
        # Where nothing of a colour is left, color-mix() would lose its channels too.
        if self.mixes and isinstance(literal, Color) and literal.alpha != 0:
            _, mix = self._value(place, modes)
            over = "" if mix is None else mixed(self.output, mix, shown, self.colors.text)
        wide = self.colors.wide(literal) if self.wide and not over else ""
        return Cell(text, wide, over, note)

    def _value(self, place: int, modes: Mapping[FamilyKey, int]) -> tuple[Value | None, Mix | None]:
        """Return what is written for a token in a theme, and what it mixes."""
        token = self.output.tokens[place]
        family = token.key[:2]
        mode = modes.get(family, self.output.graph.collections[family].default_mode)
        if (place, mode) not in self._mixes_of:
            value = self.output.graph.value(token, mode)
            is_mix = self.mixes and isinstance(value, ComposedColor)
            mix = mix_of(self.output, value, self.colors.text) if is_mix else None  # type: ignore[arg-type]
            self._mixes_of[place, mode] = (value, mix)
        return self._mixes_of[place, mode]

    def _always_mixed(self, place: int) -> bool:
        """Return whether a token is color-mix() of declared tokens in each mode, so that literals can be omitted."""
        key = self.output.tokens[place].key[:2]
        family = self.themes.families.get(key)
        modes = set(family.modes.values()) if family else {self.output.graph.collections[key].default_mode}
        mixes = [self._value(place, {key: mode})[1] for mode in modes]
        return all(each is not None and isinstance(each.base, str) and isinstance(each.share, str) for each in mixes)

    def _only_mixed(self, place: int) -> Property:
        """Return a composed colour without its literals: there are too many of them."""
        key = self.output.tokens[place].key[:2]
        family = self.themes.families.get(key)
        default = self.output.graph.collections[key].default_mode
        axes, modes = ((), [default]) if family is None else (family.axes, list(family.modes.values()))
        cells: list[Cell] = []
        for mode in modes:
            _, mix = self._value(place, {key: mode})
            cells.append(
                ABSENT if mix is None else Cell(mixed(self.output, mix, self.resolution.default, self.colors.text))
            )
        return self._property(place, self.output.names[place], axes, tuple(cells))

    def _note(self, place: int) -> str:
        token = self.output.tokens[place]
        origin = "excluded" if token.origin == "local" else token.origin
        return f"{origin}: {self.output.graph.collection_of(token).name} / {'/'.join(names(token.key.path))}"

    def _without_values(self, known: set[int], cyclic: set[int]) -> set[int]:
        """Settle tokens that may have no value in some theme, and return them."""
        lacking = {place for place, several in self.of.items() if any(ABSENT in each.cells for each in several)}
        found = set(closure(lacking | cyclic, lambda place: self.referring.get(place, ())))
        again = [place for place in found if place not in known]
        before = {place: self.of[place] for place in again}
        self._resolve(again)
        for place in again:
            has_value = any(cell.text is not None for each in self.of[place] for cell in each.cells)
            if has_value and len(self._axes_of(place)) > 1:
                self.of[place] = before[place]  # what it refers to is invalid where it has no value, and so is it
        for place in found:
            if all(cell.text is None for each in self.of[place] for cell in each.cells):
                del self.of[place]
        return found

    def _break_cycles(self, cyclic: set[int]) -> None:
        """Write literals for references that are a cycle in no theme, but over several modes.

        A browser takes a property to refer to all that its text names, whether the switch before it is on or off.
        """
        if cyclic:
            plain = {0, *(1 << at for at, axis in enumerate(self.themes.axes) if axis.has_blocks)}
            depending = self.depending()
            left = {place for place in cyclic if place in self.of and depending.get(place, 0) not in plain}
            self._resolve(sorted(left), set(self.output.declared) - left)


def comment(*notes: str) -> str:
    """Return a comment with a space before it that holds some notes; nothing for none."""
    found = ", ".join(dict.fromkeys(filter(None, notes)))
    return f" {css.comment(found)}" if found else ""
