"""Access tokens: their kinds, scopes and lifetimes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import people, store
from tokensync.emulator.store import Identities, StateActions
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


PERSONAL_TOKEN_DAYS: Final = 90
OAUTH_TOKEN_DAYS: Final = 90
PLAN_TOKEN_DAYS: Final = 365
READ_VARIABLES: Final = "file_variables:read"
WRITE_VARIABLES: Final = "file_variables:write"
READ_AI_USAGE: Final = "org:ai_metering_usage_read"
BROAD: Final = "files:read"
"""A deprecated scope for reading files, comments, versions, libraries, folders and users, but not variables."""

SCOPES: Final = (
    "current_user:read",
    "file_code_connect:write",
    "file_content:read",
    "file_comments:read",
    "file_comments:write",
    "file_dev_resources:read",
    "file_dev_resources:write",
    "file_metadata:read",
    READ_VARIABLES,
    WRITE_VARIABLES,
    "file_versions:read",
    BROAD,
    "folder_metadata:read",
    "folders:read",
    "library_analytics:read",
    "library_assets:read",
    "library_content:read",
    "org:activity_log_read",
    READ_AI_USAGE,
    "org:developer_log_read",
    "org:discovery_read",
    "project_metadata:read",
    "projects:read",
    "team_library_content:read",
    "webhooks:read",
    "webhooks:write",
)
ORGANIZATION: Final = "org:"
"""The prefix of scopes that only an admin of an Enterprise organization can grant."""


PERSONAL: Final = "personal"
OAUTH: Final = "oauth"
PLAN: Final = "plan"

_OURS: Final = "emulator_"
"""Tokens are shorter than the platform's, by which scanners for secrets find those."""
_PREFIXES: Final = {PERSONAL: "figd_", OAUTH: "figu_", PLAN: "figd_"}
"""Clients such as figma-console-mcp choose the header of a token by its prefix: ``figu_`` is sent as a bearer."""
_LONGEST_DAYS: Final = {PERSONAL: PERSONAL_TOKEN_DAYS, OAUTH: OAUTH_TOKEN_DAYS, PLAN: PLAN_TOKEN_DAYS}
_DAY_SECONDS: Final = 86400
_FARTHEST_DAYS: Final = 36500
_DEFAULT: Final = "default token"
_COUNT: Final = "tokens made"


class Token(NamedTuple):
    """An access token of a user, by id. ``scopes`` is None for a legacy token; ``expires`` is Unix seconds.

    ``app`` is the client id of an OAuth app, or None. The repr omits the secret.
    """

    secret: str
    kind: str
    scopes: tuple[str, ...] | None
    expires: float
    user: str
    name: str
    app: str | None

    def __repr__(self) -> str:
        return f"Token({self.name!r}, {self.kind!r}, user={self.user!r}, scopes={self.scopes!r})"


class Tokens(StateActions):
    """Creates and changes access tokens. Times are those of the emulator's clock."""

    def default(self) -> str:
        """Return a personal access token of an organization admin with every scope, valid for 90 days from now."""
        with self._store.writing() as connection:
            secret = store.value_of(connection, _DEFAULT)
            now = self._clock()
            if secret is None:
                user = people.add(connection, "owner", admin=True, permission="owner")
                secret = add(connection, self._identities, now, user=user.id, scopes=SCOPES, name="default").secret
                store.set_value(connection, _DEFAULT, secret)
            expires = expiry(PERSONAL, now, None)
            connection.execute("UPDATE tokens SET expires = ? WHERE secret = ?", (expires, secret))
            return secret

    def create(
        self,
        *,
        kind: str = PERSONAL,
        scopes: Iterable[str] | None = (READ_VARIABLES, WRITE_VARIABLES),
        expires_in_days: float | None = None,
        account: str = people.FULL_MEMBER,
        permission: str | None = "editor",
        admin: bool = False,
        user: str | None = None,
        name: str = "token",
    ) -> str:
        """Create a token and return its secret. By default, it expires after its kind's maximum.

        It belongs to the user with an id, or to a new one with this account, permission and admin flag.

        Raise UsageError for a value that the platform does not have.
        """
        with self._store.writing() as connection:
            if user is None:
                user = people.add(connection, account=account, permission=permission, admin=admin).id
            people.require(connection, user)
            token = add(
                connection,
                self._identities,
                self._clock(),
                user=user,
                kind=kind,
                scopes=scopes,
                days=expires_in_days,
                name=name,
            )
            return token.secret

    def set_scopes(self, secret: str, scopes: Iterable[str] | None) -> None:
        """Replace a token's scopes; None makes it a legacy token without scopes."""
        self._set("UPDATE tokens SET scopes = ? WHERE secret = ?", secret, None if scopes is None else " ".join(scopes))

    def set_expiry(self, secret: str, days: float) -> None:
        """Let a token expire ``days`` from now; 0 or less expires it at once."""
        self._set("UPDATE tokens SET expires = ? WHERE secret = ?", secret, self._clock() + _seconds(days))

    def set_account(self, secret: str, account: str) -> None:
        """Set the account of the token's user: full, dev, collab, view or guest."""
        people.check_account(account)
        self._set(_OF_USER.format("account"), secret, account)

    def set_admin(self, secret: str, admin: bool) -> None:
        """Set whether the token's user is an organization admin."""
        self._set(_OF_USER.format("admin"), secret, int(admin))

    def set_permission(self, secret: str, permission: str | None) -> None:
        """Set the default permission of the token's user on files: owner, editor, viewer or None."""
        people.check_permission(permission)
        self._set(_OF_USER.format("permission"), secret, permission)

    def permit(self, secret: str, file_key: str, permission: str | None) -> None:
        """Set the permission of the token's user on one file: owner, editor, viewer, or None for no access."""
        people.check_permission(permission)
        with self._store.writing() as connection:
            token = require(connection, secret)
            connection.execute(
                "INSERT OR REPLACE INTO permissions VALUES (?, ?, ?)", (token.user, file_key, permission)
            )

    def revoke(self, secret: str) -> None:
        """Revoke a token. Requests with it are answered "Invalid token"."""
        with self._store.writing() as connection:
            require(connection, secret)
            connection.execute("DELETE FROM tokens WHERE secret = ?", (secret,))

    def of(self, secret: str) -> Token:
        """Return the token with this secret, or raise UsageError."""
        with self._store.reading() as connection:
            return require(connection, secret)

    def all(self) -> tuple[Token, ...]:
        """Return every token, including expired ones, ordered by user."""
        with self._store.reading() as connection:
            rows = connection.execute("SELECT * FROM tokens ORDER BY user, name, secret").fetchall()
        return tuple(map(_token, rows))

    def _set(self, sql: str, secret: str, value: str | float | None) -> None:
        with self._store.writing() as connection:
            require(connection, secret)
            connection.execute(sql, (value, secret))


_OF_USER: Final = "UPDATE users SET {} = ? WHERE id = (SELECT user FROM tokens WHERE secret = ?)"


def add(
    connection: sqlite3.Connection,
    identities: Identities,
    now: float,
    *,
    user: str,
    kind: str = PERSONAL,
    scopes: Iterable[str] | None,
    days: float | None = None,
    name: str = "token",
    app: str | None = None,
) -> Token:
    """Create a token that expires ``days`` from ``now``, by default and at most its kind's maximum."""
    if kind not in _LONGEST_DAYS:
        raise UsageError(f"access token: no kind {kind!r}; use one of {', '.join(_LONGEST_DAYS)}")
    expires = expiry(kind, now, days)
    count = store.value_of(connection, _COUNT) or "0"
    store.set_value(connection, _COUNT, str(int(count) + 1))
    secret = f"{_PREFIXES[kind]}{_OURS}{identities.mark}{identities.letters('token', count)[:7]}"
    token = Token(secret, kind, None if scopes is None else tuple(scopes), expires, user, name, app)
    row = token._replace(scopes=None if token.scopes is None else " ".join(token.scopes))  # type: ignore[arg-type]
    connection.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return token


def mark_of(secret: str) -> str:
    """Return the mark of the state that made a token; empty for a text that is no token of the emulator."""
    return secret.partition(_OURS)[2][:3]


def expiry(kind: str, now: float, days: float | None) -> float:
    """Return the expiry of a token of this kind in Unix seconds; raise UsageError if ``days`` exceeds its maximum."""
    longest = _LONGEST_DAYS[kind]
    if days is not None and days > longest:
        raise UsageError(f"access token: {days:g} days is more than the {longest} of its kind; use fewer")
    return now + _seconds(longest if days is None else days)


def _seconds(days: float) -> float:
    """Return days in seconds; raise UsageError if they lead out of the range of dates."""
    if not -_FARTHEST_DAYS <= days <= _FARTHEST_DAYS:
        raise UsageError(f"access token: {days:g} days is out of range; stay within {_FARTHEST_DAYS}")
    return days * _DAY_SECONDS


def find(connection: sqlite3.Connection, secret: str) -> Token | None:
    """Return the token with this secret, expired or not."""
    row = connection.execute("SELECT * FROM tokens WHERE secret = ?", (secret,)).fetchone()
    return None if row is None else _token(row)


def _token(row: tuple[Any, ...]) -> Token:
    token = Token(*row)
    return token._replace(scopes=None if token.scopes is None else tuple(str(token.scopes).split()))


def require(connection: sqlite3.Connection, secret: str) -> Token:
    """Return the token with this secret, or raise UsageError."""
    return store.required(find(connection, secret), "access token: no such token; create it first")
