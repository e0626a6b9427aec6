"""``tokensync plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from tokensync.cli import options
from tokensync.errors import DifferencesFound, UsageError

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.plan import Planned


def _platforms(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the platforms of code syntax that are asked for, as the design tool writes them."""
    from tokensync.tokens import CODE_SYNTAX_PLATFORMS

    known = {each.lower(): each for each in CODE_SYNTAX_PLATFORMS}
    asked = tuple(dict.fromkeys(each.strip().lower() for each in (value or "").split(",") if each.strip()))
    if not known.keys() >= set(asked) or (value is not None and not asked):
        raise UsageError(
            f"--code-syntax {value}: not platforms of code syntax; give some of {', '.join(known)}, with commas"
        )
    return tuple(known[each] for each in asked)


@click.command("plan")
@click.option("-o", "--out", "path", metavar="FILE", help="Write the plan to FILE rather than to .tokensync/plan.json.")
@click.option("--prune", is_flag=True, help="Delete variables that are missing from the token files.")
@click.option(
    "--code-syntax",
    metavar="PLATFORMS",
    callback=_platforms,
    help="Set code syntax to the generated names: web,android,ios.",
)
@options.winner
@click.option("--exit-code", is_flag=True, help="Exit with 3 when there is something to do.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    show_default=True,
    help="How to show the plan; markdown is for a pull request.",
)
@options.project
@options.files
@options.json
@options.console
def command(
    path: str | None,
    prune: bool,
    code_syntax: tuple[str, ...],
    always: Literal["ours", "theirs"] | None,
    exit_code: bool,
    form: str,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Plan the changes that the platform needs. Shows the plan and saves it."""
    from tokensync.cli.plan_review import how_to_apply
    from tokensync.commands.plan import plan
    from tokensync.project.connection import connect

    project = options.load_project(config)
    with console.progress() as progress, connect(project, on_wait=console.say) as client:
        planned = plan(
            project,
            client,
            files,
            path=path,
            prune=prune,
            code_syntax=code_syntax,
            always=always,
            progress=progress,
        )
    console.problems(planned.problems)
    _show(planned, "json" if as_json else form, console)
    if planned.changes:
        console.say(how_to_apply(planned.file.plans, None if path is None else planned.path))
    return DifferencesFound.exit_code if exit_code and planned.changes else 0


def _show(planned: Planned, form: str, console: Console) -> None:
    if form == "json":
        import msgspec

        console.json(msgspec.Raw(planned.file.encoded()))
    elif form == "markdown":
        from tokensync.plan.markdown import markdown

        console.markup("".join(f"{markdown(each)}\n" for each in planned.file.plans))
    else:
        from tokensync.cli.plan_review import show_plans

        show_plans(planned.file.plans, console)
