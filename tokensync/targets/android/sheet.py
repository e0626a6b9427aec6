"""An Android output's sheet: which resource each token is, and how its literals and references are written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tokensync.generate.composites import references
from tokensync.generate.sheet import Sheet
from tokensync.targets.android import composites as composites_android
from tokensync.targets.android import literals as android
from tokensync.targets.android.naming import NAMING
from tokensync.targets.android.resources import ELEMENTS, PARENT, TEXT_STYLE
from tokensync.tokens import targets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.sheet import Row
    from tokensync.targets.android.options import AndroidOptions
    from tokensync.tokens import Theme, Token, TokenGraph, Value
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import ResolvedTheme

_KINDS = {
    "color": "color",
    "length": "dp",
    "number": "number",
    "percentage": "percentage",
    "weight": "integer",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
    "duration": "milliseconds",
    "typography": TEXT_STYLE,
}


_PARTS: dict[Path, dict[str, str]] = {
    ("fontSize",): {"sp": "@dimen/", "dp": "@dimen/"},
    ("fontWeight",): {"integer": "@integer/"},
}
"""The references that text styles keep, by part and kind. A family is one name there, where a resource has the list."""


class AndroidSheet(Sheet):
    """The sheet of an output, every token's kind settled for all themes."""

    def __init__(self, resolution: Resolution, request: OutputRequest, options: AndroidOptions) -> None:
        super().__init__(
            resolution,
            request,
            naming=NAMING,
            kinds={**_KINDS, "text-length": options.text},
            literals={**android.LITERALS, TEXT_STYLE: partial(composites_android.text_style, unit=options.text)},
            references={kind: (element.reference, "") for kind, element in ELEMENTS.items() if element.reference},
            unrepresentable=android.UNREPRESENTABLE,
        )
        self._unit = options.text
        _settle_weights(self)

    def rows(
        self, places: Iterable[int], shown: ResolvedTheme, theme: Theme, referable: Collection[int] | None = None
    ) -> list[Row]:
        """As any sheet's; text styles refer to others as their parents, and to sizes and weights."""
        kinds = self.kinds
        return [
            (place, self._style(place, shown, theme, referable) or text, target)
            if kinds[place] == TEXT_STYLE
            else (place, text, target)
            for place, text, target in super().rows(places, shown, theme, referable)
        ]

    def _style(self, place: int, shown: ResolvedTheme, theme: Theme, referable: Collection[int] | None) -> str | None:
        """The parent or the items of a text style; None when it has no reference that can be kept."""
        target = shown.codes[place]
        if target >= 0 and self.kinds[target] == TEXT_STYLE and (referable is None or target in referable):
            element = ELEMENTS[TEXT_STYLE]
            return f"{PARENT}{element.prefix}{self.names[target]}"
        token = self.tokens[place]
        family = token.key[:2]
        mode = dict(theme.modes).get(family, self.graph.collections[family].default_mode)
        kept = {}
        for part in references(self.graph.value(token, mode), "typography"):
            target = self.resolution.columns.places[part.target]
            around = _PARTS.get(part.path, {}).get(self.kinds[target] or "")
            if around and (referable is None or target in referable):
                kept[part.path] = f"{around}{self.names[target]}"
        return composites_android.text_style(self.literal(shown, place), kept, self._unit) if kept else None


def _settle_weights(sheet: Sheet) -> None:
    """A font weight that is not whole in every theme cannot be an integer resource: it is a number."""
    for place in sheet.declared:
        if sheet.kinds[place] == "integer" and not all(map(_is_whole, _literals(sheet.graph, sheet.tokens[place]))):
            sheet.kinds[place] = "number"


def _literals(graph: TokenGraph, token: Token) -> Iterator[Value]:
    """The literals that the token leads to in any mode of any collection."""
    seen = {token.key}
    waiting = [token]
    while waiting:
        for value in waiting.pop().values:
            if value is not None:
                yield value
            for target in targets(value):
                if target not in seen and target in graph.tokens:
                    seen.add(target)
                    waiting.append(graph.tokens[target])


def _is_whole(value: Value) -> bool:
    """Whether it can be an integer; what is no number has no say."""
    return not isinstance(value, float) or (value == value // 1 and abs(value) <= android.LARGEST_INTEGER)
