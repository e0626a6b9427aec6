"""``tokensync tokens unused``: by who uses them where the platform tells, else by what refers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.tokens import Token

_SAFE = "safe to delete: no file uses it, and no token that is needed refers to it"
_HIDDEN = "nothing refers to it, and it is hidden: only layers of its own file can use it"
_OPEN = "nothing refers to it; whether other files use it is not known"


@click.command("unused")
@click.option("--offline", is_flag=True, help="Do not contact the platform; list the tokens that no token refers to.")
@options.snapshot
@options.published
@options.project
@options.files
@options.json
@options.console
def command(
    offline: bool,
    snapshot: str | None,
    published: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """List unused tokens. No file uses them, and no used token refers to them.

    Where the platform does not tell who uses tokens, those that no token refers to.
    """
    options.check_snapshot(snapshot, published, config, files)
    if snapshot is not None or offline:
        found = _by_references(snapshot, published, config, files, console)
    else:
        found = _by_usage(config, files, console)
    if as_json:
        console.json(
            [
                {
                    "file": token.key.file,
                    "collection": token.key.collection,
                    "path": token.key.path,
                    "id": token.id,
                    "safe_to_delete": True if why == _SAFE else None,
                    "why": why,
                }
                for token, why in found
            ]
        )
        return 0
    for why in dict.fromkeys(why for _, why in found):
        console.say(f"{why}:")
        console.result(*(str(token.key) for token, each in found if each == why))
    if not found:
        console.say("no unused tokens were found")
    return 0


def _by_references(
    snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...], console: Console
) -> list[tuple[Token, str]]:
    from tokensync.commands.usage import unreferred
    from tokensync.project.sources import chosen_files, from_project, from_snapshot

    if snapshot is not None:
        source = from_snapshot(snapshot, published)
        wanted = {token.key.file for token in source.graph.tokens.values()}
    else:
        project = options.load_project(config)
        source = from_project(project)
        wanted = {each.name for each in chosen_files(project, files)}
    console.problems_in_short(source.problems)
    found = (token for token in unreferred(source.graph) if token.key.file in wanted)
    return [(token, _HIDDEN if token.hidden else _OPEN) for token in found]


def _by_usage(config: str | None, files: tuple[str, ...], console: Console) -> list[tuple[Token, str]]:
    """Return what analytics tells; where this token, plan or account may not ask it, what the graph tells."""
    from tokensync.commands.usage import usage
    from tokensync.errors import AccessError
    from tokensync.project.connection import connect

    project = options.load_project(config)
    try:
        with console.progress() as progress, connect(project, on_wait=console.say) as client:
            found: Any = usage(project, client, files, progress=progress)
    except AccessError as refused:
        console.say(f"usage is unknown: {refused}")
        return _by_references(None, None, config, files, console)
    console.problems_in_short(found.problems)
    return [(each.token, _SAFE) for each in found.rows if each.verdict == "safe to delete"]
