"""``tokensync logs``: requests in the developer logs, and texts that mention a term."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console

_TYPES = {"plan": "PLAN_ACCESS_TOKEN", "personal": "PERSONAL_ACCESS_TOKEN", "oauth": "OAUTH_TOKEN"}
_SOURCES = {"rest": "REST_API", "mcp": "MCP_SERVER"}


@click.group("logs", cls=options.Group, invoke_without_command=True)
@click.option("--token", "token_name", multiple=True, metavar="NAME", help="Prefix of token or app names (repeatable).")
@click.option("--user", "user_email", multiple=True, metavar="MAIL", help="Prefix of email addresses (repeatable).")
@click.option("--ip", "ip_address", multiple=True, metavar="IP", help="Prefix of IP addresses (repeatable).")
@click.option("--type", "token_type", type=click.Choice([*_TYPES]), help="Show only tokens of this kind.")
@click.option("--source", "event_source", type=click.Choice([*_SOURCES]), help="Show only REST or MCP requests.")
@click.option("--secret-in", metavar="VARIABLE", help="Show only the token in this environment variable.")
@click.option("--since", type=click.Choice(["24h", "7d", "30d"]), default="7d", show_default=True, help="The period.")
@click.option("--most", type=click.IntRange(1), default=5000, show_default=True, help="Maximum number of requests.")
@options.platform
@options.result
def logs_command(
    secret_in: str | None,
    since: str,
    most: int,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
    **filters: Any,
) -> None:
    """List recent API requests, latest first. Reads the developer logs.

    Requires a plan access token of an Enterprise admin with org:developer_log_read, and the add-on Governance+.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    from tokensync.commands.logs import search

    secret = None if secret_in is None else os.environ.get(secret_in, "").strip()
    if secret == "":
        raise click.UsageError(f"The environment variable {secret_in} is not set; set it to the token's secret.")
    parameters = {"token": secret, "date_range": f"LAST_{since.upper()}"}
    for name, value in filters.items():
        is_prefixes = isinstance(value, tuple)
        parameters[name] = ",".join(value) or None if is_prefixes else (_TYPES | _SOURCES).get(value)
    with options.connected(config, base_url, console, plan_scope="org:developer_log_read") as (_, client):
        items, more = search(client, parameters, most)
    if as_json:
        console.json(items)
    elif items:
        rows = [
            (
                item.timestamp,
                item.actor.token_name,
                item.actor.user_email or item.actor.user_name,
                item.context.ip_address,
                item.action.event_name,
                item.resource.name or item.resource.id_or_key,
            )
            for item in items
        ]
        console.table(("WHEN", "TOKEN", "USER", "IP", "REQUEST", "RESOURCE"), *rows, optional=("USER", "IP"))
    console.info(counted(len(items), "request"))
    if more:
        console.caveat("(more requests match; raise --most, or narrow the search with --since or --token)")


@logs_command.command("texts")
@click.argument("terms", nargs=-1, required=True, metavar="TERM...")
@click.option("--hours", type=click.IntRange(1, 744), default=24, show_default=True, help="Hours to search.")
@options.platform
@options.result
def texts(
    terms: tuple[str, ...], hours: int, base_url: str | None, config: str | None, as_json: bool, console: Console
) -> None:
    """Find TERM in layers, comments, annotations and links.

    Requires an access token of an Enterprise admin with org:discovery_read, and the add-on Governance+.
    """
    from tokensync.commands.logs import mentions

    with options.connected(config, base_url, console) as (_, client), console.progress() as progress:
        found = list(mentions(client, terms, hours, progress))
    if as_json:
        console.json([mention._asdict() for mention in found])
    elif found:
        rows = [(mention.term, mention.time, mention.kind, mention.by, mention.file, mention.text) for mention in found]
        console.table(("TERM", "WHEN", "KIND", "BY", "FILE", "TEXT"), *rows, optional=("KIND", "BY"))
    console.info(f"{counted(len(found), 'mention')} of {counted(len(terms), 'term')} in {counted(hours, 'hour')}")
