"""``tokensync auth``. No secret is an argument, because other users can see a process's arguments."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.commands import auth
from tokensync.project.configuration import BASE_URL_VARIABLE
from tokensync.project.connection import project_for, refuse_foreign_server
from tokensync.system.child import CLIENT_SECRET_VARIABLE
from tokensync.system.errors import PlatformError
from tokensync.system.outlet import ask_secret, is_stdin_terminal

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.group("auth", cls=options.Group)
def auth_command() -> None:
    """Log in to Figma, log out, or show the current login."""


@auth_command.command("login")
@options.platform
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
    help=f"Request this scope (repeatable; default: {', '.join(auth.SCOPES)}).",
)
@click.option(
    "--redirect-url",
    default=auth.REDIRECT_URL,
    show_default=True,
    metavar="URL",
    help="The redirect URL registered with the app.",
)
@click.option("--no-browser", is_flag=True, help="Print the URL to stdout instead of opening a browser.")
@click.option(
    "--timeout",
    type=click.FloatRange(1, 3600),
    default=auth.WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Seconds to wait for the browser.",
)
@click.option(
    "--token", is_flag=True, help="Store a personal access token, read from stdin or a prompt, instead of using OAuth."
)
@click.option("--offline", is_flag=True, help="With --token: store the token without asking Figma whether it is valid.")
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
    offline: bool,
    console: Console,
) -> None:
    """Log in through a browser, with your own OAuth app.

    Reads the app's client secret from TOKENSYNC_OAUTH_CLIENT_SECRET, else from stdin or a prompt. Stores the login in
    the system's keyring or, if there is none, in a file of your user account.
    """
    if offline and not token:
        raise click.UsageError("--offline requires --token: a login through a browser needs Figma.")
    project = project_for(config, base_url)
    refuse_foreign_server(project, "a token or client secret", "run tokensync auth login --base-url {url}")
    platform = project.config.base_url
    auth.check_platform(platform)
    if token:
        try:
            stored = auth.store_token(platform, _secret("access token", ""), offline=offline)
        except PlatformError:
            console.failure("Figma did not confirm the token, so it was not stored; see the error below")
            raise
    else:
        authorization = auth.begin(client_id or "", redirect_url, scopes)
        secret = _secret("client secret", CLIENT_SECRET_VARIABLE)

        def show(address: str, opened: bool) -> None:
            if opened:
                console.info("waiting for you to allow access in the browser (--no-browser prints the URL instead)")
            else:
                console.result(address)
                console.info("open this URL in a browser on this machine; waiting for you to allow access")

        stored = auth.log_in(
            platform, authorization, secret, show=show, opens_browser=not no_browser, wait_seconds=timeout
        )
    user = stored.login.handle or stored.login.user
    if not stored.login.confirmed:
        console.info(f"stored the token for {stored.platform} in {stored.location}; Figma has not confirmed it")
    else:
        console.info(f"logged in to {stored.platform}{f' as {user}' if user else ''}; stored in {stored.location}")
    if stored.in_file:
        from tokensync.extract.client.credentials import CredentialStore

        store = CredentialStore(os.environ)
        console.info(f"it is {store.who_can_read}, because {store.why_file}")
    _mention_environment(console)


@auth_command.command("status")
@options.platform
@options.result
def status(base_url: str | None, config: str | None, as_json: bool, console: Console) -> int:
    """Show which access token is used and where it comes from. Exits with 1 if there is none."""
    import time

    from tokensync.extract.client import from_environment
    from tokensync.extract.client.addresses import resolve

    project = project_for(config, base_url)
    platform = project.config.base_url
    if token := from_environment(os.environ):
        refuse_foreign_server(project, token.source, f"set {BASE_URL_VARIABLE}={{url}}")
    current = auth.status(platform, os.environ)
    name = resolve(platform).label
    if as_json:
        console.json(auth.document(current, name))
    elif current is None:
        console.result(f"{name.rstrip(':')}: not logged in")
    else:
        user = current.handle or current.user
        owner = f" of {user}" if user else ""
        console.result(f"{name.rstrip(':')}: {_KINDS[current.kind]}{owner}, from {current.source}")
        if current.confirmed is False:
            console.result("confirmed: no, because it was stored with --offline")
        if current.scopes:
            console.result(f"scopes: {' '.join(current.scopes)}")
        if current.expires is not None:
            renewal = "renewed automatically" if current.renewable else "not renewed"
            console.result(f"expires: {auth.iso_minutes(current.expires)}, {renewal}")
    return 1 if current is None or current.expired(time.time()) else 0


@auth_command.command("logout")
@options.platform
@options.console
def logout(base_url: str | None, config: str | None, console: Console) -> int:
    """Remove the stored login. The token remains valid until it expires or you revoke it in Figma."""
    removed, retained = auth.log_out(project_for(config, base_url).config.base_url, os.environ)
    for location in removed:
        console.info(f"removed the login from {location}; also revoke its access in Figma's settings")
    for location in retained:
        console.failure(f"{location}: it did not delete the login; delete the entry with the system's keyring program")
    if not removed and not retained:
        console.info("no stored login")
    _mention_environment(console)
    return 1 if retained else 0


_KINDS = {
    "emulator": "a token with every scope",
    "oauth": "an OAuth token",
    "personal": "a personal or plan access token",
}


def _secret(label: str, variable: str) -> str:
    """Return a secret from the environment variable, else from a prompt without echo, else from a line of stdin."""
    secret = os.environ.get(variable, "") if variable else ""
    if not secret.strip() and is_stdin_terminal():
        secret = ask_secret(label)
    elif not secret.strip():
        secret = sys.stdin.readline() if sys.stdin is not None else ""
    if not secret.strip():
        alternative = f", or set {variable}" if variable else ""
        raise click.UsageError(f"The {label} is missing; provide it on stdin{alternative}.")
    return secret.strip()


def _mention_environment(console: Console) -> None:
    from tokensync.extract.client import from_environment

    credential = from_environment(os.environ)
    if credential is not None:
        console.info(f"{credential.source} is set and takes precedence over a stored login")
