"""The contexts of the json templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc


class Member(NamedTuple):
    """A member of an object."""

    name: Annotated[str, doc("the name, in quotes", '"type"')]
    value: Annotated[
        str, doc('the value as JSON; a number with a unit is followed by `, "unit": ...`', '4, "unit": "px"')
    ]
    comma: Annotated[str, doc("a comma if another member follows, or empty", ",")]


class TokenObject(NamedTuple):
    """A token."""

    name: Annotated[str, doc("the name, in quotes", '"accent-base"')]
    members: Annotated[list[Member], doc("the members")]
    themes: Annotated[list[Member], doc("the values that differ, by theme")]
    comma: Annotated[str, doc("a comma if another token follows, or empty", "")]


class Document(Struct, frozen=True):
    """The document."""

    schema: Annotated[str, doc("the path of the schema, in quotes; or empty", '"./tokens.schema.json"')]
    collections: Annotated[list[Member], doc("the collections of the tokens and of the themes, by handle")]
    themes: Annotated[list[Member], doc("the modes that each theme chooses, by collection")]
    tokens: Annotated[list[TokenObject], doc("the tokens, in collection order")]


TEMPLATES = (Template("json/tokens.json.j2", "json", "`tokens.json`.", Document),)
