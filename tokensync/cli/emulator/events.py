"""``tokensync emulator events`` and ``tokensync emulator publish``: what webhooks are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import key_of, on_state
from tokensync.commands.emulator import KINDS
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator


@click.group("events")
def command() -> None:
    """Raise webhook events, let time pass, list deliveries."""


@command.command("raise")
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
@on_state
@options.console
def raise_(kind: str, file: str, console: Console, emulator: Emulator, **details: Any) -> None:
    """Raise an event of a file and deliver it to its webhooks."""
    from tokensync.commands.emulator import Details, raise_event

    heard = raise_event(emulator, kind.upper(), key_of(emulator, file), Details(**details))
    console.say(f"raised {kind.upper()} for {counted(heard, 'webhook')}")
    _deliver(emulator, console)


@command.command("advance")
@click.argument("span", metavar="TIME")
@on_state
@options.console
def advance(span: str, console: Console, emulator: Emulator) -> None:
    """Let TIME pass, and deliver what is due then. TIME is 90s, 30m, 3h, 7d; due are retries, and FILE_UPDATE
    after half an hour.

    Every process with this state goes by the clock that is moved.
    """
    from tokensync.commands.emulator import seconds
    from tokensync.emulator.endpoints.answers import timestamp

    console.say(f"it is {timestamp(emulator.clock.advance(seconds(span)))} now")
    _deliver(emulator, console)


@command.command("deliver")
@on_state
@options.console
def deliver(console: Console, emulator: Emulator) -> None:
    """Deliver what is due. An emulator that is being served does this by itself."""
    _deliver(emulator, console)


@command.command("list")
@options.json
@on_state
@options.console
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List events that are waiting to be delivered or retried."""
    from tokensync.emulator.endpoints.answers import timestamp

    waiting = [{**each._asdict(), "due": timestamp(each.due)} for each in emulator.events.waiting()]
    if as_json:
        console.json(waiting)
        return
    rows = [(each["webhook"], each["event_type"], each["due"], str(each["failures"])) for each in waiting]
    console.table(("WEBHOOK", "EVENT", "DUE", "FAILURES"), *rows)


@click.command("publish")
@click.argument("file")
@click.option("--description", metavar="TEXT", help="The description of the publication.")
@on_state
@options.console
def publish(file: str, description: str | None, console: Console, emulator: Emulator) -> None:
    """Publish FILE as a library and notify its webhooks. FILE is a key, URL or name."""
    key = key_of(emulator, file)
    emulator.publish(key, description=description)
    console.say(f"published {key}")
    _deliver(emulator, console)


def _deliver(emulator: Emulator, console: Console) -> None:
    sent = emulator.deliver_due()
    if sent:
        console.say(f"sent {counted(sent, 'event')}")
