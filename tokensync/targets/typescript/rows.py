"""The contexts of the typescript templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template


class Property(NamedTuple):
    """A property of an object literal."""

    name: Annotated[str, doc("the name of the token as a key", "accentBase")]
    value: Annotated[str, doc("the value as JavaScript", '"#1f6feb"')]


class ThemeObject(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a key; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    rows: Annotated[list[Property], doc("the values that differ")]


class Variable(NamedTuple):
    """A token's custom property."""

    name: Annotated[str, doc("the name of the token as a key", "accentBase")]
    variable: Annotated[str, doc("the name of the custom property as a string", '"--accent-base"')]


class Module(Struct, frozen=True):
    """The values."""

    tokens: Annotated[list[Property], doc("the default values, in collection order")]
    themes: Annotated[list[ThemeObject], doc("the themes, then the combinations of two themes with differences")]
    combined: Annotated[bool, doc("whether there are combinations of two themes", True)]
    variables: Annotated[list[Variable], doc("the custom properties, if the options enable them")]


class Member(NamedTuple):
    """A member of an interface."""

    name: Annotated[str, doc("the name of the token as a key, with `?` if it has no default value", "accentBase")]
    type: Annotated[str, doc("the type of the values", "string")]
    comment: Annotated[list[str], doc("the lines of the comment", ["  /** For links. */"])]


class Types(Struct, frozen=True):
    """The types of the values."""

    tokens: Annotated[list[Member], doc("the tokens, in collection order")]
    themes: Annotated[list[str], doc("the names of the themes as strings", ['"color-scheme/dark"'])]
    combinations: Annotated[
        list[str], doc("the names of combinations of two themes as strings", ['"color-scheme/dark + density/dense"'])
    ]
    measure: Annotated[str, doc("the type of lengths in text styles, or empty without text styles", "string")]
    css_variables: Annotated[bool, doc("whether the module has the names of custom properties", True)]


TEMPLATES = (
    names_template("typescript", "the web, as TypeScript constants"),
    Template("typescript/tokens.js.j2", "typescript", "`tokens.js`: an ES module of the values.", Module),
    Template("typescript/tokens.d.ts.j2", "typescript", "`tokens.d.ts`: the types of that module.", Types),
)
