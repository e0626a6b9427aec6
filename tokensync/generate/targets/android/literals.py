"""Values as the text of Android resources, escaped for aapt and then for XML, and their XML elements.

A kind of resource is a line of ``ELEMENTS`` and one of ``converters``. Among composite types only text styles have a
resource, and shadows by option: Android draws the shadow of an elevation, which is not the one of the design.
"""

from __future__ import annotations

import re
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import notation
from tokensync.generate.notation import (
    NO_REFERENCES,
    Shadow,
    Typography,
    composite,
    face_of,
    font_resource,
    font_stack,
    in_pixels,
    then,
)
from tokensync.tokens import Color, Literal, Quantity, Unresolved, channel, normalized, shortest
from tokensync.tokens.values import DURATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.generate.target import Convert
    from tokensync.settings import FontConfig
    from tokensync.tokens.composites import Path


class Element(NamedTuple):
    """The declaration of a kind of resource: its file, tag, further attributes, and the format of a theme attribute.

    A kind without ``format`` cannot be a theme attribute, and one without ``reference`` cannot be referred to.
    """

    file: str
    tag: str
    attributes: str
    format: str
    reference: str


TEXT_STYLE = "text-style"
PARENT = "@style/"
"""The prefix of the text of a text style that has a parent and no items."""

_STRING = Element("strings", "string", ' translatable="false"', "string", "@string/")
_NUMBER = Element("numbers", "item", ' type="dimen" format="float"', "float", "@dimen/")
ELEMENTS = {
    "color": Element("colors", "color", "", "color", "@color/"),
    "dp": Element("dimens", "dimen", "", "dimension", "@dimen/"),
    "sp": Element("dimens", "dimen", "", "dimension", "@dimen/"),
    "elevation": Element("dimens", "dimen", "", "dimension", "@dimen/"),
    "string": _STRING,
    "family": _STRING,
    "boolean": Element("bools", "bool", "", "boolean", "@bool/"),
    "integer": Element("integers", "integer", "", "integer", "@integer/"),
    "milliseconds": Element("integers", "integer", "", "integer", "@integer/"),
    "number": _NUMBER,
    "percentage": _NUMBER,
    "em": _NUMBER,
    TEXT_STYLE: Element("text_appearances", "style", ' parent=""', "", ""),
}
"""The elements by kind, in the order of the files."""

KINDS = {
    **{kind: kind for kind in ("color", "number", "percentage", "em", "string", "family", "boolean")},
    "length": "dp",
    "ratio": "percentage",
    "weight": "integer",
    "keyword": "string",
    "duration": "milliseconds",
    "typography": TEXT_STYLE,
}
"""The kind of resource for each kind of value; the unit of a text length is an option."""

UNREPRESENTABLE = re.compile("[\0\ud800-\udfff]")
"""Characters that a string resource cannot contain; aapt has ``\\u`` escapes for the others that XML forbids."""

LARGEST_INTEGER = 2_147_483_647
"""The largest value of an integer resource."""

LARGEST_LENGTH = 8_388_607
"""The largest number of a dimension resource, which has 24 bits with the sign (TypedValue.COMPLEX_MANTISSA_MASK)."""

_FULL = 999
"""The radius in dp from which on corners are full: design files write 999, 1000, 9999 and more."""

_LONGEST = 32_767
"""Bytes of a string resource; aapt2 replaces longer ones by the text STRING_TOO_LARGE."""

_SPECIAL = re.compile(
    "[\0-\x1f\\\\'\"&<>\x7f-\x9f\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ud800-\udfff\ufeff\ufffe\uffff]"
    "|^[@? ]| (?= |\\Z)|(?<=\n) |(?<=\t) |\\](?=\\]>)"
)
_NAMED = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "\n": "\\n",
    "\t": "\\t",
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "@": "\\@",
    "?": "\\?",
}


def string(text: str) -> str:
    """Return a string resource with the exact text.

    aapt collapses white space, ends a string at a bare quote and reads a leading ``@`` or ``?`` as a reference. The
    Android Gradle plugin writes ``&gt;`` as ``>`` when it merges resources, and XML forbids ``]]>`` in a text.
    """
    return notation.escaped(UNREPRESENTABLE.sub("\ufffd", text), _SPECIAL, _NAMED, "\\u{:04x}")


def is_too_long(text: str) -> bool:
    """Return whether a string resource cannot contain the text; its bytes are those of Java's modified UTF-8."""
    if len(text) * 6 <= _LONGEST:
        return False
    return len(text.encode("utf-8", "surrogatepass")) + 2 * sum(map("\uffff".__lt__, text)) > _LONGEST


def _string(value: Literal) -> str | None:
    text = notation.listed(value)
    return None if text is None or is_too_long(text) else string(text)


def is_too_large(value: Literal | Unresolved) -> bool:
    """Return whether a length does not fit into a dimension resource, which has the largest number instead."""
    return abs(_length(value)) > LARGEST_LENGTH


def is_full(value: Literal | Unresolved) -> bool:
    """Return whether a radius stands for half of the size, as that of a pill."""
    return _length(value) >= _FULL


def _length(value: Literal | Unresolved) -> float:
    return float((None if isinstance(value, Unresolved) else notation.pixels(value)) or 0)


def _pixels(value: Literal) -> str | None:
    text = notation.pixels(value)
    if text is None or len(text) < len(str(LARGEST_LENGTH)):
        return text
    return shortest(_limited(float(text))) if is_too_large(value) else text


def _limited(length: float) -> float:
    return float(max(-LARGEST_LENGTH, min(LARGEST_LENGTH, length)))


def color(value: Literal) -> str | None:
    """Return ``#AARRGGBB``."""
    if type(value) is not Color:
        return None
    alpha, red, green, blue = map(channel, (value.alpha, value.red, value.green, value.blue))
    return f"#{alpha << 24 | red << 16 | green << 8 | blue:08X}"


def milliseconds(value: Literal) -> str | None:
    """Return a duration in whole milliseconds."""
    if type(value) is not Quantity or value.unit not in DURATIONS:
        return None
    number = value.number * DURATIONS[value.unit]
    return str(floor(number + 0.5)) if abs(number) <= LARGEST_INTEGER else None


def is_integer(number: float) -> bool:
    """Return whether the number can be an integer resource."""
    return number == number // 1 and abs(number) <= LARGEST_INTEGER


_ELEVATIONS = {(1.0, 3.0, 1.0): 1, (2.0, 6.0, 2.0): 3, (4.0, 8.0, 3.0): 6, (6.0, 10.0, 4.0): 8, (8.0, 12.0, 6.0): 12}
"""The elevations of Material 3 in dp, by offset, blur and spread of the larger layer of its shadows in design files."""


def _elevation(value: Literal) -> str | None:
    """Return the elevation of a shadow in dp: Material's own, or the largest vertical offset of its outer layers."""
    shadow = composite(value, "shadow")
    if not isinstance(shadow, Shadow):
        return None
    outer = [layer for layer in shadow.layers if not layer.inset]
    largest = max(
        [(abs(in_pixels(layer.offset_y)), in_pixels(layer.blur), in_pixels(layer.spread)) for layer in outer],
        default=(0.0, 0.0, 0.0),
    )
    return f"{_four_decimals(_limited(_ELEVATIONS.get(largest, largest[0])))}dp"


_REFERENCE_OF_PART: dict[Path, Mapping[str, str]] = {
    ("fontSize",): {"sp": "@dimen/", "dp": "@dimen/"},
    ("fontWeight",): {"integer": "@integer/"},
    ("letterSpacing",): {"em": "@dimen/"},
    ("lineHeight",): {"sp": "@dimen/", "dp": "@dimen/"},
}


def reference_of_part(path: Path, kind: str) -> str:
    """Return the reference prefix of a resource of this kind in a text style; empty where no reference is possible.

    A letter spacing as a length and a line height in multiples cannot be references, because they are relative to the
    size; nor can a font family, because it is a single name here and may be a list in a resource.
    """
    return _REFERENCE_OF_PART.get(path, {}).get(kind, "")


class TextStyles(NamedTuple):
    """The notation of text styles: the unit of sizes and line heights, whether Material Components read them, fonts."""

    unit: str = "sp"
    material: bool = False
    fonts: tuple[FontConfig, ...] = ()

    def items(self, value: Typography, references: Mapping[Path, str] = NO_REFERENCES) -> tuple[tuple[str, str], ...]:
        """Return (attribute, text) of each item, escaped for XML; ``references`` has texts like ``@dimen/x``."""
        size, line = in_pixels(value.size), value.line_height
        weight = str(int(value.weight + 0.5)) if value.weight else ""
        family, has_cut = self._family(value.families, value)
        # Below API 28, where there is no weight, only the style makes a text bold; a bold font would become bolder.
        style = ("bold" if (value.weight or 0) >= _BOLD else "", "italic" if value.style in _SLANTED else "")
        if isinstance(line, Quantity):
            line_height = references.get(("lineHeight",), self._length(in_pixels(line)))
        else:
            line_height = self._length(size * line) if size and line else ""
        items = {
            "android:fontFamily": references.get(("fontFamily",), family),
            "android:textFontWeight": references.get(("fontWeight",), weight),
            "android:textStyle": "" if has_cut else "|".join(filter(None, style)),
            "android:textSize": references.get(("fontSize",), self._length(size)),
            "android:letterSpacing": references.get(("letterSpacing",), in_ems(in_pixels(value.letter_spacing), size)),
            "android:lineHeight": line_height,
            # What MaterialTextView reads below API 28; TextView itself reads no line height from a text appearance.
            "lineHeight": line_height if self.material else "",
            "android:textAllCaps": "true" if value.case == "uppercase" else "",
        }
        return tuple((name, text) for name, text in items.items() if text)

    def text(self, value: Literal | Unresolved, references: Mapping[Path, str] = NO_REFERENCES) -> str | None:
        """Return the items of a text style, one per line; None when the value is not a text style."""
        typed = None if isinstance(value, Unresolved) else composite(value, "typography")
        if not isinstance(typed, Typography):
            return None
        lines = (
            f'\n        <item name="{name}"{_LINT_ATTRIBUTES.get(name, "")}>{text}</item>'
            for name, text in self.items(typed, references)
        )
        return f"{''.join(lines)}\n    "

    def family(self, value: Literal) -> str | None:
        """Return the one family that ``android:fontFamily`` takes; None when the value is no family."""
        names = notation.families(value)
        return None if names is None else self._family(tuple(names))[0]

    def _family(self, families: tuple[str, ...], style: Typography | None = None) -> tuple[str, bool]:
        """Return a style's configured font, a family of devices or the first one, and whether the font has a weight."""
        for family in font_stack(families, self.fonts):
            if family.lower() in _DEVICE_FAMILIES:
                return _DEVICE_FAMILIES[family.lower()], False
            if style and (face := face_of(self.fonts, family, style)):
                return f"@font/{font_resource(face)}", face.weight is not None
        return string((families or ("",))[0]), False

    def _length(self, number: float) -> str:
        return f"{_four_decimals(_limited(number))}{self.unit}"


_LINT_ATTRIBUTES = dict.fromkeys(("android:textFontWeight", "android:lineHeight"), ' tools:targetApi="28"')
"""Markers that prevent Android lint from reporting attributes of newer API levels."""
_BOLD = 600
"""The weight from which Android takes the bold font of a family with two."""
_SLANTED = ("italic", "oblique")
_DEVICE_FAMILIES = {
    **{name: name for name in ("sans-serif", "serif", "monospace", "cursive", "casual", "sans-serif-condensed")},
    **dict.fromkeys(("system-ui", "ui-sans-serif", "-apple-system", "blinkmacsystemfont"), "sans-serif"),
    **dict.fromkeys(("roboto", "sf pro", "sf pro text", "sf pro display"), "sans-serif"),
    "ui-serif": "serif",
    "noto serif": "serif",
    "ui-monospace": "monospace",
    "sf mono": "monospace",
}
"""The names of the families that devices have (/system/etc/fonts.xml), by their names in CSS and in design files."""


def in_ems(spacing: float, size: float) -> str:
    """Return a letter spacing in multiples of the text size, both of which are in pixels; empty without a size."""
    return _four_decimals(spacing / size) if size else ""


def _four_decimals(number: float) -> str:
    return shortest(normalized(round(number, 4)))


def converters(styles: TextStyles) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; they return None for unsupported values."""
    return {
        "color": color,
        "dp": then(_pixels, "{}dp".format),
        "sp": then(_pixels, "{}sp".format),
        "elevation": _elevation,
        "em": lambda value: notation.ems(value) or notation.pixels(value),
        "number": notation.decimal,
        "integer": notation.decimal,
        "milliseconds": milliseconds,
        "percentage": notation.share,
        "string": _string,
        "family": styles.family,
        "boolean": notation.boolean,
        TEXT_STYLE: styles.text,
    }


_FORBIDDEN = "\0-\x08\x0b\x0c\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
"""Characters that XML forbids, and bidirectional controls."""
_NOT_IN_A_COMMENT = f"[{_FORBIDDEN}]"  # a text: compiling it takes long, and few builds need it
_UNSAFE = re.compile(r"-(?=-)|\*(?=/)|\\(?=u)|@(?=[A-Za-z])")
"""Positions that need a space, to prevent the end of a comment, a Java escape or an annotation."""


def comment(text: str) -> str:
    """Return a text that is safe in an XML comment and in a Java comment.

    aapt2 copies a resource's comment to its field of the class R, where it must not contain the end of a Java comment,
    a Java escape, or an annotation that aapt2 would apply.
    """
    if text.isprintable() and not ("-" in text or "*" in text or "\\" in text or "@" in text):  # as most, and faster
        return " ".join(text.split())
    words = " ".join(re.sub(_NOT_IN_A_COMMENT, "\ufffd", text).split())
    return _UNSAFE.sub(r"\g<0> ", words)
