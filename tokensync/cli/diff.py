"""``tokensync diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.errors import DifferencesFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.cli.console import Console
    from tokensync.report.differences import Difference


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
        console.json({"differences": list(_as_json(found)), "problems": [each._asdict() for each in result.problems]})
    else:
        console.problems_in_short(result.problems)
        if form == "markdown":
            console.markup(review.markdown(found, first, second))
        elif form == "html":
            console.markup(review.page(found, first, second).decode())
        else:
            console.result(*review.lines(found, everything=console.verbose))
            console.say(f"{len(found)} difference{'' if len(found) == 1 else 's'}" if found else "no differences")
    return DifferencesFound.exit_code if found else 0


def _as_json(differences: Sequence[Difference]) -> Iterator[dict[str, object]]:
    for each in differences:
        yield {**each._asdict(), "changes": [change._asdict() for change in each.changes]}
