"""References in written values: ``{a.b}``, ``{ a.b }``, ``{a.{b}}`` and the older ``$a.b``, alone or inside a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACE = re.compile(r"[{}]")
_DOLLAR = re.compile(r"\$([A-Za-z_][^\s,{}()*/+]*\w|[A-Za-z_])")
_DEEPEST = 16
"""Levels of references inside of references."""


class Reference(Struct, frozen=True):
    """A reference as written, without its braces. ``parts`` has the texts and references inside of it, if any are.

    ``is_dollar`` marks the older form, which is a text if there is no such token.
    """

    name: str
    parts: tuple[str | Reference, ...] = ()
    is_dollar: bool = False

    def __str__(self) -> str:
        return f"${self.name}" if self.is_dollar else f"{{{self.name}}}"


Pieces = tuple[str | Reference, ...]
"""The texts and references of a written text, in order."""


@lru_cache(maxsize=65_536)
def pieces(text: str) -> Pieces:
    """Return a text as texts and references. A brace without its partner is text."""
    if "{" not in text:
        return tuple(_dollars(text)) if "$" in text else (text,)
    found: list[str | Reference] = []
    for each in _braces(text, 0):
        if type(each) is str:
            found += _dollars(each)
        else:
            found.append(each)
    return tuple(found)


def only_reference(text: str) -> Reference | None:
    """Return the reference that a text consists of, apart from spaces around it; None if there is more or less."""
    found = [each for each in pieces(text) if not isinstance(each, str) or each.strip()]
    return found[0] if len(found) == 1 and isinstance(found[0], Reference) else None


def references_in(value: Any) -> Iterator[Reference]:
    """Yield the references in a written value, also in its members; of references in each other, the outer one."""
    stack = [value]
    while stack:
        each = stack.pop()
        match each:
            case str():
                yield from (piece for piece in pieces(each) if type(piece) is Reference)
            case dict():
                stack += reversed(each.values())
            case list():
                stack += reversed(each)


def _dollars(text: str) -> Iterator[str | Reference]:
    at = 0
    for match in _DOLLAR.finditer(text):
        if match.start() > at:
            yield text[at : match.start()]
        yield Reference(match[1], is_dollar=True)
        at = match.end()
    if at < len(text):
        yield text[at:]


def _braces(text: str, depth: int) -> Iterator[str | Reference]:
    """Yield the texts between and the references in the outermost braces that have a partner."""
    at = 0
    for start, end in _pairs(text):
        if start > at:
            yield text[at:start]
        inner = text[start + 1 : end]
        parts = tuple(_braces(inner, depth + 1)) if "{" in inner and depth < _DEEPEST else ()
        yield Reference(inner.strip(), parts)
        at = end + 1
    if at < len(text):
        yield text[at:]


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the outermost pairs of braces; an opening brace without a partner does not count."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            start = opened.pop()
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, match.start()))
    yield from pairs
