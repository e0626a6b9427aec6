"""The contexts of the scss templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template


class Variable(NamedTuple):
    """A variable."""

    name: Annotated[str, doc("the name, with `$`", "$accent-base")]
    value: Annotated[str, doc("the value as Sass: a literal, or a variable declared before it", "#1f6feb")]
    comment: Annotated[list[str], doc("the lines of the comment", ["/// For links."])]


class Entry(NamedTuple):
    """An entry of a map."""

    name: Annotated[str, doc("the name of the token, in quotes", '"accent-base"')]
    value: Annotated[str, doc("the value as Sass", "$accent-base")]


class ThemeMap(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a string; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    entries: Annotated[list[Entry], doc("the values that differ")]


class Stylesheet(Struct, frozen=True):
    """The partial."""

    variables: Annotated[list[Variable], doc("the tokens with their default values, in collection order")]
    maps: Annotated[bool, doc("whether to write maps", True)]
    tokens: Annotated[list[Entry], doc("the variable of each token, if maps are written")]
    default: Annotated[str, doc("the key of `$tokens` in `$themes`; empty if a theme has that name", '"default"')]
    themes: Annotated[list[ThemeMap], doc("the themes, then the combinations of two themes with differences")]
    properties: Annotated[list[Entry], doc("the custom properties with another name than the variable")]
    styles: Annotated[bool, doc("whether a token is a text style, which has a map as its value", False)]


TEMPLATES = (
    names_template("scss", "the web, as Sass variables"),
    Template("scss/tokens.scss.j2", "scss", "`_tokens.scss`: variables and maps.", Stylesheet),
)
