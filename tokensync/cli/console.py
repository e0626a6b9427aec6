"""What people read: problems, summaries and failures on stderr; answers, and what programs read, on stdout."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from tokensync.problems import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""What a name from a design file could do to a terminal: control and escape sequences, line breaks, and marks that
make text run backwards or that nobody sees."""


class Console:
    """Writes to stderr, in colour where it is a terminal that wants it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = _wants_colour(sys.stderr) if colour is None else colour
        self.colour_of_result = _wants_colour(sys.stdout) if colour is None else colour

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

    def result(self, *lines: str) -> None:
        """Lines of the answer itself, on stdout."""
        self.styled_result(*map(shown, lines))

    def styled_result(self, *lines: str) -> None:
        """Lines of the answer that are safe to show already, and may hold colours."""
        if lines:
            click.echo("\n".join(lines), color=self.colour_of_result)

    def table(self, *rows: Sequence[str], fitted: bool = False) -> None:
        """Rows of the answer as aligned columns; ``fitted`` cuts texts that nobody copies to the terminal's width."""
        from tokensync.cli.table import table, width_of_terminal

        width = width_of_terminal() if fitted else None
        self.styled_result(*table([tuple(map(shown, row)) for row in rows], width))

    def json(self, document: Any) -> None:
        """The answer as JSON on stdout, for programs: UTF-8, whatever the terminal speaks."""
        import msgspec

        content = msgspec.json.format(msgspec.json.encode(document), indent=2)
        click.echo(content if hasattr(sys.stdout, "buffer") else content.decode())

    def json_line(self, document: Any) -> None:
        """A JSON document on one line of stdout, there at once for a program that waits for it."""
        import json

        click.echo(json.dumps(document))

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """A function that shows what is going on just now; silent unless stderr is a terminal."""
        if self.quiet or not _is_terminal(sys.stderr):
            yield lambda text: None
            return
        from rich.console import Console as Terminal
        from rich.text import Text

        with Terminal(stderr=True, no_color=not self.colour).status("") as status:
            yield lambda text: status.update(Text(shown(text)))

    def _line(self, text: str) -> None:
        click.echo(text, err=True, color=self.colour)


def shown(text: str) -> str:
    """The text with everything that a terminal would act on spelled out."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def from_here(text: str) -> str:
    """The text with every path below the working folder written from there, as the reader would type it."""
    try:
        here = re.escape(os.path.join(os.getcwd(), ""))
    except OSError:  # the working folder is gone
        return text
    return re.sub(rf"(?<![^\s(\"'=]){here}(?=[^\s])", "", text)


def _wants_colour(stream: TextIO | None) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody is watching; a stream that the caller closed is None."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False
