"""What the templates of css are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Declaration(NamedTuple):
    """A custom property."""

    name: Annotated[str, says("its name, `--` and all", "--text-muted")]
    value: Annotated[
        str, says("its value as CSS: a literal, or `var()` of a declared property", "var(--color-slate-500)")
    ]
    note: Annotated[str, says("a comment with a space before it that names what a literal stands for, or nothing", "")]


class Block(NamedTuple):
    """A rule: the default one, or that of a theme."""

    selector: Annotated[str, says("the rule's selector", ":root")]
    declarations: Annotated[list[Declaration], says("what it declares")]


class Stylesheet(Struct, frozen=True):
    """The style sheet's rules."""

    blocks: Annotated[list[Block], says("`:root`, then a block a theme")]


TEMPLATES = (Template("css/tokens.css.j2", "css", "`tokens.css`: custom properties.", Stylesheet),)
