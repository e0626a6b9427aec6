"""What the templates of scss are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says


class Variable(NamedTuple):
    """A variable."""

    name: Annotated[str, says("its name, `$` and all", "$accent-base")]
    value: Annotated[str, says("its value as Sass: a literal, or a variable that stands above", "#1f6feb")]
    comment: Annotated[
        list[str], says("the lines of its comment, none when there is nothing to say", ["/// For links."])
    ]


class Entry(NamedTuple):
    """An entry of a map."""

    name: Annotated[str, says("the token's name, quoted", '"accent-base"')]
    value: Annotated[str, says("its value as Sass", "$accent-base")]


class ThemeMap(NamedTuple):
    """What one theme, or two at once, show otherwise."""

    theme: Annotated[str, says("its name as a string; of two, both with ` + ` between them", '"color-scheme/dark"')]
    entries: Annotated[list[Entry], says("what differs")]


class Stylesheet(Struct, frozen=True):
    """The partial."""

    variables: Annotated[list[Variable], says("the tokens with their default values, in collection order")]
    maps: Annotated[bool, says("whether maps are wanted", True)]
    tokens: Annotated[list[Entry], says("each token's variable, when maps are wanted")]
    default: Annotated[
        str, says("what `$themes` calls all of `$tokens`; nothing when a theme has that name", '"default"')
    ]
    themes: Annotated[list[ThemeMap], says("each theme, then each two that differ in something together")]
    properties: Annotated[list[Entry], says("the custom properties that are not called as their variable is")]
    styles: Annotated[bool, says("whether a token is a text style, whose value is a map", False)]


TEMPLATES = (
    names_template("scss", "the web, as Sass variables"),
    Template("scss/tokens.scss.j2", "scss", "`_tokens.scss`: variables and maps.", Stylesheet),
)
