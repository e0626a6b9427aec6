"""The notation of values in CSS by an output's options, shared by the targets that write CSS."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tokensync.generate import notation
from tokensync.generate.composites import TYPES
from tokensync.generate.output import Output
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.targets.css import NAMING
from tokensync.targets.css import literals as css
from tokensync.tokens import Quantity, Unresolved, normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.targets.css import CssOptions
    from tokensync.tokens import Literal
    from tokensync.tokens.resolver import TokenIndex

_REFERENCES = dict.fromkeys(PLAIN_KINDS.values(), ("var(", ")"))
_DIGITS = 7
"""The significant digits of a float32."""


class Spelling:
    """The notation of values: ``literals`` are functions by kind; ``of_parts`` writes the parts of composites."""

    def __init__(self, options: CssOptions) -> None:
        self.colors = css.Colors(options.colors, options.profile)
        length = css.dimension if options.dimensions == "px" else partial(rem, base=options.base)
        self.of_parts = css.PartNotation(self.colors.text, length)
        self.literals: dict[str, Callable[[Literal], str | None]] = {
            **css.LITERALS,
            "color": self.colors.text,
            "dimension": length,
            **{each: partial(css.composite_literal, dtcg_type=each, spelling=self.of_parts) for each in TYPES},
        }


def rem(value: Literal, base: float) -> str | None:
    """Return a number of pixels in rem, with ``base`` pixels per rem; a quantity in its own unit."""
    pixels = notation.decimal(value)
    if pixels is None:
        return css.dimension(value)
    from decimal import Context, Decimal

    text = f"{Context(prec=_DIGITS).divide(Decimal(pixels), Decimal(repr(base))):f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}rem"


def output_of(resolution: Resolution, request: OutputRequest, spelling: Spelling) -> Output:
    """Return the context of an output with CSS values and custom properties."""
    return Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=spelling.literals,
        references=_REFERENCES,
        unrepresentable=css.UNREPRESENTABLE,
    )


SYNTAX = {
    "color": "<color>",
    "dimension": "<length>",
    "number": "<number>",
    "percentage": "<number>",
    "boolean": "<number>",
    "duration": "<time>",
}
"""The syntax of registered properties by kind; strings, families and composite values have none."""


def registrations(
    output: Output, options: CssOptions, spelling: Spelling, may_be_absent: AbstractSet[TokenIndex]
) -> Iterator[tuple[TokenIndex, str, str, str]]:
    """Yield (index, name, syntax, initial value) of each property to register; the value is that of the default theme.

    An initial value must be independent of references and font sizes. A token without a value in some theme
    (``may_be_absent``) is not registered, because a registered property always has a value.
    """
    resolved = output.resolution.default
    for index in output.declared:
        kind = output.kinds[index]
        syntax = SYNTAX.get(kind or "")
        literal = output.literal(resolved, index)
        if syntax is None or kind is None or index in may_be_absent or isinstance(literal, Unresolved):
            continue
        if kind == "dimension":
            if isinstance(literal, Quantity):
                literal = normalized(literal.number * (options.base if literal.unit == "rem" else 1.0))
            pixels = notation.decimal(literal)
            initial = None if pixels is None else f"{pixels}px"
        else:
            initial = spelling.literals[kind](literal)
        if initial is not None:
            yield index, output.names[index], syntax, initial
