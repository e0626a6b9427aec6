"""Kotlin for Jetpack Compose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal
from unicodedata import normalize, ucd_3_2_0

from msgspec import Meta, Struct, field

from tokensync.generate.request import Target
from tokensync.naming.rules import ASCII_WORD, NAMELESS, NamingRules, camel_case, cut, transliterated

if TYPE_CHECKING:
    from collections.abc import Iterator


KEYWORDS = frozenset(
    """
    as break class continue do else false for fun if in interface is null object package return super this throw true
    try typealias typeof val var when while
    """.split()
)
"""Kotlin's hard keywords: as an identifier each stands in back-ticks."""

_NOT_ASCII_WORD = re.compile(r"[\0-/:-@\[-^`{-\x7f]+")
_IS_PREFIXED = re.compile(r"is(?![a-z])(?=.)", re.DOTALL)
_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"))


def property_name(name: str) -> str:
    """Return a Kotlin identifier, without the back-ticks that a keyword needs.

    Letters that came to Unicode after Kotlin's compiler learnt it, or that take two UTF-16 units, are spelled in ASCII.
    """
    body = "".join(each if each.isascii() else _letter(each) for each in name)
    body = _NOT_ASCII_WORD.sub("_", body)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(body, "_")


def kotlin_name(identifier: str) -> str:
    """Return an identifier as Kotlin source: hard keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def getter(name: str) -> str:
    """Return the method that the JVM knows a property by: ``accent`` and ``Accent`` have the same one."""
    if _IS_PREFIXED.match(name):
        return name
    return f"get{name[:1].upper() if name[:1].isascii() else name[:1]}{name[1:]}"


def _letter(character: str) -> str:
    if character < "\ud800" and ucd_3_2_0.category(character) in _LETTERS:
        return character
    compatible = normalize("NFKC", character)
    if compatible != character and compatible.isascii():
        return compatible
    return transliterated(character) if character.isalnum() else "_"


NAMING = NamingRules(
    "compose", valid=ASCII_WORD, repair=property_name, fold=getter, capitals=True, nested=True, respell=camel_case
)


_TAKEN = frozenset(
    "Any Array Boolean Byte Char Comparable Deprecated Double Enum Float Function Int Iterable JvmName Lazy List Long "
    "Map Nothing Number Pair Short String Suppress Throwable TokenBorder TokenShadow TokenStrokeStyle TokenTransition "
    "Unit".split()
)
"""What generated Kotlin says without importing it, or declares: an object of this name would stand in its place."""

PackageName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)",
        max_length=200,
        description="The Kotlin package: names joined by dots.",
    ),
]
TypeName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)",
        max_length=64,
        description="The object through which tokens are read, and its file: a capital, then letters and digits.",
    ),
]
ThemeName = Annotated[str, Meta(min_length=1)]


class ComposeTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When the system shows a theme. ``none`` keeps one out that tells by its name that it is dark or light."""

    appearance: Annotated[
        Literal["", "light", "dark", "none"],
        Meta(description="Shown by a light or a dark system, or (`none`) never by itself."),
    ] = ""


class ComposeOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How Kotlin is written.

    ``name`` is that of the object through which tokens are read and of its file; what belongs to it begins with it.
    ``descriptions`` tells whether tokens have theirs as documentation. ``themes`` overrides, by the name of a theme,
    when the system shows it.
    """

    package: PackageName = "design.tokens"
    name: TypeName = "DesignTokens"
    visibility: Annotated[Literal["public", "internal"], Meta(description="Who sees the declarations.")] = "public"
    descriptions: Annotated[bool, Meta(description="Document tokens with their descriptions.")] = True
    themes: Annotated[
        dict[ThemeName, ComposeTheme], Meta(description="By the name of a theme, when the system shows it.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Find what a schema cannot tell: a name that the generated Kotlin uses for something else, or a package that
        belongs to the language. Each fault has the names that lead to it.
        """
        if self.name in _TAKEN:
            yield ("name",), f"{self.name!r} is a name that the generated Kotlin uses for something else"
        if self.package.partition(".")[0] in ("java", "kotlin"):
            yield ("package",), f"{self.package!r:.80} is among the packages of the language itself"


TARGET = Target("compose", "Kotlin for Jetpack Compose", ComposeOptions, naming=NAMING, syntax="ANDROID")
