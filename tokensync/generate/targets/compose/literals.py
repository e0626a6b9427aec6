"""Values as Kotlin expressions of Jetpack Compose's types, with the names and imports of the types.

| type | Kotlin |
| --- | --- |
| typography | `TextStyle(fontFamily = ..., fontSize = 16.sp, fontWeight = FontWeight(600), ...)` |
| cubicBezier | `CubicBezierEasing(0.2f, 0f, 0f, 1f)` |
| shadow | `TokenShadow(listOf(TokenShadow.Layer(color = ..., x = ..., y = ..., ...)))` |
| border | `TokenBorder(color = ..., width = ..., style = ...)` |
| strokeStyle | `TokenStrokeStyle.Keyword.Solid`, `TokenStrokeStyle.Dashes(listOf(4.dp, 2.dp), StrokeCap.Round)` |
| gradient | `listOf(0f to color, 1f to color)`, as `Brush` takes with a direction |
| transition | `TokenTransition(durationMillis = 200, delayMillis = 0, easing = CubicBezierEasing(...))` |

Lengths are in dp, or in sp for text, with 16 per rem. A kind is a line of ``KINDS``, ``TYPES`` and ``LITERALS``.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import notation
from tokensync.generate.notation import NO_REFERENCES, Length, Typed, composite, font_stack, in_seconds, then
from tokensync.tokens import Color, Literal, Quantity, channel, normalized, shortest
from tokensync.tokens.values import HEAVIEST, LIGHTEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.generate.target import Convert
    from tokensync.settings import FontConfig
    from tokensync.tokens.composites import Path

    References = Mapping[Path, str]


class Fonts(NamedTuple):
    """The configured fonts, the Kotlin expressions of families by their folded names, and the unit of spacing."""

    configured: tuple[FontConfig, ...] = ()
    families: Mapping[str, str] = {}
    letter_spacing: str = "sp"


NO_FONTS = Fonts()

TYPES = {
    "color": "Color",
    "dp": "Dp",
    "sp": "TextUnit",
    "em": "TextUnit",
    "number": "Float",
    "percentage": "Float",
    "weight": "FontWeight",
    "string": "String",
    "boolean": "Boolean",
    "duration": "Duration",
    "shadow": "TokenShadow",
    "border": "TokenBorder",
    "typography": "TextStyle",
    "gradient": "List<Pair<Float, Color>>",
    "transition": "TokenTransition",
    "cubicBezier": "CubicBezierEasing",
    "strokeStyle": "TokenStrokeStyle",
}
"""The Kotlin type of each kind."""

KINDS = {
    **{kind: kind for kind in TYPES if kind not in ("dp", "sp")},
    "length": "dp",
    "text-length": "sp",
    "ratio": "percentage",
    **dict.fromkeys(("keyword", "family"), "string"),
}
"""The kind of property for each kind of value."""

DECLARED = frozenset(("shadow", "border", "transition", "strokeStyle"))
"""The kinds whose types the output declares."""

PART_KINDS = {
    "color": "color",
    "dimension": "dp",
    "number": "number",
    "fontWeight": "weight",
    "cubicBezier": "cubicBezier",
    "strokeStyle": "strokeStyle",
}
"""The kind of token that a part of a composite can refer to, by the part's type; lengths of text styles are in sp."""

_SPECIAL = re.compile(
    '[\0-\x1f"\\\\$\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]'
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"', "$": "\\$"}
_MAX_LITERAL = 10_000
"""Characters of one literal; longer texts are concatenated, since the JVM's limit is 65,535 bytes."""
_NOT_IN_A_COMMENT = re.compile("[^\\S ]|[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_LARGEST_INT = 2_147_483_647
_DURATIONS = {"ms": "milliseconds", "s": "seconds"}
_DEFAULT_FAMILY = "FontFamily.Default"
_DECORATIONS = {"none": "None", "underline": "Underline", "line-through": "LineThrough"}
_LINE_HEIGHT_STYLE = "LineHeightStyle(LineHeightStyle.Alignment.Center, LineHeightStyle.Trim.None)"
"""As in design tools: a text is as high as its lines, and the first one is not shorter than the others."""
_GENERIC = {
    "serif": "FontFamily.Serif",
    "sans-serif": "FontFamily.SansSerif",
    "monospace": "FontFamily.Monospace",
    "cursive": "FontFamily.Cursive",
    "system-ui": _DEFAULT_FAMILY,
}


def string(text: str) -> str:
    """Return a Kotlin string without templates."""
    parts = [text[at : at + _MAX_LITERAL] for at in range(0, len(text), _MAX_LITERAL)] or [""]
    escaped = (notation.escaped(part, _SPECIAL, _NAMED, "\\u{:04x}") for part in parts)
    return " + ".join(f'"{part}"' for part in escaped)


def comment(text: str) -> str:
    """Return a text on one line that is safe in a documentation comment and has no links."""
    plain = " ".join(_NOT_IN_A_COMMENT.sub(" ", text).split())
    return plain.replace("*/", "*&#47;").replace("/*", "/&#42;").replace("[", "&#91;")


def color(value: Literal) -> str | None:
    """Return ``Color(0xAARRGGBB)``."""
    return color_text(value) if type(value) is Color else None


def color_text(value: Color) -> str:
    """Return ``Color(0xAARRGGBB)``, which is Dart, too."""
    alpha, red, green, blue = map(channel, (value.alpha, value.red, value.green, value.blue))
    return f"Color(0x{alpha:02X}{red:02X}{green:02X}{blue:02X})"


number = then(notation.decimal, "{}f".format)
"""Return a ``Float``."""

share = then(notation.share, "{}f".format)
"""Return a percentage as a ``Float`` from 0 to 1."""

dp = then(notation.pixels, lambda text: f"{_receiver(text)}.dp")
"""Return a ``Dp``."""

sp = then(notation.pixels, lambda text: f"{_receiver(text)}.sp")
"""Return a ``TextUnit`` that scales with the user's font size."""

em = then(notation.ems, lambda text: f"{_receiver(text)}.em")
"""Return a ``TextUnit`` in multiples of the font size."""


def font_weight(value: Literal) -> str | None:
    """Return a ``FontWeight``; None for a fraction or a number out of range."""
    return f"FontWeight({int(value)})" if type(value) is float and is_font_weight(value) else None


def is_font_weight(value: float) -> bool:
    """Return whether the number can be a ``FontWeight``."""
    return LIGHTEST <= value <= HEAVIEST and value == int(value)


def duration(value: Literal) -> str | None:
    """Return a ``kotlin.time.Duration``."""
    if type(value) is not Quantity or value.unit not in _DURATIONS:
        return None
    return f"{_receiver(shortest(normalized(value.number)))}.{_DURATIONS[value.unit]}"


def _receiver(decimal: str) -> str:
    """Return a number as the receiver of an extension property; a Double if it is out of Int's range."""
    plain = decimal if "." in decimal or abs(int(decimal)) <= _LARGEST_INT else f"{decimal}.0"
    return f"({plain})" if plain.startswith("-") else plain


def composite_text(
    dtcg_type: str, value: Literal, references: References = NO_REFERENCES, fonts: Fonts = NO_FONTS
) -> str | None:
    """Return the expression of a composite; ``references`` has the expressions of parts by path.

    Their Kotlin types are ``Color``, ``Dp`` for a length (``TextUnit`` in text styles), ``Float`` for a number, and the
    type in ``TYPES`` for a weight, stroke style or curve. Fonts, durations and whole layers are always literals.
    """
    typed = composite(value, dtcg_type)
    return None if typed is None else expression(typed, references, fonts)


def expression(value: Typed, references: References = NO_REFERENCES, fonts: Fonts = NO_FONTS) -> str:
    """Return the expression of a typed composite; ``references`` as in ``composite_text``."""
    match value:
        case notation.Shadow(layers=layers):
            return f"TokenShadow(listOf({', '.join(_layer(each, at, references) for at, each in enumerate(layers))}))"
        case notation.Border():
            line = references.get(("color",), color_text(value.color))
            width = references.get(("width",), _length(value.width))
            style = references.get(("style",), _stroke(value.style, references, "style"))
            return f"TokenBorder(color = {line}, width = {width}, style = {style})"
        case notation.StrokeStyle():
            return _stroke(value, references)
        case notation.Typography():
            return _text_style(value, references, fonts)
        case notation.Gradient(stops=stops):
            return f"listOf({', '.join(_stop(each, at, references) for at, each in enumerate(stops))})"
        case notation.Transition():
            curve = references.get(("timingFunction",), _curve(value.timing))
            times = f"durationMillis = {_milliseconds(value.duration)}, delayMillis = {_milliseconds(value.delay)}"
            return f"TokenTransition({times}, easing = {curve})"
        case notation.CubicBezier():
            return _curve(value)


def _layer(value: notation.Layer, index: int, references: References) -> str:
    members = {
        "color": references.get((index, "color"), color_text(value.color)),
        "x": references.get((index, "offsetX"), _length(value.offset_x)),
        "y": references.get((index, "offsetY"), _length(value.offset_y)),
        "blur": references.get((index, "blur"), _length(value.blur)),
        "spread": references.get((index, "spread"), _length(value.spread)),
        "isInset": "true" if value.inset else "false",
    }
    return f"TokenShadow.Layer({', '.join(f'{name} = {text}' for name, text in members.items())})"


def _stroke(value: notation.StrokeStyle, references: References, *path: str) -> str:
    if value.keyword:
        return f"TokenStrokeStyle.Keyword.{value.keyword.capitalize()}"
    lengths = (references.get((*path, "dashArray", at), _length(each)) for at, each in enumerate(value.dashes))
    return f"TokenStrokeStyle.Dashes(listOf({', '.join(lengths)}), StrokeCap.{value.cap.capitalize()})"


def _text_style(value: notation.Typography, references: References, fonts: Fonts) -> str:
    size = references.get(("fontSize",), _length(value.size, "sp"))
    spacing = references.get(("letterSpacing",), _length(value.letter_spacing, "sp"))
    if value.tracking and ("letterSpacing",) not in references:
        spacing = em(value.tracking) or spacing
    elif fonts.letter_spacing == "em" and notation.in_pixels(value.size) and not value.tracking:
        ratio = round(notation.in_pixels(value.letter_spacing) / notation.in_pixels(value.size), 4)
        spacing = f"{_receiver(shortest(normalized(ratio)))}.em"
    arguments = [f"fontFamily = {_font_family(value, fonts)}", f"fontSize = {size}"]
    if value.weight is not None:
        weight = references.get(("fontWeight",), f"FontWeight({int(value.weight + 0.5)})")
        arguments.append(f"fontWeight = {weight}")
    if value.style:
        arguments.append(f"fontStyle = FontStyle.{'Normal' if value.style == 'normal' else 'Italic'}")
    arguments.append(f"letterSpacing = {spacing}")
    if value.line_height is not None:
        line_height = references.get(("lineHeight",))
        if isinstance(value.line_height, Quantity):
            line_height = line_height or _length(value.line_height, "sp")
        else:
            line_height = f"{line_height or _receiver(shortest(normalized(value.line_height)))}.em"
        arguments += [f"lineHeight = {line_height}", f"lineHeightStyle = {_LINE_HEIGHT_STYLE}"]
    if value.decoration:
        arguments.append(f"textDecoration = TextDecoration.{_DECORATIONS[value.decoration]}")
    return f"TextStyle({', '.join(arguments)})"


def _font_family(value: notation.Typography, fonts: Fonts) -> str:
    """Return the first family of the fonts, or a generic one. Common code has no fonts by their names on a device."""
    for family in font_stack(value.families, fonts.configured):
        if declared := fonts.families.get(family.casefold()) or _GENERIC.get(family.lower()):
            return declared
    return _DEFAULT_FAMILY


def _stop(value: notation.Stop, index: int, references: References) -> str:
    position = references.get((index, "position"), f"{shortest(normalized(value.position))}f")
    return f"{position} to {references.get((index, 'color'), color_text(value.color))}"


def _length(value: Length, unit: str = "dp") -> str:
    return f"{_receiver(shortest(normalized(notation.in_pixels(value))))}.{unit}"


def _milliseconds(value: Quantity) -> str:
    """Return the milliseconds as an Int, limited to its range (24 days)."""
    return str(max(-_LARGEST_INT, min(_LARGEST_INT, round(in_seconds(value) * 1000))))


def _curve(value: notation.CubicBezier) -> str:
    handles = (value.x1, value.y1, value.x2, value.y2)
    return f"CubicBezierEasing({', '.join(f'{shortest(handle)}f' for handle in handles)})"


LITERALS: dict[str, Convert] = {
    "color": color,
    "dp": dp,
    "sp": sp,
    "em": em,
    "number": number,
    "percentage": share,
    "weight": font_weight,
    "string": then(notation.listed, string),
    "boolean": notation.boolean,
    "duration": duration,
    **{dtcg_type: partial(composite_text, dtcg_type) for dtcg_type in notation.TYPES},
}
"""The functions that write literals, by kind; they return None for unsupported values."""


def converters(fonts: Fonts) -> dict[str, Convert]:
    """Return ``LITERALS`` with the fonts in text styles."""
    return {**LITERALS, "typography": partial(composite_text, "typography", fonts=fonts)}


_COLOR = "androidx.compose.ui.graphics.Color"
_DP = "androidx.compose.ui.unit.dp"
_CURVE = "androidx.compose.animation.core.CubicBezierEasing"
_CAP = "androidx.compose.ui.graphics.StrokeCap"
_IMPORTS_OF_TYPES = {
    "color": _COLOR,
    "dp": "androidx.compose.ui.unit.Dp",
    **dict.fromkeys(("sp", "em"), "androidx.compose.ui.unit.TextUnit"),
    "weight": "androidx.compose.ui.text.font.FontWeight",
    "duration": "kotlin.time.Duration",
    "typography": "androidx.compose.ui.text.TextStyle",
    "gradient": _COLOR,
    "cubicBezier": _CURVE,
}
_IMPORTS_OF_UNITS = {
    "dp": {"dp": _DP},
    **{unit: {unit: f"androidx.compose.ui.unit.{unit}"} for unit in ("sp", "em")},
    "duration": {unit: f"kotlin.time.Duration.Companion.{unit}" for unit in _DURATIONS.values()},
}
_IMPORTS_OF_COMPOSITES = {
    each.rpartition(".")[2]: each
    for each in (
        *(_COLOR, _DP, _CURVE, _CAP),
        "androidx.compose.ui.text.TextStyle",
        "androidx.compose.ui.text.font.FontFamily",
        "androidx.compose.ui.text.font.FontStyle",
        "androidx.compose.ui.text.font.FontWeight",
        "androidx.compose.ui.text.style.LineHeightStyle",
        "androidx.compose.ui.text.style.TextDecoration",
        "androidx.compose.ui.unit.em",
        "androidx.compose.ui.unit.sp",
    )
}
_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|\w+')


def imports(kind: str, expressions: Iterable[str]) -> set[str]:
    """Return the imports of properties of this kind and of their expressions."""
    names = {_IMPORTS_OF_TYPES[kind]} if kind in _IMPORTS_OF_TYPES else set()
    for unit, name in _IMPORTS_OF_UNITS.get(kind, {}).items():
        extension = re.compile(rf"[\d)]\.{unit}(?!\w)")
        if any(unit in expression and extension.search(expression) for expression in expressions):
            names.add(name)
    if kind in notation.TYPES:
        for expression in expressions:
            words = _WORDS.findall(expression)
            names.update(_IMPORTS_OF_COMPOSITES[word] for word in words if word in _IMPORTS_OF_COMPOSITES)
    return names
