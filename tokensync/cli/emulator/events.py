"""``tokensync emulator events`` and ``records``: what webhooks are told of, and what logs and discovery find."""

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
    "--ago", metavar="TIME", default="0s", show_default=True, help="How long ago, such as 90s, 30m, 3h or 7d."
)
_file = click.option("--file", "file", metavar="FILE", help="Key, URL or name of the file concerned.")


@click.group("events")
def events() -> None:
    """Raise webhook events, let time pass, list deliveries."""


@events.command("raise")
@click.argument("kind", type=click.Choice(KINDS, case_sensitive=False))
@click.option("--file", "file", metavar="FILE", required=True, help="Key, URL or name of the file.")
@click.option("--user", metavar="ID", help="The user who causes it; by default the first user.")
@click.option("--description", metavar="TEXT", help="The description of a publication or version.")
@click.option("--text", metavar="TEXT", help="The text of a comment.")
@click.option(
    "--mention", "mentions", multiple=True, metavar="ID", help="A user that the comment mentions (repeatable)."
)
@click.option("--status", metavar="WORD", help="A layer's status: NONE, READY_FOR_DEV or COMPLETED.")
@click.option("--node", metavar="ID", help="The layer.")
@click.option("--message", metavar="TEXT", help="The message about a layer's status.")
@click.option("--asset", metavar="KIND", help="The kind of asset that is published: components, styles or variables.")
@click.option("--created", multiple=True, metavar="NAME", help="The name of a newly published asset (repeatable).")
@click.option("--modified", multiple=True, metavar="NAME", help="The name of a changed asset (repeatable).")
@click.option("--deleted", multiple=True, metavar="NAME", help="The name of a deleted asset (repeatable).")
@options.emulator
def raise_(kind: str, file: str, console: Console, emulator: Emulator, **details: Any) -> None:
    """Raise an event of a file and deliver it to its webhooks."""
    from tokensync.commands.emulator import Details, raise_event

    heard = raise_event(emulator, kind.upper(), options.file_key(emulator, file), Details(**details))
    console.say(f"raised {kind.upper()} for {counted(heard, 'webhook')}")
    _deliver(emulator, console)


@events.command("advance")
@click.argument("span", metavar="TIME")
@options.emulator
def advance(span: str, console: Console, emulator: Emulator) -> None:
    """Let TIME pass, and deliver what is due then. TIME is 90s, 30m, 3h, 7d; due are retries, and FILE_UPDATE
    after half an hour.

    Every process with this state goes by the clock that is moved.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator.endpoints import timestamp

    console.say(f"it is {timestamp(emulator.clock.advance(seconds(span)))} now")
    _deliver(emulator, console)


@events.command("deliver")
@options.emulator
def deliver(console: Console, emulator: Emulator) -> None:
    """Deliver what is due. An emulator that is being served does this by itself."""
    _deliver(emulator, console)


@events.command("list")
@options.json
@options.emulator
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List events that are waiting to be delivered or retried."""
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
    console.say(f"published {key}")
    _deliver(emulator, console)


@click.group("records")
def records() -> None:
    """Add invented rows to the logs and to discovery."""


@records.command("request")
@click.argument("event")
@click.option("--token", "secret", metavar="SECRET", help="The token of the request; by default the emulator's own.")
@click.option("--source", type=click.Choice(["rest_api", "mcp_server"]), default="rest_api", show_default=True)
@click.option("--ip", "address", metavar="IP", default="127.0.0.1", show_default=True)
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
    """Add a request to the developer logs. EVENT is a path such as /v1/me, or the tool of an MCP server."""
    from tokensync.commands.emulator import seconds

    emulator.developer_logs.add(
        secret or emulator.default_token,
        event,
        source=source,
        file_key=None if file is None else options.file_key(emulator, file),
        address=address,
        ago=seconds(ago),
    )
    console.say(f"recorded a request to {event}")


@records.command("activity")
@click.argument("action")
@click.option("--user", metavar="ID", help="The user; by default the first user.")
@click.option("--app", "client", metavar="NAME", help="The app that was used.")
@_file
@_ago
@options.emulator
def activity(
    action: str,
    user: str | None,
    client: str | None,
    file: str | None,
    ago: str,
    console: Console,
    emulator: Emulator,
) -> None:
    """Add an ACTION to the activity logs. Such as fig_file_view: of a file, or without one of the
    organization.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator import people

    entity = None if file is None else {"type": "file", "key": options.file_key(emulator, file)}
    emulator.activity.add(action, entity=entity, actor=user or people.FIRST, client=client, ago=seconds(ago))
    console.say(f"recorded {action}")


@records.command("text")
@click.argument("text")
@click.option("--kind", default="design_text", show_default=True, help="Where the text is, such as annotation.")
@click.option("--node", metavar="ID", help="The layer.")
@click.option("--user", metavar="ID", help="Who wrote it; by default the first user.")
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
    """Add a TEXT to discovery's text events. They tell of it an hour later at the
    earliest.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator import people

    key = None if file is None else options.file_key(emulator, file)
    emulator.text_events.add(text, kind=kind, file_key=key, node=node, actor=user or people.FIRST, ago=seconds(ago))
    console.say(f"recorded a text ({kind})")


@click.command("organization")
@click.option("--plan", metavar="PLAN", help="starter, professional, organization or enterprise.")
@click.option("--governance/--no-governance", default=None, help="Whether it has the add-on Governance+.")
@options.emulator
def organization(plan: str | None, governance: bool | None, console: Console, emulator: Emulator) -> None:
    """Change the emulator's organization. Logs and discovery need Enterprise, and mostly Governance+."""
    if plan is None and governance is None:
        raise click.UsageError("There is nothing to change; give --plan, --governance or --no-governance.")
    if plan is not None:
        emulator.organization.set_plan(plan)
        console.say(f"the organization is on the plan {plan}")
    if governance is not None:
        emulator.organization.set_governance(governance)
        console.say(f"the organization has {'' if governance else 'no '}Governance+")


def _deliver(emulator: Emulator, console: Console) -> None:
    sent = emulator.deliver_due()
    if sent:
        console.say(f"sent {counted(sent, 'event')}")
