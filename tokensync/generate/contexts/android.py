"""What the templates of android are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Resource(NamedTuple):
    """A resource."""

    name: Annotated[str, says("its name", "accent_base")]
    value: Annotated[
        str, says("its value, escaped for aapt and XML: a literal or a reference", "@color/color_tide_500")
    ]


class Values(Struct, frozen=True):
    """A file of a values folder: resources of one kind."""

    tag: Annotated[str, says("the element of each resource", "color")]
    attributes: Annotated[
        str, says("further attributes of each, with a space before them, or nothing", ' translatable="false"')
    ]
    rows: Annotated[list[Resource], says("the resources, in collection order")]


TEMPLATES = (
    Template(
        "android/values.xml.j2", "android", "Each file of `values/` and `values-night/`, such as `colors.xml`.", Values
    ),
)
