"""``tokensync diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.errors import DifferencesFound
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.form("differences", "markdown", "json", "html")
@options.project
@options.files
@options.json
@options.console
def command(
    first: str,
    second: str,
    form: str,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Compare two states of the tokens. Each is a tokens folder, a saved response, lock, git:REVISION or
    remote. Exits 3 when they differ.
    """
    from tokensync.commands.diff import diff
    from tokensync.report import differences as review

    project = options.load_project(config)
    with console.progress() as progress:
        result = diff(project, first, second, files, progress=progress, on_wait=console.say)
    found = result.differences
    if as_json or form == "json":
        differences = [{**each._asdict(), "changes": [change._asdict() for change in each.changes]} for each in found]
        console.json({"differences": differences, "problems": problem_documents(result.problems)})
    else:
        console.problems_in_short(result.problems)
        if form == "markdown":
            console.markup(review.markdown(found, first, second))
        elif form == "html":
            console.markup(review.page(found, first, second).decode())
        else:
            console.result(*review.lines(found, everything=console.verbose))
            console.say(counted(len(found), "difference") if found else "no differences")
    return DifferencesFound.exit_code if found else 0
