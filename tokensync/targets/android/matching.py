"""Android's choice among resource folders: which of them a device takes a resource from.

After ``ResTable_config::match`` and ``isBetterThan`` of the platform's androidfw. A device is told in the same words as
a folder: what it does not tell is like nothing that a folder may ask for. Differences, on the safe side for folders
that we write: a region and a script stand for themselves alone, where Android 7 and later also takes near ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.targets.android.qualifiers import PLACES, Qualifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
_LOCALE, _DENSITY = PLACES["locale"], PLACES["density"]
_WIDTH, _HEIGHT = PLACES["width"], PLACES["height"]
_SIZE, _KEYS = PLACES["size"], PLACES["keys"]
_AT_LEAST = frozenset((PLACES["smallest width"], _WIDTH, _HEIGHT, PLACES["version"]))


def best(folders: Iterable[Qualifiers], device: Qualifiers) -> Qualifiers | None:
    """The folder that the device takes a resource from that all of them have; None when none of them suits it."""
    found = None
    for each in folders:
        if suits(each, device) and (found is None or _is_better(each, found, device)):
            found = each
    return found


def suits(folder: Qualifiers, device: Qualifiers) -> bool:
    """Whether the device may take anything from the folder."""
    return all(
        not asked or _suits(place, asked, given)
        for place, (asked, given) in enumerate(zip(folder.parts, device.parts, strict=True))
    )


def merged(one: Qualifiers, other: Qualifiers) -> Qualifiers | None:
    """What a device has that suits both, and no more; None when none does, or when they ask for two densities."""
    parts = []
    for place, (first, second) in enumerate(zip(one.parts, other.parts, strict=True)):
        if not first or not second or first == second:
            parts.append(first or second)
        elif place != _DENSITY and _suits(place, first, second):
            parts.append(second)
        elif place != _DENSITY and _suits(place, second, first):
            parts.append(first)
        else:
            return None
    return Qualifiers(tuple(parts))


def is_gradual(folder: Qualifiers) -> bool:
    """Whether Android may prefer a folder that asks for less, so that no one may be left out among such ones.

    It scales densities, and takes what asks for no size as made for a normal one.
    """
    return bool(folder.parts[_DENSITY]) or folder.parts[_SIZE] == "small"


def weight(folder: Qualifiers) -> tuple[int, int]:
    """A number that is smaller than that of every folder which suits fewer devices of the same."""
    rank = sum(_rank(place, part) for place, part in enumerate(folder.parts) if part)
    return sum(map(bool, folder.parts)), rank


def _suits(place: int, asked: str, given: str) -> bool:
    if place == _DENSITY:
        return True
    if place == _KEYS and given == "keyssoft":
        return asked in ("keysexposed", "keyssoft")
    if place == _LOCALE:
        return bool(given) and _locale_suits(_locale(asked), _locale(given))
    if place == _SIZE:
        return _SIZES.index(asked) <= _SIZES.index(given)
    if place in _AT_LEAST:
        return _number(asked) <= _number(given)
    return asked == given


def _locale_suits(asked: tuple[str, str, str, str], given: tuple[str, str, str, str]) -> bool:
    language, script, region, variant = asked
    return (
        (language, script) == given[:2] and (not region or region == given[2]) and (not variant or variant == given[3])
    )


def _locale(text: str) -> tuple[str, str, str, str]:
    """Language, script, region and variant."""
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


def _rank(place: int, part: str) -> int:
    if place == _LOCALE:
        return sum(map(bool, _locale(part)))
    if place == _SIZE:
        return _SIZES.index(part)
    return _number(part) if place in _AT_LEAST else 0


def _is_better(one: Qualifiers, other: Qualifiers, device: Qualifiers) -> bool:
    """Whether a device takes one folder rather than the other, both of which suit it."""
    for place, (first, second, given) in enumerate(zip(one.parts, other.parts, device.parts, strict=True)):
        if place == _WIDTH:
            mine, theirs = _room(one), _room(other)
            if mine != theirs:
                return mine > theirs
        elif place != _HEIGHT and first != second and (given or place == _DENSITY):
            compare = _COMPARISONS.get(place)
            if compare is None:
                return _rank(place, first) > _rank(place, second) if first and second else bool(first)
            return compare(first, second, given)
    return False


def _room(folder: Qualifiers) -> int:
    """The width and the height asked for, together: the more, the nearer to what the device has."""
    return _number(folder.parts[_WIDTH]) + _number(folder.parts[_HEIGHT])


def _is_better_size(one: str, other: str, given: str) -> bool:
    normal = _SIZES.index("normal")
    unsaid = normal if _SIZES.index(given) >= normal else 0
    first, second = (_SIZES.index(each) or unsaid for each in (one, other))
    return first > second if first != second else bool(one)


def _is_better_density(one: str, other: str, given: str) -> bool:
    """Whether it is nearer, where scaling down counts as twice as good as scaling up."""
    if "anydpi" in (one, other):
        return one == "anydpi"
    mine, theirs, wanted = _density(one), _density(other), _density("" if given == "anydpi" else given)
    low, high = sorted((mine, theirs))
    is_high = mine == high
    if wanted >= high:
        return is_high
    if low >= wanted or (2 * low - wanted) * high > wanted * wanted:
        return not is_high
    return is_high


def _density(part: str) -> int:
    return _DENSITIES.get(part) or _number(part)


def _is_better_keyboard(one: str, other: str, given: str) -> bool:
    return one == given if one and other else bool(one)


_COMPARISONS: dict[int, Callable[[str, str, str], bool]] = {
    _SIZE: _is_better_size,
    _DENSITY: _is_better_density,
    _KEYS: _is_better_keyboard,
}
