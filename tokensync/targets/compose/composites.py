"""Composite tokens as Kotlin: Compose's own ``TextStyle`` and ``CubicBezierEasing``, and values of small types beside.

| type | Kotlin |
| --- | --- |
| typography | `TextStyle(fontFamily = ..., fontSize = 16.sp, fontWeight = FontWeight(600), ...)` |
| cubicBezier | `CubicBezierEasing(0.2f, 0f, 0f, 1f)` |
| shadow | `TokenShadow(listOf(TokenShadow.Layer(color = ..., x = ..., y = ..., ...)))` |
| border | `TokenBorder(color = ..., width = ..., style = ...)` |
| strokeStyle | `TokenStrokeStyle.Keyword.Solid`, `TokenStrokeStyle.Dashes(listOf(4.dp, 2.dp), StrokeCap.Round)` |
| gradient | `listOf(0f to color, 1f to color)`, as `Brush` takes with a direction |
| transition | `TokenTransition(durationMillis = 200, delayMillis = 0, easing = CubicBezierEasing(...))` |

Lengths are dp, those of text sp; a rem counts 16.
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
from tokensync.tokens import float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.generate.composites import Length, Typed
    from tokensync.tokens import Color, Quantity
    from tokensync.tokens.composites import Path

    Texts = Mapping[Path, str]

TYPES = {
    "shadow": "TokenShadow",
    "border": "TokenBorder",
    "typography": "TextStyle",
    "gradient": "List<Pair<Float, Color>>",
    "transition": "TokenTransition",
    "cubicBezier": "CubicBezierEasing",
    "strokeStyle": "TokenStrokeStyle",
}
"""The Kotlin type of each DTCG type."""

IMPORTS = {
    "shadow": ("androidx.compose.ui.unit.dp",),
    "border": ("androidx.compose.ui.graphics.StrokeCap", "androidx.compose.ui.unit.dp"),
    "typography": (
        "androidx.compose.ui.text.TextStyle",
        "androidx.compose.ui.text.font.DeviceFontFamilyName",
        "androidx.compose.ui.text.font.Font",
        "androidx.compose.ui.text.font.FontFamily",
        "androidx.compose.ui.text.font.FontWeight",
        "androidx.compose.ui.unit.em",
        "androidx.compose.ui.unit.sp",
    ),
    "gradient": (),
    "transition": ("androidx.compose.animation.core.CubicBezierEasing",),
    "cubicBezier": ("androidx.compose.animation.core.CubicBezierEasing",),
    "strokeStyle": ("androidx.compose.ui.graphics.StrokeCap", "androidx.compose.ui.unit.dp"),
}
"""What the expressions of each type need, beside ``androidx.compose.ui.graphics.Color``."""

_GENERIC = {
    "serif": "FontFamily.Serif",
    "sans-serif": "FontFamily.SansSerif",
    "monospace": "FontFamily.Monospace",
    "cursive": "FontFamily.Cursive",
    "system-ui": "FontFamily.Default",
}


class Spelling(NamedTuple):
    """How a colour and a string are written as Kotlin expressions."""

    color: Callable[[Color], str]
    string: Callable[[str], str]


_LARGEST_INT = 2_147_483_647


def text(value: Typed, spelling: Spelling, references: Texts = NO_REFERENCES) -> str:
    """The expression; ``references`` holds those of parts that are another value, by their path.

    A colour's is a ``Color``, a length's a ``Dp`` (of text a ``TextUnit``), a number's a ``Float``, and that of a
    stroke style or curve of the type above. Fonts, weights, times and whole layers are always written out.
    """
    return _Writing(references, spelling).text(value)


class _Writing:
    """Writes one value; a path names the part that a text is wanted of."""

    def __init__(self, references: Texts, spelling: Spelling) -> None:
        self.references = references
        self.spelling = spelling

    def text(self, value: Typed) -> str:
        match value:
            case Shadow(layers=layers):
                return f"TokenShadow(listOf({', '.join(map(self.layer, layers, range(len(layers))))}))"
            case Border():
                style = self._or(("style",), self.stroke(value.style, "style"))
                color, width = self.color(value.color, "color"), self.dp(value.width, "width")
                return f"TokenBorder(color = {color}, width = {width}, style = {style})"
            case StrokeStyle():
                return self.stroke(value)
            case Typography():
                return self.text_style(value)
            case Gradient(stops=stops):
                return f"listOf({', '.join(map(self.stop, stops, range(len(stops))))})"
            case Transition():
                curve = self._or(("timingFunction",), _curve(value.timing))
                duration, delay = _milliseconds(value.duration), _milliseconds(value.delay)
                return f"TokenTransition(durationMillis = {duration}, delayMillis = {delay}, easing = {curve})"
            case CubicBezier():
                return _curve(value)

    def _or(self, path: Path, literal: str) -> str:
        return self.references.get(path, literal)

    def color(self, value: Color, *path: str | int) -> str:
        return self._or(path, self.spelling.color(value))

    def dp(self, value: Length, *path: str | int) -> str:
        return self._or(path, f"{_number(pixels(value))}.dp")

    def sp(self, value: Length, *path: str | int) -> str:
        return self._or(path, f"{_number(pixels(value))}.sp")

    def layer(self, value: Layer, index: int) -> str:
        members = {
            "color": self.color(value.color, index, "color"),
            "x": self.dp(value.offset_x, index, "offsetX"),
            "y": self.dp(value.offset_y, index, "offsetY"),
            "blur": self.dp(value.blur, index, "blur"),
            "spread": self.dp(value.spread, index, "spread"),
            "isInset": "true" if value.inset else "false",
        }
        return f"TokenShadow.Layer({', '.join(f'{name} = {text}' for name, text in members.items())})"

    def stroke(self, value: StrokeStyle, *path: str) -> str:
        if value.keyword:
            return f"TokenStrokeStyle.Keyword.{value.keyword.capitalize()}"
        lengths = (self.dp(each, *path, "dashArray", index) for index, each in enumerate(value.dashes))
        return f"TokenStrokeStyle.Dashes(listOf({', '.join(lengths)}), StrokeCap.{value.cap.capitalize()})"

    def text_style(self, value: Typography) -> str:
        line_height = self._or(("lineHeight",), _number(value.line_height))
        return (
            f"TextStyle(fontFamily = {self.family(value)}, fontSize = {self.sp(value.size, 'fontSize')}, "
            f"fontWeight = FontWeight({int(value.weight + 0.5)}), "
            f"letterSpacing = {self.sp(value.letter_spacing, 'letterSpacing')}, lineHeight = {line_height}.em)"
        )

    def family(self, value: Typography) -> str:
        """A generic family, or those that the device may have, before Compose's own choice."""
        if not value.families:
            return "FontFamily.Default"
        generic = _GENERIC.get(value.families[0].lower())
        if generic is not None:
            return generic
        names = (each for each in value.families if each and each.lower() not in _GENERIC)
        fonts = ", ".join(f"Font(DeviceFontFamilyName({self.spelling.string(each)}))" for each in names)
        return f"FontFamily({fonts})" if fonts else "FontFamily.Default"

    def stop(self, value: Stop, index: int) -> str:
        position = self._or((index, "position"), _float(value.position))
        return f"{position} to {self.color(value.color, index, 'color')}"


def _float(number: float) -> str:
    return f"{shortest(float32(number))}f"


def _number(number: float) -> str:
    """What a unit follows; in parentheses where a minus sign would come before it."""
    text = literal(shortest(float32(number)))
    return f"({text})" if number < 0 else text


def literal(decimal: str) -> str:
    """A number that a property is asked of; one that no Int holds is a Double."""
    return decimal if "." in decimal or abs(int(decimal)) <= _LARGEST_INT else f"{decimal}.0"


def _milliseconds(value: Quantity) -> str:
    """An Int; what is longer than one holds lasts as long as one can: 24 days."""
    return str(max(-_LARGEST_INT, min(_LARGEST_INT, round(seconds(value) * 1000))))


def _curve(value: CubicBezier) -> str:
    handles = (value.x1, value.y1, value.x2, value.y2)
    return f"CubicBezierEasing({', '.join(f'{shortest(each)}f' for each in handles)})"
