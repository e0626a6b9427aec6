"""What every format is read into: sets of tokens, and themes that choose among them, as in Tokens Studio.

A format without themes has one; a CSS selector, a folder of Android resources or a file of an export becomes a set,
and each dimension of variants (light and dark, densities) a group of themes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SetRole = Literal["enabled", "source"]
"""``enabled`` sets have the tokens of a theme; ``source`` sets only resolve references."""

Written = bool | float | int | str | None | list[Any] | dict[str, Any]
"""A value as JSON. References are ``{a.b}``, with the names of the target joined by a dot, alone or inside a text."""

PARTS_OF_COLOR = "parts of a colour"
"""The key in a token's extensions that says that its value had no function around it, as for ``hsl(var(--a))``."""

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
        return ((each, token) for each in self.sets for token in each.tokens)

    def typed(self, type_of: Callable[[str], str | None]) -> Source:
        """Return the source with types for tokens without one, or with values of CSS, by their paths."""
        sets = tuple(
            replace(
                each,
                tokens=tuple(
                    token
                    if token.type not in ("", "css") or not (found := type_of(token.path))
                    else replace(token, type=found)
                    for token in each.tokens
                ),
            )
            for each in self.sets
        )
        return replace(self, sets=sets)

    @property
    def read(self) -> int:
        """Return the number of tokens read: those in sets, and those in ``unread``."""
        return sum(len(each.tokens) for each in self.sets) + sum(each.is_token for each in self.unread)
