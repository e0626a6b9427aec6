"""``tokensync pull``, ``status`` and ``diff``: states compared, and the token files brought up to date."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import click

from tokensync.cli import options
from tokensync.cli.console import Console, problem_documents
from tokensync.system.errors import DifferencesFound, UsageError
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click.shell_completion import CompletionItem

    from tokensync.commands.status import FileStatus
    from tokensync.plan.comparing import Change


@click.command("pull")
@options.winner
@click.option("--dry-run", is_flag=True, help="Write nothing; show which token files would change.")
@click.option("--force", is_flag=True, help="Also pull a capture that is older than the last one.")
@options.accept
@click.option("--snapshot", type=click.Path(), metavar="FILE", help="Read a saved response, capture or Figma export.")
@click.option("--snapshot-out", type=click.Path(), metavar="DIR", help="Also save the raw responses in DIR.")
@options.project
@options.files
@options.result
def pull_command(
    always: Literal["ours", "theirs"] | None,
    dry_run: bool,
    force: bool,
    accept: str | None,
    snapshot: str | None,
    snapshot_out: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Merge changes in Figma into the token files. Preserves edits of the token files."""
    from tokensync.commands.pull import IncompletePull, pull
    from tokensync.project.connection import SNAPSHOT

    if accept is not None and dry_run:
        raise UsageError("--accept: --dry-run writes nothing; remove one of the two")
    base_url = None if snapshot is None else f"{SNAPSHOT}{os.path.abspath(snapshot)}"
    incomplete: IncompletePull | None = None
    with options.connected_project(config, console, base_url, merged=files) as (project, client, progress):
        try:
            result = pull(
                project,
                client,
                files,
                always=always,
                dry_run=dry_run,
                force=force,
                snapshot_folder=snapshot_out,
                progress=progress,
            )
        except IncompletePull as error:
            if as_json:
                raise
            incomplete, result = error, error.pulled
    if accept is not None:
        console.info(options.accepted(project, result.problems, accept))
    if as_json:
        console.json(
            {"files": [file._asdict() for file in result.files], "problems": problem_documents(result.problems)}
        )
        return 0
    if accept is None:
        console.problems(result.problems)
    for file in result.files:
        console.info(f"{file.name}: {file.size}")
        verb = "would change" if dry_run else "changed"
        console.info(f"  {verb} {counted(len(file.changed), 'token file')}" if file.changed else "  nothing to do")
        for path in file.changed:
            (console.info if dry_run else console.detail)(f"    {path}")
    if incomplete is not None:
        raise incomplete
    return 0


_ITEMS_SHOWN = 10


@click.command("status")
@options.project
@options.files
@options.result
def status_command(config: str | None, files: tuple[str, ...], as_json: bool, console: Console) -> int:
    """Show what differs between token files and Figma. Also compares the design file with its publication."""
    from tokensync.commands.status import status

    with options.connected_project(config, console, merged=files) as (project, client, progress):
        result = status(project, client, files, progress=progress)
    if as_json:
        documents = [_status_document(file) for file in result.files]
        console.json({"in_sync": result.is_in_sync, "files": documents, "problems": problem_documents(result.problems)})
    else:
        console.summarize(result.problems)
        for file in result.files:
            console.result(*_status_lines(file, everything=console.verbose, is_unresolved=result.is_unresolved))
    return 0 if result.is_in_sync else DifferencesFound.exit_code


def _status_lines(file: FileStatus, *, everything: bool, is_unresolved: bool) -> Iterator[str]:
    from tokensync.plan.review import HELD_BACK

    if not file.differs and is_unresolved:
        yield f"{file.name}: no differences, but the conflict in the lock is not resolved; run tokensync pull"
        return
    if not file.differs:
        yield f"{file.name}: in sync"
        return
    publication = file.publication
    parts: tuple[tuple[str, Sequence[object]], ...] = (
        ("ahead: changed in the token files; run tokensync plan", file.ahead),
        (HELD_BACK.lower(), file.held_back),
        ("behind: changed in Figma; run tokensync pull", file.behind),
        ("conflicting: changed on both sides", file.conflicting),
        ("not published", publication.unpublished),
        ("published under another name", publication.renamed),
        ("published, but now deleted or hidden", publication.deleted),
        ("outdated: its library has a newer publication; update the library in the editor", publication.outdated),
    )
    yield f"{file.name}:"
    for title, items in parts:
        if items:
            shown = items if everything else items[:_ITEMS_SHOWN]
            yield f"  {title} ({len(items)})"
            yield from (f"    {each}" for each in shown)
            if len(shown) < len(items):
                yield f"    and {len(items) - len(shown)} more; -v shows them"


def _status_document(file: FileStatus) -> dict[str, object]:
    return {
        "name": file.name,
        "ahead": [change._asdict() for change in file.ahead],
        "behind": [change._asdict() for change in file.behind],
        "conflicting": [
            {
                **conflict.key._asdict(),
                "place": conflict.location,
                "base": conflict.base,
                "ours": conflict.ours,
                "theirs": conflict.theirs,
            }
            for conflict in file.conflicting
        ],
        "publication": file.publication._asdict(),
        "held_back": file.held_back,
    }


def _states(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the states that begin with a text, with names of the folder, or let the shell complete a path."""
    from click.shell_completion import CompletionItem

    from tokensync.commands.diff import LOCK, REMOTE

    states = [each for each in (LOCK, REMOTE) if each.startswith(incomplete)]
    if not states:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(each) for each in (*states, *options.completed(os.listdir(), incomplete))]


@click.command("diff")
@click.argument("first", metavar="A", shell_complete=_states)
@click.argument("second", metavar="B", shell_complete=_states)
@options.form("differences", "markdown", "message", "json", "html")
@options.project
@options.files
@options.result
def diff_command(
    first: str, second: str, form: str, config: str | None, files: tuple[str, ...], as_json: bool, console: Console
) -> int:
    """Compare two states of the tokens. Exits with 3 if they differ.

    A and B are a tokens folder, a saved response, lock, git:REVISION or remote. The first two need no tokensync.toml.
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
        found = {"differences": documents, "counts": review.counts(differences)}
        console.json({**found, "problems": problem_documents(result.problems)})
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
            console.info(review.in_counts(differences))
    return DifferencesFound.exit_code if differences else 0


def _change(change: Change) -> dict[str, Any]:
    return {"said": change.member, "before": change.before, "after": change.after}
