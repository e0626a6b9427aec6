"""What people read: problems, summaries and failures on stderr; answers, and what programs read, on stdout."""

from __future__ import annotations

import os
import re
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tokensync import outlet
from tokensync.outlet import broken, shown
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.problems import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}

_LONGEST = 60
"""Cells of the screen: a longer text is cut, so that one name does not push everything else out of sight."""
_NARROWEST = 12
_GAP = "  "
_SWATCH_WIDTH = 2


class Styled(NamedTuple):
    """A line of an answer, with its colour."""

    text: str
    colour: str | None = None
    bold: bool = False


class Swatch(NamedTuple):
    """A cell that shows a colour; channels from 0 to 255."""

    red: int
    green: int
    blue: int


Cell = str | Swatch | None


class Console:
    """Writes messages to stderr and answers to stdout, each in colour where it is a terminal that wants it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = outlet.wants_colour(err=True) if colour is None else colour
        self.colour_of_result = outlet.wants_colour() if colour is None else colour

    def problems(self, problems: Iterable[Problem]) -> None:
        """Write each problem once, on a line of its own; when quiet, errors only."""
        for each in dict.fromkeys(problems):
            if each.severity == "error" or not self.quiet:
                label = click.style(each.severity, fg=_COLOURS[each.severity], bold=True)
                self._line(f"{label}: {shown(from_here(str(each)))}")

    def problems_in_short(self, problems: Iterable[Problem]) -> None:
        """Write errors, and the number of warnings and notes; a verbose run gets them all."""
        found = tuple(dict.fromkeys(problems))
        minor = [each.severity for each in found if each.severity != "error"]
        self.problems(found if self.verbose else (each for each in found if each.severity == "error"))
        if minor and not self.verbose:
            counts = " and ".join(counted(minor.count(each), each) for each in ("warning", "note") if each in minor)
            self.say(f"({counts}; -v shows {'them' if len(minor) > 1 else 'it'})")

    def failure(self, text: str) -> None:
        """Write why a command stopped."""
        for line in text.splitlines() or [""]:
            self._line(f"{click.style('error', fg='red', bold=True)}: {shown(from_here(line))}")

    def say(self, text: str) -> None:
        """Write what was done; nothing when quiet."""
        if not self.quiet:
            self._line(shown(from_here(text)))

    def detail(self, text: str) -> None:
        """Write what only a verbose run shows."""
        if self.verbose:
            self._line(shown(from_here(text)))

    def usage(self, text: str) -> None:
        """Write the help of a command that was called without what it needs."""
        self._line(text)

    def result(self, *lines: str | Styled) -> None:
        """Write lines of the answer itself to stdout."""
        outlet.write(*map(_styled, lines), colour=self.colour_of_result)

    def table(self, *rows: Sequence[Cell], fitted: bool = False) -> None:
        """Write rows of the answer in aligned columns; with ``fitted``, lines are cut to the terminal's width."""
        outlet.write(*table(rows, outlet.width() if fitted else None), colour=self.colour_of_result)

    def markup(self, text: str) -> None:
        """Write an answer in Markdown or HTML to stdout; it renders as it would without the escapes."""
        outlet.write(*map(shown, outlet.broken(text, "html").splitlines()))

    def json(self, document: Any) -> None:
        """Write an answer as JSON to stdout, for programs."""
        import msgspec

        outlet.write_json(msgspec.json.format(msgspec.json.encode(document), indent=2))

    def json_line(self, document: Any) -> None:
        """Write a JSON document as one line of stdout, at once, for a program that waits for it."""
        import json

        outlet.write_json(json.dumps(document).encode())

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Yield a function that shows the current step; it shows nothing unless stderr is a terminal."""
        if self.quiet or not outlet.is_terminal(err=True):
            yield lambda text: None
            return
        with outlet.status(colour=self.colour) as show:
            yield show

    def _line(self, text: str) -> None:
        outlet.write(text, err=True, colour=self.colour)


def _styled(line: str | Styled) -> str:
    if isinstance(line, str):
        return shown(line)
    text = outlet.broken(shown(line.text))  # where the line begins is not seen behind the code of its colour
    return click.style(text, fg=line.colour, bold=line.bold) if line.colour or line.bold else text


def problem_documents(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return problems for a JSON answer, each once."""
    return [each._asdict() for each in dict.fromkeys(problems)]


def from_here(text: str) -> str:
    """Return the text with every path below the working folder written from there, as the reader would type it."""
    try:
        here = re.escape(os.path.join(os.getcwd(), ""))
    except OSError:  # the working folder is gone
        return text
    return re.sub(rf"(?<![^\s(\"'=]){here}(?=[^\s])", "", text)


def table(rows: Sequence[Sequence[Cell]], width: int | None = None) -> Iterator[str]:
    """Return the rows as lines that are safe to show, columns aligned, and at most ``width`` cells where that can be.

    Texts get their escapes before they are measured.
    """
    safe = [tuple(_safe(row)) for row in rows]
    widths = _fitting([min(_LONGEST, max(map(_width, column))) for column in zip(*safe, strict=True)], width)
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
    return "".join(taken) + "…"


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
    """Narrow the widest columns, a cell at a time, until the line fits."""
    if width is None:
        return widths
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths
