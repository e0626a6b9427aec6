"""The contexts of the android templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template


class Resource(NamedTuple):
    """A resource."""

    comment: Annotated[str, doc("the description, safe in an XML comment; or empty", "Filled buttons")]
    tag: Annotated[str, doc("the XML element", "color")]
    name: Annotated[str, doc("the name", "accent_base")]
    attributes: Annotated[
        str, doc("additional attributes of the element, after a space; or empty", ' translatable="false"')
    ]
    value: Annotated[str, doc("the value, escaped for aapt and XML: a literal or a reference", "@color/color_tide_500")]


class Values(Struct, frozen=True):
    """A file of a resource folder."""

    namespaces: Annotated[
        str, doc("the declaration of the `tools` namespace, after a space, in a file of text styles; or empty", "")
    ]
    rows: Annotated[list[Resource], doc("the resources, in collection order")]


class Attribute(NamedTuple):
    """A theme attribute."""

    comment: Annotated[str, doc("the description, safe in an XML comment; or empty", "Filled buttons")]
    name: Annotated[str, doc("the name", "accent_base")]
    format: Annotated[str, doc("the format of its values", "color")]


class Attributes(Struct, frozen=True):
    """The attributes of the tokens that vary with a brand."""

    rows: Annotated[list[Attribute], doc("the attributes, in collection order")]


class Item(NamedTuple):
    """The value of an attribute in a style."""

    attribute: Annotated[str, doc("the attribute's name", "accent_base")]
    value: Annotated[str, doc("the value, escaped for aapt and XML", "?attr/color_tide_500")]


class Style(NamedTuple):
    """A style."""

    name: Annotated[str, doc("the name", "ThemeOverlay.ColorScheme.BrandB")]
    parent: Annotated[str, doc("the name of the parent, or empty", "ThemeOverlay.ColorScheme")]
    items: Annotated[list[Item], doc("the items that differ from the parent, in collection order")]


class Styles(Struct, frozen=True):
    """The styles of a resource folder."""

    rows: Annotated[list[Style], doc("the styles, each after its parent")]


TEMPLATES = (
    names_template("android", "Android"),
    Template("android/values.xml.j2", "android", "A file of a `values` folder, such as `colors.xml`.", Values),
    Template("android/attrs.xml.j2", "android", '`attrs.xml`, with `brands = "styles"`.', Attributes),
    Template("android/styles.xml.j2", "android", "`styles.xml` of each folder that has styles.", Styles),
)
