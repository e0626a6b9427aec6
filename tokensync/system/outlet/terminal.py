"""Lines and tables for terminals and logs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, NewType

from tokensync.system.outlet.characters import broken, broken_anywhere, visible

Line = NewType("Line", str)
"""A line, or a part of one, that is safe for terminals and CI runners; only the functions of this module make it."""

_COMFORTABLE: Final = 24
"""The width, in cells, below which a column becomes narrower only if no optional column is left to omit."""
_NARROWEST: Final = 4
_SEPARATORS: Final = " /-_.,:"
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


def labelled(label: Styled, text: str, width: int | None = None) -> tuple[Line, ...]:
    """Return a line with a text after a label, wrapped at spaces into lines of at most ``width`` characters, if given.

    A word that is longer, such as a path, stays whole: the terminal breaks it without adding anything to a copy.
    """
    if width is None:
        return (Line(f"{line(label)}: {shown(text)}"),)
    from textwrap import wrap

    start = f"{label.text}: "
    first, *others = wrap(
        start + shown(text), width, subsequent_indent=_GAP, break_long_words=False, break_on_hyphens=False
    )
    return Line(f"{line(label)}: {first[len(start) :]}"), *(Line(broken(part)) for part in others)


class Layout(NamedTuple):
    """The columns of a table that fit a terminal: their indices and widths, and the headings of the omitted ones."""

    widths: Mapping[int, int]
    omitted: tuple[str, ...] = ()


def layout(rows: Sequence[Sequence[Cell]], width: int | None = None, optional: Sequence[str] = ()) -> Layout:
    """Return the layout of a table whose first row is its header, for lines of at most ``width`` cells if possible.

    Wide columns get narrower, since their cells can wrap. If that does not suffice, the ``optional`` columns are
    omitted one by one, in their order. Without a width, columns are as wide as their widest cell.
    """
    safe = [tuple(_safe(row)) for row in rows]
    widths = {at: max(map(_cell_width, column)) for at, column in enumerate(zip(*safe, strict=True))}
    if width is None:
        return Layout(widths)
    omitted = []
    for heading in (each for each in optional if each in rows[0]):
        if _total(min(width, _COMFORTABLE) for width in widths.values()) <= width:
            break
        del widths[rows[0].index(heading)]
        omitted.append(heading)
    for narrowest in (_COMFORTABLE, _NARROWEST):
        while _total(widths.values()) > width and max(widths.values()) > narrowest:
            widest = max(widths, key=widths.__getitem__)
            widths[widest] -= 1
    return Layout(widths, tuple(omitted))


def table(rows: Sequence[Sequence[Cell]], width: int | None = None, optional: Sequence[str] = ()) -> Iterator[Line]:
    """Yield the rows as lines with aligned columns and escaped texts, laid out by ``layout``. No text is cut."""
    widths = layout(rows, width, optional).widths
    for row in rows:
        cells_of_row = list(_safe(row))
        wrapped = [_wrapped(cells_of_row[at], own) for at, own in widths.items()]
        for number in range(max(map(len, wrapped))):
            parts = (
                _pad(cell[number] if number < len(cell) else "", own)
                for cell, own in zip(wrapped, widths.values(), strict=True)
            )
            text = _GAP.join(parts).rstrip()
            yield Line(broken(text) if number else text)  # a part of a cell may look like a command


def _total(widths: Iterable[int]) -> int:
    """Return the width of a line with columns of these widths."""
    each = tuple(widths)
    return sum(each) + len(_GAP) * (len(each) - 1)


def _wrapped(cell: Cell, width: int) -> list[Cell]:
    """Return a cell as parts of at most ``width`` cells, which end after a space or separator where possible."""
    if not isinstance(cell, str) or cells(cell) <= width:
        return [cell]
    parts: list[Cell] = []
    start = end = used = last = 0  # of the current part: its start, its end, its width, and its last separator
    while end < len(cell):
        used += _character_width(cell[end])
        if used > width and end > start:
            end = last if last > start else end
            parts.append(cell[start:end].rstrip(" "))
            start, used = end, 0
            continue
        end += 1
        if cell[end - 1] in _SEPARATORS:
            last = end
    return [*parts, cell[start:]]


def cells(text: str) -> int:
    """Return the display width of a text: wide characters take two cells, marks and joiners none."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


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
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # the last are vowels and final consonants of Korean, which join the letter before them
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cell_width(cell: Cell) -> int:
    return cells(cell) if isinstance(cell, str) else 0 if cell is None else _SWATCH_WIDTH


def _pad(cell: Cell, width: int) -> str:
    if isinstance(cell, Swatch):
        return f"\x1b[48;2;{cell.red};{cell.green};{cell.blue}m{' ' * _SWATCH_WIDTH}\x1b[0m"
    text = cell or ""
    return text + " " * (width - cells(text))
