"""What the templates of json are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Member(NamedTuple):
    """A member of an object."""

    name: Annotated[str, says("its name, quoted", '"type"')]
    value: Annotated[
        str, says('its value as JSON; a number that has a unit has `, "unit": ...` after it', '4, "unit": "px"')
    ]
    comma: Annotated[str, says("a comma when another member follows, else nothing", ",")]


class TokenObject(NamedTuple):
    """A token."""

    name: Annotated[str, says("its name, quoted", '"accent-base"')]
    members: Annotated[list[Member], says("its members")]
    themes: Annotated[list[Member], says("what it shows otherwise, by theme")]
    comma: Annotated[str, says("a comma when another token follows, else nothing", "")]


class Document(Struct, frozen=True):
    """The document."""

    schema: Annotated[str, says("where its schema is, quoted, or nothing", '"./tokens.schema.json"')]
    collections: Annotated[list[Member], says("the collections of the tokens and of the themes, by handle")]
    themes: Annotated[list[Member], says("the modes that each theme chooses, by collection")]
    tokens: Annotated[list[TokenObject], says("the tokens, in collection order")]


TEMPLATES = (Template("json/tokens.json.j2", "json", "`tokens.json`.", Document),)
