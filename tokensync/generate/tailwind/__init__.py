"""Tailwind: ``theme.css``, the tokens that make utilities in ``@theme``, and the themes' blocks as css has them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tokensync.config.options.css import CssOptions
from tokensync.config.options.tailwind import TailwindOptions
from tokensync.generate.css import Spelling, blocks_of, sheet_of
from tokensync.generate.request import OutputFile, options_of
from tokensync.generate.tailwind.namespaces import STYLE_PARTS, Names, names_of
from tokensync.naming import rendered_bytes
from tokensync.tokens import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem

    Row = tuple[int, str, str, str]
    Declaration = tuple[str, str, str]

ROOT = ":root, :host"
"""Where Tailwind itself declares the variables of ``@theme``."""
_ROOT_LINES = ROOT.replace(", ", ",\n")
_CONSTANT = ("breakpoint-", "container-")
"""What Tailwind writes into conditions, where no reference can stand."""


def generate(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """``theme.css``."""
    options = options_of(request, TailwindOptions)
    spelled = CssOptions(
        colors=options.colors,
        profile=options.profile,
        composed=options.composed,
        dimensions=options.dimensions,
        base=options.base,
        root=ROOT,
        attribute=options.attribute,
        themes=options.themes,
    )
    spelling = Spelling(spelled)
    sheet = sheet_of(resolution, request, spelling)
    names = names_of(sheet)
    for place, name in names.themed.items():
        sheet.names[place] = f"{_before(options)}{name}"
    blocks = blocks_of(sheet, spelled, spelling)
    first = next(blocks, None)
    defaults = first if first is not None and not first.chosen and not first.conditions else None
    others = blocks if defaults is not None or first is None else chain((first,), blocks)
    writing = _Writing(sheet, spelling, names, _before(options))
    theme, plain = writing.parted(defaults.rows if defaults is not None else [])
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
    return (OutputFile("theme.css", content),), sheet.problems


def _before(options: TailwindOptions) -> str:
    """Tailwind puts its prefix before what ``@theme`` declares, and nowhere else: all the rest has it already."""
    return f"--{options.prefix}-" if options.prefix else "--"


def _on_lines(selector: str) -> str:
    return _ROOT_LINES if selector == ROOT else selector


def _safe(value: str) -> str:
    """The value for Tailwind, which takes ``!important`` for what it says even within a string."""
    return value.replace("!important", "\\21 important") if "!" in value else value


class _Writing:
    """Writes the rows of blocks; what text styles hand on to Tailwind follows the parts that it comes from."""

    def __init__(self, sheet: Sheet, spelling: Spelling, names: Names, before: str) -> None:
        self.sheet = sheet
        self.spelling = spelling
        self.names = names
        self.before = before

    def parted(self, rows: Iterable[Row]) -> tuple[list[Declaration], list[Declaration]]:
        """The defaults: what stands in ``@theme``, without prefix, and what is a plain property."""
        theme: list[Declaration] = []
        plain: list[Declaration] = []
        themed, names = self.names.themed, self.sheet.names
        for place, name, value, note in rows:
            if place in themed and name == names[place]:
                constant = self._literal(place) if themed[place].startswith(_CONSTANT) else None
                theme.append((f"--{themed[place]}", constant or _safe(value), note))
            else:
                plain.append((name, _safe(value), note))
                theme += self._handed_on(place, name, "--")
        return theme, plain

    def rows(self, rows: Iterable[Row]) -> list[Declaration]:
        """Those of any other block."""
        written: list[Declaration] = []
        for place, name, value, note in rows:
            written.append((name, _safe(value), note))
            written += self._handed_on(place, name, self.before)
        return written

    def _handed_on(self, place: int, name: str, before: str) -> Iterator[Declaration]:
        """The variable of Tailwind's that a part of a text style is the value of."""
        style = self.names.styles.get(place)
        if style is not None:
            part = name[len(self.sheet.names[place]) + 1 :]
            for suffix, namespace, after in STYLE_PARTS:
                if part == suffix:
                    yield f"{before}{namespace}-{style}{after}", f"var({name})", ""

    def _literal(self, place: int) -> str | None:
        literal = self.sheet.literal(self.sheet.resolution.default, place)
        return None if isinstance(literal, Unresolved) else self.spelling.literals["dimension"](literal)
