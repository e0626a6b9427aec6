"""Literals fit their variable's type, and are what the platform can keep (platform-api.md 4.3; platform-facts 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.state import ObjectValue
from tokensync.plan.validation.texts import is_whole
from tokensync.tokens import float32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import StateValue
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-value"
_KINDS: Final = {"BOOLEAN": "true or false", "FLOAT": "a number", "STRING": "a text", "COLOR": "a colour"}
_MOST_OPACITY = 100  # an opacity is a percentage (platform-facts section 1)


def literal_faults(intent: Intent) -> Iterator[Problem]:
    """Written values that are no alias and not of their variable's type, or beyond what it can hold."""
    for variable, mode, value in intent.written:
        fault = _fault(variable.type, value)
        if fault is not None:
            yield intent.fault(_CODE, variable.ref, mode, *fault)


def _fault(kind: str, value: StateValue) -> tuple[str, str] | None:
    """What is wrong with a value, and what to do."""
    match value:
        case ObjectValue(alias=str()):
            return None
        case bool():
            fits = kind == "BOOLEAN"
        case str():
            fits = kind == "STRING"
            if fits and not is_whole(value):
                return "the text holds half of a surrogate pair, which is no character", "write the whole character"
        case float() | int():
            fits = kind == "FLOAT"
            if fits and not _is_single(value):
                return "the number is beyond what the platform keeps, 32-bit floats", "write one up to 3.4e38"
        case ObjectValue():
            fits = kind == "COLOR"
            if fits:
                return _color_fault(value) if value.color is None else _composed_fault(value)
    return None if fits else (f"the value is not {_KINDS[kind]}, and the variable is a {kind}", "write one of its type")


def _color_fault(value: ObjectValue) -> tuple[str, str] | None:
    channels = (value.r, value.g, value.b, value.a)
    if any(each is None or not 0 <= each <= 1 for each in channels):
        return "a channel of the colour is not from 0 to 1", "write a colour of sRGB"
    return None


def _composed_fault(value: ObjectValue) -> tuple[str, str] | None:
    color, opacity = value.color, value.opacity
    if opacity is None or color is None:
        return "a composed colour has a colour and an opacity", "write both"
    if color.alias is None and not isinstance(opacity, ObjectValue):
        return "neither the colour nor the opacity of a composed colour is a reference", "write a plain colour"
    if color.alias is None and (fault := _color_fault(color)) is not None:
        return fault
    if not isinstance(opacity, ObjectValue) and not 0 <= opacity <= _MOST_OPACITY:
        return "the opacity of a composed colour is not from 0 to 100", "write a percentage"
    return None


def _is_single(number: float) -> bool:
    try:
        single = float32(float(number))
    except OverflowError:
        return False
    return single - single == 0  # neither infinite nor no number
