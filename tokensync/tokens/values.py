"""What a token can hold in one mode, as written: aliases are edges and stay unresolved."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from tokensync.tokens.numbers import float32
from tokensync.tokens.paths import names


class TokenKey(NamedTuple):
    """Names one token everywhere: the file, the handle of its (root) collection, and its path.

    ``path`` is the DTCG path: names joined by ``.``, each as ``mapping.names`` spells it (``accent.base``); a token
    that is also a group has the group's path, without ``$root``.
    """

    file: str
    collection: str
    path: str

    def __str__(self) -> str:
        return f"{self.collection} / {'/'.join(names(self.path))}"


class Color(Struct, frozen=True, gc=False):
    """An sRGB colour; components and alpha from 0 to 1, float32 values."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


def channel(component: float) -> int:
    """A colour component of 0 to 1 as 0 to 255, halves upward; what lies outside is the nearest end."""
    byte = int(component * 255 + 0.5)
    return byte if 0 <= byte <= 255 else 255 * (byte > 0)


def hexadecimal(color: Color) -> str:
    """``#rrggbb``, with two more digits when the colour is not opaque."""
    alpha = () if color.alpha == 1 else (color.alpha,)
    return f"#{''.join(f'{channel(each):02x}' for each in (color.red, color.green, color.blue, *alpha))}"


class Alias(Struct, frozen=True):
    """A reference to another token, which is in the graph."""

    target: TokenKey


class DanglingAlias(Struct, frozen=True, gc=False):
    """A reference to something the graph does not hold; ``reference`` is the platform's id of it, or a path."""

    reference: str


class ComposedColor(Struct, frozen=True):
    """A base colour with an opacity over it; at least one of the two is an alias.

    A literal opacity is a percentage, 0 to 100, and so is what an aliased number token holds. It multiplies the base
    colour's own alpha (platform-facts section 1: not documented; Figma's rendering does so), in ``composed`` alone.
    """

    color: Color | Alias | DanglingAlias
    opacity: float | Alias | DanglingAlias


class Quantity(Struct, frozen=True, gc=False):
    """A number with a unit that the platform has not: ``rem``, ``ms``, ``s``. A plain float of a dimension is px."""

    number: float
    unit: str


class Composite(Struct, frozen=True, gc=False):
    """A DTCG value without a variable form (shadow, border, typography ...), as canonical JSON text.

    ``references`` are the references in it (``{a.b}``, or the pointer of a ``$ref``) with the tokens they lead to, each
    once, in the order in which the JSON first has them.
    """

    json: str
    references: tuple[tuple[str, TokenKey], ...] = ()


Literal = bool | float | str | Color | Quantity | Composite
Value = Literal | Alias | DanglingAlias | ComposedColor


class Unresolved(Struct, frozen=True, gc=False):
    """Why no literal (``dangling``, ``cycle``, ``absent`` or ``mismatch``), and at which token or reference."""

    reason: str
    at: str


def composed(base: Color, opacity: float) -> Color:
    """The colour that a ComposedColor shows: opacity (a percentage, clamped to 0-100) multiplies the base's alpha."""
    share = min(max(opacity, 0.0), 100.0) / 100.0
    return Color(base.red, base.green, base.blue, float32(base.alpha * share))


def targets(value: Value | None) -> tuple[TokenKey, ...]:
    """Return the tokens that a value refers to."""
    if isinstance(value, Alias):
        return (value.target,)
    if isinstance(value, ComposedColor):
        return tuple(each.target for each in (value.color, value.opacity) if isinstance(each, Alias))
    if isinstance(value, Composite):
        return tuple(target for _, target in value.references)
    return ()
