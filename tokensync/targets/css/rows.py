"""The contexts of the css templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc, names_template


class Declaration(NamedTuple):
    """A custom property, or ``color-scheme``."""

    name: Annotated[str, doc("the name, with `--`", "--text-muted")]
    value: Annotated[
        str, doc("the value as CSS: a literal, or `var()` of a declared property", "var(--color-slate-500)")
    ]
    note: Annotated[
        str, doc("a comment with the name of the undeclared token that a literal replaces, after a space; or empty", "")
    ]


class Block(NamedTuple):
    """A rule: the defaults, or the values of a theme or under a condition."""

    conditions: Annotated[
        tuple[str, ...],
        doc("the at-rules that contain the rule, outermost first", ("@media (prefers-color-scheme: dark)",)),
    ]
    selector: Annotated[str, doc("the selector of the rule, with one selector per line", ":root")]
    declarations: Annotated[list[Declaration], doc("the declarations")]


class Registration(NamedTuple):
    """A property to register."""

    name: Annotated[str, doc("the name, with `--`", "--text-muted")]
    syntax: Annotated[str, doc("the type", "<color>")]
    initial: Annotated[str, doc("the default value, without references", "#6b7d8d")]


class Stylesheet(Struct, frozen=True):
    """The style sheet's rules."""

    layer: Annotated[str, doc("the cascade layer of all rules, or empty", "tokens")]
    registrations: Annotated[list[Registration], doc("the properties to register, if the options enable it")]
    blocks: Annotated[list[Block], doc("the defaults, then the rules of themes and of the system")]


class Index(Struct, frozen=True):
    """The files of an output with several."""

    paths: Annotated[list[str], doc("the files to import, in order", ["default.css", "color-scheme/dark.css"])]


TEMPLATES = (
    names_template("css", "the web"),
    Template("css/tokens.css.j2", "css", "`tokens.css`, or one of several files: custom properties.", Stylesheet),
    Template("css/tokens.min.css.j2", "css", "The same without white space and comments.", Stylesheet),
    Template("css/index.css.j2", "css", "`index.css`, which imports several files.", Index),
)
