"""``tokensync emulator``: the platform on this machine."""

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


@click.group("emulator")
def command() -> None:
    """Serve, fill and configure the platform on this machine."""


for _group in (
    *(accounts.apps, accounts.tokens, files.command, library.assets, library.variables),
    *(events.events, events.publish, events.records, events.organization),
):
    command.add_command(_group)


class _SeedsInOrder(click.Command):
    """Takes any number of files after --seed, in their order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse ``--seed=FILE`` as ``--seed FILE``; what follows --seed are arguments like any other."""
        spread = [part for each in args for part in (each.split("=", 1) if each.startswith("--seed=") else [each])]
        return super().parse_args(ctx, spread)


@command.command("serve", cls=_SeedsInOrder)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks a free port.")
@click.option("--state", metavar="FILE", help="Keep the state in FILE; otherwise in memory.")
@click.option("--seed", "_seed", is_flag=True, expose_value=False, help="Start with the saved responses that follow.")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="The key of the next seeded file (repeatable).")
@click.option("--tls", is_flag=True, help="Serve HTTPS with a new certificate; the first line of output has its path.")
@click.option("--rate-limits", is_flag=True, help="Refuse requests over the platform's limits with 429.")
@click.option("--faults", metavar="FILE", help="Inject faults from this script (docs/testing.md).")
@click.option("--clock", metavar="TIME", help="Initial clock time, such as 2026-03-01T12:00:00Z.")
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
    """Serve the platform on 127.0.0.1. The first line on stdout is JSON: base_url, token, file_keys.

    --seed takes several files: --seed harbor.local.json harbor.published.json; each gets a sample library of components
    and styles, since such responses hold none. With --tls the line has the path of the certificate to trust, too.
    """
    from tokensync.commands.emulator import furnish, read_seeds, seed, set_clock, with_faults
    from tokensync.emulator import Emulator
    from tokensync.emulator.server import Server

    wanted = read_seeds(seeds, keys)
    with closing(Emulator(state, rate_limits=rate_limits)) as emulator:
        if clock is not None:
            set_clock(emulator, clock)
        seed(emulator, wanted)
        furnish(emulator, wanted)
        server = Server(with_faults(emulator, faults), "127.0.0.1", port, tls=tls)
        line = {
            "base_url": server.base_url,
            "token": emulator.default_token,
            "file_keys": list(emulator.files.keys()),
            **({"certificate": server.certificate} if tls else {}),
        }
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with closing(server), emulator.delivering(), suppress(KeyboardInterrupt):  # how it ends
            console.json_line(line)
            console.say(f"serving {server.base_url}; stop with Ctrl-C")
            gc.enable()  # it runs for days
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
    """Load saved responses into the emulator. Give local ones, each followed by its published one if there is one.

    In a project, the files get the keys of the configured files, in order, unless --key names others.
    """
    from tokensync.commands.emulator import read_seeds, seed
    from tokensync.emulator import Emulator
    from tokensync.project.connection import embedded_emulator

    if state is not None:
        wanted = read_seeds(paths, keys)
        with closing(Emulator(state)) as emulator:
            seed(emulator, wanted)
    else:
        from tokensync.project.configuration import load_project
        from tokensync.project.connection import configured

        project = load_project(config, allow_outside=True)
        known = [each.working_key for each in configured(project).values()]
        wanted = read_seeds(paths, keys or known, spare_keys=not keys)
        with embedded_emulator(project) as emulator:
            seed(emulator, wanted)
    for each in wanted:
        console.say(f"seeded {each.key} with {each.name}")
    return 0


@command.command("openapi")
@options.console
def openapi(console: Console) -> None:
    """Print the emulator's OpenAPI 3.1 document."""
    from tokensync.emulator.openapi import document

    console.json(document())
