"""``tokensync api``: a group of commands a group of endpoints, made from the table that the client uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.api_values import kebab, option_of, values_of

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.client.endpoint import Endpoint


class _Groups(click.Group):
    """The groups of endpoints, in the order of the platform's documentation."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every group."""
        return [*dict.fromkeys(each.group for each in _endpoints())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the group of that name, with a command an operation."""
        found = [each for each in _endpoints() if each.group == cmd_name]
        return _Group(cmd_name, found) if found else None


class _Group(click.Group):
    """The operations of a group; each is made when it is named."""

    def __init__(self, name: str, endpoints: list[Endpoint]) -> None:
        words = name.replace("-", " ")
        super().__init__(name, help=f"The platform's {words} endpoints.", short_help=_short(endpoints))
        self._endpoints = {each.operation: each for each in endpoints}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every operation."""
        return [*self._endpoints]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the operation of that name."""
        endpoint = self._endpoints.get(cmd_name)
        return None if endpoint is None else _operation(endpoint)


@click.group("api", cls=_Groups, invoke_without_command=True)
@click.option("--list", "lists", is_flag=True, help="Print the method and path of every endpoint.")
@options.json
@options.console
@click.pass_context
def command(context: click.Context, lists: bool, as_json: bool, console: Console) -> int:
    """Call any endpoint of the platform. GROUP OPERATION --parameter VALUE.

    The answer is printed as JSON. With --list, every endpoint is printed.
    """
    from tokensync.commands.api import address, listing

    if lists:
        if as_json:
            console.json([listing(each) for each in _endpoints()])
        else:
            console.result(*map(address, _endpoints()))
        context.exit(0)
    if context.invoked_subcommand is None:
        console.usage(context.get_help())
        context.exit(2)
    return 0


def _operation(endpoint: Endpoint) -> click.Command:
    """Return the command of an endpoint."""
    from tokensync.commands.api import takes_a_file

    @click.option("--all", "every", is_flag=True, hidden=endpoint.paging is None, help="Return the rows of all pages.")
    @options.base_url
    @options.config
    @options.console
    def call(
        every: bool,
        base_url: str | None,
        config: str | None,
        console: Console,
        files: tuple[str, ...] = (),
        **typed: Any,
    ) -> int:
        _answer(endpoint, values_of(endpoint, typed), console, every, base_url, files, config)
        return 0

    if takes_a_file(endpoint):
        call = options.key_of(call)
    made = click.command(
        endpoint.operation,
        help=_help(endpoint),
        short_help=endpoint.about,
        context_settings={"token_normalize_func": kebab},
    )(call)
    made.params = [*map(option_of, endpoint.parameters), *made.params]
    return made


def _answer(
    endpoint: Endpoint,
    values: dict[str, Any],
    console: Console,
    every: bool,
    base_url: str | None,
    files: tuple[str, ...],
    config: str | None,
) -> None:
    from tokensync.commands.api import ask, ask_all, with_file
    from tokensync.project.connection import connect, project_for

    project = project_for(config, base_url)
    complete = with_file(endpoint, values, files, project)
    endpoint.request(complete)  # what is missing is told before anybody looks for credentials
    if endpoint.replaced_by is not None:
        console.say(f"{endpoint.name} is deprecated; use tokensync api {endpoint.replaced_by}")
    with connect(project, on_wait=console.say) as client:
        body = (ask_all if every else ask)(client, endpoint, complete)
    _print(body, console)


def _print(body: bytes, console: Console) -> None:
    """JSON as JSON, a page line by line, nothing where the platform says nothing."""
    import msgspec

    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        console.result(*body.decode("utf-8", "replace").splitlines())
    else:
        console.json(msgspec.Raw(body))


def _help(endpoint: Endpoint) -> str:
    """Return what the endpoint does, where it is, and what a token needs for it."""
    from tokensync.commands.api import address

    needs = [f"Scope {' or '.join(endpoint.scopes)}."] if endpoint.scopes else ["Needs no scope."]
    if endpoint.tier is not None:
        needs.append(f"Rate limits of tier {endpoint.tier}.")
    paragraphs = [endpoint.about, address(endpoint), " ".join(needs)]
    if endpoint.replaced_by is not None:
        paragraphs.append(f"Deprecated: use tokensync api {endpoint.replaced_by}.")
    return "\n\n".join(paragraphs)


def _short(endpoints: list[Endpoint]) -> str:
    return ", ".join(each.operation for each in endpoints)


def _endpoints() -> tuple[Endpoint, ...]:
    from tokensync.client.endpoints import ENDPOINTS

    return ENDPOINTS
