"""``tokensync report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("report")
@options.snapshot
@options.published
@click.option(
    "-o", "--out", "path", metavar="FILE", default="tokensync-report.html", show_default=True, help="The file to write."
)
@click.option("--title", metavar="TEXT", help="The page's title (default: the names of the design files).")
@click.option("--force", is_flag=True, help="Overwrite a file that tokensync did not write.")
@options.project
@options.files
@options.console
def command(
    snapshot: str | None,
    published: str | None,
    path: str,
    title: str | None,
    force: bool,
    config: str | None,
    files: tuple[str, ...],
    console: Console,
) -> int:
    """Write an HTML page of all tokens. It has swatches, specimens, all modes and search, and needs no network."""
    from tokensync.commands.report import report_project, report_snapshot

    options.check_snapshot(snapshot, published, files)
    if snapshot is not None:
        allowed, levels = options.allow_outside(), options.snapshot_levels(config)
        result = report_snapshot(
            snapshot, published, path, title=title, force=force, allow_outside=allowed, levels=levels
        )
    else:
        result = report_project(options.load_project(config), files, path, title=title, force=force)
    console.summarize(result.problems)
    console.info(f"{result.path}: {counted(result.tokens, 'token')} ({'written' if result.changed else 'unchanged'})")
    return 0
