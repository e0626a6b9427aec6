"""``tokensync apply``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.errors import TokensyncError, UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.apply import AppliedFile


_UNREVERTED = "no token file has changed, since tokensync.lock did not have the edit; revert it with git"


@click.command("apply")
@click.argument("plan", required=False, metavar="[FILE]")
@click.option("--force", is_flag=True, help="Apply the plan despite its safety findings.")
@click.option(
    "--rebase",
    is_flag=True,
    help="Apply even if the platform has changed, as long as the plan does not touch those changes.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted apply.")
@options.project
@options.files
@options.json
@options.console
def command(
    plan: str | None,
    force: bool,
    rebase: bool,
    resume: bool,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Apply a plan exactly as reviewed. FILE defaults to .tokensync/plan.json."""
    from tokensync.commands.apply import Applier, apply_plans, resume_applies
    from tokensync.commands.rollback import reverted

    if resume and plan:
        raise UsageError(f"--resume: it continues with the plan of the interrupted apply; remove {plan}")
    if resume and force:
        raise UsageError("--resume: the safety findings were decided when the apply started; remove --force")
    if files and not resume:
        raise UsageError("--file: the plan determines the files; remove --file, or add --resume")
    with options.connected_project(config, console) as (project, client, progress):
        applier = Applier(project, client, say=progress, tell=console.info, warn=console.problems)
        try:
            if resume:
                done = resume_applies(applier, files, rebase=rebase)
            else:
                done = apply_plans(applier, plan, force=force, rebase=rebase)
        except (TokensyncError, OSError, KeyboardInterrupt):
            if applier.way_on:
                console.info(applier.way_on)
            raise
        try:
            files_reverted = reverted(project, client, done)
        except TokensyncError:
            console.info("the plan is applied, but the token files are not reverted yet: tokensync pull does that")
            raise
        for file in files_reverted:
            what = f"reverted the edit in {counted(len(file.changed), 'token file')}" if file.changed else _UNREVERTED
            console.info(f"{file.name}: {what}")
            for path in file.changed:
                console.detail(f"    {path}")
    return _show(done, console, as_json=as_json, resumed=resume)


def _show(done: Sequence[AppliedFile], console: Console, *, as_json: bool, resumed: bool) -> int:
    if as_json:
        console.json({"files": [each._asdict() for each in done]})
    elif not done:
        console.info("nothing to resume" if resumed else "nothing to do")
    for each in () if as_json else done:
        if each.tolerated:
            console.info(f"  not affected: other changes on the platform in the meantime: {'; '.join(each.tolerated)}")
        if each.rollback:
            console.detail(f"  to undo it: tokensync apply {each.rollback}")
    for each in done:
        for difference in each.differences:
            console.failure(
                f"{each.file}: not as planned, because it was changed on the platform meanwhile: {difference}"
            )
    return 1 if any(each.differences for each in done) else 0
