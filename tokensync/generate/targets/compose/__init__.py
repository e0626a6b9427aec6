"""Kotlin for Jetpack Compose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal
from unicodedata import normalize, ucd_3_2_0

from msgspec import Meta, Struct, field

from tokensync.generate.material import Material
from tokensync.generate.naming.rules import ASCII_WORDS, NAMELESS, NamingRules, camel_case, cut, transliterated
from tokensync.generate.target import Target

KEYWORDS = frozenset(
    """
    as break class continue do else false for fun if in interface is null object package return super this throw true
    try typealias typeof val var when while
    """.split()
)
"""Kotlin's hard keywords, which need backticks as identifiers."""

_NOT_ASCII_WORD = re.compile(r"[\0-/:-@\[-^`{-\x7f]+")
_IS_PREFIXED = re.compile(r"is(?![a-z])(?=.)", re.DOTALL)
_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"))


def property_name(name: str) -> str:
    """Return a Kotlin identifier, without backticks around keywords.

    Letters that the Kotlin compiler does not know (those after Unicode 3.2, or outside the BMP) become ASCII.
    """
    body = "".join(each if each.isascii() else _letter(each) for each in name)
    body = _NOT_ASCII_WORD.sub("_", body)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(body, "_")


def kotlin_name(identifier: str) -> str:
    """Return an identifier as Kotlin source: a hard keyword is enclosed in backticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def getter(name: str) -> str:
    """Return the JVM getter of a property, which is the same for ``accent`` and ``Accent``."""
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
    "compose",
    valid_lines=ASCII_WORDS,
    repair=property_name,
    fold=getter,
    capitals=True,
    nested=True,
    respell=camel_case,
)


_RESERVED = frozenset(
    "Any Array Boolean Byte Char Comparable Deprecated Double Enum Float Function Int Iterable JvmName Lazy List Long "
    "Map Nothing Number Pair Short String Suppress Throwable TokenBorder TokenShadow TokenStrokeStyle TokenTransition "
    "Unit".split()
)
"""Names that the generated Kotlin declares, or uses without an import; an object of this name would hide them."""

_PACKAGE = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)"
PackageName = Annotated[
    str, Meta(pattern=_PACKAGE, max_length=200, description="The Kotlin package: names separated by dots.")
]
TypeName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)",
        max_length=64,
        description="The object that provides the tokens, and its file: a capital, then letters and digits.",
    ),
]
ThemeName = Annotated[str, Meta(min_length=1)]


class ComposeTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The system appearance that shows a theme, in place of the one that its name implies; ``none`` for neither."""

    appearance: Annotated[
        Literal["", "light", "dark", "none"],
        Meta(description="The system appearance that shows the theme; `none` for neither, regardless of its name."),
    ] = ""


class ComposeOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a compose output; ``name`` is also the prefix of the types that belong to the object."""

    package: PackageName = "design.tokens"
    name: TypeName = "DesignTokens"
    visibility: Annotated[Literal["public", "internal"], Meta(description="The visibility of the declarations.")] = (
        "public"
    )
    groups: Annotated[
        Literal["flat", "nested"],
        Meta(description="Tokens of a collection by one name, or by groups: `DesignTokens.theme.text.primary`."),
    ] = "flat"
    types: Annotated[
        Annotated[str, Meta(pattern=_PACKAGE, max_length=200)] | None,
        Meta(description="The package of another output whose `TokenShadow` and other types this one uses."),
    ] = None
    modifiers: Annotated[
        bool, Meta(description="Declare `Modifier.shadow`, which draws a `TokenShadow`; needs Compose 1.9.")
    ] = False
    letter_spacing: Annotated[
        Literal["sp", "em"],
        Meta(description="The unit of the letter spacing of text styles; in em, it grows with their size."),
    ] = "sp"
    previews: Annotated[
        bool, Meta(description="Declare previews of colours, text styles and corners for each mode of a collection.")
    ] = False
    resources: Annotated[
        Annotated[str, Meta(pattern=_PACKAGE, max_length=200)] | None,
        Meta(description="The package of Android's class `R` with the font files of `[[fonts]]`."),
    ] = None
    material: Annotated[
        Material | None, Meta(description="Declare Material 3's colour schemes, typography, shapes and theme.")
    ] = None
    contrast: Annotated[
        Literal["parameter", "android"],
        Meta(description="Where `system()` has the contrast from: only its parameter, or Android 14's setting."),
    ] = "parameter"
    descriptions: Annotated[bool, Meta(description="Document tokens with their descriptions.")] = True
    values: Annotated[bool, Meta(description="Document tokens with their values in the modes of their collection.")] = (
        False
    )
    themes: Annotated[
        dict[ThemeName, ComposeTheme],
        Meta(description="The system appearance that shows a theme, by the name of the theme."),
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the option path and the error of a name or package that the generated Kotlin cannot have."""
        if self.name in _RESERVED:
            yield ("name",), f"{self.name!r} is a type that the generated Kotlin uses; choose another name"
        if self.package.partition(".")[0] in ("java", "kotlin"):
            yield ("package",), f"{self.package!r:.80} is reserved for the language; choose another package"
        for path, fault in self.material.faults() if self.material else ():
            yield ("material", *path), fault


TARGET = Target("compose", "Kotlin for Jetpack Compose", ComposeOptions, naming=NAMING, syntax="ANDROID")
