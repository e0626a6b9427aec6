"""What tokens are written as in one theme: their texts, and what stands beside them for browsers that can more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import TYPES
from tokensync.generate.css.mixing import mixed
from tokensync.generate.css.parts import Composites
from tokensync.tokens import ComposedColor, Theme, targets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tokensync.config.options.css import CssOptions
    from tokensync.generate.css.spelling import Spelling
    from tokensync.generate.resolution import Shown
    from tokensync.generate.sheet import Sheet
    from tokensync.tokens import FamilyKey, Value


class Cell(NamedTuple):
    """One token's value: ``text`` is what every browser takes.

    ``wide`` is for screens of more colours than sRGB has, ``mixed`` for browsers that know color-mix(); both are empty
    where they would say nothing else. ``parts`` are (suffix, value) of properties that stand beside a composite one.
    """

    text: str
    wide: str = ""
    mixed: str = ""
    parts: tuple[tuple[str, str], ...] = ()


Written = str | Cell
"""A value: a cell only where there is more than a text to it."""


class View(NamedTuple):
    """Tokens in one theme, side by side: places, what is written (None for no value), and the numbers of literals.

    ``targets`` are, by place, the tokens that are not declared and whose literal is written for a reference to them.
    Only a rich view has cells.
    """

    places: Sequence[int]
    values: list[Written | None]
    numbers: list[int]
    targets: dict[int, int]
    is_rich: bool = False


class Views:
    """Makes views of one output."""

    def __init__(self, sheet: Sheet, options: CssOptions, spelling: Spelling) -> None:
        self.sheet = sheet
        self.resolution = sheet.resolution
        self.colors = spelling.colors
        self.composites = Composites(sheet, spelling.of_parts)
        self.wide = options.profile != "srgb"
        self.mixes = options.composed == "color-mix"
        self._rich = self._with_more()

    def default(self, places: Sequence[int]) -> View:
        """The default theme."""
        return self._view(places, self.resolution.default, Theme("default"))

    def of(self, modes: Mapping[FamilyKey, int], places: Sequence[int], varying: Collection[int]) -> View:
        """The theme of these modes; ``varying`` has what may differ in it from the default one."""
        theme = Theme("", tuple(modes.items()))
        needed = [*self._needed_by(places), *places] if self._rich else places
        return self._view(places, self.resolution.in_theme(theme, varying, needed), theme)

    def _view(self, places: Sequence[int], shown: Shown, theme: Theme) -> View:
        rows = self.sheet.rows(places, shown, theme)
        literals = shown.literals
        outside = {place: target for place, _, target in rows if target >= 0}
        values: list[Written | None]
        if len(rows) == len(places):
            values = [text for _, text, _ in rows]
        else:
            found = {place: text for place, text, _ in rows}
            values = [found.get(place) for place in places]
        is_rich = bool(self._rich or self.wide)
        if is_rich:
            self._enrich(places, values, shown, theme)
        return View(places, values, [literals[place] for place in places], outside, is_rich)

    def _with_more(self) -> frozenset[int]:
        """The declared tokens of which there may be more to tell than a text: composites, and composed colours."""
        tokens, kinds = self.sheet.tokens, self.sheet.kinds
        return frozenset(
            place
            for place in self.sheet.declared
            if kinds[place] in TYPES
            or (self.mixes and any(type(value) is ComposedColor for value in tokens[place].values))
        )

    def _needed_by(self, places: Sequence[int]) -> Iterator[int]:
        """What composed colours among them are made of: its literals are written where it is not declared."""
        known = self.resolution.columns.places
        for place in self._rich.intersection(places):
            for value in self.sheet.tokens[place].values:
                yield from (known[target] for target in targets(value) if target in known)

    def _enrich(self, places: Sequence[int], values: list[Written | None], shown: Shown, theme: Theme) -> None:
        """Put cells where there is more to tell than a text."""
        rich, kinds = self._rich, self.sheet.kinds
        modes = dict(theme.modes)
        for at, place in enumerate(places):
            text = values[at]
            if type(text) is not str or (place not in rich and not self.wide):
                continue
            kind = kinds[place]
            if kind == "color":
                values[at] = self._color(place, text, shown, modes)
            elif kind in TYPES:
                values[at] = self._composite(place, text, shown, modes)

    def _color(self, place: int, text: str, shown: Shown, modes: Mapping[FamilyKey, int]) -> Written:
        if text.startswith("var("):
            return text
        literal = self.sheet.literal(shown, place)
        value = self._written(place, modes) if place in self._rich else None
        over = (
            mixed(self.sheet, value, literal, shown, self.colors.text)
            if self.mixes and isinstance(value, ComposedColor)
            else ""
        )
        wide = self.colors.wide(literal) if self.wide and not over else ""
        return Cell(text, wide, over) if wide or over else text

    def _composite(self, place: int, text: str, shown: Shown, modes: Mapping[FamilyKey, int]) -> Written:
        """A composite with the references in it, and its parts; an alias has the parts of what it refers to."""
        literal = self.sheet.literal(shown, place)
        value = self._written(place, modes)
        text, parts = self.composites.written(place, text, literal, value, shown.codes[place])
        return Cell(text, parts=parts) if parts else text

    def _written(self, place: int, modes: Mapping[FamilyKey, int]) -> Value | None:
        token = self.sheet.tokens[place]
        family = self.sheet.graph.collection_of(token)
        return self.sheet.graph.value(token, modes.get(family.key, family.default_mode))
