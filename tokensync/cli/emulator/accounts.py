"""``tokensync emulator tokens`` and ``tokensync emulator apps``: access tokens and OAuth apps."""

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

NO_ROLE = "none"
"""The role of users without access."""


@click.group("tokens", cls=options.Group)
def tokens() -> None:
    """Create, list, change and revoke access tokens."""


_scopes = click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Grant this scope (repeatable).")
_legacy = click.option("--legacy", is_flag=True, help="Make it a legacy token, which has no scopes.")
_account = click.option("--account", metavar="SEAT", help="The user's seat: full, dev, collab, view or guest.")
_permission = click.option(
    "--permission", metavar="ROLE", help="The user's role on files: owner, editor, viewer, or none for no access."
)
_admin = click.option("--admin/--no-admin", default=None, help="Set whether the user is an admin of the organization.")
_days = click.option(
    "--expires-in-days", type=float, metavar="DAYS", help="Days until expiry; 0 or less for an expired token."
)


@tokens.command("create")
@click.option(
    "--kind",
    type=click.Choice(["personal", "oauth", "plan"]),
    default="personal",
    show_default=True,
    help="The kind of token.",
)
@_scopes
@_legacy
@_days
@_account
@_permission
@_admin
@click.option("--user", metavar="ID", help="The owner (default: a new user).")
@click.option("--name", metavar="TEXT", default="token", show_default=True, help="The token's name.")
@options.json
@options.emulator
def create_token(
    console: Console, emulator: Emulator, as_json: bool, scopes: tuple[str, ...], legacy: bool, **settings: Any
) -> None:
    """Create a token and print it. The default scopes are those to read and write variables."""
    arguments = options.specified(settings) | _scopes_of(scopes, legacy)
    if "permission" in arguments:
        arguments["permission"] = role_of(arguments["permission"])
    secret = emulator.tokens.create(**arguments)
    if as_json:
        console.json(_token_document(emulator.tokens.of(secret)))
    else:
        console.result(secret)


@tokens.command("list")
@options.json
@options.emulator
def list_tokens(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List tokens with their secrets. The secrets are valid only for this emulator."""
    tokens = emulator.tokens.all()
    if as_json:
        console.json([_token_document(each) for each in tokens])
        return
    console.table(
        ("TOKEN", "KIND", "NAME", "USER", "EXPIRES", "SCOPES"), *map(_token_row, tokens), optional=("EXPIRES", "USER")
    )


@tokens.command("change")
@click.argument("token")
@_scopes
@_legacy
@_days
@_account
@_permission
@_admin
@click.option("--file", "file", metavar="FILE", help="Limit --permission to this file: a key, a URL or a name.")
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
        raise click.UsageError("--file needs --permission; add --permission, or remove --file.")
    new_scopes = _scopes_of(scopes, legacy)
    if not new_scopes and (expires_in_days, account, permission, admin) == (None, None, None, None):
        raise click.UsageError("Nothing to change; give --scope, --account or another option.")
    emulator.tokens.of(token)
    if new_scopes:
        emulator.tokens.set_scopes(token, new_scopes["scopes"])
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
    console.info("changed")


@tokens.command("revoke")
@click.argument("token")
@options.emulator
def revoke_token(token: str, console: Console, emulator: Emulator) -> None:
    """Revoke a token."""
    emulator.tokens.of(token)
    emulator.tokens.revoke(token)
    console.info("revoked")


def _scopes_of(scopes: tuple[str, ...], legacy: bool) -> dict[str, tuple[str, ...] | None]:
    """Return the keyword argument ``scopes`` for the two options, or no argument without them."""
    if legacy and scopes:
        raise click.UsageError("--legacy excludes --scope; remove one of them.")
    if legacy:
        return {"scopes": None}
    return {"scopes": scopes} if scopes else {}


def role_of(word: str) -> str | None:
    """Return the role of a command-line word; None for no access."""
    return None if word == NO_ROLE else word


def _token_document(token: Token) -> dict[str, Any]:
    members = token._asdict()
    return {"token": members.pop("secret"), **members, "expires": _time(token)}


def _token_row(token: Token) -> tuple[str, ...]:
    scopes = "(legacy)" if token.scopes is None else " ".join(token.scopes)
    return (token.secret, token.kind, token.name, token.user, _time(token), scopes)


def _time(token: Token) -> str:
    from tokensync.emulator.endpoints import timestamp

    return timestamp(token.expires)


_redirect_urls = click.option(
    "--redirect-url", "redirect_urls", multiple=True, metavar="URL", help="A redirect URL (repeatable)."
)
_app_scopes = click.option(
    "--scope", "scopes", multiple=True, metavar="SCOPE", help="A scope that the app may request (repeatable)."
)
_visibility = click.option(
    "--visibility", type=click.Choice(["private", "public"]), help="The visibility (default: private)."
)


@click.group("apps", cls=options.Group)
def apps() -> None:
    """Create, configure, publish, submit and approve OAuth apps."""


@apps.command("create")
@click.argument("name")
@click.option("--team", metavar="ID", help="The team that owns the app (default: the organization).")
@click.option("--creator", metavar="ID", help="The user who creates the app (default: the emulator's first user).")
@_redirect_urls
@_app_scopes
@_visibility
@options.json
@options.emulator
def create_app(name: str, console: Console, emulator: Emulator, as_json: bool, **settings: Any) -> None:
    """Create a draft app. Prints its client secret, which is not shown again."""
    app = emulator.apps.create(name, **options.specified(settings))
    if as_json:
        console.json(app._asdict())
        return
    console.result(f"client id: {app.client_id}", f"client secret: {app.client_secret}")
    console.info("store the secret, which is not shown again; publish the app so that other users can log in")


@apps.command("configure")
@click.argument("client_id")
@click.option("--name", metavar="TEXT", help="The app's name.")
@click.option("--description", metavar="TEXT", help="The description.")
@click.option("--logo", metavar="URL", help="The logo.")
@_redirect_urls
@_app_scopes
@_visibility
@click.option(
    "--review-pages/--no-review-pages",
    default=None,
    help="Set whether testing instructions and review pages are complete.",
)
@options.emulator
def configure_app(client_id: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Change an app. Afterwards, a published public app needs a new approval."""
    console.result(emulator.apps.configure(client_id, **options.specified(settings)))


@apps.command("list")
@options.json
@options.emulator
def list_apps(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List apps and their states, without secrets."""
    apps = emulator.apps.all()
    if as_json:
        console.json([each._asdict() for each in apps])
    elif apps:
        console.table(("CLIENT ID", "NAME", "VISIBILITY", "STATE", "SCOPES"), *map(_app_row, apps))


def _app_row(app: App) -> tuple[str, ...]:
    return (app.client_id, app.name, app.visibility, app.state, " ".join(app.scopes))


def _add_transition(name: str, about: str) -> None:
    """Add a command that moves an app to its next state and prints the state."""

    @click.argument("client_id")
    @options.emulator
    def transition(client_id: str, console: Console, emulator: Emulator) -> None:
        method: Callable[[str], str] = getattr(emulator.apps, name)
        console.result(method(client_id))

    apps.command(name, help=about)(transition)


_add_transition("publish", "Publish a private app to its team or organization.")
_add_transition("submit", "Submit a public app for review.")
_add_transition("approve", "Approve a public app, as the platform's operator does.")
