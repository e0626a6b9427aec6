"""The values of a token in one mode, and their numbers. Aliases stay unresolved.

The platform stores numbers as 32-bit floats and returns 0.9 as 0.8999999761581421. A graph stores and compares the
float32 value (as a Python float), and prints it as the shortest decimal with that float32 value. Token files may have
numbers that the platform cannot store, such as 2147483647: a graph stores these as they are (``normalized``).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from colorsys import hls_to_rgb
from functools import cache, lru_cache
from itertools import accumulate
from math import floor
from struct import Struct as Packing
from typing import Any, NamedTuple, TypeGuard, TypeVar

from msgspec import Struct

from tokensync.tokens.paths import names

_FRACTION, _PERCENT, _HUE = (0.0, 1.0), (0.0, 100.0), (0.0, 360.0)
_ANY, _NOT_NEGATIVE = (-math.inf, math.inf), (0.0, math.inf)

COLOR_SPACES: dict[str, tuple[tuple[float, float], ...]] = {
    **dict.fromkeys(("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb"), (_FRACTION,) * 3),
    **dict.fromkeys(("rec2020", "xyz-d65", "xyz-d50"), (_FRACTION,) * 3),
    **dict.fromkeys(("hsl", "hwb"), (_HUE, _PERCENT, _PERCENT)),
    "lab": (_PERCENT, _ANY, _ANY),
    "lch": (_PERCENT, _NOT_NEGATIVE, _HUE),
    "oklab": (_FRACTION, _ANY, _ANY),
    "oklch": (_FRACTION, _NOT_NEGATIVE, _HUE),
}
"""The colour spaces of DTCG, with the range of each component (DTCG 2025.10 Color, section 4). A hue is below 360."""

IN_GAMUT = 0.00005
"""The tolerance of components outside of 0 to 1, well below one of 255 steps."""

_SINGLE = Packing("<f")
_SMALLEST_NORMAL = 2.0**-126  # below it a float32 has fewer than six digits
_WHOLE = 2**53  # up to here every whole number is written with all its digits


class TokenKey(NamedTuple):
    """The unique key of a token: its file, the handle of its root collection, and its path.

    ``path`` is the DTCG path, names encoded by ``paths.encoded`` and joined by ``.`` (``accent.base``). A token that is
    also a group has the group's path, without ``$root``.
    """

    file: str
    collection: str
    path: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the groups and of the token, as in the design file."""
        return names(self.path)

    def __str__(self) -> str:
        return f"{self.collection} / {'/'.join(self.names)}"


class Color(Struct, frozen=True, gc=False):
    """An sRGB colour. Components and alpha are float32 values from 0 to 1.

    ``wide`` is the exact colour if it is outside of sRGB and the components are those of the closest colour, as its
    space and components (``oklch 0.7 0.3 150``). Only graphs for outputs contain it: see ``Notation``. There, it can
    also be a colour inside of sRGB (``srgb 0.2 0.4 0.6``), in a design file whose components are not in sRGB.
    """

    red: float
    green: float
    blue: float
    alpha: float = 1.0
    wide: str = ""


def is_outside(color: Color) -> bool:
    """Return whether a colour is outside of sRGB."""
    return bool(color.wide) and not color.wide.startswith("srgb ")


def channel(component: float) -> int:
    """Return a colour component from 0 to 1 as an integer from 0 to 255, rounded half up and clamped."""
    byte = int(component * 255 + 0.5)
    return byte if 0 <= byte <= 255 else 255 * (byte > 0)


def channels(color: Color) -> tuple[int, int, int]:
    """Return red, green and blue as ``channel`` does."""
    red, green, blue = floor(color.red * 255 + 0.5), floor(color.green * 255 + 0.5), floor(color.blue * 255 + 0.5)
    if (red | green | blue) >> 8:  # below 0 or above 255, as few
        return channel(color.red), channel(color.green), channel(color.blue)
    return red, green, blue


def hexadecimal(color: Color) -> str:
    """Return ``#rrggbb``, or ``#rrggbbaa`` unless the colour is opaque."""
    red, green, blue = channels(color)
    return f"#{red:02x}{green:02x}{blue:02x}{'' if color.alpha == 1 else f'{channel(color.alpha):02x}'}"


def exact_channels(color: Color) -> str:
    """Return ``rgb(0.5 0.2 0.2 / 1)``, for two colours that are the same in hexadecimal digits."""
    red, green, blue, alpha = map(shortest, (color.red, color.green, color.blue, color.alpha))
    return f"rgb({red} {green} {blue} / {alpha})"


class Alias(Struct, frozen=True):
    """A reference to a token in the graph."""

    target: TokenKey


class DanglingAlias(Struct, frozen=True, gc=False):
    """A reference to a token that is not in the graph; ``reference`` is the platform's id or a path."""

    reference: str


class ComposedColor(Struct, frozen=True):
    """A base colour with an opacity, of which at least one is an alias.

    The opacity is a percentage from 0 to 100, also in a referenced token. ``composed`` multiplies it by the base
    colour's alpha, as Figma renders it (not documented).
    """

    color: Color | Alias | DanglingAlias
    opacity: float | Alias | DanglingAlias


class Quantity(Struct, frozen=True, gc=False):
    """A number with a unit that the platform lacks: ``rem``, ``em``, ``ms``. A plain float of a dimension is in px."""

    number: float
    unit: str


class Composite(Struct, frozen=True, gc=False):
    """A DTCG value that variables cannot have (shadow, border, typography ...), as canonical JSON.

    ``references`` are its references (``{a.b}``, or the pointer of a ``$ref``) with their target tokens, without
    duplicates, in JSON order.
    """

    json: str
    references: tuple[tuple[str, TokenKey], ...] = ()


Literal = bool | float | str | Color | Quantity | Composite
Value = Literal | Alias | DanglingAlias | ComposedColor


class Notation(NamedTuple):
    """How a token file writes a value in one mode, if not in the form that a pull would write.

    ``context`` is that of the mode, ``text`` the JSON of the ``$value``. ``wide`` is that of a ``Color``, and set for
    all colours of other spaces than srgb. Only token files have notations: neither the platform nor the lock does, so
    they are not part of a merge or a difference.
    """

    context: str
    value: Value
    text: str
    wide: str = ""


PIXELS_PER_REM = 16.0
LENGTHS = {"px": 1.0, "rem": PIXELS_PER_REM}
"""The units of a ``dimension`` of DTCG, in pixels."""
RELATIVE_UNITS = {"em": 1.0, "%": 0.01}
"""More units of a ``dimension``, in font sizes where it is one of text. DTCG does not have them, but token files do."""
DURATIONS = {"ms": 1.0, "s": 1000.0}
"""The units of a ``duration``, in milliseconds."""

KEYWORDS = {
    "fontStyle": ("normal", "italic", "oblique"),
    "textCase": ("none", "uppercase", "lowercase", "capitalize"),
    "textDecoration": ("none", "underline", "line-through"),
}
"""The types of words of a text style that DTCG does not have, with their values, which are those of CSS."""

LITERAL_CLASSES: dict[str, tuple[type, ...]] = {
    "color": (Color,),
    "dimension": (float, Quantity),
    "duration": (Quantity,),
    "number": (float,),
    "fontWeight": (float,),
    "string": (str,),
    "fontFamily": (str, Composite),
    "boolean": (bool,),
    "css": (str,),
    **dict.fromkeys(KEYWORDS, (str,)),
}
"""The classes of literals of each type. Other types are composites; only CSS can read ``css``."""

_CSS = r"(?a)[\w .,%#+*/()-]+"
_NOT_A_VALUE = r"(?i)/[/*]|\b(?:url|src|image|image-set)\("


def is_css(text: str) -> bool:
    """Return whether a text can be the value of a declaration: it ends none, has no comment and loads nothing."""
    if re.fullmatch(_CSS, text) is None or re.search(_NOT_A_VALUE, text) or text != text.strip():
        return False
    depths = [*accumulate((character == "(") - (character == ")") for character in text)]
    return min(depths) == depths[-1] == 0


def is_relative(value: object) -> TypeGuard[Quantity]:
    """Return whether a value is a length in one of ``RELATIVE_UNITS``."""
    return type(value) is Quantity and value.unit in RELATIVE_UNITS


LITERALS = frozenset({bool, float, str, Color, Quantity})
"""The classes without references; a composite may have some."""


class Unresolved(Struct, frozen=True, gc=False):
    """The reason for a missing literal (``dangling``, ``cycle``, ``absent``, ``mismatch``), and its location."""

    reason: str
    at: str


def composed(base: Color, opacity: float) -> Color:
    """Return a colour with its alpha multiplied by an opacity (a percentage, clamped to 0-100)."""
    share = min(max(opacity, 0.0), 100.0) / 100.0
    return Color(base.red, base.green, base.blue, float32(base.alpha * share), base.wide)


def targets(value: Value | None) -> tuple[TokenKey, ...]:
    """Return the tokens that a value refers to."""
    if isinstance(value, Alias):
        return (value.target,)
    if isinstance(value, ComposedColor):
        return tuple(each.target for each in (value.color, value.opacity) if isinstance(each, Alias))
    if isinstance(value, Composite):
        return tuple(target for _, target in value.references)
    return ()


def float32(number: float) -> float:
    """Return the nearest 32-bit float. Raise OverflowError for numbers over 3.4e38."""
    single: float = _SINGLE.unpack(_SINGLE.pack(number))[0]
    return single


def normalized(number: float) -> float:
    """Return a number as a graph holds it: as float32, unless that changes more than the last digits of a fraction.

    Whole numbers count something, so they are not rounded. Numbers that float32 cannot hold at all are not either.
    """
    try:
        single = float32(number)
    except OverflowError:
        return number
    if single == number or (number % 1 and abs(number) >= _SMALLEST_NORMAL):
        return single
    return single if float(shortest(single)) == number else number


def is_storable(number: float) -> bool:
    """Return whether the platform can store a number as ``normalized`` returns it."""
    return math.isfinite(number) and _is_float32(normalized(number))


@cache  # equal numbers share one object
def json_number(number: float) -> int | float:
    """Return the number of ``shortest`` for JSON: 16 for 16.0, 0.9 for 0.8999999761581421."""
    text = shortest(number)
    return float(text) if "." in text or abs(number) >= _WHOLE else int(text)


@cache  # a library uses few distinct numbers, many times
def shortest(number: float) -> str:
    """Return the shortest decimal of a graph's number, without an exponent: ``0.9``, ``16``, ``-0.5``, ``0.00001``."""
    if number == int(number) and abs(number) < _WHOLE:
        return str(int(number))
    text = repr(number)
    if _is_float32(number):
        # A normal float32 preserves six significant digits, and nine identify every one.
        digits = range(6 if abs(number) >= _SMALLEST_NORMAL else 1, 10)
        text = next(filter(None, (_rounded(number, digit) for digit in digits)), text)
    if "e" not in text:
        return text
    from decimal import Decimal

    return f"{Decimal(text):f}"


def _is_float32(number: float) -> bool:
    try:
        return float32(number) == number
    except OverflowError:
        return False


def _rounded(number: float, digits: int) -> str | None:
    """Return a decimal with this number of digits and this float32 value, if there is one."""
    text = f"{number:.{digits}g}"
    if float32(float(text)) == number:
        return text
    if abs(math.frexp(number)[0]) == 0.5:  # above a power of two the spacing doubles: the nearest decimal may be below
        exponent = int(f"{number:e}".partition("e")[2])
        above = f"{number + math.copysign(10.0 ** (exponent - digits + 1), number):.{digits}g}"
        if float32(float(above)) == number:
            return above
    return None


@lru_cache(maxsize=65_536)
def converted(space: str, components: tuple[float, float, float], alpha: float) -> Color:
    """Return a colour of one of ``COLOR_SPACES`` in sRGB; the closest one, with ``wide``, if it is outside of sRGB."""
    wide = ""
    match space:
        case "srgb":
            channels = components
        case "srgb-linear":
            channels = (encoded(components[0]), encoded(components[1]), encoded(components[2]))
        case "hsl":
            channels = hls_to_rgb(components[0] / 360, components[2] / 100, components[1] / 100)
        case "hwb":
            channels = _of_hwb(*components)
        case _:
            channels, is_exact = _nearest(space, components)
            wide = "" if is_exact else f"{space} {' '.join(map(shortest, components))}"
    red, green, blue, opacity = (float32(min(max(each, 0.0), 1.0)) + 0.0 for each in (*channels, alpha))
    return Color(red, green, blue, opacity, wide)


def encoded(linear: float) -> float:
    """Return a component of sRGB, or of Display P3, from linear light (IEC 61966-2-1)."""
    return linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def linear(component: float) -> float:
    """Return the linear light of a component of sRGB or Display P3 (the inverse of ``encoded``)."""
    return component / 12.92 if component <= 0.04045 else ((component + 0.055) / 1.055) ** 2.4


def luminance(color: Color) -> float:
    """Return the relative luminance of an opaque sRGB colour, from 0 to 1 (WCAG 2.2)."""
    red, green, blue = map(linear, (color.red, color.green, color.blue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _of_hwb(hue: float, white: float, black: float) -> tuple[float, float, float]:
    white, black = white / 100, black / 100
    if white + black >= 1:
        gray = white / (white + black)
        return gray, gray, gray
    red, green, blue = (each * (1 - white - black) + white for each in hls_to_rgb(hue / 360, 0.5, 1.0))
    return red, green, blue


def _nearest(space: str, components: tuple[float, float, float]) -> tuple[tuple[float, float, float], bool]:
    """Return the closest colour in sRGB, with the chroma of OKLCH reduced, and whether it is the colour itself."""
    color = in_own_space(space, components).convert("srgb")
    is_exact = color.in_gamut(tolerance=IN_GAMUT)
    if not is_exact:
        color = color.fit("srgb", method="oklch-chroma")
    red, green, blue = color[:3]
    return (red, green, blue), is_exact


def in_own_space(space: str, components: Iterable[float]) -> Any:
    """Return a colour as coloraide has it.

    CSS Color 4 changed the transfer function of rec2020 in 2025 from that of BT.2020 to that of BT.1886, and libraries
    differ. This is the latter.
    """
    from coloraide import Color as Converted

    if space == "rec2020":
        return Converted("rec2020-linear", [component**2.4 for component in components])
    return Converted(space, [*components])


# From linear sRGB to linear Display P3 without chromatic adaptation, since both have the white point D65
# (CSS Color 4, "Sample code for color conversions").
_TO_P3 = (
    (0.8224619687143623, 0.1775380312856377, 0.0),
    (0.0331941988509692, 0.9668058011490308, 0.0),
    (0.0170826307211200, 0.0723974407033600, 0.9105199285755200),
)


def in_display_p3(color: Color) -> tuple[float, float, float]:
    """Return a colour in Display P3; the closest one, with less chroma, if it is outside of P3."""
    if not color.wide:
        channels = [*map(linear, (color.red, color.green, color.blue))]
        rows = (sum(share * channel for share, channel in zip(row, channels, strict=True)) for row in _TO_P3)
        red, green, blue = map(encoded, rows)
        return red, green, blue
    space, *components = color.wide.split()
    converted_color = in_own_space(space, map(float, components)).convert("display-p3")
    if not converted_color.in_gamut(tolerance=IN_GAMUT):
        converted_color = converted_color.fit("display-p3", method="oklch-chroma")
    red, green, blue = (min(max(each, 0.0), 1.0) for each in converted_color[:3])
    return red, green, blue


def value_text(value: Value | None, *, exact: bool = False) -> str:
    """Return a value for messages: ``{handle.path}`` for an alias. ``exact`` distinguishes similar colours."""
    match value:
        case None:
            return "nothing"
        case Alias(target=target):
            return f"{{{target.collection}.{target.path}}}"
        case DanglingAlias(reference=reference):
            return f"{{{reference}}} (does not exist)"
        case ComposedColor(color=color, opacity=opacity):
            share = f"{shortest(opacity)} %" if isinstance(opacity, float) else value_text(opacity)
            return f"{value_text(color, exact=exact)} at {share}"
        case Color():
            return exact_channels(value) if exact else hexadecimal(value)
        case bool():
            return "true" if value else "false"
        case float():
            return shortest(value)
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case Composite(json=text):
            return text
        case _:
            return repr(value)


def json_value(value: Value) -> Any:
    """Return a value as JSON, as the lock and differences contain it: no two values have the same JSON."""
    match value:
        case Alias(target=target):
            return {"alias": list(target)}
        case DanglingAlias(reference=reference):
            return {"dangling": reference}
        case Color():
            return [json_number(each) for each in (value.red, value.green, value.blue, value.alpha)]
        case ComposedColor(color=color, opacity=opacity):
            return {"color": json_value(color), "opacity": json_value(opacity)}
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case Composite(json=text, references=references):
            ends = {"references": {spelled: list(target) for spelled, target in references}} if references else {}
            return {"composite": text, **ends}
        case bool() | str():
            return value
        case _:
            return json_number(value)


LIGHTEST, HEAVIEST = 1.0, 1000.0
"""The range of a DTCG ``fontWeight`` (DTCG 2025.10, 8.4)."""

AS_TEXT = "fontWeight as text"
"""The type of a token whose weight the platform stores as text. Outputs treat it as a ``fontWeight``."""

WEIGHTS = {
    "thin": 100,
    "hairline": 100,
    "extra-light": 200,
    "ultra-light": 200,
    "light": 300,
    "normal": 400,
    "regular": 400,
    "book": 400,
    "medium": 500,
    "semi-bold": 600,
    "demi-bold": 600,
    "bold": 700,
    "extra-bold": 800,
    "ultra-bold": 800,
    "black": 900,
    "heavy": 900,
    "extra-black": 950,
    "ultra-black": 950,
}
"""The keywords of ``fontWeight`` with their numbers."""

USUAL_NAMES = {
    100: "thin",
    200: "extra-light",
    300: "light",
    400: "regular",
    500: "medium",
    600: "semi-bold",
    700: "bold",
    800: "extra-bold",
    900: "black",
    950: "extra-black",
}
"""The most common keyword of each weight, the lightest first."""

_REGULAR = 400.0
_SLANTS = ("italic", "oblique")
_LONGEST = 40  # characters; no name of a weight is longer, whatever its spacing
_SEPARATORS = re.compile(r"[ _-]+")
_OF_COMPACT_NAME = {each.replace("-", ""): float(number) for each, number in WEIGHTS.items()}
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_FIRST_WORDS = "|".join(dict.fromkeys(each.partition("-")[0] for each in WEIGHTS if "-" in each))

PARTS_OF_STYLE = (
    rf"(?i)[ _-]*(?:(?P<first>{_FIRST_WORDS})(?P<separator>[ _-]*))?(?P<name>[a-z]+?|[0-9]+)??"
    rf"(?:(?P<gap>[ _-]*)(?P<slant>{'|'.join(_SLANTS)}))?[ _-]*"
)
"""The structure of a text that ``font_style`` accepts: the words of the weight, the slant and the separators."""


def public_type(token_type: str) -> str:
    """Return a token's type for outputs and lists."""
    return "fontWeight" if token_type == AS_TEXT else token_type


class FontStyle(NamedTuple):
    """A font style: a weight, and the slant ``italic``, ``oblique`` or none."""

    weight: float
    slant: str = ""


@lru_cache(maxsize=4096)
def font_style(text: str) -> FontStyle | None:
    """Return the font style that a text names; None if it names no weight."""
    if len(text) > _LONGEST or not text.isascii():
        return None
    compact = _SEPARATORS.sub("", text).lower()
    slant = next((each for each in _SLANTS if compact.endswith(each)), "")
    name = compact.removesuffix(slant)
    if not name:
        return FontStyle(_REGULAR, slant) if slant else None
    weight = _OF_COMPACT_NAME.get(name)
    if weight is None and _NUMBER.fullmatch(name) and text.strip().startswith(name):  # not "6 00" or "-600"
        weight = weight_of(float(name))
    return None if weight is None else FontStyle(weight, slant)


def weight_of(value: object) -> float | None:
    """Return the weight of a text or of a number in the range; None for other values."""
    if type(value) is str:
        style = font_style(value)
        return None if style is None else style.weight
    return value if type(value) is float and LIGHTEST <= value <= HEAVIEST else None


def name_meant(text: str) -> str:
    """Return the closest name of a weight, capitalized as in fonts; empty if nothing is close."""
    from difflib import get_close_matches

    compact = {each.replace("-", ""): each for each in WEIGHTS}
    found = get_close_matches(_SEPARATORS.sub("", text[:_LONGEST]).lower(), compact, n=1, cutoff=0.75)
    return " ".join(map(str.capitalize, compact[found[0]].split("-"))) if found else ""


_T = TypeVar("_T")


class WeightTexts:
    """The style in which a design file writes font weights, derived from its texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._of_style: dict[FontStyle, Counter[str]] = {}
        parts: list[re.Match[str]] = []
        for text in texts:
            if (style := font_style(text)) is not None:
                self._of_style.setdefault(style, Counter())[text] += 1
                if (found := re.fullmatch(PARTS_OF_STYLE, text)) is not None:
                    parts.append(found)
        of_two_words = [part for part in parts if part["first"]]
        words = [part["name"] for part in parts if not part["first"] and (part["name"] or "").isalpha()]
        pairs: Counter[tuple[Callable[[str], str], Callable[[str], str]]] = Counter(
            (_casing(word["first"]), _casing(word["name"])) for word in of_two_words
        )
        default, _ = _most_common(pairs, (str.capitalize, str.capitalize))
        self._casing_of_one = _most_common(Counter(map(_casing, words)), default)
        self._casing_of_two = _most_common(pairs, (self._casing_of_one, self._casing_of_one))
        self._separator = _most_common(Counter(word["separator"] for word in of_two_words), " ")
        self._slants = Counter(part["gap"] + part["slant"] for part in parts if part["slant"] and part["name"])
        self._in_digits = 2 * sum((part["name"] or "").isdigit() for part in parts) > len(parts)

    def text(self, weight: float, before: str = "") -> str | None:
        """Return a weight in the file's style; None if it has no name and the file does not write numbers.

        ``before`` is the text to replace: it stays if it has the weight already, and italic stays italic.
        """
        old = font_style(before)
        if old is not None and old.weight == weight:
            return before
        style = FontStyle(weight, "" if old is None else old.slant)
        if style in self._of_style:
            return _most_common(self._of_style[style], "")
        if not style.slant:
            return self._upright(weight)
        upright = self.text(weight)
        return None if upright is None else upright + self._slant(before, style.slant)

    def _upright(self, weight: float) -> str | None:
        if self._in_digits and weight.is_integer():
            return str(int(weight))
        name = USUAL_NAMES.get(int(weight)) if weight.is_integer() else None
        if name is None:
            return None
        first, _, second = name.partition("-")
        if not second:
            return self._casing_of_one(first)
        of_first, of_second = self._casing_of_two
        return of_first(first) + self._separator + of_second(second)

    def _slant(self, before: str, slant: str) -> str:
        """Return the slant of the old text with its separator; in the style of other texts if it is a slant alone."""
        parts = re.fullmatch(PARTS_OF_STYLE, before)
        if parts is not None and parts["name"]:
            return parts["gap"] + parts["slant"]
        like_it = Counter({each: count for each, count in self._slants.items() if each.lower().endswith(slant)})
        return _most_common(like_it, self._separator + self._casing_of_one(slant))


def _casing(word: str) -> Callable[[str], str]:
    return str.upper if word.isupper() else str.lower if word.islower() else str.capitalize


def _most_common(counts: Counter[_T], default: _T) -> _T:
    return counts.most_common(1)[0][0] if counts else default
