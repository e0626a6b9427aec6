"""``tokensync lint``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.check import annotated, exit_code, show
from tokensync.cli.console import problem_documents

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("lint")
@options.form("findings", "json", "sarif", "github")
@options.snapshot
@options.published
@options.project
@options.files
@options.json
@options.console
def command(
    form: str,
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
    with annotated(form):
        if snapshot is not None:
            result = lint_snapshot(snapshot, published, options.snapshot_levels(config))
        else:
            result = lint_project(options.load_project(config), files)
    if as_json or form == "json":
        console.json({"tokens": result.tokens, "problems": problem_documents(result.problems)})
    else:
        show(result, form, console)
    return exit_code(result)
