"""OAuth apps: how they are configured, and who uses them."""

from __future__ import annotations

import hashlib
import hmac
import re
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from tokensync.emulator import people, teams
from tokensync.emulator.tokens import SCOPES
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.emulator.store import Identities, Store


HTTPS_ONLY: Final = "tokensync.https_only"
"""The key of a WSGI environ whose plain HTTP request came to a server of HTTPS: it is refused, from wherever it is."""


def is_loopback(host: str) -> bool:
    """Return whether a host's name or address (an IPv6 one with or without brackets) is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


PRIVATE: Final = "private"
PUBLIC: Final = "public"
LEGACY: Final = "file_read"
"""The scope of apps from before there were others; a token of it has none, and is a legacy token."""

SELECTABLE: Final = (*(each for each in SCOPES if each != "org:developer_log_read"), LEGACY)
"""The scopes that an app can ask for: developer logs are for plan access tokens alone."""
_NOT_FOR_PUBLIC: Final = frozenset(("folders:read", "project_metadata:read", "projects:read"))
"""Scopes that cannot be used with public apps."""

_VISIBLE: Final = re.compile(r"[!-~]+")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")
_NOT_AN_APPS: Final = frozenset(("about", "blob", "data", "file", "filesystem", "javascript", "vbscript"))


def checked(**settings: Any) -> dict[str, Any]:
    """Return the settings as columns hold them. One that there is not, or whose value no app can have, is a
    UsageError.
    """
    unknown = settings.keys() - _CHECKS.keys()
    if unknown:
        raise UsageError(f"{min(unknown)}: an app has no such setting; use one of {', '.join(_CHECKS)}")
    columns = {name: _CHECKS[name](value) for name, value in settings.items()}
    if "scopes" in columns and "visibility" in columns:
        check_together(columns)
    return columns


def check_together(columns: Mapping[str, Any]) -> None:
    """A UsageError for scopes that are not for an app of this visibility."""
    wrong = _NOT_FOR_PUBLIC.intersection(str(columns["scopes"]).split())
    if columns["visibility"] == PUBLIC and wrong:
        raise UsageError(f"scopes: {', '.join(sorted(wrong))} cannot be used with public apps; leave out what is not")


def _scopes(scopes: Iterable[str]) -> str:
    given = tuple(dict.fromkeys(scopes))
    wrong = [each for each in given if each not in SELECTABLE]
    if wrong:
        raise UsageError(f"scopes: an app cannot have {', '.join(wrong)}; use some of {', '.join(SELECTABLE)}")
    return " ".join(given)


def _redirect_urls(urls: Iterable[str]) -> str:
    given = tuple(dict.fromkeys(urls))
    for each in given:
        if not _is_redirect(each):
            raise UsageError(
                f"redirect_urls: {each} cannot be one; use an https:// address, an http:// one on this machine, "
                "or one with a scheme of the app's own, without a fragment"
            )
    return " ".join(given)


def _is_redirect(url: str) -> bool:
    """Return whether a browser may be sent there with a code."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not _VISIBLE.fullmatch(url) or "#" in url or "@" in parts.netloc or parts.scheme in ("", *_NOT_AN_APPS):
        return False
    if parts.scheme in ("http", "https"):
        named = _HOST.fullmatch(f"[{host}]" if ":" in host else host) is not None
        return named and (parts.scheme == "https" or is_loopback(host))
    return True


def _visibility(word: str) -> str:
    if word not in (PRIVATE, PUBLIC):
        raise UsageError(f"visibility: no {word!r}; use {PRIVATE} or {PUBLIC}")
    return word


def _name(text: str) -> str:
    if not text.strip():
        raise UsageError("name: an app has one; give it")
    return text


_CHECKS: Final[dict[str, Callable[[Any], Any]]] = {
    "name": _name,
    "description": str,
    "logo": str,
    "redirect_urls": _redirect_urls,
    "scopes": _scopes,
    "visibility": _visibility,
    "review_pages": int,
}


DRAFT: Final = "draft"
PUBLISHED_PRIVATE: Final = "private"
UNDER_REVIEW: Final = "under review"
PUBLISHED_PUBLIC: Final = "public"
RE_REVIEW: Final = "re-review"
STATES: Final = (DRAFT, PUBLISHED_PRIVATE, UNDER_REVIEW, PUBLISHED_PUBLIC, RE_REVIEW)
"""Every state that an app can be in."""


class App(NamedTuple):
    """``team`` is the id of the team it is associated with; None is the organization. ``creator`` is a user's id.

    ``review_pages`` tells whether testing instructions and review pages are completed.
    """

    client_id: str
    name: str
    team: str | None
    creator: str
    description: str
    logo: str
    redirect_urls: tuple[str, ...]
    scopes: tuple[str, ...]
    visibility: str
    review_pages: bool
    state: str


class Created(NamedTuple):
    """What a new app's owner is shown; the secret is kept as a digest only, and never shown again, nor in a repr."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        return f"Created({self.client_id!r})"


class Apps:
    """Makes apps, and takes them from state to state."""

    def __init__(self, store: Store, identities: Identities) -> None:
        self._store = store
        self._identities = identities

    def create(
        self,
        name: str,
        *,
        team: str | None = None,
        creator: str = people.FIRST,
        redirect_urls: Iterable[str] = (),
        scopes: Iterable[str] = (),
        visibility: str = PRIVATE,
    ) -> Created:
        """Create a draft app of a team or of the organization. Its configuration may be incomplete."""
        configured = checked(name=name, redirect_urls=redirect_urls, scopes=scopes, visibility=visibility)
        with self._store.writing() as connection:
            people.known(connection, creator)
            if team is not None:
                teams.known_team(connection, team)
            (made,) = connection.execute("SELECT count(*) FROM oauth_apps").fetchone()
            client_id = self._identities.key("oauth app", str(made))[:22]
            secret = self._identities.key("oauth app's secret", str(made))
            columns = {
                "client_id": client_id,
                "team": team,
                "secret_digest": _digest(secret),
                "creator": creator,
                "description": "",
                "logo": "",
                "review_pages": 0,
                "state": DRAFT,
                **configured,
            }
            marks = ", ".join("?" for _ in columns)
            connection.execute(
                f"INSERT INTO oauth_apps ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608
                tuple(columns.values()),
            )
        return Created(client_id, secret)

    def configure(self, client_id: str, **changes: Any) -> str:
        """Change name, description, logo, redirect_urls, scopes, visibility or review_pages; the state after that.

        A change of a published public app needs approval again; one of its visibility makes any app a draft.
        """
        changed = checked(**changes)
        with self._store.writing() as connection:
            before = _columns(connection, client_id)
            if before is None:
                raise _unknown(client_id)
            check_together(before | changed)
            if changed.get("visibility", before["visibility"]) != before["visibility"]:
                changed["state"] = DRAFT
            elif before["state"] == PUBLISHED_PUBLIC and before | changed != before:
                changed["state"] = RE_REVIEW
            for name, value in changed.items():
                query = f"UPDATE oauth_apps SET {name} = ? WHERE client_id = ?"  # noqa: S608 - a name of app_settings
                connection.execute(query, (value, client_id))
            return str((before | changed)["state"])

    def publish(self, client_id: str) -> str:
        """Publish a private app without a review; the state after that."""
        return self._move(client_id, (DRAFT,), PUBLISHED_PRIVATE, PRIVATE)

    def submit(self, client_id: str) -> str:
        """Submit a public app for review, once its review pages are completed; the state after that."""
        return self._move(client_id, (DRAFT,), UNDER_REVIEW, PUBLIC)

    def approve(self, client_id: str) -> str:
        """Approve a public app, as the platform's operator does; the state after that."""
        return self._move(client_id, (UNDER_REVIEW, RE_REVIEW), PUBLISHED_PUBLIC, PUBLIC)

    def all(self) -> tuple[App, ...]:
        """Return every app, in the order in which they were made."""
        with self._store.reading() as connection:
            query = f"SELECT {_COLUMNS} FROM oauth_apps ORDER BY number"  # noqa: S608
            return tuple(_app(row) for row in connection.execute(query))

    def of(self, client_id: str) -> App:
        """Return an app; a UsageError when there is none of this client id."""
        with self._store.reading() as connection:
            app = find(connection, client_id)
        if app is None:
            raise _unknown(client_id)
        return app

    def _move(self, client_id: str, from_: tuple[str, ...], to: str, visibility: str) -> str:
        with self._store.writing() as connection:
            app = find(connection, client_id)
            if app is None:
                raise _unknown(client_id)
            if app.state not in from_ or app.visibility != visibility:
                what = f"a {app.visibility} app that is {app.state} cannot become {to}"
                raise UsageError(f"app {client_id}: {what}; move it to another state first")
            missing = [name for name in ("redirect_urls", "scopes") if not getattr(app, name)]
            if visibility == PUBLIC and not app.review_pages:
                missing.append("review_pages")
            if missing:
                raise UsageError(f"app {client_id}: its configuration lacks {', '.join(missing)}; give them first")
            connection.execute("UPDATE oauth_apps SET state = ? WHERE client_id = ?", (to, client_id))
        return to


def find(connection: sqlite3.Connection, client_id: str) -> App | None:
    """Return the app of this client id."""
    columns = _columns(connection, client_id)
    return None if columns is None else _app(columns.values())


def authenticated(connection: sqlite3.Connection, client_id: str, secret: str) -> App | None:
    """Return the app that this client id and secret belong to. It takes the same time whatever the secret is like."""
    row = connection.execute("SELECT secret_digest FROM oauth_apps WHERE client_id = ?", (client_id,)).fetchone()
    digest = row[0] if row else _digest("")
    same = hmac.compare_digest(digest, _digest(secret))
    return find(connection, client_id) if row and same else None


def is_public(connection: sqlite3.Connection, client_id: str | None) -> bool:
    """Return whether a token's app is a public one, for which some endpoints are closed."""
    app = None if client_id is None else find(connection, client_id)
    return app is not None and app.visibility == PUBLIC


def of_enterprise(connection: sqlite3.Connection, app: App) -> bool:
    """Return whether the team, or the organization by any of its teams, that an app belongs to is on the Enterprise
    plan.
    """
    query = "SELECT 1 FROM teams WHERE plan = 'enterprise' AND (? IS NULL OR id = ?)"
    return connection.execute(query, (app.team, app.team)).fetchone() is not None


_COLUMNS: Final = ", ".join(App._fields)


def _columns(connection: sqlite3.Connection, client_id: str) -> dict[str, Any] | None:
    query = f"SELECT {_COLUMNS} FROM oauth_apps WHERE client_id = ?"  # noqa: S608
    row = connection.execute(query, (client_id,)).fetchone()
    return None if row is None else dict(zip(App._fields, row, strict=True))


def _app(row: Iterable[Any]) -> App:
    app = App(*row)
    return app._replace(
        redirect_urls=tuple(str(app.redirect_urls).split()),
        scopes=tuple(str(app.scopes).split()),
        review_pages=bool(app.review_pages),
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _unknown(client_id: str) -> UsageError:
    return UsageError(f"app {client_id}: the emulator has none of this client id; make it first")
