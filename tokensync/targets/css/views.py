"""What tokens are written as in one theme: their texts, and what stands beside them for browsers that can more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import TYPES
from tokensync.targets.css.mixing import mix_of, mixed
from tokensync.targets.css.parts import Composites
from tokensync.tokens import Color, ComposedColor, Theme, targets

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.css.mixing import Mix
    from tokensync.targets.css.options import CssOptions
    from tokensync.targets.css.spelling import Spelling
    from tokensync.tokens import FamilyKey, Value
    from tokensync.tokens.resolver import ResolvedTheme


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
    """Tokens in one theme, side by side: places, and what is written (None for no value).

    ``literals`` are the numbers of what they show, by place; for other tokens they say nothing.
    ``targets`` are, by place, the tokens that are not declared and whose literal is written for a reference to them.
    Only a rich view has cells.
    """

    places: Sequence[int]
    values: list[Written | None]
    literals: list[int]
    targets: dict[int, int]
    is_rich: bool = False


def is_reference(value: Written | None) -> bool:
    """Whether a token is written as a reference and nothing else: then it follows what it refers to."""
    return type(value) is str and value.startswith("var(") and value.find(")") == len(value) - 1


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
        self._known: dict[tuple[int, int], tuple[Value | None, Mix | None]] = {}

    def default(self, places: Sequence[int]) -> View:
        """The default theme."""
        return self._view(places, self.resolution.default, Theme("default"))

    def of(self, modes: Mapping[FamilyKey, int], places: Sequence[int], varying: Collection[int]) -> View:
        """The theme of these modes; ``varying`` has what may differ in it from the default one."""
        theme = Theme("", tuple(modes.items()))
        needed = places
        if self._rich:
            needed = [*(each for place in self._rich.keys() & set(places) for each in self._rich[place]), *places]
        return self._view(places, self.resolution.in_theme(theme, varying, needed), theme)

    def numbers(self, modes: Mapping[FamilyKey, int], places: Sequence[int], varying: Collection[int]) -> list[int]:
        """The numbers of the literals that tokens show in a theme."""
        literals = self.resolution.in_theme(Theme("", tuple(modes.items())), varying, places).literals
        return [literals[place] for place in places]

    def _view(self, places: Sequence[int], shown: ResolvedTheme, theme: Theme) -> View:
        rows = self.sheet.rows(places, shown, theme)
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
        return View(places, values, shown.literals, outside, is_rich)

    def _with_more(self) -> dict[int, list[int]]:
        """The declared tokens of which there may be more to tell than a text: composites, and composed colours.

        With each, the places of what it refers to in any mode: where that is not declared, its literals are written.
        """
        tokens, kinds, known = self.sheet.tokens, self.sheet.kinds, self.resolution.columns.places
        return {
            place: [known[each] for value in tokens[place].values for each in targets(value) if each in known]
            for place in self.sheet.declared
            if kinds[place] in TYPES
            or (self.mixes and any(type(value) is ComposedColor for value in tokens[place].values))
        }

    def _enrich(self, places: Sequence[int], values: list[Written | None], shown: ResolvedTheme, theme: Theme) -> None:
        """Put cells where there is more to tell than a text."""
        rich, kinds = self._rich, self.sheet.kinds
        modes = dict(theme.modes)
        for at, place in [each for each in enumerate(places) if self.wide or each[1] in rich]:
            text = values[at]
            if type(text) is not str:
                continue
            kind = kinds[place]
            if kind == "color":
                if not text.startswith("var("):
                    values[at] = self._color(place, text, shown, modes)
            elif kind in TYPES:
                values[at] = self._composite(place, text, shown, modes)

    def _color(self, place: int, text: str, shown: ResolvedTheme, modes: Mapping[FamilyKey, int]) -> Written:
        literal = self.sheet.literal(shown, place)
        over = ""
        # Where nothing of a colour is left, color-mix() would lose its channels too.
        if place in self._rich and isinstance(literal, Color) and literal.alpha != 0:
            _, mix = self._written(place, modes)
            over = "" if mix is None else mixed(self.sheet, mix, shown, self.colors.text)
        wide = self.colors.wide(literal) if self.wide and not over else ""
        return Cell(text, wide, over) if wide or over else text

    def _composite(self, place: int, text: str, shown: ResolvedTheme, modes: Mapping[FamilyKey, int]) -> Written:
        """A composite with the references in it, and its parts; an alias has the parts of what it refers to."""
        literal = self.sheet.literal(shown, place)
        value, _ = self._written(place, modes)
        text, parts = self.composites.written(place, text, literal, value, shown.codes[place])
        return Cell(text, parts=parts) if parts else text

    def _written(self, place: int, modes: Mapping[FamilyKey, int]) -> tuple[Value | None, Mix | None]:
        """What is written for a token in a theme, and what it mixes."""
        token = self.sheet.tokens[place]
        family = token.key[:2]
        mode = modes.get(family, -1)
        key = (place, mode)
        if key not in self._known:
            graph = self.sheet.graph
            value = graph.value(token, graph.collections[family].default_mode if mode < 0 else mode)
            mixes = self.mixes and isinstance(value, ComposedColor)
            self._known[key] = (value, mix_of(self.sheet, value, self.colors.text) if mixes else None)  # type: ignore[arg-type]
        return self._known[key]
