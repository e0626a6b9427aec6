"""What people read: problems, summaries and failures, all on stderr; stdout is for what programs read."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.problems import Problem

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\n")
"""What a name from a design file could do to a terminal: control and escape sequences, and text that runs backwards."""


class Console:
    """Writes to stderr, in colour where it is a terminal that wants it."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, colour: bool | None = None) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet
        self.colour = colour if colour is not None else sys.stderr.isatty() and not os.environ.get("NO_COLOR")

    def problems(self, problems: Iterable[Problem]) -> None:
        """Each problem once, a line each; when quiet, errors only."""
        for each in dict.fromkeys(problems):
            if each.severity == "error" or not self.quiet:
                label = click.style(each.severity, fg=_COLOURS[each.severity], bold=True)
                self._line(f"{label}: {shown(str(each))}")

    def failure(self, text: str) -> None:
        """Why a command stopped."""
        for line in text.splitlines() or [""]:
            self._line(f"{click.style('error', fg='red', bold=True)}: {shown(line)}")

    def say(self, text: str) -> None:
        """What was done; silent when quiet."""
        if not self.quiet:
            self._line(shown(text))

    def detail(self, text: str) -> None:
        """What only a verbose run says."""
        if self.verbose:
            self._line(shown(text))

    def result(self, text: str) -> None:
        """A line of the answer itself, on stdout."""
        click.echo(shown(text))

    def json(self, document: Any) -> None:
        """The answer as JSON on stdout, for programs."""
        import json

        click.echo(json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode())

    def json_line(self, document: Any) -> None:
        """A JSON document on one line of stdout, there at once for a program that waits for it."""
        import json

        click.echo(json.dumps(document))
        sys.stdout.flush()

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """A function that shows what is going on just now; silent unless stderr is a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda text: None
            return
        from rich.console import Console as Terminal

        with Terminal(stderr=True, no_color=not self.colour).status("") as status:
            yield lambda text: status.update(shown(text))

    def _line(self, text: str) -> None:
        click.echo(text, err=True, color=self.colour)


def shown(text: str) -> str:
    """The text with everything that a terminal would act on spelled out."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
