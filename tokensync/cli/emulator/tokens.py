"""``tokensync emulator tokens``: access tokens of every kind, and what their users may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import key_of, on_state

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.accounts.tokens import Token

_NO_PERMISSION = "none"


@click.group("tokens")
def command() -> None:
    """Create, list, change and revoke access tokens."""


_scopes = click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Repeatable.")
_legacy = click.option("--legacy", is_flag=True, help="Create a legacy token, which has no scopes.")
_account = click.option("--account", metavar="SEAT", help="The user's seat: full, dev, collab, view or guest.")
_permission = click.option(
    "--permission", metavar="WORD", help="The user's permission on files: owner, editor, viewer, or none for no access."
)
_admin = click.option("--admin/--no-admin", default=None, help="Make the user an admin of the organization, or not.")
_days = click.option(
    "--expires-in-days", type=float, metavar="DAYS", help="Days until the token expires; 0 or less means expired."
)


@command.command("create")
@click.option("--kind", type=click.Choice(["personal", "oauth", "plan"]), default="personal", show_default=True)
@_scopes
@_legacy
@_days
@_account
@_permission
@_admin
@click.option("--user", metavar="ID", help="The owner; by default a new user.")
@click.option("--name", metavar="TEXT", default="token", show_default=True)
@options.json
@on_state
@options.console
def create(
    console: Console, emulator: Emulator, as_json: bool, scopes: tuple[str, ...], legacy: bool, **settings: Any
) -> None:
    """Create a token and show it. Without --scope it can read and write variables."""
    given = {name: value for name, value in settings.items() if value is not None} | _scopes_of(scopes, legacy)
    if "permission" in given:
        given["permission"] = _permission_of(given["permission"])
    secret = emulator.tokens.create(**given)
    if as_json:
        console.json(_document(emulator.tokens.of(secret)))
    else:
        console.result(secret)


@command.command("list")
@options.json
@on_state
@options.console
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List tokens with their secrets. They are valid for this emulator only."""
    tokens = emulator.tokens.all()
    if as_json:
        console.json([_document(each) for each in tokens])
        return
    rows = [("TOKEN", "KIND", "NAME", "USER", "EXPIRES", "SCOPES"), *map(_row, tokens)]
    console.table(*rows)


@command.command("change")
@click.argument("token")
@_scopes
@_legacy
@_days
@_account
@_permission
@_admin
@click.option("--file", "file", metavar="FILE", help="Apply --permission to this file only; key, URL or name.")
@on_state
@options.console
def change(
    token: str,
    console: Console,
    emulator: Emulator,
    scopes: tuple[str, ...],
    legacy: bool,
    expires_in_days: float | None,
    account: str | None,
    permission: str | None,
    admin: bool | None,
    file: str | None,
) -> None:
    """Change the permissions of a token or its user."""
    if file is not None and permission is None:
        raise click.UsageError("--file says where --permission is; give both.")
    wanted = _scopes_of(scopes, legacy)
    if not wanted and (expires_in_days, account, permission, admin) == (None, None, None, None):
        raise click.UsageError("There is nothing to change; give --scope, --account or the like.")
    tokens = emulator.tokens
    tokens.of(token)
    for given in wanted.values():
        tokens.set_scopes(token, given)
    if expires_in_days is not None:
        tokens.set_expiry(token, expires_in_days)
    if account is not None:
        tokens.set_account(token, account)
    if admin is not None:
        tokens.set_admin(token, admin)
    if permission is not None and file is not None:
        tokens.permit(token, key_of(emulator, file), _permission_of(permission))
    elif permission is not None:
        tokens.set_permission(token, _permission_of(permission))
    console.say("changed")


@command.command("revoke")
@click.argument("token")
@on_state
@options.console
def revoke(token: str, console: Console, emulator: Emulator) -> None:
    """Revoke a token."""
    emulator.tokens.of(token)
    emulator.tokens.revoke(token)
    console.say("revoked")


def _scopes_of(scopes: tuple[str, ...], legacy: bool) -> dict[str, tuple[str, ...] | None]:
    """Return what the two options say, as the argument ``scopes``; nothing when neither is given."""
    if legacy and scopes:
        raise click.UsageError("--legacy is without scopes; leave out --scope.")
    if legacy:
        return {"scopes": None}
    return {"scopes": scopes} if scopes else {}


def _permission_of(word: str) -> str | None:
    return None if word == _NO_PERMISSION else word


def _document(token: Token) -> dict[str, Any]:
    named = token._asdict()
    return {"token": named.pop("secret"), **named, "expires": _time(token)}


def _row(token: Token) -> tuple[str, ...]:
    scopes = "(legacy)" if token.scopes is None else " ".join(token.scopes)
    return (token.secret, token.kind, token.name, token.user, _time(token), scopes)


def _time(token: Token) -> str:
    from tokensync.emulator.endpoints.answers import timestamp

    return timestamp(token.expires)
