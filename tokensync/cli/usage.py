"""``tokensync usage`` and ``tokensync report``: where tokens are used, and a page of all tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.tokens import not_asked, table_by_token, unused_in
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.usage import Group, TokenUsage, Usage


_DATE = click.DateTime(["%Y-%m-%d"])
_BY_FILE = ("LIBRARY", "FILE", "TEAM", "WORKSPACE", "USAGES")
_BY_TEAM = ("LIBRARY", "TEAM", "WORKSPACE", "INSERTED", "DETACHED")
_BY_TOKEN = ("USAGES", "FILES", "TEAMS", "INSERTED", "DETACHED")


@click.command("usage")
@click.option(
    "--by",
    type=click.Choice(["token", "file", "team"]),
    default="token",
    show_default=True,
    help="Show one row per token, file or team.",
)
@click.option("--unused", is_flag=True, help="Show only tokens that no other file uses.")
@click.option(
    "--since",
    type=_DATE,
    metavar="YYYY-MM-DD",
    help="Count insertions and detachments from this week on (default: a year ago).",
)
@options.code
@options.layers
@options.project
@options.files
@options.result
def usage_command(
    by: str,
    unused: bool,
    since: Any,
    code: tuple[str, ...],
    layers: bool,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Show how other files use tokens. Counts usages, files, teams, insertions and detachments."""
    from tokensync.commands.usage import usage, usage_by_file, usage_by_team

    if unused and by != "token":
        raise click.UsageError(f"--unused needs rows by token; remove --by {by}.")
    for option in [name for name, is_given in (("--code", code), ("--layers", layers)) if is_given and by != "token"]:
        raise click.UsageError(f"{option} needs rows by token; remove --by {by}.")
    start = since.date().isoformat() if since else None
    with options.connected_project(config, console) as (project, client, progress):
        if by == "file":
            groups = usage_by_file(project, client, files)
        elif by == "team":
            groups = usage_by_team(project, client, files, since=start)
        else:
            result = usage(project, client, files, since=start, code=code, layers=layers, progress=progress)
    if by != "token":
        _show_groups(groups, by, console, as_json=as_json)
        return 0
    console.summarize(result.problems)
    rows = [row for row in result.rows if not unused or row.status != "used"]
    if as_json:
        console.json([_as_json(row, is_searched=result.searched is not None) for row in rows])
        return 0
    _show(sorted(rows, key=lambda each: -each.counts.usages), console, is_searched=result.searched is not None)
    unknown = not_asked(code=result.searched is not None, layers=layers)
    if console.quiet and unknown and any(row.status == "unused" for row in rows):
        console.caveat(unused_in(code=result.searched is not None, layers=layers))
    for name in result.unused_libraries:
        console.caveat(f"{name}: no other file uses this library yet, so analytics say nothing about its tokens")
    if result.searched is not None:
        options.show_search(result.searched, console)
    console.info(_summary(result))
    return 0


def _show(rows: Sequence[TokenUsage], console: Console, *, is_searched: bool) -> None:
    if not rows:
        return
    lines = []
    for row in rows:
        uses = (str(len(row.code)),) if is_searched else ()
        lines.append((row.token.key, (*map(str, row.counts), *uses, _remark(row, is_searched=is_searched))))
    header = (*_BY_TOKEN, *(("CODE",) if is_searched else ()), "")
    console.table(*table_by_token(header, lines), optional=("DETACHED", "INSERTED", "TEAMS", "FILES"))
    for each in rows if console.verbose else ():
        for use in each.code:
            console.detail(f"{each.token.key}: {use.path}:{use.line}: {use.name}")


def _remark(row: TokenUsage, *, is_searched: bool) -> str:
    if row.status == "unused" and not is_searched:
        return "unused by files"
    return "deprecated" if row.deprecated_and_used else "" if row.status == "used" else row.status


def _show_groups(groups: Sequence[Group], by: str, console: Console, *, as_json: bool) -> None:
    if as_json:
        omitted = ("insertions", "detachments") if by == "file" else ("file", "usages")
        console.json(
            [{name: value for name, value in group._asdict().items() if name not in omitted} for group in groups]
        )
    elif not groups:
        console.info("Figma reports no usage of tokens")
    elif by == "file":
        rows = [(group.library, group.file, group.team, group.workspace, str(group.usages)) for group in groups]
        console.table(_BY_FILE, *rows, optional=("WORKSPACE", "TEAM"))
    else:
        rows = [
            (each.library, each.team, each.workspace, str(each.insertions), str(each.detachments)) for each in groups
        ]
        console.table(_BY_TEAM, *rows, optional=("WORKSPACE",))


def _summary(result: Usage) -> str:
    rows = result.rows
    statuses = [row.status for row in rows]
    labels = (
        ("used", "used"),
        ("used in code", "used only in code"),
        ("used in layers", "used only in layers of its own files"),
        ("referred", "used only through other tokens"),
        ("unused", unused_in(code=result.searched is not None, layers=result.has_layers)),
        ("not published", "not published, so not counted"),
        ("library unused", "of a library that nobody uses yet"),
    )
    counts = ", ".join(f"{statuses.count(status)} {label}" for status, label in labels if status in statuses)
    deprecated = sum(row.deprecated_and_used for row in rows)
    warning = f"; {deprecated} deprecated but still used" if deprecated else ""
    return counted(len(rows), "token") + (f": {counts}" if counts else "") + warning


def _as_json(row: TokenUsage, *, is_searched: bool) -> dict[str, Any]:
    token = row.token
    return {
        "file": token.key.file,
        "collection": token.key.collection,
        "path": token.key.path,
        "id": token.id,
        "key": token.variable_key,
        **row.counts._asdict(),
        "status": row.status,
        "unused_in_design_files": None if row.status in ("library unused", "not published") else row.counts.usages == 0,
        "unused_in_code": not row.code if is_searched else None,
        "unused_in_layers": None if row.in_layers is None else not row.in_layers,
        "code": [use._asdict() for use in row.code] if is_searched else None,
        "deprecated": bool(token.deprecated),
        "deprecated_and_used": row.deprecated_and_used,
    }


@click.command("report")
@options.snapshot
@options.published
@click.option(
    "-o",
    "--out",
    "path",
    type=click.Path(),
    metavar="FILE",
    help="The file to write (default: tokensync-report.html, or tokensync-viewer.html).",
)
@click.option("--viewer", is_flag=True, help="Write a page that shows files that are dropped on it, offline.")
@click.option("--since", metavar="REV", help="Show what changed since this git revision, before and after.")
@click.option("--title", metavar="TEXT", help="The page's title (default: the names of the design files).")
@click.option("--force", is_flag=True, help="Overwrite a file that tokensync did not write.")
@options.project
@options.files
@options.console
def report_command(
    snapshot: str | None,
    published: str | None,
    path: str | None,
    viewer: bool,
    since: str | None,
    title: str | None,
    force: bool,
    config: str | None,
    files: tuple[str, ...],
    console: Console,
) -> int:
    """Write an HTML page of all tokens. It has swatches, specimens, all modes and search, and needs no network."""
    from tokensync.commands.report import FILE_NAME, VIEWER_NAME, report_project, report_snapshot, write_viewer

    options.check_snapshot(snapshot, published, files)
    if viewer:
        others = (("--snapshot", snapshot), ("--file", files), ("--since", since), ("--title", title))
        if given := next((name for name, value in others if value), ""):
            raise click.UsageError(
                f"{given}: the viewer has no tokens of its own; drop the file on it, or remove --viewer"
            )
        path = path or VIEWER_NAME
        changed = write_viewer(path, force=force, allow_outside=options.allow_outside())
        console.info(f"{path}: open it in a browser ({'written' if changed else 'unchanged'})")
        return 0
    path = path or FILE_NAME
    if snapshot is not None:
        if since:
            raise click.UsageError("--since: a saved response has no revisions; remove --snapshot")
        allowed, levels = options.allow_outside(), options.snapshot_levels(config)
        result = report_snapshot(
            snapshot, published, path, title=title, force=force, allow_outside=allowed, levels=levels
        )
    else:
        result = report_project(options.load_project(config), files, path, title=title, since=since or "", force=force)
    console.summarize(result.problems)
    console.info(f"{result.path}: {counted(result.tokens, 'token')} ({'written' if result.changed else 'unchanged'})")
    return 0
