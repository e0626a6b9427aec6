"""What the templates of android are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


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

    rows: Annotated[list[Resource], says("the resources, in collection order")]


TEMPLATES = (
    Template("android/values.xml.j2", "android", "Each file of `values/` and its like, such as `colors.xml`.", Values),
)
