"""``tokensync files`` and ``dev-resources``: a team's files, their layers and styles, and the links on their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.options import connected
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.dev_resources import LinkResult
    from tokensync.commands.files import TeamFile, Use
    from tokensync.project.configuration import Project


@click.group("files", cls=options.Group, invoke_without_command=True)
@click.option("--team", metavar="ID", help="The team's id or the URL of its page.")
@click.option("--branches", is_flag=True, help="Also list the branches of each file.")
@click.option("--quick", is_flag=True, help="Do not ask what each file publishes.")
@click.option("--matrix", is_flag=True, help="Print the configured files as the matrix of a workflow; offline.")
@options.platform
@options.result
@click.pass_context
def files_command(
    context: click.Context,
    team: str | None,
    branches: bool,
    quick: bool,
    matrix: bool,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """List a team's files and libraries. Also shows how to configure new libraries."""
    if context.invoked_subcommand is not None:
        return 0
    if matrix:
        if team is not None:
            raise click.UsageError("--matrix lists the configured files, not those of a team; remove --team.")
        from tokensync.commands.files import matrix as matrix_of

        console.json_line(matrix_of(options.load_project(config)))
        return 0
    if team is None:
        raise click.UsageError(
            "--team is missing; open your team in a browser and copy the number after /team/ in its URL."
        )
    from tokensync.commands.files import team_files

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        result = team_files(project, client, team, branches=branches, ask_published=not quick, progress=progress)
    if as_json:
        console.json({**result._asdict(), "files": [_file_document(file) for file in result.files]})
        return 0
    for each in result.left_out:
        console.info(f"omitted {each}")
    if result.version == 1:
        console.info("the access token can list the team's projects but not its folders; nested folders are omitted")
    _show(result.files, console, with_branches=branches)
    return 0


@files_command.command("layers")
@options.file_argument
@click.option(
    "--token",
    "tokens",
    multiple=True,
    metavar="TOKEN",
    shell_complete=options.complete_tokens,
    help="Show only layers that use this token (repeatable).",
)
@click.option("--indirect", is_flag=True, help="With --token: also show layers that use tokens that refer to it.")
@options.platform
@options.result
def layers_(
    file: str,
    tokens: tuple[str, ...],
    indirect: bool,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """List the layers of FILE that use tokens. Shows the bound member of each layer.

    FILE is a configured name, a key or a URL. TOKEN is a path, a collection and a path, a key or a variable id.
    """
    from tokensync.commands.files import layers

    if indirect and not tokens:
        raise click.UsageError("--indirect needs --token; add --token, or remove --indirect.")
    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        result = layers(project, client, file, tokens, indirect=indirect, progress=progress)
    if result.unnamed:
        console.info(f"variables are listed by id: {result.unnamed}")
    if as_json:
        console.json({"file": result.file, "name": result.name, "uses": [_use_document(use) for use in result.uses]})
        return 0
    if result.uses:
        rows = [(_token_name(use) or use.variable, use.member, use.node, " / ".join(use.path)) for use in result.uses]
        console.table(("TOKEN", "MEMBER", "NODE", "LAYER"), *rows, optional=("MEMBER",))
    bound = len({use.node for use in result.uses})
    used = len({use.variable for use in result.uses})
    console.info(f"{result.name}: {counted(bound, 'layer')} bound to {counted(used, 'token')}")
    return 0


@files_command.command("styles")
@options.file_argument
@options.platform
@options.result
def styles_(file: str, base_url: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """List the styles that FILE publishes, with their values. Covers colour, text, effect and grid styles.

    FILE is a configured name, a key or a URL. --json prints complete values.
    """
    from tokensync.commands.files import in_words, styles

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        published = styles(project, client, file, progress=progress)
    if as_json:
        console.json(
            [
                {
                    "key": style.item.key,
                    "name": style.item.name,
                    "type": style.item.style_type,
                    "description": style.item.description,
                    "node": style.item.node_id,
                    "updated_at": style.item.updated_at,
                    "value": style.value,
                    "boundVariables": style.bound,
                    "variables": style.variables,
                }
                for style in published
            ]
        )
        return 0
    if published:
        rows = [(style.item.style_type, style.item.name, in_words(style)) for style in published]
        console.table(("TYPE", "STYLE", "VALUE"), *rows)
    bound = sum(bool(style.variables) for style in published)
    console.info(f"{counted(len(published), 'style')}, {bound} of them bound to variables")
    return 0


def _show(files: Sequence[TeamFile], console: Console, *, with_branches: bool) -> None:
    rows = [("FOLDER", "FILE", "KEY", "PUBLISHES", "CONFIGURED AS")]
    for file in files:
        rows.append((" / ".join(file.folder), file.name, file.key, _publishes(file), file.configured or ""))
        if with_branches:
            rows += [("", f"  branch {branch.name}", branch.key, "", "") for branch in file.branches]
    console.table(*rows, optional=("PUBLISHES",))
    for file in files:
        if file.published is not None and file.published.reason:
            console.detail(f"{file.name}: {file.published.reason}")
    new_libraries = [file for file in files if file.suggested]
    if new_libraries:
        console.info("to sync the libraries that are not configured yet, add to tokensync.toml:")
        for file in new_libraries:
            console.result("", "[[files]]", f'name = "{file.suggested}"', f'key = "{file.key}"')
    elif not any(file.published and file.published.variables for file in files):
        console.info("no file of the team is known to publish variables (-v shows the reasons)")


def _publishes(file: TeamFile) -> str:
    if file.published is None or file.published.reason:
        return "?"
    if not file.published.variables:
        return "nothing"
    return counted(file.published.variables, "variable")


def _file_document(file: TeamFile) -> dict[str, Any]:
    published = None if file.published is None or file.published.reason else file.published
    return {
        "key": file.key,
        "name": file.name,
        "folder": file.folder,
        "last_modified": file.last_modified,
        "branches": [{"key": branch.key, "name": branch.name} for branch in file.branches],
        "collections": None if published is None else published.collections,
        "variables": None if published is None else published.variables,
        "reason": file.published.reason if file.published is not None else "",
        "configured": file.configured,
        "suggested": file.suggested,
    }


def _use_document(use: Use) -> dict[str, Any]:
    return {
        "node": use.node,
        "type": use.type,
        "layer": use.path,
        "member": use.member,
        "variable": use.variable,
        "token": _token_name(use),
    }


def _token_name(use: Use) -> str | None:
    return None if use.token is None else f"{use.token.key.collection}.{use.token.key.path}"


def _own_or_global(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """Return the command's value, else the global one."""
    names: tuple[str, ...] = ctx.find_root().params.get("files") or ()
    if value is None and len(names) > 1:
        raise click.UsageError(f"--file: links need one default file, not {len(names)}; give one.")
    return value or next(iter(names), None)


@click.group("dev-resources", cls=options.Group)
def dev_resources_command() -> None:
    """Manage the links that Dev Mode shows on design nodes."""


@dev_resources_command.command("link")
@click.argument("links_file", required=False, type=click.Path(), metavar="[FILE]")
@click.option(
    "--file", "file", metavar="KEY", callback=_own_or_global, help="The design file: a configured name, a key or a URL."
)
@click.option("--node", metavar="ID", help="The node id, such as 12:34 (default: from the URL in --file).")
@click.option("--url", metavar="URL", help="The link's URL; {file}, {file_key}, {node} and {path} are replaced.")
@click.option("--name", metavar="TEXT", help="The link's name (default: the last part of its URL).")
@click.option("--path", type=click.Path(), metavar="PATH", help="The value of {path}: an existing file of the project.")
@click.option("--dry-run", is_flag=True, help="Change nothing; show what would change.")
@options.project
@options.result
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
        console.json(_links_as_json(result, dry_run))
    else:
        _show_links(result, dry_run, console)
    return 1 if result.failed else 0


def _show_links(result: LinkResult, dry_run: bool, console: Console) -> None:
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


def _links_as_json(result: LinkResult, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "created": [link._asdict() for link in result.created],
        "renamed": [link._asdict() for link in result.renamed],
        "unchanged": [link._asdict() for link in result.unchanged],
        "failed": [{**failed.link._asdict(), "error": failed.error} for failed in result.failed],
    }
