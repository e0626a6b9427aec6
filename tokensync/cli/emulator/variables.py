"""``tokensync emulator variables``: what designers do with variables in the editor, and no endpoint can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import on_state

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator


@click.group("variables")
def command() -> None:
    """A library's variables in other files, and text bound there."""


@command.command("use")
@click.argument("file_key")
@click.argument("library_key")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.json
@on_state
@options.console
def use(
    console: Console, emulator: Emulator, as_json: bool, file_key: str, library_key: str, names: tuple[str, ...]
) -> None:
    """Let a file use published variables of a library. By name, key or id; all without any. Shows their remote
    ids.
    """
    ids = emulator.variables.use(file_key, library_key, *names)
    if as_json:
        console.json(list(ids))
    else:
        console.result(*ids)


@command.command("update")
@click.argument("file_key")
@click.argument("library_key")
@on_state
@options.console
def update(console: Console, emulator: Emulator, file_key: str, library_key: str) -> None:
    """Take a library's latest publication into a file that uses it."""
    console.say(f"updated {emulator.variables.update(file_key, library_key)} variables in {file_key}")


@command.command("bind-font")
@click.argument("file_key")
@click.argument("variable_id")
@click.option("--unbind", is_flag=True, help="No such text is bound to it any more.")
@on_state
@options.console
def bind_font(console: Console, emulator: Emulator, file_key: str, variable_id: str, unbind: bool) -> None:
    """Bind text in a shared font to a string variable. No request can update it then: the font is the
    organization's.
    """
    emulator.variables.bind_to_shared_font(file_key, variable_id, bound=not unbind)
    console.say(f"{'released' if unbind else 'bound'} {variable_id} in {file_key}")
