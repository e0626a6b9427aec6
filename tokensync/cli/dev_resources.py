"""``tokensync dev-resources``: links on nodes of a design file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.dev_resources import LinkResult
    from tokensync.project.configuration import Project


def _own_or_global(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """Return the command's value, else the global one."""
    names: tuple[str, ...] = ctx.find_root().params.get("files") or ()
    if value is None and len(names) > 1:
        raise click.UsageError(f"--file: links need one default file, not {len(names)}; give one.")
    return value or next(iter(names), None)


@click.group("dev-resources", cls=options.Group)
def command() -> None:
    """Manage the links that Dev Mode shows on design nodes."""


@command.command("link")
@click.argument("links_file", required=False, metavar="[FILE]")
@click.option(
    "--file", "file", metavar="KEY", callback=_own_or_global, help="The design file: a configured name, a key or a URL."
)
@click.option("--node", metavar="ID", help="The node id, such as 12:34 (default: from the URL in --file).")
@click.option("--url", metavar="URL", help="The link's URL; {file}, {file_key}, {node} and {path} are replaced.")
@click.option("--name", metavar="TEXT", help="The link's name (default: the last part of its URL).")
@click.option("--path", metavar="PATH", help="The value of {path}: an existing file of the project.")
@click.option("--dry-run", is_flag=True, help="Change nothing; show what would change.")
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
    """Attach links to design nodes. FILE is a TOML or JSON file of links; for a single link, use the options.

    Leaves existing links unchanged, except for their names, so that CI can run this after each build.
    """
    from tokensync.commands.dev_resources import LinkRequest, link, read_links, resolve_links
    from tokensync.project.connection import connect

    request = LinkRequest(node, url, name, file, path)
    if links_file is not None and request != LinkRequest(file=file):
        raise click.UsageError("FILE and --node, --url, --name, --path are mutually exclusive; remove one.")
    if links_file is None and url is None:
        raise click.UsageError("The link is missing; give FILE, or --node and --url.")
    project: Project = options.load_project(config)
    requests = (request,) if links_file is None else read_links(links_file)
    links = resolve_links(project, requests, file, source=links_file or "")
    with console.progress() as progress, connect(project, on_wait=console.info) as client:
        result = link(client, links, dry_run=dry_run, progress=progress)
    if as_json:
        console.json(_as_json(result, dry_run))
    else:
        _show(result, dry_run, console)
    return 1 if result.failed else 0


def _show(result: LinkResult, dry_run: bool, console: Console) -> None:
    would = "would be " if dry_run else ""
    for verb, links in (("attached", result.created), ("renamed", result.renamed)):
        for link in links:
            console.info(f"{would}{verb}: {link.node} {link.name} {link.url}")
    for link in result.unchanged:
        console.detail(f"unchanged: {link.node} {link.name} {link.url}")
    for link, error in result.failed:
        console.failure(f"{link.file_key}, node {link.node}: {link.url} is not attached; {error}")
    unchanged = f"{len(result.unchanged)} unchanged"
    console.info(f"{len(result.created)} {would}attached, {len(result.renamed)} {would}renamed, {unchanged}")


def _as_json(result: LinkResult, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "created": [each._asdict() for each in result.created],
        "renamed": [each._asdict() for each in result.renamed],
        "unchanged": [each._asdict() for each in result.unchanged],
        "failed": [{**each.link._asdict(), "error": each.error} for each in result.failed],
    }
