"""``tokensync emulator records`` and ``organization``: what logs and discovery find, and who may look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import key_of, on_state

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator

_AGO = click.option(
    "--ago", metavar="TIME", default="0s", show_default=True, help="How long ago, such as 90s, 30m, 3h or 7d."
)
_FILE = click.option("--file", "file", metavar="FILE", help="Key, URL or name of the file concerned.")


@click.group("records")
def command() -> None:
    """Add invented rows to the logs and to discovery."""


@command.command("request")
@click.argument("event")
@click.option("--token", "secret", metavar="SECRET", help="The token of the request; by default the emulator's own.")
@click.option("--source", type=click.Choice(["rest_api", "mcp_server"]), default="rest_api", show_default=True)
@click.option("--ip", "address", metavar="IP", default="127.0.0.1", show_default=True)
@_FILE
@_AGO
@on_state
@options.console
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
        file_key=None if file is None else key_of(emulator, file),
        address=address,
        ago=seconds(ago),
    )
    console.say(f"recorded a request to {event}")


@command.command("activity")
@click.argument("action")
@click.option("--user", metavar="ID", help="The user; by default the first user.")
@click.option("--app", "client", metavar="NAME", help="The app that was used.")
@_FILE
@_AGO
@on_state
@options.console
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
    from tokensync.emulator.accounts import people

    entity = None if file is None else {"type": "file", "key": key_of(emulator, file)}
    emulator.activity.add(action, entity=entity, actor=user or people.FIRST, client=client, ago=seconds(ago))
    console.say(f"recorded {action}")


@command.command("text")
@click.argument("text")
@click.option("--kind", default="design_text", show_default=True, help="Where the text is, such as annotation.")
@click.option("--node", metavar="ID", help="The layer.")
@click.option("--user", metavar="ID", help="Who wrote it; by default the first user.")
@_FILE
@_AGO
@on_state
@options.console
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
    from tokensync.emulator.accounts import people

    key = None if file is None else key_of(emulator, file)
    emulator.text_events.add(text, kind=kind, file_key=key, node=node, actor=user or people.FIRST, ago=seconds(ago))
    console.say(f"recorded a text ({kind})")


@click.command("organization")
@click.option("--plan", metavar="PLAN", help="starter, professional, organization or enterprise.")
@click.option("--governance/--no-governance", default=None, help="Whether it has the add-on Governance+.")
@on_state
@options.console
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
