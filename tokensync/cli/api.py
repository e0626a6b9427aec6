"""``tokensync api``: one command per endpoint, with the endpoint's parameters as options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.system.errors import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.extract.client.endpoints import Endpoint, Parameter


class _Groups(options.Group):
    """The groups of endpoints, in the order of the platform's documentation."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*dict.fromkeys(endpoint.group for endpoint in _endpoints())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the group, or the command of an HTTP method; None if there is no such group."""
        if cmd_name in _METHODS:
            return _request(cmd_name)
        endpoints = [endpoint for endpoint in _endpoints() if endpoint.group == cmd_name]
        return _Group(cmd_name, endpoints) if endpoints else None


class _Group(options.Group):
    """The operations of a group, each created when it is called."""

    def __init__(self, name: str, endpoints: list[Endpoint]) -> None:
        words = name.replace("-", " ")
        super().__init__(
            name, help=f"Figma's {words} endpoints.", short_help=", ".join(each.operation for each in endpoints)
        )
        self._endpoints = {endpoint.operation: endpoint for endpoint in endpoints}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._endpoints]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        endpoint = self._endpoints.get(cmd_name)
        return None if endpoint is None else _operation(endpoint)


@click.group("api", cls=_Groups, invoke_without_command=True)
@click.option("--list", "lists", is_flag=True, help="Print the method and path of every endpoint.")
@options.json_alone
@options.console
@click.pass_context
def api_command(context: click.Context, lists: bool, as_json: bool, console: Console) -> int:
    """Call any endpoint of Figma's API. Prints the JSON response.

    Usage: tokensync api GROUP OPERATION --PARAMETER VALUE, or tokensync api GET /v1/PATH for a path of any endpoint.
    """
    from tokensync.commands.api import address, endpoint_document

    if lists:
        if as_json:
            console.json([endpoint_document(endpoint) for endpoint in _endpoints()])
        else:
            console.result(*map(address, _endpoints()))
        context.exit(0)
    if context.invoked_subcommand is None:
        console.usage(context.get_help())
        context.exit(2)
    return 0


def _operation(endpoint: Endpoint) -> click.Command:
    from tokensync.commands.api import file_parameter

    @click.option(
        "--all",
        "every",
        is_flag=True,
        hidden=endpoint.paging is None,
        help="Fetch all pages and print their rows as one array.",
    )
    @options.result_to_file("-o", "--out")
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
        from tokensync.commands.api import call as call_endpoint
        from tokensync.commands.api import call_all_pages, with_file_key
        from tokensync.project.connection import connect, project_for

        project = project_for(config, base_url)
        values = with_file_key(endpoint, _values(endpoint, typed), files, project)
        endpoint.request(values)  # reports a missing parameter before credentials are looked up
        if endpoint.replaced_by is not None:
            console.info(f"{endpoint.name} is deprecated; use tokensync api {endpoint.replaced_by}")
        with connect(project, on_wait=console.info) as client:
            _print((call_all_pages if every else call_endpoint)(client, endpoint, values), console)
        return 0

    if file_parameter(endpoint):
        call = options.key_of(call)
    command = click.command(
        endpoint.operation,
        help=_help(endpoint),
        short_help=endpoint.about,
        context_settings={"token_normalize_func": _kebab},
    )(call)
    command.params = [*map(_option, endpoint.parameters), *command.params]
    return command


def _request(method: Any) -> click.Command:
    """Return the command of an HTTP method, which requests a path."""

    @click.argument("path", metavar="/PATH")
    @click.option("--field", "fields", multiple=True, metavar="NAME=VALUE", help="Add a parameter (repeatable).")
    @click.option("--json", "body", metavar="FILE", help="Send this JSON; - reads stdin.")
    @click.option("--all", "every", is_flag=True, help="Fetch all pages and print their rows as one array.")
    @options.result_to_file("-o", "--out")
    @options.base_url
    @options.config
    @options.console
    def request(
        path: str,
        fields: tuple[str, ...],
        body: str | None,
        every: bool,
        base_url: str | None,
        config: str | None,
        console: Console,
    ) -> None:
        from tokensync.commands.api import call, endpoint_at, rows_of

        content = None if body is None else _json("-" if body == "-" else f"@{body}")
        endpoint, values = endpoint_at(method, path, fields, content)
        with options.connected(config, base_url, console) as (_, client):
            _print((rows_of if every else call)(client, endpoint, values), console)

    about = f"Send a {method} request. A field is a query parameter, or with a body a member of its JSON object."
    return click.command(method, help=about)(request)


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def _print(body: bytes, console: Console) -> None:
    import msgspec

    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        console.result(*body.decode("utf-8", "replace").splitlines())
    else:
        console.json(msgspec.Raw(body))


def _help(endpoint: Endpoint) -> str:
    from tokensync.commands.api import address

    needs = [f"Requires scope {' or '.join(endpoint.scopes)}."] if endpoint.scopes else ["Requires no scope."]
    if endpoint.tier is not None:
        needs.append(f"Rate limit tier {endpoint.tier}.")
    paragraphs = [endpoint.about, address(endpoint), " ".join(needs)]
    if endpoint.replaced_by is not None:
        paragraphs.append(f"Deprecated: use tokensync api {endpoint.replaced_by}.")
    return "\n\n".join(paragraphs)


def _endpoints() -> tuple[Endpoint, ...]:
    from tokensync.extract.client.endpoints import ENDPOINTS

    return ENDPOINTS


_PREFIX = "parameter_"
"""Prefix of the names that click stores, so that no parameter collides with an option."""

_METAVARS = {"text": "TEXT", "list": "TEXT,...", "number": "NUMBER", "boolean": "true|false", "json": "JSON|@FILE|-"}


def _kebab(name: str) -> str:
    """Return a name as the command line spells it; click also applies this to what the user types."""
    return name.replace("_", "-")


def _option(parameter: Parameter) -> click.Option:
    read = _secret if parameter.secret else _READERS.get(parameter.kind)
    return click.Option(
        [f"--{_kebab(parameter.name)}", _PREFIX + parameter.name],
        type=click.BOOL if parameter.kind == "boolean" else click.STRING,
        callback=None if read is None else lambda _, __, value: None if value is None else read(value),
        metavar="TEXT|@FILE|-" if parameter.secret else _METAVARS[parameter.kind],
        multiple=parameter.kind == "list",
        help=_about(parameter),
    )


def _about(parameter: Parameter) -> str:
    first = parameter.about.partition(" ")[0]
    about = (parameter.about if "_" in first else first[:1].upper() + parameter.about[1:]).rstrip(".") + "."
    if parameter.kind == "list":
        about += " Repeatable or comma-separated."
    return about + "  [required]" if parameter.required else about


def _values(endpoint: Endpoint, typed: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    values: dict[str, Any] = {}
    for parameter in endpoint.parameters:
        value = typed[_PREFIX + parameter.name]
        if parameter.kind == "list":
            value = [part for item in value for part in item.split(",") if part] or None
        if value is not None:
            values[parameter.name] = msgspec.Raw(value) if parameter.kind == "json" and not endpoint.raw_body else value
    return values


def _number(text: str) -> int | float:
    """Return the number, as an int if it is whole, so that it is sent without a decimal point."""
    from math import isfinite

    try:
        number = float(text)
        whole = int(text) if text.lstrip("+-").isdecimal() else None
    except ValueError:
        number, whole = float("nan"), None
    if not isfinite(number):
        raise click.BadParameter(f"{text!r} is not a number.")
    return number if whole is None else whole


def _json(text: str) -> bytes:
    """Return JSON from a text, from ``@FILE``, or from stdin for ``-``."""
    import msgspec

    content = _content(text)
    try:
        msgspec.json.decode(content)
    except DECODE_ERRORS as error:
        raise click.BadParameter(f"Invalid JSON: {error}.") from None
    return content


def _content(text: str) -> bytes:
    if text == "-":
        return sys.stdin.buffer.read()
    if not text.startswith("@"):
        return text.encode("utf-8", "surrogateescape")
    try:
        with open(text[1:], "rb") as file:
            return file.read()
    except OSError as error:
        raise click.BadParameter(f"Cannot read {text[1:]}: {error.strerror}.") from None


def _secret(text: str) -> str:
    """Return the text, or the first line of ``@FILE``, or of stdin for ``-``."""
    content = _content(text).decode("utf-8", "surrogateescape")
    return content.partition("\n")[0].strip() if text == "-" or text.startswith("@") else content


_READERS: dict[str, Callable[[str], Any]] = {"number": _number, "json": _json}
