"""Aligned columns for people: cells are counted as a terminal shows them, and cut where they are too long."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from tokensync.outlet import broken, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST = 60
"""Cells on the screen: a longer text is cut, so that one name does not push everything else out of sight."""

_NARROWEST = 12
_GAP = "  "
_CUT = "…"


class Swatch(NamedTuple):
    """A cell that shows a colour; channels from 0 to 255."""

    red: int
    green: int
    blue: int


Cell = str | Swatch | None
_SWATCH_WIDTH = 2


def table(rows: Sequence[Sequence[Cell]], width: int | None = None) -> Iterator[str]:
    """Return the rows as lines that are safe to show, columns aligned, and at most ``width`` cells where that can be.

    Texts get their escapes before they are measured.
    """
    safe = [tuple(_safe(row)) for row in rows]
    widths = _fitting([min(LONGEST, max(map(_width, column))) for column in zip(*safe, strict=True)], width)
    for row in safe:
        yield _GAP.join(map(_padded, row, widths)).rstrip()


def cells(text: str) -> int:
    """Return how many cells of the screen a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(character) for character in text)


def cut(text: str, width: int) -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis."""
    if cells(text) <= width:
        return text
    taken, room = [], width - 1
    for character in text:
        room -= _cells_of(character)
        if room < 0:
            break
        taken.append(character)
    return "".join(taken) + _CUT


def _safe(row: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells with their texts escaped: what follows blank cells starts the line."""
    starts_line = True
    for cell in row:
        if isinstance(cell, str):
            text = shown(cell)
            yield broken(text) if starts_line else text
            starts_line = starts_line and not text.strip()
        else:
            yield cell


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _width(cell: Cell) -> int:
    return cells(cell) if isinstance(cell, str) else 0 if cell is None else _SWATCH_WIDTH


def _padded(cell: Cell, width: int) -> str:
    if isinstance(cell, Swatch):
        return f"\x1b[48;2;{cell.red};{cell.green};{cell.blue}m{' ' * _SWATCH_WIDTH}\x1b[0m"
    text = cut(cell or "", width)
    return text + " " * (width - cells(text))


def _fitting(widths: list[int], width: int | None) -> list[int]:
    """Takes from the widest columns, a cell at a time, until the line fits."""
    if width is None:
        return widths
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths
