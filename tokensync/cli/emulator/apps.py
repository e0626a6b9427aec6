"""``tokensync emulator apps``: OAuth apps, and every state that they can be in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import on_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.accounts.apps import App


@click.group("apps")
def command() -> None:
    """Create, configure, publish, submit and approve OAuth apps."""


_redirect_urls = click.option("--redirect-url", "redirect_urls", multiple=True, metavar="URL", help="Repeatable.")
_scopes = click.option(
    "--scope", "scopes", multiple=True, metavar="SCOPE", help="A scope that the app may request (repeatable)."
)
_visibility = click.option("--visibility", type=click.Choice(["private", "public"]), help="Private by default.")


@command.command("create")
@click.argument("name")
@click.option("--team", metavar="ID", help="The team that owns it; by default the organization.")
@click.option("--creator", metavar="ID", help="The user who created it; by default the emulator's first user.")
@_redirect_urls
@_scopes
@_visibility
@options.json
@on_state
@options.console
def create(name: str, console: Console, emulator: Emulator, as_json: bool, **settings: Any) -> None:
    """Create a draft app and show its client secret once."""
    made = emulator.apps.create(name, **_given(settings))
    if as_json:
        console.json(made._asdict())
        return
    console.result(f"client id: {made.client_id}", f"client secret: {made.client_secret}")
    console.say("the secret is not shown again; publish the app for it to work for others than its creator and admins")


@command.command("configure")
@click.argument("client_id")
@click.option("--name", metavar="TEXT")
@click.option("--description", metavar="TEXT")
@click.option("--logo", metavar="URL")
@_redirect_urls
@_scopes
@_visibility
@click.option(
    "--review-pages/--no-review-pages", default=None, help="Mark testing instructions and review pages as complete."
)
@on_state
@options.console
def configure(client_id: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Change an app. A published public app then needs a new approval."""
    console.result(emulator.apps.configure(client_id, **_given(settings)))


@command.command("list")
@options.json
@on_state
@options.console
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List apps with their states, without secrets."""
    apps = emulator.apps.all()
    if as_json:
        console.json([each._asdict() for each in apps])
    elif apps:
        console.table(("CLIENT ID", "NAME", "VISIBILITY", "STATE", "SCOPES"), *map(_row, apps))


def _row(app: App) -> tuple[str, ...]:
    return (app.client_id, app.name, app.visibility, app.state, " ".join(app.scopes))


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given at all."""
    return {name: value for name, value in settings.items() if value is not None and value != ()}


def _mover(name: str, about: str) -> None:
    """A command that takes an app to its next state and says which one that is."""

    @click.argument("client_id")
    @on_state
    @options.console
    def move(client_id: str, console: Console, emulator: Emulator) -> None:
        to_next: Callable[[str], str] = getattr(emulator.apps, name)
        console.result(to_next(client_id))

    command.command(name, help=about)(move)


_mover("publish", "Publish a private app: it works for its team or organization.")
_mover("submit", "Submit a public app for review.")
_mover("approve", "Approve a public app, as the platform's operator does.")
