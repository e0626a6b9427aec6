"""What the templates of tailwind are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Declaration(NamedTuple):
    """A custom property."""

    name: Annotated[str, says("its name, `--` and all", "--color-accent")]
    value: Annotated[str, says("its value as CSS: a literal, or `var()` of another one", "var(--color-blue-500)")]
    note: Annotated[str, says("a comment with a space before it that names what a literal stands for, or nothing", "")]


class Block(NamedTuple):
    """A rule: plain properties, or those of a theme."""

    conditions: Annotated[
        tuple[str, ...], says("the at-rules around it, the outermost first", ("@media (prefers-color-scheme: dark)",))
    ]
    selector: Annotated[str, says("the rule's selector", ":root, :host")]
    declarations: Annotated[list[Declaration], says("what it declares")]


class Theme(Struct, frozen=True):
    """The style sheet to import after Tailwind."""

    static: Annotated[bool, says("whether Tailwind is to keep variables that nothing uses", False)]
    theme: Annotated[list[Declaration], says("the variables of `@theme`, without Tailwind's prefix")]
    blocks: Annotated[list[Block], says("plain properties, then a block a theme, with Tailwind's prefix")]


TEMPLATES = (Template("tailwind/theme.css.j2", "tailwind", "`theme.css`: `@theme` and the themes' blocks.", Theme),)
