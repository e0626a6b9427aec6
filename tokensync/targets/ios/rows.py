"""The contexts of the ios templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template

Documentation = Annotated[list[str], doc("the lines of the documentation comment, with `///`", ["/// The brand."])]
Attribute = Annotated[
    str, doc("the attribute of a deprecated token, or empty", '@available(*, deprecated, message: "Use ink.")')
]
Access = Annotated[str, doc("the access level of declarations, followed by a space; or empty", "public ")]
Imports = Annotated[list[str], doc("the configured additional modules to import", ["DesignResources"])]
EnumName = Annotated[str, doc("the configured name of the enum of all tokens", "Tokens")]


class Constant(NamedTuple):
    """A static constant."""

    documentation: Documentation
    attribute: Attribute
    name: Annotated[str, doc("the name, with backticks around a keyword", "spaceSmall")]
    type: Annotated[str, doc("the Swift type", "CGFloat")]
    value: Annotated[str, doc("the value as a Swift expression", "1.5")]


class Section(NamedTuple):
    """The constants of a collection."""

    title: Annotated[str, doc("the name of the collection, on one line", "Color scheme")]
    enum: Annotated[str, doc("the name of the collection's enum, or empty if it has none", "ColorScheme")]
    indent: Annotated[str, doc("the indentation of constants", "        ")]
    rows: Annotated[list[Constant], doc("the constants, in collection order")]


class Constants(Struct, frozen=True):
    """The Swift file's constants."""

    access: Access
    imports: Imports
    tokens: EnumName
    bundle: Annotated[str, doc("the member of Bundle to declare for the asset catalog, or empty", "tokensBundle")]
    sections: Annotated[list[Section], doc("the collections, in order")]


class Member(NamedTuple):
    """A colour as a member of a system type."""

    documentation: Documentation
    attribute: Attribute
    name: Annotated[str, doc("the name, with backticks around a keyword", "accentBase")]
    value: Annotated[str, doc("the value as a Swift expression", "Tokens.accentBase")]


class Extension(Struct, frozen=True):
    """The colours as members of system types."""

    access: Access
    imports: Imports
    tokens: EnumName
    rows: Annotated[list[Member], doc("the colours, in collection order")]


class UIKitExtension(Extension, frozen=True):
    """The colours as members of UIColor."""

    bundle: Annotated[str, doc("the bundle of the asset catalog, or empty without a catalog", ".tokensBundle")]


class Support(Struct, frozen=True):
    """The support file, which other files use."""

    access: Access
    imports: Imports
    tokens: EnumName
    conversions: Annotated[bool, doc("whether themes need conversions, such as from numbers to weights", False)]


class Styles(Struct, frozen=True):
    """The types of composite tokens."""

    access: Access
    imports: Imports
    tokens: EnumName
    prefix: Annotated[str, doc("the prefix of type names", "Token")]


class Chosen(NamedTuple):
    """A choice of the theme."""

    name: Annotated[str, doc("the name of the property, with backticks around a keyword", "colorScheme")]
    protocol: Annotated[str, doc("the protocol of the structs to choose from", "ColorSchemeTokens")]
    default: Annotated[str, doc("the struct of the default choice", "ColorSchemeSystemTokens")]
    title: Annotated[str, doc("the name of the collection, on one line", "Color scheme")]


class ThemeMember(NamedTuple):
    """A token that depends on a choice, or whose collection has several modes."""

    documentation: Documentation
    attribute: Attribute
    access: Annotated[str, doc("the access level, followed by a space; or empty", "public ")]
    name: Annotated[str, doc("the name, with backticks around a keyword", "accentBase")]
    type: Annotated[str, doc("the Swift type", "Color")]
    value: Annotated[str, doc("the text within braces: a Swift expression", " colorScheme.accentBase(in: self) ")]


class ThemeSection(NamedTuple):
    """The members of a collection."""

    title: Annotated[str, doc("the name of the collection, on one line", "Color scheme")]
    rows: Annotated[list[ThemeMember], doc("the members, in collection order")]


class Theme(Struct, frozen=True):
    """The choices, and the members that depend on them."""

    access: Access
    imports: Imports
    tokens: EnumName
    accessor: Annotated[str, doc("the name of the environment property and of the view modifier", "tokensTheme")]
    choices: Annotated[list[Chosen], doc("the choices, in the order of the axes")]
    sections: Annotated[list[ThemeSection], doc("the collections, in order")]


class Function(NamedTuple):
    """A member that depends on the chosen option."""

    name: Annotated[str, doc("the name, with backticks around a keyword", "accentBase")]
    type: Annotated[str, doc("the Swift type", "Color")]
    value: Annotated[str, doc("the text within braces: a Swift expression with the parameter `theme`", " theme.blue ")]


class OptionStruct(NamedTuple):
    """A struct to choose."""

    name: Annotated[str, doc("the name", "ColorSchemeDarkTokens")]
    title: Annotated[str, doc("the description, on one line", "Color scheme: dark")]
    rows: Annotated[list[Function], doc("the members that differ from the default")]


class Choice(Struct, frozen=True):
    """A protocol, and the structs to choose from."""

    access: Access
    imports: Imports
    tokens: EnumName
    protocol: Annotated[str, doc("the name", "ColorSchemeTokens")]
    title: Annotated[str, doc("the name of the collection, on one line", "Color scheme")]
    defaults: Annotated[list[Function], doc("all members with their default values")]
    structs: Annotated[list[OptionStruct], doc("the structs, with that of the default choice first")]


class Entry(NamedTuple):
    """A colour of a colour set."""

    idiom: Annotated[str, doc("the kind of device", "universal")]
    luminosity: Annotated[str, doc("`dark`, `light`, or empty for any", "dark")]
    contrast: Annotated[str, doc("`high` or empty", "high")]
    space: Annotated[str, doc("the colour space of the components", "srgb")]
    red: Annotated[str, doc("the component from 0 to 1, with a decimal point", "0.120")]
    green: Annotated[str, doc("the component from 0 to 1, with a decimal point", "0.440")]
    blue: Annotated[str, doc("the component from 0 to 1, with a decimal point", "0.920")]
    alpha: Annotated[str, doc("the component from 0 to 1, with a decimal point", "1.000")]
    comma: Annotated[str, doc("a comma if another colour follows, or empty", "")]


class ColorSets(Struct, frozen=True):
    """A batch of documents."""

    rows: Annotated[list[list[Entry]], doc("the colours of each document, with the universal one first")]
    end: Annotated[str, doc("the line that ends each document", "\x1e")]


class Folder(Struct, frozen=True):
    """The catalog itself, or a folder in it."""

    namespace: Annotated[bool, doc("whether the folder is part of the names of its colours", True)]


TEMPLATES = (
    names_template("ios", "iOS"),
    Template("ios/Tokens.swift.j2", "ios", "`Tokens.swift`: an enum with a constant for each token.", Constants),
    Template("ios/Color.swift.j2", "ios", "`Color+Tokens.swift`: extensions of Color and ShapeStyle.", Extension),
    Template("ios/UIColor.swift.j2", "ios", "`UIColor+Tokens.swift`: an extension of UIColor.", UIKitExtension),
    Template("ios/Support.swift.j2", "ios", "`TokensSupport.swift`: code that the other files use.", Support),
    Template(
        "ios/Styles.swift.j2",
        "ios",
        "`TokensStyles.swift`: types of shadows, text styles and other composites.",
        Styles,
    ),
    Template(
        "ios/Theme.swift.j2", "ios", "`TokensTheme.swift`: the choices, and the members that depend on them.", Theme
    ),
    Template("ios/Choice.swift.j2", "ios", "One file per axis: a protocol, and the structs to choose from.", Choice),
    Template("ios/catalog.json.j2", "ios", "`Contents.json` of the asset catalog and of folders in it.", Folder),
    Template(
        "ios/colorset.json.j2",
        "ios",
        "`Contents.json` of the colour sets: one document, followed by the line `{{ end }}`, for each row.",
        ColorSets,
    ),
)
