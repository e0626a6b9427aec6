"""Notations that several targets share: scalars, line breaks in long expressions, and descriptions as comment lines."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import Composite, Quantity, normalized, shortest
from tokensync.tokens.composites import decoded
from tokensync.tokens.values import PIXELS_PER_REM

if TYPE_CHECKING:
    from tokensync.tokens import Literal


def decimal(value: Literal | None) -> str | None:
    """Return a number as a decimal without an exponent; None when it is missing or not a finite number."""
    return shortest(value) if type(value) is float and isfinite(value) else None


def share(value: Literal) -> str | None:
    """Return a percentage as an exact fraction of 1: 48 is 0.48."""
    return _shifted(value, -2)


def percent(value: Literal, digits: int = 0) -> str | None:
    """Return a number with a percent sign; with two ``digits``, a fraction of 1: 0.48 is 48%."""
    text = _shifted(value, digits)
    return None if text is None else f"{text}%"


def thousandth(value: Literal) -> str | None:
    """Return an exact thousandth: 250 is 0.25."""
    return _shifted(value, -3)


def _shifted(value: Literal, digits: int) -> str | None:
    text = decimal(value)
    if text is None:
        return None
    from decimal import Decimal

    shifted = f"{Decimal(text).scaleb(digits):f}"
    return (shifted.rstrip("0").rstrip(".") if "." in shifted else shifted) or "0"


def pixels(value: Literal) -> str | None:
    """Return a length in pixels (points, dp), with 16 per rem."""
    if type(value) is Quantity:
        number = {"px": 1.0, "rem": PIXELS_PER_REM}.get(value.unit, 0.0) * value.number
        return shortest(normalized(number)) if value.unit in ("px", "rem") and isfinite(number) else None
    return decimal(value)


def boolean(value: Literal) -> str | None:
    """Return ``true`` or ``false``; None when the value is not a boolean."""
    return str(value).lower() if type(value) is bool else None


def families(value: Literal) -> list[str] | None:
    """Return the names of a comma-separated list or of an array, without quotes; None when the value is neither."""
    if type(value) is str:
        return [bare for each in value.split(",") if (bare := each.strip().strip("\"'"))]
    if type(value) is Composite:
        names = _decoded(value)
        return names if isinstance(names, list) and all(isinstance(each, str) for each in names) else None
    return None


def texts_within(value: Composite) -> str:
    """Return the concatenated font names of an array or a text style."""
    names = _decoded(value)
    if isinstance(names, dict):
        names = names.get("fontFamily")
    several = names if isinstance(names, list) else [names]
    return "".join(each for each in several if isinstance(each, str))


def _decoded(value: Composite) -> Any:
    try:
        return decoded(value.json)
    except DECODE_ERRORS:
        return None


def listed(value: Literal) -> str | None:
    """Return font families as one text; the names of an array are joined by commas."""
    if type(value) is str:
        return value
    several = families(value)
    return None if several is None else ", ".join(several)


WIDTH = 120
"""The longest line, in columns."""

_DEEPER = 4
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[()\[\],]')


def broken(expression: str, column: int, indent: int, *, trailing: str) -> str:
    """Return the expression, split into one line per argument when it does not fit on the line.

    ``column`` is where the expression begins and ``indent`` the indentation of its closing bracket. ``trailing``
    follows the last argument: a comma or nothing. An expression without arguments, such as a string, is not split.
    """
    if column + len(expression) <= WIDTH or "\n" in expression:
        return expression
    commas = _commas(expression)
    if not commas:
        return expression
    deeper = indent + _DEEPER
    arguments = [
        expression[start + 1 : end].strip()
        for start, end in zip(commas, (*commas[1:], len(expression) - 1), strict=True)
    ]
    lines = [f"{' ' * deeper}{broken(each, deeper, deeper, trailing=trailing)}" for each in arguments]
    opened, closed = expression[: commas[0] + 1], expression[-1]
    joined = ",\n".join(lines)
    return f"{opened}\n{joined}{trailing}\n{' ' * indent}{closed}"


def braced(expression: str, head: str, indent: int) -> str:
    """Return the inside of a Swift body's braces after ``head``: on the same line if it fits, else on its own lines."""
    if len(head) + len(expression) + len("{  }") <= WIDTH:
        return f" {expression} "
    deeper = indent + _DEEPER
    return f"\n{' ' * deeper}{broken(expression, deeper, deeper, trailing='')}\n{' ' * indent}"


def _commas(expression: str) -> list[int]:
    """Return the offset of the bracket pair that ends the expression, then those of the commas directly inside."""
    depth = end = 0
    offsets: list[int] = []
    for mark in _MARKS.finditer(expression):
        if mark[0] in "([":
            if depth == 0:
                offsets = [mark.start()]
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
            end = mark.end()
        elif mark[0] == "," and depth == 1:
            offsets.append(mark.start())
    return offsets if offsets and depth == 0 and end == len(expression) and end > offsets[0] + 2 else []


def printable_lines(text: str) -> list[str]:
    """Return the lines of a text, with a space for each unprintable character; no lines for a blank text."""
    return ["".join(each if each.isprintable() else " " for each in line).strip() for line in text.strip().splitlines()]
