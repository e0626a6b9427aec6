"""``tokensync check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.errors import DifferencesFound, ErrorsFound, errors_among
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.check import Checked

_SHOWN = 20


@click.command("check")
@options.project
@options.json
@options.console
def command(config: str | None, as_json: bool, console: Console) -> int:
    """Check token files, lint rules and outputs offline. Exits with 5 for errors, else with 3 for outdated outputs."""
    from tokensync.commands.check import check_project

    result = check_project(options.load_project(config))
    if as_json:
        found = {"stale": result.stale, "problems": problem_documents(result.problems)}
        console.json({"tokens": result.tokens, "files": result.files, **found})
    else:
        console.problems(each for each in result.problems if each.severity != "note" or console.verbose)
        for path in result.stale[:_SHOWN]:
            console.info(f"not current: {path}")
        if len(result.stale) > _SHOWN:
            console.info(f"not current: {len(result.stale) - _SHOWN:,} more")
        if result.stale:
            console.info("run tokensync build, and commit what it writes")
        console.info(summary(result, counted(result.files, "output file")))
    return exit_code(result)


def exit_code(result: Checked) -> int:
    """Return 5 if there are errors, else 3 if outputs are not current, else 0."""
    if errors_among(result.problems):
        return ErrorsFound.exit_code
    return DifferencesFound.exit_code if result.stale else 0


def summary(result: Checked, *more: str) -> str:
    """Return what was checked and what was found, as a line."""
    severities = [each.severity for each in dict.fromkeys(result.problems)]
    found = [counted(severities.count(each), each) for each in ("error", "warning", "note") if each in severities]
    found += [f"{len(result.stale):,} not current"] if result.stale else []
    return f"checked {' and '.join((counted(result.tokens, 'token'), *more))}: {', '.join(found) or 'no problems'}"
