"""Tailwind: ``theme.css``, the tokens that make utilities in ``@theme``, and the themes' blocks as css has them.

Tailwind copies what ``@theme`` says of a shadow into the utility. Where a theme changes it, ``@theme`` refers to a
plain property that holds the value, and the themes' blocks declare both. Breakpoints and containers are copied into
conditions, which hold no references: so they have their default value in every theme. They are in rem like Tailwind's
own, since Tailwind puts the rules of one unit before those of another.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.generate.request import OutputFile, options_of
from tokensync.naming import readable, rendered_bytes, token_label
from tokensync.problems import problem
from tokensync.targets.css.cascade import Cascade
from tokensync.targets.css.options import CssOptions
from tokensync.targets.css.spelling import Spelling, output_of, rem
from tokensync.targets.css.switches import INVALID
from tokensync.targets.tailwind.namespaces import CONDITIONS, STYLE_PARTS, Names, names_of
from tokensync.targets.tailwind.options import TailwindOptions
from tokensync.tokens import Quantity, float32, shortest
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.generate.output import Output
    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.css.cascade import Block, Row
    from tokensync.tokens import Literal
    from tokensync.tokens.resolver import TokenIndex

    Declaration = tuple[str, str, str]

ROOT = ":root, :host"
"""Where Tailwind itself declares the variables of ``@theme``."""
_ROOT_LINES = ROOT.replace(", ", ",\n")


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``theme.css``."""
    options = options_of(request, TailwindOptions)
    spelled = CssOptions(
        colors=options.colors,
        profile=options.profile,
        composed=options.composed,
        dimensions=options.dimensions,
        base=options.base,
        root=ROOT,
        attribute=options.attribute,
        brand_axis=options.brand_axis,
        themes=options.themes,
    )
    spelling = Spelling(spelled)
    # A rem of a media query is that of the browser; a rem of a container query is that of the page.
    spelling.literals["breakpoint"] = partial(_in_rem, base=scalars.REM)
    spelling.literals["container"] = partial(_in_rem, base=options.base)
    output = output_of(resolution, request, spelling)
    names = names_of(output)
    for index, name in names.themed.items():
        output.names[index] = f"{_before(options)}{name}"
        if names.spaces[index] in CONDITIONS:
            output.kinds[index] = names.spaces[index]
    blocks = list(Cascade(output, spelled, spelling).blocks())
    defaults = _defaults(output, blocks)
    others = [each for each in blocks if not each.is_default]
    differing = _differing(defaults, others, names)
    _report_conditions(output, names, defaults, differing, options.base)
    writing = _Writing(output, names, _before(options), differing & names.values.keys())
    theme, plain = writing.parted(defaults)
    plain += writing.rows(row for each in blocks if each.is_default for row in each.rows if _is_absent(row))
    content = rendered_bytes(
        "tailwind/theme.css.j2",
        request.templates,
        static=options.static,
        theme=theme,
        blocks=chain(
            [((), _ROOT_LINES, plain)] if plain else [],
            ((each.conditions, _on_lines(each.selector), writing.rows(each.rows)) for each in others),
        ),
    )
    return (OutputFile("theme.css", content),), output.problems


def _in_rem(value: Literal, base: float) -> str | None:
    """Return a length in rem, of which one has ``base`` pixels."""
    return rem(float32(value.number) if isinstance(value, Quantity) and value.unit == "px" else value, base)


def _before(options: TailwindOptions) -> str:
    """Tailwind puts its prefix before what ``@theme`` declares, and nowhere else: all the rest has it already."""
    return f"--{options.prefix}-" if options.prefix else "--"


def _on_lines(selector: str) -> str:
    return selector.replace(ROOT, _ROOT_LINES, 1) if selector.startswith(ROOT) else selector


def _defaults(output: Output, blocks: Iterable[Block]) -> list[Row]:
    """Return what the root shows while nothing is chosen, in the order of the tokens.

    What is declared again wherever a theme is chosen is one of it: Tailwind makes utilities of what ``@theme`` has.
    """
    found = {
        row.name: row if each.is_default else row._replace(value=row.usual)
        for each in blocks
        if not each.path and not each.conditions
        for row in each.rows
        if (not _is_absent(row) if each.is_default else row.token != NO_TOKEN)
    }
    rank = {index: at for at, index in enumerate(output.declared)}
    return sorted(found.values(), key=lambda row: rank.get(row.token, -1))


def _is_absent(row: Row) -> bool:
    """Return whether a token has no value here; ``@theme`` would take that for the removal of a variable."""
    return row.token != NO_TOKEN and row.value == INVALID


def _safe(value: str) -> str:
    """The value for Tailwind, which takes ``!important`` for what it says even within a string."""
    return value.replace("!important", "\\21 important") if "!" in value else value


def _differing(defaults: Iterable[Row], others: Iterable[Block], names: Names) -> set[TokenIndex]:
    """Return the tokens of which Tailwind copies the default value, though another block has another value."""
    copied = {
        index: value
        for index, _, value, *_ in defaults
        if index in names.values or names.spaces.get(index) in CONDITIONS
    }
    return {
        index for block in others for index, _, value, *_ in block.rows if index in copied and value != copied[index]
    }


def _report_conditions(
    output: Output, names: Names, defaults: Iterable[Row], differing: set[TokenIndex], base: float
) -> None:
    """Report breakpoints and containers that a theme changes, and those that Tailwind cannot put in order."""
    first = {
        (space, number): (f"{number}rem", f"Tailwind's {name}")
        for space, usual in CONDITIONS.items()
        for name, number in usual.items()
        if f"{space}-{name}" not in names.themed.values()
    }
    for index, _, value, *_ in defaults:
        space = names.spaces.get(index, "")
        if space not in CONDITIONS:
            continue
        label = token_label(output.graph, output.tokens[index].key)
        if index in differing:
            variant = readable(names.themed[index].removeprefix(f"{space}-"))
            output.problems.append(_varies(label, f"@{variant}" if space == "container" else variant, value))
        if value.endswith("rem"):
            whole = int(float(value.removesuffix("rem")))
            known, whose = first.setdefault((space, whole), (value, label))
            if value != known:
                pixels = base if space == "container" else scalars.REM
                output.problems.append(_unordered(label, value, f"{known} ({whose})", whole, pixels))


def _varies(label: str, variant: str, value: str) -> Problem:
    what = f"a theme changes it, but Tailwind's variant {variant} stands for {value} in every theme"
    advice = "give it one value in all modes, or a name that does not make it a breakpoint or a container"
    return problem("breakpoint-varies", label, what, advice)


def _unordered(label: str, value: str, other: str, whole: int, pixels: float) -> Problem:
    what = f"Tailwind sorts variants by whole rem, so the order of {value} and {other} is undefined"
    below, above = (f"{each}rem ({shortest(float32(each * pixels))}px)" for each in (whole, whole + 1))
    return problem("breakpoint-order", label, what, f"make it less than {below} or at least {above}")


class _Writing:
    """Writes the rows of blocks; what text styles hand on to Tailwind follows the parts that it comes from.

    ``held`` are the tokens whose values stand in a plain property of their own.
    """

    def __init__(self, output: Output, names: Names, before: str, held: AbstractSet[TokenIndex]) -> None:
        self.output = output
        self.names = names
        self.before = before
        self.held = held

    def parted(self, rows: Iterable[Row]) -> tuple[list[Declaration], list[Declaration]]:
        """The defaults: what stands in ``@theme``, without prefix, and what is a plain property."""
        theme: list[Declaration] = []
        plain: list[Declaration] = []
        themed, names = self.names.themed, self.output.names
        for index, name, value, note, _ in rows:
            if index in self.held:
                holder = self._holder(index)
                plain.append((holder, _safe(value), note))
                theme.append((f"--{themed[index]}", f"var({holder})", ""))
            elif index in themed and name == names[index]:
                theme.append((f"--{themed[index]}", _safe(value), note))
            else:
                plain.append((name, _safe(value), note))
                theme += self._handed_on(index, name, "--")
        return theme, plain

    def rows(self, rows: Iterable[Row]) -> list[Declaration]:
        """Return the declarations of any other block.

        A reference is computed where it stands: so what refers to a value stands wherever the value does.
        """
        written: list[Declaration] = []
        for index, name, value, note, _ in rows:
            if index in self.held:
                holder = self._holder(index)
                written += [(holder, _safe(value), note), (name, f"var({holder})", "")]
            else:
                written.append((name, _safe(value), note))
                written += self._handed_on(index, name, self.before)
        return written

    def _holder(self, index: TokenIndex) -> str:
        """Return the name of the plain property that holds a token's value."""
        return f"{self.before}{self.names.values[index]}"

    def _handed_on(self, index: TokenIndex, name: str, before: str) -> Iterator[Declaration]:
        """The variable of Tailwind's that a part of a text style is the value of."""
        style = self.names.styles.get(index)
        if style is not None:
            part = name[len(self.output.names[index]) + 1 :]
            for suffix, namespace, after in STYLE_PARTS:
                if part == suffix:
                    yield f"{before}{namespace}-{style}{after}", f"var({name})", ""
