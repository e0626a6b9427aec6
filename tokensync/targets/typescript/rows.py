"""What the templates of typescript are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says


class Property(NamedTuple):
    """A property of an object literal."""

    name: Annotated[str, says("the token's name as a key", "accentBase")]
    value: Annotated[str, says("its value as JavaScript", '"#1f6feb"')]


class ThemeObject(NamedTuple):
    """What one theme, or two at once, show otherwise."""

    theme: Annotated[str, says("its name as a key; of two, both with ` + ` between them", '"color-scheme/dark"')]
    rows: Annotated[list[Property], says("what differs")]


class Variable(NamedTuple):
    """A token's custom property."""

    name: Annotated[str, says("the token's name as a key", "accentBase")]
    variable: Annotated[str, says("the custom property's name as a string", '"--accent-base"')]


class Module(Struct, frozen=True):
    """The values."""

    tokens: Annotated[list[Property], says("the default values, in collection order")]
    themes: Annotated[list[ThemeObject], says("each theme, then each two that differ in something together")]
    combined: Annotated[bool, says("whether there are such twos", True)]
    variables: Annotated[list[Variable], says("the custom properties; none when they are not wanted")]


class Member(NamedTuple):
    """A member of an interface."""

    name: Annotated[str, says("the token's name as a key, with `?` when it has no value by default", "accentBase")]
    type: Annotated[str, says("the type of its values", "string")]
    comment: Annotated[
        list[str], says("the lines of its comment, none when there is nothing to say", ["  /** For links. */"])
    ]


class Types(Struct, frozen=True):
    """The types of the values."""

    tokens: Annotated[list[Member], says("the tokens, in collection order")]
    themes: Annotated[list[str], says("the themes' names as strings", ['"color-scheme/dark"'])]
    combinations: Annotated[
        list[str], says("the names of each two themes as strings", ['"color-scheme/dark + density/dense"'])
    ]
    measure: Annotated[str, says("the type of a text style's lengths; nothing when no token is one", "string")]
    css_variables: Annotated[bool, says("whether the module names custom properties", True)]


TEMPLATES = (
    names_template("typescript", "the web, as TypeScript constants"),
    Template("typescript/tokens.js.j2", "typescript", "`tokens.js`: an ES module of the values.", Module),
    Template("typescript/tokens.d.ts.j2", "typescript", "`tokens.d.ts`: the types of that module.", Types),
)
