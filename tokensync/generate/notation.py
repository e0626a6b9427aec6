"""Literals in the form that several targets share: scalars as text, composites as types, long expressions and comments.

``composite`` takes a value without references, as ``TokenGraph.resolve`` returns it. ``references`` returns the
references of a value as written, by DTCG path: ``("color",)`` of a border, ``(0, "offsetX")`` of the first layer of a
shadow.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct

from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import Color, Composite, Literal, Quantity, TokenKey, Value, float32, normalized, shortest
from tokensync.tokens.composites import (
    CAPS,
    GRADIENT,
    LINE_HEIGHT,
    STROKES,
    canonical,
    decoded,
    is_number,
    parts_of,
    reference_of,
)
from tokensync.tokens.values import (
    COLOR_SPACES,
    DURATIONS,
    HEAVIEST,
    KEYWORDS,
    LENGTHS,
    LIGHTEST,
    RELATIVE_UNITS,
    WEIGHTS,
    converted,
    json_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.settings import FaceConfig, FontConfig
    from tokensync.tokens.composites import Path


_Read = TypeVar("_Read")


def then(read: Callable[[Any], _Read | None], write: Callable[[_Read], str]) -> Callable[[Any], str | None]:
    """Return a function that writes what ``read`` returns for a value; None where that is None."""

    def converted(value: Any) -> str | None:
        content = read(value)
        return None if content is None else write(content)

    return converted


def decimal(value: Literal | None) -> str | None:
    """Return a number as a decimal without an exponent; None when it is missing or not a finite number."""
    return shortest(value) if type(value) is float and isfinite(value) else None


def share(value: Literal) -> str | None:
    """Return a percentage, also a length in %, as an exact fraction of 1: 48 is 0.48."""
    return _shifted(value.number if type(value) is Quantity and value.unit == "%" else value, -2)


def ems(value: Literal) -> str | None:
    """Return the number of a length in em; None for other values."""
    return decimal(value.number) if type(value) is Quantity and value.unit == "em" else None


def percent(value: Literal, digits: int = 0) -> str | None:
    """Return a number with a percent sign; with two ``digits``, a fraction of 1: 0.48 is 48%."""
    text = _shifted(value, digits)
    return None if text is None else f"{text}%"


def thousandth(value: Literal) -> str | None:
    """Return an exact thousandth: 250 is 0.25."""
    return _shifted(value, -3)


def _shifted(value: Literal, digits: int) -> str | None:
    text = decimal(value)
    if text is None:
        return None
    from decimal import Decimal

    shifted = f"{Decimal(text).scaleb(digits):f}"
    return (shifted.rstrip("0").rstrip(".") if "." in shifted else shifted) or "0"


def pixels(value: Literal) -> str | None:
    """Return a length in pixels (points, dp), with 16 per rem."""
    if type(value) is Quantity:
        number = LENGTHS.get(value.unit, math.nan) * value.number
        return shortest(normalized(number)) if isfinite(number) else None
    return decimal(value)


def boolean(value: Literal) -> str | None:
    """Return ``true`` or ``false``; None when the value is not a boolean."""
    return str(value).lower() if type(value) is bool else None


def families(value: Literal) -> list[str] | None:
    """Return the names of a comma-separated list or of an array, without quotes; None when the value is neither."""
    if type(value) is str:
        return [bare for each in value.split(",") if (bare := each.strip().strip("\"'"))]
    if type(value) is Composite:
        names = _decoded(value)
        return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None
    return None


def font_stacks(fonts: Iterable[FontConfig]) -> Callable[[Literal], Literal] | None:
    """Return a function that replaces a single family by its stack, also in a text style; None without stacks."""
    stacks = {font.family.casefold(): list(font.stack) for font in fonts if font.stack}

    def stacked(value: Literal) -> Literal:
        if type(value) is Composite and isinstance(style := _decoded(value), dict):
            family = style.get("fontFamily")
            names = families(Composite(canonical(family)) if isinstance(family, list) else family or "")
            stack = stacks.get(names[0].casefold()) if names and len(names) == 1 else None
            return Composite(canonical({**style, "fontFamily": stack}), value.references) if stack else value
        names = families(value)
        stack = stacks.get(names[0].casefold()) if names and len(names) == 1 else None
        return Composite(canonical(stack)) if stack else value

    return stacked if stacks else None


def font_stack(names: tuple[str, ...], fonts: Iterable[FontConfig]) -> tuple[str, ...]:
    """Return the stack of a single configured family, else the names."""
    stacks = (font.stack for font in fonts if [font.family.casefold()] == [name.casefold() for name in names])
    return next(stacks, ()) or names


def font_resource(face: FaceConfig) -> str | None:
    """Return the name of a font's resource in Android, where names have lower case; None for a font of the web."""
    stem, _, ending = (face.file or "").rpartition("/")[2].lower().rpartition(".")
    if ending not in ("ttf", "otf", "ttc"):
        return None
    name = _NOT_IN_A_RESOURCE.sub("_", stem)
    return f"_{name}" if name[0].isdigit() else name


_NOT_IN_A_RESOURCE = re.compile(r"[^a-z0-9_]+")


def face_of(
    fonts: Iterable[FontConfig],
    family: str,
    style: Typography,
    name: Callable[[FaceConfig], str | None] = font_resource,
) -> FaceConfig | None:
    """Return the configured font of a family that has a name on the platform and is closest to a text style."""
    italic, weight = style.style in ("italic", "oblique"), style.weight or WEIGHTS["normal"]
    faces = [
        face
        for font in fonts
        if font.family.casefold() == family.casefold()
        for face in font.faces
        if face.italic == italic and name(face)
    ]
    return min(faces, key=lambda face: abs((face.weight or weight) - weight), default=None)


def texts_within(value: Composite) -> str:
    """Return the concatenated font names of an array or a text style."""
    names = _decoded(value)
    if isinstance(names, dict):
        names = names.get("fontFamily")
    several = names if isinstance(names, list) else [names]
    return "".join(each for each in several if isinstance(each, str))


def _decoded(value: Composite) -> Any:
    try:
        return decoded(value.json)
    except DECODE_ERRORS:
        return None


def listed(value: Literal) -> str | None:
    """Return font families as one text; the names of an array are joined by commas."""
    if type(value) is str:
        return value
    several = families(value)
    return None if several is None else ", ".join(several)


WIDTH = 120
"""The longest line, in columns."""

_DEEPER = 4
_MARKS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[()\[\],]")


def broken(expression: str, column: int, indent: int, *, trailing: str, width: int = WIDTH, step: int = _DEEPER) -> str:
    """Return the expression, split into one line per argument when it does not fit on the line.

    ``column`` is where the expression begins and ``indent`` the indentation of its closing bracket. ``trailing``
    follows the last argument: a comma or nothing. An expression without arguments, such as a string, is not split.
    """
    if column + len(expression) <= width or "\n" in expression:
        return expression
    commas = _commas(expression)
    if not commas:
        return expression
    deeper = indent + step
    arguments = [
        expression[start + 1 : end].strip()
        for start, end in zip(commas, (*commas[1:], len(expression) - 1), strict=True)
    ]
    split = (broken(argument, deeper, deeper, trailing=trailing, width=width, step=step) for argument in arguments)
    lines = [f"{' ' * deeper}{argument}" for argument in split]
    opened, closed = expression[: commas[0] + 1], expression[-1]
    joined = ",\n".join(lines)
    return f"{opened}\n{joined}{trailing}\n{' ' * indent}{closed}"


def braced(expression: str, head: str, indent: int) -> str:
    """Return the inside of a Swift body's braces after ``head``: on the same line if it fits, else on its own lines."""
    if len(head) + len(expression) + len("{  }") <= WIDTH:
        return f" {expression} "
    deeper = indent + _DEEPER
    return f"\n{' ' * deeper}{broken(expression, deeper, deeper, trailing='')}\n{' ' * indent}"


def _commas(expression: str) -> list[int]:
    """Return the offset of the bracket pair that ends the expression, then those of the commas directly inside."""
    depth = end = 0
    offsets: list[int] = []
    for mark in _MARKS.finditer(expression):
        if mark[0] in "([":
            if depth == 0:
                offsets = [mark.start()]
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
            end = mark.end()
        elif mark[0] == "," and depth == 1:
            offsets.append(mark.start())
    return offsets if offsets and depth == 0 and end == len(expression) and end > offsets[0] + 2 else []


def escaped(text: str, special: re.Pattern[str], named: Mapping[str, str], form: str) -> str:
    """Return a text with its special characters in a language's escapes: by name, else by code point in a form."""
    return special.sub(lambda match: named.get(match[0]) or form.format(ord(match[0])), text)


def printable_lines(text: str) -> list[str]:
    """Return the lines of a text, with a space for each unprintable character; no lines for a blank text."""
    return ["".join(each if each.isprintable() else " " for each in line).strip() for line in text.strip().splitlines()]


Length = float | Quantity
"""A float in px (dp, pt), or a quantity in rem."""


class Layer(Struct, frozen=True, gc=False):
    """A layer of a shadow; its lengths may be negative, except ``blur``."""

    color: Color
    offset_x: Length
    offset_y: Length
    blur: Length
    spread: Length
    inset: bool = False


class Shadow(Struct, frozen=True):
    """The shadows of a box, at least one, the topmost first."""

    layers: tuple[Layer, ...]


class StrokeStyle(Struct, frozen=True):
    """A CSS line style, or alternating lengths of dashes and gaps with the shape of their ends."""

    keyword: str = ""
    dashes: tuple[Length, ...] = ()
    cap: str = ""


class Border(Struct, frozen=True):
    """A line around a box."""

    color: Color
    width: Length
    style: StrokeStyle


class Typography(Struct, frozen=True):
    """A text style: families in order of preference, a weight of 1 to 1000, and a line height.

    A line height is a float in multiples of the size, or a quantity in px or rem. It and the weight may be missing.
    ``tracking`` is the letter spacing in em if that is how it was written.
    ``style``, ``case`` and ``decoration`` are words of CSS (``KEYWORDS``), empty if they are missing.
    """

    families: tuple[str, ...]
    size: Length
    weight: float | None
    letter_spacing: Length
    line_height: float | Quantity | None
    style: str = ""
    case: str = ""
    decoration: str = ""
    tracking: Quantity | None = None

    @property
    def keywords(self) -> tuple[str, str, str]:
        """The members of ``KEYWORDS``, in that order."""
        return self.style, self.case, self.decoration

    @property
    def line_factor(self) -> float | None:
        """The line height in multiples of the size; None if it is missing, or if the size is 0."""
        if not isinstance(self.line_height, Quantity):
            return self.line_height
        size = in_pixels(self.size)
        return normalized(round(in_pixels(self.line_height) / size, 4)) if size else None


class Stop(Struct, frozen=True, gc=False):
    """A colour of a gradient and its position, from 0 to 1."""

    color: Color
    position: float


class Gradient(Struct, frozen=True):
    """The stops of a gradient, at least one; DTCG gives gradients neither shape nor direction."""

    stops: tuple[Stop, ...]


class CubicBezier(Struct, frozen=True, gc=False):
    """The two control points of an easing curve from (0, 0) to (1, 1); x is from 0 to 1."""

    x1: float
    y1: float
    x2: float
    y2: float


class Transition(Struct, frozen=True):
    """An animated transition; the quantities are in ms or s."""

    duration: Quantity
    delay: Quantity
    timing: CubicBezier


Typed = Shadow | Border | Typography | Gradient | Transition | CubicBezier | StrokeStyle
TYPES = ("shadow", "border", "typography", "gradient", "transition", "cubicBezier", "strokeStyle")
"""The DTCG types of ``Typed``."""


class Reference(NamedTuple):
    """A part of a composite that refers to a token: its path, its DTCG type, and the token."""

    path: Path
    type: str
    target: TokenKey


NO_REFERENCES: Mapping[Path, str] = {}
_CACHE_SIZE = 65_536
_ZERO, _NO_DELAY = {"value": 0, "unit": "px"}, {"value": 0, "unit": "ms"}
"""The missing lengths of a shadow, letter spacing and delay of a transition, as in CSS."""
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class _Misfit(ValueError):
    """The value does not have the expected type."""


@lru_cache(maxsize=_CACHE_SIZE)
def composite(value: Literal, dtcg_type: str) -> Typed | None:
    """Return the typed form of a composite without references; None when the value is not of this type."""
    read = _READERS.get(dtcg_type)
    if read is None or type(value) is not Composite:
        return None
    try:
        return read(decoded(value.json))
    except (ValueError, RecursionError):
        return None


def references(value: Value | None, dtcg_type: str) -> tuple[Reference, ...]:
    """Return the references within a composite as written; the paths of a single-layer shadow start with 0 too."""
    if type(value) is not Composite or not value.references:
        return ()
    targets = dict(value.references)
    tree = decoded(value.json)
    prefix: Path = (0,) if dtcg_type == "shadow" and not isinstance(tree, list) else ()
    if dtcg_type == GRADIENT:
        tree = [stop for stop in tree if reference_of(stop) is None]  # as ``tokens.composites.filled``
    return tuple(
        Reference((*prefix, *part.path), part.type, targets[part.reference])
        for part in parts_of(dtcg_type, tree)
        if part.reference is not None and part.reference in targets
    )


def members_of(value: Typed, color: Callable[[Color], Any], quantity: Callable[[Quantity], Any]) -> Any:
    """Return a composite as objects and arrays with the names of DTCG; the functions write colours and quantities."""

    def length(value: Length) -> Any:
        return quantity(value if isinstance(value, Quantity) else Quantity(value, "px"))

    match value:
        case Shadow(layers=layers):
            return [
                {
                    "color": color(layer.color),
                    "offsetX": length(layer.offset_x),
                    "offsetY": length(layer.offset_y),
                    "blur": length(layer.blur),
                    "spread": length(layer.spread),
                    "inset": layer.inset,
                }
                for layer in layers
            ]
        case Border():
            style = members_of(value.style, color, quantity)
            return {"color": color(value.color), "width": length(value.width), "style": style}
        case StrokeStyle(keyword=keyword, dashes=dashes, cap=cap):
            return keyword or {"dashArray": [*map(length, dashes)], "lineCap": cap}
        case Typography(weight=weight, line_height=height):
            members = {
                "fontFamily": [*value.families],
                "fontSize": length(value.size),
                "fontWeight": None if weight is None else json_number(weight),
                "letterSpacing": length(value.tracking or value.letter_spacing),
                LINE_HEIGHT: json_number(height) if isinstance(height, float) else height and quantity(height),
                **dict(zip(KEYWORDS, value.keywords, strict=True)),
            }
            return {name: member for name, member in members.items() if member not in (None, "")}
        case Gradient(stops=stops):
            return [{"color": color(stop.color), "position": json_number(stop.position)} for stop in stops]
        case Transition():
            times = {"duration": quantity(value.duration), "delay": quantity(value.delay)}
            return {**times, "timingFunction": members_of(value.timing, color, quantity)}
        case CubicBezier(x1=x1, y1=y1, x2=x2, y2=y2):
            return [*map(json_number, (x1, y1, x2, y2))]


def in_pixels(value: Length) -> float:
    """Return a length in pixels (points, dp), with 16 per rem."""
    return value.number * LENGTHS[value.unit] if isinstance(value, Quantity) else value


def in_seconds(value: Quantity) -> float:
    """Return a duration in seconds."""
    return value.number / 1000 if value.unit == "ms" else value.number


def _member(value: Any, name: str) -> Any:
    if not isinstance(value, dict) or name not in value:
        raise _Misfit
    return value[name]


def _array(value: Any, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise _Misfit
    return tuple(read(each) for each in value)


def _number(value: Any) -> float:
    if not is_number(value) or not isfinite(value):
        raise _Misfit
    try:
        return normalized(float(value)) + 0.0
    except OverflowError:
        raise _Misfit from None


def _at_least_zero(value: Any) -> float:
    number = _number(value)
    if number < 0:
        raise _Misfit
    return number


def _quantity(value: Any, units: Mapping[str, float]) -> Quantity:
    unit = _member(value, "unit")
    if unit not in units:
        raise _Misfit
    return Quantity(_number(_member(value, "value")), unit)


def _ems(value: Any) -> float | None:
    """Return the number of font sizes that a length in em or % stands for; None for other values."""
    if not isinstance(value, dict) or value.get("unit") not in RELATIVE_UNITS:
        return None
    return _number(_member(value, "value")) * RELATIVE_UNITS[value["unit"]]


def _length(value: Any) -> Length:
    quantity = _quantity(value, LENGTHS)
    return quantity.number if quantity.unit == "px" else quantity


def _size(value: Any) -> Length:
    """Read a length that must not be negative."""
    length = _length(value)
    if in_pixels(length) < 0:
        raise _Misfit
    return length


def color_of(value: Any) -> Color:
    """Return the colour of a color value; outside of sRGB, with its hex as the fallback. Raises ValueError."""
    space = _member(value, "colorSpace")
    if space not in COLOR_SPACES:
        raise _Misfit
    components = _array(_member(value, "components"), lambda each: 0.0 if each == "none" else _number(each))
    if len(components) != 3:
        raise _Misfit
    color = converted(space, components, _number(value.get("alpha", 1)))
    digits = value.get("hex")
    if not color.wide or not isinstance(digits, str) or _HEX.fullmatch(digits) is None:
        return color
    red, green, blue = (float32(each / 255) for each in bytes.fromhex(digits[1:]))
    return Color(red, green, blue, color.alpha, color.wide)


def _weight(value: Any) -> float:
    number = float(WEIGHTS[value]) if isinstance(value, str) and value in WEIGHTS else _number(value)
    if not LIGHTEST <= number <= HEAVIEST:
        raise _Misfit
    return number


def _families(value: Any) -> tuple[str, ...]:
    named = value if isinstance(value, list) else families(value) if isinstance(value, str) else None
    if named is None or not all(isinstance(each, str) for each in named):
        raise _Misfit
    return tuple(named)


def _layer(value: Any) -> Layer:
    inset = value.get("inset", False) if isinstance(value, dict) else False
    if not isinstance(inset, bool):
        raise _Misfit
    return Layer(
        color_of(_member(value, "color")),
        _length(value.get("offsetX", _ZERO)),
        _length(value.get("offsetY", _ZERO)),
        _size(value.get("blur", _ZERO)),
        _length(value.get("spread", _ZERO)),
        inset,
    )


def _stroke_style(value: Any) -> StrokeStyle:
    if isinstance(value, str) and value in STROKES:
        return StrokeStyle(keyword=value)
    cap = _member(value, "lineCap")
    if cap not in CAPS:
        raise _Misfit
    return StrokeStyle(dashes=_array(_member(value, "dashArray"), _size), cap=cap)


def _border(value: Any) -> Border:
    color, width = color_of(_member(value, "color")), _size(_member(value, "width"))
    return Border(color, width, _stroke_style(_member(value, "style")))


def _typography(value: Any) -> Typography:
    size = _size(_member(value, "fontSize"))
    style, case, decoration = (word if (word := value.get(name)) in words else "" for name, words in KEYWORDS.items())
    spacing = value.get("letterSpacing", _ZERO)
    if (factor := _ems(spacing)) is None:
        length = _length(spacing)
    else:
        length = Quantity(size.number * factor, size.unit) if isinstance(size, Quantity) else size * factor
    return Typography(
        _families(_member(value, "fontFamily")),
        size,
        _weight(value["fontWeight"]) if "fontWeight" in value else None,
        length,
        _line_height(value["lineHeight"]) if LINE_HEIGHT in value else None,
        style,
        case,
        decoration,
        None if factor is None else Quantity(normalized(factor), "em"),
    )


def _line_height(value: Any) -> float | Quantity:
    if (factor := _ems(value)) is not None or not isinstance(value, dict):
        return _at_least_zero(value if factor is None else factor)
    height = _quantity(value, LENGTHS)
    if height.number < 0:
        raise _Misfit
    return height


def _stop(value: Any) -> Stop:
    return Stop(color_of(_member(value, "color")), min(max(_number(_member(value, "position")), 0.0), 1.0))


def _cubic_bezier(value: Any) -> CubicBezier:
    handles = _array(value, _number)
    if len(handles) != 4 or not (0 <= handles[0] <= 1 and 0 <= handles[2] <= 1):
        raise _Misfit
    return CubicBezier(*handles)


def _transition(value: Any) -> Transition:
    duration = _quantity(_member(value, "duration"), DURATIONS)
    delay = _quantity(value.get("delay", _NO_DELAY), DURATIONS)
    if duration.number < 0:  # a delay may be negative: the transition then starts partway through
        raise _Misfit
    return Transition(duration, delay, _cubic_bezier(_member(value, "timingFunction")))


_READERS: dict[str, Callable[[Any], Typed]] = {
    "shadow": lambda value: Shadow(_array(value if isinstance(value, list) else [value], _layer)),
    "border": _border,
    "typography": _typography,
    "gradient": lambda value: Gradient(_array(value, _stop)),
    "transition": _transition,
    "cubicBezier": _cubic_bezier,
    "strokeStyle": _stroke_style,
}
