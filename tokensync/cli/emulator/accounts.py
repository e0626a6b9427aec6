"""``tokensync emulator tokens`` and ``tokensync emulator apps``: access tokens and OAuth apps in every state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.apps import App
    from tokensync.emulator.tokens import Token

NOBODY = "none"
"""The role of users who have no access."""


@click.group("tokens")
def tokens() -> None:
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


@tokens.command("create")
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
@options.emulator
def create_token(
    console: Console, emulator: Emulator, as_json: bool, scopes: tuple[str, ...], legacy: bool, **settings: Any
) -> None:
    """Create a token and show it. Without --scope it can read and write variables."""
    given = options.given(settings) | _scopes_of(scopes, legacy)
    if "permission" in given:
        given["permission"] = role_of(given["permission"])
    secret = emulator.tokens.create(**given)
    if as_json:
        console.json(_token_document(emulator.tokens.of(secret)))
    else:
        console.result(secret)


@tokens.command("list")
@options.json
@options.emulator
def list_tokens(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List tokens with their secrets. They are valid for this emulator only."""
    found = emulator.tokens.all()
    if as_json:
        console.json([_token_document(each) for each in found])
        return
    rows = [("TOKEN", "KIND", "NAME", "USER", "EXPIRES", "SCOPES"), *map(_token_row, found)]
    console.table(*rows)


@tokens.command("change")
@click.argument("token")
@_scopes
@_legacy
@_days
@_account
@_permission
@_admin
@click.option("--file", "file", metavar="FILE", help="Apply --permission to this file only; key, URL or name.")
@options.emulator
def change_token(
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
    emulator.tokens.of(token)
    for given in wanted.values():
        emulator.tokens.set_scopes(token, given)
    if expires_in_days is not None:
        emulator.tokens.set_expiry(token, expires_in_days)
    if account is not None:
        emulator.tokens.set_account(token, account)
    if admin is not None:
        emulator.tokens.set_admin(token, admin)
    if permission is not None and file is not None:
        emulator.tokens.permit(token, options.file_key(emulator, file), role_of(permission))
    elif permission is not None:
        emulator.tokens.set_permission(token, role_of(permission))
    console.say("changed")


@tokens.command("revoke")
@click.argument("token")
@options.emulator
def revoke_token(token: str, console: Console, emulator: Emulator) -> None:
    """Revoke a token."""
    emulator.tokens.of(token)
    emulator.tokens.revoke(token)
    console.say("revoked")


def _scopes_of(scopes: tuple[str, ...], legacy: bool) -> dict[str, tuple[str, ...] | None]:
    """Return the argument ``scopes`` that the two options make; none when neither is given."""
    if legacy and scopes:
        raise click.UsageError("--legacy is without scopes; leave out --scope.")
    if legacy:
        return {"scopes": None}
    return {"scopes": scopes} if scopes else {}


def role_of(word: str) -> str | None:
    """Return the role that an option or argument names."""
    return None if word == NOBODY else word


def _token_document(token: Token) -> dict[str, Any]:
    named = token._asdict()
    return {"token": named.pop("secret"), **named, "expires": _time(token)}


def _token_row(token: Token) -> tuple[str, ...]:
    scopes = "(legacy)" if token.scopes is None else " ".join(token.scopes)
    return (token.secret, token.kind, token.name, token.user, _time(token), scopes)


def _time(token: Token) -> str:
    from tokensync.emulator.endpoints import timestamp

    return timestamp(token.expires)


_redirect_urls = click.option("--redirect-url", "redirect_urls", multiple=True, metavar="URL", help="Repeatable.")
_app_scopes = click.option(
    "--scope", "scopes", multiple=True, metavar="SCOPE", help="A scope that the app may request (repeatable)."
)
_visibility = click.option("--visibility", type=click.Choice(["private", "public"]), help="Private by default.")


@click.group("apps")
def apps() -> None:
    """Create, configure, publish, submit and approve OAuth apps."""


@apps.command("create")
@click.argument("name")
@click.option("--team", metavar="ID", help="The team that owns it; by default the organization.")
@click.option("--creator", metavar="ID", help="The user who created it; by default the emulator's first user.")
@_redirect_urls
@_app_scopes
@_visibility
@options.json
@options.emulator
def create_app(name: str, console: Console, emulator: Emulator, as_json: bool, **settings: Any) -> None:
    """Create a draft app and show its client secret once."""
    made = emulator.apps.create(name, **options.given(settings))
    if as_json:
        console.json(made._asdict())
        return
    console.result(f"client id: {made.client_id}", f"client secret: {made.client_secret}")
    console.say("the secret is not shown again; publish the app for it to work for others than its creator and admins")


@apps.command("configure")
@click.argument("client_id")
@click.option("--name", metavar="TEXT")
@click.option("--description", metavar="TEXT")
@click.option("--logo", metavar="URL")
@_redirect_urls
@_app_scopes
@_visibility
@click.option(
    "--review-pages/--no-review-pages", default=None, help="Mark testing instructions and review pages as complete."
)
@options.emulator
def configure_app(client_id: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Change an app. A published public app then needs a new approval."""
    console.result(emulator.apps.configure(client_id, **options.given(settings)))


@apps.command("list")
@options.json
@options.emulator
def list_apps(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List apps with their states, without secrets."""
    found = emulator.apps.all()
    if as_json:
        console.json([each._asdict() for each in found])
    elif found:
        console.table(("CLIENT ID", "NAME", "VISIBILITY", "STATE", "SCOPES"), *map(_app_row, found))


def _app_row(app: App) -> tuple[str, ...]:
    return (app.client_id, app.name, app.visibility, app.state, " ".join(app.scopes))


def _mover(name: str, about: str) -> None:
    """Add a command that takes an app to its next state and prints that state."""

    @click.argument("client_id")
    @options.emulator
    def move(client_id: str, console: Console, emulator: Emulator) -> None:
        to_next: Callable[[str], str] = getattr(emulator.apps, name)
        console.result(to_next(client_id))

    apps.command(name, help=about)(move)


_mover("publish", "Publish a private app: it works for its team or organization.")
_mover("submit", "Submit a public app for review.")
_mover("approve", "Approve a public app, as the platform's operator does.")
