"""What each token must come to in an output, said from the graph's own resolver and from nothing of ``generate``.

A value is a tuple whose first member says what it is:

- ``("color", red, green, blue, alpha)``: sRGB, 0 to 1. ``same`` takes two channels for equal that are within half a
  step of 8 bits (outputs write bytes), and an alpha too: some write four decimals, and readers make a byte of them.
- ``("number", Decimal, unit)``: the shortest decimal that is the platform's float32, compared exactly. The unit is
  empty for a bare number; a length without one of its own is in ``px``. Percentages count from 0 to 1, booleans are 0
  and 1.
- ``("string", text)``, ``("family", ((name, whether it is a generic keyword), ...))``: compared exactly.
"""

import json
import math
import re
import struct
from decimal import Decimal
from functools import lru_cache

from tokensync.tokens import Color, Composite, Quantity, Resolved, Token, Unresolved

HALF_A_STEP = 0.5 / 255 + 0.5e-4 + 2e-6  # of a byte, of four decimals, of float32 and six shown decimals
GENERIC_FAMILIES = frozenset(
    "serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji "
    "fangsong".split()
)
_KINDS = {
    "boolean": "boolean",
    "color": "color",
    "dimension": "length",
    "duration": "duration",
    "fontFamily": "family",
    "fontWeight": "weight",
    "number": "number",
    "string": "string",
}


def kind_of(token: Token) -> str:
    """What the token's values are: a key of this module's readers, or its type where that is a composite one."""
    if token.type == "number" and token.scopes and set(token.scopes) <= {"OPACITY", "COLOR_OPACITY"}:
        literals = [abs(each) for each in token.values if isinstance(each, float)]
        return "number" if literals and max(literals) <= 1 else "percentage"  # of these graphs, whose aliases agree
    return _KINDS.get(token.public_type, token.type)


def decimal(number: float) -> Decimal:
    """The shortest decimal that is this number as a float32; all digits of a whole number below 2^53."""
    if number % 1 == 0 and abs(number) < 2**53:
        return Decimal(int(number))
    wanted = struct.pack("<f", number)
    return next(
        shown for digits in range(1, 18) if struct.pack("<f", float(shown := Decimal(f"{number:.{digits}g}"))) == wanted
    )


@lru_cache(maxsize=None, typed=True)
def value_of(kind: str, literal: Resolved) -> tuple | None:
    """The literal as a value of that kind; None where it has none (unresolved, not finite, or of another type).

    Equal literals of one kind are one value, which is worked out once: a graph shows few values in many themes.
    """
    match kind, literal:
        case _, Unresolved():
            return None
        case "boolean", bool():
            return ("number", Decimal(int(literal)), "")
        case "color", Color(red, green, blue, alpha):
            return ("color", red, green, blue, alpha)
        case "length" | "duration", Quantity(number, unit) if math.isfinite(number):
            return ("number", decimal(number), unit)
        case "length", float() if math.isfinite(literal):
            return ("number", decimal(literal), "px")
        case "percentage", float() if math.isfinite(literal):
            return ("number", decimal(literal) / 100, "")
        case "number" | "weight", float() if math.isfinite(literal):
            return ("number", decimal(literal), "")
        case "string", str():
            return ("string", literal)
        case "family", str() | Composite():
            return ("family", tuple(family(each) for each in families(literal)))
    return None


def families(literal: str | list[str] | Composite) -> list[str]:
    """The names of a comma list, or of a DTCG array."""
    if not isinstance(literal, str):
        return json.loads(literal.json) if isinstance(literal, Composite) else literal
    return [bare for each in literal.split(",") if (bare := each.strip().strip("\"'"))]


def family(name: str, *, quoted: bool = False) -> tuple[str, bool]:
    """One family of a list; the generic keywords are their own in any case of letters, unless they are quoted."""
    generic = not quoted and name.lower() in GENERIC_FAMILIES
    return (name.lower() if generic else name, generic)


def showable(text: str, unrepresentable: str) -> str:
    """A text as a target can hold it: each match of the pattern is replaced by U+FFFD, which is reported."""
    return re.sub(unrepresentable, "\ufffd", text)


def same(expected: tuple | None, actual: tuple | None, tolerance: float = HALF_A_STEP) -> bool:
    """Whether two values are equal, colours within the tolerance: nothing else has floats."""
    if expected == actual:
        return True
    if expected is None or actual is None or len(expected) != len(actual):
        return False
    return all(
        abs(ours - theirs) <= tolerance if isinstance(ours, float) and isinstance(theirs, float) else ours == theirs
        for ours, theirs in zip(expected, actual, strict=True)
    )
