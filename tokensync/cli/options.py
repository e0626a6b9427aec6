"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = Any

config = click.option(
    "-c", "--config", "config", metavar="FILE", help="The configuration; else the nearest tokensync.toml."
)
files = click.option("--file", "files", multiple=True, metavar="NAME", help="Only this configured file (repeatable).")
json = click.option("--json", "as_json", is_flag=True, help="Machine-readable output on stdout.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Errors only.")
colour = click.option("--no-color", "no_colour", is_flag=True, help="No colours.")
snapshot = click.option("--snapshot", metavar="FILE", help="A saved GET variables/local response.")
published = click.option("--published", metavar="FILE", help="The saved GET variables/published response to it.")


def console(command: Callable[..., Any]) -> Command:
    """Adds -q and --no-color; the command gets them as ``console``, a Console."""
    from functools import wraps

    from tokensync.cli.console import Console

    @quiet
    @colour
    @wraps(command)
    def with_console(*arguments: Any, quiet: bool, no_colour: bool, **options: Any) -> Any:
        return command(*arguments, console=Console(quiet=quiet, colour=False if no_colour else None), **options)

    return with_console
