"""The contexts of the compose templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template


class Property(NamedTuple):
    """A token as a property."""

    documentation: Annotated[str, doc("the description, safe in a comment; or empty", "Behind everything.")]
    advice: Annotated[str, doc("the deprecation message as a Kotlin string, or empty", '"Use textMuted."')]
    modifiers: Annotated[str, doc("the modifiers and the keyword before the name", "public open val")]
    name: Annotated[str, doc("the name, with backticks around a keyword", "backgroundPage")]
    type: Annotated[str, doc("the type", "Color")]
    rest: Annotated[str, doc("the initializer or getter", " get() = PrimitivesTokens.colorSlate50")]


class Class(NamedTuple):
    """A class or an object."""

    documentation: Annotated[str, doc("the description, safe in a comment", "[ThemeTokens] in the mode Dark.")]
    declaration: Annotated[
        str,
        doc(
            "the declaration, without the body",
            "internal class ThemeDarkTokens(private val tokens: DesignTokensValues) : ThemeTokens(tokens)",
        ),
    ]
    properties: Annotated[list[Property], doc("the properties, in collection order")]


class Collection(Struct, frozen=True):
    """The file of a collection."""

    package: Annotated[str, doc("the package", "design.tokens")]
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.ui.graphics.Color"])]
    visibility: Annotated[str, doc("`public` or `internal`", "public")]
    enumeration: Annotated[str, doc("the name of the enumeration of the modes, or empty", "ThemeMode")]
    documentation: Annotated[
        str, doc("the description of the enumeration, safe in a comment", "The modes of the collection Theme.")
    ]
    entries: Annotated[
        list[str], doc("the entries of the enumeration, with that of the default mode first", ["Light", "Dark"])
    ]
    classes: Annotated[list[Class], doc("the class of the default mode, then one per mode with the differences")]


class Choice(NamedTuple):
    """A collection with selectable modes."""

    accessor: Annotated[str, doc("the property of the chosen mode", "theme")]
    enumeration: Annotated[str, doc("the enumeration of the modes", "ThemeMode")]
    entry: Annotated[str, doc("the entry of the default mode", "Light")]


class Counterpart(NamedTuple):
    """A mode, and its counterpart in a dark or light system."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.IslanderLight")]
    counterpart: Annotated[str, doc("the entry that replaces it", "ThemeMode.IslanderDark")]


class Following(NamedTuple):
    """A collection whose modes follow the system, also in each of its brands."""

    accessor: Annotated[str, doc("the property of the chosen mode", "theme")]
    enumeration: Annotated[str, doc("the enumeration of the modes", "ThemeMode")]
    entry: Annotated[str, doc("the entry of the default mode", "Light")]
    dark: Annotated[list[Counterpart], doc("the modes with a counterpart in a dark system")]
    light: Annotated[list[Counterpart], doc("the modes with a counterpart in a light system")]


class Theme(NamedTuple):
    """A configured theme."""

    constant: Annotated[str, doc("the name in Kotlin", "Night")]
    documentation: Annotated[str, doc("the description, safe in a comment", "The theme night.")]
    arguments: Annotated[str, doc("the modes of the theme, as arguments", "theme = ThemeMode.Dark")]


class Mode(NamedTuple):
    """A mode and the class of its values."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.Dark")]
    type: Annotated[str, doc("the class", "ThemeDarkTokens")]


class Accessor(NamedTuple):
    """A collection's tokens."""

    accessor: Annotated[str, doc("the property of the tokens", "theme")]
    type: Annotated[str, doc("the type", "ThemeTokens")]
    is_constant: Annotated[
        bool, doc("whether the type is an object because its tokens do not depend on any mode", False)
    ]
    modes: Annotated[list[Mode], doc("the modes to choose from; empty for a collection with one mode")]


class Entry(Struct, frozen=True):
    """The file of the object that provides the tokens."""

    package: Annotated[str, doc("the package", "design.tokens")]
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.runtime.Composable"])]
    visibility: Annotated[str, doc("`public` or `internal`", "public")]
    object: Annotated[
        str, doc("the name of the object, which is also part of the other names of the file", "DesignTokens")
    ]
    chosen: Annotated[str, doc("the property of the chosen modes", "chosen")]
    choices: Annotated[list[Choice], doc("the collections with several modes")]
    themes: Annotated[list[Theme], doc("the configured themes")]
    dark: Annotated[str, doc("the modes of a dark system, as arguments", "theme = ThemeMode.Dark")]
    light: Annotated[str, doc("the modes of a light system, as arguments", "")]
    following: Annotated[list[Following], doc("the collections that follow the system if brands do, or empty")]
    collections: Annotated[list[Accessor], doc("the collections with tokens, in order")]


class Types(Struct, frozen=True):
    """The file of the types of composite tokens."""

    package: Annotated[str, doc("the package", "design.tokens")]
    visibility: Annotated[str, doc("`public` or `internal`", "public")]


TEMPLATES = (
    names_template("compose", "Android, as Kotlin properties"),
    Template(
        "compose/Collection.kt.j2", "compose", "The file of each collection, such as `ThemeTokens.kt`.", Collection
    ),
    Template("compose/Tokens.kt.j2", "compose", "`DesignTokens.kt`: the object that provides the tokens.", Entry),
    Template("compose/Types.kt.j2", "compose", "The types of shadows, borders and transitions.", Types),
)
