"""The parameters of an endpoint as options of the command line, and what was typed as their values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.client.endpoint import Endpoint, Parameter

_PREFIX = "parameter_"
"""Before the names under which click keeps them, so that none is that of an option of our own."""


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
_METAVARS = {"text": "TEXT", "list": "TEXT,...", "number": "NUMBER", "boolean": "true|false", "json": "JSON|@FILE|-"}


_SECRETS = ("client_secret", "refresh_token", "token")
"""Parameters that other programs on this machine should not read from a command line."""


def kebab(name: str) -> str:
    """Return how names are spelled on the command line; the platform's own spelling is taken for it, too."""
    return name.replace("_", "-")


def option_of(parameter: Parameter) -> click.Option:
    """``--page-size NUMBER``."""
    secret = parameter.name in _SECRETS
    return click.Option(
        [f"--{kebab(parameter.name)}", _PREFIX + parameter.name],
        type=click.BOOL if parameter.kind == "boolean" else click.STRING,
        callback=_reading(_secret if secret else _READERS.get(parameter.kind)),
        metavar="TEXT|@FILE|-" if secret else _METAVARS[parameter.kind],
        multiple=parameter.kind == "list",
        help=_help(parameter),
    )


def values_of(endpoint: Endpoint, typed: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that were given, by the platform's names; they are taken out of what was typed."""
    values: dict[str, Any] = {}
    for each in endpoint.parameters:
        value = typed.pop(_PREFIX + each.name)
        if each.kind == "list":
            value = [part for item in value for part in item.split(",") if part] or None
        if value is not None:
            values[each.name] = value if endpoint.raw_body or each.kind != "json" else _verbatim(value)
    return values


def _reading(reader: Callable[[str], Any] | None) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return what click calls with a value that was typed, or None."""

    def read(_context: click.Context, _option: click.Parameter, value: Any) -> Any:
        return value if value is None or reader is None else reader(value)

    return read


def _verbatim(content: bytes) -> Any:
    import msgspec

    return msgspec.Raw(content)


def _help(parameter: Parameter) -> str:
    first = parameter.about.partition(" ")[0]
    about = (parameter.about if "_" in first else first[:1].upper() + parameter.about[1:]).rstrip(".") + "."
    if parameter.kind == "list":
        about += " Repeatable, or with commas."
    return about + "  [required]" if parameter.required else about
