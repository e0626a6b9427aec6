"""Composite tokens as Swift: values of the types in templates/ios/Styles.swift.j2, and of SwiftUI's ``Gradient``.

Lengths are points, a rem counts 16; durations are seconds. The types keep what a token says and SwiftUI has no word
for (a weight of 450, a spread, a groove), beside what it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import (
    NO_REFERENCES,
    Border,
    CubicBezier,
    Gradient,
    Layer,
    Shadow,
    Stop,
    StrokeStyle,
    Transition,
    Typography,
    pixels,
    seconds,
)
from tokensync.targets.ios import literals as swift
from tokensync.tokens import float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.generate.composites import Length, Typed
    from tokensync.tokens import Color, Quantity
    from tokensync.tokens.composites import Path

    Texts = Mapping[Path, str]

OURS = {
    "shadow": "Shadow",
    "border": "Border",
    "typography": "TextStyle",
    "transition": "Transition",
    "cubicBezier": "Curve",
    "strokeStyle": "StrokeStyle",
}
"""The Swift type of each DTCG type, after the prefix that an output's types have; ``Gradient`` is SwiftUI's."""


class Spelling(NamedTuple):
    """How a colour is written, as an expression of SwiftUI's ``Color``, and the prefix of the types."""

    color: Callable[[Color], str] = lambda color: swift.color_expression(color, "srgb")
    prefix: str = "Token"

    def types(self) -> dict[str, str]:
        """The Swift type of each DTCG type."""
        return {"gradient": "Gradient", **{each: f"{self.prefix}{name}" for each, name in OURS.items()}}


PLAIN = Spelling()


def text(value: Typed, references: Texts = NO_REFERENCES, spelling: Spelling = PLAIN) -> str:
    """The expression; ``references`` holds those of parts that are another constant, by their path.

    A colour's is a ``Color``, a length's, number's or weight's a ``CGFloat``, a duration's a ``TimeInterval``, that of
    font families an array of strings, that of a layer one, and that of a stroke style or curve of the type above.
    """
    return _Writing(references, spelling).text(value)


class _Writing:
    """Writes one value; a path names the part that a text is wanted of."""

    def __init__(self, references: Texts, spelling: Spelling) -> None:
        self.references = references
        self.spelling = spelling
        self.prefix = spelling.prefix

    def text(self, value: Typed) -> str:
        match value:
            case Shadow(layers=layers):
                return f"{self.prefix}Shadow(layers: [{', '.join(map(self.layer, layers, range(len(layers))))}])"
            case Border():
                style = self._or(("style",), self.stroke(value.style, "style"))
                color, width = self.color(value.color, "color"), self.length(value.width, "width")
                return f"{self.prefix}Border(color: {color}, width: {width}, style: {style})"
            case StrokeStyle():
                return f"{self.prefix}StrokeStyle{self.stroke(value)}"
            case Typography():
                return self.text_style(value)
            case Gradient(stops=stops):
                return f"Gradient(stops: [{', '.join(map(self.stop, stops, range(len(stops))))}])"
            case Transition():
                duration, delay = self.time(value.duration, "duration"), self.time(value.delay, "delay")
                curve = self._or(("timingFunction",), self.curve(value.timing))
                return f"{self.prefix}Transition(duration: {duration}, delay: {delay}, curve: {curve})"
            case CubicBezier():
                return self.curve(value)

    def _or(self, path: Path, literal: str) -> str:
        return self.references.get(path, literal)

    def color(self, value: Color, *path: str | int) -> str:
        return self._or(path, self.spelling.color(value))

    def length(self, value: Length, *path: str | int) -> str:
        return self._or(path, shortest(float32(pixels(value))))

    def time(self, value: Quantity, *path: str) -> str:
        return self._or(path, shortest(float32(seconds(value))))

    def layer(self, value: Layer, index: int) -> str:
        members = (
            ("color", self.color(value.color, index, "color")),
            ("x", self.length(value.offset_x, index, "offsetX")),
            ("y", self.length(value.offset_y, index, "offsetY")),
            ("blur", self.length(value.blur, index, "blur")),
            ("spread", self.length(value.spread, index, "spread")),
            ("isInset", "true" if value.inset else "false"),
        )
        return self._or((index,), f".init({_arguments(members)})")

    def stroke(self, value: StrokeStyle, *path: str) -> str:
        if value.keyword:
            return f".{value.keyword}"
        lengths = (self.length(each, *path, "dashArray", index) for index, each in enumerate(value.dashes))
        return f".dashes([{', '.join(lengths)}], cap: .{value.cap})"

    def text_style(self, value: Typography) -> str:
        members = (
            ("families", self._or(("fontFamily",), f"[{', '.join(map(swift.string, value.families))}]")),
            ("size", self.length(value.size, "fontSize")),
            ("weight", self._or(("fontWeight",), shortest(value.weight))),
            ("letterSpacing", self.length(value.letter_spacing, "letterSpacing")),
            ("lineHeight", self._or(("lineHeight",), shortest(value.line_height))),
        )
        return f"{self.prefix}TextStyle({_arguments(members)})"

    def curve(self, value: CubicBezier) -> str:
        handles = zip(("x1", "y1", "x2", "y2"), (value.x1, value.y1, value.x2, value.y2), strict=True)
        return f"{self.prefix}Curve({_arguments(tuple((name, shortest(each)) for name, each in handles))})"

    def stop(self, value: Stop, index: int) -> str:
        location = self._or((index, "position"), shortest(value.position))
        return f".init(color: {self.color(value.color, index, 'color')}, location: {location})"


def _arguments(members: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name}: {each}" for name, each in members)
