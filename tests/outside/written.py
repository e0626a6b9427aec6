"""Values that JavaScript, JSON and Sass hold, read as ``outside.expected`` says what they must be.

Texts in CSS are read by tinycss2, in the words of CSS Color and Values; nothing here knows how they were written.
"""

from decimal import Decimal
from functools import lru_cache

import tinycss2
from outside import expected

SEPARATORS = ("whitespace", "comment")
NUMBERS = ("number", "percentage")


@lru_cache(maxsize=100_000)
def css_value(text: str) -> tuple:
    """A colour, a number with or without a unit, a list of families, or a string; ``("css", text)`` for all else."""
    parts = [each for each in tinycss2.parse_component_value_list(text) if each.type not in SEPARATORS]
    if len(parts) == 1:
        (part,) = parts
        match part.type:
            case "hash":
                return hexadecimal(part.value)
            case "function" if part.lower_name in ("rgb", "rgba"):
                return ("color", *channels(part.arguments))
            case "number":
                return ("number", Decimal(part.representation), "")
            case "dimension":
                return ("number", Decimal(part.representation), part.lower_unit)
            case "string":
                return ("string", part.value)
    return ("css", text)


def family(text: str) -> tuple:
    """A comma list of families, each with whether it is a generic keyword; an empty string stands for none."""
    parts = [each for each in tinycss2.parse_component_value_list(text) if each.type not in SEPARATORS]
    names, commas = parts[::2], parts[1::2]
    assert all(each == "," for each in commas), text
    families = tuple(expected.family(each.value, quoted=each.type == "string") for each in names)
    assert all(each.type in ("string", "ident") for each in names), text
    return ("family", () if families == (("", False),) else families)


def hexadecimal(digits: str) -> tuple:
    """``rgb``, ``rrggbb`` or ``rrggbbaa``."""
    assert len(digits) in (3, 6, 8), digits
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    red, green, blue, *alpha = bytes.fromhex(digits)
    return ("color", red / 255, green / 255, blue / 255, alpha[0] / 255 if alpha else 1.0)


def channels(arguments: list) -> list[float]:
    """What stands in ``rgb()``: three channels of 0 to 255, and an alpha after commas or a slash."""
    numbers = [each.value / (100 if each.type == "percentage" else 1) for each in arguments if each.type in NUMBERS]
    assert len(numbers) in (3, 4)
    return [*(each / 255 for each in numbers[:3]), numbers[3] if len(numbers) == 4 else 1.0]
