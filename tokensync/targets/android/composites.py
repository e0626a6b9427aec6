"""Text styles as the items of an Android text appearance.

The other composite types have no resource: a shadow is an elevation there, which is something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.composites import Typography, composite, pixels
from tokensync.targets.android.literals import string
from tokensync.tokens import Unresolved, float32, shortest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import Literal
    from tokensync.tokens.composites import Path

NO_REFERENCES: Mapping[Path, str] = {}

_SINCE = dict.fromkeys(("android:textFontWeight", "android:lineHeight"), ' tools:targetApi="28"')
"""What only newer systems know; without a word of it Android lint takes it for a mistake."""


def items(
    value: Typography, references: Mapping[Path, str] = NO_REFERENCES, unit: str = "sp"
) -> tuple[tuple[str, str], ...]:
    """(attribute, text) of each item, escaped for XML; ``references`` holds ``@dimen/x`` and the like by a part's path.

    Sizes and the height of lines are in ``unit``, the room between letters is a share of the size: so a reference to a
    letter spacing or a line height cannot stand there. A family is the first name: Android has no list of them.
    """
    size = pixels(value.size)
    found = [
        ("android:fontFamily", references.get(("fontFamily",), string(value.families[0]) if value.families else "")),
        ("android:textFontWeight", references.get(("fontWeight",), str(int(value.weight + 0.5)))),
        ("android:textSize", references.get(("fontSize",), f"{_decimal(size)}{unit}")),
    ]
    if size:
        found.append(("android:letterSpacing", _decimal(pixels(value.letter_spacing) / size)))
        found.append(("android:lineHeight", f"{_decimal(size * value.line_height)}{unit}"))
    return tuple((name, text) for name, text in found if text)


def text_style(
    value: Literal | Unresolved, references: Mapping[Path, str] = NO_REFERENCES, unit: str = "sp"
) -> str | None:
    """The items of a text style, each on a line of its own; None for what is none."""
    typed = None if isinstance(value, Unresolved) else composite(value, "typography")
    if not isinstance(typed, Typography):
        return None
    told = ((name, _SINCE.get(name, ""), text) for name, text in items(typed, references, unit))
    lines = (f'\n        <item name="{name}"{since}>{text}</item>' for name, since, text in told)
    return f"{''.join(lines)}\n    "


def _decimal(number: float) -> str:
    """With up to four decimals, as layouts count."""
    return shortest(float32(round(number, 4)))
