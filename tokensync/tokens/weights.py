"""Font weights: their range, the names in DTCG, and the texts in design files.

A text names a weight if it is one of DTCG's names or an integer in the range, optionally followed by "italic" or
"oblique". Case, blanks, hyphens and underscores are ignored: "SemiBold", "semi-bold" and "Semi Bold Italic" are 600. A
slant alone has the regular weight: "Italic" is 400.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

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

PARTS_OF_STYLE = re.compile(
    rf"[ _-]*(?:(?P<first>{_FIRST_WORDS})(?P<separator>[ _-]*))?(?P<name>[a-z]+?|[0-9]+)??"
    rf"(?:(?P<gap>[ _-]*)(?P<slant>{'|'.join(_SLANTS)}))?[ _-]*",
    re.IGNORECASE,
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
