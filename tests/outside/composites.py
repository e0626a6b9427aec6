"""What composite tokens must come to in CSS, said from their JSON in DTCG's words and from nothing of ``generate``.

``css_of`` gives a text for the property of ``PROPERTIES``; a reader computes it and the output's text alike, so that
only what they mean is compared. Typography, borders and transitions also have properties for their parts: ``parts_of``.
"""

import json
from collections.abc import Iterator
from typing import Any

from outside.expected import GENERIC_FAMILIES, decimal, families, family

from tokensync.tokens import Composite

PROPERTIES = {
    "shadow": ("box-shadow", "{}"),
    "border": ("border", "{}"),
    "strokeStyle": ("border-style", "{}"),
    "typography": ("font", "{}"),
    "gradient": ("background-image", "{}"),
    "transition": ("transition", "all {}"),
    "cubicBezier": ("transition-timing-function", "{}"),
}
"""The property that takes a token of each type, and how."""

PARTS = {
    "typography": {
        "font-family": ("fontFamily", "family"),
        "font-size": ("fontSize", "length"),
        "font-weight": ("fontWeight", "weight"),
        "letter-spacing": ("letterSpacing", "length"),
        "line-height": ("lineHeight", "number"),
    },
    "border": {"width": ("width", "length"), "color": ("color", "color")},
    "transition": {"duration": ("duration", "duration"), "delay": ("delay", "duration")},
}
"""The suffix of a part's name, its member of the JSON, and its kind."""

SUFFIXES = (
    *(suffix for parts in PARTS.values() for suffix in parts),
    *("style", "dash-array", "line-cap", "stops", "timing-function"),
)
"""The suffixes of all parts, those included that are compared by the whole value alone."""


def css_of(kind: str, literal: Composite) -> str:
    """A composite without references as a value of its property."""
    value = json.loads(literal.json)
    match kind:
        case "shadow":
            return ", ".join(map(_layer, value if isinstance(value, list) else [value]))
        case "border":
            return f"{_length(value['width'])} {_stroke(value['style'])} {_color(value['color'])}"
        case "strokeStyle":
            return _stroke(value)
        case "typography":
            size = f"{_length(value['fontSize'])}/{decimal(value['lineHeight']):f}"
            return f"{decimal(value['fontWeight']):f} {size} {_families(value['fontFamily'])}"
        case "gradient":
            stops = (f"{_color(each['color'])} {decimal(each['position']) * 100:f}%" for each in value)
            return f"linear-gradient({', '.join(stops)})"
        case "transition":
            return f"{_length(value['duration'])} {_curve(value['timingFunction'])} {_length(value['delay'])}"
        case "cubicBezier":
            return _curve(value)
    raise AssertionError(kind)


def part_of(kind: str, suffix: str, literal: Composite) -> tuple:
    """Return a part in the notation of outside/expected.py."""
    member, part_kind = PARTS[kind][suffix]
    value = json.loads(literal.json)[member]
    match part_kind:
        case "color":
            return ("color", *map(float, value["components"]), float(value.get("alpha", 1)))
        case "family":
            return ("family", tuple(family(each) for each in families(value)))
        case "length" | "duration":
            return ("number", decimal(value["value"]), value["unit"])
    return ("number", decimal(value), "")


def parts_of(kind: str) -> Iterator[tuple[str, str]]:
    """(suffix, kind) of each part that has a property of its own."""
    return ((suffix, part_kind) for suffix, (_, part_kind) in PARTS.get(kind, {}).items())


def _layer(layer: dict[str, Any]) -> str:
    lengths = " ".join(_length(layer[each]) for each in ("offsetX", "offsetY", "blur", "spread"))
    return f"{'inset ' if layer.get('inset') else ''}{lengths} {_color(layer['color'])}"


def _color(value: dict[str, Any]) -> str:
    assert value["colorSpace"] == "srgb", value
    return f"color(srgb {' '.join(map(str, value['components']))} / {value.get('alpha', 1)})"


def _length(value: dict[str, Any]) -> str:
    return f"{decimal(value['value']):f}{value['unit']}"


def _stroke(value: str | dict[str, Any]) -> str:
    return value if isinstance(value, str) else "dashed"


def _families(value: str | list[str]) -> str:
    names = families(value)
    return ", ".join(each if each in GENERIC_FAMILIES else json.dumps(each, ensure_ascii=False) for each in names)


def _curve(value: list[float]) -> str:
    return f"cubic-bezier({', '.join(f'{decimal(each):f}' for each in value)})"
