"""What templates are given, declared as types: docs/templates.md is made from them, and tests hold the code to them.

A context is a Struct whose fields are the template's variables. A row is a NamedTuple: at run time any tuple of that
shape will do, since the template's loop unpacks it. Nothing here is loaded by a command that renders.
"""

from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

NAMES = "names"
"""The platform of the templates that render names."""


class Template(NamedTuple):
    """A packaged template: its path below ``templates/``, whose it is, what it renders, and what it is given.

    ``platform`` is a platform of ``[[outputs]]``, or the name of what else renders it; ``renders`` is a sentence of
    Markdown.
    """

    path: str
    platform: str
    renders: str
    context: type[Struct]


def says(meaning: str, example: Any = None) -> Meta:
    """What a field means, and a value that it may have; a list of rows needs no example, the row has one."""
    return Meta(description=meaning, examples=None if example is None else [example])


class NameRow(NamedTuple):
    """A token whose name is wanted."""

    words: Annotated[
        tuple[str, ...],
        says(
            "the words of its path, in lower case; those of its collection first when it shares a name",
            ("accent", "base"),
        ),
    ]
    collection: Annotated[tuple[str, ...], says("the words of its collection's handle", ("theme",))]
    type: Annotated[str, says("its type", "color")]


class Names(Struct, frozen=True):
    """A name template renders one line for each row, in their order."""

    rows: Annotated[list[NameRow], says("the tokens without code syntax of their own, and those whose name is taken")]


def names_template(platform: str, where: str) -> Template:
    """Return the name template of a target; ``where`` ends the sentence of what its names are."""
    return Template(f"codesyntax/{platform}.j2", NAMES, f"The names of tokens on {where}, one a line.", Names)
