"""Wire values to token values.

One ``ValueReader`` serves a whole snapshot: colours, numbers and aliases repeat, so equal ones are one object.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tokensync.tokens import Alias, Color, ComposedColor, DanglingAlias, Value, composed, float32
from tokensync.wire import ALIAS, EXPRESSION, WireObject, WireValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.tokens import TokenKey

COMPOSE = "COMPOSE_COLOR"


class BadValue(Exception):
    """A value that its variable's type cannot have; the text says what it is."""


class ValueReader:
    """Reads values of one snapshot; ``keys`` tells which variable ids are in the graph, and as what."""

    def __init__(self, keys: Mapping[str, TokenKey]) -> None:
        self._keys = keys
        self._aliases: dict[str, Alias | DanglingAlias] = {}
        self._colors: dict[tuple[float | None, ...], Color] = {}
        self._numbers: dict[float, float] = {}
        self._readers: dict[str, Callable[[WireValue], Value]] = {
            "COLOR": self._color_value,
            "FLOAT": self._number_value,
            "STRING": self._text_value,
            "BOOLEAN": self._truth_value,
        }

    def reader(self, resolved_type: str) -> Callable[[WireValue], Value]:
        """The function that reads values of variables of this type; it raises BadValue."""
        return self._readers[resolved_type]

    def _color_value(self, value: WireValue) -> Value:
        if not isinstance(value, WireObject):
            raise BadValue(f"a COLOR variable holds {_told(value)}")
        if value.type == ALIAS:
            return self._alias(value)
        if value.r is not None:
            return self._color(value)
        if value.type == EXPRESSION:
            return self._expression(value)
        if value.color is not None or value.opacity is not None:
            return self._composed(value.color, value.opacity)
        raise BadValue(f"a COLOR variable holds {_told(value)}")

    def _number_value(self, value: WireValue) -> Value:
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, WireObject) and value.type == ALIAS:
            return self._alias(value)
        raise BadValue(f"a FLOAT variable holds {_told(value)}")

    def _text_value(self, value: WireValue) -> Value:
        if isinstance(value, str):
            return value
        if isinstance(value, WireObject) and value.type == ALIAS:
            return self._alias(value)
        raise BadValue(f"a STRING variable holds {_told(value)}")

    def _truth_value(self, value: WireValue) -> Value:
        if isinstance(value, bool):
            return value
        if isinstance(value, WireObject) and value.type == ALIAS:
            return self._alias(value)
        raise BadValue(f"a BOOLEAN variable holds {_told(value)}")

    def _alias(self, value: WireObject) -> Alias | DanglingAlias:
        identity = value.id
        if identity is None:
            raise BadValue("an alias has no id")
        alias = self._aliases.get(identity)
        if alias is None:
            key = self._keys.get(identity)
            alias = self._aliases[identity] = DanglingAlias(identity) if key is None else Alias(key)
        return alias

    def _color(self, value: WireObject) -> Color:
        written = (value.r, value.g, value.b, value.a)
        color = self._colors.get(written)
        if color is None:
            color = self._colors[written] = _color_of(*written)
        return color

    def _number(self, value: float) -> float:
        number = self._numbers.get(value)
        if number is None:
            try:
                number = float32(value) + 0.0  # turns -0.0, which no platform shows, into 0.0
            except OverflowError:
                raise BadValue("a number is too large for the platform, which keeps 32-bit floats") from None
            self._numbers[value] = number
        return number

    def _composed(self, color: WireObject | None, opacity: float | WireObject | None) -> Value:
        if color is None or opacity is None:
            raise BadValue(f"a composed colour lacks its {'colour' if color is None else 'opacity'}")
        base = self._alias(color) if color.type == ALIAS else self._color(color)
        share = self._number(opacity) if isinstance(opacity, float) else self._opacity_alias(opacity)
        if isinstance(base, Color) and isinstance(share, float):  # nothing to follow: it is a colour like any other
            return composed(base, share)
        return ComposedColor(base, share)

    def _opacity_alias(self, value: WireObject) -> Alias | DanglingAlias:
        if value.type != ALIAS:
            raise BadValue(f"the opacity of a composed colour is {_told(value)}")
        return self._alias(value)

    def _expression(self, value: WireObject) -> Value:
        """The older spelling of a composed colour, which old editors still answer (platform-facts section 1)."""
        if value.expression_function != COMPOSE or len(value.expression_arguments) != 2:
            raise BadValue("an expression is not COMPOSE_COLOR of a colour and an opacity")
        color, opacity = value.expression_arguments
        if not isinstance(color, WireObject):
            raise BadValue("the first argument of COMPOSE_COLOR is not a colour")
        return self._composed(color, opacity)


def _color_of(red: float | None, green: float | None, blue: float | None, alpha: float | None) -> Color:
    if red is None or green is None or blue is None:
        raise BadValue("a colour lacks r, g or b")
    try:
        channels = [float32(each) + 0.0 for each in (red, green, blue, 1.0 if alpha is None else alpha)]
    except OverflowError:
        channels = [math.inf]
    if min(channels) < 0 or max(channels) > 1:
        raise BadValue("a colour has a channel outside 0 to 1")
    return Color(*channels)


def _told(value: WireValue) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case float():
            return "a number"
        case str():
            return "a string"
        case WireObject(type=kind) if kind == ALIAS:
            return "an alias"
        case WireObject(type=kind) if kind == EXPRESSION:
            return "an expression"
        case WireObject(color=color) if color is not None:
            return "a composed colour"
        case _:
            return "a colour" if value.r is not None else "an object of no known kind"
