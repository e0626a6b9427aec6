"""``tokensync format``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("format")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit 3 when a file is not in canonical form.")
@options.config
@options.console
def command(paths: tuple[str, ...], check: bool, config: str | None, console: Console) -> int:
    """Bring token files into canonical form: PATHS, or the configured tokens folder."""
    from tokensync.commands.format import format_files
    from tokensync.errors import DifferencesFound

    if not paths:
        from tokensync.config import load_project

        paths = (load_project(config).tokens_folder,)
    result = format_files(paths, check=check)
    if check and result.changed:
        for path in result.changed:
            console.say(f"not formatted: {path}")
        return DifferencesFound.exit_code
    verb = "formatted" if result.changed else "already formatted:"
    console.say(f"{verb} {len(result.changed) or len(result.seen)} of {len(result.seen)} files")
    return 0
