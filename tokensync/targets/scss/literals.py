"""Values as Sass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate import lines, scalars
from tokensync.generate.composites import Typography, composite
from tokensync.targets.css import composites as composites_css
from tokensync.targets.css import literals as css
from tokensync.tokens import shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal

    Convert = Callable[[Literal], str | None]

UNREPRESENTABLE = css.UNREPRESENTABLE
"""What no string of Sass can hold, even escaped."""

LISTS = frozenset(("family", "shadow"))
"""The kinds whose values may be lists with commas, which stand in parentheses within a map."""


def safe(text: str) -> str:
    """Return a text in CSS whose strings hold no interpolation."""
    return text.replace("#{", "\\#{")


def string(value: Literal) -> str | None:
    """Return a text as a string, in which nothing is interpolated."""
    return safe(css.string(value)) if type(value) is str else None


def text_style(value: Literal) -> str | None:
    """Return a text style as a map from properties to values, a line each; ``font`` would hold a division."""
    typed = composite(value, "typography")
    if not isinstance(typed, Typography):
        return None
    properties = {
        "font-family": f"({safe(css.family_list(typed.families))})",
        "font-size": css.dimension(typed.size),
        "font-weight": shortest(typed.weight),
        "letter-spacing": css.dimension(typed.letter_spacing),
        "line-height": shortest(typed.line_height),
    }
    lines = "".join(f'\n  "{name}": {each},' for name, each in properties.items())
    return f"({lines}\n)"


def comment(text: str) -> list[str]:
    """Return the lines of a text as comments, which end where the line ends."""
    return [f"/// {line}".rstrip() for line in lines.printable_lines(text)]


def in_map(kind: str | None, text: str) -> str:
    """Return a value as it stands within a map."""
    return f"({text})" if kind in LISTS and ", " in text else text


def _safely(convert: Convert) -> Convert:
    """Return a function that writes a literal as ``convert`` does in CSS, so that nothing is interpolated."""

    def converted(value: Literal) -> str | None:
        text = convert(value)
        return None if text is None else safe(text)

    return converted


LITERALS: dict[str, Convert] = {
    "color": css.color,
    "dimension": css.dimension,
    "number": scalars.decimal,
    "percentage": scalars.share,
    "string": string,
    "family": _safely(css.font_family),
    "boolean": scalars.boolean,
    "duration": css.duration,
    **{each: _safely(convert) for each, convert in composites_css.LITERALS.items()},
    "typography": text_style,
}
