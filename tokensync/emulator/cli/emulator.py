"""``tokensync emulator``: an emulator of the platform on this machine, and the operations on its state."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.emulator.cli.operations import (
    DURATIONS,
    GROUPS,
    HELP,
    OPERATIONS,
    ask,
    carry_out,
    carry_out_at,
    messages_about,
    operate,
    parameters_of,
    read_given,
)
from tokensync.emulator.cli.states import (
    add_sample_libraries,
    checked_state,
    configured_keys,
    open_emulator,
    read_faults,
    read_seeds,
    set_clock,
)
from tokensync.emulator.endpoints import QUIRKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.cli.operations import Operation, Parameter
    from tokensync.emulator.server import Server
    from tokensync.emulator.spaces import Spaces


_STATE = click.option(
    "--state",
    type=click.Path(),
    metavar="FILE",
    help="The emulator's state file (default: in the project's .tokensync/).",
)


_URL_VARIABLE = "TOKENSYNC_EMULATOR_URL"
_URL = click.option(
    "--url",
    metavar="URL",
    envvar=_URL_VARIABLE,
    help="The served emulator to ask, or one of its spaces, in place of a state file.",
)


def _command(operation: Operation) -> click.Command:
    """Return the command of an operation."""
    parameters = tuple(parameters_of(operation))

    @_STATE
    @_URL
    @options.config
    @options.console
    def run(
        console: Console, state: str | None, url: str | None, config: str | None, as_json: bool = False, **given: Any
    ) -> None:
        if state is not None and url is not None and url != os.environ.get(_URL_VARIABLE):
            raise click.UsageError("--url excludes --state; remove one of them.")
        documents = read_given(operation, given)
        if url is not None and state is None:
            outcome = carry_out_at(url, operation, documents)
        else:
            is_of_file = any(parameter.is_file for parameter in parameters)
            configured = configured_keys(state, config) if is_of_file else {}
            with open_emulator(state, config) as emulator:
                outcome = carry_out(operation, emulator, documents, configured)
        result = outcome.result
        if as_json:
            console.json(result)
            return
        if operation.columns:
            headings = [name.upper().replace("_", " ") for name in operation.columns]
            console.table(headings, *([_cell(row[name]) for name in operation.columns] for row in result))
        elif operation.lines is not None:
            console.result(*operation.lines(result))
        elif not operation.says:
            console.result(result)
        for message in messages_about(operation, given, outcome):
            console.info(message)

    command = options.json(run) if operation.columns or operation.lines is not None else run
    for parameter in reversed(parameters):
        command = _with_parameter(parameter)(command)
    about = (inspect.getdoc(operation.run) or "").replace("``", "").partition("\n\nRaise")[0]
    return click.command(operation.name.split()[-1], help=about)(command)


def _cell(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else "" if value is None else str(value)


def _with_parameter(parameter: Parameter) -> Callable[[options.Command], options.Command]:
    """Return the decorator that adds a parameter to a command."""
    kinds = {"integer": int, "number": float, "path": click.Path()}
    kind: Any = str if parameter.key in DURATIONS else kinds.get(parameter.kind, str)
    if not parameter.is_option:
        nargs = -1 if parameter.is_repeatable else 1
        return click.argument(parameter.name, type=kind, nargs=nargs, required=parameter.is_required)
    attributes: dict[str, Any] = {"type": kind, "multiple": parameter.is_repeatable}
    if parameter.kind in ("flag", "switch"):
        attributes = {"is_flag": True, "default": None}
    elif parameter.default is not None:
        attributes |= {"default": parameter.default, "show_default": True}
    about, is_required = HELP.get(parameter.name, f"The {parameter.name}."), parameter.is_required
    return click.option(parameter.option, parameter.name, help=about, required=is_required, **attributes)


@click.group("emulator", cls=options.Group)
def emulator_command() -> None:
    """Serve, seed and configure a local emulator of Figma's API."""


_groups = {name: options.Group(name, help=about) for name, about in GROUPS.items()}
for _group in _groups.values():
    emulator_command.add_command(_group)
for _operation in OPERATIONS:
    _name, _, _rest = _operation.name.partition(" ")
    (_groups[_name] if _rest else emulator_command).add_command(_command(_operation))


class _SeedsInOrder(click.Command):
    """A command that accepts any number of files after --seed, in order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse ``--seed=FILE`` as ``--seed FILE``, a flag and an argument."""
        spread = [part for word in args for part in (word.split("=", 1) if word.startswith("--seed=") else [word])]
        return super().parse_args(ctx, spread)


@emulator_command.command("serve", cls=_SeedsInOrder, context_settings={"auto_envvar_prefix": "TOKENSYNC_EMULATOR"})
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 picks a free one."
)
@click.option("--state", type=click.Path(), metavar="FILE", help="Store the state in FILE (default: in memory).")
@click.option("--seed", "_seed", is_flag=True, expose_value=False, help="Load the saved responses that follow.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="KEY",
    envvar="TOKENSYNC_EMULATOR_KEY",
    help="The key of the next seeded file (repeatable).",
)
@click.option("--sample", is_flag=True, help="Publish a sample library of components and styles in each seeded file.")
@click.option("--tls", is_flag=True, help="Serve HTTPS with a new certificate, and print its path in the first line.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address; 0.0.0.0 is every one."
)
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer requests for NAME (repeatable).")
@click.option("--tls-name", multiple=True, metavar="NAME", help="Serve HTTPS and proxy for NAME, too (repeatable).")
@click.option("--tls-ca", type=click.Path(), metavar="FOLDER", help="Sign certificates with the CA of FOLDER.")
@click.option("--rate-limits", is_flag=True, help="Enforce Figma's rate limits with status 429.")
@click.option(
    "--quirk",
    "quirks",
    multiple=True,
    type=click.Choice([*QUIRKS]),
    help="Behave as some say the service does, against its specification (repeatable; docs/testing.md).",
)
@click.option("--faults", type=click.Path(), metavar="FILE", help="Inject faults from this script (docs/testing.md).")
@click.option("--clock", metavar="TIME", help="The initial clock time, such as 2026-03-01T12:00:00Z.")
@click.option("--strict", is_flag=True, help="Refuse requests with a parameter or member that the emulator lacks.")
@click.option("--end-with-stdin", is_flag=True, help="End when stdin ends, such as with the program that started it.")
@click.option(
    "--control/--no-control",
    default=True,
    show_default=True,
    help="Answer requests below /_emulator/ for programs of this machine.",
)
@click.argument("seeds", nargs=-1, type=click.Path(), metavar="[FILE]...", envvar="TOKENSYNC_EMULATOR_SEED")
@options.console
def serve(console: Console, seeds: tuple[str, ...], keys: tuple[str, ...], state: str | None, **given: Any) -> int:
    """Serve the emulator on 127.0.0.1. Prints a line of JSON first: base_url, token, file_keys.

    --seed takes several files: --seed harbor.local.json harbor.published.json. Saved responses contain no components
    and styles; with --sample, each file gets a library of them. With --tls, the line also has the certificate's path.

    Each option is also an environment variable: TOKENSYNC_EMULATOR_PORT, TOKENSYNC_EMULATOR_ALLOW_HOST and so on.
    """
    from tokensync.emulator import Emulator
    from tokensync.emulator.server import Reach, Server
    from tokensync.emulator.spaces import Space, Spaces

    files = read_seeds(seeds, keys, report=console.problems)
    settings = {"rate_limits": given["rate_limits"], "quirks": given["quirks"]}
    with closing(Emulator(checked_state(state), **settings)) as emulator:
        if given["clock"] is not None:
            set_clock(emulator, given["clock"])
        emulator.seed_all(files)
        if given["sample"]:
            add_sample_libraries(emulator, files)
        space = Space(
            emulator,
            read_faults(given["faults"]),
            strict=given["strict"],
            resets=state is None,
            report=lambda entry: console.detail(str(entry)),
        )
        reach = Reach(given["host"], given["allow_host"], given["tls_name"], given["tls_ca"])
        spaces = Spaces(space, operate, is_controlled=given["control"])
        is_encrypted = given["tls"] or bool(reach.names or reach.authority)
        server = Server(spaces, given["port"], tls=is_encrypted, reach=reach)
        options.end_as_by_ctrl_c()
        with suppress(KeyboardInterrupt):  # stdin may have ended already
            if given["end_with_stdin"]:
                threading.Thread(target=_end_with_stdin, daemon=True).start()
            _serve(spaces, server, emulator, console)
    return 0


def _serve(spaces: Spaces, server: Server, emulator: Emulator, console: Console) -> None:
    """Print the line about a server and serve, until Ctrl-C, its regular end."""
    line = {"base_url": server.base_url, "token": emulator.default_token, "file_keys": list(emulator.files.keys())}
    with closing(spaces), server, spaces.serving(), suppress(KeyboardInterrupt):
        console.json_line(line | ({"certificate": server.certificate} if server.certificate else {}))
        console.info(f"serving {server.base_url}; stop with Ctrl-C")
        gc.enable()  # the server runs for days
        server.wait()


def _end_with_stdin() -> None:
    """End this process as Ctrl-C does when stdin ends: the system closes it even if the other program is killed."""
    while sys.stdin.buffer.read(65536):
        pass
    signal.raise_signal(signal.SIGTERM)  # a shell starts programs in the background with SIGINT ignored


@emulator_command.command("seed")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="The key of the next file (repeatable).")
@_STATE
@options.config
@options.console
def seed_(
    paths: tuple[str, ...], keys: tuple[str, ...], state: str | None, config: str | None, console: Console
) -> int:
    """Load saved responses into the emulator. Each local response may be followed by its published response.

    It may also be followed by the file's styles, as tokensync files styles --json prints them.

    In a project, the files get the keys of the configured files, in order, unless --key specifies others.
    """
    known = keys or [*configured_keys(state, config).values()]
    files = read_seeds(paths, known, spare_keys=not keys, report=console.problems)
    with open_emulator(state, config) as emulator:
        emulator.seed_all(files)
    for file in files:
        console.info(f"seeded {file.key} with {file.name}")
    return 0


@emulator_command.command("health")
@click.option("--url", metavar="URL", envvar=_URL_VARIABLE, help="The emulator's address (default: the port below).")
@click.option("--port", type=int, default=8000, show_default=True, envvar="TOKENSYNC_EMULATOR_PORT", help="Its port.")
@options.console
def health(url: str | None, port: int, console: Console) -> None:
    """Show whether a served emulator answers, for containers. Exits with 2 if it does not."""
    document = ask(url or f"http://127.0.0.1:{port}", "GET", "health")
    console.info(f"emulator {document['version']}: {document['status']}, up for {document['uptime']:.0f} s")


@emulator_command.command("openapi")
@options.console
def openapi(console: Console) -> None:
    """Print the emulator's OpenAPI 3.1 document."""
    from tokensync.emulator.services import document

    console.json(document())
