"""OAuth apps: their configuration, review states and credentials."""

from __future__ import annotations

import hashlib
import hmac
import re
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from tokensync.emulator import files, people
from tokensync.emulator.store import StateActions, required
from tokensync.emulator.tokens import SCOPES
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping


@lru_cache(maxsize=64)
def host_name(host: str) -> str:
    """Return the name or address in a Host header, in lower case and without port and brackets."""
    return re.sub(r":[0-9]*\Z", "", host).strip("[]").lower()


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Return whether a host name or address (IPv6 with or without brackets) is a loopback address."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


PRIVATE: Final = "private"
PUBLIC: Final = "public"
LEGACY: Final = "file_read"
"""The scope of the oldest apps. It issues legacy tokens, which have no scopes."""

SELECTABLE: Final = (
    *(scope for scope in SCOPES if scope not in ("org:developer_log_read", "org:ai_metering_usage_read")),
    LEGACY,
)
"""The scopes that an app can request; developer logs and AI usage are for plan access tokens only."""
_NOT_FOR_PUBLIC: Final = frozenset(("folders:read", "project_metadata:read", "projects:read"))

_VISIBLE: Final = re.compile(r"[!-~]+")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")
_FORBIDDEN_SCHEMES: Final = frozenset(("about", "blob", "data", "file", "filesystem", "javascript", "vbscript"))


def to_columns(**settings: Any) -> dict[str, Any]:
    """Return settings as columns; raise UsageError for an invalid value."""
    columns = {name: _CHECKS[name](value) for name, value in settings.items()}
    if "scopes" in columns and "visibility" in columns:
        check_scopes(columns)
    return columns


def check_scopes(columns: Mapping[str, Any]) -> None:
    """Raise UsageError for scopes that an app with this visibility cannot have."""
    forbidden = _NOT_FOR_PUBLIC.intersection(str(columns["scopes"]).split())
    if columns["visibility"] == PUBLIC and forbidden:
        raise UsageError(f"scopes: {', '.join(sorted(forbidden))} cannot be used with public apps; remove them")


def _scopes(scopes: Iterable[str]) -> str:
    unique = tuple(dict.fromkeys(scopes))
    invalid = [scope for scope in unique if scope not in SELECTABLE]
    if invalid:
        raise UsageError(f"scopes: an app cannot have {', '.join(invalid)}; use some of {', '.join(SELECTABLE)}")
    return " ".join(unique)


def _redirect_urls(urls: Iterable[str]) -> str:
    unique = tuple(dict.fromkeys(urls))
    for url in unique:
        if not _is_redirect(url):
            raise UsageError(
                f"redirect_urls: {url} is not allowed; use an https:// address, an http:// address of this machine, "
                "or an address with the app's own scheme, without a fragment"
            )
    return " ".join(unique)


def _is_redirect(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not _VISIBLE.fullmatch(url) or "#" in url or "@" in parts.netloc or parts.scheme in ("", *_FORBIDDEN_SCHEMES):
        return False
    if parts.scheme in ("http", "https"):
        valid_host = _HOST.fullmatch(f"[{host}]" if ":" in host else host) is not None
        return valid_host and (parts.scheme == "https" or is_loopback(host))
    return True


def _visibility(visibility: str) -> str:
    if visibility not in (PRIVATE, PUBLIC):
        raise UsageError(f"visibility: unknown {visibility!r}; use {PRIVATE} or {PUBLIC}")
    return visibility


def _name(name: str) -> str:
    if not name.strip():
        raise UsageError("name: must not be empty; give the app a name")
    return name


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


class App(NamedTuple):
    """An OAuth app of a team, by id, or of the organization (None). ``creator`` is a user id.

    ``review_pages`` tells whether testing instructions and review pages are complete.
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
    """The credentials of a new app. The secret is stored as a digest only; the repr omits it."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        return f"Created({self.client_id!r})"


class Apps(StateActions):
    """Creates apps, configures them and changes their state."""

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
        """Create a draft app of a team, or of the organization. Its configuration may be incomplete."""
        settings = to_columns(name=name, redirect_urls=redirect_urls, scopes=scopes, visibility=visibility)
        with self._store.writing() as connection:
            people.require(connection, creator)
            if team is not None:
                files.require_team(connection, team)
            (count,) = connection.execute("SELECT count(*) FROM oauth_apps").fetchone()
            client_id = self._identities.key("oauth app", str(count))[:22]
            secret = self._identities.secret("oauth app's secret", str(count))
            columns = {
                "client_id": client_id,
                "team": team,
                "secret_digest": _digest(secret),
                "creator": creator,
                "description": "",
                "logo": "",
                "review_pages": 0,
                "state": DRAFT,
                **settings,
            }
            marks = ", ".join("?" for _ in columns)
            connection.execute(
                f"INSERT INTO oauth_apps ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608
                tuple(columns.values()),
            )
        return Created(client_id, secret)

    def configure(
        self,
        client_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        logo: str | None = None,
        redirect_urls: Iterable[str] | None = None,
        scopes: Iterable[str] | None = None,
        visibility: str | None = None,
        review_pages: bool | None = None,
    ) -> str:
        """Change an app and return its state.

        A changed published public app needs approval again. A change of visibility makes any app a draft.
        """
        given = (name, description, logo, redirect_urls, scopes, visibility, review_pages)
        changes = zip(_CHECKS, given, strict=True)
        changed = to_columns(**{setting: value for setting, value in changes if value is not None})
        with self._store.writing() as connection:
            before = required(_columns(connection, client_id), _NOT_FOUND.format(client_id))
            check_scopes(before | changed)
            if changed.get("visibility", before["visibility"]) != before["visibility"]:
                changed["state"] = DRAFT
            elif before["state"] == PUBLISHED_PUBLIC and before | changed != before:
                changed["state"] = RE_REVIEW
            for name, value in changed.items():
                query = f"UPDATE oauth_apps SET {name} = ? WHERE client_id = ?"  # noqa: S608 - a name in _CHECKS
                connection.execute(query, (value, client_id))
            return str((before | changed)["state"])

    def publish(self, client_id: str) -> str:
        """Publish a private app, which needs no review. Returns its new state."""
        return self._move(client_id, (DRAFT,), PUBLISHED_PRIVATE, PRIVATE)

    def submit(self, client_id: str) -> str:
        """Submit a public app for review. Returns its new state."""
        return self._move(client_id, (DRAFT,), UNDER_REVIEW, PUBLIC)

    def approve(self, client_id: str) -> str:
        """Approve a public app, as the platform does. Returns its new state."""
        return self._move(client_id, (UNDER_REVIEW, RE_REVIEW), PUBLISHED_PUBLIC, PUBLIC)

    def all(self) -> tuple[App, ...]:
        """Return every app in order of creation."""
        with self._store.reading() as connection:
            query = f"SELECT {_COLUMNS} FROM oauth_apps ORDER BY number"  # noqa: S608
            return tuple(_app(row) for row in connection.execute(query))

    def of(self, client_id: str) -> App:
        """Return the app with this client id, or raise UsageError."""
        with self._store.reading() as connection:
            return required(find(connection, client_id), _NOT_FOUND.format(client_id))

    def _move(self, client_id: str, from_: tuple[str, ...], to: str, visibility: str) -> str:
        with self._store.writing() as connection:
            app = required(find(connection, client_id), _NOT_FOUND.format(client_id))
            if app.state not in from_ or app.visibility != visibility:
                change = f"a {app.visibility} app in state {app.state!r} cannot become {to!r}"
                raise UsageError(f"app {client_id}: {change}; change its state or visibility first")
            missing = [name for name in ("redirect_urls", "scopes") if not getattr(app, name)]
            if visibility == PUBLIC and not app.review_pages:
                missing.append("review_pages")
            if missing:
                raise UsageError(f"app {client_id}: incomplete; configure {', '.join(missing)} first")
            connection.execute("UPDATE oauth_apps SET state = ? WHERE client_id = ?", (to, client_id))
        return to


def find(connection: sqlite3.Connection, client_id: str) -> App | None:
    """Return the app with this client id."""
    columns = _columns(connection, client_id)
    return None if columns is None else _app(columns.values())


def authenticate(connection: sqlite3.Connection, client_id: str, secret: str) -> App | None:
    """Return the app with this client id and secret, compared in constant time."""
    row = connection.execute("SELECT secret_digest FROM oauth_apps WHERE client_id = ?", (client_id,)).fetchone()
    digest = row[0] if row else _digest("")
    same = hmac.compare_digest(digest, _digest(secret))
    return find(connection, client_id) if row and same else None


def is_public(connection: sqlite3.Connection, client_id: str | None) -> bool:
    """Return whether a token's app is public; some endpoints refuse public apps."""
    app = None if client_id is None else find(connection, client_id)
    return app is not None and app.visibility == PUBLIC


def of_enterprise(connection: sqlite3.Connection, app: App) -> bool:
    """Return whether the app's team, or for an app of the organization any team, is on the Enterprise plan."""
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


_NOT_FOUND: Final = "app {}: no such app; create it first"
