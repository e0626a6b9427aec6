"""``tokensync check``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from tokensync import outlet
from tokensync.cli import options
from tokensync.cli.console import Console, problem_documents
from tokensync.errors import DifferencesFound, ErrorsFound, ProblemsError, errors_among

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.commands.check import Checked
    from tokensync.outlet.findings import Finding


_SHOWN = 20


@click.command("check")
@options.form("findings", "json", "sarif", "github")
@click.option("--staged", is_flag=True, help="Check the next commit: the files of the git index, not the work tree.")
@options.project
@options.json
@options.console
def command(form: str, staged: bool, config: str | None, as_json: bool, console: Console) -> int:
    """Check token files, lint rules and outputs offline. Exits with 5 for errors, else with 3 for outdated outputs."""
    from tokensync.commands.check import NOTHING, check_project, check_staged

    with annotated(form):
        result = check_staged(config) or NOTHING if staged else check_project(options.load_project(config))
    if as_json or form == "json":
        found = {"stale": result.stale, "problems": problem_documents(result.problems)}
        console.json({"tokens": result.tokens, "files": result.files, **found})
        return exit_code(result)
    show(result, form, console)
    return exit_code(result)


@contextmanager
def annotated(form: str) -> Iterator[None]:
    """Write the problems that stop a block as SARIF or annotations, too, if that is the form."""
    from tokensync.commands.check import failed

    try:
        yield
    except ProblemsError as stop:
        if form in ("sarif", "github"):
            _write(failed(stop.problems), form, Console(), everything=True)
        raise


def show(result: Checked, form: str, console: Console) -> None:
    """Write findings as text to stderr and, in the other forms, to stdout. The last line is the remedy."""
    _write(result, form, console, everything=console.verbose)
    console.findings(each for each in _shown(result, everything=console.verbose) if each.problem.code != "output-stale")
    for path in result.stale[:_SHOWN]:
        console.info(f"not current: {path}")
    if len(result.stale) > _SHOWN:
        console.info(f"not current: {len(result.stale) - _SHOWN:,} more")
    console.info(result.summary)
    if exit_code(result) and result.advice:
        console.info(result.advice)


def _write(result: Checked, form: str, console: Console, *, everything: bool) -> None:
    from tokensync.outlet.findings import sarif, workflow_commands

    found = _shown(result, everything=everything)
    if form == "sarif":
        console.json(sarif(found, result.source))
    elif form == "github":
        outlet.write_commands(workflow_commands(found))


def _shown(result: Checked, *, everything: bool) -> list[Finding]:
    return [each for each in result.findings if each.problem.severity != "note" or everything]


def exit_code(result: Checked) -> int:
    """Return 5 if there are errors, else 3 if outputs are not current, else 0."""
    if errors_among(result.problems):
        return ErrorsFound.exit_code
    return DifferencesFound.exit_code if result.stale else 0
