"""``tokensync mcp``: answers questions of agents about a project's tokens."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("mcp")
@options.project
@options.console
def mcp_command(config: str | None, console: Console) -> int:
    """Answer agents' questions about tokens. It finds them by use, value or name, and explains them.

    The client of an agent starts it, and speaks the Model Context Protocol over stdio. It also shows what a plan would
    do, but writes and applies nothing.
    """
    from tokensync.mcp.server import serve
    from tokensync.project.configuration import load_project
    from tokensync.system import outlet

    load = partial(load_project, config, allow_outside=options.allow_outside())
    load()  # a mistake in the configuration ends the command, and not each answer
    if outlet.is_stdin_terminal():
        console.info("waiting for the requests of a client on stdin; Ctrl-C ends the server")
    serve(load)
    return 0
