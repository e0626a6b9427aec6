"""The options with which the commands below ``tokensync emulator`` name the state that they work on."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.emulator import Emulator


def on_state(command: Callable[..., Any]) -> options.Command:
    """Adds --state and -c; the command gets the ``emulator`` with that state."""

    @click.option("--state", metavar="FILE", help="The emulator's state; by default the project's own, in .tokensync/.")
    @options.config
    @wraps(command)
    def with_emulator(*arguments: Any, state: str | None, config: str | None, **given: Any) -> Any:
        from tokensync.commands.emulator import emulator_of

        with emulator_of(state, config) as emulator:
            return command(*arguments, emulator=emulator, **given)

    return with_emulator


def key_of(emulator: Emulator, file: str) -> str:
    """Return the key of a file that a command with ``on_state`` was given as a key, a URL or a configured name."""
    from tokensync.commands.emulator import configured_keys, file_key

    given = click.get_current_context().params
    return file_key(emulator, file, configured_keys(given["state"], given["config"]))
