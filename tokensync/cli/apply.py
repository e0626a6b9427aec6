"""``tokensync apply``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.errors import TokensyncError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.apply import AppliedFile


@click.command("apply")
@click.argument("plan", required=False, metavar="[FILE]")
@click.option("--force", is_flag=True, help="Apply the plan in spite of its safety findings.")
@click.option(
    "--rebase", is_flag=True, help="Apply although the platform has changed, if the plan does not touch those changes."
)
@click.option("--resume", is_flag=True, help="Continue an apply that was interrupted.")
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
    """Apply a plan exactly as reviewed. The default is .tokensync/plan.json."""
    from tokensync.commands.apply import Applier, apply_plans, resume_applies

    if resume and plan:
        raise UsageError("--resume: the unfinished apply knows its plan; leave out the file")
    if resume and force:
        raise UsageError("--resume: what the plan may do was settled when it began; leave out --force")
    if files and not resume:
        raise UsageError("--file: a plan says itself which files it is for; leave it out, or add --resume")
    with options.connected_project(config, console) as (project, client, progress):
        applier = Applier(project, client, say=progress, tell=console.say)
        try:
            if resume:
                done = resume_applies(applier, files, rebase=rebase)
            else:
                done = apply_plans(applier, plan, force=force, rebase=rebase)
        except (TokensyncError, OSError, KeyboardInterrupt):
            if applier.way_on:
                console.say(applier.way_on)
            raise
    return _show(done, console, as_json=as_json, resumed=resume)


def _show(done: Sequence[AppliedFile], console: Console, *, as_json: bool, resumed: bool) -> int:
    if as_json:
        console.json({"files": [each._asdict() for each in done]})
    elif not done:
        console.say("nothing to resume" if resumed else "nothing to do")
    for each in () if as_json else done:
        if each.tolerated:
            console.say(f"  left alone, since somebody else changed it: {'; '.join(each.tolerated)}")
        if each.rollback:
            console.detail(f"  taken back by: tokensync apply {each.rollback}")
    for each in done:
        for difference in each.differences:
            console.failure(f"{each.file}: not as planned, since somebody else changed it meanwhile: {difference}")
    return 1 if any(each.differences for each in done) else 0
