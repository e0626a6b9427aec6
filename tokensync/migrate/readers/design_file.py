"""Another design file as a source: its variables, or its styles of one solid paint.

A collection is a group of themes with a set for each mode. Their file is the design file, and all lines are 1.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.migrate.readers.figma_export import FIGMA_NAME, FORMAT
from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet, Unread
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    DanglingAlias,
    Literal,
    Theme,
    Unresolved,
    hexadecimal,
    shortest,
)
from tokensync.tokens.composites import literal_json
from tokensync.tokens.paths import names
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.migrate.source import Written
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value


class PaintStyle(NamedTuple):
    """A style: its name, its description, its kind (``FILL``, ``TEXT`` ...) and the platform's value."""

    name: str
    description: str
    kind: str
    value: Any


def of_variables(graph: TokenGraph, label: str) -> Source:
    """Return the local variables of a graph of one file as a source; ``label`` names the file in messages."""
    return _Variables(graph, label).source()


class _Variables:
    def __init__(self, graph: TokenGraph, label: str) -> None:
        self.graph = graph
        self.at = Location(label, 0)
        self.unread: list[Unread] = []
        local = [key for key, each in graph.tokens.items() if each.origin == "local"]
        counts = Counter(key.path.casefold() for key in local)
        self.names = {
            key: (graph.collections[key[:2]].name, *names(key.path))
            if counts[key.path.casefold()] > 1
            else names(key.path)
            for key in local
        }

    def source(self) -> Source:
        sets: list[TokenSet] = []
        themes: list[SourceTheme] = []
        by_family: dict[tuple[str, str], list[Token]] = {}
        for key in self.names:
            by_family.setdefault(key[:2], []).append(self.graph.tokens[key])
        for family, tokens in by_family.items():
            collection = self.graph.collections[family]
            for column, mode in enumerate(collection.modes):
                if mode.collection != collection.handle:
                    continue
                name = f"{collection.handle}/{mode.slug}"
                resolve = self.graph.resolver(Theme(mode.name, ((family, column),)))
                found = (self._token(token, column, collection, resolve(token.key)) for token in tokens)
                sets.append(TokenSet(name, tuple(token for token in found if token is not None)))
                is_default = column == collection.default_mode
                themes.append(SourceTheme(mode.name, {name: "enabled"}, collection.name, is_default))
        return Source(FORMAT, tuple(sets), tuple(themes), tuple(self.unread))

    def _token(
        self, token: Token, column: int, collection: Collection, literal: Literal | Unresolved
    ) -> SourceToken | None:
        value = self.graph.value(token, column)
        written = self._written(token, value, literal)
        if written is None:
            reason = f"it has no value in the mode {collection.modes[column].name}"
            self.unread.append(Unread(self.at, ".".join(self.names[token.key]), reason))
            return None
        own = self.names[token.key]
        is_text = isinstance(written, str) and not isinstance(value, Alias | ComposedColor)
        return SourceToken(
            own,
            written,
            self.at,
            "fontWeight" if token.type == AS_TEXT else token.type,
            token.description,
            token.deprecated,
            is_text=is_text,
            scopes=token.scopes,
            code_syntax=token.code_syntax,
            is_hidden=token.hidden,
            extensions={FIGMA_NAME: "/".join(names(token.key.path))},
        )

    def _written(self, token: Token, value: Value | None, literal: Literal | Unresolved) -> Written:
        """Return a value as a source has it; None if there is none."""
        match value:
            case Alias(target=target) if target in self.names:
                return self._reference(target)
            case ComposedColor(color=color, opacity=opacity):
                base = hexadecimal(color) if isinstance(color, Color) else self._own(color)
                share = shortest(opacity / 100) if isinstance(opacity, float) else self._own(opacity)
                if base and share:
                    return f"rgba({base}, {share})"
        if isinstance(literal, Unresolved):
            return None
        if value is not None and literal != value:
            what = "it refers to what this file does not own; its value is copied"
            self.unread.append(Unread(self.at, ".".join(self.names[token.key]), what, is_token=False))
        written: Written = literal_json(literal, token.type)
        return written

    def _own(self, value: Alias | DanglingAlias) -> str:
        """Return the reference to a variable of the file; empty for others."""
        return self._reference(value.target) if isinstance(value, Alias) and value.target in self.names else ""

    def _reference(self, target: TokenKey) -> str:
        return f"{{{'.'.join(self.names[target])}}}"


_KINDS = {"TEXT": "a text style", "EFFECT": "an effect style", "GRID": "a grid style"}


def of_styles(styles: Iterable[PaintStyle], label: str) -> Source:
    """Return styles as a source: those of one solid paint are colours, others are reported."""
    at = Location(label, 0)
    tokens: list[SourceToken] = []
    unread: list[Unread] = []
    for style in styles:
        paint = _solid(style)
        if isinstance(paint, str):
            unread.append(Unread(at, style.name.replace("/", "."), paint))
        else:
            value = literal_json(paint, "color")
            tokens.append(SourceToken(tuple(style.name.split("/")), value, at, "color", style.description))
    return Source(FORMAT, (TokenSet("styles", tuple(tokens)),), (), tuple(unread))


def _solid(style: PaintStyle) -> Color | str:
    """Return the colour of a style, or why it has none that a variable can hold."""
    if style.kind != "FILL":
        return f"it is {_KINDS.get(style.kind, 'a style')}, which no variable can hold; it stays a style"
    paints = [each for each in style.value if isinstance(each, dict)] if isinstance(style.value, list) else []
    visible = [paint for paint in paints if paint.get("visible") is not False]
    if len(visible) != 1:
        return f"it has {len(visible)} paints, and a variable holds one colour; it stays a style"
    if visible[0].get("type") != "SOLID":
        paint = str(visible[0].get("type")).lower().replace("_", " ")[:40]
        return f"its paint is a {paint}, which no variable can hold; it stays a style"
    color = _color(visible[0])
    return color or "its colour cannot be read"


def _color(paint: Mapping[str, Any]) -> Color | None:
    color = paint.get("color")
    parts = [color.get(each) for each in "rgb"] if isinstance(color, dict) else []
    alpha = color.get("a", 1) if isinstance(color, dict) else 1
    opacity = paint.get("opacity", 1)
    numbers = [float(each) for each in (*parts, alpha, opacity) if type(each) in (int, float)]
    if len(numbers) != 5 or not all(0 <= number <= 1 for number in numbers):
        return None
    red, green, blue, alpha, opacity = numbers
    return Color(red, green, blue, alpha * opacity)
