"""``tokensync audit``: requests by access token, and mentions of design tokens in text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.options import connected
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.audit import Audit, TokenUse
    from tokensync.project.configuration import Project

_SHOWN = 5
_MONTH_HOURS = 31 * 24


@click.group("audit", cls=options.Group, invoke_without_command=True)
@click.option(
    "--token",
    "names",
    multiple=True,
    metavar="NAME",
    help="Show only tokens or apps whose name starts with NAME (repeatable).",
)
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="MAIL",
    help="Show only tokens of users whose email starts with MAIL (repeatable).",
)
@click.option(
    "--ip",
    "addresses",
    multiple=True,
    metavar="IP",
    help="Show only requests from addresses that start with IP (repeatable).",
)
@click.option(
    "--type", "type_", type=click.Choice(["plan", "personal", "oauth"]), help="Show only tokens of this kind."
)
@click.option(
    "--source", type=click.Choice(["rest", "mcp"]), help="Show only requests to the REST API or from MCP servers."
)
@click.option("--secret-in", metavar="VARIABLE", help="Show only the token in this environment variable.")
@click.option(
    "--since", type=click.Choice(["24h", "7d", "30d"]), default="7d", show_default=True, help="The period to search."
)
@click.option(
    "--most", type=click.IntRange(1), default=5000, show_default=True, help="Maximum number of requests to read."
)
@options.base_url
@options.config
@options.json
@options.console
@click.pass_context
def audit_command(
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
    """List recent requests by access token. Reads the organization's developer logs.

    Requires a plan access token with the scope org:developer_log_read, owned by an admin of an Enterprise organization
    with Governance+.
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
        result = audit(client, filters, most)
    if as_json:
        console.json(_as_json(result))
    else:
        _show(result, console)
    return 0


@audit_command.command("texts")
@click.argument("terms", nargs=-1, metavar="[TERM]...")
@click.option("--hours", type=click.IntRange(1, _MONTH_HOURS), default=24, show_default=True, help="Hours to search.")
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
    """Find TERM in layers, comments, annotations and links.

    TERM defaults to the names of all tokens of the project. Requires an access token with the scope org:discovery_read,
    owned by an admin of an Enterprise organization with Governance+.
    """
    from tokensync.commands.audit import mentions

    with connected(config, base_url, console) as (project, client), console.progress() as progress:
        terms = terms or _token_names(project, files, console)
        matches = list(mentions(client, terms, hours, time.time(), progress=progress))
    if as_json:
        console.json([each._asdict() for each in matches])
        return 0
    if matches:
        rows = [(each.term, each.time or each.hour, each.kind, each.by, each.file, each.text) for each in matches]
        console.table(("TERM", "WHEN", "KIND", "BY", "FILE", "TEXT"), *rows, optional=("KIND", "BY"))
    console.info(f"{counted(len(matches), 'mention')} of {counted(len(terms), 'term')} in {counted(hours, 'hour')}")
    return 0


def _token_names(project: Project, files: Sequence[str], console: Console) -> tuple[str, ...]:
    from tokensync.normalize.mapping import name_of_path
    from tokensync.project.sources import from_project

    source = from_project(project, files)
    console.summarize(source.problems)
    live = (each for each in source.graph.tokens.values() if each.origin == "local")
    return tuple(dict.fromkeys(name_of_path(each.key.path) for each in live))


def _secret(variable: str) -> str:
    import os

    secret = os.environ.get(variable, "").strip()
    if not secret:
        raise click.UsageError(f"The environment variable {variable} is not set; set it to the token's secret.")
    return secret


def _list(texts: Sequence[str]) -> str | None:
    return ",".join(texts) or None


def _show(result: Audit, console: Console) -> None:
    for use in result.tokens:
        console.result(*_lines(use, everything=console.verbose))
    console.info(f"{counted(result.requests, 'request')} by {counted(len(result.tokens), 'token')}")
    if not result.complete:
        console.info("(more requests match; raise --most, or narrow the search with --since or --token)")


def _lines(use: TokenUse, *, everything: bool) -> Iterator[str]:
    from tokensync.system import outlet
    from tokensync.system.outlet.terminal import table

    owner = f" of {use.user}" if use.user else ""
    yield f"{use.token} ({use.type.replace('_', ' ')}{owner}): {counted(use.requests, 'request')}, last {use.last}"
    if use.addresses:
        yield f"  from {', '.join(use.addresses if everything else use.addresses[:_SHOWN])}"
    shown = use.calls if everything else use.calls[:_SHOWN]
    rows = [
        (str(each.requests), each.event, " ".join(filter(None, (each.resource, each.resource_name))), each.last)
        for each in shown
    ]
    width = outlet.width()
    yield from (f"  {each}" for each in table(rows, width and width - 2))
    if len(shown) < len(use.calls):
        yield f"  and {len(use.calls) - len(shown)} more; -v shows them"


def _as_json(result: Audit) -> dict[str, object]:
    return {
        "requests": result.requests,
        "complete": result.complete,
        "tokens": [{**each._asdict(), "calls": [call._asdict() for call in each.calls]} for each in result.tokens],
    }
