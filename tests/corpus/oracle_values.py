"""What a raw API value is and how each target must spell it: an independent reading of the documents.

Standard library only, and nothing of tokensync: the tests compare this reading with the tool's outputs.
"""

import math
import re
import struct
from decimal import Decimal

DIMENSION_SCOPES = {
    "WIDTH_HEIGHT",
    "GAP",
    "CORNER_RADIUS",
    "STROKE_FLOAT",
    "EFFECT_FLOAT",
    "FONT_SIZE",
    "LETTER_SPACING",
    "PARAGRAPH_SPACING",
    "PARAGRAPH_INDENT",
    "LINE_HEIGHT",
}
TEXT_SCOPES = {"FONT_SIZE", "LINE_HEIGHT", "LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT"}
WEIGHTS = {
    100: ".ultraLight",
    200: ".thin",
    300: ".light",
    400: ".regular",
    500: ".medium",
    600: ".semibold",
    700: ".bold",
    800: ".heavy",
    900: ".black",
}
NAMED_WEIGHTS = {
    "thin": 100,
    "hairline": 100,
    "extralight": 200,
    "ultralight": 200,
    "light": 300,
    "normal": 400,
    "regular": 400,
    "book": 400,
    "medium": 500,
    "semibold": 600,
    "demibold": 600,
    "bold": 700,
    "extrabold": 800,
    "ultrabold": 800,
    "black": 900,
    "heavy": 900,
    "extrablack": 950,
    "ultrablack": 950,
}
WEIGHT_SCOPES = {"FONT_STYLE", "FONT_WEIGHT"}
WEIGHT_AS_TEXT = "weight as text"
NUMBER_KIND = "kind of number"
LENGTH_WORDS = re.compile(
    r"\b(space|spacing|gap|padding|radius|size|sizes|width|height|border|stroke|blur|font size|line height)\b"
)
NUMBER_WORDS = re.compile(r"\b(opacity|weight|ratio|count|columns)\b|\bscale$")
WEIGHT_WORDS = re.compile(r"\b(weight|weights)\b")
FAMILY_WORDS = re.compile(r"\b(font (family|families|stack|stacks)|typefaces?|family (sans|serif|mono))\b")
"""The words of config/type-rules.toml that the responses of these tests contain."""
LARGEST_LINE_HEIGHT = 4
"""The largest multiple of the font size; lengths are larger."""
"""The member that a reading gives to a STRING variable that is a font weight."""
GENERIC_FAMILIES = {
    "serif",
    "sans-serif",
    "monospace",
    "cursive",
    "fantasy",
    "system-ui",
    "ui-serif",
    "ui-sans-serif",
    "ui-monospace",
    "ui-rounded",
    "math",
    "emoji",
    "fangsong",
}


def kind(variable: dict) -> str:
    """The types of Figma's export: color, string, fontFamily, boolean, dimension, fontWeight, number, percentage."""
    resolved_type, scopes = variable["resolvedType"], set(variable.get("scopes", ()))
    if resolved_type == "COLOR":
        return "color"
    if resolved_type == "BOOLEAN":
        return "boolean"
    if variable.get(WEIGHT_AS_TEXT):
        return "fontWeight"
    if resolved_type == "STRING":
        by_name = is_open(scopes) and FAMILY_WORDS.search(words_of(variable["name"]))
        return "fontFamily" if scopes == {"FONT_FAMILY"} or by_name else "string"
    return variable[NUMBER_KIND]


def is_open(scopes: set[str]) -> bool:
    """Whether scopes tell nothing: none, or all."""
    return not scopes or "ALL_SCOPES" in scopes


def words_of(name: str) -> str:
    """The words of a name, in lower case."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.findall(r"[^\W\d_]+|\d+", spaced.lower()))


def can_be_named_weight(variable: dict) -> bool:
    """Whether a STRING variable is a weight if its values are."""
    scopes = set(variable.get("scopes", ()))
    return (
        scopes <= WEIGHT_SCOPES
        if scopes and not is_open(scopes)
        else bool(WEIGHT_WORDS.search(words_of(variable["name"])))
    )


def kind_of_scopes(scopes: set[str]) -> str:
    """The kind of a number by its scopes: dimension, fontWeight, number, opacity; empty if they leave it open."""
    if not scopes:
        return ""
    if scopes <= DIMENSION_SCOPES:
        return "dimension"
    if scopes <= {"FONT_WEIGHT", "FONT_STYLE"}:  # the platform keeps FONT_STYLE where FONT_WEIGHT was sent
        return "fontWeight"
    if scopes <= {"OPACITY", "COLOR_OPACITY"}:
        return "opacity"
    return "number" if scopes <= {"OPACITY", "COLOR_OPACITY", "TEXT_CONTENT", "FONT_VARIATIONS"} else ""


def kind_of_name(name: str, collection: str, scopes: set[str], values: list[float]) -> str:
    """The kind of a number by the words of its name, or else of its collection's; empty if they tell nothing."""
    if re.search(r"\bopacity\b", words_of(name)):
        return "opacity"
    for words in (words_of(name), words_of(collection)):
        if WEIGHT_WORDS.search(words) and values and min(values) >= 100 and max(values) <= 1000:
            return "fontWeight" if is_allowed(scopes, WEIGHT_SCOPES) else ""
        if NUMBER_WORDS.search(words):
            return "number" if words == words_of(name) else ""
        if LENGTH_WORDS.search(words):
            return "dimension" if is_allowed(scopes) else ""
    return ""


def is_allowed(scopes: set[str], wanted: frozenset[str] | set[str] = frozenset(DIMENSION_SCOPES)) -> bool:
    """Whether a number with these scopes may be a length, or what else has the wanted scopes."""
    return not scopes or "ALL_SCOPES" in scopes or bool(scopes & wanted)


def named_weight(text: str) -> float | None:
    """The weight that a text names by docs/outputs.md, or None."""
    words = [each for each in re.split("[ _-]", text) if each]
    name = "".join(words)
    if not name.isascii():
        return None
    name = name.lower()
    for slant in ("italic", "oblique"):
        if name.endswith(slant):
            name = name[: -len(slant)] or "regular"
            break
    if name in NAMED_WEIGHTS:
        return float(NAMED_WEIGHTS[name])
    digits = name.isdigit() and text.strip().startswith(name) and not name.startswith("0")
    return float(name) if digits and int(name) <= 1000 else None


def is_text_measure(variable: dict) -> bool:
    """Whether a dimension is of text and only of text (sp on Android)."""
    scopes = set(variable.get("scopes", ()))
    return bool(scopes) and scopes <= TEXT_SCOPES


def single(number: float) -> float:
    """The float32 nearest to a number."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def decimal(number: float) -> str:
    """The shortest decimal that is this number as a float32, written without an exponent."""
    wanted = single(number)
    if wanted == 0:
        return "0"
    for digits in range(1, 18):
        text = f"{wanted:.{digits}g}"
        if single(float(text)) == wanted:
            return plain(Decimal(text))
    raise AssertionError(number)


def plain(number: Decimal) -> str:
    """A decimal without exponent and without zeros at its end."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def hundredth(number: float) -> str:
    """A percentage as a share of one."""
    return plain(Decimal(decimal(number)) / 100)


def byte(component: float) -> int:
    """A component from 0 to 1 as 0 to 255, halves upward."""
    return min(255, max(0, math.floor(component * 255 + 0.5)))


def css_color(color: tuple[float, float, float, float]) -> str:
    """``#rrggbb``, or ``rgb(r g b / a)`` with at most four decimals of alpha."""
    red, green, blue = (byte(each) for each in color[:3])
    if color[3] == 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    alpha = plain(Decimal(color[3]).quantize(Decimal("0.0001"), rounding="ROUND_HALF_UP"))
    return f"rgb({red} {green} {blue} / {alpha})"


def android_color(color: tuple[float, float, float, float]) -> str:
    """``#AARRGGBB``, always eight digits."""
    red, green, blue, alpha = (byte(each) for each in color)
    return f"#{alpha:02X}{red:02X}{green:02X}{blue:02X}"


def families(text: str) -> list[tuple[str, str]]:
    """The parsed form of a font family list: ("string", name) or ("ident", generic keyword)."""
    names = [each.strip().strip("\"'") for each in text.split(",")]
    return [("ident", each.lower()) if each.lower() in GENERIC_FAMILIES else ("string", each) for each in names if each]


_NAMES_OF_FAMILIES = {
    "sans-serif": "sans-serif, ui-sans-serif, system-ui, -apple-system, BlinkMacSystemFont, Roboto, "
    "SF Pro, SF Pro Text, SF Pro Display",
    "serif": "serif, ui-serif, Noto Serif",
    "monospace": "monospace, ui-monospace, SF Mono",
    **{name: name for name in ("cursive", "casual", "sans-serif-condensed")},
}
DEVICE_FAMILIES = {
    name.casefold(): android for android, names in _NAMES_OF_FAMILIES.items() for name in names.split(", ")
}
"""The families of /system/etc/fonts.xml, by the names that CSS and design files have for them; android:fontFamily takes
the first of a list that a device has, or else the first."""


def css_value(variable: dict, value: object) -> tuple:
    """What a CSS parser must read for the variable: (kind of component, its content)."""
    match kind(variable):
        case "color":
            return ("color", css_color(value))
        case "dimension":
            return ("px", decimal(value))
        case "percentage":
            return ("number", hundredth(value))
        case "fontWeight" | "number":
            return ("number", decimal(value))
        case "boolean":
            return ("number", "1" if value else "0")
        case "fontFamily":
            listed = families(value)
            return listed[0] if len(listed) == 1 else ("list", tuple(listed)) if listed else ("string", "")
        case _:
            return ("string", value)


def android_value(variable: dict, value: object, whole: bool) -> tuple[str, str | bool]:
    """What an Android resource reader must read: (resource type, text after escapes). ``whole``: all weights are."""
    match kind(variable):
        case "color":
            return ("color", android_color(value))
        case "dimension":
            return ("dimen", decimal(value) + ("sp" if is_text_measure(variable) else "dp"))
        case "fontWeight" if whole:
            return ("integer", decimal(value))
        case "percentage":
            return ("float", hundredth(value))
        case "fontWeight" | "number":
            return ("float", decimal(value))
        case "boolean":
            return ("bool", "true" if value else "false")
        case "fontFamily":
            names = [name for _, name in families(value)] or [""]
            known = [DEVICE_FAMILIES[name.casefold()] for name in names if name.casefold() in DEVICE_FAMILIES]
            return ("string", next(iter(known), names[0]))
        case _:
            return ("string", value)


def swift_value(variable: dict, value: object) -> tuple[str, str | bool]:
    """What a Swift reader must read: (Swift type, value). A colour is a name in the catalog, so its type is enough."""
    match kind(variable):
        case "color":
            return ("Color", "")
        case "boolean":
            return ("Bool", bool(value))
        case "string" | "fontFamily":
            return ("String", value)
        case "percentage":
            return ("CGFloat", hundredth(value))
        case _:
            return ("CGFloat", decimal(value))
