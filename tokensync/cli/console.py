"""Terminal output: problems, progress and errors on stderr; results, as text or JSON, on stdout."""

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

_MAX_WIDTH = 60
"""The widest column, in cells; longer texts are cut."""
_MIN_WIDTH = 12
_GAP = "  "
_SWATCH_WIDTH = 2


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


class Console:
    """Writes messages to stderr and results to stdout, in colour if the stream is a terminal that supports it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = outlet.wants_colour(err=True) if colour is None else colour
        self.colour_of_result = outlet.wants_colour() if colour is None else colour

    def problems(self, problems: Iterable[Problem]) -> None:
        """Write each distinct problem on its own line; with ``quiet``, errors only."""
        for problem in dict.fromkeys(problems):
            if problem.severity == "error" or not self.quiet:
                label = click.style(problem.severity, fg=_COLOURS[problem.severity], bold=True)
                self._line(f"{label}: {shown(relative_paths(str(problem)))}")

    def summarize(self, problems: Iterable[Problem]) -> None:
        """Write errors and the number of warnings and notes; with ``verbose``, write all problems."""
        distinct = tuple(dict.fromkeys(problems))
        minor = [each.severity for each in distinct if each.severity != "error"]
        self.problems(distinct if self.verbose else (each for each in distinct if each.severity == "error"))
        if minor and not self.verbose:
            counts = " and ".join(counted(minor.count(each), each) for each in ("warning", "note") if each in minor)
            self.info(f"({counts}; -v shows {'them' if len(minor) > 1 else 'it'})")

    def failure(self, text: str) -> None:
        """Write an error message."""
        for line in text.splitlines() or [""]:
            self._line(f"{click.style('error', fg='red', bold=True)}: {shown(relative_paths(line))}")

    def info(self, text: str) -> None:
        """Write a message, unless ``quiet``."""
        if not self.quiet:
            self._line(shown(relative_paths(text)))

    def detail(self, text: str) -> None:
        """Write a message if ``verbose``."""
        if self.verbose:
            self._line(shown(relative_paths(text)))

    def usage(self, text: str) -> None:
        """Write the help text of a command that was called without a required argument."""
        self._line(text)

    def result(self, *lines: str | Styled) -> None:
        """Write lines of the result to stdout."""
        outlet.write(*map(_styled, lines), colour=self.colour_of_result)

    def table(self, *rows: Sequence[Cell], fitted: bool = False) -> None:
        """Write rows in aligned columns to stdout; with ``fitted``, shrink them to the terminal's width."""
        outlet.write(*table(rows, outlet.width() if fitted else None), colour=self.colour_of_result)

    def markup(self, text: str) -> None:
        """Write Markdown or HTML to stdout; the escapes do not change how it renders."""
        outlet.write(*map(shown, outlet.broken(text, "html").splitlines()))

    def json(self, document: Any) -> None:
        """Write a document as indented JSON to stdout."""
        import msgspec

        outlet.write_json(msgspec.json.format(msgspec.json.encode(document), indent=2))

    def json_line(self, document: Any) -> None:
        """Write a document as one line of JSON to stdout and flush it, for a program that waits for the line."""
        import json

        outlet.write_json(json.dumps(document).encode())

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Yield a function that displays the current step; it does nothing unless stderr is a terminal."""
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
    text = outlet.broken(shown(line.text))  # the colour code would hide the line start from the escaping
    return click.style(text, fg=line.colour, bold=line.bold) if line.colour or line.bold else text


def problem_documents(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return distinct problems as JSON objects."""
    return [each._asdict() for each in dict.fromkeys(problems)]


def relative_paths(text: str) -> str:
    """Return the text with absolute paths below the working folder made relative."""
    try:
        folder = re.escape(os.path.join(os.getcwd(), ""))
    except OSError:  # the working folder was deleted
        return text
    return re.sub(rf"(?<![^\s(\"'=]){folder}(?=[^\s])", "", text)


def table(rows: Sequence[Sequence[Cell]], width: int | None = None) -> Iterator[str]:
    """Yield the rows as lines with aligned columns and escaped texts, at most ``width`` cells wide if possible."""
    safe = [tuple(_safe(row)) for row in rows]
    widths = _fit([min(_MAX_WIDTH, max(map(_cell_width, column))) for column in zip(*safe, strict=True)], width)
    for row in safe:
        yield _GAP.join(map(_pad, row, widths)).rstrip()


def cells(text: str) -> int:
    """Return the display width of a text: wide characters take two cells, combining characters none."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


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
    return "".join(prefix) + "…"


def _safe(row: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells with their texts escaped; a text that follows only blank cells starts the line."""
    starts_line = True
    for cell in row:
        if isinstance(cell, str):
            text = shown(cell)
            yield broken(text) if starts_line else text
            starts_line = starts_line and not text.strip()
        else:
            yield cell


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
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
