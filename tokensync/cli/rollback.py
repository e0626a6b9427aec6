"""``tokensync rollback``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.cli.plan import how_to_apply, show_plans

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("rollback")
@click.argument("receipt", metavar="RECEIPT")
@options.plan_file
@options.project
@options.json
@options.console
def command(receipt: str, out: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """Plan the reversal of an applied plan. RECEIPT is its receipt.json or the folder that contains it."""
    from tokensync.commands.apply import Applier
    from tokensync.commands.rollback import rollback

    with options.connected_project(config, console) as (project, client, progress):
        result = rollback(
            Applier(project, client, say=progress, tell=console.info, warn=console.problems), receipt, out=out
        )
    if as_json:
        problems = problem_documents(result.problems)
        console.json({"plan": result.plan, "path": result.path, "problems": problems})
        return 0
    console.problems(result.problems)
    show_plans((result.plan,), console)
    if result.path:
        console.info(how_to_apply((result.plan,), None if out is None else result.path))
    else:
        console.info(f"{result.plan.file}: nothing left to reverse")
    return 0
