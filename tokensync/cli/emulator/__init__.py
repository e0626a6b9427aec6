"""``tokensync emulator``: an emulator of the platform on this machine; its events, records and publications."""

from __future__ import annotations

import gc
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator import accounts, files
from tokensync.commands.emulator import KINDS
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator


_ago = click.option(
    "--ago", metavar="TIME", default="0s", show_default=True, help="The age of the entry, such as 90s, 30m, 3h or 7d."
)
_file = click.option("--file", "file", metavar="FILE", help="The file concerned: a key, a URL or a name.")


@click.group("events", cls=options.Group)
def events() -> None:
    """Raise and deliver webhook events, and advance the clock."""


@events.command("raise")
@click.argument("kind", type=click.Choice(KINDS, case_sensitive=False))
@click.option("--file", "file", metavar="FILE", required=True, help="The file: a key, a URL or a name.")
@click.option("--user", metavar="ID", help="The user who causes the event (default: the first user).")
@click.option("--description", metavar="TEXT", help="The description of a publication or version.")
@click.option("--text", metavar="TEXT", help="The text of a comment.")
@click.option(
    "--mention", "mentions", multiple=True, metavar="ID", help="A user that the comment mentions (repeatable)."
)
@click.option("--status", metavar="STATUS", help="A layer's status: NONE, READY_FOR_DEV or COMPLETED.")
@click.option("--node", metavar="ID", help="The layer.")
@click.option("--message", metavar="TEXT", help="The message about a layer's status.")
@click.option("--asset", metavar="KIND", help="The kind of published asset: components, styles or variables.")
@click.option("--created", multiple=True, metavar="NAME", help="The name of a newly published asset (repeatable).")
@click.option("--modified", multiple=True, metavar="NAME", help="The name of a changed asset (repeatable).")
@click.option("--deleted", multiple=True, metavar="NAME", help="The name of a deleted asset (repeatable).")
@options.emulator
def raise_(kind: str, file: str, console: Console, emulator: Emulator, **details: Any) -> None:
    """Raise an event of a file and deliver it to the file's webhooks."""
    from tokensync.commands.emulator import EventDetails, raise_event

    notified = raise_event(emulator, kind.upper(), options.file_key(emulator, file), EventDetails(**details))
    console.info(f"raised {kind.upper()} for {counted(notified, 'webhook')}")
    _deliver(emulator, console)


@events.command("advance")
@click.argument("span", metavar="TIME")
@options.emulator
def advance(span: str, console: Console, emulator: Emulator) -> None:
    """Advance the clock by TIME and deliver events that become due. TIME is a duration such as 90s, 30m, 3h or 7d.

    Retries and, after half an hour, FILE_UPDATE become due. All processes with the same state share the clock.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator.endpoints import timestamp

    console.info(f"the clock is at {timestamp(emulator.clock.advance(seconds(span)))}")
    _deliver(emulator, console)


@events.command("deliver")
@options.emulator
def deliver(console: Console, emulator: Emulator) -> None:
    """Deliver events that are due. A running emulator does this automatically."""
    _deliver(emulator, console)


@events.command("list")
@options.json
@options.emulator
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List events that wait for delivery or a retry."""
    from tokensync.emulator.endpoints import timestamp

    waiting = [{**each._asdict(), "due": timestamp(each.due)} for each in emulator.events.waiting()]
    if as_json:
        console.json(waiting)
        return
    rows = [(each["webhook"], each["event_type"], each["due"], str(each["failures"])) for each in waiting]
    console.table(("WEBHOOK", "EVENT", "DUE", "FAILURES"), *rows)


@click.command("publish")
@click.argument("file")
@click.option("--description", metavar="TEXT", help="The description of the publication.")
@options.emulator
def publish(file: str, description: str | None, console: Console, emulator: Emulator) -> None:
    """Publish FILE as a library and notify its webhooks. FILE is a key, URL or name."""
    key = options.file_key(emulator, file)
    emulator.publish(key, description=description)
    console.info(f"published {key}")
    _deliver(emulator, console)


@click.group("records", cls=options.Group)
def records() -> None:
    """Add sample entries to the logs and to discovery."""


@records.command("request")
@click.argument("event")
@click.option("--token", "secret", metavar="SECRET", help="The token of the request (default: the emulator's own).")
@click.option(
    "--source",
    type=click.Choice(["rest_api", "mcp_server"]),
    default="rest_api",
    show_default=True,
    help="The source of the request.",
)
@click.option("--ip", "address", metavar="IP", default="127.0.0.1", show_default=True, help="The client's address.")
@_file
@_ago
@options.emulator
def request(
    event: str,
    secret: str | None,
    source: str,
    address: str,
    file: str | None,
    ago: str,
    console: Console,
    emulator: Emulator,
) -> None:
    """Add a request to the developer logs. EVENT is a path such as /v1/me or a tool of an MCP server."""
    from tokensync.commands.emulator import seconds

    emulator.developer_logs.add(
        secret or emulator.default_token,
        event,
        source=source,
        file_key=None if file is None else options.file_key(emulator, file),
        address=address,
        ago=seconds(ago),
    )
    console.info(f"recorded a request to {event}")


@records.command("activity")
@click.argument("action")
@click.option("--user", metavar="ID", help="The user (default: the first user).")
@click.option("--app", "client", metavar="NAME", help="The app that the user used.")
@_file
@_ago
@options.emulator
def activity(
    action: str, user: str | None, client: str | None, file: str | None, ago: str, console: Console, emulator: Emulator
) -> None:
    """Add an ACTION, such as fig_file_view, to the activity logs.

    Without --file, it is an action on the organization.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator import people

    entity = None if file is None else {"type": "file", "key": options.file_key(emulator, file)}
    emulator.activity.add(action, entity=entity, actor=user or people.FIRST, client=client, ago=seconds(ago))
    console.info(f"recorded {action}")


@records.command("text")
@click.argument("text")
@click.option("--kind", default="design_text", show_default=True, help="The kind of text, such as annotation.")
@click.option("--node", metavar="ID", help="The layer.")
@click.option("--user", metavar="ID", help="The author (default: the first user).")
@_file
@_ago
@options.emulator
def text_(
    text: str,
    kind: str,
    node: str | None,
    user: str | None,
    file: str | None,
    ago: str,
    console: Console,
    emulator: Emulator,
) -> None:
    """Add a TEXT to discovery's text events. It appears there after an hour at the earliest."""
    from tokensync.commands.emulator import seconds
    from tokensync.emulator import people

    key = None if file is None else options.file_key(emulator, file)
    emulator.text_events.add(text, kind=kind, file_key=key, node=node, actor=user or people.FIRST, ago=seconds(ago))
    console.info(f"recorded a text ({kind})")


@click.command("organization")
@click.option("--plan", metavar="PLAN", help="The plan: starter, professional, organization or enterprise.")
@click.option("--governance/--no-governance", default=None, help="Set whether it has the add-on Governance+.")
@options.emulator
def organization(plan: str | None, governance: bool | None, console: Console, emulator: Emulator) -> None:
    """Change the emulator's organization. Logs and discovery need Enterprise, and most of them Governance+."""
    if plan is None and governance is None:
        raise click.UsageError("Nothing to change; give --plan, --governance or --no-governance.")
    if plan is not None:
        emulator.organization.set_plan(plan)
        console.info(f"the organization is on the plan {plan}")
    if governance is not None:
        emulator.organization.set_governance(governance)
        console.info(f"the organization has {'' if governance else 'no '}Governance+")


def _deliver(emulator: Emulator, console: Console) -> None:
    sent = emulator.deliver_due()
    if sent:
        console.info(f"sent {counted(sent, 'event')}")


@click.group("emulator", cls=options.Group)
def emulator_command() -> None:
    """Serve, seed and configure a local emulator of the platform."""


for _group in (
    *(accounts.apps, accounts.tokens, files.files, files.assets, files.variables),
    *(events, publish, records, organization),
):
    emulator_command.add_command(_group)


class _SeedsInOrder(click.Command):
    """A command that accepts any number of files after --seed, in order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse ``--seed=FILE`` as ``--seed FILE``, a flag and an argument."""
        spread = [part for each in args for part in (each.split("=", 1) if each.startswith("--seed=") else [each])]
        return super().parse_args(ctx, spread)


@emulator_command.command("serve", cls=_SeedsInOrder)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 picks a free one."
)
@click.option("--state", type=click.Path(), metavar="FILE", help="Store the state in FILE (default: in memory).")
@click.option("--seed", "_seed", is_flag=True, expose_value=False, help="Load the saved responses that follow.")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="The key of the next seeded file (repeatable).")
@click.option("--sample", is_flag=True, help="Publish a sample library of components and styles in each seeded file.")
@click.option("--tls", is_flag=True, help="Serve HTTPS with a new certificate, and print its path in the first line.")
@click.option("--rate-limits", is_flag=True, help="Enforce the platform's rate limits with status 429.")
@click.option("--event-retries", is_flag=True, help="Count the attempts of a webhook event in its member `retries`.")
@click.option("--faults", type=click.Path(), metavar="FILE", help="Inject faults from this script (docs/testing.md).")
@click.option("--clock", metavar="TIME", help="The initial clock time, such as 2026-03-01T12:00:00Z.")
@click.argument("seeds", nargs=-1, type=click.Path(), metavar="[FILE]...")
@options.console
def serve(
    port: int,
    state: str | None,
    seeds: tuple[str, ...],
    keys: tuple[str, ...],
    sample: bool,
    tls: bool,
    rate_limits: bool,
    event_retries: bool,
    faults: str | None,
    clock: str | None,
    console: Console,
) -> int:
    """Serve the emulator on 127.0.0.1. Prints a line of JSON first: base_url, token, file_keys.

    --seed takes several files: --seed harbor.local.json harbor.published.json. Saved responses contain no components
    and styles; with --sample, each file gets a library of them. With --tls, the line also has the certificate's path.
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
    with closing(Emulator(checked_state(state), rate_limits=rate_limits, event_retries=event_retries)) as emulator:
        if clock is not None:
            set_clock(emulator, clock)
        seed(emulator, files)
        if sample:
            add_sample_libraries(emulator, files)
        server = Server(with_faults(emulator, faults), "127.0.0.1", port, tls=tls)
        line = {
            "base_url": server.base_url,
            "token": emulator.default_token,
            "file_keys": list(emulator.files.keys()),
            **({"certificate": server.certificate} if tls else {}),
        }
        options.end_as_by_ctrl_c()
        with closing(server), emulator.delivering(), suppress(KeyboardInterrupt):  # the regular end
            console.json_line(line)
            console.info(f"serving {server.base_url}; stop with Ctrl-C")
            gc.enable()  # the server runs for days
            server.serve_forever()
    return 0


@emulator_command.command("seed")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
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
    from tokensync.commands.emulator import checked_state, embedded, read_seeds, seed
    from tokensync.emulator import Emulator

    if state is not None:
        files = read_seeds(paths, keys, report=console.problems)
        with closing(Emulator(checked_state(state))) as emulator:
            seed(emulator, files)
    else:
        from tokensync.project.configuration import load_project
        from tokensync.project.connection import configured

        project = load_project(config, checks_paths=False)
        configured_keys = [each.working_key for each in configured(project).values()]
        files = read_seeds(paths, keys or configured_keys, spare_keys=not keys, report=console.problems)
        with embedded(project) as emulator:
            seed(emulator, files)
    for file in files:
        console.info(f"seeded {file.key} with {file.name}")
    return 0


@emulator_command.command("openapi")
@options.console
def openapi(console: Console) -> None:
    """Print the emulator's OpenAPI 3.1 document."""
    from tokensync.emulator.services import document

    console.json(document())
