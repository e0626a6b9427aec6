"""Dart for Flutter: a class of constants or a ``ThemeExtension`` for each collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from tokensync.generate.material import ROLES, Material
from tokensync.generate.naming.rules import NAMELESS, NamingRules, camel_case, cut, lines_of, transliterated
from tokensync.generate.target import Target

TYPES = frozenset(
    """
    BorderSide BoxShadow Brightness BuildContext Color ColorScheme Cubic Deprecated Duration Enum Function FontStyle
    FontVariation FontWeight Iterable LinearGradient List Map Never Null Object Offset Record Set String TextDecoration
    TextLeadingDistribution TextStyle TextTheme Theme ThemeData ThemeExtension bool double dynamic int num
    """.split()
)
"""The types that the generated Dart uses; a member of such a name would hide them."""

RESERVED = TYPES | frozenset(
    """
    abstract as assert async await base break case catch class const continue copyWith covariant default deferred do
    else enum export extends extension external factory false final finally for get hashCode hide if immutable
    implements import in index interface is late lerp lerpDouble library listEquals mixin name new noSuchMethod null of
    on operator override part required rethrow return runtimeType sealed set show static super switch sync this throw
    toString true try type typedef values var void when while with yield
    """.split()
)
"""Dart's reserved words and built-in identifiers, and members that classes have or inherit."""

_VALID = lines_of("[A-Za-z][A-Za-z0-9_]{0,199}")
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9_]+")


def word(name: str) -> str:
    """Return the name with ASCII letters, digits and underscores only; one of a digit begins with ``n``."""
    spelled = "".join(character if character.isascii() else transliterated(character) or "_" for character in name)
    body = _NOT_A_WORD.sub("_", spelled).lstrip("_") or NAMELESS
    return f"n{body}" if body[0].isdigit() else body


def identifier(name: str) -> str:
    """Return a public Dart identifier; a reserved one ends with an underscore."""
    body = word(name)
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "flutter",
    valid_lines=_VALID,
    repair=identifier,
    reserved=RESERVED,
    capitals=True,
    nested=True,
    ascii=True,
    respell=camel_case,
)


class FlutterOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a flutter output."""

    name: Annotated[
        str,
        Meta(
            pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)",
            max_length=64,
            description="The class of the chosen modes, and its file: a capital, then letters and digits.",
        ),
    ] = "DesignTokens"
    package: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z_][a-z0-9_]*$(?!\n)", max_length=200)] | None,
        Meta(description="The Dart package that declares the fonts of text styles, if it is not the app itself."),
    ] = None
    descriptions: Annotated[bool, Meta(description="Document tokens with their descriptions and default values.")] = (
        True
    )
    material: Annotated[
        Material | None,
        Meta(description="Fill the roles of Material's `ColorScheme` and `TextTheme` with tokens."),
    ] = None

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the option path and the error of a name that the generated Dart cannot have, or of an unknown role."""
        for path, fault in self.material.faults() if self.material else ():
            yield ("material", *path), fault
        for name in self.material.roles if self.material else ():
            if name in ROLES and ROLES[name].kind == "length":
                yield (
                    ("material", "roles", name),
                    f"Flutter has no theme of corners, so no token fills {name!r}; remove it",
                )
        if self.name in TYPES:
            yield ("name",), f"{self.name!r} is a type that the generated Dart uses; choose another name"


TARGET = Target("flutter", "Dart for Flutter", FlutterOptions, naming=NAMING)
