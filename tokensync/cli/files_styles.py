"""``tokensync files styles``: what a migration to variables starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.connected import connected

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("styles")
@click.argument("file")
@options.base_url
@options.config
@options.json
@options.console
def command(file: str, base_url: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """List the styles that FILE publishes, with their values. Covers colour, text, effect and grid styles.

    FILE is the name of a configured file, a key or a URL. With --json the values are whole.
    """
    from tokensync.commands.files import in_words, styles
    from tokensync.wording import counted

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
    rows = [(each.item.style_type, each.item.name, in_words(each)) for each in found]
    if rows:
        console.table(("TYPE", "STYLE", "VALUE"), *rows)
    bound = sum(bool(each.variables) for each in found)
    console.say(f"{counted(len(found), 'style')}, {bound} of them bound to variables")
    return 0
