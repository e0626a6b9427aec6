"""Values as Dart expressions of Flutter's types.

| type | Dart |
| --- | --- |
| typography | `TextStyle(fontFamily: 'Inter', fontSize: 16.0, fontWeight: FontWeight.w600, height: 1.5, ...)` |
| cubicBezier | `Cubic(0.2, 0.0, 0.0, 1.0)` |
| shadow | `[BoxShadow(color: ..., offset: Offset(0.0, 2.0), blurRadius: 4.0, spreadRadius: 0.0)]` |
| border | `BorderSide(color: ..., width: 1.0)` |
| gradient | `LinearGradient(colors: [...], stops: [...])` |
| transition | `(duration: Duration(milliseconds: 200), delay: Duration.zero, curve: Cubic(...))` |

Lengths are in logical pixels, with 16 per rem.
"""

from __future__ import annotations

import re
from functools import partial
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import notation
from tokensync.generate.notation import composite, then
from tokensync.generate.targets.compose.literals import color, color_text
from tokensync.tokens import Composite, Quantity, normalized, shortest

if TYPE_CHECKING:
    from tokensync.generate.notation import Length, Typed
    from tokensync.generate.target import Convert
    from tokensync.settings import FontConfig
    from tokensync.tokens import Literal, Unresolved


class Fonts(NamedTuple):
    """The configured fonts, and the Dart package that declares them if it is not the app."""

    configured: tuple[FontConfig, ...] = ()
    package: str | None = None

    def named(self, family: str) -> FontConfig | None:
        """Return the configuration of a family."""
        return next((font for font in self.configured if font.family.casefold() == family.casefold()), None)


KINDS = {
    **{kind: kind for kind in ("color", "number", "percentage", "weight", "string", "family", "boolean", "duration")},
    "length": "dimension",
    "text-length": "dimension",
    "ratio": "percentage",
    "keyword": "string",
    **{dtcg_type: dtcg_type for dtcg_type in notation.TYPES if dtcg_type != "strokeStyle"},
}
"""The kind of member for each kind of value. Families of which one is a list are ``families``."""

TYPES = {
    "color": "Color",
    "dimension": "double",
    "number": "double",
    "percentage": "double",
    "weight": "FontWeight",
    "string": "String",
    "family": "String",
    "families": "List<String>",
    "boolean": "bool",
    "duration": "Duration",
    "shadow": "List<BoxShadow>",
    "border": "BorderSide",
    "typography": "TextStyle",
    "gradient": "LinearGradient",
    "transition": "({Duration duration, Duration delay, Cubic curve})",
    "cubicBezier": "Cubic",
}
"""The Dart type of each kind."""

LERPS = {
    "color": "Color.lerp({0}, other.{1}, t)!",
    **dict.fromkeys(("dimension", "number", "percentage"), "lerpDouble({0}, other.{1}, t)!"),
    "weight": "FontWeight.lerp({0}, other.{1}, t)!",
    "shadow": "BoxShadow.lerpList({0}, other.{1}, t)!",
    "border": "BorderSide.lerp({0}, other.{1}, t)",
    "typography": "TextStyle.lerp({0}, other.{1}, t)!",
    "gradient": "LinearGradient.lerp({0}, other.{1}, t)!",
}
"""The value between two, by kind; other kinds change at the half."""

_SPECIAL = re.compile(
    "[\0-\x1f'\\\\$\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'", "$": "\\$"}
_OF_SYSTEM = frozenset("system-ui,ui-sans-serif,-apple-system,blinkmacsystemfont".split(","))
"""The names of the system's font, which Flutter shows where a style names none."""
_DECORATIONS = {"none": "none", "underline": "underline", "line-through": "lineThrough"}


def string(text: str) -> str:
    """Return a Dart string without interpolation."""
    return f"'{notation.escaped(text, _SPECIAL, _NAMED, chr(92) + 'u{:04x}')}'"


def _double(decimal: str) -> str:
    return decimal if "." in decimal else f"{decimal}.0"


def _number(value: float) -> str:
    return _double(shortest(normalized(value)))


def _length(value: Length) -> str:
    return _number(notation.in_pixels(value))


def is_font_weight(value: float) -> bool:
    """Return whether the number is one of the weights that Flutter names."""
    return value % 100 == 0 and 100 <= value <= 900


def font_weight(value: Literal) -> str | None:
    """Return a ``FontWeight``; None for a number that is not one of the hundreds."""
    return f"FontWeight.w{int(value)}" if type(value) is float and is_font_weight(value) else None


def is_single(value: Literal | Unresolved | None) -> bool:
    """Return whether the value is the name of one family."""
    return isinstance(value, str | Composite) and len(notation.families(value) or ()) == 1


def _list(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def duration(value: Literal) -> str | None:
    """Return a ``Duration``, to the microsecond."""
    return _duration(value) if type(value) is Quantity and value.unit in ("ms", "s") else None


def _duration(value: Quantity) -> str:
    microseconds = round(notation.in_seconds(value) * 1_000_000)
    milliseconds, rest = divmod(microseconds, 1000)
    if not microseconds:
        return "Duration.zero"
    return f"Duration({f'microseconds: {microseconds}' if rest else f'milliseconds: {milliseconds}'})"


def _curve(value: notation.CubicBezier) -> str:
    return f"Cubic({', '.join(map(_number, (value.x1, value.y1, value.x2, value.y2)))})"


def composite_text(dtcg_type: str, fonts: Fonts, value: Literal) -> str | None:
    """Return the expression of a composite value; None for one that Flutter has not."""
    typed = composite(value, dtcg_type)
    return None if typed is None else _expression(typed, fonts)


def _expression(value: Typed, fonts: Fonts) -> str | None:
    match value:
        case notation.Shadow(layers=layers):
            return None if any(layer.inset for layer in layers) else _list([*map(_layer, layers)])
        case notation.Border(style=style):
            is_solid = style.keyword == "solid"
            return f"BorderSide(color: {color_text(value.color)}, width: {_length(value.width)})" if is_solid else None
        case notation.Typography():
            return _text_style(value, fonts)
        case notation.Gradient(stops=stops):
            two = (stops * 2)[: max(len(stops), 2)]  # fewer are an error in Flutter
            colors, positions = [color_text(stop.color) for stop in two], [_number(stop.position) for stop in two]
            return f"LinearGradient(colors: {_list(colors)}, stops: {_list(positions)})"
        case notation.Transition():
            times = f"duration: {_duration(value.duration)}, delay: {_duration(value.delay)}"
            return f"({times}, curve: {_curve(value.timing)})"
        case notation.CubicBezier():
            return _curve(value)
    return None


def _layer(value: notation.Layer) -> str:
    offset = f"Offset({_length(value.offset_x)}, {_length(value.offset_y)})"
    radii = f"blurRadius: {_length(value.blur)}, spreadRadius: {_length(value.spread)}"
    return f"BoxShadow(color: {color_text(value.color)}, offset: {offset}, {radii})"


def _text_style(value: notation.Typography, fonts: Fonts) -> str:
    """Return a ``TextStyle``, whose lines are as high as in design tools and have their text in the middle."""
    stack = notation.font_stack(value.families, fonts.configured)
    families = [name for name in stack if name.lower() not in _OF_SYSTEM]
    first, *others = [  # the parameter ``package`` would rename the fallbacks of the system, too
        string(f"packages/{fonts.package}/{name}" if fonts.package and (fonts.named(name) or not at) else name)
        for at, name in enumerate(families)
    ] or [""]
    arguments = [f"fontFamily: {first}"] if first else []
    if others:
        arguments.append(f"fontFamilyFallback: {_list(others)}")
    arguments.append(f"fontSize: {_length(value.size)}")
    if value.weight is not None:
        arguments.append(f"fontWeight: FontWeight.w{min(max(floor(value.weight / 100 + 0.5), 1), 9)}00")
        font = fonts.named(families[0]) if families else None
        # Flutter sets the weight of a variable font to ``fontWeight`` only from 3.41 on.
        is_variable = font is not None and any(face.weight is None for face in font.faces)
        if is_variable or not is_font_weight(value.weight):
            arguments.append(f"fontVariations: [FontVariation('wght', {_number(value.weight)})]")
    if value.style:
        arguments.append(f"fontStyle: FontStyle.{'normal' if value.style == 'normal' else 'italic'}")
    arguments.append(f"letterSpacing: {_length(value.letter_spacing)}")
    if value.line_factor is not None:
        arguments += [f"height: {_number(value.line_factor)}", "leadingDistribution: TextLeadingDistribution.even"]
    if value.decoration:
        arguments.append(f"decoration: TextDecoration.{_DECORATIONS[value.decoration]}")
    return f"TextStyle({', '.join(arguments)})"


def converters(fonts: Fonts) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; they return None for unsupported values."""
    return {
        "color": color,
        "dimension": then(notation.pixels, _double),
        "number": then(notation.decimal, _double),
        "percentage": then(notation.share, _double),
        "weight": font_weight,
        "string": then(notation.listed, string),
        "family": then(notation.families, lambda names: string(names[0]) if len(names) == 1 else ""),
        "families": then(notation.families, lambda names: _list([*map(string, names)])),
        "boolean": notation.boolean,
        "duration": duration,
        **{dtcg_type: partial(composite_text, dtcg_type, fonts) for dtcg_type in notation.TYPES},
    }
