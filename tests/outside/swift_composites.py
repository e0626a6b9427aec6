"""What composite tokens must come to in Swift, said from their JSON and from nothing of ``generate``."""

import json
import struct
from decimal import Decimal
from typing import Any

from outside.expected import decimal, families

from tokensync.tokens import Composite

WEIGHTS = {"thin": 100, "light": 300, "normal": 400, "regular": 400, "medium": 500, "bold": 700, "black": 900}


def composite_of(kind: str, literal: Composite) -> tuple:
    """A composite without references, as the evaluator of Swift gives it."""
    value = json.loads(literal.json)
    match kind:
        case "shadow":
            layers = value if isinstance(value, list) else [value]
            return _made(layers=("list", tuple(map(_layer, layers))))
        case "border":
            return _made(color=_color(value["color"]), width=_length(value["width"]), style=_stroke(value["style"]))
        case "strokeStyle":
            return _stroke(value)
        case "typography":
            weight = value["fontWeight"]
            return _made(
                families=("list", tuple(("string", each) for each in families(value["fontFamily"]))),
                size=_length(value["fontSize"]),
                weight=_number(WEIGHTS[weight] if isinstance(weight, str) else weight),
                letterSpacing=_length(value["letterSpacing"]),
                lineHeight=_number(value["lineHeight"]),
            )
        case "gradient":
            stops = (_made(color=_color(each["color"]), location=_number(each["position"])) for each in value)
            return _made(stops=("list", tuple(stops)))
        case "transition":
            times = {each: _time(value[each]) for each in ("duration", "delay")}
            return _made(**times, curve=_curve(value["timingFunction"]))
        case "cubicBezier":
            return _curve(value)
    raise AssertionError(kind)


def _made(**members: tuple) -> tuple:
    return ("made", tuple(members.items()))


def _layer(value: dict[str, Any]) -> tuple:
    return _made(
        color=_color(value["color"]),
        x=_length(value["offsetX"]),
        y=_length(value["offsetY"]),
        blur=_length(value["blur"]),
        spread=_length(value["spread"]),
        isInset=("bool", value.get("inset", False)),
    )


def _stroke(value: Any) -> tuple:
    if isinstance(value, str):
        return ("case", value)
    lengths = ("list", tuple(map(_length, value["dashArray"])))
    return ("made", (("", lengths), ("cap", ("case", value["lineCap"]))))


def _curve(value: list[float]) -> tuple:
    return _made(**dict(zip(("x1", "y1", "x2", "y2"), map(_number, value), strict=True)))


def _color(value: dict[str, Any]) -> tuple:
    assert value["colorSpace"] == "srgb", value
    return ("color", *map(float, value["components"]), float(value.get("alpha", 1)))


def _length(value: dict[str, Any]) -> tuple:
    number = _single(value["value"])
    return ("number", number * 16 if value["unit"] == "rem" else number, "")


def _time(value: dict[str, Any]) -> tuple:
    number = _single(value["value"])
    return ("number", number * Decimal("0.001") if value["unit"] == "ms" else number, "")


def _number(value: float) -> tuple:
    return ("number", _single(value), "")


def _single(number: float) -> Decimal:
    """The shortest decimal that is the number as a float32, which is what a graph holds."""
    return decimal(struct.unpack("<f", struct.pack("<f", number))[0])
