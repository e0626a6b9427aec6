"""What the templates of css are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, names_template, says


class Declaration(NamedTuple):
    """A custom property, or ``color-scheme``."""

    name: Annotated[str, says("its name, `--` and all", "--text-muted")]
    value: Annotated[
        str, says("its value as CSS: a literal, or `var()` of a declared property", "var(--color-slate-500)")
    ]
    note: Annotated[str, says("a comment with a space before it that names what a literal stands for, or nothing", "")]


class Block(NamedTuple):
    """A rule: the defaults, those of a theme, or what is otherwise under a condition."""

    conditions: Annotated[
        tuple[str, ...], says("the at-rules around it, the outermost first", ("@media (prefers-color-scheme: dark)",))
    ]
    selector: Annotated[str, says("the rule's selector; several are on a line each", ":root")]
    declarations: Annotated[list[Declaration], says("what it declares")]


class Registration(NamedTuple):
    """A property that is registered."""

    name: Annotated[str, says("its name, `--` and all", "--text-muted")]
    syntax: Annotated[str, says("its type", "<color>")]
    initial: Annotated[str, says("its default value without references", "#6b7d8d")]


class Stylesheet(Struct, frozen=True):
    """The style sheet's rules."""

    layer: Annotated[str, says("the cascade layer around them, or nothing", "tokens")]
    registrations: Annotated[list[Registration], says("properties to register; none unless the options ask for it")]
    blocks: Annotated[list[Block], says("the defaults, then what themes and the system show otherwise")]


class Index(Struct, frozen=True):
    """The files of an output of several."""

    paths: Annotated[list[str], says("what to import, in order", ["default.css", "color-scheme/dark.css"])]


TEMPLATES = (
    names_template("css", "the web"),
    Template("css/tokens.css.j2", "css", "`tokens.css`, or a file of several: custom properties.", Stylesheet),
    Template("css/tokens.min.css.j2", "css", "The same without what only people read.", Stylesheet),
    Template("css/index.css.j2", "css", "`index.css`, which imports several files.", Index),
)
