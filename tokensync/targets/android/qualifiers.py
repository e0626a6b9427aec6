"""Android's configuration qualifiers: what may stand after ``values-`` in a folder's name, and in which order.

Source: developer.android.com, "App resources overview", table 2, and aapt2's ``ConfigDescription::Parse``, which has
the same order. Screen sizes in pixels (``640x480``) are not taken: Android has not used them since version 3.2.
"""

from __future__ import annotations

import re

from msgspec import Struct

DIMENSIONS = (
    ("mcc", r"mcc\d{3}"),
    ("mnc", r"mnc\d{1,3}"),
    (
        "locale",
        r"[a-z]{2,3}(?:-r[A-Z]{2})?|b\+[a-z]{2,3}(?:\+[A-Z][a-z]{3})?(?:\+(?:[A-Z]{2}|\d{3}))?(?:\+[a-z0-9]{5,8})?",
    ),
    ("gender", r"masculine|feminine|neuter"),
    ("direction", r"ldrtl|ldltr"),
    ("smallest width", r"sw[1-9]\d{0,4}dp"),
    ("width", r"w[1-9]\d{0,4}dp"),
    ("height", r"h[1-9]\d{0,4}dp"),
    ("size", r"small|normal|large|xlarge"),
    ("aspect", r"long|notlong"),
    ("round", r"round|notround"),
    ("gamut", r"widecg|nowidecg"),
    ("range", r"highdr|lowdr"),
    ("orientation", r"port|land"),
    ("mode", r"car|desk|television|appliance|watch|vrheadset"),
    ("night", r"night|notnight"),
    ("density", r"ldpi|mdpi|tvdpi|hdpi|xhdpi|xxhdpi|xxxhdpi|nodpi|anydpi|[1-9]\d{1,3}dpi"),
    ("touch", r"notouch|finger"),
    ("keys", r"keysexposed|keyshidden|keyssoft"),
    ("keyboard", r"nokeys|qwerty|12key"),
    ("navigation keys", r"navexposed|navhidden"),
    ("navigation", r"nonav|dpad|trackball|wheel"),
    ("version", r"v[1-9]\d{0,2}"),
)
"""What can be asked of a device, the weightiest first, and how it is written."""

PLACES = {name: place for place, (name, _) in enumerate(DIMENSIONS)}
_PATTERNS = [re.compile(pattern) for _, pattern in DIMENSIONS]
_LOCALE = PLACES["locale"]


class Qualifiers(Struct, frozen=True):
    """What a resource folder is for: a text a dimension, empty where any device will do."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """``de-sw600dp-night``; nothing for any device."""
        return "-".join(filter(None, self.parts))

    @property
    def folder(self) -> str:
        """``values``, ``values-de-sw600dp-night``."""
        return "-".join(("values", *filter(None, self.parts)))

    def of(self, dimension: str) -> str:
        """What is asked of one dimension."""
        return self.parts[PLACES[dimension]]


ANY = Qualifiers(("",) * len(DIMENSIONS))
"""Any device: the folder ``values``."""


def qualifiers(text: str) -> Qualifiers:
    """The qualifiers of a text such as ``sw600dp-night``; an empty one is ``ANY``.

    Raises ValueError, which says what is wrong, for what is no qualifier and for a wrong order.
    """
    found = [""] * len(DIMENSIONS)
    order = []
    for piece in _pieces(text):
        place = next((at for at, each in enumerate(_PATTERNS) if at != _LOCALE and each.fullmatch(piece)), None)
        if place is None and _PATTERNS[_LOCALE].fullmatch(piece):
            place = _LOCALE
        if place is None:
            raise ValueError(f"{piece!r:.60} is no qualifier of Android's resource folders")
        if found[place]:
            raise ValueError(f"{found[place]!r} and {piece!r} exclude each other or say the same")
        found[place] = piece
        order.append(place)
    made = Qualifiers(tuple(found))
    if order != sorted(order):
        raise ValueError(f"Android wants its qualifiers in another order: {made.text!r}")
    return made


def _pieces(text: str) -> list[str]:
    """The text at its hyphens, a region with its language."""
    return [] if text == "" else re.split(r"-(?!r[A-Z]{2}(?:-|$))", text)
