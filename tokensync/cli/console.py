"""Terminal output: problems, progress and errors on stderr; results, as text or JSON, on stdout."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tokensync import outlet
from tokensync.outlet.terminal import Styled, labelled, layout, line, table
from tokensync.problems import lines_of
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.outlet.documents import Html
    from tokensync.outlet.markdown import Markdown
    from tokensync.outlet.message import Message
    from tokensync.outlet.terminal import Cell, Line
    from tokensync.problems import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


class Console:
    """Writes messages to stderr and results to stdout, in colour if the stream is a terminal that supports it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = outlet.wants_colour(err=True) if colour is None else colour
        self.colour_of_result = outlet.wants_colour() if colour is None else colour

    def problems(self, problems: Iterable[Problem]) -> None:
        """Write problems, equal ones on one line; with ``verbose``, all of them; with ``quiet``, errors only."""
        shown = (each for each in problems if each.severity == "error" or not self.quiet)
        relative = (each._replace(where=relative_paths(each.where)) for each in shown)
        lines = tuple(lines_of(relative, everything=self.verbose))
        for each in lines:
            self._line(labelled(Styled(each.severity, _COLOURS[each.severity], bold=True), relative_paths(each.text)))
            for part in each.snippet.split("\n") if each.snippet else ():
                self._line(line(part))
        if not all(each.is_complete for each in lines):
            self.info("(-v shows all of them)")

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
        for each in text.splitlines() or [""]:
            self._line(labelled(Styled("error", "red", bold=True), relative_paths(each)))

    def info(self, text: str) -> None:
        """Write a message, unless ``quiet``."""
        if not self.quiet:
            self._line(line(relative_paths(text)))

    def detail(self, text: str) -> None:
        """Write a message if ``verbose``."""
        if self.verbose:
            self._line(line(relative_paths(text)))

    def usage(self, text: str) -> None:
        """Write the help text of a command that was called without a required argument."""
        for each in text.splitlines():
            self._line(line(each))

    def result(self, *lines: str | Styled) -> None:
        """Write lines of the result to stdout."""
        outlet.write(*map(line, lines), colour=self.colour_of_result)

    def table(self, *rows: Sequence[Cell], optional: Sequence[str] = ()) -> None:
        """Write a header and rows in aligned columns to stdout, and name the optional columns that do not fit."""
        width = outlet.width()
        outlet.write(*table(rows, width, optional), colour=self.colour_of_result)
        if omitted := layout(rows, width, optional).omitted:
            self.info(f"(not shown in {width} columns: {', '.join(omitted)})")

    def document(self, document: Markdown | Html | Message) -> None:
        """Write Markdown, HTML or a commit message to stdout."""
        outlet.write_document(document)

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

    def _line(self, text: Line) -> None:
        outlet.write(text, err=True, colour=self.colour)


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
