"""``tokensync diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.errors import DifferencesFound
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.plan.comparing import Change


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.form("differences", "markdown", "message", "json", "html")
@options.project
@options.files
@options.json
@options.console
def command(
    first: str, second: str, form: str, config: str | None, files: tuple[str, ...], as_json: bool, console: Console
) -> int:
    """Compare two states of the tokens. Exits with 3 if they differ.

    A and B are each a tokens folder, a saved response, lock, git:REVISION or remote. Folders and responses need no
    tokensync.toml.
    """
    from tokensync.commands.diff import diff, needs_configuration, project_of_states
    from tokensync.project.configuration import NoConfiguration
    from tokensync.report import differences as review

    try:
        project = options.load_project(config)
    except NoConfiguration:
        if needs_configuration(first) or needs_configuration(second):
            raise
        project = project_of_states(first, second)
    with console.progress() as progress:
        result = diff(project, first, second, files, progress=progress, on_wait=console.info)
    differences = result.differences
    if as_json or form == "json":
        documents = [
            {**each._asdict(), "changes": [_change(change) for change in each.changes]} for each in differences
        ]
        console.json({"differences": documents, "problems": problem_documents(result.problems)})
    else:
        console.summarize(result.problems)
        if form == "markdown":
            console.document(review.markdown(differences, first, second))
        elif form == "message":
            console.document(review.message(differences))
        elif form == "html":
            console.document(review.page(differences, first, second))
        else:
            console.result(*review.lines(differences, everything=console.verbose))
            console.info(counted(len(differences), "difference") if differences else "no differences")
    return DifferencesFound.exit_code if differences else 0


def _change(change: Change) -> dict[str, Any]:
    return {"said": change.member, "before": change.before, "after": change.after}
