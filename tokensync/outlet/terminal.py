"""Lines and tables for terminals and logs."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple, NewType

from tokensync.outlet.characters import visible
from tokensync.outlet.commands import broken, broken_anywhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Line = NewType("Line", str)
"""A line, or a part of one, that is safe for terminals and CI runners; only the functions of this module make it."""

_MAX_WIDTH: Final = 60
"""The widest column, in cells; longer texts are cut."""
_MIN_WIDTH: Final = 12
_GAP: Final = "  "
_SWATCH_WIDTH: Final = 2


class Styled(NamedTuple):
    """A line of output with its colour."""

    text: str
    colour: str | None = None
    bold: bool = False


class Swatch(NamedTuple):
    """A table cell that shows a colour; channels range from 0 to 255."""

    red: int
    green: int
    blue: int


Cell = str | Swatch | None


def shown(text: str) -> Line:
    """Return a text for the inside of a line: control characters and commands are escaped."""
    return Line(broken_anywhere(visible(text)))


def line(text: str | Styled) -> Line:
    """Return a text as a whole line, in colour if it is styled."""
    if isinstance(text, str):
        return Line(broken(shown(text)))
    safe = line(text.text)  # the colour code would hide the line start from the escaping
    if not (text.colour or text.bold):
        return safe
    import click

    return Line(click.style(safe, fg=text.colour, bold=text.bold))


def labelled(label: Styled, text: str) -> Line:
    """Return a line with a text after a label."""
    return Line(f"{line(label)}: {shown(text)}")


def table(rows: Sequence[Sequence[Cell]], width: int | None = None) -> Iterator[Line]:
    """Yield the rows as lines with aligned columns and escaped texts, at most ``width`` cells wide if possible."""
    safe = [tuple(_safe(row)) for row in rows]
    widths = _fit([min(_MAX_WIDTH, max(map(_cell_width, column))) for column in zip(*safe, strict=True)], width)
    for row in safe:
        yield Line(_GAP.join(map(_pad, row, widths)).rstrip())


def cells(text: str) -> int:
    """Return the display width of a text: wide characters take two cells, marks and joiners none."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def cut(text: str, width: int) -> str:
    """Return the text, cut to ``width`` cells with an ellipsis if it is longer."""
    if cells(text) <= width:
        return text
    prefix, remaining = [], width - 1
    for character in text:
        remaining -= _character_width(character)
        if remaining < 0:
            break
        prefix.append(character)
    return "".join(prefix).rstrip("\u200c\u200d") + "…"


def _safe(row: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells with their texts escaped; a text that follows only blank cells starts the line."""
    starts_line = True
    for cell in row:
        if isinstance(cell, str):
            yield line(cell) if starts_line else shown(cell)
            starts_line = starts_line and not cell.strip()
        else:
            yield cell


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cell_width(cell: Cell) -> int:
    return cells(cell) if isinstance(cell, str) else 0 if cell is None else _SWATCH_WIDTH


def _pad(cell: Cell, width: int) -> str:
    if isinstance(cell, Swatch):
        return f"\x1b[48;2;{cell.red};{cell.green};{cell.blue}m{' ' * _SWATCH_WIDTH}\x1b[0m"
    text = cut(cell or "", width)
    return text + " " * (width - cells(text))


def _fit(widths: list[int], width: int | None) -> list[int]:
    """Narrow the widest columns, one cell at a time, until the line fits."""
    if width is None:
        return widths
    available = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > available and max(widths) > _MIN_WIDTH:
        widths[widths.index(max(widths))] -= 1
    return widths
