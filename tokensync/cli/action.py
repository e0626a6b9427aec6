"""``tokensync action``, the entry point of action.yml."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("action", hidden=True)
@options.console
def command(console: Console) -> int:
    """Run a mode of the GitHub Action. action.yml sets the variables TOKENSYNC_ACTION_... for it."""
    from tokensync.action.running import run

    return run(os.environ, console.info)
