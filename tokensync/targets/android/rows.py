"""What the templates of android are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says


class Resource(NamedTuple):
    """A resource."""

    comment: Annotated[str, says("what is said of it, safe in an XML comment, or nothing", "Filled buttons")]
    tag: Annotated[str, says("its element", "color")]
    name: Annotated[str, says("its name", "accent_base")]
    attributes: Annotated[
        str, says("the element's further attributes, with a space before them, or nothing", ' translatable="false"')
    ]
    value: Annotated[
        str, says("its value, escaped for aapt and XML: a literal or a reference", "@color/color_tide_500")
    ]


class Values(Struct, frozen=True):
    """A file of a resource folder."""

    namespaces: Annotated[
        str, says("what declares the namespace of tools, with a space before it, in a file of text styles", "")
    ]
    rows: Annotated[list[Resource], says("the resources, in collection order")]


class Attribute(NamedTuple):
    """A theme attribute."""

    comment: Annotated[str, says("what is said of it, safe in an XML comment, or nothing", "Filled buttons")]
    name: Annotated[str, says("its name", "accent_base")]
    format: Annotated[str, says("the format of what it stands for", "color")]


class Attributes(Struct, frozen=True):
    """The attributes of the tokens that vary with a brand."""

    rows: Annotated[list[Attribute], says("the attributes, in collection order")]


class Item(NamedTuple):
    """What a style says of an attribute."""

    attribute: Annotated[str, says("the attribute's name", "accent_base")]
    value: Annotated[str, says("its value, escaped for aapt and XML", "?attr/color_tide_500")]


class Style(NamedTuple):
    """A style."""

    name: Annotated[str, says("its name", "ThemeOverlay.ColorScheme.BrandB")]
    parent: Annotated[str, says("the name of its parent, or nothing", "ThemeOverlay.ColorScheme")]
    items: Annotated[list[Item], says("what it says otherwise than its parent, in collection order")]


class Styles(Struct, frozen=True):
    """The styles of a resource folder."""

    rows: Annotated[list[Style], says("the styles, each after its parent")]


TEMPLATES = (
    names_template("android", "Android"),
    Template("android/values.xml.j2", "android", "Each file of `values/` and its like, such as `colors.xml`.", Values),
    Template("android/attrs.xml.j2", "android", '`attrs.xml`, with `brands = "styles"`.', Attributes),
    Template("android/styles.xml.j2", "android", "`styles.xml` of each folder that has styles.", Styles),
)
