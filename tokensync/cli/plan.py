"""``tokensync plan``, ``apply`` and ``rollback``: plans, shown, applied and reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from tokensync.cli import options
from tokensync.cli.console import Console, problem_documents
from tokensync.system.errors import DifferencesFound, TokensyncError, UsageError
from tokensync.system.outlet.terminal import Styled
from tokensync.system.wording import argument, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.commands.apply import AppliedFile, Applier
    from tokensync.commands.plan import Planned
    from tokensync.plan.plan import Plan
    from tokensync.project.configuration import Project


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


def _removed_names(project: Project) -> Iterator[str]:
    """Yield the tokens and collections of the lock that the token files do not have."""
    from tokensync.normalize.mapping import name_of_path
    from tokensync.project.lock import Lock
    from tokensync.project.sources import from_project

    graph = from_project(project).graph
    lock = Lock(project.folder)
    for file in project.config.files:
        for before in lock.graphs(file.name):
            yield from (family.handle for key, family in before.collections.items() if key not in graph.collections)
            gone = (key for key, token in before.tokens.items() if token.origin == "local" and key not in graph.tokens)
            yield from (f"{key.collection}/{name_of_path(key.path)}" for key in gone)


def _force(verb: str) -> Callable[[options.Command], options.Command]:
    what = "despite its safety findings, except overwritten code syntax"
    return click.option("--force", is_flag=True, help=f"{verb} {what}.")


def _overwrite(verb: str) -> Callable[[options.Command], options.Command]:
    what = "code syntax that somebody wrote, as the safety findings list it"
    return click.option("--overwrite-code-syntax", "overwrite", is_flag=True, help=f"{verb} {what}.")


@click.command("plan")
@options.plan_file
@click.option(
    "--prune",
    is_flag=False,
    flag_value=_EVERYTHING,
    multiple=True,
    metavar="[NAME]...",
    shell_complete=options.completing(_removed_names, dotted=True),
    help="Delete what is missing from the token files: everything, or only the tokens, groups, collections and modes"
    " with these names.",
)
@click.argument("more_names", metavar="", nargs=-1, shell_complete=options.completing(_removed_names, dotted=True))
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Plan only changes to tokens whose COLLECTION/PATH matches this pattern, and what these need (repeatable).",
)
@click.option(
    "--code-syntax",
    metavar="PLATFORMS",
    callback=_platforms,
    help="Set the code syntax of these platforms to what code writes (web, android, ios; comma-separated).",
)
@options.winner
@options.strict
@click.option(
    "--script",
    type=click.Path(),
    metavar="FILE",
    help="Also write a script that carries out the plan in Figma: in its console, or by an agent.",
)
@_force("With --script: write the script of a plan")
@_overwrite("With --script: replace")
@click.option("--exit-code", is_flag=True, help="Exit with 3 if there is something to review.")
@options.form("plan", "markdown", "json")
@options.result_to_file("--review", result="plan in this format")
@options.project
@options.files
@options.json_alone
@options.console
def plan_command(
    out: str | None,
    prune: tuple[str, ...],
    more_names: tuple[str, ...],
    only: tuple[str, ...],
    code_syntax: tuple[str, ...],
    always: Literal["ours", "theirs"] | None,
    script: str | None,
    force: bool,
    overwrite: bool,
    exit_code: bool,
    form: str,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Plan the changes to the design file. Shows the plan and saves it for tokensync apply."""
    from tokensync.commands.plan import make_plan

    if script is None and (force or overwrite):
        raise UsageError(f"{'--force' if force else '--overwrite-code-syntax'}: this is for --script, or for apply")
    if more_names and not prune:
        raise UsageError(f"{more_names[0]}: plan expects no name here; name deletions after --prune, or remove it")
    names = tuple(dict.fromkeys(each for each in (*prune, *more_names) if each != _EVERYTHING))
    with options.connected_project(config, console, merged=files) as (project, client, progress):
        planned = make_plan(
            project,
            client,
            files,
            path=out,
            prune=names or bool(prune),
            only=only,
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
            from tokensync.plan.review import markdown

            console.document(markdown(*plans))
        else:
            show_plans(plans, console)
        if script is not None:
            from tokensync.commands.apply import Applier

            applier = Applier(project, client, say=progress, tell=console.info, warn=console.problems)
            _write_script(applier, script, planned, console, force=force, overwrite=overwrite)
        elif planned.changes:
            console.info(how_to_apply(plans, None if out is None else planned.path))
    return DifferencesFound.exit_code if exit_code and any(plan.differs for plan in plans) else 0


def _write_script(
    applier: Applier, path: str, planned: Planned, console: Console, *, force: bool, overwrite: bool
) -> None:
    """Write the script of the only plan with operations. Raises what ``Applier.script`` raises."""
    from tokensync.apply.scripts import MOST_CHARACTERS
    from tokensync.system.boundary import resolved_file
    from tokensync.system.disk import write_result

    several = [file for file in planned.files if file.plan.operations]
    if not several:
        console.info("there is nothing to do, so there is no script")
        return
    if len(several) > 1:
        more = " or ".join(f"--file {file.plan.file}" for file in several)
        raise UsageError(f"--script: a script is for one design file, and {len(several)} have changes; add {more}")
    plan, snapshot = several[0].plan, several[0].merged.snapshot
    if snapshot.is_export:
        what = "Figma's own export does not have the ids of all collections and modes"
        raise UsageError(f"--script: {plan.file}: {what}; save a capture with the plugin, pull it, and plan again")
    target = resolved_file(path, allow_outside=options.allow_outside())
    text = applier.script(plan, force=force, overwrite=overwrite)
    write_result(target, text.encode())
    if len(text) > MOST_CHARACTERS:
        size = f"{path}: the script has {len(text)} characters, and use_figma takes at most {MOST_CHARACTERS}"
        console.caveat(f"{size}; run it in a console, or plan a part: one file, or fewer edits at a time")
    console.info(f"run {path} in Figma, save the receipt that it returns, and run: tokensync apply --receipt FILE")


def show_plans(plans: Iterable[Plan], console: Console) -> None:
    """Write the review of each plan to stdout, in full with ``console.verbose``."""
    from tokensync.plan.review import text_lines

    for number, plan in enumerate(plans):
        lines = [
            Styled(line.text, _COLOURS.get(line.sign), line.sign in ("=", "!"))
            for line in text_lines(plan, everything=console.verbose)
        ]
        console.result(*([""] if number else []), *lines)


def how_to_apply(plans: Iterable[Plan], path: str | None) -> str:
    """Return the instruction to apply plans; ``path`` is their file, or None if it is the default file."""
    from tokensync.plan.plan import options_for

    argument = "" if path is None else f" {path}"
    if unsafe := [finding for plan in plans for finding in plan.unsafe]:
        return f"if you accept every finding, run: tokensync apply {options_for(unsafe)}{argument}"
    return f"to apply the plan, run: tokensync apply{argument}"


_UNREVERTED = "no token file has changed, since tokensync.lock did not have the edit; revert it with git"


@click.command("apply")
@click.argument("plan", required=False, type=click.Path(), metavar="[FILE]")
@_force("Apply the plan")
@_overwrite("Replace")
@click.option(
    "--rebase", is_flag=True, help="Apply even if the design file has changed, unless the plan touches those changes."
)
@click.option("--resume", is_flag=True, help="Continue an interrupted apply.")
@click.option(
    "--receipt",
    type=click.Path(),
    metavar="RECEIPT",
    help="Record what was applied elsewhere, and apply nothing: the receipt of a script (plan --script), which the next"
    " pull compares with the file, or a receipt of --receipts, whose changes are added to tokensync.lock.",
)
@click.option(
    "--receipts",
    type=click.Path(),
    metavar="FOLDER",
    help="Also write a receipt of each file, with which any checkout can roll back the apply or record it (--receipt).",
)
@options.project
@options.files
@options.result
def apply_command(
    plan: str | None,
    force: bool,
    overwrite: bool,
    rebase: bool,
    resume: bool,
    receipt: str | None,
    receipts: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Apply a plan exactly as reviewed. FILE defaults to .tokensync/plan.json."""
    from tokensync.commands.apply import Applier, apply_plans, resume_applies
    from tokensync.commands.pull import pull
    from tokensync.system.boundary import resolved_folder

    if receipt is not None:
        if plan or force or overwrite or rebase or resume or files or receipts:
            raise UsageError("--receipt: it sends nothing, and says itself which plan it is for; remove the rest")
        return _claim(receipt, config, console, as_json=as_json)
    _refuse_combined(plan, files, force=force, overwrite=overwrite, resume=resume)
    with options.connected_project(config, console) as (project, client, progress):
        folder = "" if receipts is None else resolved_folder(receipts, allow_outside=project.allow_outside)
        applier = Applier(project, client, say=progress, tell=console.info, warn=console.problems, receipts=folder)
        try:
            if resume:
                done = resume_applies(applier, files, rebase=rebase)
            else:
                done = apply_plans(applier, plan, force=force, overwrite=overwrite, rebase=rebase)
        except (TokensyncError, OSError, KeyboardInterrupt):
            if applier.way_on:
                console.info(applier.way_on)
            raise
        try:
            reversed_files = [file.file for file in done if file.token_files]  # other edits of their token files stay
            files_reverted = pull(project, client, reversed_files).files if reversed_files else ()
        except TokensyncError:
            console.info("the plan is applied, but the token files are not reverted yet: tokensync pull does that")
            raise
        for file in files_reverted:
            what = f"reverted the edit in {counted(len(file.changed), 'token file')}" if file.changed else _UNREVERTED
            console.info(f"{file.name}: {what}")
            for path in file.changed:
                console.detail(f"    {path}")
    return _show_applied(done, console, as_json=as_json, resumed=resume)


def _refuse_combined(plan: str | None, files: tuple[str, ...], *, force: bool, overwrite: bool, resume: bool) -> None:
    if resume and plan:
        raise UsageError(f"--resume: it continues with the plan of the interrupted apply; remove {plan}")
    if resume and force:
        raise UsageError("--resume: the safety findings were decided when the apply started; remove --force")
    if resume and overwrite:
        what = "the safety findings were decided when the apply started"
        raise UsageError(f"--resume: {what}; remove --overwrite-code-syntax")
    if files and not resume:
        raise UsageError("--file: the plan determines the files; remove --file, or add --resume")


def _claim(receipt: str, config: str | None, console: Console, *, as_json: bool) -> int:
    """Record a receipt, and show what it claims."""
    from tokensync.apply.applying import execution_of, known_ids
    from tokensync.apply.receipts import read_portable
    from tokensync.commands.apply import Applier, claim_receipt, record_receipt
    from tokensync.project.sources import read_file

    if (portable := read_portable(read_file(receipt), receipt)) is not None:
        with options.connected_project(config, console) as (project, client, progress):
            is_new = record_receipt(Applier(project, client, say=progress), portable)
        if as_json:
            console.json({"file": portable.file, "recorded": is_new})
        what = "recorded in tokensync.lock what the apply changed" if is_new else "tokensync.lock has it already"
        console.info(f"{portable.file}: {what}")
        return 0
    journal = claim_receipt(options.load_project(config), receipt)
    plan, ids = execution_of(journal).plan, known_ids(journal)
    if as_json:
        console.json({"file": plan.file, "plan": journal.started.plan, "journal": journal.folder, "ids": ids})
        return 0
    show_plans((plan,), console)
    console.info(f"{plan.file}: recorded as carried out by a script, {counted(len(ids), 'new object')}")
    console.info("capture the file and run tokensync pull, which compares; tokensync.lock changes only then")
    return 0


def _show_applied(done: Sequence[AppliedFile], console: Console, *, as_json: bool, resumed: bool) -> int:
    if as_json:
        console.json({"files": [file._asdict() for file in done]})
    elif resumed and not done:
        console.info("nothing to resume")
    for file in () if as_json else done:
        if file.tolerated:
            console.info(f"  not affected: other changes in Figma in the meantime: {'; '.join(file.tolerated)}")
        if file.rollback:
            console.detail(f"  to undo it: tokensync apply {file.rollback}")
    for each in done:
        for difference in each.differences:
            console.failure(f"{each.file}: not as planned, because it was changed in Figma meanwhile: {difference}")
    return 1 if any(file.differences for file in done) else 0


@click.command("rollback")
@click.argument("receipt", type=click.Path(), metavar="RECEIPT")
@options.plan_file
@click.option("--token-files", is_flag=True, help="Let tokensync apply revert the edit in the token files, too.")
@options.project
@options.json_alone
@options.console
def rollback_command(
    receipt: str, out: str | None, token_files: bool, config: str | None, as_json: bool, console: Console
) -> int:
    """Plan the reversal of an apply.

    RECEIPT is its receipt.json, the folder that contains it, or, in any checkout, a receipt of apply --receipts.
    """
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
