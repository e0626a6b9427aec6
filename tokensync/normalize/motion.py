"""Motion variables: TIMING as durations, and EASING as curves, springs and holds.

The plugin API writes both types since its update 133 (August 2026), and responses of the REST API contain them,
although its documentation has four types. A TIMING is a number of seconds. An EASING is a ``MotionEasing``: a name,
with a curve or the bounce of a spring. A curve is the value ``[x1, y1, x2, y2]`` of a token. Springs and HOLD have no
DTCG type and stay the object of the platform. Whatever has another form is not read, so that it stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.extract.wire import ALIAS, WireObject
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import Composite, Quantity, Value, float32
from tokensync.tokens.composites import canonical, decoded, is_number
from tokensync.tokens.values import DURATIONS, json_number, normalized

if TYPE_CHECKING:
    from msgspec import Raw


_CUSTOM, _CURVE, _POINTS = "CUSTOM_CUBIC_BEZIER", "easingFunctionCubicBezier", ("x1", "y1", "x2", "y2")
_UNREADABLE = (*DECODE_ERRORS, AttributeError, KeyError, TypeError, ValueError, OverflowError)
_CURVES: Final = {
    "LINEAR": (0, 0, 1, 1),
    "EASE_IN": (0.42, 0, 1, 1),
    "EASE_OUT": (0, 0, 0.58, 1),
    "EASE_IN_AND_OUT": (0.42, 0, 0.58, 1),
    "EASE_IN_BACK": (0.3, -0.05, 0.7, -0.5),
    "EASE_OUT_BACK": (0.45, 1.45, 0.8, 1),
    "EASE_IN_AND_OUT_BACK": (0.7, -0.4, 0.4, 1.4),
}
"""The control points that the plugin API returns for each name (read in the editor, September 2026)."""
SPRINGS: Final = {"GENTLE": 0.25, "QUICK": 0.42265, "BOUNCY": 0.69381, "SLOW": 0.0}
"""The bounces of the named springs: 1 less the damping ratio of the mass, stiffness and damping of each in Figma."""
_SPRING, _OWN_SPRING = "easingFunctionSpring", "CUSTOM_SPRING"
_NEAR = 0.001
_DIGITS = 6  # a float32 preserves six significant digits, so that milliseconds are the same after a round trip


def motion_values(resolved_type: str, raw: Raw, *, are_overrides: bool = False) -> dict[str, Any] | None:
    """Return the values of ``valuesByMode``, or of overrides, which may be null: durations, curves and aliases.

    The result is None if one of them has an unknown form.
    """
    try:
        values = decoded(bytes(raw).decode())
        present = {mode: value for mode, value in values.items() if value is not None or not are_overrides}
        return {mode: _value(resolved_type, value) for mode, value in present.items()}
    except _UNREADABLE:
        return None


def _value(resolved_type: str, value: Any) -> Any:
    match value:
        case {"type": str(kind), "id": str(identity), **others} if kind == ALIAS and not others:
            return WireObject(type=ALIAS, id=identity)
        case int() | float() if resolved_type == "TIMING" and is_number(value):
            return duration(float32(float(value)))
        case dict() if resolved_type == "EASING":
            return _easing(value)
    raise ValueError


def duration(seconds: float) -> Quantity:
    """Return a TIMING in milliseconds, with six significant digits."""
    return Quantity(normalized(float(f"{seconds * DURATIONS['s']:.{_DIGITS}g}")) + 0.0, "ms")


def seconds_of(value: Quantity) -> float:
    """Return a duration as a TIMING has it, which is that of ``duration`` of the result."""
    number = value.number * DURATIONS[value.unit] / DURATIONS["s"]
    return float32(float(f"{number:.{_DIGITS}g}")) + 0.0


def _easing(value: dict[str, Any]) -> Composite:
    match value:
        case {"type": str(kind), "easingFunctionCubicBezier": dict(curve)} if len(value) == 2:
            if kind == _CUSTOM or kind in _CURVES:
                return _curve(curve, _POINTS)
        case {"type": str(kind)} if len(value) == 1 and kind in _CURVES:
            return Composite(canonical(_CURVES[kind]))
        case {"type": str(kind)} if len(value) == 1 and (kind == "HOLD" or kind in SPRINGS):
            return Composite(canonical(value))
        case {"type": str(kind), "easingFunctionSpring": {"bounce": bounce, **others}} if len(value) == 2:
            if not others and is_number(bounce) and 0 <= bounce <= 1:
                if kind in SPRINGS and abs(bounce - SPRINGS[kind]) < _NEAR:
                    return Composite(canonical({"type": kind}))
                if kind == _OWN_SPRING:
                    return Composite(canonical({"type": kind, _SPRING: {"bounce": json_number(float32(bounce))}}))
        # The form before the plugin API could write it, which responses of the REST API have, too.
        case {"bezierValues": dict(curve), **others} if others.keys() <= {"easingType", "springValues"}:
            known = others.get("easingType", _CUSTOM)
            if others.get("springValues") is None and (known == _CUSTOM or known in _CURVES):
                return _curve(curve, ("p1x", "p1y", "p2x", "p2y"))
    raise ValueError


def _curve(curve: dict[str, Any], names: tuple[str, ...]) -> Composite:
    points = [curve[name] for name in names]
    if len(curve) != len(names) or not all(map(is_number, points)):
        raise ValueError
    numbers = [float32(float(point)) for point in points]
    if not (0 <= numbers[0] <= 1 and 0 <= numbers[2] <= 1):  # DTCG and CSS have no others
        raise ValueError
    return Composite(canonical([json_number(number + 0.0) for number in numbers]))


def easing_of(value: Composite) -> str | None:
    """Return the ``MotionEasing`` of a curve, a spring or a hold as JSON; None for another value.

    A curve that the platform has a name for gets it.
    """
    try:
        inner = decoded(value.json)
        if isinstance(inner, dict):
            return value.json if _easing(inner) == value else None
        points = decoded(_curve(dict(zip(_POINTS, inner, strict=True)), _POINTS).json)
    except _UNREADABLE:
        return None
    name = next((name for name, curve in _CURVES.items() if [*curve] == points), None)
    named = {"type": _CUSTOM, _CURVE: dict(zip(_POINTS, points, strict=True))} if name is None else {"type": name}
    return canonical(named)


def curve_of(easing: str) -> Composite:
    """Return the value of a token for a ``MotionEasing`` of ``easing_of``; any other text as it is."""
    try:
        return _easing(decoded(easing))
    except _UNREADABLE:
        return Composite(easing)


def as_held(value: Value) -> Value:
    """Return a duration or a curve with the digits that a variable holds; any other value as it is."""
    match value:
        case Quantity(unit=unit) if unit in DURATIONS:
            try:
                return duration(seconds_of(value))
            except (OverflowError, ValueError):
                return value
        case Composite() if (easing := easing_of(value)) is not None:
            return curve_of(easing)
    return value


def is_easing(text: str) -> bool:
    """Return whether a text is a result of ``easing_of``: somebody may have edited a plan."""
    return easing_of(curve_of(text)) == text
