"""``tokensync pull``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("pull")
@options.winner
@click.option("--dry-run", is_flag=True, help="Write nothing; show which token files would change.")
@click.option("--snapshot-out", metavar="DIR", help="Also save the raw responses in DIR.")
@options.project
@options.files
@options.json
@options.console
def command(
    always: Literal["ours", "theirs"] | None,
    dry_run: bool,
    snapshot_out: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Merge changes on the platform into the token files. Preserves edits of the token files."""
    from tokensync.commands.pull import pull

    with options.connected_project(config, console, merged=files) as (project, client, progress):
        result = pull(
            project, client, files, always=always, dry_run=dry_run, snapshot_folder=snapshot_out, progress=progress
        )
    if as_json:
        console.json(
            {"files": [each._asdict() for each in result.files], "problems": problem_documents(result.problems)}
        )
        return 0
    console.problems(result.problems)
    for file in result.files:
        console.info(f"{file.name}: {file.size}")
        verb = "would change" if dry_run else "changed"
        console.info(f"  {verb} {counted(len(file.changed), 'token file')}" if file.changed else "  nothing to do")
        for path in file.changed:
            (console.info if dry_run else console.detail)(f"    {path}")
    return 0
