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
    """Print the emulator's OpenAPI 3.1 document."""
    from tokensync.emulator.openapi import document

    console.json(document())
