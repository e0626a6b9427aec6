"""``tokensync dev-resources``: links on nodes of a design file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.dev_resources import Linked
    from tokensync.project.configuration import Project


def _or_before(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """Return the value given with the command, else the one before it, as with other commands."""
    before: tuple[str, ...] = ctx.find_root().params.get("files") or ()
    if value is None and len(before) > 1:
        raise click.UsageError("--file: a link is on a node of one file; give one.")
    return value or next(iter(before), None)


@click.group("dev-resources")
def command() -> None:
    """Manage the links that Dev Mode shows on design nodes."""


@command.command("link")
@click.argument("links_file", required=False, metavar="[FILE]")
@click.option(
    "--file",
    "file",
    metavar="KEY",
    callback=_or_before,
    help="The design file: a configured name, a key or a URL.",
)
@click.option("--node", metavar="ID", help="The node, such as 12:34; by default the one in the URL.")
@click.option("--url", metavar="URL", help="The link; {file}, {file_key}, {node} and {path} are filled in.")
@click.option("--name", metavar="TEXT", help="The link's name; by default the end of its URL.")
@click.option("--path", metavar="PATH", help="An existing file of the project, for {path}.")
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@options.project
@options.json
@options.console
def link_(
    links_file: str | None,
    file: str | None,
    node: str | None,
    url: str | None,
    name: str | None,
    path: str | None,
    dry_run: bool,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """Attach links to nodes. FILE (TOML or JSON) lists them, or options give one.

    A link that is there stays as it is; one with another name is renamed. So the same links can be given again and
    again, in CI after each build.
    """
    from tokensync.commands.dev_resources import Wanted, link, links_of, read_links
    from tokensync.project.connection import connect

    one = Wanted(node, url, name, file, path)
    if links_file is not None and one != Wanted(file=file):
        raise click.UsageError("FILE has the links; give either it or --node, --url, --name and --path.")
    if links_file is None and url is None:
        raise click.UsageError("There is no link to attach; give FILE, or --node and --url.")
    project: Project = options.load_project(config)
    wanted = (one,) if links_file is None else read_links(links_file)
    links = links_of(project, wanted, file)
    with console.progress() as progress, connect(project, on_wait=console.say) as client:
        done = link(client, links, dry_run=dry_run, progress=progress)
    if as_json:
        console.json(_as_json(done, dry_run))
    else:
        _show(done, dry_run, console)
    return 1 if done.failed else 0


def _show(done: Linked, dry_run: bool, console: Console) -> None:
    would = "would be " if dry_run else ""
    for words, links in (("attached", done.created), ("renamed", done.renamed)):
        for each in links:
            console.say(f"{would}{words}: {each.node} {each.name} {each.url}")
    for each in done.unchanged:
        console.detail(f"unchanged: {each.node} {each.name} {each.url}")
    for failed in done.failed:
        link = failed.link
        console.failure(f"{link.file_key}, node {link.node}: {link.url} is not attached; {failed.error}")
    console.say(
        f"{len(done.created)} {would}attached, {len(done.renamed)} {would}renamed, {len(done.unchanged)} as they are"
    )


def _as_json(done: Linked, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "created": [each._asdict() for each in done.created],
        "renamed": [each._asdict() for each in done.renamed],
        "unchanged": [each._asdict() for each in done.unchanged],
        "failed": [{**each.link._asdict(), "error": each.error} for each in done.failed],
    }
