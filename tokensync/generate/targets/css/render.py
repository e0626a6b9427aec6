"""The files of a css output: one, or one per collection or theme, and an index that imports them in order.

The rules declare properties so that each element has its theme's values, however elements are nested.

A custom property is computed where it is declared, and its computed value is inherited. So a property that depends on
axes must be declared again wherever a state of one of them is chosen:

- a property that depends on no axis is declared on the root only;
- one whose text differs on one axis, and that depends on no other, in a plain block for each context;
- any other one in a single rule for the root and for every element that chooses a state of one of its axes. Its
  references are computed on the same element or inherited, by the same rule. If its own text differs, switches select
  the text of the state.

Media queries choose states on the root only, and come before the contexts: an attribute always takes precedence.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, compress, repeat
from math import prod
from operator import ne, or_
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.target import OutputFile, options_of
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css.literals import class_selector
from tokensync.generate.targets.css.texts import (
    ABSENT,
    TIERS,
    Cell,
    Notation,
    Property,
    Texts,
    comment,
    output_of,
    registrations,
    tiers,
)
from tokensync.generate.targets.css.themes import axes_in, by_axis, themes_of
from tokensync.normalize.mapping import unique
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Output, Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets.css.themes import Choice, Scheme, Themes
    from tokensync.system.problems import Problem
    from tokensync.tokens.resolver import TokenIndex

    Row = tuple[str, str, str]
    """A declaration: its name, its value, and a comment with a space before it."""
    BlockContents = tuple[tuple[str, ...], str, list[Row]]


class Declaration(NamedTuple):
    """A custom property, or ``color-scheme``."""

    name: Annotated[str, doc("the name, with `--`", "--text-muted")]
    value: Annotated[
        str, doc("the value as CSS: a literal, or `var()` of a declared property", "var(--color-slate-500)")
    ]
    note: Annotated[
        str, doc("a comment with the name of the undeclared token that a literal replaces, after a space; or empty", "")
    ]


class Block(NamedTuple):
    """A rule: the defaults, or the values of a theme or under a condition."""

    conditions: Annotated[
        tuple[str, ...],
        doc("the at-rules that contain the rule, outermost first", ("@media (prefers-color-scheme: dark)",)),
    ]
    selector: Annotated[str, doc("the selector of the rule, with one selector per line", ":root")]
    declarations: Annotated[list[Declaration], doc("the declarations")]


class Registration(NamedTuple):
    """A property to register."""

    name: Annotated[str, doc("the name, with `--`", "--text-muted")]
    syntax: Annotated[str, doc("the type", "<color>")]
    initial: Annotated[str, doc("the default value, without references", "#6b7d8d")]


class Stylesheet(Struct, frozen=True):
    """The style sheet's rules."""

    layer: Annotated[str, doc("the cascade layer of all rules, or empty", "tokens")]
    registrations: Annotated[list[Registration], doc("the properties to register, if the options enable it")]
    blocks: Annotated[list[Block], doc("the defaults, then the rules of themes and of the system")]


class Index(Struct, frozen=True):
    """The files of an output with several."""

    paths: Annotated[list[str], doc("the files to import, in order", ["default.css", "color-scheme/dark.css"])]


TEMPLATES = (
    names_template("css", "the web"),
    Template("css/tokens.css.j2", "css", "`tokens.css`, or one of several files: custom properties.", Stylesheet),
    Template("css/tokens.min.css.j2", "css", "The same without white space and comments.", Stylesheet),
    Template("css/index.css.j2", "css", "`index.css`, which imports several files.", Index),
)


_REPEATED = re.compile(r"(?<![^-])([^\W\d_][^-]*)-(?=\1(?:-|$))")
"""A repeated word, as in the name of an axis before that of a state that begins with it."""
INVALID = "initial"
"""The guaranteed-invalid value, of a property without a value: ``var()`` takes its fallback (CSS Variables 1, 2.2)."""
_OFF = ""
"""The value of a switch that is off, which makes ``var(switch, text)`` empty; one that is on is ``INVALID``."""
_REFERENCE_SIZE = 24
"""The approximate length of ``var(--_theme-dark, )``, in characters."""
_DECLARATION_SIZE = 32
"""The approximate length of the declaration of a switch."""
_COMMON_RULES = 3
"""The rules that can declare a switch besides those of its states: of the root, of the system, and the one that turns
switches off."""


class Partition(Struct, eq=False):
    """Sets of an axis's states, with the lengths of all texts that each set selects.

    ``switches`` are the names of the switches that select a text in their order, and the set of each.
    """

    axis: int
    sets: tuple[tuple[int, ...], ...]
    lengths: list[int]
    switches: tuple[tuple[str, int], ...] = ()


class Branches(Struct, frozen=True):
    """The text of each set of a partition, in the order of its sets."""

    partition: Partition
    parts: tuple[Tree, ...]


Tree = str | Branches | None
"""A text by the states of axes; None without a value."""


class Switches:
    """The switches of an output: one for each state that selects a text, or for a set of states if that is shorter."""

    def __init__(self, themes: Themes, used: set[str]) -> None:
        self.axes = themes.axes
        self.sizes = [len(axis.states) for axis in themes.axes]
        self._used = used
        self._names: dict[tuple[int, tuple[int, ...]], str] = {}
        self._of_axis: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
        self._trees: dict[tuple[tuple[int, ...], tuple[str | None, ...]], Tree] = {}
        self._partitions: dict[tuple[int, tuple[tuple[int, ...], ...]], Partition] = {}

    def of_axis(self, axis: int) -> list[tuple[str, tuple[int, ...]]]:
        """Return the switches of an axis: their names, and the states in which they are on."""
        return self._of_axis.get(axis, [])

    def measure(self, axes: tuple[int, ...], texts: tuple[str | None, ...]) -> None:
        """Record the states that select the texts of a property."""
        if axes:
            self._measure(self._tree(axes, texts))

    def name_used(self) -> None:
        """Choose the switches of the recorded states, and name them."""
        saved: dict[tuple[int, tuple[int, ...]], int] = {}
        for partition in self._partitions.values():
            for states, length in zip(partition.sets, partition.lengths, strict=True):
                key = (partition.axis, states)
                saved[key] = saved.get(key, 0) + (len(states) - 1) * length
        shared = {
            (axis, states)
            for (axis, states), characters in saved.items()
            if len(states) > 1 and characters > _DECLARATION_SIZE * (len(states) + _COMMON_RULES)
        }
        used = {
            (axis, each)
            for axis, states in saved
            for each in ([states] if (axis, states) in shared else [(state,) for state in states])
        }
        for axis, states in sorted(used, key=lambda each: (each[0], len(each[1]), each[1])):
            name = self._names[axis, states] = self._name(axis, states)
            self._of_axis.setdefault(axis, []).append((name, states))
        for partition in self._partitions.values():
            switches = [
                (each[0], self._names[partition.axis, each], at)
                for at, states in enumerate(partition.sets)
                for each in ([states] if (partition.axis, states) in self._names else [(state,) for state in states])
            ]
            partition.switches = tuple((name, at) for _, name, at in sorted(switches))

    def text(self, axes: tuple[int, ...], texts: tuple[str | None, ...]) -> str:
        """Return the text of a property, by the states of its axes."""
        return self._written(self._tree(axes, texts)) or INVALID

    def _tree(self, axes: tuple[int, ...], texts: tuple[str | None, ...]) -> Tree:
        if not axes or texts.count(texts[0]) == len(texts):
            return texts[0]
        if (axes, texts) in self._trees:
            return self._trees[axes, texts]
        axis, rest = axes[0], axes[1:]
        step = prod(self.sizes[each] for each in rest)
        states_of: dict[tuple[str | None, ...], list[int]] = {}
        for state in range(self.sizes[axis]):
            states_of.setdefault(texts[state * step : (state + 1) * step], []).append(state)
        sets = tuple(map(tuple, states_of.values()))
        parts = tuple([self._tree(rest, part) if rest else part[0] for part in states_of])
        tree: Tree = parts[0]
        if len(parts) > 1:
            partition = self._partitions.get((axis, sets))  # many trees share few of them
            if partition is None:
                partition = self._partitions[axis, sets] = Partition(axis, sets, [0] * len(sets))
            tree = Branches(partition, parts)
        self._trees[axes, texts] = tree
        return tree

    def _measure(self, tree: Tree) -> int:
        """Return the approximate length of a text; add up the lengths of the texts that each set selects."""
        if type(tree) is not Branches:
            return len(tree or "")  # type: ignore[arg-type]
        total, lengths = 0, tree.partition.lengths
        for at, part in enumerate(tree.parts):
            length = self._measure(part) + _REFERENCE_SIZE
            lengths[at] += length
            total += length
        return total

    def _written(self, tree: Tree) -> str | None:
        if type(tree) is not Branches:
            return tree  # type: ignore[return-value]
        texts = [f", {text}" if (text := self._written(part)) is not None else "" for part in tree.parts]
        return " ".join([f"var({name}{texts[at]})" for name, at in tree.partition.switches])

    def _name(self, axis: int, states: tuple[int, ...]) -> str:
        several = [self.axes[axis].states[state] for state in states]
        others = [each for state, each in enumerate(self.axes[axis].states) if state not in states]
        if len(several) <= 2:
            description = "-or-".join(several)
        elif len(others) <= 2:
            description = f"not-{'-or-'.join(others)}"
        else:
            description = f"{several[0]}-or-{len(several) - 1}-others"
        name = "--_" + _REPEATED.sub("", re.sub(r"[^\w-]+", "-", f"{self.axes[axis].name}-{description}"))
        return unique(name, self._used)


_OUTERMOST = frozenset((":root", "html"))
"""Selectors of elements that cannot be nested."""
_FEW_SWITCHES = 4
"""The maximum number of switches of an axis that each context sets individually."""


class Rule(NamedTuple):
    """A rule in at-rules (``conditions``), the outermost first, with its declarations and the token of each.

    A token may be ``NO_TOKEN``. ``defaults`` are the values in the default theme if ``rows`` may have others.
    ``path`` is its file in a style sheet split by theme. ``is_default`` is true for the root's unconditional block.
    """

    conditions: tuple[str, ...]
    selector: str
    tokens: list[TokenIndex]
    rows: list[Row]
    defaults: list[str] = []  # noqa: RUF012 - never changed
    path: str = ""
    is_default: bool = False


class Cascade:
    """The rules of one output; ``registered`` has (index, name, syntax, initial value) of registered properties."""

    def __init__(self, output: Output, options: CssOptions, spelling: Notation) -> None:
        self.output = output
        self.root = options.root
        self.themes = themes_of(output, options)
        texts = self.texts = Texts(output, options, spelling, self.themes)
        self.registered = (
            list(registrations(output, options, spelling, texts.may_be_absent)) if options.property else []
        )
        self.scheme: Scheme | None = None
        self.properties = texts.properties()
        self.on_root = self.properties
        self.plain: dict[int, list[Property]] = {axis: [] for axis in range(len(self.themes.axes))}
        self._columns: dict[tuple[int, int], list[Cell]] = {}
        self.repeated: dict[int, list[Property]] = {}
        """The properties that are declared again wherever an axis is chosen, by the bits of their axes."""
        if self.themes.axes:
            self._partition(options)
            self.switches = self._all_switches()
            if self._move_to_blocks():
                self.switches = self._all_switches()

    def blocks(self) -> Iterator[Rule]:
        """Yield the non-empty blocks in order."""
        first: list[Row] = []
        if self.themes.axes:
            first = [*self._color_scheme(None), *self._switches(dict.fromkeys(self.plain, 0), are_all=True)]
        # A nested root, such as the host of a shadow tree, would inherit properties that it does not declare.
        is_inside = not _OUTERMOST.issuperset(each.strip() for each in self.root.split(","))
        on_root = [each for each in self.on_root if is_inside or each.cells[0].text is not None]
        cells = [each.cells[0] for each in on_root]
        yield from self._tiers((), self.root, first, on_root, cells, is_default=True)
        if not self.themes.axes:
            return
        yield from self._system_blocks()
        for bits, several in self.repeated.items():
            yield from self._repeated_rules(bits, several)
        yield from self._switched_off()
        for choice in self.themes.contexts:
            first = [*self._color_scheme(choice), *self._switches(choice.states)]
            several = [each for axis in choice.states for each in self.plain[axis]]
            cells = [cell for axis, state in choice.states.items() for cell in self._column(axis, state)]
            yield from self._tiers((), ",\n".join(choice.selectors), first, several, cells, choice.path)

    def _partition(self, options: CssOptions) -> None:
        """Choose the scheme, and divide the properties by the axes that they depend on."""
        texts = self.texts
        self.scheme = self._scheme()
        pinned: dict[TokenIndex, int] = {}
        if options.light_dark and self.scheme:
            pinned = with_light_dark(texts, self.scheme, {index: name for index, name, _, _ in self.registered})
            self.properties = texts.properties()
        depending = texts.depending(self.properties, pinned)
        axis_of_bits = {1 << at: at for at, axis in enumerate(self.themes.axes) if axis.has_blocks}
        self.on_root = []
        for each in self.properties:
            bits = depending.get(each.token)
            if bits is None:
                self.on_root.append(each)
            elif bits in axis_of_bits and each.axes:
                self.on_root.append(each)
                self.plain[axis_of_bits[bits]].append(each)
            else:
                self.repeated.setdefault(bits, []).append(each)

    def _all_switches(self) -> Switches:
        switches = Switches(self.themes, {each.name for each in self.properties})
        for several in self.repeated.values():
            for each in several:
                for _, texts in self.texts.tiers(each):
                    switches.measure(each.axes, texts)
        switches.name_used()
        return switches

    def _move_to_blocks(self) -> bool:
        """Move properties of one axis that are shorter in plain blocks; return whether any were moved."""
        moved: list[Property] = []
        choices = by_axis((*self.themes.contexts, *self.themes.system))
        for axis, plain in self.plain.items():
            several = self.repeated.get(1 << axis, [])
            states = [0, *(choice.states[axis] for choice in choices.get(axis, ()))]
            candidates = [
                each
                for each in several
                if each.axes
                and sum(len(each.name) + 5 + len(each.cells[state].text or INVALID) for state in states)
                < len(each.name) + len(self.switches.text(each.axes, tuple([cell.text for cell in each.cells])))
            ]
            if candidates:
                plain.extend(candidates)
                moved += candidates
                names = {candidate.name for candidate in candidates}
                self.repeated[1 << axis] = [each for each in several if each.name not in names]
                if not self.repeated[1 << axis]:
                    del self.repeated[1 << axis]
        if moved:
            names = {each.name for each in (*self.on_root, *moved)}
            self.on_root = [each for each in self.properties if each.name in names]
        return bool(moved)

    def _scheme(self) -> Scheme | None:
        """Return the scheme of the axis with the most colours, preferring those that are not ambiguous."""
        counts = dict.fromkeys(range(len(self.themes.axes)), 0)
        kinds = self.output.kinds
        for axes, count in Counter(each.axes for each in self.properties if kinds[each.token] == "color").items():
            for axis in axes:
                counts[axis] += count
        candidates = [scheme for scheme in self.themes.schemes if counts[scheme.axis]]
        return max(candidates, key=lambda each: (not each.is_ambiguous, counts[each.axis]), default=None)

    def _color_scheme(self, choice: Choice | None) -> Iterator[Row]:
        """Yield the declaration of ``color-scheme`` for a choice (None for the root), if it needs one."""
        scheme = self.scheme
        if scheme is None or (choice is not None and scheme.axis not in choice.states):
            return
        if choice is None:
            yield "color-scheme", "light dark" if scheme.follows_system else scheme.schemes[0], ""
        elif not (choice.appearance and scheme.follows_system):
            yield "color-scheme", scheme.schemes[choice.states[scheme.axis]], ""

    def _system_blocks(self) -> Iterator[Rule]:
        """Yield the blocks of media queries, with the differences from the default and from previous queries."""
        before: dict[int, set[int]] = {axis: {0} for axis in self.plain}
        for choice in self.themes.system:
            rows = list(self._color_scheme(choice))
            several: list[Property] = []
            cells: list[Cell] = []
            for axis, state in choice.states.items():
                rows += [
                    _switch(name, is_on=state in on)
                    for name, on in self.switches.of_axis(axis)
                    if any((state in on) != (each in on) for each in before[axis])
                ]
                column = self._column(axis, state)
                differing = [False] * len(column)
                for other in before[axis]:
                    differing = list(map(or_, differing, map(ne, column, self._column(axis, other))))
                several += compress(self.plain[axis], differing)
                cells += compress(column, differing)
                before[axis].add(state)
            yield from self._tiers((f"@media {choice.media}",), self.root, rows, several, cells)

    def _column(self, axis: int, state: int) -> list[Cell]:
        """Return the cells of an axis's plain properties in a state."""
        if (axis, state) not in self._columns:
            self._columns[axis, state] = [each.cells[state] for each in self.plain[axis]]
        return self._columns[axis, state]

    def _switches(self, states: dict[int, int], *, are_all: bool = False) -> Iterator[Row]:
        """Yield the declarations of switches for chosen states: those that are on; if there are few, all of them."""
        for axis, state in states.items():
            several = self.switches.of_axis(axis)
            for name, on in several:
                if are_all or state in on or len(several) <= _FEW_SWITCHES:
                    yield _switch(name, is_on=state in on)

    def _switched_off(self) -> Iterator[Rule]:
        """Yield the rules that turn off switches which contexts do not set; they come after those of the root."""
        choices = by_axis(self.themes.contexts)
        for axis in self.plain:
            several = self.switches.of_axis(axis)
            contexts = [choice.selectors for choice in choices.get(axis, ())]
            if contexts and len(several) > _FEW_SWITCHES:
                selector = ",\n".join(dict.fromkeys(one for context in contexts for one in context))
                rows = [_switch(name, is_on=False) for name, _ in several]
                yield Rule((), selector, [NO_TOKEN] * len(rows), rows)

    def _repeated_rules(self, bits: int, several: Sequence[Property]) -> Iterator[Rule]:
        axes = [self.themes.axes[axis] for axis in axes_in(bits)]
        selector = ",\n".join(dict.fromkeys([self.root, *(selector for axis in axes for selector in axis.selectors)]))
        rules = {conditions: Rule(conditions, selector, [], [], []) for conditions in TIERS}
        for each in several:
            note = comment(*(cell.note for cell in each.cells)) if each.token in self.texts.varied else ""
            for conditions, texts in self.texts.tiers(each):
                rule = rules[conditions]
                rule.tokens.append(each.token)
                rule.rows.append((each.name, self.switches.text(each.axes, texts), "" if conditions else note))
                rule.defaults.append(texts[0] or INVALID)
        yield from (rule for rule in rules.values() if rule.rows)

    def _tiers(
        self,
        media: tuple[str, ...],
        selector: str,
        first: list[Row],
        several: Sequence[Property],
        cells: Sequence[Cell],
        path: str = "",
        *,
        is_default: bool = False,
    ) -> Iterator[Rule]:
        """Yield a block of some rows and of properties with their cells, then its variants for more capable browsers
        and screens.
        """
        varied = self.texts.varied
        values = [INVALID if cell.text is None else cell.text for cell in cells]
        rows = [*first, *zip([each.name for each in several], values, repeat(""))]
        tokens = [*repeat(NO_TOKEN, len(first)), *[each.token for each in several]]
        rules = {conditions: Rule((*conditions, *media), selector, [], [], path=path) for conditions in TIERS}
        rules[()] = Rule(media, selector, tokens, rows, path=path, is_default=is_default)
        for at in [at for at, token in enumerate(tokens) if token in varied] if varied else ():
            token, cell = tokens[at], cells[at - len(first)]
            if cell.note or cell.wide or cell.mixed:
                name, value, _ = rows[at]
                rows[at] = (name, value, comment(cell.note) if cell.note else "")
                for conditions, texts in tiers((cell,))[1:]:
                    rules[conditions].tokens.append(token)
                    rules[conditions].rows.append((name, texts[0] or INVALID, ""))
        yield from (rule for rule in rules.values() if rule.rows)


def _switch(name: str, *, is_on: bool) -> Row:
    return name, INVALID if is_on else _OFF, ""


def with_light_dark(texts: Texts, scheme: Scheme, pinned: Mapping[TokenIndex, str]) -> dict[TokenIndex, int]:
    """Write light-dark() for colours whose texts on the axis of the scheme differ only between light and dark.

    They no longer depend on the axis, since browsers resolve light-dark() where a property is used. Registered ones
    (``pinned``) are resolved where they are declared: the bits of the axis are returned for them.
    """
    axis, schemes = scheme.axis, scheme.schemes
    bits: dict[TokenIndex, int] = {}
    for index, several in texts.of.items():
        if texts.output.kinds[index] != "color" or axis not in several[0].axes:
            continue
        if index in texts.may_be_absent:  # one invalid argument would make light-dark() invalid
            continue
        (one,) = several
        at = one.axes.index(axis)
        stride = prod(texts.sizes[axis] for axis in one.axes[at + 1 :])
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
            texts.of[index] = (Property(index, one.name, (*one.axes[:at], *one.axes[at + 1 :]), tuple(cells)),)
            if index in pinned:
                bits[index] = 1 << axis
    return bits


def _light_dark(light: Cell, dark: Cell) -> Cell:
    if light == dark:
        return light

    pairs = (
        (light_text or "", dark_text or "") for light_text, dark_text in zip(light.texts(), dark.texts(), strict=True)
    )
    text, wide, mixed, both = (one if one == other else f"light-dark({one}, {other})" for one, other in pairs)
    return Cell(text, wide, mixed, both, note=", ".join(filter(None, dict.fromkeys((light.note, dark.note)))))


_BESIDE_FONT = ("letter-spacing", "text-transform", "text-decoration")
"""The parts of a text style that the shorthand ``font`` does not have."""


def _classes(cascade: Cascade, which: str) -> Iterator[Rule]:
    """Yield the rule of a class for each text style, whose properties follow the themes."""
    output = cascade.output
    parts: dict[TokenIndex, list[str]] = {}
    for declared in cascade.properties:
        if output.kinds[declared.token] == "typography":
            parts.setdefault(declared.token, []).append(declared.name[len(output.names[declared.token]) + 1 :])
    for index, suffixes in parts.items():
        name = output.names[index]
        beside = [suffix for suffix in suffixes if suffix in _BESIDE_FONT or (suffix and which == "properties")]
        rows = [("font", f"var({name})", "")] if which == "font" else []
        rows += [(suffix, f"var({name}-{suffix})", "") for suffix in beside]
        yield Rule((), class_selector(name), [index] * len(rows), rows)


ONE_FILE, INDEX, DEFAULTS, THEMES = "tokens.css", "index.css", "default.css", "themes.css"


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return ``tokens.css``, or ``index.css`` and the files that it imports."""
    options = options_of(request, CssOptions)
    spelling = Notation(options)
    output = output_of(resolution, request, spelling)
    cascade = Cascade(output, options, spelling)
    rules = cascade.blocks()
    if options.classes != "none":
        rules = chain(rules, _classes(cascade, options.classes))
    file_of: Mapping[TokenIndex, str] = {}
    if options.split == "none":
        parts: Mapping[str, Iterable[BlockContents]] = {
            ONE_FILE: ((block.conditions, block.selector, block.rows) for block in rules)
        }
    elif options.split == "collection":
        file_of = _files_of_tokens(output)
        parts = _by_collection(file_of, rules)
    else:
        parts = _by_theme(rules)
    template = "css/tokens.min.css.j2" if options.minify else "css/tokens.css.j2"
    files: list[OutputFile] = []
    for path, blocks in parts.items():
        registered = [
            each[1:] for each in cascade.registered if len(parts) == 1 or file_of.get(each[0], DEFAULTS) == path
        ]
        content = rendered_bytes(
            template, request.templates, layer=options.layer, registrations=registered, blocks=blocks
        )
        files.append(OutputFile(path, content))
    if options.split != "none":
        files.insert(0, OutputFile(INDEX, rendered_bytes("css/index.css.j2", request.templates, paths=list(parts))))
    return files, output.problems


def _by_theme(blocks: Iterable[Rule]) -> dict[str, list[BlockContents]]:
    """Return the blocks of the root and of several axes, then those of each context, by file."""
    parts: dict[str, list[BlockContents]] = {DEFAULTS: []}
    for block in blocks:
        parts.setdefault(block.path or DEFAULTS, []).append((block.conditions, block.selector, block.rows))
    return parts


def _by_collection(file_of: Mapping[TokenIndex, str], blocks: Iterable[Rule]) -> dict[str, list[BlockContents]]:
    """Return the declarations by the file of their token's collection; those without a token are in the first file."""
    parts: dict[str, list[BlockContents]] = {path: [] for path in (THEMES, *dict.fromkeys(file_of.values()))}
    for block in blocks:
        of: dict[str, list[Row]] = {}
        for token, row in zip(block.tokens, block.rows, strict=True):
            of.setdefault(THEMES if token == NO_TOKEN else file_of[token], []).append(row)
        for path, rows in of.items():
            parts[path].append((block.conditions, block.selector, rows))
    if not parts[THEMES]:
        del parts[THEMES]
    return parts or {DEFAULTS: []}


def _files_of_tokens(output: Output) -> dict[TokenIndex, str]:
    families = {index: output.graph.table.families[index] for index in output.declared}
    several = len({file for file, _ in families.values()}) > 1
    return {
        index: f"collections/{f'{file}/' if several else ''}{handle}.css" for index, (file, handle) in families.items()
    }
