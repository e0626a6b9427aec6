"""What the templates of compose are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says


class Property(NamedTuple):
    """A token as a property."""

    documentation: Annotated[str, says("what it is for, fit for a comment, or nothing", "Behind everything.")]
    advice: Annotated[
        str, says("what to use instead of a deprecated token, as a Kotlin string, or nothing", '"Use textMuted."')
    ]
    modifiers: Annotated[str, says("what stands before its name", "public open val")]
    name: Annotated[str, says("its name, a keyword in back-ticks", "backgroundPage")]
    type: Annotated[str, says("its type", "Color")]
    rest: Annotated[str, says("its value, or the getter that gives it", " get() = PrimitivesTokens.colorSlate50")]


class Class(NamedTuple):
    """A class or an object."""

    documentation: Annotated[str, says("what it is, fit for a comment", "[ThemeTokens] in the mode Dark.")]
    declaration: Annotated[
        str,
        says(
            "its declaration up to the body",
            "internal class ThemeDarkTokens(private val tokens: DesignTokensValues) : ThemeTokens(tokens)",
        ),
    ]
    properties: Annotated[list[Property], says("its properties, in the collection's order; it may have none")]


class Collection(Struct, frozen=True):
    """The file of a collection."""

    package: Annotated[str, says("the package", "design.tokens")]
    imports: Annotated[list[str], says("the names to import, sorted", ["androidx.compose.ui.graphics.Color"])]
    visibility: Annotated[str, says("`public` or `internal`", "public")]
    enumeration: Annotated[str, says("the name of the enumeration of its modes, or nothing", "ThemeMode")]
    documentation: Annotated[
        str, says("what the enumeration is, fit for a comment", "The modes of the collection Theme.")
    ]
    entries: Annotated[list[str], says("the enumeration's entries, the default mode's first", ["Light", "Dark"])]
    classes: Annotated[list[Class], says("the class of the default mode, then one a mode with what differs there")]


class Choice(NamedTuple):
    """A collection whose mode can be chosen."""

    accessor: Annotated[str, says("the property that holds the chosen mode", "theme")]
    enumeration: Annotated[str, says("the enumeration of its modes", "ThemeMode")]
    entry: Annotated[str, says("the default mode's entry", "Light")]


class Counterpart(NamedTuple):
    """A mode that the system shows as another one."""

    entry: Annotated[str, says("the enumeration's entry", "ThemeMode.IslanderLight")]
    shown: Annotated[str, says("the entry that the system asks for instead", "ThemeMode.IslanderDark")]


class Following(NamedTuple):
    """A collection whose modes follow the system, in each of its brands."""

    accessor: Annotated[str, says("the property that holds the chosen mode", "theme")]
    enumeration: Annotated[str, says("the enumeration of its modes", "ThemeMode")]
    entry: Annotated[str, says("the default mode's entry", "Light")]
    dark: Annotated[list[Counterpart], says("the modes that a dark system shows as others")]
    light: Annotated[list[Counterpart], says("the modes that a light system shows as others")]


class Theme(NamedTuple):
    """A configured theme."""

    constant: Annotated[str, says("its name in Kotlin", "Night")]
    documentation: Annotated[str, says("what it is, fit for a comment", "The theme night.")]
    arguments: Annotated[str, says("the modes that it chooses, as arguments", "theme = ThemeMode.Dark")]


class Mode(NamedTuple):
    """A mode and the class of its values."""

    entry: Annotated[str, says("the enumeration's entry", "ThemeMode.Dark")]
    type: Annotated[str, says("the class", "ThemeDarkTokens")]


class Accessor(NamedTuple):
    """A collection's tokens."""

    accessor: Annotated[str, says("the property that gives them", "theme")]
    type: Annotated[str, says("its type", "ThemeTokens")]
    is_constant: Annotated[bool, says("whether the type is an object, since no mode makes a difference to it", False)]
    modes: Annotated[list[Mode], says("the modes to choose from; a collection of one mode has none")]


class Entry(Struct, frozen=True):
    """The file through which tokens are read."""

    package: Annotated[str, says("the package", "design.tokens")]
    imports: Annotated[list[str], says("the names to import, sorted", ["androidx.compose.runtime.Composable"])]
    visibility: Annotated[str, says("`public` or `internal`", "public")]
    object: Annotated[str, says("the name of the object; the file's other names are made of it", "DesignTokens")]
    chosen: Annotated[str, says("the property that holds the chosen modes", "chosen")]
    choices: Annotated[list[Choice], says("the collections of several modes; without one, nothing can be chosen")]
    themes: Annotated[list[Theme], says("the configured themes")]
    dark: Annotated[str, says("the modes that a dark system asks for, as arguments", "theme = ThemeMode.Dark")]
    light: Annotated[str, says("the modes that a light system asks for, as arguments", "")]
    following: Annotated[list[Following], says("the collections that follow the system, where a brand does, else none")]
    collections: Annotated[list[Accessor], says("the collections that declare tokens, in their order")]


class Types(Struct, frozen=True):
    """The file of the small classes that composite tokens are values of."""

    package: Annotated[str, says("the package", "design.tokens")]
    visibility: Annotated[str, says("`public` or `internal`", "public")]


TEMPLATES = (
    names_template("compose", "Android, as Kotlin properties"),
    Template(
        "compose/Collection.kt.j2", "compose", "The file of each collection, such as `ThemeTokens.kt`.", Collection
    ),
    Template("compose/Tokens.kt.j2", "compose", "The file through which tokens are read, `DesignTokens.kt`.", Entry),
    Template("compose/Types.kt.j2", "compose", "The types of shadows, borders and transitions.", Types),
)
