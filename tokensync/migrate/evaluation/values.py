"""The value of a token in a theme: a literal, an alias, a composed colour, or the reason for none."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from tokensync.tokens import Color, Composite, Literal, Quantity, hexadecimal, shortest
from tokensync.tokens.composites import font_list


class AliasTo(Struct, frozen=True, gc=False):
    """A value that is exactly one reference, to the token with this path in the theme.

    ``<path>.<member>`` is a member of a composite whose value is ``Members``.
    """

    path: str


class Composed(Struct, frozen=True, gc=False):
    """A colour with an opacity, of which at least one is a reference; a literal opacity is a percentage.

    ``flattened`` is the number of other references of the value that became literals, and ``reason`` says why.
    """

    base: Color | AliasTo
    opacity: float | AliasTo
    flattened: int = 0
    reason: str = ""


class Flattened(Struct, frozen=True, gc=False):
    """A literal that was computed from references, and the reason why it cannot be an alias."""

    value: Literal
    aliases: int
    reason: str


class Members(Struct, frozen=True, gc=False):
    """A composite value that becomes a token for each member (typography): member names with their values."""

    values: tuple[tuple[str, str, Evaluated], ...]
    """Each member's name, DTCG type and value."""


class Refused(Struct, frozen=True, gc=False):
    """The reason why a value cannot be a variable; for a composite that token files can hold, ``kept`` is its JSON."""

    reason: str
    kept: str = ""


Evaluated = Literal | AliasTo | Composed | Flattened | Members | Refused


class OtherValue(str):
    """A note that code gets another value than the source has."""

    __slots__ = ()


class Reading(Struct, frozen=True, gc=False):
    """What a token is in a theme: its value, the literal that it resolves to, and its DTCG type.

    The type is that of the literal, so of the end of a chain of aliases; ``""`` without a literal. A composite that has
    no variable has its own type. ``notes`` say how a value was changed to become one of a variable: converted, rounded,
    mapped into sRGB. ``is_percentage`` marks an opacity from 0 to 100.
    """

    value: Evaluated
    literal: Literal | Refused
    type: str = ""
    notes: tuple[str, ...] = ()
    is_percentage: bool = False
    members: tuple[tuple[str, Reading], ...] = ()


def refused(reason: str, kept: str = "", token_type: str = "") -> Reading:
    """Return the reading of a value that has no literal."""
    found = Refused(reason, kept)
    return Reading(found, Refused(reason) if kept else found, token_type)


def fixed(literal: Literal, token_type: str, *notes: str, is_percentage: bool = False) -> Reading:
    """Return the reading of a value without references."""
    return Reading(literal, literal, token_type, notes, is_percentage)


class Resolved(NamedTuple):
    """A reference in a text: the path of its target, and the target's reading, which has a literal."""

    path: str
    reading: Reading


Part = str | Resolved
"""A text, or a reference between texts."""


def shown(path: str) -> str:
    """Return the beginning of a path as a reference, for messages."""
    return f"{{{path[:60]}}}"


def alias_count(value: Evaluated) -> int:
    """Return how many references were read for a value."""
    match value:
        case AliasTo():
            return 1
        case Composed(base=base, opacity=opacity, flattened=others):
            return isinstance(base, AliasTo) + isinstance(opacity, AliasTo) + others
        case Flattened(aliases=aliases):
            return aliases
        case Members(values=values):
            return sum(alias_count(each) for _, _, each in values)
    return 0


def text_of(literal: Literal) -> str:
    """Return a literal as it stands in a text."""
    match literal:
        case str():
            return literal
        case bool():
            return "true" if literal else "false"
        case float():
            return shortest(literal)
        case Color():
            return hexadecimal(literal)
        case Quantity(number=number, unit=unit):
            return f"{shortest(number)}{unit}"
        case Composite(json=text):
            return ", ".join(font_list(literal) or (text,))
