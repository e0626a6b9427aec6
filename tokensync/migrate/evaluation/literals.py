"""Literals: what a written value without references means for the type of its token, in every format.

Formats have their own words for types: ``kind_of`` is the table of them, and ``measured`` that of units. A value that
cannot be a variable's is refused with the reason; none is filled with a default.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.code.literals import Number, measure
from tokensync.dtcg.parse import BadToken
from tokensync.migrate.evaluation import colors
from tokensync.migrate.evaluation.expressions import BadExpression, evaluated
from tokensync.migrate.evaluation.values import OtherValue, Reading, fixed, refused
from tokensync.normalize.mapping import words_of_name
from tokensync.system.wording import counted, listed, quoted
from tokensync.tokens import Composite, Quantity, normalized, shortest
from tokensync.tokens.collection import OPACITY_SCOPES, is_opacity
from tokensync.tokens.composites import canonical
from tokensync.tokens.values import AS_TEXT, HEAVIEST, LIGHTEST, PIXELS_PER_REM, WEIGHTS, font_style, is_css

if TYPE_CHECKING:
    from tokensync.migrate.source import SourceToken

_TYPES = {
    "color": "color colors colour colours fill",
    "dimension": "dimension dimensions sizing size sizes spacing spacings space spacer gap padding margin length"
    " lengths borderradius borderradii radius radii cornerradius borderwidth borderwidths strokewidth width height"
    " fontsize fontsizes paragraphspacing paragraphspacings paragraphindent breakpoint breakpoints elevation minwidth"
    " minheight maxwidth maxheight itemspacing horizontalpadding verticalpadding paddingtop paddingright paddingbottom"
    " paddingleft borderradiustopleft borderradiustopright borderradiusbottomright borderradiusbottomleft"
    " borderwidthtop borderwidthright borderwidthbottom borderwidthleft blur backgroundblur",
    "number": "number numbers float integer int ratio count zindex scale columns weight percentage",
    "opacity": "opacity opacities",
    "lineHeight": "lineheight lineheights",
    "letterSpacing": "letterspacing letterspacings tracking kerning",
    "fontWeight": "fontweight",
    "weightText": "fontweights",
    "fontFamily": "fontfamily fontfamilies font fonts",
    "duration": "duration durations time times delay",
    "string": "string text content asset icon textcase textdecoration txtdecoration txtcase texttransform visibility"
    " fontstyle display mediaquery verticalalign",
    "boolean": "boolean bool",
    "css": "css",
    "typography": "typography textstyle textstyles",
    "border": "border borders",
    "composition": "composition",
    "shadow": "shadow shadows boxshadow dropshadow innershadow",
    "gradient": "gradient gradients",
    "transition": "transition transitions",
    "cubicBezier": "cubicbezier easing timingfunction",
    "strokeStyle": "strokestyle",
}
_KINDS = {word: kind for kind, words in _TYPES.items() for word in words.split()}

UNKNOWN = ""
"""The kind of a token without a type, or with one that says nothing (``other``): its value decides."""
CSS = "css"
"""The kind of a text of a stylesheet: its value decides, and what only CSS can read stays as it is."""
COMPOSITES = frozenset(
    {"typography", "border", "composition", "shadow", "gradient", "transition", "cubicBezier", "strokeStyle"}
)
NUMERIC = frozenset(
    {"dimension", "number", "opacity", "percentage", "lineHeight", "letterSpacing", "fontWeight", "duration"}
)
"""The kinds whose values can be expressions; a weight as text (``weightText``) can be a number or one, too."""

_PIXELS = {"px": 1.0, "dp": 1.0, "dip": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
_SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}
_LARGEST_FACTOR = 4
"""The largest line height without a unit that is a multiple of the font size. Larger ones are pixels."""
_SEPARATORS = re.compile(r"[-_ ]")
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


@lru_cache(maxsize=4096)
def kind_of_word(word: str) -> str:
    """Return the kind of a type as a format spells it; ``UNKNOWN`` for other words."""
    return _KINDS.get(_SEPARATORS.sub("", word).lower(), UNKNOWN)


def kind_of(token: SourceToken) -> str:
    """Return the kind of a token. Opacities and weights are known by their names, too: black can be a weight.

    If an opacity came from a variable, it is a percentage already, as the platform has them.
    """
    kind = kind_of_word(token.type)
    if kind in (UNKNOWN, CSS) and isinstance(token.value, str) and _is_weight(token.path) and font_style(token.value):
        return "weightText"
    if kind == UNKNOWN and isinstance(token.value, str) and "," in token.value and _is_family(token.path):
        return "fontFamily"
    if kind not in (UNKNOWN, CSS, "number"):
        return kind
    if token.id or token.key:
        return "percentage" if is_opacity(token.scopes) else kind
    is_named = not OPACITY_SCOPES.isdisjoint(token.scopes) or ("pacit" in token.path and _is_opacity(token.path))
    return "opacity" if is_named and _is_share(token.value) else kind


def literal(kind: str, value: Any) -> Reading:
    """Return the reading of a value without references."""
    match value:
        case str():
            return _text(kind, value)
        case bool():
            return _boolean(kind, value)
        case int() | float():
            return _number(kind, value)
        case None:
            return refused("it has no value")
        case dict():
            return _object(kind, value)
        case list() if kind == "fontFamily":
            return _families(value)
        case list() if len(value) == 1 and kind in NUMERIC | {"color", "string", "boolean"}:
            return literal(kind, value[0])
        case list():
            return refused(f"it has {counted(len(value), 'value')}, and a variable holds one")
    return refused("it is not JSON")


def measured(kind: str, number: Number, written: str = "") -> Reading:
    """Return the reading of a number with its unit; ``written`` is its text in messages."""
    if not isfinite(number.value) or abs(number.value) > 1e300:
        return refused(f"{quoted(written or number.value)} is too large")
    written = written or f"{shortest(number.value)}{number.unit}"
    value, unit = number.value, number.unit.lower()
    match kind:
        case "opacity":
            return _opacity(value, unit, written)
        case "percentage" if unit in ("", "%"):
            return fixed(_single(value), "number", is_percentage=True)
        case "lineHeight" | "letterSpacing":
            return _text_measure(kind, value, unit, written)
        case "fontWeight" | "weightText":
            if unit or not LIGHTEST <= value <= HEAVIEST:
                return refused(f"{quoted(written)} is not a font weight from 1 to 1000")
            return fixed(_single(value), "fontWeight")
        case "duration":
            return _duration(value, unit, written)
        case "dimension":
            return _length(value, unit or "px", written)
        case "css" if unit in ("%", "em"):
            return refused(f"only CSS knows of what {quoted(written)} is a share")
    return _of_unit(value, unit, written)


def _of_unit(value: float, unit: str, written: str) -> Reading:
    """Return the reading of a number whose unit decides about its type."""
    if not unit:
        return fixed(_single(value), "number")
    if unit == "%":
        share = _single(value / 100)
        return fixed(share, "number", OtherValue(f"{written} is the fraction {shortest(share)}"))
    if unit in ("ms", *_SECONDS):
        return _duration(value, unit, written)
    return _length(value, unit, written)


def in_pixels(reading: Reading, base: float) -> Reading:
    """Return the reading of a length in rem as one in pixels."""
    value = reading.literal
    if type(value) is not Quantity or value.unit != "rem":
        return reading
    return fixed(normalized(value.number * base), "dimension", *reading.notes)


def not_one(kind: str, text: str) -> str:
    """Return why a text is not a value of a kind."""
    words = text.split()
    if len(words) > 1 and all(measure(word) for word in words):
        return f"it has {counted(len(words), 'value')} ({quoted(text)}), and a variable holds one"
    what = {
        "lineHeight": "a line height",
        "letterSpacing": "a letter spacing",
        "weightText": "a font weight",
        "fontWeight": "a font weight",
        "dimension": "a length",
        "color": "a colour",
        "opacity": "an opacity",
    }.get(kind, f"a {kind}")
    return f"{quoted(text)} is not {what}"


@lru_cache(maxsize=65_536)
def _text(kind: str, text: str) -> Reading:
    if kind == "string":
        return fixed(text, "string")
    stripped = text.strip()
    if not stripped:
        return refused("its value is empty")
    match kind:
        case "css":
            return _css(stripped)
        case "color":
            return colors.color(stripped) or refused(not_one(kind, stripped))
        case "boolean":
            found = _BOOLEANS.get(stripped.lower())
            return refused(not_one(kind, stripped)) if found is None else fixed(found, "boolean")
        case "fontFamily":
            names = _FAMILY.finditer(stripped)  # of a list as CSS writes it
            return _families([name[1] or name[2] or name[3].strip() for name in names if name[0].strip()])
        case "fontWeight" if stripped in WEIGHTS:
            return fixed(float(WEIGHTS[stripped]), "fontWeight")
        case "fontWeight" | "weightText" if measure(stripped) is None and (style := _weight_text(stripped)):
            return style
        case "lineHeight" | "letterSpacing" if stripped.lower() in ("auto", "normal"):
            return refused(f"{stripped} depends on the font, and is no number")
        case _ if kind in NUMERIC or kind == "weightText":
            calculated = _calculated(kind, stripped) or refused(not_one(kind, stripped))
            return calculated if calculated.type else _only_css(stripped) or calculated
    return _unknown(text, stripped)


def _css(text: str) -> Reading:
    """Return the reading of a text of a stylesheet: that of its form, else the text as CSS reads it."""
    found = _unknown(text, text, CSS)
    if found.type not in ("", "string"):
        return found
    joined = " ".join(text.split())
    if is_css(joined) and not (joined[0] == "#" and " " not in joined):
        return fixed(joined, "css")
    return refused(f"variables cannot hold {quoted(text)}") if found.type else found


def _only_css(text: str) -> Reading | None:
    """Return the reading of a keyword or function that CSS has, for tokens of any format; None for other texts."""
    return _css(text) if _OF_CSS.fullmatch(text) else None


_OF_CSS = re.compile(
    r"(?:calc|clamp|cubic-bezier|env|linear|max|min|steps)\(.*\)|ease(?:-in)?(?:-out)?|step-(?:start|end)", re.DOTALL
)


def _unknown(text: str, stripped: str, kind: str = UNKNOWN) -> Reading:
    """Return the reading of a text whose token has no type, or one of a style sheet."""
    found = colors.color(stripped)
    if found is not None and (found.type or stripped.lower() not in ("none", "auto")):
        return found
    number = measure(stripped)
    if number is not None and (number.unit == "%" or _is_unit(number.unit)):
        return _length(0, "%", stripped) if number.unit == "%" else measured(kind, number, stripped)
    if stripped.startswith("calc(") and (calculated := _calculated(kind, stripped)):
        return calculated
    if _LIKE_COLOR.fullmatch(stripped):
        return refused(f"{quoted(stripped)} looks like a colour, and cannot be read as one")
    return fixed(text, "string") if kind == CSS else _only_css(stripped) or fixed(text, "string")


_LIKE_COLOR = re.compile(
    r"#[0-9a-f]{3,10}|(?:(?:rgb|hsl)a?|hwb|lab|lch|oklab|oklch|color|color-mix)\(.*", re.DOTALL | re.IGNORECASE
)


def _is_unit(unit: str) -> bool:
    """Return whether a unit is one, or none; in ``2xl`` it is the end of a name."""
    known = ("", "ms", "rem", "sp", *_SECONDS, *_PIXELS)
    return unit.lower() in known or unit.lower() in _RELATIVE


_RELATIVE = frozenset("% em ex ch cap ic lh rlh vw vh vi vb vmin vmax svw svh lvw lvh dvw dvh cqw cqh fr q deg".split())


def _calculated(kind: str, text: str) -> Reading | None:
    """Return the reading of a number or an expression; None for other texts."""
    number = measure(text)
    if number is not None:
        return measured(kind, number, text)
    try:
        number = evaluated((text,))
    except BadExpression as error:
        return refused(str(error))
    if number is None:
        return None
    found = measured(kind, number)
    return found if not found.type else fixed_with(found, f"calculated from {quoted(text)}")


def fixed_with(reading: Reading, note: str) -> Reading:
    """Return the reading of a literal with a further note."""
    return Reading(reading.value, reading.literal, reading.type, (*reading.notes, note), reading.is_percentage)


def _number(kind: str, value: float) -> Reading:
    try:
        number = float(value)
    except OverflowError:
        return refused("the number is too large")
    if not isfinite(number):
        return refused(f"{number} is not a number of JSON")
    if kind == "string":
        return fixed(shortest(number), "string")
    if kind == "boolean" and number in (0, 1):
        return fixed(bool(number), "boolean")
    if kind in NUMERIC or kind in (UNKNOWN, "weightText"):
        return measured(kind, Number(number))
    return refused(not_one(kind, shortest(number)))


def _boolean(kind: str, value: bool) -> Reading:
    if kind == "string":
        return fixed("true" if value else "false", "string")
    return fixed(value, "boolean") if kind in ("boolean", UNKNOWN) else refused(not_one(kind, str(value).lower()))


def _object(kind: str, value: dict[str, Any]) -> Reading:
    if kind in ("color", UNKNOWN):
        found = colors.of_object(value)
        if found is not None:
            return found
        if kind == "color" and ("colorSpace" in value or "components" in value):
            return refused(_reason_of_color(value))
    if value.keys() <= {"value", "unit"} and "value" in value:
        inner, unit = value["value"], value.get("unit") or ""
        number = measure(inner) if isinstance(inner, str) else Number(inner) if type(inner) in (int, float) else None
        if number is not None and isinstance(unit, str) and not (number.unit and unit and number.unit != unit):
            try:
                return measured(kind, Number(float(number.value), number.unit or unit))
            except OverflowError:
                return refused("the number is too large")
    return refused(f"it is an object with {listed([each[:40] for each in value]) or 'nothing in it'}")


def _reason_of_color(value: dict[str, Any]) -> str:
    from tokensync.dtcg.colors import color

    try:
        color(value)
    except BadToken as error:
        return error.what
    return "it is not a colour"


def _families(value: Any) -> Reading:
    names = [each.strip() for each in value if isinstance(each, str) and each.strip()]
    if len(names) != len(value) or not names:
        return refused("it is not a list of font names")
    if len(names) == 1:
        return fixed(names[0], "fontFamily")
    note = f"Figma gets the first of the fonts {', '.join(names)[:200]}; code gets all of them"
    return fixed(Composite(canonical(names)), "fontFamily", note)


_FAMILY = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^,\"']+)")


def _weight_text(text: str) -> Reading | None:
    """Return a weight by its name, which stays a text; another text is a string."""
    if font_style(text) is not None:
        return fixed(text, AS_TEXT)
    with suppress(BadExpression):
        if evaluated((text,)) is not None:
            return None
    return fixed(text, "string", f"{quoted(text)} names no weight")


def _opacity(value: float, unit: str, written: str) -> Reading:
    if unit not in ("", "%"):
        return refused(f"{quoted(written)} is not an opacity")
    notes = []
    if not unit and value <= 1:
        value *= 100
    elif not unit:
        notes = [OtherValue(f"{written} is read as {written} %")]
    if not 0 <= value <= 100:
        return refused(f"the opacity {quoted(written)} is not from 0 to 100 %")
    return fixed(_single(value), "number", *notes, is_percentage=True)


def _text_measure(kind: str, value: float, unit: str, written: str) -> Reading:
    """Return a line height or letter spacing, which can be a multiple of the font size."""
    is_height = kind == "lineHeight"
    if unit == "%" and value == 0:
        return fixed(0.0, "dimension")
    if unit in ("%", "em"):
        factor = _single(value / 100 if unit == "%" else value)
        if not is_height:
            return fixed(f"{shortest(factor)}em", "css")
        note = f"{written} is the multiple {shortest(factor)} of the font size, and only code reads it so"
        return fixed(factor, "number", note)
    if is_height and not unit and 0 < value <= _LARGEST_FACTOR:
        return fixed(_single(value), "number")
    return _length(value, unit or "px", written)


def _length(value: float, unit: str, written: str) -> Reading:
    match unit:
        case "px" | "dp" | "dip":
            return fixed(_single(value), "dimension")
        case "rem":
            return fixed(Quantity(_single(value), "rem"), "dimension")
        case "em" | "sp":
            rem = Quantity(_single(value if unit == "em" else value / PIXELS_PER_REM), "rem")
            return fixed(rem, "dimension", OtherValue(f"{written} is read as {shortest(rem.number)}rem"))
        case _ if unit in _PIXELS:
            pixels = _single(round(value * _PIXELS[unit], 4))
            return fixed(pixels, "dimension", f"{written} is {shortest(pixels)} px")
        case _ if unit in _RELATIVE:
            return refused(f"{quoted(written)} depends on where it is used, and a variable holds pixels")
    return refused(f"{quoted(written)} has a unit that is not a length")


def _duration(value: float, unit: str, written: str) -> Reading:
    if unit in ("ms", "s"):
        return fixed(Quantity(_single(value), unit), "duration")
    if unit in _SECONDS:
        return fixed(Quantity(_single(value * _SECONDS[unit]), "s"), "duration")
    if not unit and value == 0:
        return fixed(Quantity(0.0, "ms"), "duration")
    return refused(f"the duration {quoted(written)} has no unit" if not unit else not_one("duration", written))


def _single(value: float) -> float:
    """Return a number as a graph holds it, and -0 as 0."""
    return normalized(value) + 0.0


@lru_cache(maxsize=4096)
def _is_opacity(path: str) -> bool:
    words = words_of_name(path).split()
    return "opacity" in words or "opacities" in words


@lru_cache(maxsize=4096)
def _is_family(path: str) -> bool:
    return "family" in path.lower() and {"font", "family"}.issubset(words_of_name(path).split())


@lru_cache(maxsize=4096)
def _is_weight(path: str) -> bool:
    return "weight" in path.lower() and "weight" in words_of_name(path).split()


def _is_share(value: Any) -> bool:
    if isinstance(value, str):
        number = measure(value)
        return number is not None and number.unit in ("", "%")
    return type(value) in (int, float)
