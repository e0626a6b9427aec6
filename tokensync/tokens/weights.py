"""Font weights: their range, the names that DTCG has for them, and the texts in which design files keep them.

A text names a weight when nothing is left of it but one of DTCG's names, or a whole number of the range, with or
without "italic" or "oblique" after it. Case does not count, nor do blanks, hyphens and underscores: "SemiBold",
"semi-bold" and "Semi Bold Italic" are all 600. A slant alone is one of the regular weight: "Italic" is 400.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

LIGHTEST, HEAVIEST = 1.0, 1000.0
"""The range of a DTCG ``fontWeight`` (DTCG 2025.10, 8.4)."""

AS_TEXT = "fontWeight as text"
"""The type of a token whose weight the platform keeps as text. To everyone else it is a ``fontWeight``."""

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
"""The keywords of ``fontWeight`` and their numbers."""

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
"""The keyword that most fonts have for a weight, the lightest first."""

_REGULAR = 400.0
_SLANTS = ("italic", "oblique")
_LONGEST = 40  # characters; no name of a weight has more, however it is spaced out
_SEPARATORS = re.compile(r"[ _-]+")
_OF_COMPACT_NAME = {each.replace("-", ""): float(number) for each, number in WEIGHTS.items()}
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_FIRST_WORDS = "|".join(dict.fromkeys(each.partition("-")[0] for each in WEIGHTS if "-" in each))

PARTS_OF_STYLE = re.compile(
    rf"[ _-]*(?:(?P<first>{_FIRST_WORDS})(?P<separator>[ _-]*))?(?P<name>[a-z]+?|[0-9]+)??"
    rf"(?:(?P<gap>[ _-]*)(?P<slant>{'|'.join(_SLANTS)}))?[ _-]*",
    re.IGNORECASE,
)
"""How a text that ``font_style`` knows is put together: the words of its weight, its slant and what is between them."""


def public_type(token_type: str) -> str:
    """Return the type that outputs and lists show for a token's type."""
    return "fontWeight" if token_type == AS_TEXT else token_type


class FontStyle(NamedTuple):
    """What the name of a font's style says: a weight, and ``italic``, ``oblique`` or nothing."""

    weight: float
    slant: str = ""


@lru_cache(maxsize=4096)
def font_style(text: str) -> FontStyle | None:
    """Return what a text says as the name of a font's style; None when it names no weight."""
    if len(text) > _LONGEST or not text.isascii():
        return None
    compact = _SEPARATORS.sub("", text).lower()
    slant = next((each for each in _SLANTS if compact.endswith(each)), "")
    name = compact.removesuffix(slant)
    if not name:
        return FontStyle(_REGULAR, slant) if slant else None
    weight = _OF_COMPACT_NAME.get(name)
    if weight is None and _NUMBER.fullmatch(name) and text.strip().startswith(name):  # "6 00" and "-600" are none
        weight = weight_of(float(name))
    return None if weight is None else FontStyle(weight, slant)


def weight_of(value: object) -> float | None:
    """Return the weight that a written value is: a text by its name, a number in the range by itself."""
    if type(value) is str:
        style = font_style(value)
        return None if style is None else style.weight
    return value if type(value) is float and LIGHTEST <= value <= HEAVIEST else None


def name_meant(text: str) -> str:
    """Return the keyword of a weight that a text is almost, as fonts write it; nothing when there is none."""
    from difflib import get_close_matches

    compact = {each.replace("-", ""): each for each in WEIGHTS}
    found = get_close_matches(_SEPARATORS.sub("", text[:_LONGEST]).lower(), compact, n=1, cutoff=0.75)
    return " ".join(map(str.capitalize, compact[found[0]].split("-"))) if found else ""
