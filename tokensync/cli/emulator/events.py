"""``tokensync emulator events`` and ``records``: webhook events, and entries of logs and discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.commands.emulator import KINDS
from tokensync.wording import counted

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
