"""``tokensync webhooks``: manage webhooks, and run a command when a library is published."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.options import connected
from tokensync.extract.client.endpoints import EVENTS

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.extract.client.groups import Webhook

_team = click.option("--team", metavar="ID", help="Cover all files of a team, except those in invite-only folders.")
_folder = click.option("--folder", metavar="ID", help="Cover all files of a folder.")
_passcode = click.option(
    "--passcode-env",
    metavar="NAME",
    required=True,
    help="The environment variable with the passcode that every event carries.",
)


@click.group("webhooks", cls=options.Group)
def webhooks_command() -> None:
    """Manage webhooks, and run a command for their events."""


@webhooks_command.command("create")
@click.option("--endpoint", metavar="URL", required=True, help="The URL that receives the events.")
@_passcode
@click.option(
    "--event",
    type=click.Choice(EVENTS, case_sensitive=False),
    default="LIBRARY_PUBLISH",
    show_default=True,
    help="The event type.",
)
@_team
@_folder
@click.option("--paused", is_flag=True, help="Create the webhook paused; it sends nothing, not even the PING.")
@click.option("--description", metavar="TEXT", help="The description, at most 150 characters.")
@options.platform
@options.files
@options.result
def create(
    endpoint: str,
    passcode_env: str,
    event: str,
    team: str | None,
    folder: str | None,
    paused: bool,
    description: str | None,
    base_url: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> None:
    """Create a webhook. Observes a team, a folder or each configured file.

    --file takes a configured name, a key or a URL.
    """
    from tokensync.commands import webhooks

    address, passcode = webhooks.checked_endpoint(endpoint), webhooks.passcode_of(passcode_env)
    with connected(config, base_url, console) as (project, client):
        created = []
        for context in webhooks.contexts(project, files, team, folder):
            webhook = client.webhooks.create(
                event.upper(), context.kind, context.id, address, passcode, paused=paused, description=description
            )
            created.append(webhook)
            console.info(f"created webhook {webhook.id}: {webhook.event_type} of {context.name}")
        webhooks.deliver_embedded(project)
    if as_json:
        console.json([_document(webhook) for webhook in created])


@webhooks_command.command("list")
@_team
@_folder
@click.option(
    "--plan", metavar="ID", help="List all webhooks that you can manage in a plan: organization-ID or team-ID."
)
@options.platform
@options.files
@options.result
def list_(
    team: str | None,
    folder: str | None,
    plan: str | None,
    base_url: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> None:
    """List webhooks. Covers a team, a folder, a plan or the configured files."""
    from tokensync.commands import webhooks

    if plan is not None and (files or team or folder):
        raise click.UsageError("--plan excludes --team, --folder and --file; remove them.")
    with connected(config, base_url, console) as (project, client):
        if plan is not None:
            existing = [*client.webhooks.of_plan(plan)]
        else:
            contexts = webhooks.contexts(project, files, team, folder)
            existing = [each for context in contexts for each in client.webhooks.of_context(context.kind, context.id)]
    if as_json:
        console.json([_document(webhook) for webhook in existing])
        return
    console.table(
        ("ID", "STATUS", "EVENT", "CONTEXT", "ENDPOINT", "DESCRIPTION"),
        *map(_row, existing),
        optional=("DESCRIPTION", "CONTEXT"),
    )


@webhooks_command.command("pause")
@click.argument("webhook_id", metavar="ID")
@options.platform
@options.console
def pause(webhook_id: str, base_url: str | None, config: str | None, console: Console) -> None:
    """Pause a webhook."""
    _set_status(webhook_id, "PAUSED", base_url, config, console)


@webhooks_command.command("resume")
@click.argument("webhook_id", metavar="ID")
@options.platform
@options.console
def resume(webhook_id: str, base_url: str | None, config: str | None, console: Console) -> None:
    """Resume a paused webhook. Events that occurred during the pause are lost."""
    _set_status(webhook_id, "ACTIVE", base_url, config, console)


@webhooks_command.command("delete")
@click.argument("webhook_id", metavar="ID")
@options.platform
@options.console
def delete(webhook_id: str, base_url: str | None, config: str | None, console: Console) -> None:
    """Delete a webhook."""
    with connected(config, base_url, console) as (_, client):
        client.webhooks.delete(webhook_id)
    console.info(f"deleted webhook {webhook_id}")


@webhooks_command.command("test")
@click.argument("webhook_id", metavar="ID")
@_passcode
@click.option(
    "--seconds",
    type=click.FloatRange(0, 600),
    default=30.0,
    show_default=True,
    help="Seconds to wait for the response.",
)
@options.platform
@options.console
def test(
    webhook_id: str, passcode_env: str, seconds: float, base_url: str | None, config: str | None, console: Console
) -> int:
    """PING a webhook's endpoint and show the response. Exits with 1 if it is not 200.

    Creates a temporary webhook in the same context, because Figma sends a PING only to new webhooks.
    """
    from tokensync.commands import webhooks

    passcode = webhooks.passcode_of(passcode_env)
    with connected(config, base_url, console) as (project, client):
        result = webhooks.ping(project, client, webhook_id, passcode, seconds=seconds)
    if result.succeeded:
        console.info(f"webhook {webhook_id}: the endpoint responded with 200")
        return 0
    what = f"the endpoint responded with {result.status}" if result.status else (result.error or "no response")
    console.failure(f"webhook {webhook_id}: {what}; check its endpoint and the passcode, and that the receiver runs")
    return 1


@webhooks_command.command("listen")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="The port; 0 picks a free one."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address; 0.0.0.0 listens on all networks.",
)
@_passcode
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice(EVENTS, case_sensitive=False),
    help="Run COMMAND only for this event type (repeatable; default: all types).",
)
@click.option(
    "--env",
    "passed",
    metavar="NAME",
    multiple=True,
    help="Pass this environment variable on to COMMAND, such as FIGMA_TOKEN (repeatable).",
)
@click.option("--health-path", metavar="PATH", help="Answer GET of this path with 200, such as /healthz.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@options.console
def listen(
    port: int,
    host: str,
    passcode_env: str,
    events: tuple[str, ...],
    passed: tuple[str, ...],
    health_path: str | None,
    program: tuple[str, ...],
    console: Console,
) -> None:
    """Receive events and run COMMAND for them. Runs it once for a burst of LIBRARY_PUBLISH events.

    Prints the endpoint as a line of JSON first. COMMAND receives the events as JSON on stdin, and the variables
    TOKENSYNC_EVENT_TYPE, TOKENSYNC_EVENT_COUNT and TOKENSYNC_FILE_KEYS. It does not receive the passcode, FIGMA_*
    variables, and tokens of GitHub, except for those named by --env.
    """
    from tokensync.commands import listening
    from tokensync.commands.listening import Listener, listen
    from tokensync.commands.webhooks import passcode_of

    passcode = passcode_of(passcode_env)
    environment = listening.environment_for(passcode_env, passed)
    kinds = tuple(event.upper() for event in events)
    listener = Listener(listening.resolved(program), environment, passcode, kinds, health_path)

    def started(endpoint: str) -> None:
        console.json_line({"endpoint": endpoint})
        console.info(f"listening at {endpoint}; stop with Ctrl-C")

    options.end_as_by_ctrl_c()
    with suppress(KeyboardInterrupt):  # the regular end
        listen(listener, host, port, started=started, log=console.info)


def _set_status(webhook_id: str, status: str, base_url: str | None, config: str | None, console: Console) -> None:
    with connected(config, base_url, console) as (_, client):
        webhook = client.webhooks.set_status(webhook_id, status)
    console.info(f"webhook {webhook_id} is {webhook.status}")


def _document(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook as a JSON object, without its passcode and the secrets of its endpoint."""
    shown = ("event_type", "context", "context_id", "status")
    return {
        "id": str(webhook.id),
        **{name: getattr(webhook, name) for name in shown},
        "endpoint": webhook.shown_endpoint,
        "description": webhook.description,
    }


def _row(webhook: Webhook) -> tuple[str, ...]:
    context = f"{(webhook.context or '').lower()} {webhook.context_id or ''}"
    description = webhook.description or ""
    return (str(webhook.id), webhook.status, webhook.event_type, context, webhook.shown_endpoint, description)
