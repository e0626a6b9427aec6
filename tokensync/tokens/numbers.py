"""Numbers as the platform keeps them: float32.

The platform stores every number as a 32-bit float, so 0.9 comes back as 0.8999999761581421. A graph holds the float32
value (as a Python float); it is shown as the shortest decimal that is that float32, and compared as float32.
"""

from __future__ import annotations

from struct import Struct

_SINGLE = Struct("<f")
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


def _shorten(number: float) -> str:
    if number == int(number) and abs(number) < 16_777_216:  # every such integer is its own float32
        return str(int(number))
    for digits in (6, 7, 8, 9):  # nine significant digits name every float32
        text = f"{number:.{digits}g}"
        if float32(float(text)) == number:
            break
    return _without_exponent(text) if "e" in text else text


def _without_exponent(text: str) -> str:
    from decimal import Decimal

    return f"{Decimal(text):f}"
