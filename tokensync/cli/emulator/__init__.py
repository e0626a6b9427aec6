"""``tokensync emulator``: an emulator of the platform on this machine."""

from __future__ import annotations

import gc
import signal
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.emulator import accounts, events, files, library

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.group("emulator", cls=options.Group)
def command() -> None:
    """Serve, seed and configure a local emulator of the platform."""


for _group in (
    *(accounts.apps, accounts.tokens, files.command, library.assets, library.variables),
    *(events.events, events.publish, events.records, events.organization),
):
    command.add_command(_group)


class _SeedsInOrder(click.Command):
    """A command that accepts any number of files after --seed, in order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse ``--seed=FILE`` as ``--seed FILE``, a flag and an argument."""
        spread = [part for each in args for part in (each.split("=", 1) if each.startswith("--seed=") else [each])]
        return super().parse_args(ctx, spread)


@command.command("serve", cls=_SeedsInOrder)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 picks a free one."
)
@click.option("--state", metavar="FILE", help="Store the state in FILE (default: in memory).")
@click.option("--seed", "_seed", is_flag=True, expose_value=False, help="Load the saved responses that follow.")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="The key of the next seeded file (repeatable).")
@click.option("--tls", is_flag=True, help="Serve HTTPS with a new certificate, and print its path in the first line.")
@click.option("--rate-limits", is_flag=True, help="Enforce the platform's rate limits with status 429.")
@click.option("--faults", metavar="FILE", help="Inject faults from this script (docs/testing.md).")
@click.option("--clock", metavar="TIME", help="The initial clock time, such as 2026-03-01T12:00:00Z.")
@click.argument("seeds", nargs=-1, metavar="[FILE]...")
@options.console
def serve(
    port: int,
    state: str | None,
    seeds: tuple[str, ...],
    keys: tuple[str, ...],
    tls: bool,
    rate_limits: bool,
    faults: str | None,
    clock: str | None,
    console: Console,
) -> int:
    """Serve the emulator on 127.0.0.1. Prints a line of JSON first: base_url, token, file_keys.

    --seed takes several files: --seed harbor.local.json harbor.published.json. Each file also gets a sample library of
    components and styles, which saved responses do not contain. With --tls, the line also has the certificate's path.
    """
    from tokensync.commands.emulator import (
        add_sample_libraries,
        checked_state,
        read_seeds,
        seed,
        set_clock,
        with_faults,
    )
    from tokensync.emulator import Emulator
    from tokensync.emulator.server import Server

    files = read_seeds(seeds, keys, report=console.problems)
    with closing(Emulator(checked_state(state), rate_limits=rate_limits)) as emulator:
        if clock is not None:
            set_clock(emulator, clock)
        seed(emulator, files)
        add_sample_libraries(emulator, files)
        server = Server(with_faults(emulator, faults), "127.0.0.1", port, tls=tls)
        line = {
            "base_url": server.base_url,
            "token": emulator.default_token,
            "file_keys": list(emulator.files.keys()),
            **({"certificate": server.certificate} if tls else {}),
        }
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with closing(server), emulator.delivering(), suppress(KeyboardInterrupt):  # the regular end
            console.json_line(line)
            console.info(f"serving {server.base_url}; stop with Ctrl-C")
            gc.enable()  # the server runs for days
            server.serve_forever()
    return 0


@command.command("seed")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="The key of the next file (repeatable).")
@options.state
@options.config
@options.console
def seed_(
    paths: tuple[str, ...], keys: tuple[str, ...], state: str | None, config: str | None, console: Console
) -> int:
    """Load saved responses into the emulator. Each local response may be followed by its published response.

    In a project, the files get the keys of the configured files, in order, unless --key specifies others.
    """
    from tokensync.commands.emulator import checked_state, read_seeds, seed
    from tokensync.emulator import Emulator
    from tokensync.project.connection import embedded_emulator

    if state is not None:
        files = read_seeds(paths, keys, report=console.problems)
        with closing(Emulator(checked_state(state))) as emulator:
            seed(emulator, files)
    else:
        from tokensync.project.configuration import load_project
        from tokensync.project.connection import configured

        project = load_project(config, checks_tokens=False)
        configured_keys = [each.working_key for each in configured(project).values()]
        files = read_seeds(paths, keys or configured_keys, spare_keys=not keys, report=console.problems)
        with embedded_emulator(project) as emulator:
            seed(emulator, files)
    for file in files:
        console.info(f"seeded {file.key} with {file.name}")
    return 0


@command.command("openapi")
@options.console
def openapi(console: Console) -> None:
    """Print the emulator's OpenAPI 3.1 document."""
    from tokensync.emulator.services import document

    console.json(document())
