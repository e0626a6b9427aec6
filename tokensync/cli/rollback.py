"""``tokensync rollback``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.cli.plan import how_to_apply, show_plans
from tokensync.wording import argument

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("rollback")
@click.argument("receipt", metavar="RECEIPT")
@options.plan_file
@click.option("--token-files", is_flag=True, help="Let tokensync apply revert the edit in the token files, too.")
@options.project
@options.json
@options.console
def command(
    receipt: str, out: str | None, token_files: bool, config: str | None, as_json: bool, console: Console
) -> int:
    """Plan the reversal of an applied plan. RECEIPT is its receipt.json or the folder that contains it."""
    from tokensync.commands.apply import Applier
    from tokensync.commands.rollback import rollback

    with options.connected_project(config, console) as (project, client, progress):
        applier = Applier(project, client, say=progress, tell=console.info, warn=console.problems)
        result = rollback(applier, receipt, out=out, token_files=token_files)
    if as_json:
        problems = problem_documents(result.problems)
        console.json({"plan": result.plan, "path": result.path, "problems": problems})
        return 0
    console.problems(result.problems)
    show_plans((result.plan,), console)
    if result.path:
        if not token_files:
            again = f"tokensync rollback {argument(receipt)} --token-files"
            what = "the token files keep the edit, and the next plan would make it again"
            console.info(f"{what}; to revert it there, too, run: {again}")
        console.info(how_to_apply((result.plan,), None if out is None else result.path))
    else:
        console.info(f"{result.plan.file}: nothing left to reverse")
    return 0
