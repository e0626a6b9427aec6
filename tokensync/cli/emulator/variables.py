"""``tokensync emulator variables``: what designers do with variables in the editor, and no endpoint can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import key_of, on_state
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator


@click.group("variables")
def command() -> None:
    """Use a library's variables in other files, and bind text.

    FILE and LIBRARY are keys, URLs or names of files.
    """


@command.command("use")
@click.argument("file")
@click.argument("library")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.json
@on_state
@options.console
def use(file: str, library: str, names: tuple[str, ...], as_json: bool, console: Console, emulator: Emulator) -> None:
    """Let a file use published variables of a library. By name, key or id; all without any. Shows their remote
    ids.
    """
    ids = emulator.variables.use(key_of(emulator, file), key_of(emulator, library), *names)
    if as_json:
        console.json(list(ids))
    else:
        console.result(*ids)


@command.command("update")
@click.argument("file")
@click.argument("library")
@on_state
@options.console
def update(file: str, library: str, console: Console, emulator: Emulator) -> None:
    """Update a file to the latest publication of a library."""
    updated = emulator.variables.update(key_of(emulator, file), key_of(emulator, library))
    console.say(f"updated {counted(updated, 'variable')} in {file}")


@command.command("bind-font")
@click.argument("file")
@click.argument("variable_id", metavar="ID")
@click.option("--unbind", is_flag=True, help="Remove the binding.")
@on_state
@options.console
def bind_font(file: str, variable_id: str, unbind: bool, console: Console, emulator: Emulator) -> None:
    """Bind text in a shared font to a string variable. Requests can no longer update that variable: the font is the
    organization's.
    """
    emulator.variables.bind_to_shared_font(key_of(emulator, file), variable_id, bound=not unbind)
    console.say(f"{'released' if unbind else 'bound'} {variable_id} in {file}")
