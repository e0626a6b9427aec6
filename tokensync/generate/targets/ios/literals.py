"""Values as Swift expressions, and colours as components of an asset catalog.

Lengths are in points, with 16 per rem; durations are in seconds. The types of templates/ios/Styles.swift.j2 also store
parts of composite tokens that SwiftUI does not support (a weight of 450, a spread, a groove).
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import notation
from tokensync.generate.notation import NO_REFERENCES, TYPES, Length, Typed, composite, in_pixels, in_seconds, then
from tokensync.generate.themes import Appearance
from tokensync.tokens import Color, Literal, Quantity, float32, normalized, shortest
from tokensync.tokens.values import DURATIONS, in_display_p3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.generate.target import Convert
    from tokensync.tokens.composites import Path

UNREPRESENTABLE = re.compile("[\ud800-\udfff]")
"""Characters that a Swift string cannot contain."""

WEIGHTS = {
    100.0: ".ultraLight",
    200.0: ".thin",
    300.0: ".light",
    400.0: ".regular",
    500.0: ".medium",
    600.0: ".semibold",
    700.0: ".bold",
    800.0: ".heavy",
    900.0: ".black",
}
"""The members of Font.Weight and UIFont.Weight by numeric weight."""

STYLE_TYPES = {
    "shadow": "Shadow",
    "border": "Border",
    "typography": "TextStyle",
    "transition": "Transition",
    "cubicBezier": "Curve",
    "strokeStyle": "StrokeStyle",
}
"""The Swift types that ``Styles.swift.j2`` declares, by DTCG type and without the prefix of the output's types."""

_PLAIN_TYPES = {
    "color": "Color",
    "number": "CGFloat",
    "percentage": "CGFloat",
    "weight": "Font.Weight",
    "string": "String",
    "boolean": "Bool",
    "duration": "TimeInterval",
    "gradient": "Gradient",
}

LABELS = {
    Appearance("light", ""): "light",
    Appearance("dark", ""): "dark",
    Appearance("", "more"): "contrast",
    Appearance("light", "more"): "lightContrast",
    Appearance("dark", "more"): "darkContrast",
}
"""The argument labels of functions that choose by appearance, in order."""

_SPECIAL = re.compile('[\0-\x1f"\\\\\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]')
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_INVISIBLE = "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
_LINE_END = re.compile("\r\n?|[\n\u2028\u2029]")

P3_PROFILE = "profile: display-p3"
"""The colour space of a design file whose numbers are components in Display P3 already."""

_CACHE_SIZE = 65_536
"""Colour channels: many colours share the 256 values of 8 bits."""


def string(text: str) -> str:
    """Return a Swift string literal; backslashes are escaped, which prevents interpolation."""
    if text.isidentifier():  # as most names, and much faster
        return f'"{text}"'
    content = notation.escaped(UNREPRESENTABLE.sub("\ufffd", text), _SPECIAL, _NAMED, "\\u{{{:x}}}")
    return f'"{content}"'


def comment_lines(text: str) -> list[str]:
    """Return the lines of a comment, without ``///``, and without control characters and bidi marks."""
    if text.isprintable():  # as most texts, and much faster
        return [line] if (line := text.strip()) else []
    lines = [re.sub(_INVISIBLE, "", line).rstrip() for line in _LINE_END.split(text.strip())]
    return lines if any(lines) else []


def documentation(text: str) -> list[str]:
    """Return the lines of a documentation comment; no lines for a blank text."""
    return [f"/// {line}".rstrip() for line in comment_lines(text)] if text else []


def title(text: str) -> str:
    """Return a text on one line that is safe in a comment."""
    return " ".join(comment_lines(text))


def availability(deprecated: bool | str) -> str:
    """Return the attribute of a deprecated token, with its reason if any; an empty text for other tokens."""
    if not deprecated:
        return ""
    message = f", message: {string(deprecated)}" if isinstance(deprecated, str) else ""
    return f"@available(*, deprecated{message})"


@lru_cache(maxsize=_CACHE_SIZE)
def _component(channel: float) -> str:
    return shortest(float32(min(max(channel, 0.0), 1.0)))


@lru_cache(maxsize=_CACHE_SIZE)
def _catalog_component(channel: float) -> str:
    whole, _, digits = _component(channel).partition(".")
    return f"{whole}.{digits:0<3}"


@lru_cache(maxsize=_CACHE_SIZE)
def _catalog_byte(channel: float) -> str:
    """Return the channel as Xcode shows 8 bits in hexadecimal; an empty text for a channel between two of these."""
    byte = round(min(max(channel, 0.0), 1.0) * 255)
    return f"0x{byte:02X}" if float32(byte / 255) == float32(channel) else ""


def components(color: Color, space: str = "srgb") -> tuple[str, str, str, str]:
    """Return red, green, blue and alpha as decimals from 0 to 1: as they are, or in Display P3."""
    red, green, blue = _channels(color, space)
    return _component(red), _component(green), _component(blue), _component(color.alpha)


def catalog_components(color: Color, space: str = "srgb") -> tuple[str, str, str, str]:
    """Return the same components for an asset catalog: a colour of 8 bits a channel as bytes, except its alpha.

    Xcode judges each text by itself: with a decimal point it is a fraction, with ``0x`` a byte in hexadecimal, else a
    byte in decimal, so that "1" would be 1/255.
    """
    channels = _channels(color, space)
    red, green, blue = map(_catalog_byte, channels)
    if not (red and green and blue) or space == "display-p3":
        red, green, blue = map(_catalog_component, channels)
    return red, green, blue, _catalog_component(color.alpha)


def _channels(color: Color, space: str) -> tuple[float, ...]:
    """Return red, green and blue in the colour space."""
    if space != "srgb" and (color.wide or space != P3_PROFILE):
        return tuple(round(channel, 6) for channel in in_display_p3(color))
    return color.red, color.green, color.blue


def hexadecimal(color: Color) -> str:
    """Return a colour for a comment, rounded to 8 bits a channel."""
    channels = (min(max(channel, 0.0), 1.0) * 255 for channel in (color.red, color.green, color.blue))
    text = "#" + "".join(f"{round(channel):02X}" for channel in channels)
    return text if color.alpha == 1 else f"{text} at {round(color.alpha * 100)} %"


def color_expression(color: Color, space: str, type_: str = "Color") -> str:
    """Return the colour's components as SwiftUI's ``Color``."""
    red, green, blue, alpha = components(color, space)
    member = ".sRGB" if space == "srgb" else ".displayP3"
    return f"{type_}({member}, red: {red}, green: {green}, blue: {blue}, opacity: {alpha})"


def uicolor_expression(color: Color, space: str) -> str:
    """Return the colour's components as UIKit's ``UIColor``."""
    red, green, blue, alpha = components(color, space)
    label = "red" if space == "srgb" else "displayP3Red"
    return f"UIColor({label}: {red}, green: {green}, blue: {blue}, alpha: {alpha})"


def adaptive(plain: str, others: Mapping[Appearance, str], function: str) -> str:
    """Return the plain value, or a call of the function that chooses by system appearance."""
    if not others:
        return plain
    arguments = [
        plain,
        *(f"{label}: {others[appearance]}" for appearance, label in LABELS.items() if appearance in others),
    ]
    return f"{function}({', '.join(arguments)})"


def _weight(value: Literal) -> str | None:
    return WEIGHTS.get(value) if type(value) is float else None


def _seconds(value: Literal) -> str | None:
    if type(value) is not Quantity or value.unit not in DURATIONS:
        return None
    return notation.decimal(value.number) if value.unit == "s" else notation.thousandth(value.number)


_PLAIN_LITERALS: dict[str, Convert] = {
    "color": lambda value: "" if type(value) is Color else None,  # its token's name replaces it later
    "number": notation.pixels,
    "percentage": notation.share,
    "weight": _weight,
    "string": then(notation.listed, string),
    "boolean": notation.boolean,
    "duration": _seconds,
}


class Notation(NamedTuple):
    """The notation of composite values: the colour space, the prefix of type names, and SwiftUI's ``Color``."""

    space: str = "srgb"
    prefix: str = "Token"
    color: str = "Color"

    def types(self) -> dict[str, str]:
        """Return the Swift type of each kind."""
        return _PLAIN_TYPES | {kind: f"{self.prefix}{name}" for kind, name in STYLE_TYPES.items()}

    def literals(self) -> dict[str, Convert]:
        """Return the functions that write literals, by kind; they return None for unsupported values."""
        return _PLAIN_LITERALS | {kind: partial(self._composite, kind=kind) for kind in TYPES}

    def _composite(self, value: Literal, kind: str) -> str | None:
        typed = composite(value, kind)
        return None if typed is None else text(typed, notation=self)


PLAIN = Notation()


def text(value: Typed, references: Mapping[Path, str] = NO_REFERENCES, notation: Notation = PLAIN) -> str:
    """Return a composite value as an expression; ``references`` has the expressions of parts by path.

    Their Swift types are ``Color``, ``CGFloat`` for a length, number or weight, ``TimeInterval`` for a duration,
    ``[String]`` for font families, and the type in ``STYLE_TYPES`` for a stroke style or curve.
    """
    return _CompositeWriter(references, *notation).text(value)


class _CompositeWriter(NamedTuple):
    """A writer of one composite value; a path identifies a part."""

    references: Mapping[Path, str]
    space: str
    prefix: str
    color: str

    def text(self, value: Typed) -> str:
        match value:
            case notation.Shadow(layers=layers):
                return f"{self.prefix}Shadow(layers: [{', '.join(map(self._layer, layers, range(len(layers))))}])"
            case notation.Border():
                style = self._or(("style",), self._stroke(value.style, "style"))
                members = {
                    "color": self._color(value.color, "color"),
                    "width": self._length(value.width, "width"),
                    "style": style,
                }
                return f"{self.prefix}Border({_arguments(members)})"
            case notation.StrokeStyle():
                return f"{self.prefix}StrokeStyle{self._stroke(value)}"
            case notation.Typography():
                return self._text_style(value)
            case notation.Gradient(stops=stops):
                return f"Gradient(stops: [{', '.join(map(self._stop, stops, range(len(stops))))}])"
            case notation.Transition():
                members = {
                    "duration": self._time(value.duration, "duration"),
                    "delay": self._time(value.delay, "delay"),
                    "curve": self._or(("timingFunction",), self._curve(value.timing)),
                }
                return f"{self.prefix}Transition({_arguments(members)})"
            case notation.CubicBezier():
                return self._curve(value)

    def _or(self, path: Path, literal: str) -> str:
        return self.references.get(path, literal)

    def _color(self, value: Color, *path: str | int) -> str:
        return self._or(path, color_expression(value, self.space, self.color))

    def _length(self, value: Length, *path: str | int) -> str:
        return self._or(path, shortest(normalized(in_pixels(value))))

    def _time(self, value: Quantity, *path: str) -> str:
        return self._or(path, shortest(normalized(in_seconds(value))))

    def _layer(self, value: notation.Layer, index: int) -> str:
        members = {
            "color": self._color(value.color, index, "color"),
            "x": self._length(value.offset_x, index, "offsetX"),
            "y": self._length(value.offset_y, index, "offsetY"),
            "blur": self._length(value.blur, index, "blur"),
            "spread": self._length(value.spread, index, "spread"),
            "isInset": "true" if value.inset else "false",
        }
        return self._or((index,), f".init({_arguments(members)})")

    def _stroke(self, value: notation.StrokeStyle, *path: str) -> str:
        if value.keyword:
            return f".{value.keyword}"
        lengths = (self._length(each, *path, "dashArray", index) for index, each in enumerate(value.dashes))
        return f".dashes([{', '.join(lengths)}], cap: .{value.cap})"

    def _text_style(self, value: notation.Typography) -> str:
        size = self._length(value.size, "fontSize")
        members = {
            "families": self._or(("fontFamily",), f"[{', '.join(map(string, value.families))}]"),
            "size": size,
            "weight": self._or(("fontWeight",), notation.decimal(value.weight) or ""),
            "letterSpacing": self._length(value.letter_spacing, "letterSpacing"),
            "lineHeight": self._line_height(value, size),
            "isItalic": "true" if value.style in ("italic", "oblique") else "",
            "textCase": f".{value.case}" if value.case in ("uppercase", "lowercase") else "",
            "isUnderlined": "true" if value.decoration == "underline" else "",
            "isStruckThrough": "true" if value.decoration == "line-through" else "",
        }
        return f"{self.prefix}TextStyle({_arguments({name: text for name, text in members.items() if text})})"

    def _line_height(self, value: notation.Typography, size: str) -> str:
        """Return the multiple of the size: a length is divided by it."""
        if not isinstance(value.line_height, Quantity):
            return self._or(("lineHeight",), notation.decimal(value.line_height) or "")
        length = self._length(value.line_height, "lineHeight")
        return f"{_operand(length)} / {_operand(size)}" if in_pixels(value.size) else ""

    def _curve(self, value: notation.CubicBezier) -> str:
        members = {"x1": value.x1, "y1": value.y1, "x2": value.x2, "y2": value.y2}
        return f"{self.prefix}Curve({_arguments({name: shortest(each) for name, each in members.items()})})"

    def _stop(self, value: notation.Stop, index: int) -> str:
        location = self._or((index, "position"), shortest(value.position))
        return f".init(color: {self._color(value.color, index, 'color')}, location: {location})"


def _arguments(members: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {each}" for name, each in members.items())


def _operand(expression: str) -> str:
    return f"({expression})" if " " in expression else expression
