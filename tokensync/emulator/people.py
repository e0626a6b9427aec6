"""Users, the plans they belong to, and what a plan allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.store import Store


FULL_MEMBER: Final = "full"
DEVELOPER: Final = "dev"
GUEST: Final = "guest"
"""Of users who belong to no team and not to the organization."""
ACCOUNTS: Final = (FULL_MEMBER, DEVELOPER, "collab", "view", GUEST)
PERMISSIONS: Final = ("owner", "editor", "viewer")
FIRST: Final = "1000000000000000001"
"""The user whose token an emulator starts with. Ids exceed what a double holds, as the platform's do."""


class User(NamedTuple):
    """``account`` is the seat: full, dev, collab, view, guest. ``admin`` tells an organization's admin.

    ``permission`` is the one on files that have none of their own for this user; None is no access.
    """

    id: str
    handle: str
    email: str
    account: str
    admin: bool
    permission: str | None


class People:
    """Makes and changes users."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(
        self,
        handle: str,
        *,
        account: str = FULL_MEMBER,
        admin: bool = False,
        permission: str | None = "editor",
    ) -> str:
        """Create a user and return the id."""
        with self._store.writing() as connection:
            return add(connection, handle, account=account, admin=admin, permission=permission).id

    def all(self) -> tuple[User, ...]:
        """Return every user, in the order in which they were made."""
        with self._store.reading() as connection:
            return everyone(connection)


def everyone(connection: sqlite3.Connection) -> tuple[User, ...]:
    """Return every user, in the order in which they were made."""
    query = f"SELECT {_COLUMNS} FROM users ORDER BY number"  # noqa: S608
    return tuple(_user(row) for row in connection.execute(query))


def find(connection: sqlite3.Connection, id_: str) -> User | None:
    """Return the user of this id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM users WHERE id = ?", (id_,)).fetchone()  # noqa: S608
    return None if row is None else _user(row)


def known(connection: sqlite3.Connection, id_: str) -> User:
    """Return the user of this id; a UsageError when there is none."""
    user = find(connection, id_)
    if user is None:
        raise UsageError(f"user {id_}: the emulator has none of this id; use one that it shows")
    return user


def add(
    connection: sqlite3.Connection,
    handle: str | None = None,
    *,
    account: str = FULL_MEMBER,
    admin: bool = False,
    permission: str | None = "editor",
) -> User:
    """Create a user; the default handle has its number."""
    check_account(account)
    check_permission(permission)
    (taken,) = connection.execute("SELECT coalesce(max(number), 0) FROM users").fetchone()
    id_ = str(int(FIRST) + taken)
    handle = handle or f"user-{taken + 1}"
    email = f"{''.join(each if each.isalnum() else '-' for each in handle.lower())}@example.com"
    connection.execute(
        "INSERT INTO users (id, handle, email, account, admin, permission) VALUES (?, ?, ?, ?, ?, ?)",
        (id_, handle, email, account, int(admin), permission),
    )
    return User(id_, handle, email, account, admin, permission)


def document(user: User) -> dict[str, Any]:
    """Return the user as answers show it: id, handle, img_url."""
    return {"id": user.id, "handle": user.handle, "img_url": f"https://images.invalid/users/{user.id}.png"}


def check_permission(permission: str | None) -> None:
    """A UsageError for a word that is no permission."""
    if permission is not None and permission not in PERMISSIONS:
        raise UsageError(f"permission: no {permission!r}; use one of {', '.join(PERMISSIONS)}, or None")


def check_account(account: str) -> None:
    """A UsageError for a word that is no account."""
    if account not in ACCOUNTS:
        raise UsageError(f"account: no {account!r}; use one of {', '.join(ACCOUNTS)}")


_COLUMNS: Final = "id, handle, email, account, admin, permission"


def _user(row: tuple[Any, ...]) -> User:
    id_, handle, email, account, admin, permission = row
    return User(id_, handle, email, account, bool(admin), permission)


ENTERPRISE: Final = "enterprise"
"""The one that has variables' endpoints, analytics and logs."""
PLANS: Final = ("starter", "professional", "organization", ENTERPRISE)


def check(whose: str, plan: str) -> None:
    """A UsageError for a word that is no plan; ``whose`` it was to be stands at its beginning."""
    if plan not in PLANS:
        raise UsageError(f"{whose}: no plan {plan!r}; use one of {', '.join(PLANS)}")
