"""The text of each property of a style sheet, by the states of the axes that it depends on, in the notation of options.

Most tokens are a literal or a reference in each mode of their collection: their texts come from one column per mode.
A token with a literal that depends on references (a composed colour, a composite, an alias of an undeclared token) is
resolved in each combination of the states that it can depend on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import chain, compress, count, filterfalse, product, repeat
from math import prod
from operator import is_not, ne, not_
from typing import TYPE_CHECKING

from msgspec import Struct

from tokensync.generate import notation
from tokensync.generate.naming import token_label
from tokensync.generate.notation import TYPES
from tokensync.generate.output import PLAIN_KINDS, Output
from tokensync.generate.targets.css import NAMING
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.literals import SUPPORTS, Composites, mix_of, mixed
from tokensync.generate.targets.css.themes import axes_in
from tokensync.normalize.mapping import name_of_path
from tokensync.system.problems import problem
from tokensync.system.wording import listed
from tokensync.tokens import Alias, Color, ComposedColor, Quantity, Theme, Unresolved, normalized
from tokensync.tokens.algorithms import closure, on_cycles, reached, reverse, spread
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import NEEDS_RESOLVER, OPEN, TokenIndex
from tokensync.tokens.values import LITERAL_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.generate.output import Resolution
    from tokensync.generate.target import Convert, OutputRequest
    from tokensync.generate.targets.css import CssOptions
    from tokensync.generate.targets.css.literals import Mix
    from tokensync.generate.targets.css.themes import States, Themes
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Literal, Token, Value
    from tokensync.tokens.resolver import Code, ResolvedTheme

    Tier = tuple[tuple[str, ...], tuple[str | None, ...]]


_REFERENCES = dict.fromkeys((*PLAIN_KINDS.values(), "opacity", "fraction"), ("var(", ")"))
_WITH_PARTS = frozenset(TYPES)
_DIGITS = 7
"""The significant digits of a float32."""


class Notation:
    """The notation of values: ``literals`` are functions by kind; ``of_parts`` writes the parts of composites.

    ``color`` writes colours instead of the options.
    """

    def __init__(self, options: CssOptions, color: Convert | None = None) -> None:
        self.colors = css.Colors(options.colors, options.profile)
        units = options.dimensions
        self.units: Mapping[str, str] = _UNITS[units] if isinstance(units, str) else {**units}
        in_rem = partial(rem, base=options.base, smallest=_SMALLEST_IN_REM if isinstance(units, str) else 0.0)
        lengths: dict[str, Convert] = {"px": css.dimension, "rem": in_rem}
        self.of_parts = css.PartNotation(
            color or self.colors.text, lambda value, scope: lengths[self._unit(scope)](value)
        )
        self.literals: dict[str, Convert] = {
            **css.LITERALS,
            **lengths,
            "color": color or self.colors.convert,
            "dimension": lengths[self.units.get("default", "px")],
            **{each: partial(css.composite_literal, dtcg_type=each, spelling=self.of_parts) for each in TYPES},
        }
        self.unit_of = self._unit_of if len(self.units) > 1 else None

    def _unit(self, scope: str) -> str:
        return self.units.get(scope) or self.units.get("default", "px")

    def _unit_of(self, token: Token) -> str:
        """Return the unit of a token: by a glob for its name, else the one that all its scopes have in common."""
        name = name_of_path(token.key.path)
        named = [unit for glob, unit in self.units.items() if fnmatchcase(name, glob)]
        of_scopes = {self._unit(scope) for scope in token.scopes}
        return named[0] if named else of_scopes.pop() if len(of_scopes) == 1 else self._unit("default")


_NOT_IN_REM = ("STROKE_FLOAT", "EFFECT_FLOAT", "LETTER_SPACING")
_UNITS = {"px": {"default": "px"}, "rem": {"default": "rem", **dict.fromkeys(_NOT_IN_REM, "px")}}
_SMALLEST_IN_REM = 2.0
"""A length below, in pixels, would be blurred or vanish with another font size of the page."""


def rem(value: Literal, base: float, smallest: float = 0.0) -> str | None:
    """Return a number of pixels in rem, with ``base`` pixels per rem; a quantity in another unit in its own.

    A number other than 0 that is below the ``smallest`` one stays in pixels.
    """
    if type(value) is Quantity and value.unit == "px":
        value = normalized(value.number)
    pixels = notation.decimal(value)
    if pixels is None or (type(value) is float and 0 < abs(value) < smallest):
        return css.dimension(value)
    from decimal import Context, Decimal

    text = f"{Context(prec=_DIGITS).divide(Decimal(pixels), Decimal(repr(base))):f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}rem"


def output_of(resolution: Resolution, request: OutputRequest, spelling: Notation) -> Output:
    """Return the context of an output with CSS values and custom properties."""
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=spelling.literals,
        references=_REFERENCES,
        unrepresentable=css.UNREPRESENTABLE,
        stacks=True,
    )
    output.unit_of = spelling.unit_of
    return output


SYNTAX = {
    "color": "<color>",
    "dimension": "<length>",
    "number": "<number>",
    "percentage": "<number>",
    "boolean": "<number>",
    "duration": "<time>",
}
"""The syntax of registered properties by kind; strings, families and composite values have none."""


def registrations(
    output: Output, options: CssOptions, spelling: Notation, may_be_absent: AbstractSet[TokenIndex]
) -> Iterator[tuple[TokenIndex, str, str, str]]:
    """Yield (index, name, syntax, initial value) of each property to register; the value is that of the default theme.

    An initial value must be independent of references and font sizes. A token without a value in some theme
    (``may_be_absent``) is not registered, because a registered property always has a value.
    """
    resolved = output.resolution.default
    for index in output.declared:
        kind = output.kinds[index]
        syntax = SYNTAX.get(kind or "")
        literal = output.literal(resolved, index)
        if syntax is None or kind is None or index in may_be_absent or isinstance(literal, Unresolved):
            continue
        if index in output.resolution.relative:  # a registered length in em is computed where it is declared
            continue
        if kind == "dimension":
            if isinstance(literal, Quantity):
                literal = normalized(literal.number * (options.base if literal.unit == "rem" else 1.0))
            pixels = notation.decimal(literal)
            initial = pixels if pixels in (None, "0") else f"{pixels}px"
        else:
            initial = spelling.literals[kind](literal)
        if initial is not None:
            yield index, output.names[index], syntax, initial


WIDE = "@media (color-gamut: p3)"
_MAX_LITERALS = 64
"""Combinations of states up to which a composed colour has literals for browsers without ``color-mix()``."""
_MAX_COMBINATIONS = 512
"""Combinations of states in which a token that is not a reference is resolved; each is a part of its text."""
_VAR = re.compile(r"var\((--[^\s,)]+)")


class Cell(Struct, frozen=True, gc=False):
    """One value of a token: ``text`` is for all browsers.

    ``wide`` is for screens with more colours than sRGB, ``mixed`` for browsers with color-mix(), and ``both`` for such
    browsers on such screens. Each is empty if it would not differ. ``note`` is a comment.
    """

    text: str | None
    wide: str = ""
    mixed: str = ""
    both: str = ""
    note: str = ""

    def texts(self) -> tuple[str | None, ...]:
        """Return the text in each of ``TIERS``."""
        wide, mixed = self.wide or self.text, self.mixed or self.text
        return self.text, wide, mixed, self.both or self.mixed or wide


TIERS: tuple[tuple[str, ...], ...] = ((), (WIDE,), (SUPPORTS,), (SUPPORTS, WIDE))
"""The at-rules of texts; in a browser, the last one whose conditions hold takes precedence."""


def tiers(cells: Sequence[Cell]) -> list[Tier]:
    """Return the tiers in which a property is declared: the first, and those that differ from their fallback."""
    declared: list[Tier] = [((), tuple([cell.text for cell in cells]))]
    if any(cell.wide or cell.both for cell in cells):
        columns = zip(*[cell.texts() for cell in cells], strict=True)
        for conditions, texts in zip(TIERS, columns, strict=True):
            # The tier for both follows from the last one before it, the others from the first one.
            if texts != declared[-1 if len(conditions) > 1 else 0][1]:
                declared.append((conditions, texts))
    elif any(cell.mixed for cell in cells):
        texts = tuple([cell.mixed or cell.text for cell in cells])
        if texts != declared[0][1]:
            declared.append(((SUPPORTS,), texts))
    return declared


ABSENT = Cell(None)
"""The cell of a token without a value."""


class Property(Struct, frozen=True, gc=False):
    """A declared property, with one cell for each combination of the states of its axes; the last axis varies fastest.

    ``token`` is the index of its token, which a part of a composite shares.
    """

    token: TokenIndex
    name: str
    axes: tuple[int, ...]
    cells: tuple[Cell, ...]


class Texts:
    """The properties of one output in the order of their tokens, with the axes that their values depend on."""

    def __init__(self, output: Output, options: CssOptions, spelling: Notation, themes: Themes) -> None:
        self.output = output
        self.resolution = output.resolution
        self.themes = themes
        self.colors = spelling.colors
        self._composites = Composites(output, spelling.of_parts)
        self.wide = options.profile != "srgb"
        self.mixes = options.composed == "color-mix"
        self.has_fallbacks = options.fallbacks
        self.has_notes = options.comments == "all"
        self.sizes = tuple(len(axis.states) for axis in themes.axes)
        self.referring: dict[TokenIndex, list[TokenIndex]] = defaultdict(list)
        """By token index, the tokens whose texts refer to it."""
        self.of: dict[TokenIndex, Sequence[Property]] = {}
        self._cells: dict[tuple[int, Code], Cell | None] = {}
        self._mixes: dict[Value, Mix | None] = {}
        self._texts_of_mix: dict[Mix, tuple[str, str]] = {}
        self._omitted: dict[tuple[int, ...], set[TokenIndex]] = {}
        """The tokens whose values do not follow these axes."""
        self.varied: set[TokenIndex] = set()
        """The tokens that may have texts for other browsers or screens, or comments."""
        if self.wide:
            self.varied.update(index for index in output.declared if output.kinds[index] == "color")
        self._unresolved: set[TokenIndex] = set()
        self._absent: set[TokenIndex] = set()
        """The tokens that ``_resolve`` has to write, and those without a value in some mode."""
        self._refers_elsewhere = False
        """Whether a text refers to properties of tokens that its token does not refer to."""
        resolved: list[TokenIndex] = []
        for key in output.graph.collections:
            resolved += self._read(key)
        if resolved:
            self._resolve(resolved)
        may_be_cyclic = self._refers_elsewhere or output.graph.table.cyclic
        cyclic = on_cycles(self.referring) if may_be_cyclic else set()
        lacking = {
            index for index in (*self._absent, *resolved) if any(ABSENT in each.cells for each in self.of[index])
        }
        self.may_be_absent = self._without_values({*resolved}, lacking | cyclic) if lacking or cyclic else set()
        if cyclic:
            self._break_cycles(cyclic)
        for omitted, several in self._omitted.items():
            output.problems += self._too_many(omitted, sorted(several))

    def properties(self) -> list[Property]:
        """Return all properties, grouped by token."""
        of = self.of
        return [*chain.from_iterable(map(of.__getitem__, filter(of.__contains__, self.output.declared)))]

    def tiers(self, each: Property) -> list[Tier]:
        """Return the texts of a property in each tier."""
        return tiers(each.cells) if each.token in self.varied else [((), tuple([cell.text for cell in each.cells]))]

    def depending(
        self, properties: Iterable[Property], pinned: Mapping[TokenIndex, int] | None = None
    ) -> dict[TokenIndex, int]:
        """Return the bits of the axes that each value depends on, by token index; ``pinned`` are initial bits."""
        marks = dict(pinned or {})
        for each in [each for each in properties if each.axes]:
            marks[each.token] = marks.get(each.token, 0) | sum(map((1).__lshift__, each.axes))
        return spread(marks, self.referring.__getitem__)

    def _read(self, key: FamilyKey) -> list[TokenIndex]:
        """Read a family's columns; return the tokens to resolve."""
        columns, output = self.resolution.columns, self.output
        family = output.graph.table.of_family[key]
        is_declared = [*map(is_not, map(output.kinds.__getitem__, family), repeat(None))]
        indices = [*compress(family, is_declared)]
        default = output.graph.collections[key].default_mode
        axes, states = self._states_of(key)
        default_codes = [*compress(columns.column(key, default), is_declared)]
        columns_of = {default: self._column(indices, default_codes, (key, default))}
        varying: set[int] = set()
        for mode in dict.fromkeys(states):
            if mode != default:
                codes = [*compress(columns.column(key, mode), is_declared)]
                differs = [*map(ne, codes, default_codes)]
                changed = [*compress(range(len(codes)), differs)]
                cells = self._column([*compress(indices, differs)], [*compress(codes, differs)], (key, mode))
                column = columns_of[mode] = columns_of[default].copy()
                for at, cell in zip(changed, cells, strict=True):
                    column[at] = cell
                varying.update(changed)
        names = map(output.names.__getitem__, indices)
        properties = map(Property, indices, names, repeat(()), zip(columns_of[default], strict=True))
        self.of.update(zip(indices, zip(properties, strict=True), strict=True))
        rows = [*zip(*map(columns_of.__getitem__, states), strict=True)]
        for at in varying:
            index = indices[at]
            self.of[index] = (self._property(index, output.names[index], axes, rows[at]),)
        return [*filter(self._unresolved.__contains__, indices)]

    def _column(
        self, indices: Sequence[TokenIndex], codes: Sequence[Code], chosen: tuple[FamilyKey, int]
    ) -> list[Cell]:
        """Write tokens in one mode; a token to resolve is absent."""
        pairs = [*zip(map(self._notations.__getitem__, indices), codes, strict=True)]
        self._write({*filterfalse(self._cells.__contains__, pairs)})
        column = [*map(self._cells.__getitem__, pairs)]
        codes = [*codes]
        for at in [*compress(range(len(column)), map(not_, column))]:
            column[at] = self._cell(indices[at], codes[at], chosen)
            if column[at] is ABSENT:
                codes[at] = NEEDS_RESOLVER
        referring = self.referring
        for index, code in zip(indices, codes, strict=True):
            if code >= 0:
                referring[code].append(index)
        return column  # type: ignore[return-value]

    @cached_property
    def _notations(self) -> list[int]:
        """The index of a token with each token's notation and type, by token index."""
        output = self.output
        notations: Iterable[object] = map(id, output.texts) if output.unit_of else output.kinds
        return [*map(dict[object, int]().setdefault, zip(notations, output.graph.table.types, strict=True), count())]

    def _write(self, pairs: Iterable[tuple[int, Code]]) -> None:
        """Write the cells of codes in the notation and type of a token; none for a code that takes a look at tokens."""
        output, columns, cells, wide = self.output, self.resolution.columns, self._cells, self.wide
        spelled, kinds, texts, fits, of_code = output.spelled, output.kinds, output.texts, columns.fits, columns.of_code
        for pair in pairs:
            like, code = pair
            kind, cell = kinds[like], None
            if kind in _WITH_PARTS or code == NEEDS_RESOLVER:
                pass
            elif code >= 0:
                if kinds[code] == kind and kind in _REFERENCES:
                    cell = Cell(f"var({spelled[code]})")
            elif fits(like, literal := of_code[-code]):  # type: ignore[arg-type]
                text = texts[like][literal]  # type: ignore[index]
                if text is not None and literal not in output.suspects:
                    is_wide = wide and kind == "color"
                    cell = Cell(text, self.colors.wide(columns.values[literal])) if is_wide else Cell(text)
            cells[pair] = cell

    def _cell(self, index: TokenIndex, code: Code, chosen: tuple[FamilyKey, int]) -> Cell:
        """Write a token in one mode for ``_column``, if not only its notation and type decide on its cell."""
        output, columns = self.output, self.resolution.columns
        literal = columns.of_code[-code] if code < NEEDS_RESOLVER else OPEN
        if literal == OPEN or output.kinds[index] in TYPES or not columns.fits(index, literal):
            self._unresolved.add(index)
            return ABSENT
        text = output.texts[index][literal]  # type: ignore[index]
        if text is None:
            output.report_omitted(index, literal, Theme("", (chosen,)))
            self._absent.add(index)
            return ABSENT
        output.report_unrepresentable(index, output.suspects[literal])
        return Cell(text)

    def _property(self, index: TokenIndex, name: str, axes: tuple[int, ...], cells: tuple[Cell, ...]) -> Property:
        """Return a property without axes that make no difference."""
        if cells.count(cells[0]) == len(cells):
            return Property(index, name, (), cells[:1])
        if len(axes) > 1:
            for at, axis in enumerate(axes):
                stride = prod(self.sizes[axis] for axis in axes[at + 1 :])
                span = stride * self.sizes[axis]
                if all(
                    cell == cells[position - position % span + position % stride] for position, cell in enumerate(cells)
                ):
                    rest = tuple(cell for position, cell in enumerate(cells) if position % span < stride)
                    return self._property(index, name, (*axes[:at], *axes[at + 1 :]), rest)
        return Property(index, name, axes, cells)

    @cached_property
    def _reach(self) -> dict[TokenIndex, int]:
        """The bits of the axes that each token's literal can depend on, through any references."""
        marks: dict[TokenIndex, int] = {}
        for key, family in self.themes.families.items():
            bits = sum(1 << axis for axis in family.axes)
            for mode in dict.fromkeys(family.modes.values()):
                marks |= dict.fromkeys(self.resolution.differing_from_default(key, mode), bits)
        return self.resolution.spread(marks)

    @cached_property
    def _varying(self) -> set[TokenIndex]:
        families = self.themes.families.items()
        modes = tuple((key, mode) for key, family in families for mode in family.modes.values())
        return self.resolution.varying([Theme("", modes)])

    def _followed(self, index: TokenIndex, axes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the axes that a token follows: all of them, or those of its family and others up to the limit."""
        if prod(self.sizes[axis] for axis in axes) <= _MAX_COMBINATIONS:
            return axes
        family = self.themes.families.get(self.output.tokens[index].key[:2])
        own = () if family is None else family.axes
        followed = [axis for axis in axes if axis in own]
        for axis in axes:
            if axis not in own and prod(self.sizes[each] for each in (*followed, axis)) <= _MAX_COMBINATIONS:
                followed.append(axis)
        self._omitted.setdefault(tuple(axis for axis in axes if axis not in followed), set()).add(index)
        return tuple(sorted(followed))

    def _too_many(self, omitted: tuple[int, ...], indices: Sequence[TokenIndex]) -> Iterator[Problem]:
        names = listed([self.themes.axes[axis].name for axis in omitted])
        labels = (token_label(self.output.graph, self.output.tokens[index].key) for index in indices)
        what = (
            f"the value depends on more than {_MAX_COMBINATIONS} combinations of modes, so it does not follow {names}"
        )
        advice = "let it refer to a declared token of its own type, or exclude modes that this output does not need"
        yield from (problem("modes-not-followed", label, what, advice) for label in labels)

    def _resolve(self, indices: Sequence[TokenIndex], referable: set[TokenIndex] | None = None) -> None:
        """Write tokens in each combination of the states that they can depend on."""
        self.varied.update(indices)
        groups: dict[tuple[int, ...], list[TokenIndex]] = {}
        only_mixed: list[TokenIndex] = []
        visible = self._visible(indices) if self.mixes and not self.has_fallbacks and referable is None else set()
        for index in indices:
            axes = () if index in visible else axes_in(self._reach.get(index, 0))
            is_large = prod(self.sizes[axis] for axis in axes) > _MAX_LITERALS
            if (is_large or index in visible) and (property_ := self._only_mixed(index)) is not None:
                self.of[index] = (property_,)
                only_mixed.append(index)
            else:
                axes = axes or axes_in(self._reach.get(index, 0))
                groups.setdefault(self._followed(index, axes), []).append(index)
        owners = dict(zip(self.output.names, self.output.graph.table.order, strict=True))
        for axes, several in groups.items():
            requested = {*several, *(target for index in several for target in self._needed(index))}
            cells_of: dict[TokenIndex, list[Mapping[str, Cell]]] = {index: [] for index in several}
            for states in product(*(range(self.sizes[axis]) for axis in axes)):
                written = self._written(several, requested, dict(zip(axes, states, strict=True)), referable)
                for index in several:
                    cells_of[index].append(written.get(index, {}))
            for index, combinations in cells_of.items():
                name = self.output.names[index]
                suffixes = {"": None} | {suffix: None for combination in combinations for suffix in combination}
                properties = [
                    self._property(
                        index,
                        f"{name}-{suffix}" if suffix else name,
                        axes,
                        tuple(combination.get(suffix, ABSENT) for combination in combinations),
                    )
                    for suffix in suffixes
                ]
                self.of[index] = properties
                owners |= {each.name: index for each in properties}
        for index in (*only_mixed, *(index for group in groups.values() for index in group)):
            referred = self._referred(index, owners)
            self._refers_elsewhere |= not referred.issubset(self.output.graph.table.targets_of(index))
            for target in referred:
                self.referring[target].append(index)

    def _referred(self, index: TokenIndex, owners: Mapping[str, TokenIndex]) -> set[TokenIndex]:
        referred: set[TokenIndex] = set()
        for each in self.of[index]:
            for cell in set(each.cells):
                for text in (cell.text, cell.mixed):  # the texts for wide screens refer to the same tokens
                    if text and "var(" in text:
                        referred |= {owners[name] for name in _VAR.findall(text) if name in owners}
        return referred

    def _written(
        self,
        indices: Sequence[TokenIndex],
        requested: Iterable[TokenIndex],
        states: States,
        referable: set[TokenIndex] | None,
    ) -> dict[TokenIndex, dict[str, Cell]]:
        """Write tokens and their parts, by suffix, where these states are chosen."""
        theme = self.themes.theme(states)
        resolved = self.resolution.in_theme(theme, self._varying, requested)
        written: dict[TokenIndex, dict[str, Cell]] = {}
        modes = dict(theme.modes)
        for index, text, outside in self.output.rows(indices, resolved, theme, referable):
            kind = self.output.kinds[index]
            note = self._note(index, outside) if outside >= 0 else ""
            if kind == "color" and not text.startswith("var("):
                may_mix = self.mixes and referable is None
                written[index] = {"": self._color(index, text, note, resolved, modes if may_mix else None)}
            elif kind in TYPES:
                literal = self.output.literal(resolved, index)
                value, _ = self.resolution.columns.value_in(index, modes)
                whole, parts = self._composites.written(index, text, literal, value, resolved.codes[index])
                written[index] = {"": Cell(whole, note=note), **{suffix: Cell(part) for suffix, part in parts}}
            else:
                written[index] = {"": Cell(text, note=note)}
        return written

    def _needed(self, index: TokenIndex) -> Iterator[TokenIndex]:
        """Yield the references of a composed colour or composite in any mode, whose literals may be needed."""
        table = self.output.graph.table
        if self.output.kinds[index] in TYPES or ComposedColor in map(type, table.values_of(index)):
            yield from table.targets_of(index)

    def _color(
        self, index: TokenIndex, text: str, note: str, resolved: ResolvedTheme, modes: Mapping[FamilyKey, int] | None
    ) -> Cell:
        """Write a colour that is not a reference; without ``modes``, also without color-mix()."""
        literal = self.output.literal(resolved, index)
        # With an alpha of 0, color-mix() would lose the channels.
        if modes is not None and isinstance(literal, Color) and literal.alpha != 0:
            mix = self._mix(index, modes)
            over, both = ("", "") if mix is None else self._mixed(mix, resolved)
            if over and not self.has_fallbacks:
                return Cell(over, wide=both, note=note)
            if over:
                return Cell(text, mixed=over, both=both, note=note)
        return Cell(text, self.colors.wide(literal) if self.wide else "", note=note)

    def _mixed(self, mix: Mix, resolved: ResolvedTheme) -> tuple[str, str]:
        """Return color-mix() for all screens, and for wide screens if it differs."""
        texts = self._texts_of_mix.get(mix)
        if texts is None:
            text = mixed(self.output, mix, resolved, self.colors.text)
            wide = mixed(self.output, mix, resolved, self.colors.widest) if self.wide else text
            texts = text, "" if wide == text else wide
            if not isinstance(mix.base, int) and not isinstance(mix.share, int):  # it is the same in all themes
                self._texts_of_mix[mix] = texts
        return texts

    def _mix(self, index: TokenIndex, modes: Mapping[FamilyKey, int]) -> Mix | None:
        """Return the mix of a token's written value in a theme, if it is a composed colour with one."""
        value, _ = self.resolution.columns.value_in(index, modes)
        if not self.mixes or not isinstance(value, ComposedColor):
            return None
        if value not in self._mixes:
            self._mixes[value] = mix_of(self.output, value)
        return self._mixes[value]

    def _visible(self, indices: Sequence[TokenIndex]) -> set[TokenIndex]:
        """Return those of these tokens that have a value in every theme, which is no transparent colour.

        It may lack some, with unusual values. For the others, each theme must be resolved, which took half of the time
        of a large style sheet.
        """
        table, columns = self.output.graph.table, self.resolution.columns
        found = reached(indices, table.targets_of)
        of_type: dict[str, list[TokenIndex]] = {}
        for index in found:
            of_type.setdefault(table.types[index], []).append(index)
        doubtful = {*table.cyclic}
        for name, several in of_type.items():
            codes = set(chain.from_iterable(map(table.rows.__getitem__, several))) - {NEEDS_RESOLVER}
            misfits = {code for code in codes if code >= 0 and table.types[code] != name}
            misfits |= {code for code in codes if code < 0 and not _shows(name, columns.values[columns.of_code[-code]])}
            doubtful.update(index for index in several if not misfits.isdisjoint(table.rows[index]))
        coded = (index for index in found if NEEDS_RESOLVER in table.rows[index])
        doubtful.update(index for index in coded if not self._mixes_visible(index))
        referring = reverse({index: table.targets_of(index) for index in found}) if doubtful else {}
        affected = reached(doubtful, referring.get)
        return {index for index in indices if index not in affected}

    def _mixes_visible(self, index: TokenIndex) -> bool:
        """Return whether the values of a token without a code are mixes of colours that show, or inherited."""
        table = self.output.graph.table
        modes = table.collections[table.families[index]].modes
        for code, value, mode in zip(table.rows[index], table.values_of(index), modes, strict=True):
            if code != NEEDS_RESOLVER or (value is None and mode.parent is not None):
                continue
            if table.types[index] != "color" or not isinstance(value, ComposedColor):
                return False
            for name, part in (("color", value.color), ("number", value.opacity)):
                target = table.indices.get(part.target) if isinstance(part, Alias) else None
                if not (_shows(name, part) if target is None else table.types[target] == name):
                    return False
        return True

    def _only_mixed(self, index: TokenIndex) -> Property | None:
        """Return a composed colour without its literals, of which there are too many, if it needs none of them.

        That is if it mixes declared tokens in each mode.
        """
        key = self.output.graph.table.families[index]
        axes, modes = self._states_of(key)
        cells: list[Cell] = []
        for mode in modes:
            mix = self._mix(index, {key: mode})
            if mix is None or isinstance(mix.base, int) or isinstance(mix.share, int):
                return None
            cells.append(Cell(*self._mixed(mix, self.resolution.default)))
        return self._property(index, self.output.names[index], axes, tuple(cells))

    def _states_of(self, key: FamilyKey) -> tuple[tuple[int, ...], list[int]]:
        """Return the axes of a family, and its mode in each combination of their states."""
        if (family := self.themes.families.get(key)) is None:
            return (), [self.output.graph.collections[key].default_mode]
        return family.axes, [*family.modes.values()]

    def _note(self, index: TokenIndex, target: TokenIndex) -> str:
        """Return the comment for a literal that replaces a reference to a token that is not declared."""
        token = self.output.tokens[target]
        if not self.has_notes or token.is_earlier_value(self.output.tokens[index].key):
            return ""
        origin = "excluded" if token.origin == "local" else token.origin
        return f"{origin}: {self.output.graph.collection_of(token).name} / {'/'.join(names(token.key.path))}"

    def _without_values(self, resolved: set[TokenIndex], causes: set[TokenIndex]) -> set[TokenIndex]:
        """Resolve the tokens that may have no value in some theme, because of these or themselves, and return them."""
        affected = set(closure(causes, lambda index: self.referring.get(index, ())))
        dependants = [index for index in affected if index not in resolved]
        before = {index: self.of[index] for index in dependants}
        self._resolve(dependants)
        for index in dependants:
            has_value = any(cell.text is not None for each in self.of[index] for cell in each.cells)
            if has_value and len(axes_in(self._reach.get(index, 0))) > 1:
                self.of[index] = before[index]  # without a value there, its references are invalid, and so is it
        for index in affected:
            if all(cell.text is None for each in self.of[index] for cell in each.cells):
                del self.of[index]
        return affected

    def _break_cycles(self, cyclic: set[TokenIndex]) -> None:
        """Write literals for references that form a cycle across modes, though not in any theme.

        To a browser, a property refers to everything in its text, even where a switch is off.
        """
        plain = {0, *(1 << at for at, axis in enumerate(self.themes.axes) if axis.has_few_states)}
        depending = self.depending(self.properties())
        rest = {index for index in cyclic if index in self.of and depending.get(index, 0) not in plain}
        self._resolve(sorted(rest), set(self.output.declared) - rest)


def _shows(name: str, literal: object) -> bool:
    """Return whether a type can have a literal that is neither a transparent colour nor makes one."""
    share = literal.alpha if type(literal) is Color else literal if type(literal) is float else 0.0
    return share > 0 and type(literal) in LITERAL_CLASSES.get(name, ())


def comment(*notes: str) -> str:
    """Return a comment with the notes, after a space; an empty text without notes."""
    text = ", ".join(dict.fromkeys(filter(None, notes)))
    return f" {css.comment(text)}" if text else ""
