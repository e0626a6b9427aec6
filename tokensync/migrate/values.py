"""The value of a token in a theme: a literal, an alias, a composed colour, or the reason for none."""

from __future__ import annotations

from msgspec import Struct

from tokensync.tokens import Color, Literal


class AliasTo(Struct, frozen=True, gc=False):
    """A value that is exactly one reference, to the token with this path in the theme."""

    path: str


class Composed(Struct, frozen=True, gc=False):
    """A colour with an opacity, of which at least one is a reference; a literal opacity is a percentage."""

    base: Color | AliasTo
    opacity: float | AliasTo


class Flattened(Struct, frozen=True, gc=False):
    """A literal that was computed from references, and the reason why it cannot be an alias."""

    value: Literal
    aliases: int
    reason: str


class Members(Struct, frozen=True):
    """A composite value that becomes a token for each member (typography): member names with their values."""

    values: tuple[tuple[str, str, Evaluated], ...]
    """Each member's name, DTCG type and value."""


class Refused(Struct, frozen=True, gc=False):
    """The reason why a value cannot be a variable; for a composite that token files can hold, ``kept`` is its JSON."""

    reason: str
    kept: str = ""


Evaluated = Literal | AliasTo | Composed | Flattened | Members | Refused
