"""What the templates of ios are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says

Documentation = Annotated[list[str], says("its documentation comment, `///` and all, a line each", ["/// The brand."])]
Attribute = Annotated[
    str, says("what says that it is deprecated, or nothing", '@available(*, deprecated, message: "Use ink.")')
]
Access = Annotated[str, says("what stands in front of each declaration: its access level and a blank", "public ")]
Imports = Annotated[list[str], says("further modules to import, as configured", ["DesignResources"])]
EnumName = Annotated[str, says("the configured name of the enum of all tokens", "Tokens")]


class Constant(NamedTuple):
    """A static constant."""

    documentation: Documentation
    attribute: Attribute
    name: Annotated[str, says("its name, a keyword in back-ticks", "spaceSmall")]
    type: Annotated[str, says("its Swift type", "CGFloat")]
    value: Annotated[str, says("its value as a Swift expression", "1.5")]


class Section(NamedTuple):
    """The constants of a collection."""

    title: Annotated[str, says("the collection's name, on one line", "Color scheme")]
    enum: Annotated[str, says("the enum that the collection is, or nothing when it is none of its own", "ColorScheme")]
    indent: Annotated[str, says("the blanks in front of a constant", "        ")]
    rows: Annotated[list[Constant], says("the constants, in collection order")]


class Constants(Struct, frozen=True):
    """The Swift file's constants."""

    access: Access
    imports: Imports
    tokens: EnumName
    bundle: Annotated[str, says("the member of Bundle to declare for the asset catalog, or nothing", "tokensBundle")]
    sections: Annotated[list[Section], says("the collections, in their order")]


class Member(NamedTuple):
    """A colour as a member of a type of the system."""

    documentation: Documentation
    attribute: Attribute
    name: Annotated[str, says("its name, a keyword in back-ticks", "accentBase")]
    value: Annotated[str, says("its value as a Swift expression", "Tokens.accentBase")]


class Extension(Struct, frozen=True):
    """The colours, as members of the system's types."""

    access: Access
    imports: Imports
    tokens: EnumName
    rows: Annotated[list[Member], says("the colours, in collection order")]


class UIKitExtension(Extension, frozen=True):
    """The colours, as members of UIColor."""

    bundle: Annotated[
        str, says("the bundle of the asset catalog, or nothing when there is no catalog", ".tokensBundle")
    ]


class Support(Struct, frozen=True):
    """What the other files need."""

    access: Access
    imports: Imports
    tokens: EnumName
    conversions: Annotated[bool, says("whether themes make weights of numbers, or the like", False)]


class Styles(Struct, frozen=True):
    """The types of composite tokens."""

    access: Access
    imports: Imports
    tokens: EnumName
    prefix: Annotated[str, says("what the names of the types begin with", "Token")]


class Chosen(NamedTuple):
    """A choice that the theme holds."""

    name: Annotated[str, says("the name of the property, a keyword in back-ticks", "colorScheme")]
    protocol: Annotated[str, says("the protocol of what can be chosen", "ColorSchemeTokens")]
    usual: Annotated[str, says("the struct that is chosen by default", "ColorSchemeSystemTokens")]
    title: Annotated[str, says("the collection's name, on one line", "Color scheme")]


class ThemeMember(NamedTuple):
    """A token that depends on a choice, or whose collection has several modes."""

    documentation: Documentation
    attribute: Attribute
    access: Annotated[str, says("its access level and a blank, or nothing", "public ")]
    name: Annotated[str, says("its name, a keyword in back-ticks", "accentBase")]
    type: Annotated[str, says("its Swift type", "Color")]
    value: Annotated[str, says("as it stands in braces: a Swift expression", " colorScheme.accentBase(in: self) ")]


class ThemeSection(NamedTuple):
    """The members of a collection."""

    title: Annotated[str, says("the collection's name, on one line", "Color scheme")]
    rows: Annotated[list[ThemeMember], says("the members, in collection order")]


class Theme(Struct, frozen=True):
    """The choices, and the members that follow them."""

    access: Access
    imports: Imports
    tokens: EnumName
    accessor: Annotated[str, says("the property of the environment and the view modifier", "tokensTheme")]
    choices: Annotated[list[Chosen], says("what can be chosen, in the order of the axes")]
    sections: Annotated[list[ThemeSection], says("the collections, in their order")]


class Function(NamedTuple):
    """A member that is another one under another option."""

    name: Annotated[str, says("its name, a keyword in back-ticks", "accentBase")]
    type: Annotated[str, says("its Swift type", "Color")]
    value: Annotated[
        str, says("a Swift expression in which `theme` is the theme, as it stands in braces", " theme.blue ")
    ]


class OptionStruct(NamedTuple):
    """A struct that can be chosen."""

    name: Annotated[str, says("its name", "ColorSchemeDarkTokens")]
    title: Annotated[str, says("what it is, on one line", "Color scheme: dark")]
    rows: Annotated[list[Function], says("the members that are something else than by default")]


class Choice(Struct, frozen=True):
    """A protocol, and what can be chosen."""

    access: Access
    imports: Imports
    tokens: EnumName
    protocol: Annotated[str, says("its name", "ColorSchemeTokens")]
    title: Annotated[str, says("the collection's name, on one line", "Color scheme")]
    defaults: Annotated[list[Function], says("all members, as they are by default")]
    structs: Annotated[list[OptionStruct], says("the structs, that of the default choice first")]


class Entry(NamedTuple):
    """A colour of a colour set."""

    idiom: Annotated[str, says("the kind of device that shows it", "universal")]
    luminosity: Annotated[str, says("`dark` or `light`, or nothing for whatever there is otherwise", "dark")]
    contrast: Annotated[str, says("`high`, or nothing", "high")]
    space: Annotated[str, says("the colour space of the components", "srgb")]
    red: Annotated[str, says("from 0 to 1, with a decimal point", "0.120")]
    green: Annotated[str, says("from 0 to 1, with a decimal point", "0.440")]
    blue: Annotated[str, says("from 0 to 1, with a decimal point", "0.920")]
    alpha: Annotated[str, says("from 0 to 1, with a decimal point", "1.000")]
    comma: Annotated[str, says("a comma when another colour follows, else nothing", "")]


class ColorSets(Struct, frozen=True):
    """Several documents in one go."""

    rows: Annotated[list[list[Entry]], says("the colours of each document, the plain one for every device first")]
    end: Annotated[str, says("the line that ends each document; the documents are cut apart there", "\x1e")]


class Folder(Struct, frozen=True):
    """The catalog itself, or a folder in it."""

    namespace: Annotated[bool, says("whether the folder is part of the names of what is in it", True)]


TEMPLATES = (
    names_template("ios", "iOS"),
    Template("ios/Tokens.swift.j2", "ios", "`Tokens.swift`: an enum with a constant for each token.", Constants),
    Template("ios/Color.swift.j2", "ios", "`Color+Tokens.swift`: extensions of Color and ShapeStyle.", Extension),
    Template("ios/UIColor.swift.j2", "ios", "`UIColor+Tokens.swift`: an extension of UIColor.", UIKitExtension),
    Template("ios/Support.swift.j2", "ios", "`TokensSupport.swift`: what the other files need.", Support),
    Template("ios/Styles.swift.j2", "ios", "`TokensStyles.swift`: types of shadows, text styles and the like.", Styles),
    Template(
        "ios/Theme.swift.j2", "ios", "`TokensTheme.swift`: what is chosen, and the members that follow it.", Theme
    ),
    Template("ios/Choice.swift.j2", "ios", "A file for each axis: a protocol, and the structs to choose from.", Choice),
    Template("ios/catalog.json.j2", "ios", "`Contents.json` of the asset catalog and of folders in it.", Folder),
    Template(
        "ios/colorset.json.j2",
        "ios",
        "`Contents.json` of the colour sets: a document and the line `{{ end }}` for each row.",
        ColorSets,
    ),
)
