"""What people read: problems, summaries and failures on stderr; answers, and what programs read, on stdout."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tokensync import outlet
from tokensync.outlet import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.cli.table import Cell
    from tokensync.problems import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


class Styled(NamedTuple):
    """A line of an answer in a colour of its own."""

    text: str
    colour: str | None = None
    bold: bool = False


class Console:
    """Says things on stderr and gives answers on stdout, in colour where each is a terminal that wants it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = outlet.wants_colour(err=True) if colour is None else colour
        self.colour_of_result = outlet.wants_colour() if colour is None else colour

    def problems(self, problems: Iterable[Problem]) -> None:
        """Each problem once, a line each; when quiet, errors only."""
        for each in dict.fromkeys(problems):
            if each.severity == "error" or not self.quiet:
                label = click.style(each.severity, fg=_COLOURS[each.severity], bold=True)
                self._line(f"{label}: {shown(from_here(str(each)))}")

    def problems_in_short(self, problems: Iterable[Problem]) -> None:
        """Errors as they are; of warnings and notes only how many there are, unless the run is verbose."""
        found = tuple(dict.fromkeys(problems))
        minor = [each.severity for each in found if each.severity != "error"]
        self.problems(found if self.verbose else (each for each in found if each.severity == "error"))
        if minor and not self.verbose:
            kinds = ((minor.count(severity), severity) for severity in ("warning", "note"))
            counts = " and ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in kinds if count)
            self.say(f"({counts}; -v shows {'them' if len(minor) > 1 else 'it'})")

    def failure(self, text: str) -> None:
        """Why a command stopped."""
        for line in text.splitlines() or [""]:
            self._line(f"{click.style('error', fg='red', bold=True)}: {shown(from_here(line))}")

    def say(self, text: str) -> None:
        """What was done; silent when quiet."""
        if not self.quiet:
            self._line(shown(from_here(text)))

    def detail(self, text: str) -> None:
        """What only a verbose run says."""
        if self.verbose:
            self._line(shown(from_here(text)))

    def usage(self, text: str) -> None:
        """Show how a command is called, where it cannot be carried out as it was."""
        self._line(text)

    def result(self, *lines: str | Styled) -> None:
        """Write lines of the answer itself to stdout."""
        outlet.write(*map(_styled, lines), colour=self.colour_of_result)

    def table(self, *rows: Sequence[Cell], fitted: bool = False) -> None:
        """Rows of the answer as aligned columns; ``fitted`` cuts texts that nobody copies to the terminal's width."""
        from tokensync.cli.table import table

        outlet.write(*table(rows, outlet.width() if fitted else None), colour=self.colour_of_result)

    def markup(self, text: str) -> None:
        """Write an answer in Markdown or HTML to stdout; it renders as it would without the escapes."""
        outlet.write(*map(shown, outlet.broken(text, "html").splitlines()))

    def json(self, document: Any) -> None:
        """Write an answer as JSON to stdout, for programs."""
        import msgspec

        outlet.write_json(msgspec.json.format(msgspec.json.encode(document), indent=2))

    def json_line(self, document: Any) -> None:
        """A JSON document on one line of stdout, there at once for a program that waits for it."""
        import json

        outlet.write_json(json.dumps(document).encode())

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """A function that shows what is going on just now; silent unless stderr is a terminal."""
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


def from_here(text: str) -> str:
    """Return the text with every path below the working folder written from there, as the reader would type it."""
    try:
        here = re.escape(os.path.join(os.getcwd(), ""))
    except OSError:  # the working folder is gone
        return text
    return re.sub(rf"(?<![^\s(\"'=]){here}(?=[^\s])", "", text)
