"""``tokensync api``: every endpoint as a command, with its parameters as options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.client.endpoint import Endpoint, Parameter


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
        super().__init__(
            name, help=f"The platform's {words} endpoints.", short_help=", ".join(each.operation for each in endpoints)
        )
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
        from tokensync.commands.api import ask, ask_all, with_file
        from tokensync.project.connection import connect, project_for

        project = project_for(config, base_url)
        values = with_file(endpoint, _values(endpoint, typed), files, project)
        endpoint.request(values)  # a missing parameter is reported before anybody looks for credentials
        if endpoint.replaced_by is not None:
            console.say(f"{endpoint.name} is deprecated; use tokensync api {endpoint.replaced_by}")
        with connect(project, on_wait=console.say) as client:
            _print((ask_all if every else ask)(client, endpoint, values), console)
        return 0

    if takes_a_file(endpoint):
        call = options.key_of(call)
    made = click.command(
        endpoint.operation,
        help=_help(endpoint),
        short_help=endpoint.about,
        context_settings={"token_normalize_func": _kebab},
    )(call)
    made.params = [*map(_option, endpoint.parameters), *made.params]
    return made


def _print(body: bytes, console: Console) -> None:
    """Write JSON as JSON, and anything else line by line."""
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


def _endpoints() -> tuple[Endpoint, ...]:
    from tokensync.client.endpoints import ENDPOINTS

    return ENDPOINTS


_PREFIX = "parameter_"
"""Before the names under which click keeps them, so that none is that of an option of our own."""

_SECRETS = ("client_secret", "refresh_token", "token")
"""Parameters that other programs on this machine should not read from a command line."""
_METAVARS = {"text": "TEXT", "list": "TEXT,...", "number": "NUMBER", "boolean": "true|false", "json": "JSON|@FILE|-"}


def _kebab(name: str) -> str:
    """Return how names are spelled on the command line; the platform's own spelling is taken for it, too."""
    return name.replace("_", "-")


def _option(parameter: Parameter) -> click.Option:
    """Return the option of a parameter, such as ``--page-size NUMBER``."""
    secret = parameter.name in _SECRETS
    read = _secret if secret else _READERS.get(parameter.kind)
    return click.Option(
        [f"--{_kebab(parameter.name)}", _PREFIX + parameter.name],
        type=click.BOOL if parameter.kind == "boolean" else click.STRING,
        callback=None if read is None else lambda _, __, value: None if value is None else read(value),
        metavar="TEXT|@FILE|-" if secret else _METAVARS[parameter.kind],
        multiple=parameter.kind == "list",
        help=_about(parameter),
    )


def _about(parameter: Parameter) -> str:
    first = parameter.about.partition(" ")[0]
    about = (parameter.about if "_" in first else first[:1].upper() + parameter.about[1:]).rstrip(".") + "."
    if parameter.kind == "list":
        about += " Repeatable, or with commas."
    return about + "  [required]" if parameter.required else about


def _values(endpoint: Endpoint, typed: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that were given, by the platform's names."""
    import msgspec

    values: dict[str, Any] = {}
    for each in endpoint.parameters:
        value = typed[_PREFIX + each.name]
        if each.kind == "list":
            value = [part for item in value for part in item.split(",") if part] or None
        if value is not None:
            values[each.name] = msgspec.Raw(value) if each.kind == "json" and not endpoint.raw_body else value
    return values


def _number(text: str) -> int | float:
    """Return a whole number where it is one, so that it is sent without a decimal point."""
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
    """Return the JSON of a text, of ``@FILE``, or of standard input for ``-``."""
    import msgspec

    content = _content(text)
    try:
        msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"it is not JSON ({error}).") from None
    return content


def _content(text: str) -> bytes:
    if text == "-":
        return sys.stdin.buffer.read()
    if not text.startswith("@"):
        return text.encode("utf-8", "surrogateescape")
    try:
        with open(text[1:], "rb") as file:
            return file.read()
    except OSError as fault:
        raise click.BadParameter(f"{text[1:]}: it cannot be read ({fault.strerror}).") from None


def _secret(text: str) -> str:
    """Return a text, the first line of ``@FILE``, or of standard input for ``-``."""
    content = _content(text).decode("utf-8", "surrogateescape")
    return content.partition("\n")[0].strip() if text == "-" or text.startswith("@") else content


_READERS: dict[str, Callable[[str], Any]] = {"number": _number, "json": _json}
