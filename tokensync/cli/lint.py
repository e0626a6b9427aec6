"""``tokensync lint``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.check import exit_code, summary
from tokensync.cli.console import problem_documents

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("lint")
@options.snapshot
@options.published
@options.project
@options.files
@options.json
@options.console
def command(
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Check tokens by the lint rules. They find low contrast, aliases between layers, deprecated tokens and more."""
    from tokensync.commands.check import lint_project, lint_snapshot

    options.check_snapshot(snapshot, published, files)
    if snapshot is not None:
        result = lint_snapshot(snapshot, published, options.snapshot_levels(config))
    else:
        result = lint_project(options.load_project(config), files)
    if as_json:
        console.json({"tokens": result.tokens, "problems": problem_documents(result.problems)})
    else:
        console.problems(result.problems)
        console.info(summary(result))
    return exit_code(result)
