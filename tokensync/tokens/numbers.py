"""Numbers as the platform keeps them: float32.

The platform stores every number as a 32-bit float, so 0.9 comes back as 0.8999999761581421. A graph holds the float32
value (as a Python float); it is shown as the shortest decimal that is that float32, and compared as float32.
"""

from __future__ import annotations

import math
from struct import Struct

_SINGLE = Struct("<f")
_SMALLEST_NORMAL = 2.0**-126  # below it a float32 has fewer than six digits
_WHOLE = 2**24  # up to here every integer is its own float32
_shortest: dict[float, str] = {}


def float32(number: float) -> float:
    """The nearest 32-bit float. Raises OverflowError when the number has none (over 3.4e38)."""
    single: float = _SINGLE.unpack(_SINGLE.pack(number))[0]
    return single


def shortest(number: float) -> str:
    """The shortest decimal that is this float32, without an exponent: ``0.9``, ``16``, ``-0.5``, ``0.00001``.

    ``number`` must be a float32 value. Memoised: a library uses few distinct numbers, many times.
    """
    text = _shortest.get(number)
    if text is None:
        text = _shortest[number] = _shorten(number)
    return text


def json_number(number: float) -> int | float:
    """The number of ``shortest`` as JSON has it: 16 for 16.0, 0.9 for 0.8999999761581421."""
    text = shortest(number)
    return float(text) if "." in text else int(text)


def _shorten(number: float) -> str:
    if number == int(number) and abs(number) < _WHOLE:
        return str(int(number))
    # Six significant digits come back from every normal float32, and nine name every one.
    for digits in range(6 if abs(number) >= _SMALLEST_NORMAL else 1, 10):
        text = _rounded(number, digits)
        if text is not None:
            break
    else:
        text = repr(number)
    return _without_exponent(text) if "e" in text else text


def _rounded(number: float, digits: int) -> str | None:
    """A decimal of so many digits that is this float32, if there is one."""
    text = f"{number:.{digits}g}"
    if float32(float(text)) == number:
        return text
    if abs(math.frexp(number)[0]) == 0.5:  # a power of two has twice the room above it: the nearest may lie below
        above = f"{number + math.copysign(10.0 ** (_exponent(number) - digits + 1), number):.{digits}g}"
        if float32(float(above)) == number:
            return above
    return None


def _exponent(number: float) -> int:
    return int(f"{number:e}".partition("e")[2])


def _without_exponent(text: str) -> str:
    from decimal import Decimal

    return f"{Decimal(text):f}"
