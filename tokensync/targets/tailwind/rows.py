"""The contexts of the tailwind templates."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc


class Declaration(NamedTuple):
    """A custom property."""

    name: Annotated[str, doc("the name, with `--`", "--color-accent")]
    value: Annotated[str, doc("the value as CSS: a literal, or `var()` of another property", "var(--color-blue-500)")]
    note: Annotated[
        str, doc("a comment with the name of the undeclared token that a literal replaces, after a space; or empty", "")
    ]


class Block(NamedTuple):
    """A rule: plain properties, or those of a theme."""

    conditions: Annotated[
        tuple[str, ...],
        doc("the at-rules that contain the rule, outermost first", ("@media (prefers-color-scheme: dark)",)),
    ]
    selector: Annotated[str, doc("the selector of the rule", ":root, :host")]
    declarations: Annotated[list[Declaration], doc("the declarations")]


class Theme(Struct, frozen=True):
    """The style sheet to import after Tailwind."""

    static: Annotated[bool, doc("whether Tailwind keeps unused variables", False)]
    theme: Annotated[list[Declaration], doc("the variables of `@theme`, without Tailwind's prefix")]
    blocks: Annotated[list[Block], doc("plain properties, then a block per theme, with Tailwind's prefix")]


TEMPLATES = (Template("tailwind/theme.css.j2", "tailwind", "`theme.css`: `@theme` and the themes' blocks.", Theme),)
