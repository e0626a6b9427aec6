"""``tokensync emulator openapi``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("openapi")
@options.console
def command(console: Console) -> None:
    """Print the OpenAPI 3.1 document of what the emulator serves."""
    from tokensync.emulator.openapi import document

    console.json(document())
