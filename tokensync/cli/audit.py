"""``tokensync audit``: what access tokens did, and where somebody wrote of a design token."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.options import connected
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.audit import Audit, TokenUse
    from tokensync.project.configuration import Project

_SHOWN = 5
_MONTH_HOURS = 31 * 24


@click.group("audit", invoke_without_command=True)
@click.option(
    "--token", "names", multiple=True, metavar="NAME", help="Only tokens or apps whose name starts with NAME."
)
@click.option(
    "--user", "users", multiple=True, metavar="MAIL", help="Only tokens of users whose email starts with MAIL."
)
@click.option("--ip", "addresses", multiple=True, metavar="IP", help="Only requests from addresses that start with IP.")
@click.option("--type", "type_", type=click.Choice(["plan", "personal", "oauth"]), help="Only tokens of this kind.")
@click.option(
    "--source", type=click.Choice(["rest", "mcp"]), help="Only requests to the REST API, or from MCP servers."
)
@click.option("--secret-in", metavar="VARIABLE", help="Only the token in this environment variable.")
@click.option("--since", type=click.Choice(["24h", "7d", "30d"]), default="7d", show_default=True)
@click.option(
    "--most", type=click.IntRange(1), default=5000, show_default=True, help="Maximum number of requests to read."
)
@options.base_url
@options.config
@options.json
@options.console
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    users: tuple[str, ...],
    addresses: tuple[str, ...],
    type_: str | None,
    source: str | None,
    secret_in: str | None,
    since: str,
    most: int,
    base_url: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """List recent requests by access token. They come from the organization's developer logs.

    The token that asks has to be a plan access token with the scope org:developer_log_read, of an admin of an
    Enterprise organization with Governance+.
    """
    if context.invoked_subcommand is not None:
        return 0
    from tokensync.commands.audit import RANGES, SCOPE, audit

    filters = {
        "token": None if secret_in is None else _secret(secret_in),
        "token_name": _list(names),
        "user_email": _list(users),
        "ip_address": _list(addresses),
        "token_type": {"plan": "PLAN_ACCESS_TOKEN", "personal": "PERSONAL_ACCESS_TOKEN", "oauth": "OAUTH_TOKEN"}.get(
            type_ or ""
        ),
        "event_source": {"rest": "REST_API", "mcp": "MCP_SERVER"}.get(source or ""),
        "date_range": RANGES[since],
    }
    with connected(config, base_url, console, plan_scope=SCOPE) as (_, client), console.progress() as progress:
        progress("reading the developer logs")
        found = audit(client, filters, most)
    if as_json:
        console.json(_as_json(found))
    else:
        _show(found, console)
    return 0


@command.command("texts")
@click.argument("terms", nargs=-1, metavar="[TERM]...")
@click.option("--hours", type=click.IntRange(1, _MONTH_HOURS), default=24, show_default=True, help="How far back.")
@options.base_url
@options.config
@options.files
@options.json
@options.console
def texts(
    terms: tuple[str, ...],
    hours: int,
    base_url: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Find TERM in layers, comments, annotations and links. Searches the organization's text events.

    Without TERM, the names of all tokens of the project are looked for. The access token needs the scope
    org:discovery_read, of an admin of an Enterprise organization with Governance+.
    """
    from tokensync.commands.audit import mentions

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        wanted = terms or _token_names(project, files, console)
        found = list(mentions(client, wanted, hours, time.time(), progress=progress))
    if as_json:
        console.json([each._asdict() for each in found])
        return 0
    if found:
        rows = [(each.term, each.time or each.hour, each.kind, each.by, each.file, each.text) for each in found]
        console.table(("TERM", "WHEN", "KIND", "BY", "FILE", "TEXT"), *rows)
    console.say(f"{counted(len(found), 'mention')} of {counted(len(wanted), 'term')} in {counted(hours, 'hour')}")
    return 0


def _token_names(project: Project, files: Sequence[str], console: Console) -> tuple[str, ...]:
    """Return the names of the live tokens of a project's files, each once."""
    from tokensync.mapping import name_of_path
    from tokensync.project.sources import from_project

    source = from_project(project, files)
    console.problems_in_short(source.problems)
    live = (each for each in source.graph.tokens.values() if each.origin == "local")
    return tuple(dict.fromkeys(name_of_path(each.key.path) for each in live))


def _secret(variable: str) -> str:
    import os

    secret = os.environ.get(variable, "").strip()
    if not secret:
        raise click.UsageError(f"The environment variable {variable} is not set; put the token's secret there.")
    return secret


def _list(texts: Sequence[str]) -> str | None:
    return ",".join(texts) or None


def _show(found: Audit, console: Console) -> None:
    for each in found.tokens:
        console.result(*_lines(each, everything=console.verbose))
    console.say(f"{counted(found.requests, 'request')} of {counted(len(found.tokens), 'token')}")
    if not found.complete:
        console.say("(there are more; --most reads them, and --since or --token narrow the search)")


def _lines(use: TokenUse, *, everything: bool) -> Iterator[str]:
    from tokensync.cli.console import table

    owner = f" of {use.user}" if use.user else ""
    yield f"{use.token} ({use.type.replace('_', ' ')}{owner}): {counted(use.requests, 'request')}, last {use.last}"
    if use.addresses:
        yield f"  from {', '.join(use.addresses if everything else use.addresses[:_SHOWN])}"
    shown = use.calls if everything else use.calls[:_SHOWN]
    rows = [
        (f"  {each.requests}", each.event, " ".join(filter(None, (each.resource, each.resource_name))), each.last)
        for each in shown
    ]
    yield from table(rows)
    if len(shown) < len(use.calls):
        yield f"  and {len(use.calls) - len(shown)} more; -v shows them"


def _as_json(found: Audit) -> dict[str, object]:
    return {
        "requests": found.requests,
        "complete": found.complete,
        "tokens": [{**each._asdict(), "calls": [call._asdict() for call in each.calls]} for each in found.tokens],
    }
