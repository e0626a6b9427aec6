"""What every format is read into: sets of tokens, and themes that choose among them, as in Tokens Studio.

A format without themes has one; a CSS selector, a folder of Android resources or a file of an export becomes a set,
and each dimension of variants (light and dark, densities) a group of themes. References in written values are
``{a.b}``, ``{ a.b }``, ``{a.{b}}`` and the older ``$a.b``, alone or inside a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

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
    for brace in _braces(text, 0):
        if type(brace) is str:
            found += _dollars(brace)
        else:
            found.append(brace)
    return tuple(found)


def only_reference(text: str) -> Reference | None:
    """Return the reference that a text consists of, apart from spaces around it; None if there is more or less."""
    found = [piece for piece in pieces(text) if not isinstance(piece, str) or piece.strip()]
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


SetRole = Literal["enabled", "source"]
"""``enabled`` sets have the tokens of a theme; ``source`` sets only resolve references."""

Written = bool | float | int | str | None | list[Any] | dict[str, Any]
"""A value as JSON. References are ``{a.b}``, with the names of the target joined by a dot, alone or inside a text."""

PARTS_OF_COLOR = "parts of a colour"
"""The key in a token's extensions that says that its value had no function around it, as for ``hsl(var(--a))``."""

_NEGATIVE = re.compile(r"-[\d.]+")

EMPTY: Mapping[str, Any] = MappingProxyType({})


class Location(NamedTuple):
    """A file, relative to the source's folder, and a line in it, from 1; 0 for what has no lines."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class SourceToken(Struct, frozen=True, gc=False):
    """A token as a file defines it.

    ``type`` is the type as written or inherited, ``""`` if there is none. ``is_text`` marks a value whose braces and
    dollar signs are characters, not references. ``key`` and ``id`` are those of the variable that it came from.
    ``extensions`` has the other members of the token: ``$extensions``, and what the format adds to it.
    """

    name: tuple[str, ...]
    value: Written
    at: Location
    type: str = ""
    description: str = ""
    deprecated: str | bool = False
    is_text: bool = False
    key: str = ""
    id: str = ""
    scopes: tuple[str, ...] = ()
    code_syntax: tuple[tuple[str, str], ...] = ()
    is_hidden: bool = False
    extensions: Mapping[str, Any] = EMPTY

    @property
    def path(self) -> str:
        """Return the names joined by dots, as references write them."""
        return ".".join(self.name)


class TokenSet(Struct, frozen=True):
    """Tokens that are enabled together, in the order of the file. A set's name is not part of its tokens' names."""

    name: str
    tokens: tuple[SourceToken, ...]


class SourceTheme(Struct, frozen=True):
    """A theme: the role of each of its sets, in the order in which later sets replace earlier ones.

    ``group`` is its dimension, which becomes a collection; ``""`` if it has none. ``keys`` has the key of the variable
    of each token path that was exported to the platform before. ``guess`` is the reason to take its sets for a mode,
    ``""`` if the source says that they are one. ``is_name_guessed`` says that the source does not have its name.
    """

    name: str
    sets: Mapping[str, SetRole]
    group: str = ""
    is_default: bool = False
    collection_id: str = ""
    mode_id: str = ""
    keys: Mapping[str, str] = EMPTY
    guess: str = ""
    is_name_guessed: bool = False


class Unread(NamedTuple):
    """A part of a file that is not in the source. ``is_token`` counts it among the tokens that were read."""

    at: Location
    name: str
    reason: str
    is_token: bool = True


class Source(Struct, frozen=True):
    """The tokens of all files of a source. ``sets`` are in the order in which later ones replace earlier ones."""

    format: str
    sets: tuple[TokenSet, ...]
    themes: tuple[SourceTheme, ...]
    unread: tuple[Unread, ...] = ()

    def tokens(self) -> Iterator[tuple[TokenSet, SourceToken]]:
        """Yield each definition of a token with its set: a name in two sets is two definitions."""
        return ((set_, token) for set_ in self.sets for token in set_.tokens)

    def typed(self, type_of: Callable[[str], str | None]) -> Source:
        """Return the source with types for tokens without one, or with values of CSS, by their paths.

        Without a type, a negative number beside lengths in pixels is one, too: ``-0.50`` beside ``-0.5px``.
        """
        lengths = {token.name[:-1] for _, token in self.tokens() if str(token.value)[-2:] == "px"}

        def with_type(token: SourceToken) -> SourceToken:
            if token.type not in ("", "css"):
                return token
            is_length = token.name[:-1] in lengths and _NEGATIVE.fullmatch(str(token.value))
            found = type_of(token.path) or ("dimension" if is_length else "")
            return replace(token, type=found) if found else token

        sets = tuple(replace(set_, tokens=tuple(map(with_type, set_.tokens))) for set_ in self.sets)
        return replace(self, sets=sets)

    @property
    def read(self) -> int:
        """Return the number of tokens read: those in sets, and those in ``unread``."""
        return sum(len(set_.tokens) for set_ in self.sets) + sum(unread.is_token for unread in self.unread)
