"""``tokensync install-hook``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.errors import DifferencesFound

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("install-hook")
@options.config
@options.console
def command(config: str | None, console: Console) -> int:
    """Check every commit before it is made, with a hook of git."""
    from tokensync.commands.install_hook import install_hook

    done = install_hook(config)
    console.info(done.message)
    console.result(*done.to_add)
    return DifferencesFound.exit_code if done.to_add else 0
