"""Raw values in code: literals that a token could replace, each with the property that it belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.code.lexers import tokens
from tokensync.dtcg.colors import color, meant_color

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.code.files import Part
    from tokensync.tokens import Literal as TokenLiteral

Syntax = Literal["css", "scss", "sass", "less", "html", "script", "tailwind", "kotlin", "java", "swift", "xml"]
"""The form of code in which a value is written, and so the form of a reference that can replace it."""


class RawValue(NamedTuple):
    """A literal of code: the offsets and text that a reference would replace, and what it is.

    ``type`` is the DTCG type of ``value``, which is in px without a unit. ``use`` is the CSS property, or the member or
    parameter of native code; empty if unknown.
    """

    start: int
    end: int
    text: str
    type: str
    value: TokenLiteral
    use: str
    syntax: Syntax


_HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")


def raw_values(part: Part, text: str) -> Iterator[RawValue]:
    """Yield the raw values of a part of a text, in order."""
    reader = _READERS.get(part.language)
    if reader is not None:
        yield from reader(part, text)


def _of_style_sheet(part: Part, text: str) -> Iterator[RawValue]:
    for token in tokens(text, part.language, part.start, part.end):
        written = text[token.start : token.end]
        if token.kind == "hash" and _HEX.fullmatch(written):
            found = color(meant.value) if (meant := meant_color(written, None)) else None
            if found is not None:
                yield RawValue(token.start, token.end, written, "color", found, "", "css")


_READERS: Mapping[str, Callable[[Part, str], Iterator[RawValue]]] = {"css": _of_style_sheet}
"""The reader of each language of a part."""
