"""``tokensync plan``, and the display of plans in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from tokensync.cli import options
from tokensync.errors import DifferencesFound, UsageError
from tokensync.outlet.terminal import Styled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.cli.console import Console
    from tokensync.plan.plan import Plan

_EVERYTHING = "\0"
"""The value of --prune without a name, which no argument of a program can be."""
_COLOURS = {"+": "green", "~": "yellow", "-": "red", "!": "red"}


def _platforms(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    from tokensync.tokens import CODE_SYNTAX_PLATFORMS

    known = {each.lower(): each for each in CODE_SYNTAX_PLATFORMS}
    choices = ", ".join(known)
    requested = tuple(dict.fromkeys(each.strip().lower() for each in (value or "").split(",") if each.strip()))
    if not known.keys() >= set(requested) or (value is not None and not requested):
        unknown = ", ".join(each for each in requested if each not in known) or "no platform"
        raise UsageError(
            f"--code-syntax {value}: {unknown} is not supported; use a comma-separated subset of {choices}"
        )
    return tuple(known[each] for each in requested)


@click.command("plan")
@options.plan_file
@click.option(
    "--prune",
    is_flag=False,
    flag_value=_EVERYTHING,
    multiple=True,
    metavar="[NAME]...",
    help="Delete what is missing from the token files: everything, or only the tokens, groups, collections and modes"
    " with these names.",
)
@click.argument("more_names", metavar="", nargs=-1)
@click.option(
    "--code-syntax",
    metavar="PLATFORMS",
    callback=_platforms,
    help="Set the code syntax of these platforms to the generated names (web, android, ios; comma-separated).",
)
@options.winner
@click.option("--exit-code", is_flag=True, help="Exit with 3 if the plan has changes.")
@options.form("plan", "markdown", "json")
@options.project
@options.files
@options.json
@options.console
def command(
    out: str | None,
    prune: tuple[str, ...],
    more_names: tuple[str, ...],
    code_syntax: tuple[str, ...],
    always: Literal["ours", "theirs"] | None,
    exit_code: bool,
    form: str,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Plan the changes that the platform needs. Shows the plan and saves it for tokensync apply."""
    from tokensync.commands.plan import plan

    if more_names and not prune:
        raise UsageError(f"{more_names[0]}: plan expects no name here; name deletions after --prune, or remove it")
    names = tuple(dict.fromkeys(each for each in (*prune, *more_names) if each != _EVERYTHING))
    with options.connected_project(config, console, merged=files) as (project, client, progress):
        planned = plan(
            project,
            client,
            files,
            path=out,
            prune=names or bool(prune),
            code_syntax=code_syntax,
            always=always,
            progress=progress,
        )
    plans = planned.file.plans
    console.problems(planned.problems)
    if as_json or form == "json":
        import msgspec

        console.json(msgspec.Raw(planned.file.encoded()))
    elif form == "markdown":
        from tokensync.plan.markdown import markdown

        console.document(markdown(*plans))
    else:
        show_plans(plans, console)
    if planned.changes:
        console.info(how_to_apply(plans, None if out is None else planned.path))
    return DifferencesFound.exit_code if exit_code and planned.changes else 0


def show_plans(plans: Iterable[Plan], console: Console) -> None:
    """Write the review of each plan to stdout, in full with ``console.verbose``."""
    from tokensync.plan.review import text_lines

    for number, plan in enumerate(plans):
        lines = [
            Styled(each.text, _COLOURS.get(each.sign), each.sign in ("=", "!"))
            for each in text_lines(plan, everything=console.verbose)
        ]
        console.result(*([""] if number else []), *lines)


def how_to_apply(plans: Iterable[Plan], path: str | None) -> str:
    """Return the instruction to apply plans; ``path`` is their file, or None if it is the default file."""
    argument = "" if path is None else f" {path}"
    if any(each.unsafe for each in plans):
        return f"if you accept every finding, run: tokensync apply --force{argument}"
    return f"to apply the plan, run: tokensync apply{argument}"
