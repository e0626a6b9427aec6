"""The access tokens that the emulator knows, and what each may do. Every state is set by a plain method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator.limits import OAUTH_TOKEN_DAYS, PERSONAL_TOKEN_DAYS, PLAN_TOKEN_DAYS
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from tokensync.emulator.identity import Identities
    from tokensync.emulator.store import Store

READ_VARIABLES: Final = "file_variables:read"
WRITE_VARIABLES: Final = "file_variables:write"
PERSONAL: Final = "personal"
OAUTH: Final = "oauth"
PLAN: Final = "plan"
FULL_MEMBER: Final = "full"
PERMISSIONS: Final = ("owner", "editor", "viewer")

_LONGEST_DAYS: Final = {PERSONAL: PERSONAL_TOKEN_DAYS, OAUTH: OAUTH_TOKEN_DAYS, PLAN: PLAN_TOKEN_DAYS}
_DAY_SECONDS: Final = 86400
_DEFAULT: Final = "default token"


class Token(NamedTuple):
    """``scopes`` is None for a legacy token, which has none and may do everything; ``expires`` is Unix seconds.

    ``account`` is "full" for a full member and any other word for the rest (guest, collab, dev). ``permission`` is the
    one on files that have none of their own for this token; None is no access.
    """

    secret: str
    kind: str
    scopes: tuple[str, ...] | None
    expires: float
    account: str
    permission: str | None


class Tokens:
    """Makes and changes access tokens. Times are those of the emulator's clock."""

    def __init__(self, store: Store, identities: Identities, clock: Callable[[], float]) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock

    def default(self) -> str:
        """The personal access token that may read and write every file; valid for 90 days from this call."""
        with self._store.writing() as connection:
            row = connection.execute("SELECT value FROM settings WHERE name = ?", (_DEFAULT,)).fetchone()
            if row is None:
                row = (self._add(connection, PERSONAL, (READ_VARIABLES, WRITE_VARIABLES), None, FULL_MEMBER, "owner"),)
                connection.execute("INSERT INTO settings VALUES (?, ?)", (_DEFAULT, row[0]))
            expires = self._expiry(PERSONAL, None)
            connection.execute("UPDATE tokens SET expires = ? WHERE secret = ?", (expires, row[0]))
            return str(row[0])

    def create(
        self,
        *,
        kind: str = PERSONAL,
        scopes: Iterable[str] | None = (READ_VARIABLES, WRITE_VARIABLES),
        expires_in_days: float | None = None,
        account: str = FULL_MEMBER,
        permission: str | None = "editor",
    ) -> str:
        """Make a token and return its secret. Without ``expires_in_days`` it lives as long as its kind may.

        A value that the platform has no such thing for is a UsageError.
        """
        with self._store.writing() as connection:
            return self._add(connection, kind, scopes, expires_in_days, account, permission)

    def set_scopes(self, secret: str, scopes: Iterable[str] | None) -> None:
        """The scopes the token has from now on; None makes it a legacy token without scopes."""
        self._set("UPDATE tokens SET scopes = ? WHERE secret = ?", secret, None if scopes is None else " ".join(scopes))

    def set_expiry(self, secret: str, days: float) -> None:
        """The token expires ``days`` from now; with 0 or less it has expired."""
        self._set("UPDATE tokens SET expires = ? WHERE secret = ?", secret, self._clock() + days * _DAY_SECONDS)

    def set_account(self, secret: str, account: str) -> None:
        """Whose token it is: "full" for a full member, any other word for an account that variables are closed to."""
        self._set("UPDATE tokens SET account = ? WHERE secret = ?", secret, account)

    def set_permission(self, secret: str, permission: str | None) -> None:
        """What the token may do on files without a permission of their own: owner, editor, viewer or None."""
        _check_permission(permission)
        self._set("UPDATE tokens SET permission = ? WHERE secret = ?", secret, permission)

    def permit(self, secret: str, file_key: str, permission: str | None) -> None:
        """What this token may do on one file: owner, editor, viewer, or None for nothing."""
        _check_permission(permission)
        with self._store.writing() as connection:
            if find(connection, secret) is None:
                raise UsageError("access token: the emulator has no such token; make it first")
            connection.execute("INSERT OR REPLACE INTO permissions VALUES (?, ?, ?)", (secret, file_key, permission))

    def revoke(self, secret: str) -> None:
        """The token stops working; the platform then calls it invalid."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM tokens WHERE secret = ?", (secret,))
            connection.execute("DELETE FROM permissions WHERE secret = ?", (secret,))

    def _set(self, sql: str, secret: str, value: str | float | None) -> None:
        with self._store.writing() as connection:
            if not connection.execute(sql, (value, secret)).rowcount:
                raise UsageError("access token: the emulator has no such token; make it first")

    def _add(
        self,
        connection: sqlite3.Connection,
        kind: str,
        scopes: Iterable[str] | None,
        days: float | None,
        account: str,
        permission: str | None,
    ) -> str:
        if kind not in _LONGEST_DAYS:
            raise UsageError(f"access token: no kind {kind!r}; use one of {', '.join(_LONGEST_DAYS)}")
        _check_permission(permission)
        expires = self._expiry(kind, days)
        (made,) = connection.execute("SELECT value FROM settings WHERE name = 'tokens made'").fetchone() or ("0",)
        secret = self._identities.secret("token", made)
        connection.execute("INSERT OR REPLACE INTO settings VALUES ('tokens made', ?)", (str(int(made) + 1),))
        written = None if scopes is None else " ".join(scopes)
        connection.execute(
            "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?)", (secret, kind, written, expires, account, permission)
        )
        return secret

    def _expiry(self, kind: str, days: float | None) -> float:
        longest = _LONGEST_DAYS[kind]
        if days is not None and days > longest:
            raise UsageError(f"access token: {days:g} days is more than the {longest} of its kind; use fewer")
        return self._clock() + (longest if days is None else days) * _DAY_SECONDS


def find(connection: sqlite3.Connection, secret: str) -> Token | None:
    """The token with this secret, expired or not."""
    row = connection.execute("SELECT * FROM tokens WHERE secret = ?", (secret,)).fetchone()
    if row is None:
        return None
    secret, kind, scopes, expires, account, permission = row
    return Token(secret, kind, None if scopes is None else tuple(scopes.split()), expires, account, permission)


def permission_on(connection: sqlite3.Connection, token: Token, file_key: str) -> str | None:
    """What the token may do on a file: owner, editor, viewer, or None for nothing."""
    query = "SELECT permission FROM permissions WHERE secret = ? AND file_key = ?"
    row = connection.execute(query, (token.secret, file_key)).fetchone()
    found: str | None = token.permission if row is None else row[0]
    return found


def _check_permission(permission: str | None) -> None:
    if permission is not None and permission not in PERMISSIONS:
        raise UsageError(f"permission: no {permission!r}; use one of {', '.join(PERMISSIONS)}, or None")
