"""The contexts of templates as types. docs/templates.md is generated from them, and tests check the code against them.

A context is a Struct whose fields are the template's variables. A row is a NamedTuple; at run time it may be any tuple
of that shape, since the template's loop unpacks it. Commands that render do not import this module.
"""

from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

NAMES = "names"
"""The platform of name templates."""


class Template(NamedTuple):
    """A packaged template: its path below ``templates/``, its platform, a description and its context.

    ``platform`` is a platform of ``[[outputs]]`` or another user of templates; ``renders`` is a Markdown sentence.
    """

    path: str
    platform: str
    renders: str
    context: type[Struct]


def doc(meaning: str, example: Any = None) -> Meta:
    """Return the description of a field, with an example unless it is a list of rows."""
    return Meta(description=meaning, examples=None if example is None else [example])


class NameRow(NamedTuple):
    """A token to name."""

    words: Annotated[
        tuple[str, ...],
        doc(
            "the words of the path, in lower case, after those of the collection if the name is not unique",
            ("accent", "base"),
        ),
    ]
    collection: Annotated[tuple[str, ...], doc("the words of the collection's handle", ("theme",))]
    type: Annotated[str, doc("the type", "color")]


class Names(Struct, frozen=True):
    """The context of a name template, which renders one line for each row in order."""

    rows: Annotated[list[NameRow], doc("the tokens without code syntax, and those whose name is not unique")]


def names_template(platform: str, where: str) -> Template:
    """Return the name template of a target; ``where`` completes the description of its names."""
    return Template(f"codesyntax/{platform}.j2", NAMES, f"The names of tokens on {where}, one per line.", Names)
