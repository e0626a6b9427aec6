"""``tokensync auth``: logs in, out, and tells who is logged in. No secret is an argument, since others see those."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.commands import auth
from tokensync.outlet import ask_secret

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.group("auth")
def command() -> None:
    """Log in to the platform, log out, show who is logged in."""


@command.command("login")
@options.base_url
@options.config
@click.option(
    "--client-id",
    envvar=auth.CLIENT_ID_VARIABLE,
    show_envvar=True,
    metavar="ID",
    help="The client id of your OAuth app.",
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="SCOPE",
    help=f"Ask for this (repeatable) in place of {', '.join(auth.SCOPES)}.",
)
@click.option(
    "--redirect-url",
    default=auth.REDIRECT_URL,
    show_default=True,
    metavar="URL",
    help="The redirect URL that is registered with the app.",
)
@click.option("--no-browser", is_flag=True, help="Print the address on stdout instead of opening a browser.")
@click.option(
    "--timeout",
    type=click.FloatRange(1, 3600),
    default=auth.WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for the browser.",
)
@click.option(
    "--token", is_flag=True, help="Store a personal access token instead; it is read from stdin or prompted for."
)
@options.console
def login(
    base_url: str | None,
    config: str | None,
    client_id: str | None,
    scopes: tuple[str, ...],
    redirect_url: str,
    no_browser: bool,
    timeout: float,
    token: bool,
    console: Console,
) -> None:
    """Log in through a browser, with your own OAuth app.

    The app's client secret is read from TOKENSYNC_OAUTH_CLIENT_SECRET, or asked for. What comes of it is kept in the
    system's keyring, or in a file that only you may read where there is none.
    """
    from tokensync.client.credentials import FOLDER_VARIABLE

    platform = _base_url(config, base_url)
    auth.check_platform(platform)
    if token:
        kept = auth.keep_token(platform, _secret("access token", ""))
    else:
        authorization = auth.begin(client_id or "", redirect_url, scopes)
        secret = _secret("client secret", auth.CLIENT_SECRET_VARIABLE)

        def show(address: str, opened: bool) -> None:
            if opened:
                console.say("allow access in the browser; waiting for its answer (--no-browser prints the address)")
            else:
                console.result(address)
                console.say("open this address in a browser on this machine; waiting for its answer")

        kept = auth.log_in(
            platform, authorization, secret, show=show, opens_browser=not no_browser, wait_seconds=timeout
        )
    who = kept.login.handle or kept.login.user
    if kept.unchecked:
        console.say(f"the token for {kept.place} is kept in {kept.where}, but was not checked: {kept.unchecked}")
    else:
        console.say(f"logged in to {kept.place}{f' as {who}' if who else ''}; kept in {kept.where}")
    if kept.in_file:
        why = f"{FOLDER_VARIABLE} says so" if os.environ.get(FOLDER_VARIABLE) else "there is no keyring"
        console.say(f"it is in a file that only you may read (mode 0600), since {why}")
    _mention_environment(console)


@command.command("status")
@options.base_url
@options.config
@options.json
@options.console
def status(base_url: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """Show which token is used and where it comes from. Exits with 1 when there is none."""
    import time

    from tokensync.client.base_url import resolve

    platform = _base_url(config, base_url)
    found = auth.status(platform, os.environ)
    place = resolve(platform).label
    if as_json:
        console.json(auth.document(found, place))
    elif found is None:
        console.result(f"{place.rstrip(':')}: not logged in")
    else:
        who = found.handle or found.user
        console.result(f"{place.rstrip(':')}: {_KINDS[found.kind]}{f' of {who}' if who else ''}, from {found.source}")
        if found.scopes:
            console.result(f"scopes: {' '.join(found.scopes)}")
        if found.expires is not None:
            then = "renews itself" if found.renewable else "is not renewed"
            console.result(f"expires: {auth.shown_time(found.expires)}, {then}")
    return 1 if found is None or found.expired(time.time()) else 0


@command.command("logout")
@options.base_url
@options.config
@options.console
def logout(base_url: str | None, config: str | None, console: Console) -> int:
    """Remove the stored login. The token stays valid until it expires or you revoke it on the platform."""
    removed, kept = auth.log_out(_base_url(config, base_url), os.environ)
    for each in removed:
        console.say(f"removed the login from {each}; revoke its access in the platform's settings, too")
    for each in kept:
        console.failure(f"{each}: it does not delete the login; remove that entry with the system's own program for it")
    if not removed and not kept:
        console.say("there was no stored login")
    _mention_environment(console)
    return 1 if kept else 0


_KINDS = {
    "emulator": "a token with every scope",
    "oauth": "an OAuth token",
    "personal": "a personal or plan access token",
}


def _base_url(config: str | None, base_url: str | None) -> str:
    from tokensync.project.connection import project_for

    return project_for(config, base_url).config.base_url


def _secret(what: str, variable: str) -> str:
    """Return a secret from the environment, from a person who is asked without an echo, or a line of stdin."""
    given = os.environ.get(variable, "") if variable else ""
    if not given.strip() and sys.stdin is not None and sys.stdin.isatty():
        given = ask_secret(what)
    elif not given.strip():
        given = sys.stdin.readline() if sys.stdin is not None else ""
    if not given.strip():
        other = f", or set {variable}" if variable else ""
        raise click.UsageError(f"the {what} is missing; give it on stdin{other}.")
    return given.strip()


def _mention_environment(console: Console) -> None:
    from tokensync.client import from_environment

    found = from_environment(os.environ)
    if found is not None:
        console.say(f"{found.source} is set and takes precedence over a stored login")
