"""``tokensync files``: the files of a team, its libraries, and the layers and styles in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.options import connected
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.files import TeamFile, Use


@click.group("files", invoke_without_command=True)
@click.option("--team", metavar="ID", help="The team's id, or the URL of its page in a browser.")
@click.option("--branches", is_flag=True, help="Also list the branches of each file.")
@click.option("--quick", is_flag=True, help="Skip the request for what each file publishes.")
@options.base_url
@options.config
@options.json
@options.console
@click.pass_context
def command(
    context: click.Context,
    team: str | None,
    branches: bool,
    quick: bool,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """List a team's files and which of them are libraries. Shows how to configure those, too."""
    if context.invoked_subcommand is not None:
        return 0
    if team is None:
        raise click.UsageError(
            "--team is missing: the platform lists no teams; open yours in a browser and give the number after /team/."
        )
    from tokensync.commands.files import team_files

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        found = team_files(project, client, team, branches=branches, ask_published=not quick, progress=progress)
    if as_json:
        console.json({**found._asdict(), "files": [_file_document(each) for each in found.files]})
        return 0
    for each in found.left_out:
        console.say(f"omitted {each}")
    if found.version == 1:
        console.say("this token can list the team's projects but not its folders, so nested folders are missing")
    _show(found.files, console, with_branches=branches)
    return 0


@command.command("layers")
@click.argument("file")
@click.option("--token", "tokens", multiple=True, metavar="TOKEN", help="Only layers that use this token (repeatable).")
@click.option("--indirect", is_flag=True, help="With --token: also layers that use tokens that refer to it.")
@options.base_url
@options.config
@options.json
@options.console
def layers_(
    file: str,
    tokens: tuple[str, ...],
    indirect: bool,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """List the layers of FILE that use tokens, and what for.

    FILE is the name of a configured file, a key or a URL. TOKEN is a path, with its collection before it or without,
    a key or a variable's id.
    """
    from tokensync.commands.files import layers

    if indirect and not tokens:
        raise click.UsageError("--indirect is about what refers to --token; give both.")
    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        found = layers(project, client, file, tokens, indirect=indirect, progress=progress)
    if found.unnamed:
        console.say(f"the variables have no names here: {found.unnamed}")
    if as_json:
        console.json({"file": found.file, "name": found.name, "uses": [_use_document(each) for each in found.uses]})
        return 0
    if found.uses:
        console.table(("TOKEN", "MEMBER", "NODE", "LAYER"), *map(_use_row, found.uses))
    bound = len({each.node for each in found.uses})
    used = len({each.variable for each in found.uses})
    console.say(f"{found.name}: {counted(bound, 'layer')} bound to {counted(used, 'token')}")
    return 0


@command.command("styles")
@click.argument("file")
@options.base_url
@options.config
@options.json
@options.console
def styles_(file: str, base_url: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """List the styles that FILE publishes, with their values. Covers colour, text, effect and grid styles.

    FILE is the name of a configured file, a key or a URL. With --json the values are whole.
    """
    from tokensync.commands.files import in_words, styles

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        found = styles(project, client, file, progress=progress)
    if as_json:
        console.json(
            [
                {
                    "key": each.item.key,
                    "name": each.item.name,
                    "type": each.item.style_type,
                    "description": each.item.description,
                    "node": each.item.node_id,
                    "value": each.value,
                    "variables": each.variables,
                }
                for each in found
            ]
        )
        return 0
    if found:
        rows = [(each.item.style_type, each.item.name, in_words(each)) for each in found]
        console.table(("TYPE", "STYLE", "VALUE"), *rows)
    bound = sum(bool(each.variables) for each in found)
    console.say(f"{counted(len(found), 'style')}, {bound} of them bound to variables")
    return 0


def _show(files: Sequence[TeamFile], console: Console, *, with_branches: bool) -> None:
    rows = [("FOLDER", "FILE", "KEY", "PUBLISHES", "CONFIGURED AS")]
    for each in files:
        rows.append((" / ".join(each.folder), each.name, each.key, _publishes(each), each.configured or ""))
        if with_branches:
            rows += [("", f"  branch {branch.name}", branch.key, "", "") for branch in each.branches]
    console.table(*rows)
    for each in files:
        if each.published is not None and each.published.reason:
            console.detail(f"{each.name}: {each.published.reason}")
    wanted = [each for each in files if each.suggested]
    if wanted:
        console.say("to sync the libraries that are not configured yet, add to tokensync.toml:")
        for each in wanted:
            console.result("", "[[files]]", f'name = "{each.suggested}"', f'key = "{each.key}"')
    elif not any(each.published and each.published.variables for each in files):
        console.say("no file of the team is known to publish variables (-v shows why)")


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
        "branches": [{"key": each.key, "name": each.name} for each in file.branches],
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


def _use_row(use: Use) -> tuple[str, ...]:
    return (_token_name(use) or use.variable, use.member, use.node, " / ".join(use.path))


def _token_name(use: Use) -> str | None:
    return None if use.token is None else f"{use.token.key.collection}.{use.token.key.path}"
