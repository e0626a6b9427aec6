"""Android's configuration qualifiers: parsing of folder names, and the choice of the folder for a device.

Names and their order: developer.android.com, "App resources overview", table 2, and aapt2's
``ConfigDescription::Parse``. Screen sizes in pixels (``640x480``) are not supported: Android has not used them since
version 3.2.

The choice follows ``ResTable_config::match`` and ``isBetterThan`` of androidfw. A device is described by qualifiers
too; it matches no folder with a qualifier of a dimension that the device lacks. Regions and scripts must be equal,
whereas Android 7 and later accepts related ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

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
"""The dimensions of a device's configuration, most significant first, with the pattern of their qualifiers."""

_INDEX = {name: index for index, (name, _) in enumerate(DIMENSIONS)}
_PATTERNS = [pattern for _, pattern in DIMENSIONS]
_SIZES = ("", "small", "normal", "large", "xlarge")
_DENSITIES = {
    "": 160,
    "ldpi": 120,
    "mdpi": 160,
    "tvdpi": 213,
    "hdpi": 240,
    "xhdpi": 320,
    "xxhdpi": 480,
    "xxxhdpi": 640,
    "nodpi": 65_535,
}
_LOCALE, _DENSITY = _INDEX["locale"], _INDEX["density"]
_WORDS = {word: at for at, pattern in enumerate(_PATTERNS) for word in pattern.split("|") if word.isalnum()}
"""The dimensions of qualifiers without a number, which need no pattern."""
_WIDTH, _HEIGHT = _INDEX["width"], _INDEX["height"]
_SIZE, _KEYS = _INDEX["size"], _INDEX["keys"]
_AT_LEAST = frozenset((_INDEX["smallest width"], _WIDTH, _HEIGHT, _INDEX["version"]))


class Qualifiers(Struct, frozen=True):
    """The qualifiers of a folder or a device: a text for each dimension, empty when it has none."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The qualifiers as text, such as ``de-sw600dp-night``; empty for any device."""
        return "-".join(filter(None, self.parts))

    @property
    def locale(self) -> str:
        """The language and region, such as ``de-rAT``; empty for any."""
        return self.parts[_LOCALE]

    @property
    def folder(self) -> str:
        """The folder's name, such as ``values`` or ``values-de-sw600dp-night``."""
        return "-".join(("values", *filter(None, self.parts)))


ANY = Qualifiers(("",) * len(DIMENSIONS))
"""Any device: the folder ``values``."""


def qualifiers(text: str) -> Qualifiers:
    """Parse a text such as ``sw600dp-night``; an empty one is ``ANY``.

    Raises ValueError for unknown, conflicting or misordered qualifiers.
    """
    parts = [""] * len(DIMENSIONS)
    order = []
    for piece in re.split(r"-(?!r[A-Z]{2}(?:-|$))", text) if text else ():  # a region stays with its language
        others = (at for at, each in enumerate(_PATTERNS) if at != _LOCALE and re.fullmatch(each, piece))
        index = _WORDS[piece] if piece in _WORDS else next(others, None)
        if index is None and re.fullmatch(_PATTERNS[_LOCALE], piece):
            index = _LOCALE
        if index is None:
            raise ValueError(f"{piece!r:.60} is not an Android resource qualifier")
        if parts[index]:
            raise ValueError(f"{parts[index]!r} and {piece!r} are qualifiers of the same dimension; remove one")
        parts[index] = piece
        order.append(index)
    parsed = Qualifiers(tuple(parts))
    if order != sorted(order):
        raise ValueError(f"Android requires another order of these qualifiers; write {parsed.text!r}")
    return parsed


def best(folders: Iterable[Qualifiers], device: Qualifiers) -> Qualifiers | None:
    """Return the folder that Android chooses for a resource in all of these; None when no folder matches."""
    chosen = None
    for folder in folders:
        if suits(folder, device) and (chosen is None or _is_better(folder, chosen, device)):
            chosen = folder
    return chosen


def suits(folder: Qualifiers, device: Qualifiers) -> bool:
    """Return whether the folder matches the device."""
    return all(
        not requested or _suits(index, requested, actual)
        for index, (requested, actual) in enumerate(zip(folder.parts, device.parts, strict=True))
    )


def merged(one: Qualifiers, other: Qualifiers) -> Qualifiers | None:
    """Return the minimal qualifiers of devices that match both; None when none can, and for two densities."""
    parts = []
    for index, (first, second) in enumerate(zip(one.parts, other.parts, strict=True)):
        if not first or not second or first == second:
            parts.append(first or second)
        elif index != _DENSITY and _suits(index, first, second):
            parts.append(second)
        elif index != _DENSITY and _suits(index, second, first):
            parts.append(first)
        else:
            return None
    return Qualifiers(tuple(parts))


def is_gradual(folder: Qualifiers) -> bool:
    """Return whether Android may prefer a less specific folder over this one, so that every value must be in both.

    Android scales densities, and treats a folder without a size as one for normal screens.
    """
    return bool(folder.parts[_DENSITY]) or folder.parts[_SIZE] == "small"


def weight(folder: Qualifiers) -> tuple[int, int]:
    """Return a sort key that puts a folder before those that match only a part of its devices."""
    rank = sum(_rank(index, part) for index, part in enumerate(folder.parts) if part)
    return sum(map(bool, folder.parts)), rank


def _suits(index: int, requested: str, actual: str) -> bool:
    if index == _DENSITY:
        return True
    if index == _KEYS and actual == "keyssoft":
        return requested in ("keysexposed", "keyssoft")
    if index == _LOCALE:
        return bool(actual) and _locale_suits(_locale(requested), _locale(actual))
    if index == _SIZE:
        return _SIZES.index(requested) <= _SIZES.index(actual)
    if index in _AT_LEAST:
        return _number(requested) <= _number(actual)
    return requested == actual


def _locale_suits(requested: tuple[str, str, str, str], actual: tuple[str, str, str, str]) -> bool:
    language, script, region, variant = requested
    return (
        (language, script) == actual[:2]
        and (not region or region == actual[2])
        and (not variant or variant == actual[3])
    )


def _locale(text: str) -> tuple[str, str, str, str]:
    """Return language, script, region and variant."""
    if not text.startswith("b+"):
        language, _, region = text.partition("-r")
        return language, "", region, ""
    language, *rest = text.split("+")[1:]
    script = region = variant = ""
    for each in rest:
        if re.fullmatch("[A-Z][a-z]{3}", each):
            script = each
        elif re.fullmatch(r"[A-Z]{2}|\d{3}", each):
            region = each
        else:
            variant = each
    return language, script, region, variant


def _number(part: str) -> int:
    digits = re.search(r"\d+", part)
    return int(digits[0]) if digits else 0


def _rank(index: int, part: str) -> int:
    if index == _LOCALE:
        return sum(map(bool, _locale(part)))
    if index == _SIZE:
        return _SIZES.index(part)
    return _number(part) if index in _AT_LEAST else 0


def _is_better(one: Qualifiers, other: Qualifiers, device: Qualifiers) -> bool:
    """Return whether Android prefers the first of two folders that match the device."""
    for index, (first, second, actual) in enumerate(zip(one.parts, other.parts, device.parts, strict=True)):
        if index == _WIDTH:
            if _area(one) != _area(other):
                return _area(one) > _area(other)
        elif index != _HEIGHT and first != second and (actual or index == _DENSITY):
            compare = _COMPARISONS.get(index)
            if compare is None:
                return _rank(index, first) > _rank(index, second) if first and second else bool(first)
            return compare(first, second, actual)
    return False


def _area(folder: Qualifiers) -> int:
    """Return the sum of the required width and height; a larger one is closer to the device."""
    return _number(folder.parts[_WIDTH]) + _number(folder.parts[_HEIGHT])


def _is_better_size(one: str, other: str, actual: str) -> bool:
    normal = _SIZES.index("normal")
    implied = normal if _SIZES.index(actual) >= normal else 0
    first, second = (_SIZES.index(each) or implied for each in (one, other))
    return first > second if first != second else bool(one)


def _is_better_density(one: str, other: str, actual: str) -> bool:
    """Return whether the first density is closer; Android rates scaling down twice as good as scaling up."""
    if "anydpi" in (one, other):
        return one == "anydpi"
    first_density, second_density, target = (
        _density(one),
        _density(other),
        _density("" if actual == "anydpi" else actual),
    )
    low, high = sorted((first_density, second_density))
    is_high = first_density == high
    if target >= high:
        return is_high
    if low >= target or (2 * low - target) * high > target * target:
        return not is_high
    return is_high


def _density(part: str) -> int:
    return _DENSITIES.get(part) or _number(part)


_COMPARISONS: dict[int, Callable[[str, str, str], bool]] = {
    _SIZE: _is_better_size,
    _DENSITY: _is_better_density,
    _KEYS: lambda one, other, actual: one == actual if one and other else bool(one),
}
